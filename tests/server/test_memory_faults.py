"""Memories when eight processes use them at once, and when one is killed in the middle."""

import json
from pathlib import Path
from typing import Any

import neo4j
import pytest
from embedded_files import assert_sound
from server_processes import Worker, all_at_once, workers

NOW_MS = 1_750_000_000_000
DAY_MS = 86_400_000
CONTENT = "What was said, again and again. " * 20


def memory(number: int, days: int) -> dict[str, Any]:
    """Return the record of a memory that was accessed so many days ago."""
    then = NOW_MS - days * DAY_MS
    record = {"kind": "memory", "id": f"m{number:03}", "user_id": "default"}
    return record | {"content": f"{number}: {CONTENT}", "created_at": then, "accessed_at": then}


@pytest.fixture(params=["embedded", "memgraph"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "embedded":
        return tmp_path / "memory.db"
    return request.getfixturevalue("empty_memgraph")


def memories(records: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {record["id"]: record for record in records if record["kind"] == "memory"}


@pytest.mark.slow
def test_eight_processes_that_access_the_same_lose_no_access(location):
    wanted = [["memories.touch", ["m000", "m001"]], ["memories.get", "m001"]] * 5
    wanted += [["memories.create", "default", "a new one"]]
    with workers(location, 8) as started:
        started[0].rows("import_rows", [memory(number, days=40) for number in range(2)])
        answers = all_at_once(started, wanted)
        found = memories(started[0].rows("records"))
        assert started[0].rows("check") == []
    assert [answer for answer in answers if "error" in answer] == []
    assert (found["m000"]["access_count"], found["m001"]["access_count"]) == (40, 80)
    assert len(found) == 2 + 8


@pytest.mark.slow
def test_eight_processes_in_one_thread_get_places_of_their_own(location):
    def said(number: int, process: int = 0) -> list[Any]:
        one = {"id": f"{process}-{number}", "thread": "t", "said_at": NOW_MS + number}
        return ["memories.ingest", "default", [one | {"text": f"The tea of {number}"}]]

    with workers(location, 8) as started:
        started[0].rows(*said(0))
        for process, worker in enumerate(started, 1):
            worker.send_calls([said(number, process) for number in range(1, 6)])
        answers = [worker.answer() for worker in started for _ in range(5)]
        found = memories(started[0].rows("records"))
        assert started[0].rows("check") == []
    assert [answer for answer in answers if "error" in answer] == []
    assert sorted(one["position"] for one in found.values()) == list(range(41))


@pytest.mark.parametrize("is_first", [True, False])
def test_one_of_two_that_begin_a_thread_at_once_must_try_again(empty_memgraph, is_first):
    call = "CALL memorygraph.ingest([$one]) YIELD created RETURN created"

    def said(session: Any, id_: str, thread: str) -> Any:
        transaction = session.begin_transaction()
        one = {"id": id_, "thread": thread, "said_at": NOW_MS, "text": "The tea of today"}
        transaction.run(call, one=one).consume()
        return transaction

    def both(one: Any, other: Any) -> None:
        first = said(one, "c", "t")
        try:
            second = said(other, "d", "t")
        finally:
            first.commit()
        second.commit()

    with (
        neo4j.GraphDatabase.driver(empty_memgraph) as driver,
        driver.session() as one,
        driver.session() as other,
    ):
        # The words are there already, and what counts the texts of each: only the thread is new,
        # and what counts its like. ("pp" before an id lets it be counted with the same.)
        for id_ in ("c", "d") if is_first else ("c", "d", "t"):
            said(one, f"pp{id_}", "before").commit()
        with pytest.raises(neo4j.exceptions.ClientError, match=r"serializ|unique constraint"):
            both(one, other)
        found = one.run("MATCH (m:Memory {thread: 't'}) RETURN m.position AS place").value()
    assert found == [0]


@pytest.mark.slow
def test_a_file_that_two_processes_ingest_at_once_is_there_once(location):
    def said(number: int) -> dict[str, Any]:
        one = {"id": f"m{number}", "thread": f"t{number // 10}", "said_at": NOW_MS + number}
        return one | {"text": f"The tea of {number}", "speaker": "Ann"}

    batches = [[said(number) for number in range(first, first + 20)] for first in (0, 20, 40)]
    with workers(location, 2) as started:
        for worker in started:
            worker.send_calls([["memories.ingest", "default", batch] for batch in batches])
        answers = [worker.answer() for worker in started for _ in batches]
        found = memories(started[0].rows("records"))
        assert started[0].rows("check") == []
    assert [answer for answer in answers if "error" in answer] == []
    created = sum(row["created"] for answer in answers for row in answer["rows"])
    assert created == len(found) == 60
    assert {one["id"]: one["position"] for one in found.values()} == {
        f"m{number}": number % 10 for number in range(60)
    }


@pytest.mark.slow
def test_one_of_eight_workers_makes_each_change_once(location):
    lease = [["memories.worker_lease", f"worker {number}", 60_000] for number in range(8)]
    with workers(location, 8) as started:
        started[0].rows("import_rows", [memory(number, days=40) for number in range(40)])
        taken = [worker.rows(*call)[0] for worker, call in zip(started, lease, strict=True)]
        # Even if several thought that they held it: the same batches at once.
        answers = all_at_once(started, [["memories.decay_batch", "default", 10, None]] * 2)
        found = memories(started[0].rows("records"))
    assert [one["acquired"] for one in taken] == [True, *[False] * 7]
    assert {one["holder"] for one in taken} == {"worker 0"}
    assert [answer for answer in answers if "error" in answer] == []
    assert sum(answer["rows"][0]["transitioned"] for answer in answers) == 10
    assert [len(one["metadata"].get("history", ())) for one in found.values()].count(1) == 10
    assert [one["state"] for one in found.values()].count("dormant") == 10


@pytest.mark.slow
def test_a_lease_that_all_ask_for_at_once_is_given_to_one(location):
    with workers(location, 8) as started:
        # In no store yet: the first to ask makes the worker.
        for number, worker in enumerate(started):
            worker.send_calls([["memories.worker_lease", f"worker {number}", 60_000]])
        answers = [worker.answer() for worker in started]
    rows = [row for answer in answers for row in answer["rows"]]
    assert [row["acquired"] for row in rows].count(True) == 1
    assert len({row["holder"] for row in rows}) == 1


@pytest.mark.slow
def test_a_worker_killed_in_mid_batch_leaves_each_memory_as_it_was_or_done(tmp_path):
    path = tmp_path / "memory.db"
    with workers(path, 1) as started:
        started[0].rows("import_rows", [memory(number, days=200) for number in range(300)])
    for number in range(8):
        lines = tmp_path / "calls"
        batch = ["memories.decay_batch", "default", 30, f"m{number * 30:03}"]
        lines.write_text("".join(f"{json.dumps(batch)}\n" for _ in range(40)))
        with lines.open("rb") as stdin, Worker(path, stdin=stdin) as worker:
            assert worker.answer() == {"rows": []}
            if number % 2:
                worker.answer()
            worker.kill()
        assert_sound(path)
    with workers(path, 1) as started:
        found = memories(started[0].rows("records"))
        assert started[0].rows("check") == []
    assert len(found) == 300
    for number, one in enumerate(found[key] for key in sorted(found)):
        assert one["content"] == f"{number}: {CONTENT}"
        entered = [entry["to"] for entry in one["metadata"].get("history", ())]
        assert (one["state"], entered) in [("active", []), ("archived", ["archived"])]
    assert [one["state"] for one in found.values()].count("archived") >= 30


@pytest.mark.slow
def test_a_backup_is_restored_amid_memories_in_use(location, tmp_path):
    file = tmp_path / ("backup.db" if isinstance(location, Path) else "backup.jsonl.gz")
    with workers(location, 3) as (owner, *servers):
        owner.rows("import_rows", [memory(number, days=40) for number in range(20)])
        kept = memories(owner.rows("records"))
        assert owner.ask("backup", str(file)) == {"rows": []}
        for server in servers:
            server.rows("memories.get", "m000")
            server.rows("memories.link", "m002", "m003", "supports")
        servers[0].rows("memories.forget", "m001")
        servers[1].rows("memories.create", "default", "a new one")
        assert owner.ask("restore", str(file)) == {"rows": []}
        # Each of them had other memories before its eyes.
        for server in servers:
            assert memories(server.rows("records")).keys() == kept.keys()
            [read] = server.rows("memories.get", "m001")
            assert read["content"] == kept["m001"]["content"]
            assert server.rows("memories.connected", "m002") == []
        found = memories(owner.rows("records"))
        assert found["m001"]["access_count"] == 2
        assert owner.rows("check") == []
    if isinstance(location, Path):
        assert_sound(location)
