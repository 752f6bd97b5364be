"""The work that an owner's worker does with memories, and how it is told."""

import math

import pytest
from expect import DAY_MS, REFUSALS
from faded import decay, ids, made, run, status, stored
from test_memory_nodes import create, get

from concept_graph_mcp import calls


def test_no_call_of_an_agent_lets_a_memory_expire(memory):
    memory.expires = True
    memory_id = create(memory, "Hardly", importance=0, confidence=0)["memory_id"]
    assert get(memory, memory_id)["state"] == "archived"
    [row] = run(memory, calls.memories.update("default", memory_id, importance=0.0))
    assert row["state"] == "archived"
    row = status(memory, memory_id)
    assert (row["state"], row["next_state"]) == ("archived", "expired")
    assert row["next_state_at"] == memory.now_ms
    assert [one["to"] for one in decay(memory)[1]] == ["expired"]


def test_the_last_twenty_transitions_are_kept(memory):
    memory_id = made(memory)
    for number in range(25):
        run(memory, calls.memories.update("default", memory_id, importance=number % 2))
    history = get(memory, memory_id)["metadata"]["history"]
    assert len(history) == 20
    assert [one["to"] for one in history[-3:]] == ["archived", "active", "archived"]
    assert set(history[0]) == {"from", "to", "at", "score"}


@pytest.mark.slow
def test_a_long_history_takes_nothing_of_what_a_caller_keeps_beside_it(memory):
    own = {f"key {number}": number for number in range(999)}
    memory_id = made(memory, metadata=own)
    for number in range(25):
        run(memory, calls.memories.update("default", memory_id, importance=number % 2))
    metadata = dict(get(memory, memory_id)["metadata"])
    assert len(metadata.pop("history")) == 20
    assert metadata == own
    records = memory.records()
    memory.empty()
    memory.import_rows(records)
    assert memory.records() == records


def test_only_what_was_deleted_before_the_window_is_removed_and_only_by_its_owner(memory):
    old, new, kept = (made(memory, text) for text in ("old", "new", "kept"))
    theirs = made(memory, "theirs", user="ann")
    run(memory, calls.memories.forget(old))
    run(memory, calls.memories.forget(theirs), user="ann")
    memory.now_ms += 30 * DAY_MS
    run(memory, calls.memories.forget(new))
    window = 20 * DAY_MS
    [row] = run(memory, calls.memories.purgeable(window))
    assert row["memory_id"] == old
    # What is named but not due, or is another's, stays.
    rows = run(memory, calls.memories.purge(window, [old, new, kept, theirs]))
    assert [one["memory_id"] for one in rows] == [old]
    ids = {one["id"] for one in memory.records()}
    assert ids == {new, kept, theirs}
    assert memory.run(calls.transfer.check()) == []
    with pytest.raises(REFUSALS, match="retention_ms"):
        run(memory, calls.memories.purge(0, [new]))
    with pytest.raises(REFUSALS, match=r"^memory: not found"):
        run(memory, calls.memories.restore(old))


def test_the_scopes_are_found_one_after_the_other(memory):
    for user in ("bob", "ann", "Ann", "ännchen"):
        made(memory, "tea", user=user)
    found, after = [], None
    while rows := run(memory, calls.memories.next_scope(after)):
        [row] = rows
        after = row["user_id"]
        found.append(after)
    assert found == ["Ann", "ann", "bob", "ännchen"]
    rows = memory.procedure("memorygraph.scopes", [None, None], ("user_id",))
    assert [row["user_id"] for row in rows] == found


def test_one_worker_works_at_a_time(memory):
    [row] = run(memory, calls.memories.worker_status())
    assert (row["paused"], row["holder"], row["runs"]) == (False, None, 0)
    [row] = run(memory, calls.memories.worker_lease("one", 60_000))
    assert (row["acquired"], row["holder"]) == (True, "one")
    assert row["lease_until"] == memory.now_ms + 60_000
    [row] = run(memory, calls.memories.worker_lease("two", 60_000))
    assert (row["acquired"], row["holder"]) == (False, "one")
    assert run(memory, calls.memories.worker_lease("two", 0))[0]["holder"] == "one"
    memory.now_ms += 30_000
    assert run(memory, calls.memories.worker_lease("one", 60_000))[0]["acquired"] is True
    memory.now_ms += 60_000
    assert run(memory, calls.memories.worker_status())[0]["holder"] is None
    assert run(memory, calls.memories.worker_lease("two", 60_000))[0]["acquired"] is True
    assert run(memory, calls.memories.worker_lease("two", 0))[0]["holder"] is None


