"""The worker as a service: what it logs, how it ends, and a store that goes and comes back."""

import json
import logging
import os
import signal
import subprocess
import sys

import anyio
import pytest
from server_processes import LineProcess, server_environment
from tcp_proxy import Proxy

from concept_graph_mcp import calls, settings
from concept_graph_mcp.errors import Misdeployed, Unauthenticated, Unavailable
from concept_graph_mcp.hosts.memgraph.store import BoltStore
from concept_graph_mcp.logs import Lines
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.worker import fading, service
from concept_graph_mcp.worker.lease_runner import DONE, NOT_DUE, STOPPED, LeaseRunner, Outcome
from concept_graph_mcp.worker.service import Service

AGO = 1_450_000_000_000
CONFIGURED = settings.read({"TZ": "UTC"})


class Running(LineProcess):
    """`concept-graph-mcp worker`, whose log is read."""

    deadline_s = 20.0

    def __init__(self, location, *arguments):
        there = [] if "://" in location else [f"--embedded={location}"]
        command = [sys.executable, "-m", "concept_graph_mcp", *there, "worker", "--log", "json"]
        environment = server_environment({"MEMGRAPH_URI": location if not there else None})
        super().__init__([*command, *arguments], stderr=subprocess.STDOUT, env=environment)

    def until(self, event):
        """Return what is logged with *event*, having read all before it."""
        while True:
            line = self.line()
            assert line is not None, f"the worker has ended without {event!r}"
            said = json.loads(line)
            if said["event"] == event:
                return said


def fill(memory, many):
    rows = [
        {"kind": "memory", "id": f"m{n:04}", "content": "x", "created_at": AGO, "accessed_at": AGO}
        | {"user_id": "mia"}
        for n in range(many)
    ]
    memory.import_rows(rows)


def status(memory):
    # By then, at the clock of the worker.
    [row] = memory.run(calls.memories.worker_status())
    return row


@pytest.mark.slow
def test_a_service_does_at_once_what_is_due_and_ends_when_it_is_told_to(memory, tmp_path):
    fill(memory, 3)
    metrics = tmp_path / "worker.prom"
    with Running(memory.store.location, "--metrics", str(metrics)) as running:
        jobs = running.until("started")["jobs"].split(",")
        assert jobs[0] == "decay"
        assert "purge" not in jobs
        done = [running.until("done") for _ in jobs]
        assert [one["job"] for one in done] == jobs
        assert (done[0]["processed"], done[0]["transitioned"]) == (3, 3)
        running.process.send_signal(signal.SIGTERM)
        assert running.until("ended")["level"] == "info"
        assert running.finish() == 0
    assert status(memory)["holder"] is None
    assert {row["state"] for row in memory.records()} == {"archived"}
    assert 'processed_total{job="decay"} 3.0' in metrics.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_end_in_the_middle_it_finishes_its_batch(memory, number):
    many = 600
    fill(memory, many)
    with Running(memory.store.location, "--batch", "1") as running:
        running.until("started")
        while not status(memory)["processed"]:
            pass
        running.process.send_signal(number)
        stopped = running.until("stopped")
        assert (stopped["job"], stopped["why"]) == ("decay", "told to end")
        running.until("ended")
        assert running.finish() == 0
    row = status(memory)
    assert 0 < row["processed"] < many
    assert (row["holder"], row["errors"], row["runs"]) == (None, 0, 0)
    archived = [one for one in memory.records() if one["state"] == "archived"]
    assert len(archived) == row["transitioned"]


class Scripted:
    """A worker of which each run has the next of some outcomes."""

    def __init__(self, *outcomes):
        self.outcomes = [*outcomes]
        self.holder = "one"
        self.told_to_end = False
        self.session = Session.of(None, CONFIGURED, Clock(AGO))

    async def run(self, job, if_due):
        assert if_due
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        if not self.outcomes:
            os.kill(os.getpid(), signal.SIGTERM)
        return outcome


@pytest.fixture
def said(caplog):
    caplog.set_level("INFO", service.logger.name)
    return lambda: [
        record.getMessage() for record in caplog.records if record.name == service.logger.name
    ]


