"""One worker of several: the lease, what a kill leaves behind, and when a job is due."""

import os
import subprocess
import sys
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import anyio
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from server_processes import LineProcess
from tests.examples import limit_examples

from concept_graph_mcp import calls, settings
from concept_graph_mcp.errors import Unavailable
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.worker import along, fading
from concept_graph_mcp.worker.job import Job, JobRun, Stopped
from concept_graph_mcp.worker.lease_runner import DONE, NOT_DUE, STOPPED, LeaseRunner, is_due
from conceptgraph_core.jobs.schema import LEASE_MS

DAY_MS = 86_400_000
NOW_MS = 1_750_000_000_000
CONFIGURED = settings.read({"TZ": "UTC"})
PROCESS = Path(__file__).with_name("worker_process.py")


def worker(memory, name, batch=2, now_ms=None):
    session = Session.of(memory.store, CONFIGURED, Clock(now_ms or memory.now_ms))
    return LeaseRunner(session, CONFIGURED, batch, holder=name)


def old(memory_id, days=60, user="mia"):
    at = NOW_MS - days * DAY_MS
    row = {"kind": "memory", "id": memory_id, "user_id": user, "content": memory_id}
    return row | {"created_at": at, "accessed_at": at}


def states(memory):
    return Counter(row["state"] for row in memory.records() if row["kind"] == "memory")


def status(memory):
    [row] = memory.run(calls.memories.worker_status())
    return row


def test_while_one_works_no_other_does_and_after_its_lease_another_goes_on(memory, portal):
    memory.import_rows([old("a"), old("b")])
    memory.run(calls.memories.worker_lease("one", LEASE_MS))
    two = worker(memory, "two")
    outcome = portal.call(two.run, fading.DECAY)
    assert (outcome.what, outcome.why) == (STOPPED, "one works")
    assert states(memory) == {"active": 2}
    memory.now_ms += LEASE_MS
    outcome = portal.call(worker(memory, "two").run, fading.DECAY)
    assert (outcome.what, outcome.counts["transitioned"]) == (DONE, 2)
    assert states(memory) == {"dormant": 2}
    # It lets go at the end.
    assert status(memory)["holder"] is None


def test_a_lease_of_a_clock_that_was_years_ahead_keeps_nobody_from_working(memory):
    now_ms = memory.now_ms
    memory.now_ms += 3_650 * DAY_MS
    memory.run(calls.memories.worker_lease("one", LEASE_MS))
    memory.now_ms = now_ms
    assert status(memory)["holder"] is None
    [row] = memory.run(calls.memories.worker_lease("two", LEASE_MS))
    assert (row["acquired"], row["holder"]) == (True, "two")


@pytest.mark.parametrize(
    ("holder", "lease_ms", "why"),
    [("two", LEASE_MS, "two works"), (None, 0, "its lease has ended")],
)
def test_a_worker_that_slept_too_long_ends_where_another_has_taken_over(
    memory, portal, holder, lease_ms, why
):
    memory.import_rows([old(name) for name in "abcd"])

    async def sleeps(turn: Any) -> None:
        [row] = await turn.of_user("mia").run(
            calls.memories.decay_batch("mia", 2, holder=turn.holder)
        )
        turn.tell({"transitioned": row["transitioned"]})
        turn.session.clock.frozen_ms += LEASE_MS
        await turn.session.run(calls.memories.worker_lease("two", LEASE_MS))
        # Who took over may be done by now.
        await turn.session.run(calls.memories.worker_lease("two", lease_ms))
        await fading.run_decay(turn)

    one = worker(memory, "one")
    outcome = portal.call(one.run, Job("decay", "sleep", {"minute": 0}, sleeps))
    assert (outcome.what, outcome.why) == (STOPPED, why)
    assert states(memory) == {"dormant": 2, "active": 2}
    assert status(memory)["holder"] == holder
    [job] = status(memory)["jobs"]
    # It is no failure, and no run that was finished.
    assert (job["transitioned"], job["runs"], job["errors"]) == (2, 0, 0)


