"""The sample layer over one store of each kind."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from concept_graph_mcp import calls
from conceptgraph_core.graph.primitives import encode

MODULES = Path(__file__).parent / "modules"
NOW_MS = 1_750_000_000_000

if str(MODULES) not in sys.path:
    sys.path.append(str(MODULES))

from sample_schema import MODEL  # noqa: E402

FOUND = calls.Procedure("sample_layer.found", ("key",), writes=False)
DERIVED = calls.Procedure("sample_layer.derived", ("length", "dear"), writes=False)
SET_PLACE = calls.Procedure("sample_layer.set_place", ("place",), writes=True)


def in_order(record: dict[str, Any]) -> str:
    return json.dumps(record, sort_keys=True)


class Samples:
    """The procedures of the sample layer over one store."""

    def __init__(self, store: Any, portal: Any) -> None:
        self.store = store
        self.portal = portal

    def run(self, call: calls.Call) -> list[dict[str, Any]]:
        return self.portal.call(self.store.call, call, {"now_ms": NOW_MS})

    def add(self, *rows: dict[str, Any]) -> dict[str, int]:
        return self.run(calls.transfer.import_rows(rows, MODEL))[0]

    def found(self, lookup: Any) -> list[str]:
        return [row["key"] for row in self.run(calls.Call(FOUND, (encode([lookup]),)))]

    def records(self) -> list[dict[str, Any]]:
        async def collect() -> list[dict[str, Any]]:
            return [record async for batch in self.store.stream() for record in batch]

        return sorted(self.portal.call(collect), key=in_order)

    def stats(self) -> dict[str, int]:
        return {row["measure"]: row["value"] for row in self.run(calls.transfer.stats(MODEL))}


@pytest.fixture(params=["embedded", "memgraph"])
def samples(request, tmp_path, portal) -> Iterator[Samples]:
    if request.param == "embedded":
        from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore

        store: Any = EmbeddedStore(tmp_path / "store.db", model=MODEL)
    else:
        from concept_graph_mcp.hosts.memgraph.store import BoltStore

        uri = request.getfixturevalue("empty_memgraph")
        _skip_without_the_module(uri)

        async def made() -> Any:
            return BoltStore(uri, "", "", MODEL)

        store = portal.call(made)
    portal.call(store.open)
    yield Samples(store, portal)
    portal.call(store.restore, None)
    portal.call(store.close)


def _skip_without_the_module(uri: str) -> None:
    import neo4j

    with neo4j.GraphDatabase.driver(uri) as driver, driver.session() as session:
        query = "CALL mg.procedures() YIELD name WITH name WHERE name = $name RETURN name"
        if not session.run(query, name=FOUND.name).values():
            pytest.skip(f"needs {MODULES} among the query modules of the test server")


def note(owner: str, title: str, **properties: Any) -> dict[str, Any]:
    return {"kind": "note", "owner": owner, "title": title, **properties}


def shelf(label: str) -> dict[str, Any]:
    return {"kind": "shelf", "label": label}


def standing(owner: str, title: str, label: str, **properties: Any) -> dict[str, Any]:
    ends = {"from": [owner, title], "to": label}
    return {"kind": "standing", **ends, "type": "stands-on", **properties}
