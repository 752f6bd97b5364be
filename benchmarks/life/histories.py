"""Read the dated messages of people: the family that is checked in, and RealMem's personas.

A message may say what a perfect observer `sees` in it (observations as the tool takes them, and who
each `is`), which `facts` it states, and which memories an agent `keeps` of it.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

Row = dict[str, Any]

FAMILY = Path(__file__).parent / "family"
ZONE = ZoneInfo("Europe/Berlin")
IMPORTANCE = {"Static": 0.9}
# So much of the other persona's is enough to show that nothing of theirs is seen.
OTHERS = 150


@dataclass(frozen=True, slots=True)
class Message:
    """Something said; `speaker` is "user" or "model"."""

    user: str
    id: str
    at_ms: int
    thread: str
    speaker: str
    text: str
    sees: tuple[Row, ...] = ()
    facts: tuple[Row, ...] = ()
    keeps: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """The messages of one or more users, by time, and what is to be expected in the end.

    `users` are those who are judged, `other` lives in the same store. `queries` are questions that
    were asked amid the year, by their text, as RealMem has them.
    """

    name: str
    users: tuple[str, ...]
    other: str | None
    messages: tuple[Message, ...]
    expected: Mapping[str, Any] = field(default_factory=dict)
    imported: Path | None = None
    queries: frozenset[str] = frozenset()

    def of(self, user: str) -> list[Message]:
        return [one for one in self.messages if one.user == user]


def family(messages: int | None = None) -> History:
    """Return the family, or the first *messages* of it."""
    expected = json.loads((FAMILY / "expected.json").read_text(encoding="utf-8"))
    user, other = expected["user"], expected["neighbour"]
    said = list(_family_messages(FAMILY / "messages.jsonl", user))[:messages]
    others = list(_family_messages(FAMILY / "neighbour.jsonl", other))
    if messages is not None:
        others = [one for one in others if one.at_ms <= said[-1].at_ms]
    both = tuple(sorted([*said, *others], key=lambda one: one.at_ms))
    return History("family", (user,), other, both, expected, FAMILY / "before.jsonl")


def ms(local: str) -> int:
    """Return the unix milliseconds of a local time in ISO 8601."""
    return int(datetime.fromisoformat(local).replace(tzinfo=ZONE).timestamp() * 1000)


def _family_messages(file: Path, user: str) -> Iterator[Message]:
    for row in rows(file):
        speaker = "user" if row["speaker"] == "user" else "model"
        given = {name: tuple(row.get(name, ())) for name in ("sees", "facts", "keeps")}
        yield Message(user, row["id"], ms(row["at"]), row["thread"], speaker, row["text"], **given)


def realmem(folder: Path) -> list[History]:
    """Return each persona of *folder*, the beginning of the other one's beside it in one store."""
    said = rows(folder / "messages.jsonl")
    asked = frozenset(row["text"] for row in rows(folder / "queries.jsonl"))
    names = sorted({row["memory"] for row in said})
    kept = {name: _extracted(folder, name) for name in names}
    messages = [_of_realmem(row, kept[row["memory"]]) for row in said if row["text"].strip()]
    messages.sort(key=lambda one: one.at_ms)
    histories = []
    for name, other in zip(names, reversed(names), strict=True):
        others = {one.id for one in [one for one in messages if one.user == other][:OTHERS]}
        both = [one for one in messages if one.user == name or one.id in others]
        histories.append(History(name, (name,), other, tuple(both), queries=asked))
    return histories


def _of_realmem(row: Row, kept: Mapping[str, list[Row]]) -> Message:
    speaker = "user" if row["speaker"].casefold() == "user" else "model"
    made = row["memory"], row["id"], row["time_ms"], row["thread"], speaker, row["text"]
    return Message(*made, keeps=tuple(kept.get(row["id"], ())))


def _extracted(folder: Path, name: str) -> dict[str, list[Row]]:
    """Return what was extracted of each message of a persona, if its own file is there."""
    made: dict[str, list[Row]] = defaultdict(list)
    for place in (folder, folder.parent):
        file = place / f"realmem_{name}.json"
        if not file.is_file():
            continue
        for number, session in enumerate(json.loads(file.read_text("utf-8"))["dialogues"]):
            for place_, point in enumerate(session["extracted_memory"]):
                about = point["content"].partition("】")[0].strip("【")
                topic = f"{point['index'].partition('-')[0]}/{about}"
                made[f"{name}/{number}:{point['source_turn'] - 1}"].append(
                    {
                        "key": f"{name}/{number}/{place_}",
                        "content": point["content"],
                        "type": "fact",
                        "importance": IMPORTANCE.get(point["type"], 0.7),
                        "topic": topic,
                    }
                )
        break
    return made


def rows(file: Path) -> list[Row]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
