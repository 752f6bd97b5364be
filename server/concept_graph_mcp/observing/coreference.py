"""Resolve pronouns with fastcoref, if it is installed (the extra `coref`).

Pronouns are resolved before names are extracted. The replacement affects only the extraction: the
message stays as it was said, and the span of a pronoun's mention is the pronoun.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from conceptgraph_core.entities import rule_extractor
from conceptgraph_core.entities.language import spans

Row = dict[str, Any]
Clusters = Sequence[Sequence[tuple[int, int]]]

# English, like fastcoref's models. "I" and "you" mean the speaker and the listener.
_PRONOUNS = frozenset(
    (
        *("he", "him", "his", "himself", "she", "her", "hers", "herself"),
        *("it", "its", "itself", "they", "them", "their", "theirs", "themselves"),
    )
)
_OWNING = frozenset(("his", "her", "hers", "its", "their", "theirs"))


class CoreferenceError(Exception):
    """The adapter cannot be used; the message is one line."""


class Resolver(Protocol):
    """Finds the parts of a text that refer to the same thing."""

    def clusters(self, text: str) -> Clusters:
        """Return the parts (from, before) of *text* with the same referent.

        Raises CoreferenceError.
        """


class FastCoref:
    """The model of fastcoref, loaded at once and downloaded the first time."""

    def __init__(self) -> None:
        try:
            from fastcoref import FCoref
        except ImportError:
            raise CoreferenceError(
                "--coref needs the package fastcoref: pip install fastcoref"
            ) from None
        try:
            self._model = FCoref(device="cpu", enable_progress_bar=False)
        except (OSError, RuntimeError, ValueError) as error:
            raise CoreferenceError(f"--coref: fastcoref cannot be loaded: {_line(error)}") from None

    def clusters(self, text: str) -> Clusters:
        try:
            [found] = self._model.predict(texts=[text])
            clusters: Clusters = found.get_clusters(as_strings=False)
        except (RuntimeError, ValueError) as error:
            raise CoreferenceError(f"--coref: fastcoref failed: {_line(error)}") from None
        return clusters


@dataclass(frozen=True, slots=True)
class Meant:
    """A pronoun of a message, from `start` to before `end`, and the name that it stands for."""

    start: int
    end: int
    pronoun: str
    name: str


def find_pronouns(resolver: Resolver, before: Sequence[str], message: str) -> list[Meant]:
    """Return the pronouns of *message* whose name stands in it or in *before*, in order.

    Raises CoreferenceError.
    """
    if not any(word in _PRONOUNS for word in _words(message)):
        return []
    text = "\n".join((*before, message))
    first = len(text) - len(message)
    found = []
    for cluster in resolver.clusters(text):
        name = _name(text[start:end] for start, end in cluster)
        if name is None:
            continue
        for start, end in cluster:
            pronoun = text[start:end]
            if start >= first and pronoun.casefold() in _PRONOUNS:
                found.append(Meant(start - first, end - first, pronoun, name))
    return sorted(found, key=lambda one: one.start)


def replace_pronouns(message: str, found: Iterable[Meant]) -> str:
    """Return *message* with names in place of pronouns."""
    pieces, place = [], 0
    for one in found:
        if one.start < place:
            continue
        owning = "'s" if one.pronoun.casefold() in _OWNING else ""
        pieces += [message[place : one.start], one.name, owning]
        place = one.end
    return "".join([*pieces, message[place:]])


def observations(
    message: str, found: Sequence[Meant], extract: Callable[[str], list[Row]]
) -> list[Row]:
    """Return the result of *extract* for *message* with its pronouns replaced.

    If only a pronoun mentions something, the pronoun is its span, which stands in the original
    text.
    """
    said = spans.Said(message)
    by_name = {one.name: one.pronoun for one in reversed(found)}
    rows = extract(replace_pronouns(message, found))
    return list(_find_spans(rows, said, by_name))


def notes(found: Sequence[Meant]) -> tuple[str, ...]:
    """Return notes for a model on the pronouns of a message."""
    told = dict.fromkeys(f'"{one.pronoun}" is {one.name}.' for one in found)
    return tuple(told)


def _find_spans(rows: Iterable[Row], said: spans.Said, by_name: dict[str, str]) -> Iterator[Row]:
    for row in rows:
        label = row["label"]
        if said.find(row.get("span") or label) is not None:
            yield row
        elif label in by_name:
            yield {**row, "span": by_name[label]}


def _name(parts: Iterable[str]) -> str | None:
    """Return the first of *parts* that is a name for the rule-based extractor: no pronoun is."""
    for part in parts:
        if part.casefold() in _PRONOUNS:
            continue
        # "my dog Max" is Max. Tested mid-sentence, because a first word needs more evidence.
        named = rule_extractor.observations(f"with {part}", ("english",))
        names = [row["label"] for row in named if row["type"] == "entity" and "facts" not in row]
        if names:
            label: str = names[-1]
            return label
    return None


def _words(text: str) -> Iterator[str]:
    return (word.strip(".,;:!?\"'()’“”").casefold() for word in text.split())


def _line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__
