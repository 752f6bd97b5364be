"""The texts of a memory as episodes, or as memories, of a real store: asked by the procedures."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
import neo4j

from benchmarks.stores import Bolt, Caller, Record
from benchmarks.stores import Embedded as EmbeddedStore
from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call
from concept_graph_mcp.calls.call import spoken
from concept_graph_mcp.calls.memories import Embedded
from concept_graph_mcp.worker import groups as latent
from conceptgraph_core.memories import rendering
from conceptgraph_core.recall.budgets import MAX_BUDGET
from conceptgraph_core.retrieval import groups
from conceptgraph_core.retrieval.question import speaker_terms
from conceptgraph_core.retrieval.schema import MAX_LIMIT
from conceptgraph_core.verbs.context import DEFAULT_USER
from conceptgraph_core.verbs.limits import MAX_CONTENT, MAX_INTEGER, MAX_SUMMARY

from .folder import Message, Query
from .in_memory import InMemory

_BATCH = 1_000
FILE = "sqlite:///"


class InStore:
    """The messages of a memory in a store that has nothing else."""

    def __init__(self, store: Caller, messages: Sequence[Message]) -> None:
        self._store = store
        self.numbers = {message.id: text for text, message in enumerate(messages)}
        records = list(_records(messages))
        for start in range(0, len(records), _BATCH):
            store.run(calls.transfer.import_rows(records[start : start + _BATCH]))

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
        return [self.numbers[row["episode_id"]] for row in rows]


class Ingested:
    """The messages of a memory, ingested into a store that has nothing else."""

    has_groups = False

    def __init__(self, store: Caller, messages: Sequence[Message]) -> None:
        self._store = store
        self.numbers = {message.id: text for text, message in enumerate(messages)}
        for batch in _ingested(messages):
            store.run(calls.memories.ingest(DEFAULT_USER, batch))

    def find(self, _: InMemory, query: Query, limit: int) -> list[int]:
        """Return what a search finds, as any `finders.Finder` does."""
        return [self.numbers[row["memory_id"]] for row in self.rows(query, limit)]

    def rows(self, query: Query, limit: int) -> list[Record]:
        """Return the rows of a search."""
        embedded = self._embedded(query)
        call = calls.memories.search(
            DEFAULT_USER, query.text, min(limit, MAX_LIMIT), embedded=embedded
        )
        return self._run(call, query)

    def held(self, query: Query, budgets: Sequence[int]) -> dict[int, list[int]]:
        """Return what `memory_context` holds within each of *budgets* tokens.

        It is asked once: a smaller budget only leaves out more of the same entries.
        """
        embedded = self._embedded(query)
        call = calls.memories.context(DEFAULT_USER, query.text, MAX_BUDGET, embedded)
        [row] = self._run(call, query)
        return {
            budget: [
                self.numbers[entry["memory_id"]]
                for _, entry, _ in rendering.fitting(row["entries"], budget)
            ]
            for budget in budgets
        }

    def recalled(self, query: Query) -> list[int]:
        """Return what `recall` holds; nothing where no text has enough of the question's words."""
        embedded = self._embedded(query)
        call = calls.everyday.recall(DEFAULT_USER, query.text, embedded=embedded)
        [row] = self._run(call, query)
        memories = (one["id"] for one in row["sources"] if one["kind"] == "memory")
        return [self.numbers[one] for one in memories]

    def _run(self, call: Call, query: Query) -> list[Record]:
        asked = {"asked_at": query.asked_ms} | ({"asker": query.asker} if query.asker else {})
        context = {**call.context, **asked}
        return self._store.run(call._replace(context=context), query.asked_ms)

    def _embedded(self, _: Query) -> Embedded | None:
        """Return the vector of a query, with the name of its model."""
        return None


class Grouped(Ingested):
    """The same, with the groups of words that the worker finds."""

    def __init__(self, store: Caller, messages: Sequence[Message]) -> None:
        super().__init__(store, messages)
        [state] = store.run(calls.embedding.group_scopes())
        self.has_groups = groups.wants(state["texts"], state["length"])
        if self.has_groups:
            near = _neighbours(messages)
            store.run(calls.embedding.group_terms(DEFAULT_USER, near, None, MAX_INTEGER))


def _neighbours(messages: Sequence[Message]) -> latent.Near:
    languages = spoken()
    positions: dict[str, int] = {}
    texts = []
    for message in messages:
        position = positions[message.thread] = positions.get(message.thread, -1) + 1
        texts.append(latent.Text(message.text, message.thread, position))
    speakers = {message.speaker for message in messages}
    named = {term for speaker in speakers for term in speaker_terms(speaker, languages)}
    return latent.neighbours(texts, languages, named)


def _ingested(messages: Sequence[Message]) -> Iterator[list[Record]]:
    """Iterate over *messages* as `ingest` takes them, some at once."""
    for start in range(0, len(messages), _BATCH):
        yield [
            {
                "id": message.id,
                "text": _kept(message.text, MAX_CONTENT),
                "thread": message.thread,
                "speaker": message.speaker,
                "said_at": message.time_ms,
            }
            for message in messages[start : start + _BATCH]
        ]


# The finders that need a store.
IN_STORE: dict[str, Callable[[Caller, Sequence[Message]], InStore | Ingested]] = {
    "associate, in the store": InStore,
    "memory search, in the store": Ingested,
}


def _records(messages: Sequence[Message]) -> Iterator[Record]:
    positions: dict[str, int] = {}
    for message in messages:
        position = positions[message.thread] = positions.get(message.thread, -1) + 1
        yield {
            "kind": "episode",
            "name": message.id,
            "summary": _kept(message.text, MAX_SUMMARY),
            "thread": message.thread,
            "position": position,
            "speaker": message.speaker,
            "said_at": message.time_ms,
        }


def _kept(text: str, most: int) -> str:
    """Return *text* as a store keeps it: cut where it is too long for that, and never blank."""
    # Nobody can ask for a point.
    return text[:most] if text[:most].strip() else "."


@contextmanager
def emptied(store: str) -> Iterator[Caller]:
    """Open the store of that URI with nothing in it: a new file, or a Memgraph that is emptied.

    A file is removed in the end. Raises UsageError for one that is there already.
    """
    if not store.startswith(FILE):
        with neo4j.GraphDatabase.driver(store) as driver:
            driver.execute_query("MATCH (n) DETACH DELETE n")
        opened: Caller = Bolt(store)
    else:
        path = Path(store.removeprefix(FILE))
        if path.exists():
            raise click.UsageError(f"{path}: is there already; name a new file")
        opened = EmbeddedStore(path)
    try:
        yield opened
    finally:
        opened.close()
        if store.startswith(FILE):
            for beside in ("", "-wal", "-shm"):
                path.with_name(path.name + beside).unlink(missing_ok=True)
