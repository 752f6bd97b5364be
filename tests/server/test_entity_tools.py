"""The tools of entities with arguments as they should not be: one line back, nothing changed."""

import json
import math
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from mcp.client.client import Client

from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.serving import build
from concept_graph_mcp.session import Clock, Session

NOW_MS = 1_750_000_000_000
MAX = {"label": "Max", "type": "entity"}
OBSERVE: dict[str, Any] = {
    "session_id": "s",
    "message_id": "m",
    "speaker": "user",
    "text": "Max barks",
    "observations": [MAX],
}
LINK: dict[str, Any] = {
    "entity_id": "a",
    "linked_entity_id": "b",
    "link_confidence": 0.5,
    "link_rationale": "so",
    "origin": "model",
}
MERGE: dict[str, Any] = {"source_id": "a", "target_id": "b", "reason": "so"}
BAD = [
    ("entity_observe", {**OBSERVE, "speaker": "assistant"}),
    ("entity_observe", {**OBSERVE, "text": " "}),
    ("entity_observe", {**OBSERVE, "text": "x" * 20_001}),
    ("entity_observe", {**OBSERVE, "text": "a\0b"}),
    ("entity_observe", {**OBSERVE, "session_id": None}),
    ("entity_observe", {**OBSERVE, "message_id": 5}),
    ("entity_observe", {**OBSERVE, "observations": "Max"}),
    ("entity_observe", {**OBSERVE, "observations": [MAX] * 201}),
    ("entity_observe", {**OBSERVE, "observations": [{**MAX, "trust": 1}]}),
    ("entity_observe", {**OBSERVE, "observations": [{**MAX, "label": "\ud800"}]}),
    ("entity_observe", {**OBSERVE, "observations": [{**MAX, "label": "a\0"}]}),
    ("entity_observe", {**OBSERVE, "observations": [{**MAX, "label": "x" * 256}]}),
    ("entity_observe", {**OBSERVE, "observations": [{**MAX, "valence": math.nan}]}),
    ("entity_observe", {**OBSERVE, "observations": [{**MAX, "valence": "bad"}]}),
    ("entity_observe", {**OBSERVE, "observations": [{**MAX, "intensity": 1.5}]}),
    ("entity_observe", {**OBSERVE, "observations": [{**MAX, "type": "person"}]}),
    ("entity_observe", {**OBSERVE, "relations": [{"from": "Max", "to": "Max", "type": "causal"}]}),
    ("entity_observe", {**OBSERVE, "relations": [{"from": "Max", "to": "x", "type": "causal"}]}),
    ("entity_observe", {**OBSERVE, "relations": [{"from": "Max", "to": "x", "type": "is-a"}]}),
    ("entity_observe", {**OBSERVE, "user_id": "bob"}),
    ("entity_end_session", {"session_id": "nosuch"}),
    ("entity_end_session", {"session_id": ""}),
    ("entity_search", {"query": ""}),
    ("entity_search", {"query": "Max", "types": ["person"]}),
    ("entity_search", {"query": "Max", "limit": 1.5}),
    ("entity_search", {"query": "Max", "limit": "5"}),
    ("entity_search", {"query": "Max", "limit": True}),
    ("entity_search", {"query": "Max", "limit": 10**30}),
    ("entity_get", {"entity_id": "nosuch", "limit": -(10**30)}),
    ("entity_get", {"entity_id": "nosuch"}),
    ("entity_get", {"entity_id": "nosuch", "valid_at": "yesterday"}),
    ("entity_link", LINK),
    ("entity_link", {**LINK, "link_confidence": 2}),
    ("entity_link", {**LINK, "origin": "user_correction"}),
    ("entity_merge", MERGE),
    ("entity_merge", {**MERGE, "by": "me"}),
    ("entity_unmerge", {"merge_id": "nosuch", "reason": "so"}),
    ("entity_unmerge", {"merge_id": "nosuch", "reason": "\0"}),
]


@pytest.fixture
def called(tmp_path, portal) -> Iterator[Any]:
    """Call a tool; return whether it failed, its first text, and all records afterwards."""
    store = EmbeddedStore(tmp_path / "memory.db")
    portal.call(store.open)
    session = Session(store, 86_400_000, ZoneInfo("UTC"), Clock(NOW_MS))

    async def call(tool: str, arguments: dict[str, Any]) -> tuple[bool, str, list[Any]]:
        async with Client(build(session, toolsets=("entity",))) as client:
            result = await client.call_tool(tool, arguments)
        records = [record async for batch in store.stream() for record in batch]
        return bool(result.is_error), result.content[0].text, records

    yield lambda tool, arguments: portal.call(call, tool, arguments)
    portal.call(store.close)


@pytest.mark.slow
@pytest.mark.parametrize(("tool", "arguments"), BAD)
def test_what_is_wrong_is_refused_in_one_line(called, tool, arguments):
    failed, text, records = called(tool, arguments)
    assert failed
    assert len(text.splitlines()) == 1
    assert len(text) < 500
    assert "internal" not in text
    assert records == []


@pytest.mark.slow
def test_a_message_may_be_observed_without_observations(called):
    given = {"session_id": "s", "message_id": "m", "speaker": "user", "text": "I met Anna Smith."}
    for more in ({}, {"observations": []}):
        failed, said, _ = called("entity_observe", given | more)
        assert not failed
        assert [one["label"] for one in json.loads(said)["entities"]] == ["Anna Smith"]


@pytest.mark.slow
def test_what_is_right_goes_through_to_the_scope_of_the_session(called):
    failed, _, records = called("entity_observe", OBSERVE)
    assert not failed
    assert {record.get("user_id", "default") for record in records} == {"default"}
    assert not called("entity_search", {"query": "max", "limit": 10**6})[0]
    assert not called("entity_end_session", {"session_id": "s"})[0]


@pytest.mark.slow
def test_dates_of_facts_begin_with_their_day_and_are_asked_for_to_its_end(called):
    [observed] = structured(called("entity_observe", OBSERVE))["entities"]
    max_ = {"entity_id": observed["entity_id"]}
    home = {**max_, "predicate": "home"}
    day = "2025-03-01"
    first = called("entity_fact", {**home, "value": "Berlin", "valid_until": day})
    then = called("entity_fact", {**home, "value": "Rome", "valid_from": day})
    assert [structured(one)["conflicts"] for one in (first, then)] == [[], []]
    called("entity_fact", {**max_, "predicate": "ill", "value": "yes"} | ONE_DAY)
    for when, wanted in (
        ("2025-02-28", ["Berlin"]),
        (day, ["Rome"]),
        ("2025-04-03", ["yes", "Rome"]),
        ("2025-04-04", ["Rome"]),
    ):
        shown = structured(called("entity_get", {**max_, "valid_at": when}))["facts"]
        assert sorted(one["value"] for one in shown) == sorted(wanted), when
    # Stated today, and not yet known yesterday.
    for when, count in (("2025-06-15", 1), ("2025-06-14", 0)):
        shown = structured(called("entity_get", {**max_, "known_at": when, "valid_at": day}))
        assert len(shown["facts"]) == count


ONE_DAY = {"valid_from": "2025-04-03", "valid_until": "2025-04-03"}


def structured(answer: tuple[bool, str, list[Any]]) -> dict[str, Any]:
    failed, text, _ = answer
    assert not failed, text
    found: dict[str, Any] = json.loads(text)
    return found
