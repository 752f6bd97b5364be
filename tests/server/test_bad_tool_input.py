"""Every tool with every argument as it should not be: one line back, and nothing changed."""

import json
import math
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from mcp.client.client import Client
from server_processes import StdioServer

from concept_graph_mcp import serving
from concept_graph_mcp.hosts.sqlite.procedure_host import Host
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.tools.toolsets import tools

NOW_MS = 1_750_000_000_000
HUGE = "x" * 2_000_000

# Arguments that work, for every tool there is.
GOOD: dict[str, dict[str, Any]] = {
    "concept_search": {"keywords": ["apple"], "limit": 10},
    "recall_query": {
        "seeds": ["apple"],
        "max_hop": 2,
        "limit": 10,
        "each_episode_once": False,
    },
    "episode_search": {
        "query": "Where did we buy apples?",
        "limit": 3,
        "asker": "Ann",
        "asked_at": "2025-06-01",
    },
    "concept_upsert": {"concept": "apple"},
    "relation_add": {"from": "apple", "to": "fruit", "type": "is-a"},
    "episode_add": {"summary": "Bought apples at the market", "concepts": ["apple"]},
    "update_affect": {"target": "apple", "valence_delta": 0.5},
    "set_time": {"now_ms": NOW_MS},
}
# Null is as good as leaving these out.
OPTIONAL = {"asker", "asked_at"}
BAD_TEXTS = {
    "null": None,
    "empty": "",
    "blanks": "   ",
    "blank lines": "\n\t \u3000",
    "a number": 5,
    "a truth value": True,
    "a list": ["apple"],
    "an object": {"name": "apple"},
    "huge": HUGE,
    "a NUL": "app\0le",
    "only a NUL": "\0",
}
BAD_LISTS = {
    "null": None,
    "a text": "apple",
    "a number": 5,
    "an object": {"0": "apple"},
    "null in it": ["apple", None],
    "a list in it": [["apple"]],
    **{
        f"{kind} in it": ["apple", value] for kind, value in BAD_TEXTS.items() if value != ["apple"]
    },
}
BAD_NUMBERS = {
    "null": None,
    "a text": "1",
    "an empty text": "",
    "a truth value": True,
    "a list": [1],
    "an object": {},
    "not a number": math.nan,
    "infinite": math.inf,
    "infinite below": -math.inf,
}
BAD_TRUTH_VALUES = {
    "null": None,
    "a text": "true",
    "an empty text": "",
    "a number": 1,
    "a list": [True],
    "an object": {},
}
# By argument, besides what its type refuses.
OUT_OF_RANGE: dict[tuple[str, str], list[Any]] = {
    ("concept_search", "limit"): [2.5, 10**30, -(10**30)],
    ("episode_search", "limit"): [2.5, 10**30, -(10**30)],
    ("recall_query", "max_hop"): [-1, 11, 10**9, 10**30, -(10**30), 0.5, 1e300],
    ("recall_query", "limit"): [0, -1, 10**30, 1.5],
    ("relation_add", "type"): ["IS_A", "is a", "Is-a", "likes"],
    ("relation_add", "from"): ["fruit"],
    ("relation_add", "to"): ["apple"],
    ("episode_add", "concepts"): [[], ["20250616/apple"]],
    ("concept_upsert", "concept"): ["20250616/apple", "x" * 1_001],
    ("update_affect", "valence_delta"): [1.0000001, -1.5, 2, -(10**30), 1e300],
    ("set_time", "now_ms"): [1e300, 10**30, 253_402_214_400_001],
}


def bad_values(tool: str, argument: str) -> dict[str, Any]:
    """Return what *argument* must not be, by a name for it."""
    good = GOOD[tool][argument]
    if isinstance(good, str):
        kinds: dict[str, Any] = BAD_TEXTS
    elif isinstance(good, bool):
        kinds = BAD_TRUTH_VALUES
    else:
        kinds = BAD_LISTS if isinstance(good, list) else BAD_NUMBERS
    if argument in OPTIONAL:
        kinds = {kind: value for kind, value in kinds.items() if value is not None}
    others = {f"{value!r:.30}": value for value in OUT_OF_RANGE.get((tool, argument), [])}
    return kinds | others


CASES = [
    pytest.param(tool, {**arguments, argument: value}, id=f"{tool}-{argument}-{kind}")
    for tool, arguments in GOOD.items()
    for argument in arguments
    for kind, value in bad_values(tool, argument).items()
]


def assert_one_line(text: str) -> None:
    assert text.strip()
    assert "\n" not in text
    assert "\r" not in text
    assert "Traceback" not in text
    assert "pydantic" not in text
    assert "://" not in text
    assert "internal error" not in text
    # What was wrong is not repeated at length.
    assert len(text) < 1_000


