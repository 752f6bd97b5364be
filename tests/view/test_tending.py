"""Changes from the page: asked for once, made once, taken back; and refused from anybody else."""

from dataclasses import astuple, replace
from typing import Any

import pytest
from asgi import HOST, ORIGIN, PORT, TOKEN, Asked
from known import NOW_MS, speak
from tests.conftest import Memory
from tests.view.browsing import Page

from concept_graph_mcp import calls
from concept_graph_mcp.view.memories import CHANGES
from concept_graph_mcp.view.serving import build
from conceptgraph_core.dates import DAY_MS
from conceptgraph_core.entities.inputs import Given

ENTER, ESCAPE, DOWN = "\ue007", "\ue00c", "\ue015"
USER = "default"
TEXT = "Anna sails on Sundays"


ARTICLE = "return document.querySelector('#article h1')?.innerText === arguments[0]"
CARD = (
    "return document.querySelector('#person h2')?.innerText === arguments[0]"
    " && document.getElementById('article').hidden"
)
IS_OPEN = "return document.getElementById('asking').open"
ACTION = (
    "[...document.querySelectorAll('#article button')]"
    ".find((one) => one.innerText.startsWith(arguments[0])).click()"
)


def live(memory: Memory, now_ms: int = NOW_MS) -> dict[str, Any]:
    """Speak of them all; ask whether Bregenz is Lindau, and keep a memory."""
    ids: dict[str, Any] = speak(memory, now_ms)
    memory.now_ms = now_ms
    given = ids["Bregenz"], ids["Lindau"], None, "both lie on the lake", "model"
    memory.run(calls.entities.link(*given), user_id=USER)
    [row] = memory.run(calls.everyday.remember(USER, TEXT), user_id=USER)
    [dog] = memory.run(calls.entities.get(ids["Dr Weber"]), user_id=USER)
    return {**ids, "memory": row["id"], "mention": dog["mentions"][0]["mention_id"]}


@pytest.fixture
def ids(memory):
    return live(memory)


