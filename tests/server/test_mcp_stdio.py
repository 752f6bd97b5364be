"""The server as a client meets it: over stdio, on the embedded store."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from embedded_files import assert_sound, copy_without_words
from locked_bolt import locked
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from server_processes import DEADLINE_S, END_S, StdioServer, server_environment
from tcp_proxy import closed_port

from concept_graph_mcp.errors import StoreError
from concept_graph_mcp.hosts.sqlite import cancellation
from concept_graph_mcp.hosts.sqlite.procedure_host import Host
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.hosts.sqlite.tables import FORMAT

INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    b'"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}\n'
)
NOW_MS = 1_750_000_000_000  # 2025-06-15T15:06:40Z, in Tokyo the next day
LAST_MS = 253_402_300_799_000  # 9999-12-31T23:59:59Z

LAST_KNOWN_MS = 253_402_214_400_000  # a day before, when all zones still have a date

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
MAYBE_TEXT = {"anyOf": [TEXT, {"type": "null"}], "default": None}
# name: (arguments, those that are required, result fields, those that are always there, hints)
READS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True}
ADDS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False}
TOOLS: dict[str, tuple[dict[str, Any], list[str], list[str], list[str], dict[str, bool]]] = {
    "concept_search": (
        {
            "keywords": {**TEXTS, "maxItems": 100, "default": []},
            "limit": {"type": "integer", "minimum": 1, "maximum": 200, "default": 50},
        },
        [],
        ["concepts", "matched"],
        ["concepts", "matched"],
        READS,
    ),
    "episode_search": (
        {
            "query": TEXT,
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 10},
            "asker": MAYBE_TEXT,
            "asked_at": MAYBE_TEXT,
        },
        ["query"],
        ["episodes", "unindexed", "advice"],
        ["episodes"],
        READS,
    ),
    "recall_query": (
        {
            "seeds": TEXTS,
            "max_hop": {"type": "integer", "minimum": 0, "maximum": 10},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1_000_000, "default": 30},
            "each_episode_once": {"type": "boolean", "default": False},
        },
        ["seeds", "max_hop"],
        ["propositions", "total", "unknown", "advice"],
        ["propositions"],
        ADDS,
    ),
    "concept_upsert": (
        {"concept": TEXT},
        ["concept"],
        ["concept_id", "created"],
        ["concept_id", "created"],
        {**ADDS, "idempotentHint": True},
    ),
    "relation_add": (
        {
            "from": TEXT,
            "to": TEXT,
            "type": {"type": "string", "enum": ["is-a", "part-of", "evokes"]},
        },
        ["from", "to", "type"],
        ["from", "to", "type"],
        ["from", "to", "type"],
        ADDS,
    ),
    "episode_add": (
        {"summary": TEXT, "concepts": {**TEXTS, "minItems": 1}},
        ["summary", "concepts"],
        ["episode_id", "linked_concepts", "valence"],
        ["episode_id", "linked_concepts", "valence"],
        ADDS,
    ),
    "update_affect": (
        {"target": TEXT, "valence_delta": {"type": "number", "minimum": -1, "maximum": 1}},
        ["target", "valence_delta"],
        ["concept_id", "episode_id", "valence", "arousal", "accessed_at"],
        ["valence", "arousal", "accessed_at"],
        {**ADDS, "destructiveHint": True},
    ),
}
SET_TIME = (
    {"now_ms": {"type": "number", "maximum": LAST_KNOWN_MS}},
    ["now_ms"],
    ["now_ms", "reset"],
    ["now_ms", "reset"],
    {**ADDS, "idempotentHint": True},
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture(scope="module")
def shared_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared") / "memory.db"


@pytest.fixture(scope="module")
def shared_server(shared_path: Path) -> Iterator[StdioServer]:
    with StdioServer("--embedded", str(shared_path), "--enable-set-time") as server:
        server.initialize()
        yield server


@pytest.fixture
def server(shared_server: StdioServer, shared_path: Path, portal: Any) -> StdioServer:
    """A server whose clock can be stopped and runs, on an empty store."""
    assert shared_server.process.poll() is None, "another test has ended the server"
    store = EmbeddedStore(shared_path)
    portal.call(store.open)
    portal.call(store.restore, None)
    portal.call(store.close)
    ok(shared_server.call("set_time", now_ms=0))
    return shared_server


def ok(result: dict[str, Any]) -> dict[str, Any]:
    """Return what a call returned, the same as data and as text."""
    assert result["isError"] is False, result
    (content,) = result["content"]
    assert content["type"] == "text"
    assert json.loads(content["text"]) == result["structuredContent"]
    structured: dict[str, Any] = result["structuredContent"]
    return structured


def refusal(result: dict[str, Any]) -> str:
    assert result["isError"] is True, result
    (content,) = result["content"]
    text: str = content["text"]
    assert "\n" not in text
    return text


# What is offered


def listed(portal: Any, path: Path, *options: str) -> list[dict[str, Any]]:
    """Return the tools as the SDK's own client gets them."""

    async def tools() -> list[dict[str, Any]]:
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "concept_graph_mcp", "--embedded", str(path), *options],
            env=server_environment(),
        )
        with Path(os.devnull).open("w") as errors:
            async with Client(stdio_client(parameters, errlog=errors)) as client:
                found = (await client.list_tools()).tools
        return [tool.model_dump(by_alias=True, exclude_none=True) for tool in found]

    result: list[dict[str, Any]] = portal.call(tools)
    return result


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "expected"),
    [([], TOOLS), (["--enable-set-time"], {**TOOLS, "set_time": SET_TIME})],
    ids=["plain", "with set_time"],
)
def test_the_tools_are_listed_in_order_with_their_whole_contract(portal, path, options, expected):
    tools = listed(portal, path, *options)
    assert [tool["name"] for tool in tools] == list(expected)
    for tool in tools:
        arguments, required, fields, always, hints = expected[tool["name"]]
        given = tool["inputSchema"]
        assert list(given["properties"]) == list(arguments)
        for name, schema in arguments.items():
            assert given["properties"][name].items() >= schema.items()
            assert given["properties"][name]["description"]
        assert given.get("required", []) == required
        assert given["additionalProperties"] is False
        assert list(tool["outputSchema"]["properties"]) == fields
        assert tool["outputSchema"]["required"] == always
        assert tool["annotations"] == {**hints, "openWorldHint": False}
        assert tool["title"]
        assert tool["description"]
        assert "\n" not in tool["description"]
    assert listed(portal, path, *options) == tools


