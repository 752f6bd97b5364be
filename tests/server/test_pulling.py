"""A call says what it lacks in a line that the server reads: look-ups, and nothing legible."""

import pytest

from concept_graph_mcp.calls import memories, memory_links
from conceptgraph_core.graph import lacking
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
from conceptgraph_core.layers import Columns

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
    assert lacking.decode(lacking.encode([lookup])) == (lookup,)


def test_equal_look_ups_have_one_key_and_others_another():
    keys = [lacking.key(one) for one in LOOKUPS]
    assert len(set(keys)) == len(LOOKUPS)
    assert lacking.key(BY_NAME._replace(values=tuple(BY_NAME.values))) == keys[0]


def test_the_line_is_ascii_and_shows_no_text():
    line = lacking.encode([Equal(("Entity",), ("name",), (("Clara Hazelnut",),))])
    assert line.isascii()
    assert "\n" not in line
    assert "Clara" not in line


def test_the_server_names_beforehand_what_a_verb_that_pulls_is_sure_to_ask_for():
    assert memories.get("m").lookup is None
    assert memories.get("m").wanted == [Equal(("Memory",), ("id",), (("m",),))]
    assert memory_links.link("a", "b").lookup is None