def test_what_keeps_going_wrong_is_told_once_and_so_is_that_it_went_well_again(said):
    away, busy = Unavailable("the store is away"), Outcome("decay", STOPPED, "two works")
    outcomes = [away, away, busy, busy, away, Outcome("decay", NOT_DUE), Outcome("decay", DONE)]
    attempts = Service(Scripted(*outcomes, Outcome("decay", NOT_DUE)))

    async def work():
        return [await attempts.attempt(fading.DECAY) for _ in outcomes]

    assert anyio.run(work) == [False, False, False, False, False, True, True]
    assert said() == ["failed", "waits", "failed", "works again", "done"]


def test_what_could_not_be_run_is_tried_again_until_it_can(said, monkeypatch):
    monkeypatch.setattr(service, "AGAIN_S", 0)
    away = Unavailable("the store is away")
    scripted = Scripted(away, away, Outcome("decay", DONE, counts={"processed": 1}))
    told = []
    anyio.run(service.serve, scripted, [fading.DECAY], None, lambda: told.append(True))
    assert told == [True]
    assert said() == ["started", "failed", "works again", "done", "ended"]


def test_what_could_not_be_run_is_tried_again_however_late_the_machine_wakes(said, monkeypatch):
    monkeypatch.setattr(service, "AGAIN_S", -3_600)
    scripted = Scripted(Unavailable("the store is away"), Outcome("decay", DONE, counts={}))

    async def work():
        # Dropped, it would not be tried before the next full hour.
        with anyio.fail_after(Running.deadline_s):
            await service.serve(scripted, [fading.DECAY], None, lambda: None)

    anyio.run(work)
    assert said() == ["started", "failed", "works again", "done", "ended"]


@pytest.fixture
def levels():
    loggers = [logging.getLogger(name) for name in ("neo4j",)]
    before = [logger.level for logger in loggers]
    yield
    for logger, level in zip(loggers, before, strict=True):
        logger.setLevel(level)


def test_libraries_log_nothing_about_lost_connections(levels, caplog):
    logging.getLogger("neo4j.io").error("[#AB58]  _: <CONNECTION> error: Failed to write data")
    logging.getLogger("another").error("Job raised an exception")
    assert [record.getMessage() for record in caplog.records] == ["Job raised an exception"]


@pytest.mark.parametrize("kind", [Misdeployed, Unauthenticated])
def test_a_store_that_cannot_be_worked_on_ends_the_service(said, kind):
    scripted = Scripted(kind("the modules are of another version"))
    with pytest.raises(kind, match="another version"):
        anyio.run(service.serve, scripted, [fading.DECAY], None, lambda: None)
    assert said() == ["started", "ended"]


@pytest.mark.slow
def test_a_database_that_dies_and_returns_is_worked_on_again(empty_memgraph, said):
    host, _, port = empty_memgraph.rpartition("/")[2].partition(":")
    proxy = Proxy(host, int(port))

    async def work():
        store = BoltStore(f"bolt://127.0.0.1:{proxy.port}", "", "")
        session = Session.of(store, CONFIGURED, Clock(AGO + 1))
        row = {"kind": "memory", "id": "a", "user_id": "mia", "content": "x"}
        await session.run(calls.transfer.import_rows([row | {"created_at": 5, "accessed_at": 5}]))
        attempts = Service(LeaseRunner(session, CONFIGURED, holder="one"))
        proxy.stop()
        away = [await attempts.attempt(fading.DECAY) for _ in range(2)]
        proxy.start()
        back = await attempts.attempt(fading.DECAY)
        [row] = await session.run(calls.memories.worker_status())
        await store.close()
        return away, back, row

    try:
        away, back, row = anyio.run(work)
    finally:
        proxy.stop()
    assert (away, back) == ([False, False], True)
    assert (row["processed"], row["transitioned"], row["runs"]) == (1, 1, 1)
    assert said() == ["failed", "works again", "done"]


@pytest.mark.parametrize("as_json", [True, False])
def test_a_line_of_the_log_is_an_event_with_its_fields(caplog, as_json):
    caplog.set_level("INFO", service.logger.name)
    service.tell("done", job="decay", processed=3, why="two works\x1b")
    line = Lines(as_json).format(caplog.records[-1])
    if as_json:
        said = json.loads(line)
        assert (said["event"], said["level"], said["processed"]) == ("done", "info", 3)
        assert said["why"] == "two works\x1b"
    else:
        assert line.endswith('info done job=decay processed=3 why="two works\\u001b"')
