"""Both hosts, called directly and synchronously, and filled quickly."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import neo4j

from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call
from concept_graph_mcp.hosts.memgraph.store import BoltStore
from concept_graph_mcp.hosts.sqlite.procedure_host import Host
from conceptgraph_core.concepts import schema
from conceptgraph_core.graph.primitives import Embedded as ToEmbed
from conceptgraph_core.graph.primitives import Lacking, decode, key
from conceptgraph_core.verbs import limits

Record = dict[str, Any]
Rows = list[dict[str, Any]]

NOW_MS = 1_750_000_000_000
HOUR_MS = 3_600_000


class Caller(Protocol):
    """A store whose procedures are called at a time that the benchmark sets."""

    def run(self, call: Call, now_ms: int = NOW_MS) -> Rows: ...

    def fit_vectors(self) -> None: ...

    def close(self) -> None: ...


class Embedded:
    def __init__(self, path: Path) -> None:
        self.host = Host(path)
        self._loop = asyncio.new_event_loop()

    def run(self, call: Call, now_ms: int = NOW_MS) -> Rows:
        procedure, context = call.procedure, {**_context(now_ms), **call.context}
        while True:
            try:
                return self.host.call(procedure.name, [*call.arguments, context], procedure.fields)
            except Lacking as lacks:
                if call.embed is None:
                    raise
                wanted = [one for one in decode(str(lacks)) if isinstance(one, ToEmbed)]
                told = {
                    key(one): self._loop.run_until_complete(call.embed(one.text)) for one in wanted
                }
                context = {**context, "answers": {**context.get("answers", {}), **told}}

    def fit_vectors(self) -> None:
        """Do nothing: vectors are compared."""

    def close(self) -> None:
        self.host.close()
        self._loop.close()


class Bolt:
    def __init__(self, uri: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._store = self._loop.run_until_complete(self._opened(uri))

    def run(self, call: Call, now_ms: int = NOW_MS) -> Rows:
        return self._loop.run_until_complete(self._store.call(call, _context(now_ms)))

    def fit_vectors(self) -> None:
        self._loop.run_until_complete(self._store.fit_vectors())

    def close(self) -> None:
        self._loop.run_until_complete(self._store.close())
        self._loop.close()

    @staticmethod
    async def _opened(uri: str) -> BoltStore:
        store = BoltStore(uri, "", "")
        await store.open()
        return store


def _context(now_ms: int) -> dict[str, Any]:
    return {"now_ms": now_ms, "tau_ms": limits.DEFAULT_TAU_MS, "date": "20250615"}


def fill_embedded(path: Path, records: Iterable[Record], batch: int = 10_000) -> None:
    """Import *records* into a new store file."""
    store = Embedded(path)
    for rows in batches(records, batch):
        store.run(calls.transfer.import_rows(rows))
    store.close()


def empty_memgraph(uri: str) -> None:
    """Take everything out of the Memgraph at *uri*."""
    with neo4j.GraphDatabase.driver(uri) as driver, driver.session() as session:
        while session.run(
            "MATCH (n) WITH n LIMIT 50000 DETACH DELETE n RETURN count(*) AS gone"
        ).single(strict=True)["gone"]:
            pass
        session.run("FREE MEMORY").consume()


def fill_memgraph(uri: str, records: Iterable[Record]) -> None:
    """Empty the Memgraph at *uri* and create *records* in it: concepts and relations."""
    empty_memgraph(uri)
    with neo4j.GraphDatabase.driver(uri) as driver, driver.session() as session:
        Bolt(uri).close()  # makes the constraints and indexes
        for rows in batches(records, 20_000):
            concepts = [_concept(row) for row in rows if row["kind"] == "concept"]
            session.run("UNWIND $rows AS row CREATE (n:Concept) SET n = row", rows=concepts)
            for name, edge_type in schema.RELATION_TYPES.items():
                relations = [row for row in rows if row.get("type") == name]
                session.run(
                    "UNWIND $rows AS row MATCH (a:Concept {name: row.from})"
                    " MATCH (b:Concept {name: row.to})"
                    f" CREATE (a)-[:{edge_type} {{weight: row.weight}}]->(b)",
                    rows=relations,
                ).consume()
        # Lets the server clean up now and not during the measurement.
        session.run("FREE MEMORY").consume()


def _concept(row: Record) -> Record:
    properties = {key: value for key, value in row.items() if key != "kind"}
    return properties | schema.derive_properties(schema.CONCEPT, row)


def batches(records: Iterable[Record], size: int) -> Iterator[Sequence[Record]]:
    """Iterate over *records*, *size* at a time."""
    iterator = iter(records)
    while batch := list(islice(iterator, size)):
        yield batch
