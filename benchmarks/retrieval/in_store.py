"""The texts of a memory as episodes of a real store: asked through the procedure."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
import neo4j

from benchmarks.stores import Bolt, Caller, Embedded, Record
from concept_graph_mcp import calls
from conceptgraph_core.associate.schema import MAX_LIMIT

from .folder import Message, Query
from .in_memory import InMemory

_BATCH = 1_000
_FILE = "sqlite:///"


class InStore:
    """The messages of a memory in a store that has nothing else."""

    def __init__(self, store: Caller, messages: Sequence[Message]) -> None:
        self._store = store
        self._numbers = {message.id: text for text, message in enumerate(messages)}
        records = list(_records(messages))
        for start in range(0, len(records), _BATCH):
            store.run(calls.keeping.import_rows(records[start : start + _BATCH]))

    def find(self, _: InMemory, query: Query, limit: int) -> list[int]:
        """Return what the procedure finds, as any `finders.Finder` does."""
        call = calls.concepts.associate(
            query.text,
            min(limit, MAX_LIMIT),
            explained=False,
            asker=query.asker or None,
            asked_at=query.asked_ms,
        )
        rows = self._store.run(call, query.asked_ms)
        return [self._numbers[row["episode_id"]] for row in rows]


def _records(messages: Sequence[Message]) -> Iterator[Record]:
    positions: dict[str, int] = {}
    for message in messages:
        position = positions[message.thread] = positions.get(message.thread, -1) + 1
        yield {
            "kind": "episode",
            "name": message.id,
            # An episode says something; of this nobody can ask.
            "summary": message.text if message.text.strip() else ".",
            "thread": message.thread,
            "position": position,
            "speaker": message.speaker,
            "said_at": message.time_ms,
        }


@contextmanager
def emptied(store: str) -> Iterator[Caller]:
    """Open the store of that URI with nothing in it: a new file, or a Memgraph that is emptied.

    A file is removed in the end. Raises UsageError for one that is there already.
    """
    if not store.startswith(_FILE):
        with neo4j.GraphDatabase.driver(store) as driver:
            driver.execute_query("MATCH (n) DETACH DELETE n")
        opened: Caller = Bolt(store)
    else:
        path = Path(store.removeprefix(_FILE))
        if path.exists():
            raise click.UsageError(f"{path}: is there already; name a new file")
        opened = Embedded(path)
    try:
        yield opened
    finally:
        opened.close()
        if store.startswith(_FILE):
            for beside in ("", "-wal", "-shm"):
                path.with_name(path.name + beside).unlink(missing_ok=True)
