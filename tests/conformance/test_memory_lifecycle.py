"""Memories corrected, forgotten, fading, kept, brought back and removed; and whose they are."""

import base64
import math
import os

import pytest
from expect import DAY_MS, REFUSALS
from faded import WHOLE_YEAR, decay, ids, made, run, status, stored
from test_memory_nodes import get

from concept_graph_mcp import calls
from conceptgraph_core.memories import schema
from conceptgraph_core.memories.schema import MARK
from memories import node


@pytest.mark.slow
def test_recent_tells_how_many_there_are_of_which_it_shows_some(memory):
    for count in range(5):
        importance = 0.7 if count < 2 else 0.2
        memory.now_ms += 1
        source = "research" if count % 2 else "conversation"
        run(
            memory,
            calls.memories.create("default", f"tea {count}", source=source, importance=importance),
        )
    forgotten = run(memory, calls.memories.create("default", "no tea"))[0]["memory_id"]
    run(memory, calls.memories.forget(forgotten))
    run(memory, calls.memories.create("eve", "her tea"), "eve")
    rows = run(memory, calls.memories.recent("default", 2))
    assert [(row["text"], row["total"]) for row in rows] == [("tea 4", 5), ("tea 3", 5)]
    rows = run(memory, calls.memories.recent("default", 1, "research"))
    assert [(row["text"], row["total"]) for row in rows] == [("tea 3", 2)]


@pytest.mark.slow
def test_the_longest_list_says_that_there_were_more(memory):
    memory.import_rows([node(f"m{number}") for number in range(schema.MAX_ROWS + 3)])
    rows = run(memory, calls.memories.recent("default", schema.MAX_ROWS))
    assert len(rows) == schema.MAX_ROWS
    assert {row["total"] for row in rows} == {schema.MAX_ROWS + 1}


def test_what_is_given_is_changed_and_all_else_stays(memory):
    memory_id = made(memory, summary="Tea", tags=["a"], type="fact", metadata={"k": 1})
    call = calls.memories.update("default", memory_id, content="Prefers coffee", type="")
    [row] = run(memory, call)
    assert (row["content"], row["summary"], row["type"]) == ("Prefers coffee", "Tea", None)
    assert (list(row["tags"]), row["metadata"], row["access_count"]) == (["a"], {"k": 1}, 0)
    [row] = run(
        memory,
        calls.memories.update(
            "default", memory_id, summary="", tags=[], importance=0.2, metadata={"n": 2}
        ),
    )
    assert (row["content"], row["summary"]) == ("Prefers coffee", None)
    assert (list(row["tags"]), row["metadata"]["n"]) == ([], 2)
    assert (row["state"], row["decay_score"]) == ("dormant", 0.2)


def test_a_correction_changes_by_which_words_it_is_found(memory):
    memory_id = made(memory, "Prefers tea")
    run(memory, calls.memories.update("default", memory_id, content="Prefers coffee"))
    assert memory.run(calls.transfer.check()) == []
    assert stored(memory, memory_id)["content"] == "Prefers coffee"


def test_what_is_forgotten_is_nowhere_and_its_owner_brings_it_back(memory):
    memory_id = made(memory)
    [row] = run(memory, calls.memories.forget(memory_id, "It was coffee"))
    assert row == {"memory_id": memory_id, "deleted_at": memory.now_ms}
    for call in (
        calls.memories.get(memory_id),
        calls.memories.forget(memory_id),
        calls.memories.touch([memory_id]),
        calls.memories.preserve(memory_id),
        calls.memories.decay_status(memory_id),
        calls.memories.update("default", memory_id, summary="x"),
    ):
        with pytest.raises(REFUSALS, match=rf"^memory: not found: {memory_id}$"):
            run(memory, call)
    assert run(memory, calls.memories.recent("default")) == []
    [row] = run(memory, calls.memories.listed("default", ["expired"]))
    assert (row["memory_id"], row["deleted_at"]) == (memory_id, memory.now_ms)
    record = stored(memory, memory_id)
    assert record["metadata"]["forgotten"]["reason"] == "It was coffee"
    memory.now_ms += DAY_MS
    [row] = run(memory, calls.memories.restore(memory_id))
    assert (row["restored"], row["state"]) == (True, "active")
    row = get(memory, memory_id)
    assert (row["content"], row["access_count"]) == ("Prefers tea", 2)
    assert [(one["from"], one["to"]) for one in row["metadata"]["history"]] == [
        ("active", "expired"),
        ("expired", "active"),
    ]
    assert "forgotten" not in row["metadata"]
    assert run(memory, calls.memories.restore(memory_id))[0]["restored"] is False


