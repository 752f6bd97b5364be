"""Precision and recall of an extraction: the answers beside the right ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conceptgraph_core.entities import names, schema

Row = Mapping[str, Any]
MEASURES = ("entities", "identities", "facts")
NEW = "new"


@dataclass(slots=True)
class Score:
    """How many were told, how many there are, and how many of these are the same."""

    told: int = 0
    wanted: int = 0
    right: int = 0

    def add(self, told: set[Any], wanted: set[Any]) -> None:
        self.told += len(told)
        self.wanted += len(wanted)
        self.right += len(told & wanted)

    @property
    def precision(self) -> float:
        return self.right / self.told if self.told else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.wanted if self.wanted else 1.0


def scored(pairs: Iterable[tuple[Sequence[Row], Row]]) -> dict[str, Score]:
    """Return a score for each measure, of *pairs* of observations and what is right of a message.

    An entity is right by its name and type, an identity by its name and the id it is given (or
    "new"), a fact by whom it is of, its predicate and its value.
    """
    scores = {name: Score() for name in MEASURES}
    for observations, right in pairs:
        told = _told(observations)
        wanted: dict[str, set[Any]] = {
            "entities": {(_name(label), kind) for label, kind in right["entities"]},
            "identities": {(_name(label), one) for label, one in right["same"].items()},
            "facts": {tuple(map(_name, fact)) for fact in right["facts"]},
        }
        for name, score in scores.items():
            score.add(told[name], wanted[name])
    return scores


def _told(observations: Sequence[Row]) -> dict[str, set[Any]]:
    same = {
        (_name(one["label"]), one.get("same_as") or NEW)
        for one in observations
        if one.get("same_as") or one.get("new")
    }
    facts = {
        tuple(map(_name, (one["label"], fact["predicate"], fact.get("value") or fact["object"])))
        for one in observations
        for fact in one.get("facts", ())
    }
    # The owner of the facts is no entity to be found.
    entities = {
        (_name(one["label"]), one["type"]) for one in observations if one["label"] != schema.SELF
    }
    return {"entities": entities, "identities": same, "facts": facts}


def _name(text: str) -> str:
    return names.canonical(text)
