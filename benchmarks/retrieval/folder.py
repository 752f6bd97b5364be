"""A folder of conversations and of questions about them, as every benchmark is converted to.

`messages.jsonl`: {id, memory, thread, time_ms, speaker, text} a line, a thread's in their order.
`queries.jsonl`: {qid, memory, text, asked_ms, asker, category, gold, level}; *gold* are the ids of
what answers it: messages, or threads where *level* is "session".
`source.json`, if a converter wrote the folder: {benchmark, part}.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

MESSAGES = "messages.jsonl"
QUERIES = "queries.jsonl"
SOURCE = "source.json"


@dataclass(frozen=True, slots=True)
class Message:
    """A message of *speaker* at *time_ms* (unix ms) in *thread*, a part of *memory*."""

    id: str
    memory: str
    thread: str
    time_ms: int
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """A question about a memory and the ids of what answers it."""

    qid: str
    memory: str
    text: str
    asked_ms: int
    gold: tuple[str, ...]
    asker: str | None = None
    category: str = ""
    level: str = "message"

    def answer(self, message: Message) -> str:
        """Return what *message* counts as among the answers: itself, or its session."""
        return message.thread if self.level == "session" else message.id


@dataclass(frozen=True, slots=True)
class Memory:
    """One conversation: nothing of another is among the answers to its questions."""

    name: str
    messages: tuple[Message, ...]
    queries: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """The published benchmark of a folder, and its part: "all", "tuning" or "unseen"."""

    benchmark: str
    part: str = "all"

    def __str__(self) -> str:
        return self.benchmark if self.part == "all" else f"{self.benchmark}, {self.part}"


def read(folder: Path) -> list[Memory]:
    """Return the memories of *folder*, in the order of their first message."""
    messages: dict[str, list[Message]] = defaultdict(list)
    queries: dict[str, list[Query]] = defaultdict(list)
    for line in _lines(folder / MESSAGES):
        messages[line["memory"]].append(Message(**line))
    for line in _lines(folder / QUERIES):
        queries[line["memory"]].append(Query(**line | {"gold": tuple(line["gold"])}))
    return [Memory(name, tuple(said), tuple(queries[name])) for name, said in messages.items()]


def source(folder: Path) -> Source:
    """Return the source of *folder*; one that no converter wrote has its own name."""
    path = folder / SOURCE
    if not path.exists():
        return Source(folder.name)
    return Source(**json.loads(path.read_text(encoding="utf-8")))


def write(folder: Path, memories: Iterable[Memory], origin: Source | None = None) -> str:
    """Write *memories* into *folder*, which is created; return a line on how much that was."""
    folder.mkdir(parents=True, exist_ok=True)
    memories = list(memories)
    messages = [message for memory in memories for message in memory.messages]
    queries = [query for memory in memories for query in memory.queries]
    for name, rows in ((MESSAGES, messages), (QUERIES, queries)):
        with (folder / name).open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows)
    if origin is not None:
        (folder / SOURCE).write_text(json.dumps(asdict(origin)), encoding="utf-8")
    return f"{folder}: {len(memories)} memories, {len(messages)} messages, {len(queries)} queries"


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]