def test_every_limit_in_a_schema_is_one_that_is_accepted(server):
    tools = server.request("tools/list", {})["result"]["tools"]
    valid: dict[str, dict[str, Any]] = {
        "concept_search": {"keywords": []},
        "episode_search": {"query": "apples"},
        "recall_query": {"seeds": ["apple"], "max_hop": 1},
        "update_affect": {"target": "apple", "valence_delta": 0},
        "set_time": {},
    }
    tried = 0
    for tool in tools:
        for name, schema in tool["inputSchema"]["properties"].items():
            for bound in ("minimum", "maximum"):
                if bound in schema:
                    tried += 1
                    arguments = valid[tool["name"]] | {name: schema[bound]}
                    ok(server.call(tool["name"], **arguments))
    assert tried >= 6


@pytest.mark.slow
def test_what_no_question_finds_yet_is_said_with_every_answer_until_it_is_mended(path):
    copy_without_words(path)
    shared = {"CONCEPT_GRAPH_CONCEPTS": "shared"}
    with StdioServer("--embedded", str(path), environment=shared) as server:
        server.initialize()
        lacking = {"unindexed": 5, "advice": "run concept-graph-mcp index"}
        assert ok(server.call("episode_search", query="apples")) == {"episodes": [], **lacking}
        server.call("episode_add", summary="Apples again", concepts=["lunch"])
        answer = ok(server.call("episode_search", query="apples"))
        assert [row["summary"] for row in answer["episodes"]] == ["Apples again"]
        assert answer.items() >= lacking.items()
        command = [sys.executable, "-m", "concept_graph_mcp", f"--embedded={path}", "index"]
        subprocess.run(command, check=True, env=server_environment(shared))
        for _ in range(2):
            answer = ok(server.call("episode_search", query="apples"))
            assert len(answer["episodes"]) == 2
            assert list(answer) == ["episodes"]


@pytest.mark.slow
def test_the_server_introduces_itself(path):
    with StdioServer("--embedded", str(path)) as server:
        told = server.initialize()
        assert told["serverInfo"]["name"] == "concept-graph-mcp"
        assert told["serverInfo"]["version"]
        assert "recall_query" in told["instructions"]


# What comes back


