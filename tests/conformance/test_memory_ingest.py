"""Messages that become memories: once each, in the order of their threads, found by their words."""

import math
from collections import Counter
from typing import Any

import pytest
from expect import DAY_MS, REFUSALS

from concept_graph_mcp import calls
from memories import MADE_MS, node


def message(number: int, said: str = "", thread: str = "t", **given: Any) -> dict[str, Any]:
    told = {"id": f"{thread}{number}", "text": said or f"Message {number}", "thread": thread}
    return {**told, "speaker": "Ann Lee", "said_at": MADE_MS + number * 1_000, **given}


def ingest(memory: Any, *messages: dict[str, Any], user: str = "default") -> dict[str, int]:
    return memory.run(calls.memories.ingest(user, messages), user_id=user)[0]


def kept(memory: Any) -> dict[str, dict[str, Any]]:
    return {record["id"]: record for record in memory.records() if record["kind"] == "memory"}


def latest(memory: Any) -> list[str]:
    return [row["memory_id"] for row in memory.run(calls.memories.recent("default"))]


def positions(memory: Any) -> dict[str, int]:
    return {name: record["position"] for name, record in kept(memory).items()}


def test_a_message_is_a_memory_of_when_it_was_said(memory):
    made = ingest(memory, message(1, "The new job is in Turin", metadata={"message_id": "1"}))
    assert made == {"created": 1, "existing": 0, "differing": []}
    [record] = kept(memory).values()
    expected = {
        "kind": "memory",
        "id": "t1",
        "user_id": "default",
        "content": "The new job is in Turin",
        "source": "conversation",
        "thread": "t",
        "position": 0,
        "speaker": "Ann Lee",
        "said_at": MADE_MS + 1_000,
        "created_at": MADE_MS + 1_000,
        "state": "active",
        "access_count": 0,
        "metadata": {"message_id": "1"},
    }
    assert expected.items() <= record.items()
    # Eleven and a half days ago; of an old history little is taken off that.
    days = (memory.now_ms - record["accessed_at"]) / DAY_MS
    assert 11 < days < (memory.now_ms - record["said_at"]) / DAY_MS < 12
    assert record["decay_score"] == pytest.approx(0.7 * math.exp(-0.01 * days))


def test_whatever_tells_of_a_message_tells_who_said_it(memory):
    ingest(memory, message(1, "I start in May"), message(2, "Good luck", speaker="Bob"))
    by_hand = memory.run(calls.memories.create("default", "The start is no secret"))[0]["memory_id"]
    memory.run(calls.memories.link(by_hand, "t1", "references", 0.5, 0.1))
    [one] = memory.run(calls.memories.get("t1"))
    assert (one["content"], one["speaker"]) == ("I start in May", "Ann Lee")
    found = memory.run(calls.memories.search("default", "who starts in May?", 10))
    told = {"t1": "Ann Lee", "t2": "Bob", by_hand: None}
    assert {row["memory_id"]: row["speaker"] for row in found} == told
    [joined] = memory.run(calls.memories.connected(by_hand, "both", 0.1, 10))
    assert joined["speaker"] == "Ann Lee"


@pytest.mark.slow
def test_an_old_history_begins_faded_in_its_order_and_is_not_gone_in_one_night(memory):
    memory.expires = True
    ages = (0, 30, 90, 365, 3_650, 20_000)
    told = [
        message(number, said_at=memory.now_ms - age * DAY_MS) for number, age in enumerate(ages)
    ]
    ingest(memory, *told)
    records = [kept(memory)[one["id"]] for one in told]
    states = ["active", "active", "dormant", "dormant", "dormant", "dormant"]
    assert [one["state"] for one in records] == states
    accessed = [one["accessed_at"] for one in records]
    assert accessed[0] == memory.now_ms
    assert accessed == sorted(accessed, reverse=True)
    recent = memory.run(calls.memories.recent("default", 2))
    assert [row["memory_id"] for row in recent] == [told[0]["id"], told[1]["id"]]
    memory.run(calls.memories.decay_batch("default"))
    assert [one["state"] for one in kept(memory).values()].count("dormant") == 4
    gone = []
    for _ in range(50):
        memory.now_ms += 10 * DAY_MS
        [row] = memory.run(calls.memories.decay_batch("default"))
        gone.append(sum(change["to"] == "expired" for change in row["changes"]))
    assert gone.index(2) == 23  # what is ten years old and older
    assert [count for count in gone if count] == [2, 1, 1, 1, 1]


def test_what_was_told_is_as_late_as_it_was_said_until_it_is_accessed(memory):
    ingest(memory, message(1), message(2))
    # Later than these were said, and sooner than what they fade from.
    memory.import_rows([node("noted", created_at=MADE_MS + 3_000, accessed_at=MADE_MS + 3_000)])
    assert latest(memory) == ["noted", "t2", "t1"]
    memory.run(calls.memories.get("t1"))
    assert latest(memory) == ["t1", "noted", "t2"]


