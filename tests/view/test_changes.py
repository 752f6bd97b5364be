"""Changes from the page: made once, undone by what they return, and refused from anybody else."""

from dataclasses import astuple, replace
from typing import Any

import pytest
from asgi import HOST, ORIGIN, PORT, TOKEN, Asked
from known import NOW_MS, speak
from tests.conftest import Memory

from concept_graph_mcp import calls
from concept_graph_mcp.view.api import CHANGES
from concept_graph_mcp.view.serving import build
from conceptgraph_core.entities.inputs import Given

USER = "default"
TEXT = "Anna sails on Sundays"
NEW = "Anna sails on Mondays"
JOB = "Dr Weber is a sailor"


def live(memory: Memory, now_ms: int = NOW_MS) -> dict[str, Any]:
    """Speak of them all; ask whether Bregenz is Lindau, keep a memory, and state a fact."""
    ids: dict[str, Any] = speak(memory, now_ms)
    memory.now_ms = now_ms - 1_000
    given = ids["Bregenz"], ids["Lindau"], None, "both lie on the lake", "model"
    memory.run(calls.entities.link(*given), user_id=USER)
    [row] = memory.run(calls.everyday.remember(USER, TEXT), user_id=USER)
    stated = Given("job", "sailor", speaker="user", text=JOB, span="sailor")
    [fact] = memory.run(calls.entities.fact(ids["Dr Weber"], *astuple(stated)), user_id=USER)
    memory.now_ms = now_ms
    return {**ids, "memory": row["id"], "fact": fact["fact_id"]}


@pytest.fixture
def ids(memory):
    return live(memory)


def requests(ids: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return a valid request for each change that the page makes first."""
    fact = {"id": ids["fact"], "entity_id": ids["Dr Weber"], "predicate": "job", "value": "sailor"}
    return {
        "revise": {"memory_id": ids["memory"], "seen": {"content": TEXT},
                   "changes": {"content": NEW}},
        "forget": {"id": ids["memory"], "reason": "wrong"},
        "end_fact": {**fact, "since": None},
        "end_memory": {"id": ids["memory"]},
        "answer": {"one_id": ids["Bregenz"], "other_id": ids["Lindau"], "same": False,
                   "reason": "no"},
        "unmerge": {"merge_id": ids["merge"], "reason": "two dogs"},
    }  # fmt: skip


def told(asked: Asked, ids: dict[str, Any]) -> dict[str, Any]:
    """Return what the page says of all that the changes change."""
    card = asked.get("api/person", id=ids["Dr Weber"]).content
    found = asked.get("api/search", q="Anna sails").content["rows"]
    return {
        "now": [one["text"] for one in card["now"]],
        "before": [one["text"] for one in card["before"]],
        "memories": {one["text"]: one["until"] is None for one in found},
        "doubts": [one["question"] for one in asked.get("api/doubts").content["doubts"]],
    }


EFFECTS = {
    "revise": lambda _, after: NEW in after["memories"] and TEXT not in after["memories"],
    "forget": lambda _, after: TEXT not in after["memories"],
    "end_fact": lambda _, after: (after["now"], after["before"]) == ([], ["sailor"]),
    "end_memory": lambda _, after: after["memories"].get(TEXT) is not True,
    "answer": lambda before, after: len(after["doubts"]) < len(before["doubts"]),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_a_change_is_made_once_and_undone(asked, ids, memory, name):
    before = told(asked, ids)
    assert (before["now"], before["memories"][TEXT]) == (["sailor"], True)
    given = requests(ids)[name]
    made = asked.post(f"api/{name}", given, ORIGIN)
    assert made.status == 200, made.content
    assert EFFECTS[name](before, told(asked, ids))
    undo = made.content["undo"]
    undone = asked.post(f"api/{undo['change']}", undo["given"], ORIGIN)
    assert undone.status == 200, undone.content
    after = told(asked, ids)
    if name != "answer":
        assert after == before
    # A request that arrives once more changes nothing more.
    records = memory.records()
    assert asked.post(f"api/{undo['change']}", undo["given"], ORIGIN).status in (200, 400)
    assert memory.records() == records


def test_what_was_undone_twice_is_refused(asked, ids, memory):
    given = requests(ids)["unmerge"]
    assert asked.post("api/unmerge", given, ORIGIN).content == {"undo": None}
    before = memory.records()
    assert asked.post("api/unmerge", given, ORIGIN).status == 400
    assert memory.records() == before


def test_what_was_changed_lately_is_listed_with_its_undo(asked, ids):
    asked.post("api/forget", requests(ids)["forget"], ORIGIN)
    rows = asked.get("api/changes").content["rows"]
    assert {row["change"] for row in rows} >= {"forgotten", "merge"}
    for row in rows:
        undo = row["undo"]
        assert asked.post(f"api/{undo['change']}", undo["given"], ORIGIN).status == 200
    assert told(asked, ids)["memories"][TEXT]


def test_nobody_else_changes_anything(asked, ids, session, portal, memory):
    other = Asked(build(replace(session, user_id="bob"), None, TOKEN, PORT), portal)
    past = Asked(build(replace(session, until_ms=NOW_MS), None, TOKEN, PORT), portal)
    before = memory.records()
    every = requests(ids) | {
        "unrevise": {"memory_id": ids["memory"], "at": NOW_MS},
        "restore": {"id": ids["memory"]},
        "begin_fact": requests(ids)["end_fact"],
    }
    assert every.keys() == CHANGES.keys()
    for name, given in every.items():
        path = f"api/{name}"
        forged = ("http://evil.example", f"https://{HOST}", "null", f"{ORIGIN}.evil.example")
        for origins in ((), *((one,) for one in forged), (ORIGIN, ORIGIN)):
            assert asked.post(path, given, *origins).status == 403
        wrong = asked.raw(f"/{'x' * len(TOKEN)}/{path}", [HOST], "", "POST", b"{}", [ORIGIN])
        assert wrong.status == 403
        assert asked.get(path).status == 404
        refused = other.post(path, given, ORIGIN)
        assert (refused.status, "not found" in refused.content["error"]) == (400, True), name
        assert past.post(path, given, ORIGIN).status == 400
        for bad in ({}, dict.fromkeys(given, 1.5), [given], b"{"):
            assert asked.post(path, bad, ORIGIN).status == 400, (name, bad)
    assert memory.records() == before


def test_what_another_writer_has_changed_is_not_overwritten(asked, ids, memory):
    update = calls.memories.update(USER, ids["memory"], content="Anna sails on Fridays")
    memory.run(update, user_id=USER)
    stale = asked.post("api/revise", requests(ids)["revise"], ORIGIN)
    assert (stale.status, "has changed since it was shown" in stale.content["error"]) == (400, True)
    words = "they are one", "user_correction", "Bregenz is Lindau"
    memory.run(calls.entities.merge(ids["Bregenz"], ids["Lindau"], *words), user_id=USER)
    answered = asked.post("api/answer", requests(ids)["answer"], ORIGIN)
    assert (answered.status, "is the same already" in answered.content["error"]) == (400, True)


def test_a_store_that_cannot_be_written_offers_no_change_and_says_why(ids, session, portal):
    app = build(replace(session, unwritable="the file is read-only"), None, TOKEN, PORT)
    about = Asked(app, portal).get("api/about").content
    assert (about["changes"], about["unwritable"]) == (False, "the file is read-only")