def test_results_have_the_fields_of_the_contract_and_no_others(server):
    ok(server.call("set_time", now_ms=NOW_MS))
    assert ok(server.call("concept_upsert", concept="apple")) == {
        "concept_id": "apple",
        "created": True,
    }
    assert ok(server.call("concept_upsert", concept="apple")) == {
        "concept_id": "apple",
        "created": False,
    }
    assert ok(server.call("update_affect", target="apple", valence_delta=0.75)) == {
        "concept_id": "apple",
        "valence": 0.75,
        "arousal": 0.75,
        "accessed_at": NOW_MS,
    }
    relation = {"from": "apple", "to": "fruit", "type": "is-a"}
    assert ok(server.call("relation_add", **relation)) == relation
    assert ok(server.call("relation_add", **relation)) == relation
    episode = {"summary": "Bought apples at the market", "concepts": ["apple", "market"]}
    assert ok(server.call("episode_add", **episode)) == {
        "episode_id": "20250616/apple",
        "linked_concepts": ["apple", "market"],
        "valence": 0.0,
    }
    assert ok(server.call("update_affect", target="20250616/apple", valence_delta=-1)) == {
        "episode_id": "20250616/apple",
        "valence": -1.0,
        "arousal": 1.0,
        "accessed_at": NOW_MS,
    }
    assert ok(server.call("concept_search", keywords=["FRU"])) == {
        "concepts": ["fruit", "apple", "market"],
        "matched": 1,
    }
    assert ok(server.call("recall_query", seeds=["apple"], max_hop=1)) == {
        "propositions": [
            {
                "text": "apple evokes Bought apples at the market",
                "score": 1.0,
                "valence": -1.0,
                "episode_id": "20250616/apple",
            },
            {"text": "apple is-a fruit", "score": 0.1, "valence": 0.0},
        ]
    }


def test_the_total_is_there_only_when_something_was_cut(server):
    for number in range(4):
        ok(server.call("relation_add", **{"from": "apple", "to": f"{number}", "type": "evokes"}))
    cut = ok(server.call("recall_query", seeds=["apple"], max_hop=1, limit=3))
    assert list(cut) == ["propositions", "total"]
    assert len(cut["propositions"]) == 3
    assert cut["total"] == 4
    for limits in ({"limit": 4}, {"limit": 5}, {}):
        whole = ok(server.call("recall_query", seeds=["apple"], max_hop=1, **limits))
        assert list(whole) == ["propositions"]
        assert len(whole["propositions"]) == 4
    assert ok(server.call("recall_query", seeds=["apple"], max_hop=0)) == {"propositions": []}


def test_seeds_that_are_unknown_are_told_with_names_like_them_only_when_there_are_any(server):
    ok(server.call("relation_add", **{"from": "Crème", "to": "dessert", "type": "is-a"}))
    recalled = ok(server.call("recall_query", seeds=["creme", "dessert", "nobody"], max_hop=1))
    assert list(recalled) == ["propositions", "unknown"]
    assert recalled["unknown"] == [
        {"seed": "creme", "similar": ["Crème"]},
        {"seed": "nobody", "similar": []},
    ]
    assert list(ok(server.call("recall_query", seeds=["dessert"], max_hop=1))) == ["propositions"]
    assert ok(server.call("recall_query", seeds=["nobody"], max_hop=1)) == {
        "propositions": [],
        "unknown": [{"seed": "nobody", "similar": []}],
    }


def test_a_recall_is_of_thirty_propositions_unless_said_otherwise(server):
    for number in range(35):
        relation = {"from": "hub", "to": f"n{number}", "type": "is-a"}
        ok(server.call("relation_add", **relation))
    recalled = ok(server.call("recall_query", seeds=["hub"], max_hop=1))
    assert (len(recalled["propositions"]), recalled["total"]) == (30, 35)
    for limit in (35, 1_000_000, 2**62):
        whole = ok(server.call("recall_query", seeds=["hub"], max_hop=1, limit=limit))
        assert len(whole["propositions"]) == 35


def test_each_episode_can_be_had_once(server):
    for summary in ("One", "Two"):
        ok(server.call("episode_add", summary=summary, concepts=["a", "b", "c"]))
    arguments = {"seeds": ["a"], "max_hop": 2}
    assert len(ok(server.call("recall_query", **arguments))["propositions"]) == 6
    once = ok(server.call("recall_query", **arguments, each_episode_once=True))
    assert [said["text"] for said in once["propositions"]] == ["a evokes One", "a evokes Two"]


def test_a_search_without_keywords_lists_the_most_aroused(server):
    ok(server.call("concept_upsert", concept="apple"))
    assert ok(server.call("concept_search")) == {"concepts": ["apple"], "matched": 0}


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "size"), [(-5, 1), (0, 1), (200, 200), (201, 200), (2**62, 200)])
def test_a_limit_of_a_search_beyond_its_bounds_counts_as_the_nearest(server, limit, size):
    for number in range(210):
        ok(server.call("concept_upsert", concept=f"apple {number}"))
    assert len(ok(server.call("concept_search", limit=limit))["concepts"]) == size