class Served:
    """A server in this process and what can be seen of its state."""

    def __init__(self, portal: Any, client: Client, session: Session) -> None:
        self._portal, self._client, self._session = portal, client, session

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        return self._portal.call(self._client.call_tool, tool, arguments)

    def refusal(self, tool: str, arguments: dict[str, Any]) -> str:
        """Assert that the call is refused in one line and changes nothing; return the line."""
        before = self.state()
        result = self.call(tool, arguments)
        assert result.is_error is True, result
        assert result.structured_content is None
        (content,) = result.content
        assert_one_line(content.text)
        assert self.state() == before
        text: str = content.text
        return text

    def state(self) -> Any:
        async def collect() -> list[Any]:
            return [row async for batch in self._session.store.stream() for row in batch]

        return self._portal.call(collect), self._session.clock.frozen_ms


@pytest.fixture(scope="module")
def served(portal: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all cases; were one of them to change something, the others would not see."""

    async def made() -> tuple[Client, Session]:
        store = EmbeddedStore(tmp_path_factory.mktemp("served") / "memory.db")
        session = Session(store, 86_400_000, ZoneInfo("Asia/Tokyo"), Clock(NOW_MS))
        return Client(serving.build(session, with_set_time=True)), session

    connecting, session = portal.call(made)
    with portal.wrap_async_context_manager(connecting) as client:
        served = Served(portal, client, session)
        for tool, arguments in GOOD.items():
            assert served.call(tool, arguments).is_error is False
        yield served


def test_every_tool_and_argument_is_among_those_that_are_tried(served):
    session = served._session
    offered = {
        tool.name: list(tool.parameters["properties"])
        for tool in tools(session, ("concept",), True)
    }
    assert {tool: list(arguments) for tool, arguments in GOOD.items()} == offered


@pytest.mark.slow
@pytest.mark.parametrize(("tool", "arguments"), CASES)
def test_a_bad_argument_is_refused_in_one_line_and_changes_nothing(served, tool, arguments):
    served.refusal(tool, arguments)


@pytest.mark.parametrize(
    ("tool", "missing"),
    [
        (tool, name)
        for tool in GOOD
        for name in GOOD[tool]
        # All of these have a default.
        if name not in ("limit", "each_episode_once", "keywords", *OPTIONAL)
    ],
)
def test_a_missing_argument_is_named(served, tool, missing):
    given = {name: value for name, value in GOOD[tool].items() if name != missing}
    assert missing in served.refusal(tool, given)


@pytest.mark.parametrize("tool", GOOD)
@pytest.mark.parametrize(
    "name",
    ["user_id", "self", "", "source\nx", "context", pytest.param("y" * 2_000_000, id="huge")],
)
def test_an_unknown_argument_is_refused(served, tool, name):
    text = served.refusal(tool, {**GOOD[tool], name: 1})
    for known in GOOD[tool]:
        assert known in text


@pytest.mark.parametrize(
    ("tool", "reserved"),
    [("relation_add", {"source": "apple", "target": "fruit", "type": "is-a"})],
)
def test_the_python_names_of_arguments_are_not_those_of_the_tool(served, tool, reserved):
    served.refusal(tool, reserved)


@pytest.mark.parametrize("tool", [tool for tool in GOOD if tool != "concept_search"])
def test_no_arguments_at_all_are_refused(served, tool):
    served.refusal(tool, {})


def test_a_tool_that_does_not_exist_is_refused(served):
    for name in ("nosuch", "", "conceptgraph.remove", "__init__"):
        served.refusal(name, {})


@pytest.mark.parametrize("tool", GOOD)
def test_many_bad_elements_are_one_short_line(served, tool):
    for argument, value in GOOD[tool].items():
        if isinstance(value, list):
            served.refusal(tool, {**GOOD[tool], argument: [5] * 10_000})


def test_what_nobody_has_heard_of_simply_works(served):
    assert served.call("recall_query", {"seeds": ["who?"], "max_hop": 10}).structured_content == {
        "propositions": [],
        "unknown": [{"seed": "who?", "similar": []}],
    }
    found = served.call("concept_search", {"keywords": ["no such name"], "limit": 1})
    assert len(found.structured_content["concepts"]) == 1
    felt = served.call("update_affect", {"target": "something new", "valence_delta": -0.25})
    assert felt.structured_content["concept_id"] == "something new"


@pytest.mark.slow
def test_ten_thousand_names_simply_work(served):
    names = [f"name {number}" for number in range(9_999)]
    recalled = served.call("recall_query", {"seeds": [*names, "apple"], "max_hop": 1})
    assert recalled.structured_content["propositions"]
    added = served.call("episode_add", {"summary": "It was much", "concepts": names})
    assert added.structured_content["linked_concepts"] == names


def test_more_than_a_hundred_keywords_are_refused_in_one_line(served):
    names = [f"unheard of {number}" for number in range(99)]
    found = served.call("concept_search", {"keywords": [*names, "appl"], "limit": 1})
    assert "apple" in found.structured_content["concepts"]
    refused = served.call("concept_search", {"keywords": [*names, "appl", "more"]})
    assert refused.is_error
    assert "keywords" in refused.content[0].text
    assert "100" in refused.content[0].text


def test_names_that_are_just_short_enough_simply_work(served):
    name = "n" * 1_000
    assert served.call("concept_upsert", {"concept": name}).structured_content["created"] is True
    added = served.call("episode_add", {"summary": "s" * 20_000, "concepts": [name]})
    episode = added.structured_content["episode_id"]
    assert episode == f"20250616/{name}"
    felt = served.call("update_affect", {"target": episode, "valence_delta": 0.5})
    assert felt.structured_content["episode_id"] == episode


def test_a_list_that_a_model_wrote_as_a_json_text_is_understood(served):
    # The SDK reads it before validation; texts that look like JSON stay the texts they are.
    found = served.call("recall_query", {"seeds": '["apple"]', "max_hop": 0})
    assert found.structured_content == {"propositions": []}
    for name in ("5", "null", "true", '["apple"]', '{"a":1}', '"quoted"', "1e3", "NaN"):
        made = served.call("concept_upsert", {"concept": name})
        assert made.structured_content == {"concept_id": name, "created": True}
        relation = {"from": name, "to": "apple", "type": "evokes"}
        assert served.call("relation_add", relation).structured_content == relation


def test_limits_of_a_search_are_clamped_and_not_refused(served):
    for limit in (-5, 0, 201, 10**9, 2.0):
        found = served.call("concept_search", {"keywords": ["apple"], "limit": limit})
        assert found.is_error is False
        assert 1 <= len(found.structured_content["concepts"]) <= 200


# Over the pipe, as texts that no client library would write


@pytest.fixture(scope="module")
def piped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[StdioServer, Path]]:
    path = tmp_path_factory.mktemp("piped") / "memory.db"
    with StdioServer("--embedded", str(path), "--enable-set-time") as server:
        server.initialize()
        for tool in ("set_time", *GOOD):
            assert server.call(tool, **GOOD[tool])["isError"] is False
        yield server, path
        assert server.end()[:2] == (0, b"")


def records(path: Path) -> list[Any]:
    with closing(Host(path)) as host:
        return [record for batch in host.export(1_000) for record in batch]


RAW_TEXTS = {
    "lone surrogate": r'"\ud800"',
    "lone low surrogate": r'"app\udc00le"',
    "surrogates in the wrong order": r'"\udf4e\ud83c"',
    "surrogate after a backslash": r'"\\\ud800"',
    "NUL": r'"app\u0000le"',
    "huge": f'"{HUGE}"',
}
RAW_NUMBERS = {
    "NaN": "NaN",
    "Infinity": "Infinity",
    "-Infinity": "-Infinity",
    "beyond a float": "1e400",
    "beyond any integer": "1" + "0" * 4_000,
}


def raw_cases() -> Iterator[Any]:
    for tool, arguments in GOOD.items():
        for argument, value in arguments.items():
            if isinstance(value, str):
                raw = RAW_TEXTS
            elif isinstance(value, list):
                raw = {kind: f'["apple",{text}]' for kind, text in RAW_TEXTS.items()}
            else:
                raw = RAW_NUMBERS
            for kind, text in raw.items():
                yield pytest.param(tool, argument, text, id=f"{tool}-{argument}-{kind}")


def with_raw(tool: str, argument: str, text: str) -> str:
    """Return the tool's good arguments as JSON, one of them replaced by the JSON *text*."""
    fields = {name: json.dumps(value) for name, value in GOOD[tool].items()} | {argument: text}
    return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in fields.items()) + "}"