def test_the_latest_come_first_and_reading_them_changes_nothing(memory):
    first = made(memory, "one")
    memory.now_ms += 1
    second = made(memory, "two", source="research")
    memory.now_ms += 1
    third = made(memory, "three")
    memory.now_ms += 1
    get(memory, first)
    before = memory.records()

    def recent(**given):
        return [row["memory_id"] for row in run(memory, calls.memories.recent("default", **given))]

    assert recent() == [first, third, second]
    assert recent(limit=2) == [first, third]
    assert recent(source_filter="research") == [second]
    assert memory.records() == before


def test_memories_of_one_time_come_by_their_ids_and_are_cut_there(memory):
    ids = [f"m{number:02}" for number in range(30)]
    shuffled = [ids[number * 7 % 30] for number in range(30)]
    memory.import_rows([node(one, source="research") for one in shuffled])
    for given in ({}, {"source_filter": "research"}):
        rows = run(memory, calls.memories.recent("default", 12, **given))
        assert [row["memory_id"] for row in rows] == ids[:12]
    rows = run(memory, calls.memories.listed("default", [], 12))
    assert [row["memory_id"] for row in rows] == ids[:12]
    for one in shuffled:
        run(memory, calls.memories.forget(one))
    memory.now_ms += DAY_MS
    rows = run(memory, calls.memories.purgeable(DAY_MS, 12))
    assert [row["memory_id"] for row in rows] == ids[:12]


def test_a_list_shows_the_summary_or_else_the_beginning_of_the_content(memory):
    made(memory, "x" * 300)
    memory.now_ms += 1
    made(memory, "y" * 300, summary="Why")
    rows = run(memory, calls.memories.recent("default"))
    assert [row["text"] for row in rows] == ["Why", "x" * 279 + "…"]


def test_time_alone_changes_nothing_that_is_stored_but_the_status_knows(memory):
    memory_id = made(memory)
    before = memory.records()
    created = memory.now_ms
    memory.now_ms += 50 * DAY_MS
    row = status(memory, memory_id)
    assert (row["state"], row["decay_score"]) == ("dormant", round(0.7 * math.exp(-0.5), 6))
    assert (row["last_decay_update"], row["next_state"]) == (created, "archived")
    assert row["next_state_at"] == pytest.approx(created + 100 * math.log(7) * DAY_MS, abs=2)
    assert memory.records() == before


@pytest.mark.slow
def test_with_a_window_the_worker_takes_a_memory_through_all_states_and_nothing_is_lost(memory):
    memory.expires = True
    content = "Daniele said: äöü 🌱 " * 40
    memory_id = made(memory, content)
    seen = []
    for _ in range(50):
        memory.now_ms += 10 * DAY_MS
        processed, changes = decay(memory)
        seen += [(one["from"], one["to"]) for one in changes]
        if processed == 0:
            break
    assert seen == [("active", "dormant"), ("dormant", "archived"), ("archived", "expired")]
    record = stored(memory, memory_id)
    assert record["content"] == content
    assert record["deleted_at"] is not None
    assert run(memory, calls.memories.restore(memory_id))[0]["state"] == "active"
    assert get(memory, memory_id)["content"] == content


