"""Identity in a user's records: entities as components, and the questions between them."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property

from .histories import Row
from .world import mine


def plain(label: str) -> str:
    """Return *label* as two spellings of one name agree: no case, accents, marks or articles."""
    text = unicodedata.normalize("NFKD", label.casefold())
    text = "".join(one for one in text if not unicodedata.combining(one))
    text = re.sub(r"['’]s\b", "", text)
    words = re.findall(r"\w+", text)
    while words and words[0] in ("the", "a", "my", "our", "die", "der", "das", "mein", "meine"):
        words.pop(0)
    return " ".join(_singular(word) for word in words)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


class Graph:
    """The entity layer of one user, from an export."""

    def __init__(self, records: dict[str, list[Row]], user: str) -> None:
        self.entities = {one["id"]: one for one in mine(records["entity"], user)}
        self.mentions = {one["id"]: one for one in mine(records["mention"], user)}
        self.facts = {one["id"]: one for one in mine(records["fact"], user)}
        ends = self.entities.keys()
        self.edges = [
            tie for tie in records["tie"] if _one(tie["from"]) in ends and _one(tie["to"]) in ends
        ]
        self.of = {
            tie["from"]: tie["to"]
            for tie in records["tie"]
            if tie["type"] == "of" and _one(tie["from"]) in self.mentions
        }

    @cached_property
    def component(self) -> dict[str, str]:
        """The entity that each one counts as."""
        return _joined(self.entities, (tie for tie in self._same if tie["status"] == "merged"))

    @cached_property
    def asked(self) -> dict[str, str]:
        """The same, where every question between two were answered with yes."""
        return _joined(self.entities, self._same)

    @property
    def _same(self) -> list[Row]:
        return [tie for tie in self.edges if tie["type"] == "same_as"]

    def users(self) -> list[Row]:
        """Return the entities that the user mentioned."""
        return [one for one in self.entities.values() if one["user_mention_count"]]

    def clusters(self) -> dict[str, set[str]]:
        """Return the components, and who is in each."""
        made: dict[str, set[str]] = defaultdict(set)
        for one, top in self.component.items():
            made[top].add(one)
        return made


def _one(end: object) -> str:
    return end if isinstance(end, str) else ""


def _joined(ids: Iterable[str], ties: Iterable[Row]) -> dict[str, str]:
    parent = {one: one for one in ids}

    def top(one: str) -> str:
        while parent[one] != one:
            parent[one] = one = parent[parent[one]]
        return one

    for tie in ties:
        parent[top(tie["from"])] = top(tie["to"])
    return {one: top(one) for one in parent}