@pytest.mark.slow
@pytest.mark.parametrize(("tool", "argument", "text"), list(raw_cases()))
def test_bad_json_values_are_refused_in_one_line_and_change_nothing(piped, tool, argument, text):
    server, path = piped
    before = records(path)
    result = server.raw_call(tool, with_raw(tool, argument, text))
    assert result["isError"] is True
    assert "structuredContent" not in result
    (content,) = result["content"]
    assert_one_line(content["text"])
    assert records(path) == before


@pytest.mark.parametrize("tool", GOOD)
def test_bad_json_names_are_refused_in_one_line(piped, tool):
    server, path = piped
    before = records(path)
    good = json.dumps(GOOD[tool])[:-1]
    for name in (r'"\ud800"', r'"\u0000"', r'"a\nb"'):
        result = server.raw_call(tool, f"{good},{name}:1}}")
        assert result["isError"] is True
        assert_one_line(result["content"][0]["text"])
    assert records(path) == before


@pytest.mark.parametrize("arguments", ["[]", '"text"', "5", "[[[[]]]]"])
def test_arguments_that_are_no_object_are_answered_with_an_error(piped, arguments):
    server, path = piped
    before = records(path)
    response = server.raw_request(
        "tools/call", f'{{"name":"concept_upsert","arguments":{arguments}}}'
    )
    assert_one_line(response["error"]["message"])
    assert records(path) == before


def test_the_server_goes_on_after_all_that(piped):
    server, _ = piped
    for tool, arguments in GOOD.items():
        assert server.call(tool, **arguments)["isError"] is False
