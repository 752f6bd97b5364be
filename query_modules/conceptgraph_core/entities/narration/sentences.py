"""Represent sentences with their sources: the entities, mentions and facts they rest on.

Imports nothing of Memgraph: the shell renders the same text with days in its own time zone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ...recall import budgets
from ...texts import dates, quoting

# Every sentence from a model's words alone is marked so.
INFERRED: Final = "inferred"
MOST_QUOTED: Final = 300

# A part is text, or a time (unix ms) that is rendered as a day.
Part = str | int
Day = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and the ids of the entities, mentions and facts that it rests on."""

    parts: tuple[Part, ...]
    entities: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    # Its replacement if it does not fit.
    shorter: "Sentence | None" = None

    @property
    def source(self) -> dict[str, list[str]]:
        """The sources of the sentence, as tools show them."""
        ids = {"mention_ids": self.mentions, "fact_ids": self.facts}
        told = {name: list(given) for name, given in ids.items() if given}
        return {"entity_ids": list(self.entities), **told}

    @property
    def forms(self) -> tuple["Sentence", ...]:
        """The sentence, and its shorter replacements."""
        return (self,) if self.shorter is None else (self, self.shorter)

    @property
    def size(self) -> int:
        """Its size in bytes with its source and the separators."""
        return budgets.size(written(self.parts)) + 1 + _size(self.source) + 1


def written(parts: Sequence[Part], day: Day = dates.day) -> str:
    return "".join(part if isinstance(part, str) else day(part) for part in parts)


def text(paragraphs: Sequence[Sequence[Sequence[Part]]], day: Day = dates.day) -> str:
    """Return sentences as a text, a line for each."""
    return "\n".join(written(parts, day) for one in paragraphs for parts in one)


def tokens(made: str, sources: Sequence[Mapping[str, Sequence[str]]]) -> int:
    """Estimate the tokens of a narrative: its text, and its sources as JSON."""
    return budgets.tokens(budgets.size(made) + sum(_size(one) + 1 for one in sources))


def _size(source: Mapping[str, Sequence[str]]) -> int:
    """Return the size of *source* in bytes as JSON without blanks: {"a":["b","c"],"d":["e"]}."""
    lists = (
        len(name) + len('"":[]') + sum(budgets.size(one) + len('"",') for one in ids) - 1
        for name, ids in source.items()
    )
    return sum(one + len(",") for one in lists) - 1 + len("{}")


def quoted(said: str) -> str:
    """Quote a text on one line, cut if it is long."""
    return quoting.quote(line(said), MOST_QUOTED)


def ended(said: str) -> str:
    """Quote a text as the end of a sentence."""
    made = quoted(said)
    return made if made[-2] in ".!?…" else f"{made}."


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them: a, b and c."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def parts_listed(each: Sequence[Sequence[Part]], last: str = "and") -> list[Part]:
    """Return groups of parts as a sentence lists them: a, b and c."""
    found: list[Part] = []
    for number, parts in enumerate(each):
        if number:
            found.append(f" {last} " if number + 1 == len(each) else ", ")
        found += parts
    return found


def line(value: str) -> str:
    return " ".join(value.split())


def called(name: str) -> str:
    """Return the name that somebody used, quoted unless it is a few plain words."""
    return quoting.quote_name(line(name))


def stated(value: str) -> str:
    """Return a value, a kind or a predicate, quoted unless it is one or two plain words."""
    return quoting.quote_value(line(value))