def test_numbers_of_a_result_say_what_they_mean(server):
    tools = server.request("tools/list", {})["result"]["tools"]
    schemas = {tool["name"]: tool["outputSchema"] for tool in tools}
    proposition = schemas["recall_query"]["$defs"]["Proposition"]["properties"]
    meant = {
        "score": proposition["score"],
        "valence": proposition["valence"],
        "total": schemas["recall_query"]["properties"]["total"],
        "matched": schemas["concept_search"]["properties"]["matched"],
        **{key: schemas["update_affect"]["properties"][key] for key in ("arousal", "accessed_at")},
    }
    assert [name for name, schema in meant.items() if not schema.get("description")] == []
    assert "-1" in meant["valence"]["description"]
    assert "arousal" in meant["score"]["description"]


def test_every_number_that_can_be_asked_for_has_its_bounds_in_the_schema(server):
    tools = server.request("tools/list", {})["result"]["tools"]
    unbounded = [
        (tool["name"], name, bound)
        for tool in tools
        for name, schema in tool["inputSchema"]["properties"].items()
        for bound in ("minimum", "maximum")
        if schema.get("type") in ("integer", "number") and bound not in schema
    ]
    # Any time of 0 or less lets the clock run.
    assert unbounded == [("set_time", "now_ms", "minimum")]