def test_messages_again_change_nothing(memory):
    ingest(memory, *(message(n) for n in range(5)))
    before = memory.records()
    memory.now_ms += DAY_MS
    again = ingest(memory, *(message(n) for n in range(5)))
    assert again == {"created": 0, "existing": 5, "differing": []}
    assert memory.records() == before


@pytest.mark.slow
def test_stored_messages_are_told_from_new_ones_without_storing_any(memory):
    ingest(memory, message(1), message(2))
    ingest(memory, message(3), user="bob")
    before = memory.records()
    asked = [message(1), message(2, "Another text"), message(3), message(4), message(1)]
    [row] = memory.run(calls.memories.ingested(asked))
    assert row == {"existing": ["t1", "t2", "t1"], "differing": ["t2"]}
    assert memory.records() == before


def test_what_was_corrected_or_forgotten_meanwhile_stays_so(memory):
    ingest(memory, message(1, "tea"), message(2, "coffee"))
    memory.run(calls.memories.update("default", "t1", content="green tea"))
    memory.run(calls.memories.forget("t2"))
    before = memory.records()
    again = ingest(memory, message(1, "tea"), message(2, "coffee"))
    assert again == {"created": 0, "existing": 2, "differing": ["t1"]}
    assert memory.records() == before


@pytest.mark.parametrize(
    "other",
    [{"said": "Good morning"}, {"speaker": "Bob"}, {"speaker": None}, {"said_at": MADE_MS}],
)
def test_a_message_that_says_something_else_than_is_there_is_named_and_changes_nothing(
    memory, other
):
    ingest(memory, message(1, "Good evening"), message(2))
    before = memory.records()
    again = ingest(memory, message(1, **{"said": "Good evening", **other}), message(2))
    assert again == {"created": 0, "existing": 2, "differing": ["t1"]}
    assert memory.records() == before


def test_keeps_the_first_of_two_messages_with_one_id_and_names_the_other(memory):
    made = ingest(memory, message(1, "tea"), message(1, "tea"), message(1, "coffee"))
    assert made == {"created": 1, "existing": 2, "differing": ["t1"]}
    assert kept(memory)["t1"]["content"] == "tea"


def test_an_archived_message_that_comes_again_is_the_same(memory):
    long = message(1, "so long a story that it is worth packing, " * 20, said_at=MADE_MS)
    ingest(memory, long)
    memory.now_ms += 400 * DAY_MS
    memory.run(calls.memories.decay_batch("default"))
    assert kept(memory)["t1"]["state"] == "archived"
    assert ingest(memory, long) == {"created": 0, "existing": 1, "differing": []}


@pytest.mark.slow
def test_each_message_comes_after_those_of_its_thread(memory):
    ingest(memory, message(1), message(1, thread="u"), message(2))
    # What is there already takes no new place.
    ingest(memory, message(3), message(2), message(4))
    ingest(memory, message(2, thread="u"), message(5))
    assert positions(memory) == {"t1": 0, "t2": 1, "t3": 2, "t4": 3, "t5": 4, "u1": 0, "u2": 1}
    problems = memory.run(calls.transfer.check())
    assert problems == []


def test_a_message_is_found_by_what_is_said_around_it_across_calls(memory):
    ingest(memory, message(1, "Where did we put the kettle?"))
    ingest(memory, message(2, "In the cellar"))
    ingest(memory, message(3, "Good that you asked"))
    rows = memory.run(calls.memories.search("default", "kettle", explained=True))
    assert [row["memory_id"] for row in rows] == ["t1", "t2", "t3"]
    sources = [row["words"][0]["from"][0]["offset"] for row in rows]
    assert sources == [0, -1, -2]


def test_a_question_that_names_a_speaker_prefers_what_that_speaker_said(memory):
    ingest(
        memory,
        message(1, "I like tea", thread="x", speaker="Bob"),
        message(1, "I like tea", thread="y", speaker="Ann Lee"),
    )
    for name, first in (("Ann", "y1"), ("Bob", "x1")):
        rows = memory.run(calls.memories.search("default", f"Does {name} like tea?"))
        assert rows[0]["memory_id"] == first


@pytest.mark.parametrize("position", ["first", 1.5, None, True, 2**63 - 1])
def test_a_position_of_a_hand_that_is_none_counts_for_nothing(memory, hands, position):
    hands.node("Memory", id="hand", user_id="default", thread="t", position=position)
    assert ingest(memory, message(0))["created"] == 1
    assert kept(memory)["t0"]["position"] == 0


