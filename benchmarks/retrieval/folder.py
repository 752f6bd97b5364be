"""A folder of conversations and of questions about them, as every benchmark is converted to.

`messages.jsonl`: {id, memory, thread, time_ms, speaker, text} a line, a thread's in their order.
`queries.jsonl`: {qid, memory, text, asked_ms, asker, category, gold, level}; *gold* are the ids of
what answers it: messages, or threads where *level* is "session".
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

MESSAGES = "messages.jsonl"
QUERIES = "queries.jsonl"


@dataclass(frozen=True, slots=True)
class Message:
    """What *speaker* said at *time_ms* (unix ms) in *thread*, a part of *memory*."""

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


def read(folder: Path) -> list[Memory]:
    """Return the memories of *folder*, in the order of their first message."""
    messages = [Message(**line) for line in _lines(folder / MESSAGES)]
    queries = [Query(**line | {"gold": tuple(line["gold"])}) for line in _lines(folder / QUERIES)]
    return [
        Memory(
            name,
            tuple(message for message in messages if message.memory == name),
            tuple(query for query in queries if query.memory == name),
        )
        for name in dict.fromkeys(message.memory for message in messages)
    ]


def write(folder: Path, memories: Iterable[Memory]) -> str:
    """Write *memories* into *folder*, which is created; return a line on how much that was."""
    folder.mkdir(parents=True, exist_ok=True)
    memories = list(memories)
    messages = [message for memory in memories for message in memory.messages]
    queries = [query for memory in memories for query in memory.queries]
    for name, rows in ((MESSAGES, messages), (QUERIES, queries)):
        with (folder / name).open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows)
    return f"{folder}: {len(memories)} memories, {len(messages)} messages, {len(queries)} queries"


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]