def test_a_host_is_offered_a_prompt(server):
    (prompt,) = server.request("prompts/list", {})["result"]["prompts"]
    assert (prompt["name"], bool(prompt["title"]), bool(prompt["description"])) == (
        "use_memory",
        True,
        True,
    )
    answer = server.request("prompts/get", {"name": "use_memory", "arguments": {}})["result"]
    (message,) = answer["messages"]
    assert message["role"] == "user"
    for tool in ("recall_query", "concept_search", "relation_add", "episode_add", "update_affect"):
        assert tool in message["content"]["text"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "toolsets", ["memory", "memory,entity", "memory,concept", "entity", "everyday"]
)
def test_a_prompt_names_the_tools_that_are_offered_and_no_others(path, toolsets):
    with StdioServer("--embedded", str(path), "--toolsets", toolsets) as server:
        server.initialize()
        offered = {tool["name"] for tool in server.request("tools/list", {})["result"]["tools"]}
        prompts = server.request("prompts/list", {})["result"]["prompts"]
        of_people = not {"entity", "everyday"}.isdisjoint(toolsets.split(","))
        expected = ["use_memory"] * (toolsets != "entity") + ["memory-observe"] * of_people
        assert [prompt["name"] for prompt in prompts] == expected
        for prompt in prompts:
            told = server.request("prompts/get", {"name": prompt["name"]})["result"]["messages"]
            named = {*re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", told[0]["content"]["text"])}
            if prompt["name"] == "use_memory":
                assert ("memory_context" in named) == (toolsets != "everyday")
                assert ("recall_query" in named) == ("concept" in toolsets)
            else:
                assert ("entity_observe" in named) == ("entity" in toolsets)
            tools = {*TOOLS, *(name for name in named if name.startswith("memory_"))}
            assert named & tools <= offered


def test_text_of_any_script_goes_in_and_comes_out_as_it_is(server):
    for name in (
        "リンゴ",
        "Äpfel",
        "🍎",
        '"quoted" \\ and/or',
        "two\nlines",
        "a'b;--",
        "İ",
        " blanks ",
    ):
        assert ok(server.call("concept_upsert", concept=name))["concept_id"] == name
        assert name in ok(server.call("concept_search", keywords=[name]))["concepts"]
    raw = server.raw_call("concept_upsert", '{"concept":"\\ud83c\\udf4e"}')
    assert ok(raw) == {"concept_id": "🍎", "created": False}


# The clock


@pytest.mark.slow
def test_without_the_option_there_is_no_set_time(path):
    with StdioServer("--embedded", str(path)) as server:
        server.initialize()
        assert "Unknown tool" in refusal(server.call("set_time", now_ms=NOW_MS))


@pytest.mark.slow
def test_set_time_stops_the_clock_of_this_server_and_zero_or_less_lets_it_run(server, shared_path):
    assert ok(server.call("set_time", now_ms=NOW_MS)) == {"now_ms": NOW_MS, "reset": False}
    stopped = ok(server.call("update_affect", target="apple", valence_delta=0.5))
    assert stopped["accessed_at"] == NOW_MS
    with StdioServer("--embedded", str(shared_path)) as other:
        other.initialize()
        running = ok(other.call("update_affect", target="pear", valence_delta=0.5))
        assert running["accessed_at"] > NOW_MS
    for reset in (0, -1, -1e300):
        assert ok(server.call("set_time", now_ms=reset)) == {"now_ms": None, "reset": True}
        again = ok(server.call("update_affect", target="apple", valence_delta=1))
        assert again["accessed_at"] > NOW_MS


def test_set_time_moves_the_local_date_and_the_fading_of_arousal(server):
    ok(server.call("set_time", now_ms=NOW_MS))
    ok(server.call("update_affect", target="apple", valence_delta=1))
    ok(server.call("set_time", now_ms=NOW_MS + 86_400_000))
    faded = ok(server.call("update_affect", target="apple", valence_delta=0))
    assert faded["arousal"] == pytest.approx(0.36787944)
    assert faded["accessed_at"] == NOW_MS
    episode = ok(server.call("episode_add", summary="Ate it", concepts=["apple"]))
    assert episode["episode_id"] == "20250617/apple"


@pytest.mark.parametrize("now_ms", [1, LAST_MS])
def test_every_time_that_set_time_takes_can_be_lived_in(server, now_ms):
    result = server.call("set_time", now_ms=now_ms)
    if not result["isError"]:
        ok(server.call("concept_upsert", concept="apple"))
        ok(server.call("episode_add", summary="Ate it", concepts=["apple"]))
        ok(server.call("recall_query", seeds=["apple"], max_hop=1))


def test_a_time_beyond_the_calendar_is_refused_and_the_clock_stays(server):
    ok(server.call("set_time", now_ms=NOW_MS))
    for now_ms in (LAST_MS + 1, 10**30, 1e300):
        assert "now_ms" in refusal(server.call("set_time", now_ms=now_ms))
    stopped = ok(server.call("update_affect", target="apple", valence_delta=0.5))
    assert stopped["accessed_at"] == NOW_MS


# Starting and ending


def refused_with(*arguments: str, ends_with: int = 1, **environment: str | None) -> str:
    """Start a server that has a reason to refuse everything; return that line.

    It shakes hands, lists the tools of every toolset, whichever it was to have, and answers every
    call of any of them with the same line.
    """
    with StdioServer(*arguments, environment=environment) as server:
        told = server.initialize()
        tools = [tool["name"] for tool in server.request("tools/list", {})["result"]["tools"]]
        assert tools[: len(TOOLS)] == list(TOOLS)
        assert {"memory_context", "memory_traverse", "entity_observe"} <= {*tools}
        (line,) = {
            refusal(server.call(tool, **arguments))
            for tool in (*tools, "memory_graph_search")
            for arguments in ({}, {"concept": "apple"}, {"keywords": []})
        }
        assert told["instructions"] == line
        code, out, err = server.end()
    assert code == ends_with
    assert out == b""
    assert err.decode() == f"concept-graph-mcp: {line}\n"
    return line


@pytest.mark.slow
@pytest.mark.parametrize("zone", [None, ""])
def test_without_a_time_zone_it_serves_in_that_of_the_machine(path, zone):
    with StdioServer("--embedded", str(path), environment={"TZ": zone}) as server:
        server.initialize()
        assert ok(server.call("concept_upsert", concept="apple"))["created"]
        _, _, err = server.end()
    assert err == b""


@pytest.mark.slow
def test_a_settings_file_that_is_wrong_is_the_answer_to_every_call(tmp_path):
    file = tmp_path / "concept-graph-mcp/config.toml"
    file.parent.mkdir()
    file.write_text('time_zone = "Middle/Earth"', encoding="utf-8")
    line = refused_with(XDG_CONFIG_HOME=str(tmp_path), TZ=None)
    assert line.startswith(f"{file}: TZ: unknown time zone")


@pytest.mark.slow
def test_the_settings_file_names_the_store_of_a_server_without_options(tmp_path, path):
    file = tmp_path / "concept-graph-mcp/config.toml"
    file.parent.mkdir()
    file.write_text(f'store = "{path}"', encoding="utf-8")
    environment = {"XDG_CONFIG_HOME": str(tmp_path), "MEMGRAPH_URI": None}
    with StdioServer(environment=environment) as server:
        server.initialize()
        ok(server.call("concept_upsert", concept="apple"))
    assert path.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("TZ", "Middle/Earth"),
        ("TZ", "../../etc/passwd"),
        ("AROUSAL_TAU_MS", "abc"),
        ("AROUSAL_TAU_MS", "-5"),
        ("MEMGRAPH_URI", "http://x"),
        ("MEMGRAPH_URI", "bolt://localhost:1?policy=x"),
        ("MEMGRAPH_URI", "bolt://guest:open-sesame-42@localhost:1"),
        ("MEMGRAPH_URI", "neo4j://localhost:1?password=open-sesame-42"),
        ("CONCEPT_GRAPH_EMBEDDED", "~nobody-of-that-name/memory.db"),
        ("CONCEPT_GRAPH_EMBEDDED", ":memory:"),
        ("CONCEPT_GRAPH_TOOLSETS", "concept,nosuch"),
        ("CONCEPT_GRAPH_USER", "x" * 1_001),
    ],
)
def test_with_a_bad_setting_every_call_is_answered_with_a_line_that_names_it(variable, value):
    line = refused_with(**{variable: value})
    assert variable in line
    assert "open-sesame-42" not in line


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--toolset", "concept"], "--toolset"),
        (["--embeded"], "--embeded"),
        (["--toolsets"], "--toolsets"),
        (["--enable-set-time=yes"], "--enable-set-time"),
        (["-x", "\x1b[31m"], "-x"),
    ],
)
def test_with_a_bad_argument_every_call_is_answered_with_a_line_that_names_it(arguments, named):
    line = refused_with(*arguments, ends_with=2)
    assert line.startswith("arguments: ")
    assert named in line
    assert "\n" not in line
    assert "\x1b" not in line