def requests(ids: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return a valid request for each change."""
    return {
        "revise": {"memory_id": ids["memory"], "seen": {"content": TEXT},
                   "changes": {"content": "Anna sails on Mondays"}},
        "unrevise": {"memory_id": ids["memory"], "at": NOW_MS},
        "forget": {"id": ids["memory"], "reason": "wrong"},
        "restore": {"id": ids["memory"]},
        "answer": {"one_id": ids["Bregenz"], "other_id": ids["Lindau"], "same": False,
                   "reason": "no"},
        "merge": {"source_id": ids["shoe"], "target_id": ids["boat"], "reason": "one thing"},
        "split": {"entity_id": ids["Dr Weber"], "mention_ids": [ids["mention"]], "reason": "two"},
        "unmerge": {"merge_id": ids["merge"], "reason": "two dogs"},
    }  # fmt: skip


def test_each_change_is_made_once_and_a_second_request_changes_nothing_more(asked, ids, memory):
    assert set(requests(ids)) == set(CHANGES)
    for name, given in requests(ids).items():
        first = asked.post(f"api/{name}", given, ORIGIN)
        assert first.status == 200, (name, first.content)
        before = memory.records()
        again = asked.post(f"api/{name}", given, ORIGIN)
        # Restoring what is there already changes nothing, and is no error.
        assert (again.status, memory.records() == before) == (
            200 if name == "restore" else 400,
            True,
        ), name
    assert [row["change"] for row in asked.get(
        "api/changes", since=NOW_MS, until=NOW_MS + 1).content["rows"] if row["kind"] == "ledger"
    ].count("merge undone") == 1  # fmt: skip


def test_nobody_else_changes_anything(asked, ids, session, portal, memory):
    other = Asked(build(replace(session, user_id="bob"), None, TOKEN, PORT), portal)
    back = replace(session, until_ms=NOW_MS)
    past = Asked(build(back, None, TOKEN, PORT), portal)
    before = memory.records()
    for name, given in requests(ids).items():
        path = f"api/{name}"
        forged = ("http://evil.example", f"https://{HOST}", "null", f"{ORIGIN}.evil.example")
        for origins in ((), *((one,) for one in forged), (ORIGIN, ORIGIN)):
            assert asked.post(path, given, *origins).status == 403
        wrong = asked.raw(f"/{'x' * len(TOKEN)}/{path}", [HOST], "", "POST", b"{}", [ORIGIN])
        assert wrong.status == 403
        assert asked.get(path, **given).status == 404
        refused = other.post(path, given, ORIGIN)
        assert (refused.status, "not found" in refused.content["error"]) == (400, True), name
        assert past.post(path, given, ORIGIN).status == 400
        for bad in ({}, dict.fromkeys(given, 1.5), [given], b"{", {**given, "id": None}):
            if bad != {**given, "id": None} or "id" in given:
                assert asked.post(path, bad, ORIGIN).status == 400, (name, bad)
    assert memory.records() == before


def test_what_another_writer_has_changed_is_not_overwritten(asked, ids, memory):
    memory.now_ms = NOW_MS
    update = calls.memories.update(USER, ids["memory"], content="Anna sails on Fridays")
    memory.run(update, user_id=USER)
    stale = asked.post("api/revise", requests(ids)["revise"], ORIGIN)
    assert (stale.status, "has changed since it was shown" in stale.content["error"]) == (400, True)
    words = "they are one", "user_correction", "Bregenz is Lindau"
    memory.run(calls.entities.merge(ids["Bregenz"], ids["Lindau"], *words), user_id=USER)
    answered = asked.post("api/answer", requests(ids)["answer"], ORIGIN)
    assert (answered.status, "is the same already" in answered.content["error"]) == (400, True)


@pytest.fixture
def page(seen) -> Page:
    return seen(live)


def typed(page: Page, **texts: str) -> None:
    """Fill in the dialog's *texts*."""
    for name, value in texts.items():
        page.run(
            "document.getElementById(`asked-${arguments[0]}`).value = arguments[1]", name, value
        )


def test_questions_are_answered_with_keys_after_asking(page, images):
    # Where a page names the doubt, it leads to the question.
    page.press("/", "Bregenz")
    page.until("return document.querySelector('#offered [role=option]')")
    page.press(DOWN, ENTER)
    page.until(CARD, "Bregenz")
    page.run("[...document.querySelectorAll('#person button')].at(-1).click()")
    page.until(ARTICLE, "Bregenz")
    page.run(
        "[...document.querySelectorAll('#article button')]"
        ".find((one) => one.innerText === 'Answer the question').click()"
    )
    page.until("return document.querySelectorAll('.card').length === 2")
    page.seen_from(1360, 900)
    page.shoot(images, "questions")
    page.press("d")
    assert page.text("#asked-about") == "“Bregenz” and “Lindau” are different"
    page.press(ESCAPE)
    page.until("return !document.getElementById('asking').open")
    assert page.run("return document.querySelectorAll('.card').length") == 2
    page.press("d")
    # The key that opened the dialog was not typed into it.
    assert page.run("return document.getElementById('asked-reason').value").endswith("are two")
    page.press(ENTER)
    page.until("return document.querySelectorAll('.card').length === 0")
    assert "There is no open question" in page.text("#article")


def test_a_memory_is_changed_taken_back_forgotten_and_restored(page):
    page.press("/", "sails")
    page.until("return document.querySelector('#offered [role=option]')")
    page.press(DOWN, ENTER)
    page.until(ARTICLE, TEXT)
    page.run(ACTION, "Edit")
    typed(page, content="Anna sails on Mondays", importance="0.9")
    page.element("#do-it").click()
    page.until(ARTICLE, "Anna sails on Mondays")
    assert TEXT in page.text("#article .changes")
    page.run(ACTION, "Take back")
    page.press(ENTER)
    page.until(ARTICLE, TEXT)
    page.run(ACTION, "Forget")
    page.element("#do-it").click()
    page.until("return document.getElementById('article').hidden")
    page.press("q")
    page.until("return document.querySelector('#article .changes button')")
    page.element("#article .changes button").click()
    page.press(ENTER)
    page.until("return !document.querySelector('#article .changes')")


def test_a_store_that_cannot_be_written_offers_no_change_and_says_why(ids, session, portal):
    app = build(replace(session, unwritable="the file is read-only"), None, TOKEN, PORT)
    about = Asked(app, portal).get("api/about").content
    assert (about["changes"], about["unwritable"]) == (False, "the file is read-only")
    assert not about["stands"]


def test_an_entity_a_fact_and_a_mention_are_forgotten_and_restored(asked, ids, memory):
    given = Given("job", "sailor", speaker="user", text="Dr Weber is a sailor", span="sailor")
    [fact] = memory.run(calls.entities.fact(ids["Dr Weber"], *astuple(given)), user_id=USER)
    for one in (ids["Dr Weber"], ids["mention"], fact["fact_id"]):
        assert asked.post("api/forget", {"id": one, "reason": "private"}, ORIGIN).status == 200
        week = {"since": NOW_MS, "until": NOW_MS + DAY_MS}
        rows = asked.get("api/changes", **week).content["rows"]
        [row] = [row for row in rows if row["change"] == "forgotten"]
        assert (row["undo"], row["why"]) == (one, "private")
        assert asked.post("api/restore", {"id": one}, ORIGIN).status == 200
    whole = asked.get("api/whole", id=ids["Dr Weber"]).content["entity"]
    assert [one["value"] for one in whole["history"]] == ["sailor"]
    assert ids["mention"] in {one["mention_id"] for one in whole["mentions"]}


def test_an_entity_is_forgotten_on_its_page_and_restored_under_time(page):
    page.press("/", "shoe")
    page.until("return document.querySelector('#offered [role=option]')")
    page.press(DOWN, ENTER)
    page.until(CARD, "shoe")
    page.run("[...document.querySelectorAll('#person button')].at(-1).click()")
    page.until(ARTICLE, "shoe")
    page.run(ACTION, "Forget")
    page.until(IS_OPEN)
    page.element("#do-it").click()
    page.until("return document.getElementById('article').hidden")
    page.press("t")
    page.until("return document.querySelector('#article .changes button')")
    page.run(
        "[...document.querySelectorAll('#article .changes li')].find((one) =>"
        " one.innerText.includes('shoe')).querySelector('button:last-child').click()"
    )
    page.until(IS_OPEN)
    page.press(ENTER)
    page.press("/", "shoe")
    page.until("return document.querySelector('#offered [role=option]')")


def test_two_are_merged_and_one_is_split_after_asking(page):
    page.press("/", "shoe")
    page.until("return document.querySelector('#offered [role=option]')")
    page.press(DOWN, ENTER)
    page.until(CARD, "shoe")
    page.run("[...document.querySelectorAll('#person button')].at(-1).click()")
    page.until(ARTICLE, "shoe")
    page.run(ACTION, "Merge")
    page.until(IS_OPEN)
    page.press("nobody", ENTER)
    page.until("return !document.getElementById('error').hidden")
    assert page.text("#error") == "No other entity is called “nobody”."
    page.run(ACTION, "Merge")
    page.press("boat", ENTER)
    page.until("return document.getElementById('question').innerText === 'Merge these?'")
    assert page.text("#asked-about") == "“shoe” counts as “boat”"
    page.press("it is one thing", ENTER)
    page.until(ARTICLE, "boat")
    assert "also called shoe" in page.text("#article")
    page.press("/", "Dr W")
    page.until("return document.querySelector('#offered [role=option]')")
    page.press(DOWN, ENTER)
    page.until(CARD, "Dr Weber")
    page.run("[...document.querySelectorAll('#person button')].at(-1).click()")
    page.until(ARTICLE, "Dr Weber")
    page.run(ACTION, "Split")
    page.until(IS_OPEN)
    page.run("document.querySelector('.choices input').click()")
    page.element("#asked-reason").send_keys("another doctor", ENTER)
    page.until("return document.querySelector('#article .namesakes button')")
