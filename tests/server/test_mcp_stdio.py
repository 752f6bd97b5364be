"""The server as a client meets it: over stdio, on the embedded store."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from embedded_files import copy_without_words
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from pydantic.alias_generators import to_camel
from server_processes import StdioServer, server_environment
from stdio_answers import ok, refusal
from tests.interface import write

from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore

NOW_MS = 1_750_000_000_000  # 2025-06-15T15:06:40Z, in Tokyo the next day


LAST_MS = 253_402_300_799_000  # 9999-12-31T23:59:59Z


# The tools of the concept layer as tests/interface has them, set_time last.
WRITTEN = [
    told
    for told in map(json.loads, write.TOOLS.read_text(encoding="utf-8").splitlines())
    if told["toolset"] == "concept"
]
TOOLS = [told["name"] for told in WRITTEN if told["name"] != "set_time"]


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


# The offer


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
@pytest.mark.parametrize("options", [[], ["--enable-set-time"]], ids=["plain", "with set_time"])
def test_the_tools_are_listed_in_order_as_they_are_written_down(portal, path, options):
    tools = listed(portal, path, *options)
    expected = WRITTEN if options else [one for one in WRITTEN if one["name"] != "set_time"]
    for told, written in zip(tools, expected, strict=True):
        assert (told["name"], told["title"]) == (written["name"], written["title"])
        assert (told["inputSchema"], told["outputSchema"]) == (written["input"], written["output"])
        hints = {to_camel(name): value for name, value in written["hints"].items()}
        assert told["annotations"] == hints
        assert told["description"] == written["description"]
        assert "\n" not in told["description"]
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


# The answers


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