def test_a_command_with_a_bad_argument_before_it_waits_for_no_client():
    ours, theirs = os.pipe()
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "concept_graph_mcp", "--embeded", "stats"],
            stdin=ours,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert b"--embeded" in ended.stderr


def test_in_a_terminal_a_bad_argument_is_told_where_its_help_is():
    ours, theirs = os.openpty()
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "concept_graph_mcp", "--embeded"],
            stdin=theirs,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert ended.stderr.endswith(b"; see concept-graph-mcp --help\n")


@pytest.mark.slow
def test_memgraph_url_is_another_name_of_memgraph_uri():
    assert "MEMGRAPH_UR" in refused_with(MEMGRAPH_URI=None, MEMGRAPH_URL="http://x")


@pytest.mark.slow
def test_a_start_in_a_terminal_says_in_one_line_what_it_waits_for(path):
    ours, theirs = os.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "concept_graph_mcp", f"--embedded={path}"],
            env=server_environment({"OPENAI_API_KEY": "open-sesame-42"}),
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        os.write(ours, b"\x04")  # Ctrl-D, an end of the input
        out, err = process.communicate(timeout=DEADLINE_S)
    finally:
        os.close(ours)
        os.close(theirs)
    assert out == b""
    [told] = err.decode().splitlines()
    assert "waits here for an MCP client's messages" in told
    assert "concept-graph-mcp setup" in told