def test_nobody_works_while_work_is_paused(memory):
    assert run(memory, calls.memories.worker_pause(True))[0]["paused"] is True
    [row] = run(memory, calls.memories.worker_lease("one", 60_000))
    assert (row["acquired"], row["holder"]) == (False, None)
    run(memory, calls.memories.worker_pause(False))
    assert run(memory, calls.memories.worker_lease("one", 60_000))[0]["acquired"] is True


def test_what_the_worker_did_adds_up(memory):
    done = {"runs": 1, "processed": 20, "transitioned": 3, "started_at": 5, "duration_ms": 7}
    run(memory, calls.memories.worker_report("one", done))
    [row] = run(memory, calls.memories.worker_report("two", {"processed": 2, "last_error": "x"}))
    assert (row["runs"], row["processed"], row["transitioned"]) == (1, 22, 3)
    assert (row["started_at"], row["duration_ms"], row["last_error"]) == (5, 7, "x")
    # It is nobody's memory and in no count.
    assert memory.records() == []
    assert "workers" not in memory.stats()


def test_an_owner_s_numbers_hold_for_a_call(memory):
    memory_id = made(memory)
    memory.now_ms += 10 * DAY_MS
    call = calls.memories.decay_status(memory_id)
    [row] = memory.run(call, user_id="default", decay={"base_rate": 0.1})
    assert (row["state"], row["decay_score"]) == ("dormant", round(0.7 * math.exp(-1), 6))
    with pytest.raises(REFUSALS, match="decay: unknown number 'rate'"):
        memory.run(call, decay={"rate": 1})
    with pytest.raises(REFUSALS, match="context: decay must be a map"):
        memory.run(call, decay=0.1)


def test_links_count_only_where_an_owner_lets_them(memory):
    one, two, three = (made(memory, content) for content in ("one", "two", "three"))
    ends = [(one, two), (three, one)]
    memory.import_rows([{"kind": "link", "from": a, "to": b, "type": "supports"} for a, b in ends])
    call = calls.memories.decay_status(one)
    assert memory.run(call, user_id="default")[0]["decay_score"] == 0.7
    [row] = memory.run(call, user_id="default", decay={"degree_boost": 0.1})
    assert row["decay_score"] == round(0.7 + 0.1 * math.log(3), 6)


def test_links_to_what_is_forgotten_count_for_the_worker_as_little_as_for_anybody(memory):
    one, two = made(memory, "one", importance=0.45), made(memory, "two")
    memory.import_rows([{"kind": "link", "from": one, "to": two, "type": "supports"}])
    run(memory, calls.memories.forget(two))
    given = {"user_id": "default", "decay": {"degree_boost": 0.2}}
    [told] = memory.run(calls.memories.decay_status(one), **given)
    memory.run(calls.memories.decay_batch("default", 500), **given)
    assert told["state"] == stored(memory, one)["state"] == "dormant"


def test_each_job_is_known_by_what_it_did_and_all_of_them_together(memory):
    run(memory, calls.memories.worker_report("one", {"job": "decay", "runs": 1, "processed": 2}))
    more = {"job": "daily", "runs": 1, "started_at": 5, "counts": {"merged": 3}}
    run(memory, calls.memories.worker_report("one", more))
    [row] = run(memory, calls.memories.worker_report("one", more | {"last_error": "lost"}))
    assert (row["runs"], row["processed"], row["last_error"]) == (3, 2, "lost")
    daily, decayed = (dict(one) for one in row["jobs"])
    assert (daily["job"], daily["runs"], daily["started_at"]) == ("daily", 2, 5)
    assert (dict(daily["counts"]), daily["last_error"]) == ({"merged": 6}, "lost")
    assert (decayed["job"], decayed["runs"], decayed["processed"]) == ("decay", 1, 2)
    assert (decayed["last_error"], dict(decayed["counts"])) == (None, {})
    with pytest.raises(REFUSALS, match="job: must not be 'worker'"):
        run(memory, calls.memories.worker_report("one", {"job": "worker"}))


