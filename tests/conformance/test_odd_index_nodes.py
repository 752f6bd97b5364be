"""Values that Cypher by hand gave a node of the index of words stop no call, and are mended."""

import math

import pytest
from neo4j.exceptions import ClientError

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Refused
from conceptgraph_core.everyday import lines
from conceptgraph_core.retrieval import schema
from memories import MADE_MS, node

ODD = (None, 0, -1, 2**62, 1.5, math.nan, "", "a", [], ["a", 1], {"a": 1}, True)
# Memgraph 3.12 crashes once it deletes a node with NaN in an index.
INDEXED = {(one.label, name) for one in schema.LAYER.indexes for name in one.properties}
PROPERTIES = [(kind.label, one.name) for kind in schema.LAYER.nodes for one in kind.properties]
TEXTS = (
    "Daniele prefers black tea in the morning",
    "Black tea is sold at the market in Ghent",
    "The bicycle of Clara has a flat tyre",
)


@pytest.fixture
def kept(memory):
    memory.import_rows(
        [
            node(
                f"m{number}", content=text, thread="talk", position=number,
                speaker="Anna Berg", said_at=MADE_MS + number,
            )
            for number, text in enumerate(TEXTS)
        ]
    )  # fmt: skip
    return memory


def found(memory):
    """Return what a recall and a search answer."""
    recall = calls.everyday.recall("default", "What tea does Daniele prefer?", None, 1_200)
    search = calls.memories.search("default", "black tea of Anna")
    [row] = memory.run(recall, user_id="default")
    rows = memory.run(search, user_id="default")
    return lines.text(row["lines"]), [row["memory_id"] for row in rows]


def index(memory, again=False):
    """Index all as the command does."""
    while memory.run(calls.transfer.index_rest(0))[0]["indexed"]:
        pass
    memory.run(calls.transfer.index([*memory.records()], again))
    memory.run(calls.transfer.index_rest(1_000))


def problems(memory):
    return memory.run(calls.transfer.check())


@pytest.mark.slow
@pytest.mark.parametrize(("label", "name"), PROPERTIES)
def test_an_odd_value_stops_no_call_and_is_mended_by_index(kept, hands, host, label, name):
    before = found(kept)
    assert len(before[1]) >= 2
    for odd in ODD:
        is_nan = isinstance(odd, float) and math.isnan(odd)
        if is_nan and host == "memgraph" and (label, name) in INDEXED:
            continue
        ids = [one["id"] for one in hands.everything()[0] if label in one["labels"]]
        try:
            hands.set(ids[0], name, odd)
        except (Refused, ClientError):
            continue  # No store has it in an index.
        found(kept)
        told = problems(kept)
        again = calls.everyday.remember("default", "The kettle hums", (), "normal")
        kept.run(again, user_id="default")
        found(kept)
        index(kept, again=not told)
        assert problems(kept) == [], odd
        assert found(kept) == before, odd


def test_a_check_names_the_node_and_the_statement_that_mends_it(kept, hands):
    before = found(kept)
    [first, *_] = [one["id"] for one in hands.everything()[0] if "Corpus" in one["labels"]]
    hands.set(first, "texts", ["a", 1])
    [row] = problems(kept)
    assert (row["problem"], row["subject"], row["advice"]) == (
        "damaged index of words", f"Corpus with id {first}: texts", "run concept-graph-mcp index",
    )  # fmt: skip
    assert row["statement"] == "CALL conceptgraph.index() YIELD indexed;"
    kept.procedure("conceptgraph.index", [False, None], ("indexed",))
    assert problems(kept) == []
    assert found(kept) == before


def test_texts_are_found_by_what_is_not_odd(kept, hands):
    nodes = hands.everything()[0]
    for one in nodes:
        if "Corpus" in one["labels"]:
            hands.set(one["id"], "texts", 0)
        elif one.get("name") == "black":
            hands.set(one["id"], "name", {"a": 1})
    assert "Daniele" in found(kept)[0]


def test_groups_say_in_one_line_that_the_index_is_damaged(kept, hands):
    [first, *_] = [one["id"] for one in hands.everything()[0] if "Corpus" in one["labels"]]
    hands.set(first, "texts", ["a", 1])
    with pytest.raises(Refused) as failure:
        kept.run(calls.embedding.group_scopes())
    assert str(failure.value) == "the index of words is damaged; run concept-graph-mcp index"