@pytest.mark.parametrize("how", ["paused", "told"])
def test_a_run_ends_between_two_batches_when_it_is_paused_or_told_to_end(memory, portal, how):
    memory.import_rows([old(name) for name in "abcd"])
    told: list[bool] = []

    async def halfway(turn: Any) -> None:
        await turn.of_user("mia").run(calls.memories.decay_batch("mia", 2, holder=turn.holder))
        if how == "paused":
            await turn.session.run(calls.memories.worker_pause(True))
        else:
            told.append(True)
        await turn.go_on()

    session = Session.of(memory.store, CONFIGURED, Clock(memory.now_ms))
    one = LeaseRunner(session, CONFIGURED, 2, lambda: bool(told), "one")
    outcome = portal.call(one.run, Job("decay", "stop", {"minute": 0}, halfway))
    assert outcome.what == STOPPED
    assert outcome.why == {"paused": "work is paused", "told": "told to end"}[how]
    assert states(memory) == {"dormant": 2, "active": 2}
    assert status(memory)["holder"] is None


def test_what_only_a_job_counts_is_kept_and_keeps_the_lease(memory, portal):
    async def counts(turn: Any) -> None:
        await turn.report(processed=3, merged=2)
        await turn.go_on()
        turn.session.clock.frozen_ms += 1_000

    outcome = portal.call(worker(memory, "one").run, Job("daily", "merge", {"hour": 2}, counts))
    assert (outcome.what, outcome.counts) == (DONE, {"processed": 3, "merged": 2})
    [job] = status(memory)["jobs"]
    assert (job["job"], job["processed"], dict(job["counts"])) == ("daily", 3, {"merged": 2})
    assert job["finished_at"] - job["started_at"] == 1_000


def test_a_job_that_fails_says_so_in_the_store_and_lets_go(memory, portal):
    async def fails(turn: Any) -> None:
        raise Unavailable("the other side is away")

    with pytest.raises(Unavailable):
        portal.call(worker(memory, "one").run, Job("decay", "fail", {"minute": 0}, fails))
    [job] = status(memory)["jobs"]
    assert (job["errors"], job["last_error"], job["runs"]) == (1, "the other side is away", 0)
    assert job["started_at"] is None
    assert status(memory)["holder"] is None


def test_a_job_is_done_once_each_time_that_it_is_due_whoever_asks(memory, portal):
    memory.import_rows([old("a")])
    one = worker(memory, "one")
    assert portal.call(one.run, fading.DECAY, True).what == DONE
    assert portal.call(worker(memory, "two").run, fading.DECAY, True).what == NOT_DUE
    one.session.clock.frozen_ms += 3_600_000
    assert portal.call(one.run, fading.DECAY, True).what == DONE
    assert status(memory)["runs"] == 2


