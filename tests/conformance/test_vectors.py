"""Vectors of texts: the nearest, filtered before they are limited; of which embedding they are."""

import math
import random
from typing import Any

import pytest
from expect import REFUSALS
from sample_schema import MODEL, NOTE
from samples import SET_PLACE, note

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.memgraph import readiness
from concept_graph_mcp.hosts.sqlite import nearest as nearest_embedded
from conceptgraph_core.graph.cypher import nearest
from conceptgraph_core.graph.primitives import Equal, Nearest, Union, Vectored, encode

MINE = (("owner", "ann"),)
EAST = (1.0, 0.0, 0.0)


def turned(degrees: float) -> list[float]:
    """Return a vector that is so far from EAST, in numbers that 32 bits hold."""
    angle = math.radians(degrees)
    return [round(math.cos(angle) * 1024) / 1024, round(math.sin(angle) * 1024) / 1024, 0.0]


def near_east(samples: Any, limit: int, **filters: Any) -> list[str]:
    keys = samples.found(Nearest(NOTE, "place", EAST, limit, **filters))
    return [key.partition("/")[2] for key in keys]


def choose(samples: Any, name: str = "toy", dimension: int = 3, again: bool = False) -> None:
    while not samples.run(calls.embedding.choose(name, dimension, again, MODEL))[0]["chosen"]:
        assert again
    samples.portal.call(samples.store.fit_vectors)


def lacking(samples: Any, limit: int = 100, **after: tuple[str, ...]) -> list[dict[str, Any]]:
    return samples.run(calls.embedding.lacking(limit, after, MODEL))


def embed(samples: Any, rows: list[dict[str, Any]], name: str = "toy") -> int:
    return samples.run(calls.embedding.embed(name, rows, MODEL))[0]["embedded"]


@pytest.fixture(params=["helped", "alone"])
def places(request, samples, monkeypatch):
    """A store with an embedding; alone is one without the library or the module that helps it."""
    if request.param == "alone":
        monkeypatch.setattr(readiness, "_NEEDED", {"no.such.procedure"})
        monkeypatch.setattr(nearest_embedded, "_numpy", lambda: None)
    choose(samples)
    return samples


def test_a_small_scope_finds_all_of_its_own_among_many(places):
    rng = random.Random(3)
    places.add(
        *(note("bob", f"b{n}", place=turned(rng.uniform(0, 10))) for n in range(980)),
        *(note("ann", f"a{n}", place=turned(20 + n)) for n in range(20)),
    )
    assert near_east(places, 50, where=MINE) == [f"a{n}" for n in range(20)]
    assert near_east(places, 3, where=MINE) == ["a0", "a1", "a2"]


def test_a_large_scope_is_filtered_before_it_is_limited(places, monkeypatch):
    monkeypatch.setattr(nearest, "FEW", 10)
    monkeypatch.setattr(nearest, "_ASKED_FIRST", 10)
    monkeypatch.setattr(nearest, "_ASKED_THEN", 40)
    monkeypatch.setattr(nearest, "_TIMES", 1)
    places.add(
        *(note("bob", f"b{n}", place=turned(n / 10)) for n in range(60)),
        *(note("ann", f"a{n}", place=turned(10 + n), mood="calm") for n in range(20)),
    )
    assert near_east(places, 3, where=MINE) == ["a0", "a1", "a2"]
    assert near_east(places, 4) == ["b0", "b1", "b2", "b3"]
    assert near_east(places, 30, where=MINE) == [f"a{n}" for n in range(20)]
    assert near_east(places, 2, where=MINE, among=(("mood", ("calm",)),)) == ["a0", "a1"]


def test_the_nearest_are_found_together_with_others(places):
    places.add(*(note("ann", f"n{n}", place=turned(n)) for n in range(5)))
    named = Equal((NOTE,), ("owner", "title"), (("ann", "n4"), ("ann", "n1")))
    found = places.found(Union((Nearest(NOTE, "place", EAST, 2, MINE), named)))
    assert found[:2] == ["ann/n0", "ann/n1"]
    assert sorted(found) == ["ann/n0", "ann/n1", "ann/n4"]


