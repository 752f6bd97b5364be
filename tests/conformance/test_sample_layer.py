"""A layer is a declaration: one that nothing but this file names is kept like every other."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from expect import REFUSALS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from concept_graph_mcp import calls
from concept_graph_mcp.calls.lookups import Equal, Nearest, Ordered, Range

MODULES = Path(__file__).parent / "modules"
NOW_MS = 1_750_000_000_000

if str(MODULES) not in sys.path:
    sys.path.append(str(MODULES))

from sample_schema import LAYER, MODEL, NOTE, SHELF  # noqa: E402

FOUND = calls.Procedure("sample_layer.found", ("key",), writes=False)
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
        return self.run(calls.keeping.import_rows(rows, MODEL))[0]

    def found(self, lookup: Any) -> list[str]:
        return [row["key"] for row in self.run(calls.Call(FOUND, (), lookup))]

    def records(self) -> list[dict[str, Any]]:
        async def collect() -> list[dict[str, Any]]:
            return [record async for batch in self.store.stream() for record in batch]

        return sorted(self.portal.call(collect), key=in_order)

    def stats(self) -> dict[str, int]:
        return {row["measure"]: row["value"] for row in self.run(calls.keeping.stats(MODEL))}


@pytest.fixture(params=["embedded", "memgraph"])
def samples(request, tmp_path, portal) -> Iterator[Samples]:
    if request.param == "embedded":
        from concept_graph_mcp.stores.embedded.store import EmbeddedStore

        store: Any = EmbeddedStore(tmp_path / "store.db", model=MODEL)
    else:
        from concept_graph_mcp.stores.bolt.store import BoltStore

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


LIVED = [
    note("ann", "tea", worth=0.75, made_at=5, place=[0.5, -0.25]),
    note("ann", "rain", worth=0.5, made_at=7),
    note("bob", "tea", worth=0.25, made_at=6),
    shelf("oak"),
    standing("ann", "tea", "oak", firmness=0.5),
    standing("bob", "tea", "oak", firmness=0.25),
]


def test_its_records_are_imported_exported_and_counted(samples):
    assert samples.add(*LIVED) == {
        "nodes_created": 4,
        "nodes_existing": 0,
        "relations_created": 2,
        "relations_existing": 0,
    }
    assert samples.records() == sorted(LIVED, key=in_order)
    counted = {"notes": 3, "shelves": 1, "stands-on": 2, "newest_accessed_at": 0}
    assert samples.stats() == counted
    assert samples.add(*LIVED)["nodes_existing"] == 4
    assert samples.records() == sorted(LIVED, key=in_order)


def test_what_a_record_leaves_out_starts_as_declared(samples):
    samples.add(note("ann", "tea"), shelf("oak"), standing("ann", "tea", "oak"))
    assert samples.records() == sorted(
        [
            note("ann", "tea", worth=0.5, made_at=NOW_MS),
            shelf("oak"),
            standing("ann", "tea", "oak", firmness=0.25),
        ],
        key=in_order,
    )


@pytest.mark.parametrize(
    "bad",
    [
        note("ann", " "),
        note("ann", "tea", worth=2),
        {"kind": "note", "title": "tea"},
        standing("ann", "nothing", "oak"),
        standing("ann", "tea", "nothing"),
        {"kind": "standing", "from": "ann", "to": "oak", "type": "stands-on"},
        {"kind": "standing", "from": ["ann", "tea"], "to": "oak", "type": "is-a"},
        {"kind": "concept", "name": "apple"},
    ],
)
def test_a_wrong_record_is_refused_with_its_number(samples, bad):
    samples.add(*LIVED)
    with pytest.raises(REFUSALS, match="row 1: "):
        samples.add(note("ann", "new"), bad)
    assert samples.records() == sorted(LIVED, key=in_order)


def test_what_it_does_not_expect_is_reported(samples):
    samples.add(*LIVED)
    assert samples.run(calls.keeping.check(MODEL)) == []


def test_a_backup_brings_all_of_it_back(samples, tmp_path):
    samples.add(*LIVED)
    file = tmp_path / f"samples{samples.store.backups.suffix}"
    file.touch()
    written = samples.portal.call(samples.store.backup, file)
    assert (written.contents.nodes, written.contents.relations) == ({"notes": 3, "shelves": 1}, 2)
    samples.portal.call(samples.store.restore, None)
    assert samples.records() == []
    samples.add(note("eve", "late"))
    samples.portal.call(samples.store.restore, file)
    assert samples.records() == sorted(LIVED, key=in_order)
    # Its indexes are back too.
    assert samples.found(Equal((NOTE,), ("owner", "title"), (("bob", "tea"),))) == ["bob/tea"]
    assert samples.found(Equal((NOTE,), ("owner", "title"), (("eve", "late"),))) == []


def test_it_is_found_by_its_indexes(samples):
    samples.add(*LIVED)
    both = (("ann", "tea"), ("bob", "tea"), ("bob", "rain"))
    assert sorted(samples.found(Equal((NOTE,), ("owner", "title"), both))) == ["ann/tea", "bob/tea"]
    assert samples.found(Equal((SHELF,), ("label",), (("oak",), ("elm",)))) == ["oak"]
    mine = (("owner", "ann"),)
    assert samples.found(Range((NOTE,), "made_at", 6, 9, mine)) == ["ann/rain"]
    assert samples.found(Range((NOTE,), "made_at", 0, 9, mine, 1)) == ["ann/tea"]
    assert samples.found(Ordered(NOTE, "made_at", 2, where=mine)) == ["ann/rain", "ann/tea"]
    assert samples.found(Ordered(NOTE, "made_at", 1, where=mine)) == ["ann/rain"]


def test_a_key_of_two_properties_is_unique_in_its_scope_only(samples):
    samples.add(note("ann", "tea"), note("bob", "tea"))
    assert samples.stats()["notes"] == 2
    assert samples.add(note("ann", "tea", worth=1))["nodes_existing"] == 1
    assert samples.stats()["notes"] == 2


def test_a_vector_is_a_list_of_floats_and_nothing_else(samples):
    samples.add(*LIVED)
    tea = Equal((NOTE,), ("owner", "title"), (("ann", "tea"),))
    assert samples.run(calls.Call(SET_PLACE, ([1.0, 0.5],), tea)) == [{"place": [1.0, 0.5]}]
    kept = [row for row in samples.records() if row.get("owner") == "ann" and "place" in row]
    assert [row["place"] for row in kept] == [[1.0, 0.5]]


def test_the_nearest_are_found_within_their_scope(samples):
    samples.add(
        note("ann", "east", place=[1.0, 0.0]),
        note("ann", "north", place=[0.0, 2.0]),
        note("ann", "nowhere", place=[0.0, 0.0]),
        note("ann", "placeless"),
        note("ann", "elsewhere", place=[1.0, 0.0, 0.0]),
        note("bob", "east", place=[3.0, 0.25]),
    )
    mine = (("owner", "ann"),)
    assert samples.found(Nearest(NOTE, "place", (0.75, 0.25), 9, mine)) == ["ann/east", "ann/north"]
    assert samples.found(Nearest(NOTE, "place", (0.25, 0.75), 1, mine)) == ["ann/north"]
    assert samples.found(Nearest(NOTE, "place", (0.9, 0.25), 2)) == ["bob/east", "ann/east"]
    assert samples.found(Nearest(NOTE, "place", (0.0, 0.0), 2)) == []


OWNERS = st.sampled_from(["ann", "bob", "eve"])
TITLES = st.sampled_from(["tea", "rain", "snow", "Tea", "tea/rain"])
NOTES = st.lists(st.tuples(OWNERS, TITLES, st.integers(0, 9)), max_size=12)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(notes=NOTES, owner=OWNERS, first=st.integers(0, 9), limit=st.integers(1, 4))
def test_nothing_crosses_a_scope(samples, notes, owner, first, limit):
    samples.portal.call(samples.store.restore, None)
    samples.add(*(note(who, title, made_at=made_at) for who, title, made_at in notes))
    last = {(who, title): made_at for who, title, made_at in notes}
    own = {title: made_at for (who, title), made_at in last.items() if who == owner}
    mine = (("owner", owner),)
    within = samples.found(Range((NOTE,), "made_at", first, 10, mine))
    assert sorted(within) == sorted(f"{owner}/{title}" for title, at in own.items() if at >= first)
    latest = samples.found(Ordered(NOTE, "made_at", limit, where=mine))
    times = [own[key.split("/", 1)[1]] for key in latest]
    assert times == sorted(own.values(), reverse=True)[:limit]
    keys = tuple((owner, title) for _, title, _ in notes)
    assert all(
        key.startswith(f"{owner}/")
        for key in samples.found(Equal((NOTE,), ("owner", "title"), keys))
    )


def test_the_declaration_is_the_only_place_that_names_it():
    root = Path(__file__).parents[2]
    places = [*(root / "server").rglob("*.py"), *(root / "query_modules").rglob("*.py")]
    assert len(places) > 50
    words = (*LAYER.labels, "stands-on", "STANDS_ON", "sample_layer")
    naming = [
        path for path in places if any(word in path.read_text(encoding="utf-8") for word in words)
    ]
    assert naming == []