def make_other_kind(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (text TEXT)")


def make_newer(path: Path) -> None:
    Host(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT + 1}")


def make_text(path: Path) -> None:
    path.write_text("These are notes and no database.\n" * 100)


@pytest.mark.slow
@pytest.mark.parametrize("make", [make_other_kind, make_newer, make_text])
def test_a_file_that_is_no_store_of_ours_is_told_at_every_call_and_left_alone(path, make):
    make(path)
    before = path.read_bytes()
    with StdioServer("--embedded", str(path)) as server:
        server.initialize()
        for _ in range(2):
            assert str(path) in refusal(server.call("concept_upsert", concept="apple"))
        assert path.read_bytes() == before
        # The owner moves it away, and the server need not be started again.
        path.rename(path.with_name("moved"))
        assert ok(server.call("concept_upsert", concept="apple"))["created"] is True


@pytest.mark.slow
def test_a_store_that_cannot_be_opened_is_a_tool_error_and_the_server_stays(tmp_path):
    directory = tmp_path / "memory.db"
    directory.mkdir()
    with StdioServer("--embedded", str(directory)) as server:
        server.initialize()
        for _ in range(2):
            assert str(directory) in refusal(server.call("concept_upsert", concept="apple"))
        directory.rmdir()
        assert ok(server.call("concept_upsert", concept="apple"))["created"] is True


@pytest.mark.slow
def test_a_database_that_is_not_there_is_a_tool_error_and_the_server_stays():
    uri = f"bolt://127.0.0.1:{closed_port()}"
    with StdioServer(environment={"MEMGRAPH_URI": uri}) as server:
        server.initialize()
        for _ in range(2):
            assert uri in refusal(server.call("concept_upsert", concept="apple"))
        assert len(server.request("tools/list", {})["result"]["tools"]) == 7
        code, out, _ = server.end()
    assert code == 0
    assert out == b""


@pytest.mark.slow
def test_credentials_that_are_not_accepted_are_told_at_every_call_and_the_server_stays():
    with locked() as uri:
        environment = {
            "MEMGRAPH_URI": uri, "MEMGRAPH_USER": "keeper", "MEMGRAPH_PASSWORD": "open-sesame-42",
        }  # fmt: skip
        with StdioServer(environment=environment) as server:
            server.initialize()
            for _ in range(2):
                line = refusal(server.call("concept_upsert", concept="apple"))
                assert line == f"{uri}: MEMGRAPH_USER and MEMGRAPH_PASSWORD were not accepted"
            code, out, err = server.end()
    assert code == 0
    assert out == b""
    assert b"open-sesame-42" not in err


def is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
def test_the_server_ends_when_stdin_closes_and_leaves_nothing_behind(path):
    with StdioServer("--embedded", str(path)) as server:
        server.initialize()
        ok(server.call("concept_upsert", concept="apple"))
        code, out, err = server.end()
        assert code == 0
        assert out == b""
        assert err == b""
        assert not is_alive(server.process.pid)
    assert_sound(path)


@pytest.mark.slow
def test_the_server_ends_when_stdin_closes_before_anything_was_said(path):
    for arguments in (["--embedded", str(path)], []):
        with StdioServer(*arguments) as server:
            code, out, _ = server.end()
            assert code == 0
            assert out == b""
            assert not is_alive(server.process.pid)


@pytest.mark.slow
def test_a_client_that_closes_right_after_its_calls_leaves_a_sound_store(path):
    with StdioServer("--embedded", str(path)) as server:
        server.initialize()
        for number in range(30):
            arguments = {"summary": "It rained", "concepts": [f"a {number}", f"b {number}"]}
            call = {"name": "episode_add", "arguments": arguments}
            message = {"jsonrpc": "2.0", "id": 100 + number, "method": "tools/call", "params": call}
            server.send(json.dumps(message).encode())
        code, out, _ = server.end()
        assert code == 0
        assert not is_alive(server.process.pid)
    answers = [json.loads(line) for line in out.splitlines()]
    # What was still under way may be answered with an error instead of a result.
    results = [answer["result"] for answer in answers if "result" in answer]
    added = [result for result in results if not result["isError"]]
    # Where it ended before the first write, opening it is what makes the store.
    with closing(Host(path)) as host:
        records = [record for batch in host.export(1_000) for record in batch]
    assert_sound(path)
    episodes = [record for record in records if record["kind"] == "episode"]
    assert len(episodes) >= len(added)
    assert len(records) == 5 * len(episodes)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_and_leaves_a_sound_store(path, number):
    with StdioServer("--embedded", str(path)) as server:
        server.initialize()
        ok(server.call("concept_upsert", concept="apple"))
        server.process.send_signal(number)
        # While its client keeps stdin open.
        server.process.wait(END_S)
        assert not is_alive(server.process.pid)
    assert_sound(path)


def test_lines_that_are_no_messages_do_not_end_the_server(server):
    for line in (
        b"",
        b"not json",
        b"[]",
        b"{}",
        b"\xff\xfe\x00",
        b'{"jsonrpc":"2.0"}',
        b"1" * 9_000,
    ):
        server.send(line)
    assert ok(server.call("concept_upsert", concept="apple"))["created"] is True


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (b'{"concept":' + b"[" * 5_000 + b"]" * 5_000 + b"}", "recursion limit exceeded"),
        (b'{"concept":' + b"1" * 5_000 + b"}", "number out of range"),
        (b'{"concept":"a\xffb"}', "not UTF-8"),
    ],
    ids=["deep", "long number", "not UTF-8"],
)
def test_a_request_that_cannot_be_read_is_answered_with_an_error(server, arguments, reason):
    call = b'{"name":"concept_upsert","arguments":' + arguments + b"}"
    server.send(b'{"jsonrpc":"2.0","id":"x","method":"tools/call","params":' + call + b"}")
    answer = json.loads(server.line())
    assert answer["id"] == "x"
    assert answer["error"]["code"] == -32700
    assert reason in answer["error"]["message"]
    # Nothing was written, and the server goes on.
    assert ok(server.call("concept_search", keywords=[]))["concepts"] == []


@pytest.mark.slow
def test_a_request_that_cannot_be_read_is_answered_on_a_connection_without_a_handshake(path):
    envelope = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    call = {"name": "concept_upsert", "arguments": {"concept": "here"}, "_meta": envelope}
    deep = json.dumps(call).replace('"here"', "[" * 5_000 + "]" * 5_000)
    with StdioServer("--embedded", str(path)) as server:
        assert "result" in server.raw_request("tools/list", json.dumps({"_meta": envelope}))
        answer = server.raw_request("tools/call", deep)
    assert "recursion limit exceeded" in answer["error"]["message"]


# Where the store is


@pytest.mark.slow
def test_without_a_path_the_store_is_in_the_data_directory(tmp_path):
    home = str(tmp_path / "data")
    expected = tmp_path / "data" / "concept-graph-mcp" / "memory.db"
    for arguments, variable in ((["--embedded"], None), ([], "1"), ([], "true")):
        changes = {"XDG_DATA_HOME": home, "CONCEPT_GRAPH_EMBEDDED": variable}
        with StdioServer(*arguments, environment=changes) as server:
            server.initialize()
            ok(server.call("concept_upsert", concept="apple"))
        assert expected.is_file()
    assert [entry.name for entry in (tmp_path / "data").iterdir()] == ["concept-graph-mcp"]