@pytest.mark.parametrize(
    ("schedule", "started", "now", "due"),
    [
        ({"minute": 0}, None, "2026-01-01T00:30", True),
        ({"minute": 0}, "2026-01-01T09:59:59", "2026-01-01T10:00:00", True),
        ({"minute": 0}, "2026-01-01T10:00:00", "2026-01-01T10:59:59", False),
        ({"minute": 0}, "2026-01-01T10:00:00", "2026-01-03T10:30:00", True),
        ({"hour": 2, "minute": 0}, "2026-01-01T02:00:00", "2026-01-02T01:59:00", False),
        ({"hour": 2, "minute": 0}, "2026-01-01T02:00:00", "2026-01-02T02:00:00", True),
        # The night in which the clock springs from 2 to 3.
        ({"hour": 2, "minute": 30}, "2026-03-28T02:30:00", "2026-03-29T04:00:00", True),
        # The night in which the hour from 2 to 3 comes twice, and with it what begins in it.
        ({"minute": 0}, "2026-10-25T00:00:00Z", "2026-10-25T00:59:59Z", False),
        ({"minute": 0}, "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", True),
        ({"minute": 0}, "2026-10-25T01:00:00Z", "2026-10-25T01:00:01Z", False),
        ({"minute": 0}, "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z", True),
        ({"hour": 2, "minute": 0}, "2026-10-25T01:00:00Z", "2026-10-26T00:59:59Z", False),
        # A clock that was a little ahead; and one that was years ahead.
        ({"minute": 0}, "2026-01-01T11:30:00", "2026-01-01T11:10:00", False),
        ({"minute": 0}, "2096-01-01T11:30:00", "2026-01-01T11:10:00", True),
        ({"day_of_week": "sun", "hour": 3}, "2026-01-04T03:00:00", "2026-01-11T02:59:00", False),
        ({"day_of_week": "sun", "hour": 3}, "2026-01-04T03:00:00", "2026-01-11T03:00:00", True),
    ],
)
def test_a_job_is_due_at_its_times_of_the_owners_zone(schedule, started, now, due):
    zone = ZoneInfo("Europe/Berlin")

    def unix_ms(text):
        moment = datetime.fromisoformat(text)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp() * 1000)

    jobs = [] if started is None else [{"job": "j", "started_at": unix_ms(started)}]
    job = Job("j", "", schedule, fading.run_decay)
    assert is_due(job, {"jobs": jobs}, unix_ms(now), zone) is due


def test_every_job_has_a_time_and_a_name_of_its_own():
    names = [job.name for job in along.JOBS]
    assert len(set(names)) == len(names)
    assert "worker" not in names
    for job in along.JOBS:
        # Never run: due at once, wherever.
        assert is_due(job, {"jobs": []}, NOW_MS, ZoneInfo("UTC"))
    missing = {*names} - {job.name for job in along.choose_configured(CONFIGURED)}
    assert missing == {"purge"}


# A kill, at any call of a run: before the store has heard of it, or before its answer is heard.


class Killed(BaseException):
    """The process is gone; nothing more of it is done."""


class Dying:
    """A store whose client dies at its nth call."""

    def __init__(self, store, calls_left, answered):
        self._store, self._left, self._answered = store, calls_left, answered
        self.location = store.location

    async def call(self, call, context):
        self._left -= 1
        if self._left < 0:
            raise Killed
        rows = await self._store.call(call, context)
        if self._left == 0 and self._answered:
            raise Killed
        return rows


async def lived(path, rows, kill_at, answered):
    """Return what a store holds after a run that may have been killed and one to its end."""
    configured = settings.read({"TZ": "UTC", "CONCEPT_GRAPH_RETENTION_DAYS": "30"})
    store = EmbeddedStore(path)
    session = Session.of(store, configured, Clock(NOW_MS))
    await session.run(calls.transfer.import_rows(rows))
    if kill_at is not None:
        dying = Session.of(Dying(store, kill_at, answered), configured, Clock(NOW_MS))
        try:
            for job in (fading.DECAY, fading.PURGE):
                await LeaseRunner(dying, configured, 2, holder="same").run(job)
        except Killed:
            await store.close()
            store = EmbeddedStore(path)
            session = Session.of(store, configured, Clock(NOW_MS))
    for job in (fading.DECAY, fading.PURGE):
        outcome = await LeaseRunner(session, configured, 2, holder="same").run(job)
        assert outcome.what == DONE
    records = [record async for batch in store.stream() for record in batch]
    [row] = await session.run(calls.memories.worker_status())
    await store.close()
    counted = {name: row[name] for name in ("transitioned", "purged", "errors", "holder")}
    return sorted(map(repr, records)), counted


AGES = st.lists(st.integers(0, 600), min_size=1, max_size=7)


