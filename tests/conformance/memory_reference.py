"""The rules of memories once more, in plain dictionaries: what every host is held against.

Written from the contract alone; it shares no line with the modules. Times are unix ms.
"""

from dataclasses import dataclass, field
from math import e, log
from typing import Any
from unicodedata import normalize

DAY = 86_400_000
KEEPING = {"permanent", "important", "bookmark", "favorite", "pinned", "preserved"}
ORDER = ["active", "dormant", "archived", "expired"]
LEAST = {"active": 0.5, "dormant": 0.1, "archived": 0.01, "expired": -1.0}


def _plain(content: str) -> str:
    return " ".join(normalize("NFC", content).split())


class Refusal(Exception):
    """What the model does not do either."""


@dataclass
class Memory:
    """One memory."""

    user: str
    content: str
    importance: float = 0.7
    confidence: float = 1.0
    tags: list[str] = field(default_factory=list)
    rate: float | None = None
    until: int | None = None
    accesses: int = 0
    created: int = 0
    accessed: int = 0
    state: str = "active"
    score: float = 0.7
    updated: int = 0
    deleted: int | None = None
    history: list[tuple[str, str, int]] = field(default_factory=list)
    forgotten: bool = False


class Reference:
    """All memories by a number of their own, which stands for the id."""

    def __init__(self, now_ms: int) -> None:
        self.now = now_ms
        # Whether an owner has set a retention window.
        self.expires = False
        self.memories: dict[int, Memory] = {}

    def create(self, user: str, number: int, content: str, **given: Any) -> dict[str, Any]:
        there = self._again(user, content, given["importance"])
        if there is not None:
            return there
        one = Memory(user, content, **given)
        one.created = one.accessed = one.updated = self.now
        self.memories[number] = one
        one.score, one.state = self.present(one)
        if one.state == "expired":
            one.state = "archived"
        return {"state": one.state, "score": one.score}

    def _again(self, user: str, content: str, importance: float) -> dict[str, Any] | None:
        """Take it that a text is told again which is there, blanks apart and with its accents."""
        found = [
            (one.created, one.rate is not None, number)
            for number, one in self.memories.items()
            if one.user == user and one.deleted is None and _plain(one.content) == _plain(content)
        ]
        if not found:
            return None
        one = self.memories[max(found)[2]]
        one.importance = max(one.importance, importance)
        self._access(one)
        return {"number": max(found)[2], "state": one.state, "score": one.score}

    def put(self, user: str, number: int, content: str, rate: float) -> None:
        """Import a memory that has a rate of its own, accessed a month ago."""
        if number in self.memories:
            raise Refusal
        one = Memory(user, content, rate=rate, created=self.now - 30 * DAY)
        one.accessed, one.updated = one.created, self.now
        self.memories[number] = one

    def get(self, user: str, number: int) -> dict[str, Any]:
        one = self._seen(user, number)
        self._access(one)
        return {"content": one.content, "state": one.state, "count": one.accesses}

    def touch(self, user: str, numbers: list[int]) -> list[int]:
        found = [self._seen(user, number) for number in dict.fromkeys(numbers)]
        for one in found:
            self._access(one)
        return [one.accesses for one in found]

    def update(self, user: str, number: int, **given: Any) -> dict[str, Any]:
        one = self._seen(user, number)
        for name, value in given.items():
            setattr(one, name, value)
        self._settle(one)
        return {"content": one.content, "state": one.state, "count": one.accesses}

    def forget(self, user: str, number: int) -> None:
        one = self._seen(user, number)
        one.score = self.present(one)[0]
        self._enter(one, "expired")
        one.deleted, one.forgotten = self.now, True

    def preserve(self, user: str, number: int, tag: str | None, days: int | None) -> str:
        one = self._seen(user, number)
        if days is not None:
            if days <= 0:
                raise Refusal
            one.until = self.now + days * DAY
        elif tag is None or tag.lower() not in KEEPING:
            raise Refusal
        elif tag.lower() not in one.tags:
            one.tags = [*one.tags, tag.lower()]
        self._settle(one)
        return one.state

    def restore(self, user: str, number: int) -> bool:
        one = self.memories.get(number)
        if one is None or one.user != user:
            raise Refusal
        if one.deleted is None:
            return False
        one.forgotten = False
        one.accesses += 1
        one.accessed = self.now
        self._settle(one)
        one.deleted = None
        return True

    def decay(self, user: str, dry_run: bool) -> tuple[int, list[tuple[int, str, str]]]:
        processed, changes = 0, []
        for number, one in self.memories.items():
            went = one.deleted is not None
            if one.user != user or (went and (self.expires or one.forgotten)):
                continue
            processed += 1
            score, state = self.present(one)
            if state != one.state:
                changes.append((number, one.state, state))
            if not dry_run and (state != one.state or abs(score - one.score) >= 0.005):
                self._settle(one, lets_expire=True)
        return processed, sorted(changes)

    def purge(self, user: str, days: int) -> list[int]:
        due = [
            number
            for number, one in self.memories.items()
            if one.user == user and one.deleted is not None and one.deleted <= self.now - days * DAY
        ]
        for number in due:
            del self.memories[number]
        return sorted(due)

    def recent(self, user: str, limit: int) -> list[tuple[int, int]]:
        """Return when each of the latest was created or accessed, and how often that was."""
        seen = [one for one in self.memories.values() if one.user == user and one.deleted is None]
        seen.sort(key=lambda one: max(one.accessed, one.created), reverse=True)
        return [max(one.accessed, one.created) for one in seen[:limit]]

    def status(self, user: str, number: int) -> tuple[str, float, str | None, int | None]:
        """Return the state and the score now, and the next state and when, found by halving."""
        one = self._seen(user, number)
        score, state = self.present(one)
        if state == "expired":
            return "archived", score, "expired", self.now
        last = self.now + 200_000 * DAY
        moments = [last] if one.until is None or one.until <= self.now else [one.until - 1, last]
        begin = self.now
        for end in moments:
            if self.present(one, end)[1] != state:
                at = self._turning(one, state, begin, end)
                return state, score, self.present(one, at)[1], at
            begin = end
        return state, score, None, None

    def _turning(self, one: Memory, state: str, before: int, after: int) -> int:
        while after - before > 1:
            middle = (before + after) // 2
            if self.present(one, middle)[1] == state:
                before = middle
            else:
                after = middle
        return after

    def present(self, one: Memory, at: int | None = None) -> tuple[float, str]:
        now = self.now if at is None else at
        if KEEPING.intersection(tag.lower() for tag in one.tags):
            return 1.0, "active"
        if one.until is not None and one.until > now:
            return 1.0, "active"
        rate = 0.01 * (1 - one.importance) / 0.3 if one.rate is None else one.rate
        days = (now - one.accessed) / DAY if now > one.accessed else 0.0
        score = one.importance / e ** min(rate * days, 700.0) + log(1 + one.accesses) / 10
        score = min(max(score * one.confidence, 0.0), 1.0)
        state = next(state for state in ORDER if score >= LEAST[state])
        return score, state if self.expires or state != "expired" else "archived"

    def _seen(self, user: str, number: int) -> Memory:
        one = self.memories.get(number)
        if one is None or one.user != user or one.deleted is not None:
            raise Refusal
        return one

    def _access(self, one: Memory) -> None:
        one.accesses += 1
        one.accessed = self.now
        self._settle(one)

    def _settle(self, one: Memory, lets_expire: bool = False) -> None:
        one.score, state = self.present(one)
        one.updated = self.now
        if state == "expired" and not lets_expire:
            state = "archived"
        if state != one.state:
            self._enter(one, state)
            one.deleted = self.now if state == "expired" else None

    def _enter(self, one: Memory, state: str) -> None:
        one.history = [*one.history, (one.state, state, self.now)][-20:]
        one.state = state
