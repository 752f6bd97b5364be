"""The memory toolset as a client sees it: results, times, and one line for what is wrong."""

from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from mcp.client.client import Client
from test_bad_tool_input import (
    BAD_LISTS,
    BAD_NUMBERS,
    BAD_TEXTS,
    NOW_MS,
    Served,
)

from concept_graph_mcp import calls, serving
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.tools.toolsets import tools
from conceptgraph_core.verbs import limits

TOKYO = ZoneInfo("Asia/Tokyo")
CREATED = "2025-06-16T00:06:40+09:00"
# Arguments that work, "tea" being the id of a memory that is there; and those that may be null.
GOOD: dict[str, dict[str, Any]] = {
    "memory_node_create": {
        "content": "Prefers green tea",
        "source": "conversation",
        "summary": "Green tea",
        "tags": ["drinks"],
        "type": "preference",
        "importance": 0.9,
        "confidence": 0.5,
        "concepts": ["tea"],
        "parent_id": "tea",
        "metadata": {"seen": 1},
        "decay_rate": 0.02,
    },
    "memory_node_get": {"memory_id": "tea"},
    "memory_node_update": {
        "memory_id": "tea",
        "content": "Prefers black tea",
        "summary": "Black tea",
        "tags": ["drinks"],
        "type": "preference",
        "importance": 0.9,
        "confidence": 0.5,
        "metadata": {"seen": 2},
        "concepts": ["tea"],
        "source": "research",
        "parent_id": "pot",
        "decay_rate": 0.02,
    },
    "memory_node_recent": {"limit": 5, "source_filter": "conversation"},
    "memory_decay_status": {"memory_id": "tea"},
    "memory_preserve": {"memory_id": "tea", "tag": "pinned", "until": "2025-12-31"},
    "memory_node_forget": {"memory_id": "tea", "reason": "It was coffee"},
}
MAY_BE_NULL = {"summary", "type", "parent_id", "source_filter", "until", "reason", "decay_rate"}
MAY_BE_EMPTY = {("memory_node_update", one) for one in ("summary", "type", "parent_id")}
BAD_MAPS = {"a text": "seen", "a number": 5, "a list": [["seen", 1]], "a NUL": {"a": "b\0"}}
OUT_OF_RANGE: dict[str, list[Any]] = {
    "limit": [2.5, 10**30],
    "importance": [-0.1, 1.1, 10**30],
    "confidence": [-0.1, 1.1],
    "decay_rate": [10**7, 10**30],
    "memory_id": ["coffee"],
    "parent_id": ["coffee"],
    "tag": ["nice", "PINNED"],
    "until": ["soon", "2025-13-01", "2025-01-01", "2025-06-16T00:06:40"],
    "tags": [["x"] * 99 + [str(number) for number in range(100)]],
    "metadata": [{"a": [[[[[[[[1]]]]]]]]}],
}


def bad_values(tool: str, argument: str) -> dict[str, Any]:
    """Return what *argument* must not be, by a name for it."""
    good = GOOD[tool][argument]
    tables = {str: BAD_TEXTS, list: BAD_LISTS, dict: BAD_MAPS, int: BAD_NUMBERS, float: BAD_NUMBERS}
    kinds: dict[str, Any] = dict(tables[type(good)])
    if argument in MAY_BE_NULL or tool == "memory_node_update":
        # A client sends what is no number as null.
        for kind in ("null", "not a number", "infinite", "infinite below"):
            kinds.pop(kind, None)
    if (tool, argument) in MAY_BE_EMPTY:
        del kinds["empty"]
    return kinds | {f"{value!r:.30}": value for value in OUT_OF_RANGE.get(argument, [])}


CASES = [
    pytest.param(tool, {**arguments, argument: value}, id=f"{tool}-{argument}-{kind}")
    for tool, arguments in GOOD.items()
    for argument in arguments
    for kind, value in bad_values(tool, argument).items()
    if (tool, argument, kind) != ("memory_node_update", "memory_id", "null")
]


def connected(portal: Any, path: Any) -> tuple[Client, Session]:
    """Return a client of a server that has the memory tools, and its session."""

    async def made() -> tuple[Client, Session]:
        session = Session(EmbeddedStore(path), 86_400_000, TOKYO, Clock(NOW_MS), "ann")
        return Client(serving.build(session, toolsets=("memory",))), session

    return portal.call(made)


