"""A layer is a declaration: one that nothing but this file names is kept like every other."""

from pathlib import Path

import pytest
from expect import REFUSALS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sample_schema import LAYER, MODEL, NOTE, SHELF
from samples import DERIVED, NOW_MS, SET_PLACE, in_order, note, shelf, standing
from tests.examples import limit_examples

from concept_graph_mcp import calls
from conceptgraph_core.graph.primitives import Equal, Last, Nearest, Ordered, Range, encode

LIVED = [
    note("ann", "tea", worth=0.75, made_at=5, place=[0.5, -0.25], dimension=2),
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
    counted = {"notes": 3, "shelves": 1, "stands-on": 2, "near": 0, "newest_accessed_at": 0}
    assert samples.stats() == counted
    assert samples.add(*LIVED)["nodes_existing"] == 4
    assert samples.records() == sorted(LIVED, key=in_order)


def test_an_edge_may_come_from_kinds_that_share_no_name_space(samples):
    near = {"kind": "standing", "to": "oak", "type": "near"}
    lived = [
        *(note("ann", "tea", worth=0.5, made_at=7), shelf("oak"), shelf("elm")),
        near | {"from": ["ann", "tea"], "from_kind": "note"},
        near | {"from": "elm", "from_kind": "shelf"},
    ]
    samples.add(*lived)
    assert samples.records() == sorted(lived, key=in_order)
    # A key that only one of them can have, or has, says it by itself.
    again = [{key: value for key, value in row.items() if key != "from_kind"} for row in lived]
    assert samples.add(*again)["relations_existing"] == 2
    for wrong in ({"from_kind": "book"}, {"from_kind": "note"}, {"from": "ash"}):
        with pytest.raises(REFUSALS, match="row 0: from"):
            samples.add(near | {"from": "elm"} | wrong)


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


def test_what_follows_from_its_properties_follows_them(samples):
    lookup = Equal((NOTE,), ("owner", "title"), (("ann", "tea"),))
    for worth, dear in ((0.25, False), (0.75, True), (0.25, False)):
        samples.add(note("ann", "tea", worth=worth))
        assert samples.run(calls.Call(DERIVED, (encode([lookup]),))) == [
            {"length": 3, "dear": dear}
        ]


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
    assert samples.run(calls.transfer.check(MODEL)) == []


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
    last = samples.found(Last(NOTE, "owner", ("ann", "eve", "bob"), "made_at", 1))
    assert sorted(last) == ["ann/rain", "bob/tea"]
    assert len(samples.found(Last(NOTE, "owner", ("ann", "bob"), "made_at", 2))) == 3


def test_a_limit_leaves_the_same_of_equals_on_every_host(samples):
    titles = ["tea", "rain", "snow", "ice", "hail", "fog", "wind", "dew"]
    for title in titles:
        samples.add(note("ann", title, made_at=7))
    samples.add(note("bob", "sun", made_at=9), note("bob", "moon", made_at=9))
    mine = (("owner", "ann"),)
    latest = samples.found(Ordered(NOTE, "made_at", 3, where=mine))
    assert latest == ["ann/dew", "ann/wind", "ann/fog"]
    last = samples.found(Last(NOTE, "owner", ("ann", "bob"), "made_at", 1))
    assert sorted(last) == ["ann/dew", "bob/moon"]


def test_a_key_of_two_properties_is_unique_in_its_scope_only(samples):
    samples.add(note("ann", "tea"), note("bob", "tea"))
    assert samples.stats()["notes"] == 2
    assert samples.add(note("ann", "tea", worth=1))["nodes_existing"] == 1
    assert samples.stats()["notes"] == 2


def test_a_vector_is_a_list_of_floats_and_nothing_else(samples):
    samples.add(*LIVED)
    tea = Equal((NOTE,), ("owner", "title"), (("ann", "tea"),))
    assert samples.run(calls.Call(SET_PLACE, ([1.0, 0.5], encode([tea])))) == [
        {"place": [1.0, 0.5]}
    ]
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
    max_examples=limit_examples(25),
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