@pytest.mark.slow
def test_a_state_is_entered_with_its_reason_and_only_once(memory):
    memory_id = made(memory)
    memory.now_ms += 40 * DAY_MS
    expected = {
        "memory_id": memory_id,
        "text": "Prefers tea",
        "from": "active",
        "to": "dormant",
        "score": round(0.7 * math.exp(-0.4), 6),
        "why": "its score is 0.469, below 0.5, 40.0 days after its last access, 0 in all",
    }
    before = memory.records()
    assert decay(memory, dry_run=True) == (1, [expected])
    assert memory.records() == before
    assert decay(memory) == (1, [expected])
    after = memory.records()
    assert decay(memory) == (1, [])
    assert memory.records() == after


@pytest.mark.slow
def test_the_worker_goes_through_a_scope_in_bounded_batches(memory):
    ids = sorted(made(memory, f"memory {number}") for number in range(7))
    made(memory, "another's", user="ann")
    [row] = run(memory, calls.memories.decay_batch("default", 3))
    assert (row["processed"], row["last"]) == (3, ids[2])
    [row] = run(memory, calls.memories.decay_batch("default", 3, ids[5]))
    assert (row["processed"], row["last"]) == (1, None)
    assert decay(memory, limit=2)[0] == 7
    assert decay(memory, user="ann")[0] == 1


def test_what_is_archived_is_stored_smaller_and_read_whole(memory, hands, host):
    content = "The same words again and again. " * 100
    memory_id = made(memory, content)
    memory.now_ms += 200 * DAY_MS
    assert [one["to"] for one in decay(memory)[1]] == ["archived"]
    kept = raw_content(memory, hands, host, memory_id)
    assert kept.startswith(MARK)
    assert len(kept) < len(content) / 10
    [row] = run(memory, calls.memories.recent("default"))
    assert row["text"] == content[:279] + "…"
    assert memory.run(calls.transfer.check()) == []
    assert get(memory, memory_id)["content"] == content
    assert raw_content(memory, hands, host, memory_id) == content


def test_what_is_imported_as_archived_is_stored_smaller_by_the_next_run(memory, hands, host):
    content = "The same words again and again. " * 100
    memory_id = made(memory, content)
    memory.now_ms += 200 * DAY_MS
    decay(memory)
    records = memory.records()
    memory.import_rows(records)
    assert raw_content(memory, hands, host, memory_id) == content
    assert decay(memory) == (1, [])
    assert raw_content(memory, hands, host, memory_id).startswith(MARK)
    assert memory.records() == records


def test_content_of_a_hand_that_only_begins_as_if_compressed_is_read_as_it_is(memory, hands):
    for number, content in enumerate((f"{MARK}Käse", f"{MARK}cheese", MARK)):
        hands.node("Memory", id=f"{number}", user_id="default", content=content)
        assert get(memory, f"{number}")["content"] == content


@pytest.mark.parametrize("content", ["Tea", MARK, f"{MARK}nonsense", "\x1f.", "🌱"])
def test_what_compression_does_not_shorten_comes_back_too(memory, hands, host, content):
    memory_id = made(memory, content)
    memory.now_ms += 200 * DAY_MS
    decay(memory)
    assert stored(memory, memory_id)["content"] == content
    assert get(memory, memory_id)["content"] == content


def test_noise_is_not_made_longer_by_archiving(memory, hands, host):
    content = base64.b85encode(os.urandom(3_000)).decode()
    memory_id = made(memory, content)
    memory.now_ms += 200 * DAY_MS
    decay(memory)
    assert len(raw_content(memory, hands, host, memory_id)) <= len(content)
    assert get(memory, memory_id)["content"] == content


def raw_content(memory, hands, host, memory_id):
    """Return what the graph itself has as the content of a memory."""
    if host == "embedded":
        [row] = hands.probe("of_label", "Memory")
        return row["node"].properties["content"]
    return hands.value("MATCH (m:Memory {id: $id}) RETURN m.content", id=memory_id)