@pytest.fixture(scope="module")
def served(portal: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all cases; were one of them to change something, the others would not see."""
    connecting, session = connected(portal, tmp_path_factory.mktemp("served") / "memory.db")
    with portal.wrap_async_context_manager(connecting) as client:
        record = {"kind": "memory", "id": "tea", "user_id": "ann", "content": "Prefers tea"}
        parent = {**record, "id": "pot", "content": "A pot"}
        portal.call(session.run, calls.transfer.import_rows([record, parent]))
        made = Served(portal, client, session)
        for tool in GOOD.keys() - {"memory_node_forget"}:
            assert made.call(tool, GOOD[tool]).is_error is False
        yield made


@pytest.fixture
def fresh(portal: Any, tmp_path: Any) -> Iterator[Served]:
    connecting, session = connected(portal, tmp_path / "memory.db")
    with portal.wrap_async_context_manager(connecting) as client:
        yield Served(portal, client, session)


def test_every_lifecycle_tool_and_argument_is_among_those_that_are_tried(served):
    offered = {
        tool.name: list(tool.parameters["properties"])
        for tool in tools(served._session, ("memory",), False)
    }
    assert GOOD.keys() <= offered.keys()
    assert {tool: list(arguments) for tool, arguments in GOOD.items()} == {
        tool: offered[tool] for tool in GOOD
    }


@pytest.mark.parametrize(("tool", "arguments"), CASES)
def test_a_bad_argument_is_refused_in_one_line_and_changes_nothing(served, tool, arguments):
    served.refusal(tool, arguments)


def told(served: Served, tool: str, **arguments: Any) -> dict[str, Any]:
    result = served.call(tool, arguments)
    assert result.is_error is False, result.content
    structured: dict[str, Any] = result.structured_content
    return structured


@pytest.mark.parametrize("at", [-limits.MAX_TIME_MS, -1, limits.MAX_TIME_MS])
def test_a_time_that_no_calendar_has_is_the_nearest_that_it_has(fresh, portal, at):
    record = {"kind": "memory", "id": "tea", "user_id": "ann", "content": "Prefers tea"}
    old = [record | {"created_at": at, "accessed_at": at}]
    portal.call(fresh._session.run, calls.transfer.import_rows(old))
    shown = {
        -limits.MAX_TIME_MS: "0001-01-03T09:18:59+09:18:59",
        -1: "1970-01-01T08:59:59+09:00",
        limits.MAX_TIME_MS: "9999-12-31T09:00:00+09:00",
    }[at]
    [row] = told(fresh, "memory_node_recent")["memories"]
    assert row["created_at"] == shown
    reading = {
        "memory_graph_explore": {"start_node_id": "tea"},
        "memory_node_get": {"memory_id": "tea"},
        "memory_decay_status": {"memory_id": "tea"},
    }
    for tool, arguments in reading.items():
        assert told(fresh, tool, **arguments)


@pytest.mark.parametrize("content", ["null", '["b"]', '{"a": 1}'])
def test_a_content_that_looks_like_json_is_a_text_like_any_other(fresh, content):
    made = told(fresh, "memory_node_create", content="Prefers tea", summary=content)
    memory_id = made["memory_id"]
    changed = told(fresh, "memory_node_update", memory_id=memory_id, content=content)
    assert changed["content"] == content
    whole = told(fresh, "memory_node_get", memory_id=memory_id)
    assert (whole["content"], whole["summary"]) == (content, content)


def test_a_memory_lives_through_all_tools(fresh):
    made = told(fresh, "memory_node_create", content="Prefers tea", concepts=["tea"])
    memory_id = made["memory_id"]
    assert made == {
        "memory_id": memory_id,
        "state": "active",
        "decay_score": 0.7,
        "concepts": ["tea"],
    }
    whole = told(fresh, "memory_node_get", memory_id=memory_id)
    # What there is not is left out, and times have the zone of the server.
    assert whole.keys().isdisjoint({"summary", "type", "parent_id"})
    assert (whole["created_at"], whole["accessed_at"]) == (CREATED, CREATED)
    assert whole["access_count"] == 1
    changed = told(fresh, "memory_node_update", memory_id=memory_id, summary="Tea", tags=["a"])
    assert (changed["summary"], changed["tags"], changed["access_count"]) == ("Tea", ["a"], 1)
    brief = {
        "memory_id": memory_id,
        "text": "Tea",
        "source": "conversation",
        "tags": ["a"],
        "state": "active",
        "created_at": CREATED,
    }
    assert told(fresh, "memory_node_recent") == {"memories": [brief]}
    status = told(fresh, "memory_decay_status", memory_id=memory_id)
    assert (status["state"], status["next_state"], status["preserved"]) == (
        *("active", "dormant"),
        False,
    )
    # 0.7 · e^(−0.01 d) + 0.1 · ln 2 is 0.5 after 48.56 days.
    assert status["next_state_at"] == "2025-08-03T13:47:51+09:00"
    kept = told(fresh, "memory_preserve", memory_id=memory_id, until="2025-06-20")
    # A day is over when it is over where the server is.
    assert kept["preserved_until"] == "2025-06-21T00:00:00+09:00"
    assert "next_state_at" in kept
    kept = told(fresh, "memory_preserve", memory_id=memory_id)
    assert "next_state" not in kept
    gone = told(fresh, "memory_node_forget", memory_id=memory_id, reason="It was coffee")
    assert gone == {"memory_id": memory_id, "deleted_at": CREATED}
    again = fresh.call("memory_node_get", {"memory_id": memory_id})
    assert again.is_error
    assert again.content[0].text == f"memory: not found: {memory_id}"
    assert told(fresh, "memory_node_recent") == {"memories": []}


def test_recent_says_how_many_there_are_where_it_was_cut(fresh):
    for content in ("tea", "coffee"):
        told(fresh, "memory_node_create", content=content)
    assert told(fresh, "memory_node_recent", limit=1)["total"] == 2
    assert "total" not in told(fresh, "memory_node_recent", limit=2)


@pytest.mark.parametrize(
    ("until", "expected"),
    [
        ("2025-06-20T12:00", "2025-06-20T12:00:00+09:00"),
        ("2025-06-20T12:00:00Z", "2025-06-20T21:00:00+09:00"),
        (" 2025-06-20 ", "2025-06-21T00:00:00+09:00"),
        ("20250620", "2025-06-21T00:00:00+09:00"),
        # For ever is as far as times go.
        ("9999-12-31", "9999-12-31T09:00:00+09:00"),
        ("9999-12-31T23:59:59Z", "9999-12-31T09:00:00+09:00"),
    ],
)
def test_a_time_is_one_in_the_zone_of_the_server_unless_it_says_otherwise(fresh, until, expected):
    memory_id = told(fresh, "memory_node_create", content="tea")["memory_id"]
    kept = told(fresh, "memory_preserve", memory_id=memory_id, until=until)
    assert kept["preserved_until"] == expected