def test_a_batch_of_the_worker_is_counted_with_what_it_does_and_keeps_its_lease(memory):
    made(memory, "one")
    run(memory, calls.memories.worker_lease("one", 1_000))
    memory.now_ms += 60 * DAY_MS
    [row] = run(memory, calls.memories.decay_batch("default", holder="one"))
    assert (row["processed"], row["transitioned"]) == (1, 1)
    [row] = run(memory, calls.memories.worker_status())
    assert (row["processed"], row["transitioned"], row["holder"]) == (1, 1, "one")
    assert row["lease_until"] == memory.now_ms + 120_000
    assert [(one["job"], one["transitioned"]) for one in row["jobs"]] == [("decay", 1)]
    # What is only told is not counted.
    run(memory, calls.memories.decay_batch("default", dry_run=True, holder="one"))
    assert run(memory, calls.memories.worker_status())[0]["processed"] == 1


def test_a_batch_of_one_who_does_not_work_any_more_changes_nothing(memory):
    memory_id = made(memory, "one")
    run(memory, calls.memories.forget(made(memory, "gone")))
    run(memory, calls.memories.worker_lease("one", 1_000))
    memory.now_ms += 60 * DAY_MS
    run(memory, calls.memories.worker_lease("two", 1_000))
    before = memory.records()
    removable = run(memory, calls.memories.purgeable(DAY_MS))
    assert [one["text"] for one in removable] == ["gone"]
    removed = [one["memory_id"] for one in removable]
    for call in (
        calls.memories.decay_batch("default", holder="one"),
        calls.memories.purge(DAY_MS, removed, "one"),
    ):
        with pytest.raises(REFUSALS, match=r"^worker: the lease is somebody else's"):
            run(memory, call)
    run(memory, calls.memories.worker_pause(True))
    with pytest.raises(REFUSALS, match=r"^worker: work is paused$"):
        run(memory, calls.memories.decay_batch("default", holder="two"))
    assert memory.records() == before
    assert stored(memory, memory_id)["state"] == "active"
    assert run(memory, calls.memories.worker_status())[0]["processed"] == 0
    run(memory, calls.memories.worker_pause(False))
    run(memory, calls.memories.purge(DAY_MS, removed, "two"))
    assert run(memory, calls.memories.worker_status())[0]["purged"] == 1


def test_what_has_expired_is_counted_and_found_by_its_owner_and_what_was_forgotten_is_not(memory):
    memory.expires = True
    green = made(memory, "green tea", tags=["drinks"])
    black = made(memory, "black tea", source="research")
    forgotten = made(memory, "bad tea")
    made(memory, "her tea", user="eve")
    run(memory, calls.memories.forget(forgotten))
    memory.now_ms += 500 * DAY_MS
    decay(memory)
    fresh = made(memory, "fresh tea")

    def expired(*given, **filters):
        rows = run(memory, calls.memories.expired("default", *given, **filters))
        return {row["memory_id"] for row in rows}

    for query in (None, "tea"):
        assert expired(query) == {green, black}
        assert expired(query, source_filter="research") == {black}
        assert expired(query, tags=["drinks"]) == {green}
        [row] = run(memory, calls.memories.expired("default", query, 1))
        assert (row["total"], row["state"]) == (2, "expired")
        assert row["deleted_at"] == memory.now_ms
    assert expired("kettle") == set()
    [figures] = run(memory, calls.memories.stats("default"))
    assert (figures["nodes"], figures["by_state"]["expired"]) == (1, 2)
    # Of all users.
    assert memory.stats()["memories expired"] == 2
    for one in (green, black):
        run(memory, calls.memories.restore(one))
    assert expired("tea") == set()
    assert "expired" not in run(memory, calls.memories.stats("default"))[0]["by_state"]
    assert set(ids(memory, calls.memories.recent("default"))) == {green, black, fresh}


def test_the_owner_lists_by_tags_in_whatever_state(memory):
    ids_of = {}
    for name, tags in (("tea", ["drink"]), ("rye", ["food"]), ("milk", ["drink", "cold"])):
        [row] = run(memory, calls.memories.create("default", name, tags=tags))
        ids_of[name] = row["memory_id"]
    run(memory, calls.memories.forget(ids_of["milk"]))
    both = {ids_of["tea"], ids_of["milk"]}
    assert set(ids(memory, calls.memories.listed("default", tags=["drink"]))) == both
    gone = calls.memories.listed("default", ["expired"], tags=["drink", "food"])
    assert ids(memory, gone) == [ids_of["milk"]]
    assert len(ids(memory, calls.memories.listed("default", limit=1, tags=["drink"]))) == 1
    assert ids(memory, calls.memories.listed("default", tags=["Drink"])) == []
    assert run(memory, calls.memories.listed("ann", tags=["drink"]), "ann") == []
