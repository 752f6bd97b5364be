"""The opening in Chromium: a sentence and a picture first, a card that speaks, pictures to save."""

from dataclasses import astuple
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import half_year
import pytest
from tests.conftest import Memory
from tests.view.browsing import Page

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock
from conceptgraph_core.entities.inputs import Given

DESK, PHONE = (1440, 900), (390, 844)
ENTER, ESCAPE, RIGHT, HOME = "\ue007", "\ue00c", "\ue014", "\ue011"
OPENED = "return document.body.dataset.opened"
# The boxes of all names and titles, and of all circles, as the browser draws them.
BOXES = (
    "return [...document.querySelectorAll('#groups ' + arguments[0])].map((one) => {"
    " const { left, top, right, bottom } = one.getBoundingClientRect();"
    " return [left, top, right, bottom]; })"
)


@pytest.fixture(scope="session")
def half_file(tmp_path_factory, portal) -> Path:
    """Half a year of a made-up person, until now, in a file."""
    file = tmp_path_factory.mktemp("half") / "half.db"
    store = EmbeddedStore(file)
    portal.call(store.open)
    half_year.live(Memory(store, portal), Clock().now_ms())
    portal.call(store.close)
    return file


@pytest.fixture(scope="session")
def half_year_of(viewers, half_file) -> str:
    return viewers(half_file)


def open_at(browser, address, size=DESK) -> Page:
    page = Page(browser)
    page.seen_from(*size)
    browser.get(address)
    page.until(OPENED)
    return page


def meet(one, other) -> bool:
    return not (
        one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    )


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_overlaps_in_the_picture(browser, half_year_of, size):
    page = open_at(browser, half_year_of, size)
    texts, circles = page.run(BOXES, "text"), page.run(BOXES, "circle")
    assert len(circles) == (58 if size == DESK else 20)
    assert not [pair for pair in combinations(texts, 2) if meet(*pair)]
    assert not [pair for pair in combinations(circles, 2) if meet(*pair)]
    assert not [(one, other) for one in texts for other in circles if meet(one, other)]
    for box in (*texts, *circles):
        assert box[0] >= 0
        assert box[2] <= size[0]
    assert page.run("return document.documentElement.scrollWidth") == size[0]


def test_it_opens_on_one_sentence_and_no_message(browser, half_year_of):
    page = open_at(browser, half_year_of)
    assert page.text("#sentence").startswith("You and I: ")
    assert ", 43 people; Kyoto in " in page.text("#sentence")
    assert page.run("return document.getElementById('article').hidden")


def test_on_a_phone_the_search_is_first(browser, half_year_of):
    page = open_at(browser, half_year_of, PHONE)
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    assert page.run(top, "header") == 0
    assert page.run(top, "#groups") < 250


def test_a_name_typed_in_the_search_opens_its_card(browser, half_year_of):
    page = open_at(browser, half_year_of)
    page.element("#search").send_keys("Kenji")
    page.press(ENTER)
    page.until("return document.body.dataset.person")
    assert page.text("#person h2") == "Kenji"


def test_a_card_speaks_and_keeps_numbers_behind_why(browser, half_year_of):
    page = open_at(browser, half_year_of)
    page.run("document.querySelector('#groups [data-id]').focus()")
    page.press(ENTER)
    page.until("return document.body.dataset.person")
    words = page.text("#person")
    assert "Person\n" in words
    assert "Spoken of since " in words
    assert "Mostly with " in words
    assert "trust" not in words
    assert not page.run("return document.querySelector('#person details').open")
    assert page.run("return document.activeElement.id") == "person"
    page.press(ESCAPE)
    assert page.run("return document.activeElement.dataset.id") is not None
    page.press(ENTER)
    page.until("return document.body.dataset.person")
    page.run("[...document.querySelectorAll('#person button')].at(-1).click()")
    page.until("return document.body.dataset.article?.startsWith('#whole/')")


def test_the_year_grows_month_by_month(browser, half_year_of):
    page = open_at(browser, half_year_of)
    shown = "return document.querySelectorAll('#groups .name:not([visibility=hidden])').length"
    assert page.run(shown) == 58
    page.element("#month").send_keys(HOME)
    first = page.run(shown)
    assert first < 58
    page.element("#month").send_keys(*[RIGHT] * 7)
    assert first <= page.run(shown) <= 58
    page.element("#play").click()
    assert page.text("#play") == "Stop"
    page.element("#play").click()
    assert page.text("#play") == "Play the year"


