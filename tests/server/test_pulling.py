"""A call says what it lacks in a line that the server reads: look-ups, and nothing legible."""

import pytest

from concept_graph_mcp.calls import memories
from concept_graph_mcp.hosts.memgraph.store import BoltStore
from conceptgraph_core.graph import primitives
from conceptgraph_core.graph.layers import Columns
from conceptgraph_core.graph.primitives import (
    Equal,
    Incoming,
    Joined,
    Nearest,
    Ordered,
    Range,
    Ranges,
    Union,
)

BY_NAME = Equal(("Memory",), ("user_id", "id"), (("ann", "né\ud83d"), ("ann", "b")))
LOOKUPS = (
    BY_NAME,
    Range(("Memory",), "said_at", -5, 10**15, (("user_id", "ann"),), 3, "id", descending=True),
    Ranges("Entity", "searched", (("a", "b"), ("c", "d")), 4),
    Ordered("Memory", "accessed_at", 7, level="arousal_level", tau_ms=1.5),
    Nearest("Memory", "embedding", (0.25, -1.0), 3, among=(("state", ("active", None)),)),
    Incoming(
        Union((BY_NAME,)), "Term", ("IN",), "count", Columns("Text", ("key",)), "name", "odd", 9
    ),
    Joined(BY_NAME, "id", "Memory", "parent_id"),
)


@pytest.mark.parametrize("lookup", LOOKUPS, ids=lambda one: type(one).__name__)
def test_a_look_up_is_read_as_it_was_asked_for(lookup):
    [read] = primitives.decode(primitives.encode([lookup]))
    assert type(read) is type(lookup)
    assert primitives.key(read) == primitives.key(lookup)


def test_equal_look_ups_have_one_key_and_others_another():
    keys = [primitives.key(one) for one in LOOKUPS]
    assert len(set(keys)) == len(LOOKUPS)
    assert primitives.key(BY_NAME._replace(values=tuple(BY_NAME.values))) == keys[0]


def test_the_line_is_ascii_and_shows_no_text():
    line = primitives.encode([Equal(("Entity",), ("name",), (("Clara Hazelnut",),))])
    assert line.isascii()
    assert "\n" not in line
    assert "Clara" not in line


def test_the_server_names_beforehand_what_a_verb_that_pulls_is_sure_to_ask_for():
    assert memories.get("m").wanted == [Equal(("Memory",), ("id",), (("m",),))]


@pytest.fixture
def rounds(empty_memgraph, portal):
    """Makes calls in a Memgraph, and returns their rows and in how many rounds they were made."""
    made = []

    class Counted(BoltStore):
        async def _round(self, *given):
            made.append(given)
            return await super()._round(*given)

    async def opened():
        store = Counted(empty_memgraph, "", "")
        await store.open()
        return store

    store = portal.call(opened)

    def call(one):
        made.clear()
        rows = portal.call(store.call, one, {"now_ms": 1_750_000_000_000, "user_id": "ann"})
        return rows, len(made)

    yield call
    portal.call(store.close)


def test_what_is_named_beforehand_takes_one_round(rounds):
    given = {
        "tags": ["tea"],
        "concepts": ["matcha", "sencha", "Kyoto", "kettle", "Uji"],
        "summary": "Her tea",
    }
    [first], many = rounds(memories.create("ann", "Lena drinks green tea", **given))
    assert many == 1
    one = first["memory_id"]
    [second], many = rounds(memories.create("ann", "Tom bakes", parent_id=one, concepts=["bread"]))
    other = second["memory_id"]
    assert many == 1
    for call in (
        memories.get(one),
        memories.update("ann", one, content="Lena drinks tea", concepts=["black tea", "Lena"]),
        memories.update("ann", other, importance=0.5),
        memories.touch([one, other]),
        memories.preserve(one),
        memories.decay_status(one),
        memories.link(one, other),
        memories.connected(one),
        memories.traverse("ann", one, include_parent_links=True),
        memories.stats("ann"),
        memories.recent("ann"),
        memories.show(one),
        memories.expired("ann"),
        memories.forget(other),
    ):
        assert rounds(call)[1] == 1, call.procedure.name
