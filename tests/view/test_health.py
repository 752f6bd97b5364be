"""Health: sizes, growth, jobs, the last backup, and findings with the command that mends each."""

import sqlite3
from dataclasses import replace
from typing import Any

import pytest
from asgi import PORT, TOKEN, Asked
from known import DAY_MS, NOW_MS, speak
from tests.conftest import Memory

from concept_graph_mcp import calls, settings
from concept_graph_mcp.health import page
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.view.serving import build
from concept_graph_mcp.worker import registry

ESCAPE = "\ue00c"
USER, BOB = "default", "bob"
ZED = [{"label": "Zed", "type": "entity", "kind": "person"}]


@pytest.fixture
def chosen():
    return settings.read({"TZ": "UTC"}, "given.db")


def asked(session: Session, chosen: Any, portal: Any) -> Asked:
    more = page.answers(chosen, session.store)  # type: ignore[arg-type]
    return Asked(build(session, None, TOKEN, PORT, more=more), portal)


def fill(memory: Memory, now_ms: int = NOW_MS) -> None:
    """Speak of them all, two years back too; Bob keeps something as well."""
    for days in (900, 300, 1):
        memory.now_ms = now_ms - days * DAY_MS
        memory.run(calls.everyday.remember(USER, f"It rained on day {days}"), user_id=USER)
        memory.run(calls.everyday.remember(BOB, f"A secret of day {days}"), user_id=BOB)
    speak(memory, now_ms)
    memory.run(calls.entities.observe("s", "m", "user", "Zed", ZED), user_id=BOB)
    memory.concept_upsert("rain")
    memory.episode_add("It rained all day", ["rain"])


def test_sizes_and_growth_are_those_of_the_user_alone(memory, session, chosen, portal, monkeypatch):
    fill(memory)
    monkeypatch.setattr(page, "Clock", lambda: Clock(NOW_MS))
    sizes = asked(session, chosen, portal).get("api/health").content["sizes"]
    mentions = sizes["totals"].pop("mentions")
    assert sizes["totals"] == {"memories": 3, "entities": 10, "concepts": 1, "episodes": 1}
    before, *each = sizes["growth"]["memories"]
    assert (before, sum(each[:-1]), each[-1]) == (1, 2, 0)
    assert sum(sizes["growth"]["mentions"]) == mentions > 0
    # A month has its number after that of all that was before.
    assert len(sizes["months"]) == len(each)
    bob = asked(replace(session, user_id=BOB), chosen, portal).get("api/health").content["sizes"]
    assert bob["totals"] == {
        **{"memories": 3, "mentions": 1, "entities": 1},
        **{"concepts": 1, "episodes": 1},
    }


def test_the_owner_sees_the_last_backup_and_jobs_with_commands(memory, session, chosen, portal):
    fill(memory)
    mine = asked(session, chosen, portal)
    first = mine.get("api/health").content
    assert first["store"]["size"]
    found = {one["what"]: one for one in first["findings"]}
    assert found["last backup"]["state"] == "none is recorded"
    assert found["last backup"]["mend"].endswith("given.db backup")
    assert {one["state"] for one in first["jobs"]["jobs"]} == {"never ran"}
    memory.now_ms = NOW_MS
    memory.run(calls.memory_admin.record_backup("/backups/a.db"))
    memory.run(calls.memory_admin.worker_lease("me", 60_000))
    done = {"job": "decay", "started_at": NOW_MS, "finished_at": NOW_MS, "last_error": ""}
    memory.run(calls.memory_admin.worker_report("me", done))
    failed = {"job": "daily", "errors": 1, "last_error": "no room"}
    memory.run(calls.memory_admin.worker_report("me", failed))
    later = mine.get("api/health").content
    found = {one["what"]: one for one in later["findings"]}
    assert found["last backup"]["state"].endswith("read back: /backups/a.db")
    jobs = {one["job"]: one for one in later["jobs"]["jobs"]}
    # Long ago, by the clock of this machine.
    assert jobs["decay"]["state"] == "overdue"
    assert jobs["decay"]["mend"].endswith("worker --once decay")
    assert "backup" not in jobs
    [broken] = [one for one in jobs.values() if one["error"]]
    assert (broken["state"], broken["error"]) == ("failed", "no room")


@pytest.mark.parametrize(("days", "late"), [(1, False), (3, True)])
def test_a_job_that_never_ran_has_a_command_once_there_was_something_to_do(
    memory, session, chosen, portal, monkeypatch, days, late
):
    memory.now_ms = NOW_MS - days * DAY_MS
    memory.run(calls.everyday.remember(USER, "It rained"), user_id=USER)
    monkeypatch.setattr(page, "Clock", lambda: Clock(NOW_MS))
    mine = asked(session, chosen, portal)
    # While none has ever run, one command runs them all.
    told = mine.get("api/health").content["jobs"]
    jobs = told["jobs"]
    assert {(one["state"], one["at"], one["mend"]) for one in jobs} == {("never ran", None, None)}
    if "://" not in memory.store.location:
        assert (told["mend"] or "").endswith("worker --once") is late
        assert (told["advice"] is not None, told["wrong"]) == (late, False)
    memory.now_ms = NOW_MS
    memory.run(calls.memory_admin.worker_lease("me", 60_000))
    done = {"job": "decay", "started_at": NOW_MS, "finished_at": NOW_MS, "last_error": ""}
    memory.run(calls.memory_admin.worker_report("me", done))
    ran, *never = mine.get("api/health").content["jobs"]["jobs"]
    assert (ran["state"], ran["mend"]) == ("done", None)
    assert {one["state"] for one in never} == {"never ran"}
    assert [(one["mend"] or "").endswith(f"--once {one['job']}") for one in never] == (
        [late] * len(never)
    )