@pytest.mark.slow
def test_the_environment_can_name_the_file_and_the_option_goes_before_it(tmp_path):
    named, option = tmp_path / "below" / "named.db", tmp_path / "option.db"
    changes = {"CONCEPT_GRAPH_EMBEDDED": str(named)}
    with StdioServer(environment=changes) as server:
        server.initialize()
        ok(server.call("concept_upsert", concept="apple"))
    assert named.is_file()
    with StdioServer("--embedded", str(option), environment=changes) as server:
        server.initialize()
        assert ok(server.call("concept_upsert", concept="apple"))["created"] is True
    assert option.is_file()


@pytest.mark.slow
@pytest.mark.parametrize("value", ["0", "false", ""])
def test_the_environment_can_say_that_nothing_is_embedded(value):
    with StdioServer(environment={"CONCEPT_GRAPH_EMBEDDED": value}) as server:
        server.initialize()
        assert "bolt://127.0.0.1:1" in refusal(server.call("concept_upsert", concept="apple"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="has no /dev/full")
@pytest.mark.parametrize("reader", ["a full file", "a reader that has gone"])
def test_a_server_that_cannot_answer_ends_with_a_line(tmp_path: Path, reader: str) -> None:
    command = [sys.executable, "-m", "concept_graph_mcp", "--embedded", str(tmp_path / "memory.db")]
    there, out = os.pipe()
    os.close(there)
    if reader == "a full file":
        os.close(out)
        out = os.open("/dev/full", os.O_WRONLY)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE, env=server_environment()
    ) as server:
        os.close(out)
        _, err = server.communicate(INITIALIZE, timeout=DEADLINE_S)
    assert server.returncode == 1
    why = "No space left on device" if reader == "a full file" else "Broken pipe"
    assert err.decode().splitlines() == [f"concept-graph-mcp: stdout: {why}"]


def test_a_thread_that_finds_no_memory_is_told_in_a_line(
    tmp_path: Path, portal: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    store = EmbeddedStore(tmp_path / "memory.db")
    with monkeypatch.context() as patched:
        patched.setattr(cancellation.threading.Thread, "start", start)
        with pytest.raises(StoreError, match=r"^the process has too little memory; give it more$"):
            portal.call(store.open)
    assert caplog.text == ""
    portal.call(store.close)


@contextmanager
def limited(tmp_path: Path, most: int) -> Iterator[Any]:
    """Run a server with a model that may take *most* bytes of memory."""
    if shutil.which("prlimit") is None:
        pytest.skip("only Linux keeps to such a limit")
    command = ["prlimit", f"--as={most}", sys.executable, "-m", "concept_graph_mcp"]
    command += ["--toolsets", "everyday", "--embedded", str(tmp_path / "memory.db")]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=server_environment() | {"CONCEPT_GRAPH_EMBEDDINGS": "use-multilingual"},
    ) as server:
        try:
            yield server
        finally:
            server.kill()


# With so little some threads do not start.
@pytest.mark.slow
@pytest.mark.parametrize("most", [235 * 2**20, 262_144_000, 450 * 2**20])
def test_a_server_with_too_little_memory_ends_with_a_line(tmp_path: Path, most: int) -> None:
    with limited(tmp_path, most) as server:
        _, err = server.communicate(timeout=DEADLINE_S)
    assert server.returncode == 1
    assert err == b"concept-graph-mcp: the process has too little memory; give it more\n"


# Where OpenBLAS would end the process.
@pytest.mark.slow
@pytest.mark.parametrize("room_mb", [600, 750])
def test_a_server_without_memory_for_its_model_answers_each_call(
    tmp_path: Path, room_mb: int
) -> None:
    asked = [
        ("remember", {"text": "Daniele prefers green tea."}),
        *[("recall", {"message": "What does Daniele drink?"})] * 2,
    ]
    with limited(tmp_path, room_mb * 2**20) as server:
        server.stdin.write(INITIALIZE)
        server.stdin.flush()
        assert b'"result"' in server.stdout.readline()
        for number, (name, arguments) in enumerate(asked, 100):
            call = {"name": name, "arguments": arguments}
            message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            result = json.loads(server.stdout.readline())["result"]
            [said] = result["content"]
            if result["isError"]:
                assert said["text"] == "the process has too little memory; give it more"
        _, err = server.communicate(timeout=DEADLINE_S)
    assert server.returncode == 0
    for line in err.decode().splitlines():
        assert line.startswith("WARNING: ")
        assert line.endswith("the process has too little memory; give it more")