def test_what_is_filtered_by_may_be_missing_or_one_of_a_list(places):
    places.add(
        note("ann", "plain", place=turned(1)),
        note("ann", "gone", place=turned(2), mood="gone"),
        note("ann", "calm", place=turned(3), mood="calm", themes=["sea", "sky"]),
        note("ann", "glad", place=turned(4), mood="glad", themes=["sea"]),
    )
    moods = ("mood", (None, "calm"))
    assert near_east(places, 9, among=(("mood", (None,)),)) == ["plain"]
    assert near_east(places, 9, among=(moods,)) == ["plain", "calm"]
    assert near_east(places, 1, among=(("mood", ("glad", "calm")),)) == ["calm"]
    assert near_east(places, 9, having=(("themes", ("sea", "sand")),)) == ["calm", "glad"]
    assert near_east(places, 9, among=(moods,), having=(("themes", ("sea",)),)) == ["calm"]
    assert near_east(places, 9, having=(("themes", ("sand",)),)) == []
    assert near_east(places, 9, among=(("mood", ()),)) == []


def test_what_changes_is_found_as_it_is_by_then(places):
    places.add(*(note("ann", f"n{n}", place=turned(n)) for n in range(5)))
    assert near_east(places, 2) == ["n0", "n1"]
    first = Equal((NOTE,), ("owner", "title"), (("ann", "n0"),))
    places.run(calls.Call(SET_PLACE, (turned(50), encode([first]))))
    places.add(note("ann", "n1", mood="gone"), note("ann", "new", place=turned(0.5)))
    assert near_east(places, 9, among=(("mood", (None,)),)) == ["new", "n2", "n3", "n4", "n0"]
    places.portal.call(places.store.restore, None)
    # What is deleted stays in an index until it is collected.
    assert near_east(places, 9) == []
    places.add(note("ann", "later", place=turned(3)))
    assert near_east(places, 9) == ["later"]


def test_a_question_of_another_dimension_is_near_nothing(places):
    places.add(*(note("ann", f"n{n}", place=turned(n)) for n in range(5)))
    assert places.found(Nearest(NOTE, "place", (1.0, 0.0), 9)) == []
    assert places.found(Nearest(NOTE, "place", (1.0,) * 300, 9)) == []
    assert near_east(places, 0) == []


def test_texts_that_lack_a_vector_get_one(samples):
    samples.add(note("ann", "tea"), note("bob", "tea"), note("ann", "rain"))
    choose(samples)
    assert samples.run(calls.embedding.chosen(MODEL)) == [{"model": "toy", "dimension": 3}]
    rows = lacking(samples)
    assert sorted(row["key"] for row in rows) == [["ann", "rain"], ["ann", "tea"], ["bob", "tea"]]
    assert {row["text"] for row in rows} == {"tea", "rain"}
    assert embed(samples, [row | {"vector": turned(5)} for row in rows[:2]]) == 2
    assert lacking(samples) == rows[2:]
    assert len(samples.found(Vectored(NOTE, "place", True, 9))) == 2
    dimensions = sorted(row.get("dimension", 0) for row in samples.records() if "title" in row)
    assert dimensions == [0, 3, 3]


def test_batches_of_what_lacks_a_vector_are_bounded(samples):
    owners = ("ann", "bob", "ann", "cat", "bob", "ann", "cat")
    samples.add(*(note(owner, f"n{n * 3 % 7}") for n, owner in enumerate(owners)))
    reached: Any = {}
    walked = []
    while rows := lacking(samples, 3, **reached):
        walked.append([row["key"] for row in rows])
        reached = calls.embedding.reached(reached, rows)
    assert [len(keys) for keys in walked] == [3, 3, 1]
    every = [key for keys in walked for key in keys]
    assert every == sorted(row["key"] for row in lacking(samples))
    assert len({tuple(key) for key in every}) == 7


def test_a_text_that_changed_meanwhile_gets_no_vector(samples):
    samples.add(note("ann", "tea"))
    choose(samples)
    stale = {"kind": "note", "key": ["ann", "tea"], "text": "coffee", "vector": turned(5)}
    gone = stale | {"key": ["ann", "coffee"]}
    assert embed(samples, [stale, gone]) == 0
    assert len(lacking(samples)) == 1