def test_a_screen_reader_has_names_and_a_real_list(browser, half_year_of):
    page = open_at(browser, half_year_of)
    page.element("#names summary").click()
    tree = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    seen = [
        (one["role"]["value"], one.get("name", {}).get("value", ""))
        for one in tree
        if not one["ignored"]
    ]
    assert ("button", "Kyoto, place") in seen
    assert ("group", "People and topics") in seen
    assert len([one for one in seen if one[0] == "listitem"]) >= 58
    assert any(role == "heading" and name.startswith("You and I") for role, name in seen)
    assert not [one for one in seen if one[0] in ("button", "combobox", "slider") and not one[1]]


def test_the_arrows_lead_from_name_to_name(browser, half_year_of):
    page = open_at(browser, half_year_of)
    assert page.run("return document.querySelectorAll('#groups [tabindex=\"0\"]').length") == 1
    page.run("document.querySelector('#groups [tabindex=\"0\"]').focus()")
    first = page.run("return document.activeElement.dataset.id")
    page.press(RIGHT)
    assert page.run("return document.activeElement.dataset.id") not in (None, first)


@pytest.mark.parametrize("what", ["picture-svg", "card-svg", "bare-svg", "picture-png", "card-png"])
def test_pictures_are_saved_without_what_is_the_pages_own(browser, half_year_of, tmp_path, what):
    page = open_at(browser, half_year_of)
    kept = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", kept)
    page.run(
        "const list = document.getElementById('save'); list.value = arguments[0];"
        " list.dispatchEvent(new Event('change', { bubbles: true }))",
        what,
    )
    [file] = page.wait(lambda: [*tmp_path.glob(f"*.{what[-3:]}")])
    content = page.wait(file.read_bytes)
    if what.endswith("png"):
        assert content.startswith(b"\x89PNG")
        return
    text = "".join(ElementTree.fromstring(content).itertext())
    assert ("Samira Haddad" in text) == (what != "bare-svg")
    assert b"data-" not in content
    assert b"max-width" not in content
    assert ("days of talk" in text.split(".", 1)[1]) == (what != "picture-svg")


@pytest.mark.parametrize("count", [0, 1])
def test_a_store_of_none_and_of_one(browser, viewers, portal, tmp_path, count):
    store = EmbeddedStore(tmp_path / "few.db")
    portal.call(store.open)
    memory = Memory(store, portal)
    memory.concept_upsert("apple")
    half_year.say(memory, Clock().now_ms(), "<b>Ann</b>")
    if not count:
        memory.empty()
    portal.call(store.close)
    page = open_at(browser, viewers(tmp_path / "few.db"))
    assert page.run(OPENED) == str(count)
    said = page.text("#sentence")
    assert said.startswith("You and I: a day of talk on ") if count else said == NOTHING
    assert page.run("return document.querySelectorAll('#groups b').length") == 0
    assert ("<b>Ann</b>" in page.text("#groups")) == bool(count)
    # One name does not fill the screen.
    assert all(right - left < 160 for left, _, right, _ in page.run(BOXES, "circle"))
    assert not page.element("#play").is_displayed()


NOTHING = (
    "Nothing is remembered yet. Talk to your agent in a new session, and open this page again at "
    "its end."
)


def test_two_buttons_settle_a_doubt(browser, viewers, portal, tmp_path):
    store, now_ms = EmbeddedStore(tmp_path / "doubt.db"), Clock().now_ms()
    portal.call(store.open)
    memory = Memory(store, portal)
    max_id = half_year.say(memory, now_ms, "Max", "dog")
    for value in ("3 May", "4 June"):
        words = f"Max was born on {value}"
        given = Given("birthday", value, speaker="user", text=words, span=words, single=True)
        memory.run(calls.entities.fact(max_id, *astuple(given)), user_id=half_year.USER)
    portal.call(store.close)
    page = open_at(browser, viewers(tmp_path / "doubt.db"), PHONE)
    page.run("document.querySelector('#groups [data-id]').focus()")
    page.press(ENTER)
    page.until("return document.body.dataset.person")
    buttons = "return [...document.querySelectorAll('#person .sentences button')]"
    assert page.run(f"{buttons}.map((one) => one.textContent)") == ["3 May", "4 June"]
    page.run(f"{buttons}[1].click()")
    assert "birthday: 3 May" in page.text("#asked-about")
    page.element("#do-it").click()
    page.until("return document.querySelector('#person').innerText.includes('Birthday: 4 June.')")
    assert "3 May" not in page.text("#person").partition("Messages")[0]


def test_a_turned_phone_has_room_for_more_names(browser, half_year_of):
    page = open_at(browser, half_year_of, PHONE)
    page.seen_from(*DESK)
    page.until("return document.body.dataset.opened === '58'")
