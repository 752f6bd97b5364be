"""Measure a concept of WordNet, with its relations, in memory and on disk."""

import gc
import json
import multiprocessing
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import neo4j

from concept_graph_mcp import calls

from . import wordnet
from .harness import Figure, Setup
from .plain import PlainGraph
from .stores import NOW_MS, Embedded, fill_embedded, fill_memgraph


def run(setup: Setup) -> Iterator[Figure]:
    records = wordnet.records(NOW_MS)
    concepts = sum(record["kind"] == "concept" for record in records)
    path = setup.folder / "wordnet.db"
    fill_embedded(path, records)
    lines = setup.folder / "records.jsonl"
    lines.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    ours, theirs = (
        _in_process(load, file) / concepts for load, file in ((_embedded, path), (_plain, lines))
    )
    yield Figure("embedded, everything loaded", ours, "plain dicts", theirs, unit="bytes/concept")
    on_disk = sum(file.stat().st_size for file in setup.folder.glob("wordnet.db*")) / concepts
    text = lines.stat().st_size / concepts
    yield Figure("embedded, on disk", on_disk, "the records as JSON", text, unit="bytes/concept")
    if setup.memgraph:
        taken = _memgraph(setup.memgraph, records) / concepts
        yield Figure("Memgraph, in memory", taken, "plain dicts", theirs, unit="bytes/concept")


def _in_process(load: Callable[[Path], tuple[int, object]], path: Path) -> int:
    """Return the bytes that a fresh process grows by."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_growth, (load, path))


def _growth(load: Callable[[Path], tuple[int, object]], path: Path) -> int:
    before, loaded = load(path)
    gc.collect()
    after = _resident()
    del loaded
    return after - before


def _embedded(path: Path) -> tuple[int, object]:
    store = Embedded(path)
    store.run(calls.concepts.peek(["nothing"]))
    before = _resident()
    store.run(calls.transfer.stats())
    return before, store


def _plain(path: Path) -> tuple[int, object]:
    before = _resident()
    with path.open(encoding="utf-8") as lines:
        return before, PlainGraph(json.loads(line, object_pairs_hook=_interned) for line in lines)


def _interned(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {
        sys.intern(key): sys.intern(value) if isinstance(value, str) else value
        for key, value in pairs
    }


def _memgraph(uri: str, records: list[dict[str, Any]]) -> int:
    """Return what Memgraph itself says that it took more."""
    fill_memgraph(uri, ())
    before = _tracked(uri)
    fill_memgraph(uri, records)
    return _tracked(uri) - before


def _tracked(uri: str) -> int:
    with neo4j.GraphDatabase.driver(uri) as driver, driver.session() as session:
        session.run("FREE MEMORY").consume()
        rows = session.run("SHOW STORAGE INFO").data()
    return _bytes({row["storage info"]: row["value"] for row in rows}["memory_tracked"])


def _bytes(shown: str) -> int:
    number = shown.rstrip("KMGTiB")
    power = "KMGT".find(shown[len(number) : len(number) + 1]) + 1
    return int(float(number) * 1024**power)


def _resident() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024
