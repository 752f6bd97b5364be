"""The tools about links as a client sees them: their results, and what they are called."""

import pytest
from talking import talking

TIME = "2025-06-15T17:06:40+02:00"


@pytest.fixture
def call(store, portal):
    with talking(portal, store, "concept", "memory") as call:
        yield call


def linked(call):
    """Keep two memories and link the first to the second; return their ids."""
    first, second = [
        call("memory_node_create", content=text)["memory_id"]
        for text in ("The roof leaks", "The ceiling is wet")
    ]
    assert call(
        "memory_node_link", source_id=first, target_id=second, type="causal", strength=0.75
    ) == {"from": first, "to": second, "type": "causes", "strength": 0.75, "created": True}
    return first, second


def brief(memory_id, text, **more):
    """Return what a list tells of a memory."""
    told = {"text": text, "source": "conversation", "tags": [], "state": "active"}
    return {"memory_id": memory_id, **told, "created_at": TIME, **more}


def test_linked_memories_are_told_with_the_way_to_them(call):
    first, second = linked(call)
    way = {"relation": "causes", "strength": 0.75}
    leaks, wet = brief(first, "The roof leaks"), brief(second, "The ceiling is wet")
    assert call("memory_node_connected", memory_id=second) == {
        "memories": [leaks | way | {"direction": "incoming"}]
    }
    assert call("memory_graph_explore", start_node_id=first) == {
        "nodes": [leaks | {"distance": 0}, wet | {"distance": 1}]
    }
    assert call("memory_traverse", start_id=first) == {
        "nodes": [
            leaks | {"depth": 0},
            wet | way | {"direction": "outgoing", "depth": 1, "via": first},
        ]
    }


def test_what_was_cut_is_said(call):
    first, second = linked(call)
    third = call("memory_node_create", content="Call the roofer")["memory_id"]
    call("memory_node_link", source_id=first, target_id=third)
    found = call("memory_node_connected", memory_id=first, limit=1)
    assert (len(found["memories"]), found["total"]) == (1, 2)
    for found in (
        call("memory_traverse", start_id=first, max_nodes=2),
        call("memory_graph_explore", start_node_id=first, max_nodes=2),
    ):
        assert (len(found["nodes"]), found["truncated"]) == (2, "max_nodes")
    found = call("memory_traverse", start_id=second, time_budget_ms=0)
    assert (len(found["nodes"]), found["truncated"]) == (1, "time_budget")


def test_figures_are_maps_by_name(call):
    first, second = linked(call)
    relations = {"causes": {"count": 1, "average_strength": 0.75}}
    assert call("memory_graph_stats") == {
        "nodes": 2,
        "edges": 1,
        "average_connections": 1.0,
        "by_state": {"active": 2, "dormant": 0, "archived": 0},
        "by_source": {"conversation": 2},
        "relations": relations,
        "isolated": 0,
    }
    found = call("memory_graph_analysis", top=1)
    [most] = found["top_connectors"]
    # Both have one link and came at one moment, so the lower id comes first.
    assert most["memory_id"] == min(first, second)
    assert (most["connections"], most["created_at"]) == (1, TIME)
    assert (found["relations"], found["average_strength"]) == (relations, 0.75)


def test_memory_graph_search_is_another_name_of_memory_traverse_and_not_listed(call):
    first, _ = linked(call)
    tools = (call.ask("list_tools")).tools
    listed = {tool.name for tool in tools}
    assert "memory_traverse" in listed
    assert "memory_graph_search" not in listed
    told = {tool.name: tool.description for tool in tools}
    assert "memory_graph_search is another name of" in told["memory_traverse"]
    walked = call("memory_traverse", start_id=first, strategy="dfs")
    assert walked == call("memory_graph_search", start_id=first, strategy="dfs")


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("memory_node_link", {"source_id": "a", "target_id": "b"}, "memory: not found: a"),
        (
            "memory_node_link",
            {"source_id": "a", "target_id": "a"},
            'link: tautology: source_id and target_id are both "a"',
        ),
        (
            "memory_node_link",
            {"source_id": "a", "target_id": "b", "strength": -1},
            "strength: Input should be greater than or equal to 0",
        ),
        ("memory_node_connected", {"memory_id": "a"}, "memory: not found: a"),
        ("memory_graph_explore", {"start_node_id": "a"}, "memory: not found: a"),
        ("memory_traverse", {"start_id": "a"}, "memory: not found: a"),
        ("memory_graph_search", {"start_id": "a"}, "memory: not found: a"),
        (
            "memory_traverse",
            {"start_id": "a", "time_budget_ms": "5"},
            "time_budget_ms: Input should be a valid integer",
        ),
        (
            "memory_traverse",
            {"start_id": "a", "max_depth": 6},
            "max_depth: Input should be less than or equal to 5",
        ),
        # The argument is named as the tool has it.
        ("memory_node_link", {"source_id": "", "target_id": "a"}, "source_id: must not be empty"),
        ("memory_node_link", {"source_id": "a", "target_id": ""}, "target_id: must not be empty"),
        ("memory_graph_explore", {"start_node_id": ""}, "start_node_id: must not be empty"),
        ("memory_traverse", {"start_id": ""}, "start_id: must not be empty"),
        (
            "memory_node_create",
            {"content": "Prefers tea", "parent_id": ""},
            "parent_id: must not be empty",
        ),
        ("episode_search", {"query": " "}, "query: must not be empty"),
        ("memory_graph_stats", {"user_id": "eve"}, "unknown argument 'user_id'; it takes none"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(call, tool, arguments, message):
    assert call(tool, **arguments) == message
