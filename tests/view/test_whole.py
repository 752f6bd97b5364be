"""The page of an entity: facts and when, feelings, mentions by month, with whom, what was said."""

from dataclasses import astuple, replace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from asgi import PORT, TOKEN, Asked
from known import DAY_MS, NOW_MS, speak
from tests.conftest import Memory
from tests.view.browsing import Page

from concept_graph_mcp import calls
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.view.serving import build
from conceptgraph_core.entities.inputs import Given

ESCAPE = "\ue00c"
USER = "default"
# Written from right to left; and one that would be markup, longer than any line.
HEBREW, LONG = "נועה לוי", f"<b>{'Ministry of Silly Walks ' * 10}</b>"


def live(memory: Memory, now_ms: int = NOW_MS) -> dict[str, str]:
    """Let Max be spoken of long ago, have two homes and be felt about; then speak of them all."""

    def observe(days: int, text: str, *names: str, valence: float | None = None) -> None:
        memory.now_ms = now_ms - days * DAY_MS
        felt = {} if valence is None else {"valence": valence}
        given = [{"label": name, "type": "entity", **felt} for name in names]
        call = calls.entities.observe(f"s{days}", f"m{days}", "user", text, given)
        memory.run(call, user_id=USER)
        memory.run(calls.entities.end_session(f"s{days}"), user_id=USER)

    observe(200, "Max is the best dog", "Max", valence=0.9)
    observe(12, "Max was sick all night", "Max", valence=-0.6)
    ids = speak(memory, now_ms)
    observe(0, f"Anna met {HEBREW} and {LONG}", "Anna", HEBREW, LONG)
    for value, since, until in (("Kiel", 400, 90), ("Lindau", 90, None)):
        given = Given(
            *("home", value, None, now_ms - since * DAY_MS),
            valid_until=None if until is None else now_ms - until * DAY_MS,
            speaker="user",
            text=f"Max lives in {value}",
            span=f"Max lives in {value}",
        )
        memory.run(calls.entities.fact(ids["Max"], *astuple(given)), user_id=USER)
    wrong = None
    for days, value in ((20, "May"), (19, "June")):
        memory.now_ms = now_ms - days * DAY_MS
        words = {"speaker": "user", "text": f"Max was born in {value}"}
        given = Given("born", value, corrects=wrong, **words)
        [row] = memory.run(calls.entities.fact(ids["Max"], *astuple(given)), user_id=USER)
        wrong = row["fact_id"]
    memory.now_ms = now_ms
    wrote = {"id": "w", "text": "Max ate my glove", "thread": "t", "speaker": "Clara"}
    written = {**wrote, "said_at": now_ms - 30 * DAY_MS}
    memory.run(calls.ingesting.ingest(USER, [written]), user_id=USER)
    memory.run(calls.everyday.remember(USER, "Max may sleep in the bed", ["Max"]), user_id=USER)
    return ids


@pytest.fixture
def ids(memory):
    return live(memory)


@pytest.fixture
def session(memory):
    return Session(memory.store, DAY_MS, ZoneInfo("Europe/Berlin"), Clock(NOW_MS))


def test_the_whole_of_an_entity_is_its_layer_and_all_that_is_kept_of_its_name(asked, ids):
    for name in ("Max", "puppy"):
        whole = asked.get("api/whole", id=ids[name]).content
        entity, told = whole["entity"], whole["told"]
        assert (entity["entity_id"], told["id"]) == (ids["Max"], ids["Max"])
        assert whole["namesakes"] == []
        assert [one["value"] for one in told["facts"]] == ["Lindau", "June", "Kiel"]
        assert [one["value"] for one in entity["history"]] == ["Lindau", "June", "Kiel", "May"]
        assert "Max may sleep in the bed" in [one["text"] for one in told["said"]]
        counted = entity["presence"]
        # Months begin at midnight where the user is: March 2026 is the last of 24.
        assert (len(entity["months"]), entity["months"][-2]) == (25, 1_772_319_600_000)
        assert (len(counted["user"]), sum(counted["user"])) == (24, 5)
        assert [one["valence"] for one in counted["feelings"]] == [0.9, -0.6]
        [back] = counted["returns"]
        assert back["text"] == "Max was sick all night"