def test_a_tag_keeps_a_memory_for_good(memory):
    memory_id = made(memory, importance=0.1)
    [row] = run(memory, calls.memories.preserve(memory_id, "pinned"))
    assert (row["state"], row["decay_score"], row["preserved"]) == ("active", 1.0, True)
    assert (row["next_state"], row["preserved_until"]) == (None, None)
    memory.now_ms += 10 * WHOLE_YEAR * DAY_MS
    assert decay(memory)[1] == []
    row = get(memory, memory_id)
    assert (list(row["tags"]), row["state"], row["preserved"]) == (["pinned"], "active", True)


def test_a_time_keeps_a_memory_until_it_has_passed(memory):
    memory_id = made(memory)
    until = memory.now_ms + 100 * DAY_MS
    [row] = run(memory, calls.memories.preserve(memory_id, until=until))
    assert (row["preserved"], row["preserved_until"]) == (True, until)
    assert (row["next_state"], row["next_state_at"]) == ("dormant", until)
    memory.now_ms = until - 1
    assert decay(memory)[1] == []
    memory.now_ms = until
    assert [one["to"] for one in decay(memory)[1]] == ["dormant"]
    row = get(memory, memory_id)
    assert (row["preserved"], list(row["tags"])) == (False, [])
    # A time that has passed keeps nothing, and says nothing of what a tag keeps for good.
    [row] = run(memory, calls.memories.preserve(memory_id))
    assert (row["preserved"], row["preserved_until"]) == (True, None)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tag": "nice"}, "tag: must be one of permanent, important"),
        ({"until": 5}, "until: must be a time that is yet to come"),
    ],
)
def test_what_does_not_preserve_is_refused(memory, given, message):
    memory_id = made(memory)
    with pytest.raises(REFUSALS, match=message):
        run(memory, calls.memories.preserve(memory_id, **given))


def test_a_tag_too_many_is_refused_and_takes_none_of_the_others(memory):
    tags = [f"tag {number}" for number in range(100)]
    memory_id = made(memory, tags=tags)
    with pytest.raises(REFUSALS, match=r"^tags: 101 are too many; at most 100$"):
        run(memory, calls.memories.preserve(memory_id, "pinned"))
    assert stored(memory, memory_id)["tags"] == tags
    assert run(memory, calls.memories.preserve(memory_id, until=memory.now_ms + 1))[0]["preserved"]


def test_each_of_several_is_accessed_once_or_none_of_them(memory):
    one, two = made(memory, "one"), made(memory, "two")
    memory.now_ms += 60 * DAY_MS
    rows = run(memory, calls.memories.touch([one, two, one]))
    assert [(row["memory_id"], row["access_count"], row["state"]) for row in rows] == [
        (one, 1, "active"),
        (two, 1, "active"),
    ]
    with pytest.raises(REFUSALS, match=r"^memory: not found: three$"):
        run(memory, calls.memories.touch([one, "three"]))
    assert stored(memory, one)["access_count"] == 1


@pytest.mark.slow
def test_without_a_retention_window_nothing_expires(memory):
    memory_id = made(memory, "Daniele said: äöü 🌱 " * 40)
    seen = []
    for _ in range(100):
        memory.now_ms += 10 * DAY_MS
        seen += [(one["from"], one["to"]) for one in decay(memory)[1]]
    assert seen == [("active", "dormant"), ("dormant", "archived")]
    row = status(memory, memory_id)
    assert (row["state"], row["next_state"]) == ("archived", None)
    [found] = run(memory, calls.memories.search("default", "Daniele"))
    assert (found["memory_id"], found["state"]) == (memory_id, "archived")


