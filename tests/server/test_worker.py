"""The command `worker`, on both stores: what fades, who works, what is told of it."""

import json
import os
import time
from contextlib import contextmanager

import pytest
import scripted_model
from command_line import fails, ok, run

from concept_graph_mcp import overdue, settings
from concept_graph_mcp.commands import worker
from concept_graph_mcp.hosts.lazy import open_store
from concept_graph_mcp.session import Clock, Session
from conceptgraph_core.memories.schema import item_id

DAY_MS = 86_400_000
# Long ago, as far as a memory goes: none of these years is left of it.
AGO = 1_450_000_000_000


def memory(memory_id, user="mia", **given):
    row = {"kind": "memory", "id": memory_id, "user_id": user, "content": f"About {memory_id}"}
    return row | {"created_at": AGO, "accessed_at": AGO} | given


class Owner:
    """An owner at the command line, on one store."""

    def __init__(self, store):
        self.store = store

    def brings(self, *rows):
        ok(*self.store, "import", "-", stdin="".join(json.dumps(row) + "\n" for row in rows))

    def ok(self, *arguments):
        return ok(*self.store, "worker", *arguments).stdout

    def json(self, *arguments):
        return json.loads(self.ok(*arguments, "--json"))

    async def advised(self, days_from_now):
        """Return what is said of overdue jobs, so many days from now."""
        embedded = self.store[0].partition("=")[2] if self.store else None
        chosen = settings.read(os.environ, embedded)
        later = time.time_ns() // 1_000_000 + int(days_from_now * DAY_MS)
        async with open_store(chosen) as store:
            return await overdue.advice(Session.of(store, chosen, Clock(later)))

    def fails(self, *arguments):
        result = fails(*self.store, "worker", *arguments)
        assert result.stderr.count("\n") == 1
        return result.stderr

    def records(self):
        lines = ok(*self.store, "export", "-").stdout.splitlines()
        rows = [json.loads(line) for line in lines]
        return {row["id"]: row for row in rows if row.get("kind") == "memory"}

    def states(self):
        return {memory_id: row["state"] for memory_id, row in self.records().items()}


@pytest.fixture
def owner(there, monkeypatch):
    for name in ("CONCEPT_GRAPH_DECAY_USERS", "CONCEPT_GRAPH_RETENTION_DAYS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", "none")
    return Owner(there)


def test_everybodys_memories_fade_in_batches_and_what_is_kept_stays(owner):
    owner.brings(memory("a"), memory("b", "bob"), memory("c"), memory("d", tags=["favorite"]))
    [told] = owner.json("--once", "decay", "--batch", "2")
    assert (told["job"], told["outcome"]) == ("decay", "done")
    assert told["counts"] == {"processed": 4, "transitioned": 3, "errors": 0}
    assert owner.states() == {"a": "archived", "b": "archived", "c": "archived", "d": "active"}
    assert owner.records()["a"]["content"] == "About a"
    assert owner.ok("--once", "decay") == "decay: processed 4, transitioned 0, errors 0\n"


def test_a_dry_run_says_what_would_change_and_why_and_changes_nothing(owner):
    owner.brings(memory("a"), memory("b", "bob"))
    before = owner.records()
    printed = owner.ok("--dry-run")
    assert "About a" in printed
    assert "below 0.1" in printed
    [told] = owner.json("--once", "decay", "--dry-run")
    assert told["dry_run"] is True
    [row] = [one for one in told["changes"] if one["user_id"] == "bob"]
    assert (row["memory_id"], row["from"], row["to"]) == ("b", "active", "archived")
    assert "days after its last access" in row["why"]
    assert owner.records() == before
    assert owner.json("status")["jobs"] == []


def test_only_the_users_who_are_named_are_looked_at(owner, monkeypatch):
    owner.brings(memory("a"), memory("b", "bob"), memory("c", "cleo"))
    monkeypatch.setenv("CONCEPT_GRAPH_DECAY_USERS", "bob, cleo")
    owner.ok("--once")
    assert owner.states() == {"a": "active", "b": "archived", "c": "archived"}


def test_work_that_is_paused_is_not_done_until_it_is_resumed(owner):
    owner.brings(memory("a"))
    assert "Work is paused" in owner.ok("pause")
    line = owner.fails("--once")
    assert line == "concept-graph-mcp: decay: not run to its end: work is paused\n"
    assert owner.states() == {"a": "active"}
    assert owner.ok("resume").splitlines()[0] == "No job is running."
    owner.ok("--once")
    assert owner.states() == {"a": "archived"}