@pytest.mark.parametrize(
    ("vector", "line"),
    [
        ([1.0, 0.0], "the vectors of this store are of toy .3 numbers., not of toy .2."),
        ([0.0, 0.0, 0.0], "vector: must not be all zeros"),
        ([], "vector: must be a list of 1 to 16,384 numbers"),
        ("east", "vector: must be a list of numbers"),
        (["a", "b", "c"], "vector: must be a number, not text"),
        ([math.inf, 0.0, 0.0], "vector: must be between"),
    ],
)
def test_a_wrong_vector_is_refused(samples, vector, line):
    samples.add(note("ann", "tea"))
    choose(samples)
    row = {"kind": "note", "key": ["ann", "tea"], "text": "tea", "vector": vector}
    with pytest.raises(REFUSALS, match=line):
        embed(samples, [row])
    assert len(lacking(samples)) == 1


def test_vectors_of_another_embedding_are_refused_with_what_to_do(samples):
    samples.add(note("ann", "tea"))
    [row] = lacking(samples)
    row |= {"vector": turned(5)}
    with pytest.raises(REFUSALS, match="has none yet; run concept-graph-mcp embed"):
        embed(samples, [row])
    choose(samples)
    choose(samples)
    for refused in (
        lambda: embed(samples, [row], "other"),
        lambda: choose(samples, "other"),
        lambda: choose(samples, dimension=4),
    ):
        with pytest.raises(REFUSALS, match=r"are of toy \(3 numbers\), .* embed --again .* folder"):
            refused()


def test_another_embedding_begins_without_the_vectors_that_there_were(samples):
    samples.add(*(note("ann", f"n{n}", place=turned(n)) for n in range(5)))
    choose(samples)
    assert near_east(samples, 1) == ["n0"]
    choose(samples, "other", 2, again=True)
    assert samples.run(calls.embedding.chosen(MODEL)) == [{"model": "other", "dimension": 2}]
    assert near_east(samples, 9) == []
    rows = lacking(samples)
    assert embed(samples, [row | {"vector": [0.5, 0.25]} for row in rows], "other") == 5
    assert len(samples.found(Nearest(NOTE, "place", (1.0, 0.0), 9))) == 5


def test_the_embedding_goes_where_the_vectors_go(samples):
    choose(samples)
    samples.add(note("ann", "tea", place=turned(5)))
    exported = samples.records()
    assert {"kind": "embedding", "use": "texts", "model": "toy", "dimension": 3} in exported
    samples.portal.call(samples.store.restore, None)
    samples.add(*exported)
    assert samples.run(calls.embedding.chosen(MODEL)) == [{"model": "toy", "dimension": 3}]
    assert samples.add(*exported)["nodes_existing"] == 2
    other = {"kind": "embedding", "use": "texts", "model": "other", "dimension": 3}
    with pytest.raises(REFUSALS, match="row 0: embedding: model is toy here, not other"):
        samples.add(other)


def test_a_backup_from_before_all_was_embedded_anew_comes_back_with_its_vectors(samples, tmp_path):
    file = tmp_path / f"toy{samples.store.backups.suffix}"
    file.touch()
    choose(samples)
    samples.add(*(note("ann", f"n{n}", place=turned(n)) for n in range(5)))
    samples.portal.call(samples.store.backup, file)
    choose(samples, "other", 2, again=True)
    embed(samples, [row | {"vector": [0.5, 0.25]} for row in lacking(samples)], "other")
    samples.portal.call(samples.store.restore, file)
    assert samples.run(calls.embedding.chosen(MODEL)) == [{"model": "toy", "dimension": 3}]
    assert near_east(samples, 2) == ["n0", "n1"]
    assert lacking(samples) == []


def test_an_import_that_changes_a_text_leaves_it_without_its_old_vector(samples):
    samples.add(note("ann", "tea", place=turned(5), mood="calm", dimension=3))
    samples.add(note("ann", "tea", mood="calm"))
    assert lacking(samples) == []
    samples.add(note("ann", "tea", mood="glad"))
    [record] = samples.records()
    assert not record.keys() & {"place", "dimension"}
    assert [row["text"] for row in lacking(samples)] == ["tea\nglad"]


def test_who_finds_nothing_near_is_told_so_by_an_empty_list(samples):
    assert samples.found(Nearest(NOTE, "place", EAST, 9)) == []
    assert samples.run(calls.embedding.chosen(MODEL)) == []
