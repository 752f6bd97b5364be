"""A server on a store file runs the due jobs itself, between the calls of its client."""

import logging

import anyio
import pytest
from mcp.client.client import Client

from concept_graph_mcp import calls, serving, settings
from concept_graph_mcp.hosts.lazy import connect
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.worker.along import Along
from concept_graph_mcp.worker.job import Job

DAY_MS = 86_400_000
NOW_MS = 1_750_000_000_000
# For what never comes; nothing waits as long as this where all is well.
DEADLINE_S = 30.0


def at(path):
    words = {"CONCEPT_GRAPH_EMBEDDINGS": "none"}
    return settings.read({"TZ": "UTC", "CONCEPT_GRAPH_EMBEDDED": str(path), **words})


def old(memory_id):
    ago = NOW_MS - 100 * DAY_MS
    times = {"created_at": ago, "accessed_at": ago}
    return {"kind": "memory", "id": memory_id, "user_id": "mia", "content": memory_id} | times


async def jobs_done(session):
    [row] = await session.run(calls.memories.worker_status())
    return {job["job"]: job["runs"] for job in row["jobs"]}


@pytest.fixture
def configured(tmp_path):
    return at(tmp_path / "memory.db")


@pytest.fixture
def session(configured, portal):
    store = connect(configured, creates=True)
    yield Session.of(store, configured, Clock(NOW_MS))
    portal.call(store.close)


def test_each_due_job_is_run_once_and_again_when_its_time_has_come(session, configured, portal):
    portal.call(session.run, calls.transfer.import_rows([old("a"), old("b")]))
    along = Along(session, configured)
    assert portal.call(along.run_due) == [
        "decay",
        "immediate",
        "daily",
        "weekly",
        "lapses",
        "groups",
    ]
    assert portal.call(along.run_due) == []
    session.clock.frozen_ms += 3_600_000
    assert portal.call(along.run_due) == ["decay", "immediate", "lapses", "groups"]
    done = {"decay": 2, "immediate": 2, "daily": 1, "weekly": 1, "lapses": 2, "groups": 2}
    assert portal.call(jobs_done, session) == done


def test_a_store_that_nothing_was_written_to_is_not_made_by_looking_for_jobs(
    session, configured, portal
):
    assert portal.call(Along(session, configured).run_due) == []
    assert not configured.embedded.exists()


def test_while_another_process_works_its_lease_is_left_alone(session, configured, portal):
    portal.call(session.run, calls.transfer.import_rows([old("a")]))
    portal.call(session.run, calls.memories.worker_lease("another", 60_000))
    assert portal.call(Along(session, configured).run_due) == []
    [row] = portal.call(session.run, calls.memories.worker_status())
    assert (row["holder"], row["jobs"]) == ("another", [])


def test_a_store_that_fails_is_logged_once_and_tried_again(session, configured, portal, caplog):
    portal.call(session.run, calls.transfer.import_rows([old("a")]))
    along = Along(session, configured)
    kept = configured.embedded.read_bytes()
    portal.call(session.store.close)
    configured.embedded.write_bytes(b"no database")
    with caplog.at_level(logging.WARNING):
        broken = Along(Session.of(connect(configured), configured, session.clock), configured)
        assert portal.call(broken.run_due) == portal.call(broken.run_due) == []
    assert len(caplog.records) == 1
    configured.embedded.write_bytes(kept)
    assert "decay" in portal.call(along.run_due)


def test_a_job_that_fails_in_any_way_ends_nothing(session, configured, portal, caplog):
    async def fail(_):
        raise LookupError("no such thing")

    portal.call(session.run, calls.transfer.import_rows([old("a")]))
    along = Along(session, configured)
    along._jobs = [Job("fails", "fail", {"minute": 0}, fail)]
    with caplog.at_level(logging.WARNING):
        assert portal.call(along.run_due) == portal.call(along.run_due) == []
    assert [record.getMessage() for record in caplog.records] == [
        "the due jobs could not be run: no such thing"
    ]


def test_jobs_are_run_while_a_client_calls_and_none_is_begun_after_the_end(
    session, configured, portal, monkeypatch
):
    monkeypatch.setattr(serving, "_WORKING_AFTER_S", 0.0)
    portal.call(session.run, calls.transfer.import_rows([old("a")]))

    async def serve(works_for):
        server = serving.build(session, toolsets=("concept",), works_for=works_for)
        async with Client(server) as client:
            await client.call_tool("concept_upsert", {"concept": "apple"})
            with anyio.fail_after(DEADLINE_S):
                while works_for and "weekly" not in await jobs_done(session):
                    await anyio.sleep(0.01)

    portal.call(serve, None)
    portal.call(session.store.open)
    assert portal.call(jobs_done, session) == {}
    portal.call(serve, configured)
    portal.call(session.store.open)
    [row] = portal.call(session.run, calls.memories.worker_status())
    assert row["holder"] is None


@pytest.mark.parametrize(
    ("environment", "options", "works"),
    [
        ({}, {}, True),
        ({}, {"with_set_time": True}, False),
        ({}, {"without_worker": True}, False),
        ({"CONCEPT_GRAPH_EMBEDDED": "0"}, {}, True),
        ({"CONCEPT_GRAPH_EMBEDDED": "0", "CONCEPT_GRAPH_EMBEDDINGS": "none"}, {}, False),
    ],
    ids=["file", "clock that is set", "no worker", "vectors of Memgraph", "Memgraph"],
)
def test_a_server_works_if_its_clock_runs_and_it_has_a_file_or_makes_vectors(
    tmp_path, monkeypatch, environment, options, works
):
    chosen = settings.read(
        {**{"TZ": "UTC", "CONCEPT_GRAPH_EMBEDDED": str(tmp_path / "m.db")}, **environment}
    )
    given = []
    monkeypatch.setattr(serving.logs, "log_there", lambda: None)
    monkeypatch.setattr(serving, "_run", given.append)
    monkeypatch.setattr(serving, "build", lambda *_, works_for, **__: works_for)
    serving.serve(chosen, **{"with_set_time": False, **options})
    assert given == [chosen if works else None]