@pytest.mark.slow
def test_what_earlier_jobs_did_is_told_where_a_later_one_fails(owner, monkeypatch):
    owner.brings(memory("a"))
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", "openai:toy")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", scripted_model.KEY)
    result = fails(*owner.store, "worker", "--once", "decay", "daily", "embed")
    done, nothing = result.stdout.splitlines()
    assert done.startswith("decay: processed 1, transitioned ")
    assert nothing == "daily: nothing to do"
    assert result.stderr.startswith("concept-graph-mcp: embed: ")
    assert result.stderr.count("\n") == 1
    result = run(*owner.store, "worker", "--once", "decay", "embed", "--json")
    done, failed = json.loads(result.stdout)
    assert (done["job"], done["outcome"]) == ("decay", "done")
    assert (failed["job"], failed["outcome"], failed["counts"]) == ("embed", "failed", {})
    assert failed["why"] in result.stderr


def test_each_job_is_told_while_it_runs_with_how_far_it_is(owner, monkeypatch):
    shown = []

    @contextmanager
    def progress(what, total):
        shown.append(what)
        yield shown.append

    monkeypatch.setattr(worker, "progress", progress)
    owner.brings(*(memory(name) for name in "abc"))
    owner.ok("--once", "decay", "daily", "--batch", "2")
    assert shown == [
        *("decay: let memories fade", 2, 3),
        "daily: let edges between entities fade, and join entities that are alike",
    ]


def test_what_was_done_is_known_of_each_job(owner):
    owner.brings(memory("a"), memory("b"))
    assert "Nothing was ever done." in owner.ok("status")
    owner.ok("--once", "decay")
    status = owner.json("status")
    assert (status["paused"], status["holder"], status["runs"]) == (False, None, 1)
    [job] = status["jobs"]
    assert (job["job"], job["processed"], job["transitioned"]) == ("decay", 2, 2)
    assert job["finished_at"] >= job["started_at"]
    assert (job["errors"], job["last_error"]) == (0, None)
    # Wherever the table breaks its lines.
    shown = "".join(owner.ok("status").split())
    assert "runs1,processed2,transitioned2" in shown


def test_nothing_is_removed_for_good_unless_its_owner_said_after_how_long(owner):
    owner.brings(memory("a"), memory("b"))
    owner.ok("--once")
    assert owner.states() == {"a": "archived", "b": "archived"}
    assert "CONCEPT_GRAPH_RETENTION_DAYS" in owner.fails("--once", "purge")
    lines = owner.ok("--once", "--retention", "30").splitlines()
    assert lines[0] == "decay: processed 2, transitioned 2, errors 0"
    assert lines[-2] == "purge: nothing to do"
    assert owner.states() == {"a": "expired", "b": "expired"}


def test_what_was_deleted_before_the_window_is_removed_for_good(owner, monkeypatch):
    owner.brings(
        *(memory(f"old{number}", deleted_at=AGO, state="expired") for number in range(5)),
        memory("dear", tags=["pinned"]),
    )
    monkeypatch.setenv("CONCEPT_GRAPH_RETENTION_DAYS", "30")
    printed = owner.ok("--once", "purge", "--dry-run")
    assert "About old3" in printed
    assert "removed for good" in printed
    assert len(owner.records()) == 6
    assert owner.ok("--once", "purge", "--batch", "2") == "purge: purged 5\n"
    assert list(owner.records()) == ["dear"]
    assert owner.json("status")["purged"] == 5


def value(name, user="mia", **given):
    path, kept = f"notes/{name}", {"value": "{}", "lapses_after": 60_000, **given}
    return memory(item_id(user, path), user, content=f"About {name}", path=path, **kept)


def test_the_values_of_programs_are_removed_once_their_time_is_over(owner):
    over = [value(f"old{number}", lapses_at=AGO + number) for number in range(5)]
    later = value("later", lapses_at=4_000_000_000_000)
    owner.brings(*over, value("bobs", "bob", lapses_at=AGO), later, memory("dear"))
    printed = owner.ok("--once", "lapses", "--dry-run")
    assert "About old3" in printed
    assert len(owner.records()) == 8
    assert owner.ok("--once", "lapses", "--batch", "2") == "lapses: lapsed 6\n"
    assert {one["content"] for one in owner.records().values()} == {"About later", "About dear"}
    assert owner.ok("--once", "lapses") == "lapses: nothing to do\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--once", "--retention", "0"), "must be a number of days greater than 0"),
        (("--once", "--retention", "soon"), "must be a number of days"),
    ],
)
def test_a_retention_that_is_none_is_refused(owner, arguments, said):
    assert said in owner.fails(*arguments)


