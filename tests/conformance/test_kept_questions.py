"""Kept questions: each user's own, found by nothing, and gone with their owner."""

import pytest

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Refused

DAY_MS = 86_400_000
FLAG = "Lena hides a brass kettle"


def keep(memory, message="brass kettle", user="default", **given):
    memory.now_ms += 1
    asked = {"wordings": ["copper pot"], "shown": ["m1"], **given}
    [row] = memory.run(calls.everyday.keep_question(user, message, **asked), user_id=user)
    return row["id"]


def listed(memory, user="default"):
    return memory.run(calls.everyday.questions(user), user_id=user)


def test_a_question_is_kept_with_what_it_was_shown(memory):
    made = keep(memory, project="cake"), keep(memory, "the pot", wordings=[], shown=[])
    assert listed(memory) == [
        {"id": made[0], "asked_at": memory.now_ms - 1, "message": "brass kettle"}
        | {"also": ["copper pot"], "project": "cake", "shown": ["m1"]},
        {"id": made[1], "asked_at": memory.now_ms, "message": "the pot"}
        | {"also": [], "project": None, "shown": []},
    ]
    assert [one["id"] for one in memory.run(calls.everyday.questions("default", made[0]))] == [
        made[1]
    ]


def test_it_is_its_user_s_alone(memory):
    mine = keep(memory)
    assert listed(memory, "bob") == []
    with pytest.raises(Refused, match="id"):
        memory.run(calls.everyday.forget("bob", mine), user_id="bob")
    assert [one["id"] for one in listed(memory)] == [mine]


def test_nothing_finds_it_and_no_export_has_it(memory):
    kept = memory.run(calls.everyday.remember("default", FLAG))
    before = memory.records()
    keep(memory, "Where is the brass kettle of Lena?", shown=[kept[0]["id"]])
    assert memory.records() == before
    assert [one["text"] for one in memory.run(calls.everyday.search("default", "kettle"))] == [FLAG]
    [row] = memory.run(calls.everyday.recall("default", "Where is the brass kettle?"))
    assert "Where is" not in row["lines"][-1]["parts"][1]
    assert memory.run(calls.transfer.check()) == []


def test_forget_removes_it_by_its_id(memory):
    first, second = keep(memory), keep(memory)
    [row] = memory.run(calls.everyday.forget("default", first))
    assert row["id"] == first
    assert row["candidates"] == []
    assert [one["id"] for one in listed(memory)] == [second]


def test_it_is_purged_after_the_retention(memory):
    keep(memory)
    other = keep(memory, user="bob")
    memory.now_ms += 10 * DAY_MS
    late = keep(memory)
    memory.now_ms += DAY_MS
    [row] = memory.run(calls.everyday.purge_questions("default", 5 * DAY_MS))
    assert row == {"purged": 1}
    assert [one["id"] for one in listed(memory)] == [late]
    assert [one["id"] for one in listed(memory, "bob")] == [other]


def test_it_goes_with_its_user(memory):
    keep(memory), keep(memory, user="bob")
    owned = [{"measure": "questions", "value": 1}]
    assert memory.run(calls.transfer.count_user("default")) == owned
    assert memory.run(calls.transfer.remove_user("default")) == owned
    assert listed(memory) == []
    assert len(listed(memory, "bob")) == 1
