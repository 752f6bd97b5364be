"""Sentences that can be traced: each knows whom it is about, and what of theirs it tells.

Imports nothing of Memgraph: the shell writes the same text with the days of its own zone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ... import budgets, dates, quoting

# What only a model said is marked so wherever it is told.
INFERRED: Final = "inferred"
MOST_QUOTED: Final = 300

# A text is made of texts and times (unix ms), which are written as days.
Part = str | int
Day = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and the ids of the entities, mentions and facts that it is told from."""

    parts: tuple[Part, ...]
    entities: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    # What is told in its place where it does not fit.
    shorter: "Sentence | None" = None

    @property
    def source(self) -> dict[str, list[str]]:
        """What the sentence is told from, as tools show it."""
        ids = {"mention_ids": self.mentions, "fact_ids": self.facts}
        told = {name: list(given) for name, given in ids.items() if given}
        return {"entity_ids": list(self.entities), **told}

    @property
    def forms(self) -> tuple["Sentence", ...]:
        """The sentence, and what may be told in its place."""
        return (self,) if self.shorter is None else (self, self.shorter)

    @property
    def size(self) -> int:
        """How many bytes it takes with its source, and with what parts it from the next."""
        return budgets.size(written(self.parts)) + 1 + _size(self.source) + 1


def written(parts: Sequence[Part], day: Day = dates.day) -> str:
    return "".join(part if isinstance(part, str) else day(part) for part in parts)


def text(paragraphs: Sequence[Sequence[Sequence[Part]]], day: Day = dates.day) -> str:
    """Return sentences as a text, a line for each paragraph."""
    return "\n".join(" ".join(written(parts, day) for parts in one) for one in paragraphs)


def tokens(made: str, sources: Sequence[Mapping[str, Sequence[str]]]) -> int:
    """Return how many tokens a narrative has, estimated: its text, and its sources as JSON."""
    return budgets.tokens(budgets.size(made) + sum(_size(one) + 1 for one in sources))


def _size(source: Mapping[str, Sequence[str]]) -> int:
    """Return how many bytes *source* takes as JSON without blanks: {"a":["b","c"],"d":["e"]}."""
    lists = (
        len(name) + len('"":[]') + sum(budgets.size(one) + len('"",') for one in ids) - 1
        for name, ids in source.items()
    )
    return sum(one + len(",") for one in lists) - 1 + len("{}")


def quoted(said: str) -> str:
    """Return what was said in quotation marks, on one line, cut if it is long."""
    return quoting.quoted(line(said), MOST_QUOTED)


def ended(said: str) -> str:
    """Return what was said in quotation marks, as the end of a sentence."""
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
    """Return what somebody called something, quoted unless that is a few plain words."""
    return quoting.named(line(name))