def test_two_users_keep_their_own(memory):
    ingest(memory, message(1, "tea"))
    ingest(memory, message(1, "tea", id="hers"), user="ann")
    assert positions(memory) == {"t1": 0, "hers": 0}
    assert {one["id"]: one["user_id"] for one in kept(memory).values()} == {
        "t1": "default",
        "hers": "ann",
    }


def test_an_ingest_without_look_ups_does_the_same(memory):
    fields = ("created", "existing")
    [row] = memory.procedure("memorygraph.ingest", [[message(1), message(2)]], fields)
    assert row == {"created": 2, "existing": 0}
    [row] = memory.procedure("memorygraph.ingest", [[message(2), message(3)]], fields)
    assert row == {"created": 1, "existing": 1}
    ingest(memory, message(4))
    assert positions(memory) == {"t1": 0, "t2": 1, "t3": 2, "t4": 3}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"text": " "}, "text: must not be empty"),
        ({"text": "t" * 100_001}, "text: 100001 characters are too long"),
        ({"thread": ""}, "thread: must not be empty"),
        ({"speaker": ""}, "speaker: must not be empty"),
        ({"said_at": 1.5}, "said_at: must be an integer"),
        ({"said_at": 10**16}, "said_at: must be between"),
        ({"metadata": {"a": float("inf")}}, "metadata: must hold"),
    ],
)
def test_a_message_that_is_wrong_is_named_and_none_is_kept(memory, given, told):
    with pytest.raises(REFUSALS, match=f"^message 1: {told}"):
        ingest(memory, message(1), message(2, **given))
    assert kept(memory) == {}


def of_import(number: int, said: str, *imports: str) -> dict[str, Any]:
    noted = {"message_id": f"m{number}", "imports": [*imports], "observed": True}
    return message(number, said, metadata=noted)


def retract(memory: Any, import_id: str, *memory_ids: str, user: str = "default") -> dict[str, int]:
    call = calls.memories.retract(import_id, memory_ids)
    return memory.run(call, user_id=user)[0]


def observe(memory: Any, number: int, said: str) -> None:
    memory.now_ms = MADE_MS + number * 1_000
    memory.run(calls.entities.observe("t", f"m{number}", "user", said))


def kinds(memory: Any) -> Counter[str]:
    return Counter(record["kind"] for record in memory.records())


@pytest.mark.slow
def test_an_import_goes_with_all_that_rests_on_it_alone(memory):
    before = memory.now_ms
    told = {1: "My sister Clara is allergic to nuts", 2: "My brother Tom lives in Oslo"}
    told |= {3: "My sister Clara moved to Bergen"}
    for number, said in told.items():
        observe(memory, number, said)
    memory.now_ms = before
    first = [of_import(one, told[one], "a-1") for one in (1, 2)]
    ingest(memory, *first, of_import(3, told[3], "b-1"))
    assert retract(memory, "a-1", "t1", "t2", "t3") == {"removed": 2, "kept": 0}
    assert kept(memory).keys() == {"t3"}
    names = {one["node_label"] for one in memory.records() if one["kind"] == "entity"}
    assert "Clara" in names
    assert not names & {"Tom", "Oslo"}
    facts = {one["predicate"] for one in memory.records() if one["kind"] == "fact"}
    assert "allergy" not in facts
    assert memory.run(calls.memories.search("default", "brother Oslo", 10)) == []
    # The same again changes nothing, and the last one leaves nothing.
    assert retract(memory, "a-1", "t1", "t2", "t3") == {"removed": 0, "kept": 0}
    assert retract(memory, "b-1", "t3") == {"removed": 1, "kept": 0}
    assert not kinds(memory)


def test_a_memory_that_two_imports_have_goes_with_the_last(memory):
    said = "Hazelnuts are off"
    ingest(memory, of_import(1, said, "a-1"))
    found = memory.run(calls.memories.ingested([of_import(1, said, "b-1")]))[0]
    assert found["existing"] == []
    assert ingest(memory, of_import(1, said, "b-1"))["existing"] == 1
    assert retract(memory, "a-1", "t1") == {"removed": 0, "kept": 1}
    assert kept(memory)["t1"]["metadata"]["imports"] == ["b-1"]
    assert retract(memory, "b-1", "t1") == {"removed": 1, "kept": 0}
    assert kept(memory) == {}


def test_a_message_that_was_there_before_rests_on_no_import(memory):
    ingest(memory, message(1, "Hazelnuts are off"))
    ingest(memory, of_import(1, "Hazelnuts are off", "a-1"))
    assert "imports" not in kept(memory)["t1"]["metadata"]
    assert retract(memory, "a-1", "t1") == {"removed": 0, "kept": 0}


def test_an_import_of_another_user_stays(memory):
    ingest(memory, of_import(1, "Hazelnuts are off", "a-1"), user="bob")
    assert retract(memory, "a-1", "t1") == {"removed": 0, "kept": 0}
    assert kept(memory).keys() == {"t1"}