def test_namesakes_are_named_and_lead_to_their_pages(seen):
    def two(memory: Memory, now_ms: int) -> None:
        memory.now_ms = now_ms
        for kind in ("daughter", "colleague"):
            given = [{"label": "Lena", "type": "entity", "kind": kind}]
            call = calls.entities.observe(kind, kind, "user", f"My {kind} Lena", given)
            memory.run(call, user_id=USER)

    page = seen(two, "Lena")
    page.until("return document.body.dataset.person")
    page.run("[...document.querySelectorAll('#person button')].at(-1).click()")
    first = page.until("return document.querySelector('#article .kind')?.innerText")
    [other] = listed(page, ".namesakes button")
    assert {f"Lena, {first}", other} == {"Lena, daughter", "Lena, colleague"}
    page.element(".namesakes button").click()
    kind = "return document.querySelector('#article .kind')?.innerText === arguments[0]"
    page.until(kind, other.removeprefix("Lena, "))
    assert listed(page, ".namesakes button") == [f"Lena, {first}"]


def test_the_whole_of_another_users_entity_is_refused(asked, ids, session, portal):
    other = Asked(build(replace(session, user_id="bob"), None, TOKEN, PORT), portal)
    for refused in (other.get("api/whole", id=ids["Max"]), asked.get("api/whole", id="nobody")):
        assert (refused.status, "not found" in refused.content["error"]) == (400, True)
    assert asked.get("api/whole").status == 400


@pytest.fixture
def page(seen) -> Page:
    page = seen(live, "Max")
    page.until("return document.body.dataset.person")
    return page


def article(page: Page, title: str) -> str:
    page.until("return document.querySelector('#article h1')?.innerText === arguments[0]", title)
    return page.text("#article")


def listed(page: Page, selector: str) -> Any:
    script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)"
    return page.run(script, selector)


def test_a_person_is_read_on_one_page_and_left_with_escape(page, images):
    page.run("[...document.querySelectorAll('#person button')].at(-1).click()")
    told = article(page, "Max")
    for part in (
        "Facts, now and before",
        "Over time",
        "Mentioned with",
        "Messages and notes, latest first",
    ):
        assert part in told
    past = listed(page, ".facts .past")
    facts = listed(page, ".facts li")
    assert len(facts) == 4
    assert facts[1].startswith("born June told on ")
    assert facts[1].endswith("Max was born in June Forget …")
    assert [one.split(" since")[0].split(" told")[0] for one in past] == ["home Kiel", "born May"]
    assert "corrected on" in past[1]
    assert listed(page, ".facts s") == ["May"]
    # A fact without a date is on the line of time from the day on which it was told.
    left = "return [...document.querySelectorAll('.span .open')].map((one) => one.x.baseVal.value)"
    assert all(90 < one < 99 for one in page.run(left))
    assert "after 188 days: Max was sick all night" in told
    assert page.run("return document.querySelectorAll('.chart[role=img][aria-label]').length") == 2
    page.seen_from(1360, 1100)
    page.shoot(images, "everything-about")
    page.seen_from(390, 844)
    assert page.run("return document.documentElement.scrollWidth") == 390
    page.press(ESCAPE)
    page.until("return document.getElementById('article').hidden")
    assert not page.run("return document.getElementById('opening').inert")


def test_what_was_said_is_shown_of_one_speaker_and_leads_on(page):
    page.run("[...document.querySelectorAll('#person button')].at(-1).click()")
    article(page, "Max")
    everybody = listed(page, "#article .said li")
    assert "Max may sleep in the bed" in everybody[0]
    speakers = [one.rpartition(" (")[0] for one in listed(page, "#article option")]
    assert speakers == ["everybody", "note", "user", "model", "Clara"]
    page.run(
        "const list = document.querySelector('#article select'); list.value = 'model';"
        " list.dispatchEvent(new Event('change'))"
    )
    [model] = listed(page, "#article .said li")
    _, *lines = filter(None, model.split("\n"))
    assert lines == ["Max may like the park", "Forget …"]
    page.run("[...document.querySelectorAll('.with button')].find((one) =>"
             " one.innerText.startsWith('Anna')).click()")  # fmt: skip
    told = article(page, "Anna")
    assert "also called Annie" in told
    # Names are literal, whatever they hold and whichever way they run.
    assert HEBREW in told
    assert LONG[:60] in told
    assert page.run("return document.querySelectorAll('#article b').length") == 0
    page.browser.back()
    article(page, "Max")
    page.run("document.querySelector('#article .said button').click()")
    page.until("return document.body.dataset.article?.startsWith('#memory/')")