@pytest.mark.parametrize(
    "arguments", [("--once", "dream"), ("decay",), ("pause", "decay"), ("--json",)]
)
def test_what_is_no_job_is_told_as_a_wrong_argument(owner, arguments):
    result = run(*owner.store, "worker", *arguments)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_counters_that_cannot_be_written_are_told_after_what_was_done(owner, tmp_path):
    owner.brings(memory("a"))
    file = tmp_path / "nowhere" / "worker.prom"
    result = fails(*owner.store, "worker", "--once", "decay", "--metrics", str(file))
    assert "decay: processed 1, transitioned 1" in result.stdout
    assert result.stderr == (
        f"concept-graph-mcp: {file}: No such file or directory; no counters were written\n"
    )


def test_counters_are_written_as_prometheus_reads_them(owner, tmp_path):
    owner.brings(memory("a"))
    file = tmp_path / "worker.prom"
    owner.ok("--once", "--metrics", str(file))
    owner.ok("--once", "--metrics", str(file))
    lines = file.read_text(encoding="utf-8").splitlines()
    assert 'concept_graph_worker_runs_total{job="decay"} 2.0' in lines
    assert 'concept_graph_worker_transitioned_total{job="decay"} 1.0' in lines
    assert "# TYPE concept_graph_worker_transitioned_total counter" in lines
    assert "concept_graph_worker_paused 0.0" in lines
    assert {one.name for one in tmp_path.iterdir() if ".db" not in one.name} == {"worker.prom"}


def test_texts_that_lack_a_vector_are_embedded(owner, monkeypatch):
    owner.brings(memory("area"), memory("echo"))
    assert "CONCEPT_GRAPH_EMBEDDINGS: is none" in owner.fails("--once", "embed")
    with scripted_model.serving() as model:
        monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", "openai:toy")
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_API_KEY", scripted_model.KEY)
        printed = owner.ok("--once", "embed", "--dry-run")
        assert "it has no vector" in printed
        assert model.requests == []
        assert owner.ok("--once", "embed") == "embed: processed 2, embedded 2\n"
        assert owner.ok("--once", "embed") == "embed: nothing to do\n"
        # An endpoint that fails is told, and known of.
        owner.brings(memory("more"))
        model.embeds = lambda _: scripted_model.Fault(401, '{"error": {"message": "no such key"}}')
        assert "answered 401" in owner.fails("--once", "embed")
    status = owner.json("status")
    [job] = [one for one in status["jobs"] if one["job"] == "embed"]
    assert (job["runs"], job["embedded"], job["errors"]) == (2, 2, 1)
    assert "answered 401" in job["last_error"]
    sizes = {name: row.get("embedding_dimension") for name, row in owner.records().items()}
    assert sizes == {"area": 3, "echo": 3, "more": None}


@pytest.mark.slow
def test_a_pause_and_what_was_done_outlive_a_restore_and_a_clean(owner, tmp_path):
    owner.brings(memory("a"), memory("b", "bob"))
    apart = ("--dir", str(tmp_path / "backups"))
    ok(*owner.store, "backup", *apart)
    owner.json("--once", "decay")
    owner.ok("pause")
    before = owner.json("status")
    assert (before["paused"], before["runs"], before["transitioned"]) == (True, 1, 2)
    # A user who takes back a change of the worker must not see it made again at once.
    ok(*owner.store, "restore", "latest", "--yes", *apart)
    assert owner.json("status") == before
    assert "paused" in owner.fails("--once", "decay")
    ok(*owner.store, "backup", *apart)
    ok(*owner.store, "clean", "--yes", *apart)
    assert owner.json("status") == before
    owner.ok("resume")
    # That it was paused when the backup was made is nothing that a backup brings back.
    ok(*owner.store, "restore", "latest", "--yes", *apart)
    assert owner.json("status") == before | {"paused": False}
    assert set(owner.states()) == {"a", "b"}


def test_doctor_says_when_each_job_last_ran(owner):
    owner.brings(memory("a"))
    assert "none has run yet" in ok(*owner.store, "doctor").stdout
    owner.ok("--once", "decay")
    report = ok(*owner.store, "doctor").stdout
    assert "decay 20" in report
    assert "none has run yet" not in report


def test_where_no_job_has_run_for_two_days_beside_memgraph_doctor_and_stats_say_so(owner, portal):
    is_file = bool(owner.store)
    owner.brings(memory("a"))
    missing = "no job has ever run on this store; run concept-graph-mcp worker as a service"
    assert (missing in ok(*owner.store, "stats").stderr) is not is_file
    assert ("no job has ever run" in ok(*owner.store, "doctor").stdout) is not is_file
    owner.ok("--once", "decay")
    assert "no job" not in ok(*owner.store, "stats").stderr
    late = f"no job has run for 2 days; {overdue.START}"
    assert portal.call(owner.advised, 2.5) == (None if is_file else late)
    assert portal.call(owner.advised, 1.5) is None
