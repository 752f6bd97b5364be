"""Extract a message's entities with a model, and check every claim; resolve its pronouns."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Protocol

from conceptgraph_core.entities import inputs, names, rule_extractor, schema
from conceptgraph_core.entities.language import spans
from conceptgraph_core.verbs.errors import ConceptGraphError

from ..extras.chat_model import Chat, Model, Reply
from .sessions import Candidate

Row = dict[str, Any]

# The number of earlier messages that a model sees, and the characters of each.
BEFORE = 6
_MOST_OF_ONE = 1_000
_TIMES_ASKED = 2

# The kinds that a model may use, so that one thing has one kind.
KINDS = (
    *("person", "mother", "father", "sister", "brother", "daughter", "son", "grandmother"),
    *("grandfather", "aunt", "uncle", "cousin", "wife", "husband", "partner", "girlfriend"),
    *("boyfriend", "friend", "roommate", "neighbour", "boss", "colleague", "doctor", "teacher"),
    *("therapist", "pet", "dog", "cat", "horse", "bird", "company", "school", "organisation"),
    *("team", "place", "city", "country", "home", "restaurant", "project", "product", "software"),
    *("book", "film", "music", "game", "food", "drink", "sport", "vehicle", "thing"),
)
_FACT = {
    "type": "object",
    "properties": {
        "predicate": {"type": "string"},
        "value": {"type": "string"},
        "object": {"type": "string"},
        "span": {"type": "string"},
        "mode": {"type": "string", "enum": list(schema.FACT_MODES)},
    },
    "required": ["predicate"],
}
_OBSERVATION = {
    "type": "object",
    "properties": {
        "label": {"type": "string"},
        "type": {"type": "string", "enum": list(schema.NODE_TYPES)},
        "kind": {"type": "string", "enum": list(KINDS)},
        "span": {"type": "string"},
        "valence": {"type": "number", "minimum": -1, "maximum": 1},
        "intensity": {"type": "number", "minimum": 0, "maximum": 1},
        "same_as": {"type": "string"},
        "new": {"type": "boolean"},
        "qualifier": {"type": "string"},
        "facts": {"type": "array", "items": _FACT},
    },
    "required": ["label", "type"],
}
_RELATION = {
    "type": "object",
    "properties": {
        "from": {"type": "string"},
        "to": {"type": "string"},
        "type": {"type": "string", "enum": list(schema.RELATIONS)},
        "span": {"type": "string"},
    },
    "required": ["from", "to", "type"],
}
_TOOL: Chat = {
    "type": "function",
    "function": {
        "name": "observe",
        "description": "Say what the last message mentions.",
        "parameters": {
            "type": "object",
            "properties": {
                "observations": {"type": "array", "items": _OBSERVATION},
                "relations": {"type": "array", "items": _RELATION},
            },
            "required": ["observations"],
        },
    },
}


@dataclass(frozen=True, slots=True)
class Said:
    """A message: its speaker, "user" or "model", and its text; `notes` resolve its pronouns."""

    speaker: str
    text: str
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Extracted:
    """The usable observations, and the number of refused claims of the model."""

    observations: list[Row] = field(default_factory=list)
    relations: list[Row] = field(default_factory=list)
    refused: int = 0


async def extract_observations(
    model: Model, before: Sequence[Said], message: Said, known: Sequence[Candidate] = ()
) -> Extracted | None:
    """Return the model's observations on *message*; None if its reply cannot be parsed.

    The model sees the *known* entities, and can name one of them as meant. Raises ModelError.
    """
    prompt = resources.files(__package__).joinpath("prompt.md").read_text(encoding="utf-8")
    chat: list[Chat] = [
        {"role": "system", "content": prompt},
        {"role": "user", "content": _write_prompt(before, message, known)},
    ]
    for _ in range(_TIMES_ASKED):
        answer = _answer(await model.reply(chat, [_TOOL]))
        if answer is not None:
            return _keep_valid(answer, {one.entity_id for one in known})
    return None


def _write_prompt(before: Sequence[Said], message: Said, known: Sequence[Candidate]) -> str:
    lines = [f"{one.speaker}: {one.text[:_MOST_OF_ONE]}" for one in before]
    said = ["Before it:", *lines, ""] if before else []
    if known:
        said += ["Known already, by id:", *(f"- {one}" for one in known), ""]
    said += [f"The message, by the {message.speaker}:", message.text]
    return "\n".join([*said, *(["", *message.notes] if message.notes else [])])


def _answer(reply: Reply) -> Row | None:
    """Return the arguments of the call, or the JSON object in the text."""
    said = [call.arguments for call in reply.calls if call.name == "observe"] or [reply.text]
    text = said[0]
    try:
        answer = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _keep_valid(answer: Row, ids: set[str]) -> Extracted:
    """Remove invalid observations and relations from *answer*; keep the rest.

    *ids* were shown to the model: an observation can be the same as one of these only.
    """
    made = Extracted()
    known: set[str] = set()
    for one in _list(answer.get("observations"))[: schema.MAX_OBSERVATIONS]:
        row = _only(one, _OBSERVATION["properties"])
        made.refused += _left_out(row, ids)
        try:
            [checked] = inputs.observations([row])
        except ConceptGraphError:
            made.refused += 1
            continue
        known.add(checked.name)
        made.observations.append(row)
    for row in made.observations:
        made.refused += _without_unknown(row, known)
    for one in _list(answer.get("relations"))[: schema.MAX_OBSERVATIONS]:
        row = _only(one, _RELATION["properties"])
        try:
            [related] = inputs.relations([row])
        except ConceptGraphError:
            made.refused += 1
            continue
        # A relation needs the name of an observation in this message.
        if {related.source, related.target} <= known:
            made.relations.append(row)
        else:
            made.refused += 1
    return made


def _left_out(row: Row, ids: set[str]) -> int:
    """Remove an invalid id or kind, and invalid facts, from *row*; return their number."""
    facts = [_only(one, _FACT["properties"]) for one in _list(row.pop("facts", None))]
    wrong = [
        name
        for name, allowed in (("same_as", ids), ("kind", KINDS))
        if name in row and row[name] not in allowed
    ]
    for name in wrong:
        del row[name]
    usable = [one for one in facts if _is_fact(one)]
    if usable:
        row["facts"] = usable
    return len(wrong) + len(facts) - len(usable)


def _is_fact(fact: Row) -> bool:
    try:
        inputs.observations([{"label": schema.SELF, "type": "entity", "facts": [fact]}])
    except ConceptGraphError:
        return False
    return True


def _without_unknown(row: Row, known: set[str]) -> int:
    """Remove facts whose value names a missing observation; return their number."""
    facts = row.get("facts", [])
    usable = [
        one for one in facts if "object" not in one or names.canonical(one["object"]) in known
    ]
    if len(usable) < len(facts):
        row["facts"] = usable
    return len(facts) - len(usable)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _only(value: Any, known: Any) -> Row:
    """Return the *known* fields of *value* that are set.

    A model may add fields, or leave some empty.
    """
    if not isinstance(value, dict):
        return {}
    return {key: one for key, one in value.items() if key in known and one not in (None, "")}


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
