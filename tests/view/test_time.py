"""The page of time: a year of days, what changed in a week and is taken back, who is present."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from asgi import ORIGIN, PORT, TOKEN, Asked
from known import DAY_MS, NOW_MS, speak
from tests.conftest import Memory
from tests.view.browsing import Page

from concept_graph_mcp import calls
from concept_graph_mcp.session import Clock
from concept_graph_mcp.view.serving import build

ENTER, ESCAPE = "\ue007", "\ue00c"
USER = "default"


def live(memory: Memory, now_ms: int = NOW_MS) -> dict[str, str]:
    """Speak of them all, correct a memory yesterday, and forget one today."""

    def run(days: float, call: Any) -> Any:
        memory.now_ms = now_ms - round(days * DAY_MS)
        [row] = memory.run(call, user_id=USER)
        return row

    for days in range(5, 90, 3):
        said = [{"name": "Max"}]
        run(days, calls.everyday.remember(USER, f"Max ate bone {days}", said="Max ate", about=said)
            if days % 2 else calls.everyday.remember(USER, f"It rained on day {days}"))  # fmt: skip
    given = [{"label": "Otto", "type": "entity"}]
    run(500, calls.entities.observe("s500", "m500", "user", "Otto was here", given))
    ids = speak(memory, now_ms)
    old = run(3, calls.everyday.remember(USER, "The train leaves at nine"))
    run(1, calls.everyday.remember(USER, "The train leaves at ten", replaces=old["id"]))
    secret = run(0.5, calls.everyday.remember(USER, "A secret of Anna"))
    run(0, calls.memories.forget(secret["id"], "it was wrong"))
    return {**ids, "secret": secret["id"]}


@pytest.fixture
def ids(memory):
    return live(memory)


def iso(days: float = 0) -> str:
    return datetime.fromtimestamp(NOW_MS / 1000 - days * 86_400, UTC).date().isoformat()


def test_a_year_counts_each_day_where_the_user_is(asked):
    year = asked.get("api/days", year=2026).content
    assert (len(year["dates"]), year["dates"][0]) == (365, "2026-01-01")
    counted = dict(zip(year["dates"], year["memories"], strict=True))
    assert (counted[iso(1)], counted[iso(3)], counted[iso(2)]) == (1, 1, 0)
    assert sum(year["mentions"]) > 10
    for wrong in ({"year": "now"}, {"year": 99_999}, {}):
        assert asked.get("api/days", **wrong).status == 400


def test_the_bound_of_what_was_searched_is_said(asked, memory):
    given = {"since": NOW_MS - 7 * DAY_MS, "until": NOW_MS + 1}
    assert asked.get("api/changes", **given).content["bound"] is None
    rows = [{"kind": "memory", "id": f"m{one}", "user_id": USER, "content": f"Note {one}",
             "created_at": NOW_MS - 90 * DAY_MS} for one in range(500)]  # fmt: skip
    memory.import_rows(rows)
    assert asked.get("api/changes", **given).content["bound"] == 500


def test_a_day_lists_what_there_is_and_not_what_was_forgotten(asked, ids):
    rows = asked.get("api/day", date=iso(1)).content["rows"]
    assert "The train leaves at ten" in [row["text"] for row in rows]
    assert {row["kind"] for row in rows} == {"memory", "message"}
    today = asked.get("api/day", date=iso(0)).content["rows"]
    assert "A secret of Anna" not in [row["text"] for row in today]
    for wrong in ("", "2026-13-01", "0001-01-01"):
        assert asked.get("api/day", date=wrong).status == 400


def changes(asked: Asked) -> list[dict[str, Any]]:
    given = {"since": NOW_MS - 7 * DAY_MS, "until": NOW_MS + 1}
    rows: list[dict[str, Any]] = asked.get("api/changes", **given).content["rows"]
    return rows


def test_what_was_forgotten_is_restored_by_its_own_user_alone(asked, ids, session, portal):
    [row] = [one for one in changes(asked) if one["change"] == "forgotten"]
    given = {"id": row["undo"]}
    other = Asked(build(replace(session, user_id="bob"), None, TOKEN, PORT), portal)
    assert changes(other) == []
    refused = other.post("api/restore", given, ORIGIN)
    assert (refused.status, "not found" in refused.content["error"]) == (400, True)
    assert asked.post("api/restore", given).status == 403
    assert asked.get("api/restore", **given).status == 404
    assert asked.post("api/restore", {"id": 1}, ORIGIN).status == 400
    for restored in (True, False):
        assert asked.post("api/restore", given, ORIGIN).content["restored"] is restored
    assert "forgotten" in [one["change"] for one in changes(asked)]
    assert [one["undo"] for one in changes(asked) if one["change"] == "forgotten"] == [None]


def test_looking_back_nothing_later_is_counted_listed_or_restored(ids, session, portal):
    until = NOW_MS - 2 * DAY_MS
    asked = Asked(build(replace(session, until_ms=until, clock=Clock(until)), None, TOKEN, PORT),
                  portal)  # fmt: skip
    year = asked.get("api/days", year=2026).content
    assert (year["dates"][-1], len(year["memories"])) == (iso(2), len(year["dates"]))
    assert asked.get("api/days", year=2027).content["dates"] == []
    assert {"forgotten", "corrected"} & {row["change"] for row in changes(asked)} == set()
    assert asked.post("api/restore", {"id": ids["secret"]}, ORIGIN).status == 400


@pytest.fixture
def page(seen) -> Page:
    page = seen(live)
    page.press("t")
    page.until("return document.querySelector('#article h1')?.innerText === 'Time'")
    return page


def test_on_a_phone_the_year_begins_with_its_latest_days(seen):
    page = seen(live)
    page.seen_from(390, 844)
    page.press("t")
    # The last column of the year that has something, within the frame of the calendar.
    page.until(
        "const frame = document.querySelector('.map')?.getBoundingClientRect();"
        " const day = [...document.querySelectorAll('.heat rect:not(.level0)')].at(-1);"
        " const { left, right } = day?.getBoundingClientRect() ?? {};"
        " return frame && left > frame.left && right < frame.right && frame.right <= 390"
    )


def test_a_day_is_opened_with_keys_and_a_change_is_taken_back_after_asking(page, images):
    assert page.run("return document.querySelectorAll('.multiples .chart[role=img]').length") > 3
    # Nobody mentioned Otto in this year.
    assert "Anna" in page.text(".multiples")
    assert "Otto" not in page.text(".multiples")
    page.seen_from(1360, 1500)
    # The opening below is out of the tab key's way, and a bar of a chart is for the eye alone.
    assert page.run("return document.getElementById('opening').inert")
    assert page.run("return document.querySelectorAll('.chart > :not([aria-hidden])').length") == 0
    # The year is turned without losing the focus.
    label = "return document.activeElement.getAttribute('aria-label')"
    page.run("document.querySelector('[aria-label^=\"the year\"]').focus()")
    year = int(page.run(label).removeprefix("the year "))
    page.press(ENTER)
    page.until(f"{label} === arguments[0]", f"the year {year - 1}")
    page.press("\ue004")
    page.press(ENTER)
    page.until(f"{label} === arguments[0]", f"the year {year + 2}")
    page.run("document.querySelector('.heat').focus()")
    page.press("\ue012", "\ue014", ENTER)
    page.until("return document.querySelector('.day h3')")
    page.shoot(images, "time")
    active = page.run("return document.activeElement.getAttribute('aria-activedescendant')")
    assert page.run(
        "return document.getElementById(arguments[0]).getAttribute('aria-selected')", active
    ) == "true"  # fmt: skip
    assert page.text(".day h3").startswith(active.removeprefix("day-"))
    # The forgotten memory is counted, and the page says where it is.
    page.run("document.querySelector('.heat').focus()")
    page.press("\ue015", ENTER, "\ue013", ENTER)
    assert "Questions has the hidden memories" in page.until(
        "return document.querySelector('.day p')?.innerText"
    )
    forgotten = (
        "return [...document.querySelectorAll('.changes li')]"
        ".find((one) => one.innerText.includes('A secret of Anna'))?.querySelector('button')"
    )
    assert page.run(f"{forgotten}.innerText") == "Take back …"
    page.run(forgotten.replace("return", "") + ".click()")
    assert page.text("#asked-about") == "“A secret of Anna”"
    page.press(ESCAPE)
    page.until("return !document.getElementById('asking').open")
    page.run(forgotten.replace("return", "") + ".click()")
    page.press(ENTER)
    page.until(
        "return [...document.querySelectorAll('#article h3')]"
        ".some((one) => one.innerText.startsWith('Came back'))"
    )
    # The focus is not lost with the button.
    page.until("return document.activeElement !== document.body")
    page.seen_from(390, 844)
    assert page.run("return document.documentElement.scrollWidth") == 390