def test_a_schedule_is_said_in_words():
    said = {job.name: job.in_words for job in registry.JOBS}
    assert said["immediate"] == said["embed"] == "every 10 minutes"
    assert (said["decay"], said["groups"]) == ("every hour", "20 minutes past every hour")
    assert (said["daily"], said["weekly"]) == ("every day at 02:00", "every Sunday at 03:00")


def rainy(memory: Memory, now_ms: int) -> None:
    """Keep one thing now, so no job had anything to do yet."""
    memory.now_ms = now_ms
    memory.run(calls.everyday.remember(USER, "It rained"), user_id=USER)


def test_a_job_that_never_ran_has_no_tick(seen):
    page = seen(rainy)
    page.press("h")
    page.until("return document.querySelector('#article h1')?.innerText === 'Health'")
    [line] = page.run(
        "return [...document.querySelectorAll('.findings li')]"
        ".filter((one) => one.querySelector('b').innerText === 'immediate')"
        ".map((one) => [one.className, one.textContent])"
    )
    told = "never ran. It runs every 10 minutes, to end conversations that fell silent."
    assert line == ["not-yet", f"–not yet: immediate {told}"]


def test_somebody_else_than_the_owner_sees_their_counts_and_nothing_more(
    memory, session, chosen, portal
):
    fill(memory)
    theirs = asked(replace(session, is_owner=False, user_id=BOB), chosen, portal)
    answer = theirs.get("api/health")
    assert answer.content.keys() == {"is_owner", "version", "sizes"}
    assert memory.store.location.encode() not in answer.body
    assert theirs.get("api/check").status == 403


def test_an_empty_store_has_nothing_and_nothing_wrong(session, chosen, portal):
    mine = asked(session, chosen, portal)
    sizes = mine.get("api/health").content["sizes"]
    assert set(sizes["totals"].values()) == {0}
    checked = mine.get("api/check").content
    # The settings of this test have no store to be missing.
    assert [one for one in checked["findings"] if "found:" in one["state"]] == []
    assert checked["texts"] is None


def test_texts_without_a_vector_are_counted(memory, session, chosen, portal, monkeypatch):
    fill(memory)
    memory.run(calls.embedding.choose("model2vec:a-model", 2, False))
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", "model2vec:somebody/a-model")
    mine = asked(session, chosen, portal)
    found = {one["what"]: one for one in mine.get("api/health").content["findings"]}
    assert found["embedding"]["mend"].endswith("given.db embed")
    texts = mine.get("api/check").content["texts"]
    # Those of all users: six memories and eleven entities.
    assert texts == {"total": 17, "lacking": 17, "more": False}


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_a_check_names_each_kind_of_problem_once_and_nobodys_nodes(
    memory, session, chosen, portal, monkeypatch
):
    rows = [{"kind": "memory", "id": f"m{one}", "user_id": BOB, "content": "A secret",
             "created_at": NOW_MS} for one in range(3)]  # fmt: skip
    # Without the index of words, as a program that knows nothing of it would do.
    monkeypatch.setattr("conceptgraph_core.retrieval.indexer.missing", lambda: ["a library"])
    memory.run(calls.transfer.import_rows(rows))
    answer = asked(session, chosen, portal).get("api/check")
    [one] = [each for each in answer.content["findings"] if each["what"] == "not found by words"]
    assert one["wrong"]
    assert one["mend"].endswith("given.db index")
    assert b"m1" not in answer.body


def test_a_check_that_takes_too_long_ends_and_names_the_command(
    session, chosen, portal, monkeypatch
):
    monkeypatch.setattr(page, "PATIENCE_S", 0.0)
    [told] = asked(session, chosen, portal).get("api/check").content["findings"][-1:]
    assert told["what"] == "check"
    assert told["mend"].endswith("given.db check")


def in_ruins(memory: Memory, now_ms: int) -> None:
    """Fill the store until yesterday; then have an index say something that the nodes do not."""
    fill(memory, now_ms)
    with sqlite3.connect(memory.store.location) as connection:
        connection.execute('DELETE FROM "index Entity(user_id, entity_kind)"')
    connection.close()


def test_health_is_opened_with_a_key_and_the_check_with_another(seen, images):
    page = seen(in_ruins)
    page.press("h")
    page.until("return document.querySelector('#article h1')?.innerText === 'Health'")
    told = page.text("#article-body")
    assert "none is recorded" in told
    assert "memories\n3" in told
    assert page.run("return document.querySelectorAll('.chart[role=img]').length") == 2
    page.seen_from(1360, 1080)
    # A folder of this machine says nothing to readers of the documentation.
    if images is not None:
        page.run(
            "for (const one of document.querySelectorAll('#article code, #article dd bdi'))"
            " one.textContent = one.textContent.replace(/\\/\\S*memory/, '/home/anna/memory')"
        )
    page.shoot(images, "health")
    command = page.text(".command code")
    assert command.endswith(".db backup")
    page.element(".command button").click()
    page.until("return document.querySelector('.command button').innerText === 'Copied'")
    assert page.run("return getSelection().toString()") == command
    page.press("c")
    page.until("return [...document.querySelectorAll('.wrong b')].map((one) => one.innerText)"
               ".includes('damaged')")  # fmt: skip
    page.seen_from(390, 844)
    assert page.run("return document.documentElement.scrollWidth") == 390
    page.press(ESCAPE)
    page.until("return document.getElementById('article').hidden")