@pytest.mark.slow
@examples(
    max_examples=limit_examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(AGES, AGES, st.integers(0, 14), st.booleans())
def test_after_a_kill_anywhere_another_run_ends_as_if_nothing_had_happened(
    tmp_path_factory, ages, deleted, kill_at, answered
):
    folder = tmp_path_factory.mktemp("kill")
    users = ("mia", "bob")
    rows = [old(f"m{number}", days, users[number % 2]) for number, days in enumerate(ages)]
    rows += [
        old(f"d{number}", 700) | {"state": "expired", "deleted_at": NOW_MS - days * DAY_MS}
        for number, days in enumerate(deleted)
    ]
    undisturbed = anyio.run(lived, folder / "one.db", rows, None, False)
    assert anyio.run(lived, folder / "two.db", rows, kill_at, answered) == undisturbed


@pytest.mark.slow
def test_a_worker_that_is_killed_leaves_whole_batches_and_the_next_completes_them(
    memory,
):
    many = 400
    memory.import_rows([old(f"m{number:03}", 600) for number in range(many)])
    dead = process(memory.store.location, memory.now_ms, "one", 2)
    while not status(memory)["processed"]:
        pass
    dead.kill()
    dead.finish()
    left, kept = status(memory), states(memory)
    # What it had sent to a server may be done only now.
    while left != (now := status(memory)):
        left, kept = now, states(memory)
    assert 0 < left["processed"] < many
    # Each batch is there with its count, or neither is.
    assert kept["archived"] == left["transitioned"] == left["processed"]
    with process(memory.store.location, memory.now_ms, "two", 2) as other:
        assert other.line() == b'{"what": "stopped", "why": "one works"}\n'
    with process(memory.store.location, memory.now_ms + LEASE_MS, "two", 100) as other:
        assert other.line() == b'{"what": "done", "why": ""}\n'
    assert states(memory) == {"archived": many}
    assert status(memory)["transitioned"] == many
    histories = {len(row["metadata"]["history"]) for row in memory.records()}
    assert histories == {1}


@pytest.mark.slow
def test_two_workers_change_each_memory_once(memory):
    many = 300
    memory.import_rows([old(f"m{number:03}") for number in range(many)])
    both = [process(memory.store.location, memory.now_ms, name, 5) for name in ("one", "two")]
    told = [one.line() for one in both]
    assert [one.finish() for one in both] == [0, 0]
    assert b'{"what": "done", "why": ""}\n' in told
    assert states(memory) == {"dormant": many}
    assert status(memory)["transitioned"] == many
    assert status(memory)["holder"] is None


def process(location, now_ms, holder, batch):
    given = (str(location), str(now_ms), holder, str(batch))
    return LineProcess([sys.executable, "-B", str(PROCESS), *given])


def test_two_workers_of_one_process_are_two():
    session = Session.of(None, CONFIGURED, Clock(NOW_MS))
    assert LeaseRunner(session, CONFIGURED).holder != LeaseRunner(session, CONFIGURED).holder


def test_no_turn_goes_on_that_was_told_to_end():
    turn = JobRun("decay", None, CONFIGURED, None, stopping=lambda: True)
    with pytest.raises(Stopped, match="told to end"):
        anyio.run(turn.go_on)


LEASE_AND_DIE = """
import os, sys
from concept_graph_mcp.worker.lease_runner import _name_holder
print(_name_holder(os.getpid()), flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a process began")
def test_the_lease_of_a_worker_that_died_on_this_machine_is_taken_over_at_once(memory, portal):
    memory.import_rows([old("a")])
    arguments = [sys.executable, "-c", LEASE_AND_DIE]
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, text=True) as other:
        holder = other.stdout.readline().strip()
        memory.run(calls.memories.worker_lease(holder, LEASE_MS))
        assert portal.call(worker(memory, None).run, fading.DECAY).what == STOPPED
        other.kill()
    assert portal.call(worker(memory, None).run, fading.DECAY).what == DONE
    # Another process has the number since, or it is the number of a process elsewhere.
    host, _, place, began, token = holder.split(":")
    here = str(os.getpid())
    for life, what in ((place, began), DONE), (("elsewhere", began), STOPPED):
        memory.run(calls.memories.worker_lease(":".join((host, here, *life, token)), LEASE_MS))
        assert portal.call(worker(memory, None).run, fading.DECAY).what == what