def test_what_expired_comes_back_in_the_next_night_without_a_window(memory):
    memory.expires = True
    expired, forgotten = made(memory, "tea " * 100), made(memory, "coffee")
    run(memory, calls.memories.forget(forgotten))
    memory.now_ms += 500 * DAY_MS
    assert [one["to"] for one in decay(memory)[1]] == ["expired"]
    memory.expires = False
    [change] = decay(memory, dry_run=True)[1]
    assert (change["memory_id"], change["from"], change["to"]) == (expired, "expired", "archived")
    assert change["why"] == "nothing expires without a retention window"
    assert [one["to"] for one in decay(memory)[1]] == ["archived"]
    record = stored(memory, expired)
    assert "deleted_at" not in record
    assert record["access_count"] == 0
    assert [one["memory_id"] for one in run(memory, calls.memories.recent("default"))] == [expired]
    assert get(memory, expired)["content"] == "tea " * 100
    assert decay(memory) == (1, [])
    # What was deleted elsewhere, and what was forgotten, stays out of sight.
    memory.import_rows([node("gone", deleted_at=1, state="expired")])
    assert decay(memory) == (1, [])


def test_importance_says_how_slowly_a_memory_fades(memory):
    slow = made(memory, "one", importance=0.9)
    usual, quick = made(memory, "two"), made(memory, "three", importance=0.4)
    memory.now_ms += 60 * DAY_MS
    scores = [status(memory, one)["decay_score"] for one in (slow, usual, quick)]
    rates = (0.01 / 3, 0.01, 0.02)
    expected = [i * math.exp(-rate * 60) for i, rate in zip((0.9, 0.7, 0.4), rates, strict=True)]
    assert scores == pytest.approx(expected, abs=1e-6)
    # Found anew from the importance that it has now, for nothing of it is stored.
    run(memory, calls.memories.update("default", quick, importance=1.0))
    memory.now_ms += 10_000 * DAY_MS
    assert status(memory, quick)["decay_score"] == 1.0
    assert status(memory, quick)["next_state"] is None


@pytest.mark.slow
def test_more_important_facts_outlive_others(memory):
    for number in range(20):
        made(memory, f"vital {number}", importance=0.9)
        made(memory, f"usual {number}", importance=0.7)
    memory.expires = True
    memory.now_ms += 455 * DAY_MS
    decay(memory)
    texts = {row["text"] for row in run(memory, calls.memories.recent("default", 100))}
    assert texts == {f"vital {number}" for number in range(20)}


@pytest.mark.slow
def test_the_state_is_that_of_now_wherever_it_is_shown_without_a_worker(memory):
    memory_id = made(memory, "tea")
    run(memory, calls.memories.create("default", "kettle", importance=1.0))
    other = next(
        row["memory_id"]
        for row in run(memory, calls.memories.recent("default"))
        if row["text"] == "kettle"
    )
    run(memory, calls.memories.link(memory_id, other))
    memory.now_ms += 60 * DAY_MS
    for call in (
        calls.memories.recent("default"),
        calls.memories.listed("default"),
        calls.memories.show(memory_id),
        calls.memories.search("default", "tea"),
        calls.memories.connected(other),
        calls.memories.explore(memory_id),
        calls.memories.traverse("default", memory_id),
    ):
        [row] = [one for one in run(memory, call) if one["memory_id"] == memory_id]
        assert row["state"] == "dormant", call.procedure.name
        if "decay_score" in row:
            assert row["decay_score"] == round(0.7 * math.exp(-0.6), 6)
    [figures] = run(memory, calls.memories.stats("default"))
    assert figures["by_state"]["dormant"] == 1
    assert ids(memory, calls.memories.search("default", "tea", states=["dormant"])) == [memory_id]
    assert ids(memory, calls.memories.search("default", "tea", states=["active"])) == []
    assert ids(memory, calls.memories.listed("default", ["dormant"])) == [memory_id]
    assert ids(memory, calls.memories.listed("default", ["active"])) == [other]
    assert stored(memory, memory_id)["state"] == "active"
