"""The page in Chromium: what it says at a glance, changes and their undo, and every kind of eye."""

import json
import time
from contextlib import suppress
from pathlib import Path

import half_year
import pytest
import rosa
from tests.conftest import Memory
from tests.view.browsing import Page

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock

DESK, PHONE = (1280, 900), (390, 844)
ENTER, ESCAPE, TAB = "\ue007", "\ue00c", "\ue004"
USER = "default"
OPENED = "return document.body.dataset.opened"
NASTY = '<img src=x onerror="document.title=1"> <script>document.title=2</script> \u202eonce'
SCRIPTS = (
    *("نورة تحب القهوة", "נועה לוי שרה", "京都で会った", "ภาษาไทย", "Zoë naïve", "Ελένη γελά"),
)
# The controls and links without a name.
NAMELESS = (
    "return [...document.querySelectorAll('button, a, input, select, summary')].filter((one) =>"
    " one.offsetParent && !(one.innerText || one.getAttribute('aria-label')))"
    ".map((one) => one.outerHTML)"
)
# The contrast of each text with its ground, where that is below WCAG's AA.
FAINT = (Path(__file__).parent / "contrast.js").read_text()


@pytest.fixture(scope="session")
def rosa_file(tmp_path_factory):
    return rosa.live(tmp_path_factory.mktemp("rosa") / "rosa.db")


@pytest.fixture
def address(portal, rosa_file, tmp_path):
    with rosa.shown(portal, rosa_file, tmp_path) as address:
        yield address


def open_at(browser, address, size=DESK, dark=False) -> Page:
    page = Page(browser)
    page.seen_from(*size, dark=dark)
    browser.get(address)
    page.until(OPENED)
    return page


def press(page, words, within="body"):
    """Press the first button or link of those words that is seen."""
    from selenium.common.exceptions import StaleElementReferenceException

    found = (
        "return [...document.querySelectorAll(`${arguments[1]} :is(button, a)`)].find((one) =>"
        " one.innerText.trim() === arguments[0] && one.checkVisibility())"
    )

    def pressed() -> bool:
        # What is shown anew after a change may replace it meanwhile.
        with suppress(StaleElementReferenceException):
            made = page.run(found, words, within)
            page.run("arguments[0]?.scrollIntoView({ block: 'center' })", made)
            if made is not None:
                made.click()
                return True
        return False

    page.wait(pressed)


def lines(page, selector):
    return page.run(
        "return [...document.querySelectorAll(arguments[0])]"
        ".map((one) => one.innerText.replace(/\\n+/g, '\\n'))",
        selector,
    )


@pytest.mark.slow
def test_ten_seconds_say_what_is_known_of_whom(browser, address, images):
    page = open_at(browser, address)
    profile = page.text("#profile")
    for words in ("34", "Tidewater Books", "Leo is allergic to cashews", "Edinburgh"):
        assert words in profile
    for words in ("since", "5 December 2026", "where from"):
        assert words not in profile
    assert page.text("#whose") == (
        "What your AI assistants remember about you: 197 memories, stored on this computer only"
    )
    assert lines(page, "nav [aria-current=true]") == ["You"]
    quoted = lines(page, "#cards q")
    assert len(quoted) == len({*quoted}) > 5
    cards = "\n".join(lines(page, "#cards > li"))
    for words in ("Jonah\nyour boyfriend since 1 August 2026", "Leo\nyour nephew\nAge: 7; allergy"):
        assert words in cards
    assert page.text("#doubts .question") == "Are Delphine (boss) and the other Delphine the same?"
    assert lines(page, "#doubts .chief") == ["The same", "Different"]
    assert lines(page, ".day h3")[0] == "Yesterday"
    said = page.text("body")
    for riddle in ("trust", "score", "activation", "entity", "co_occurrence", "0."):
        assert riddle not in said
    page.shoot(images, "page")
    page.seen_from(*DESK, dark=True)
    page.shoot(images, "page-dark")


@pytest.mark.slow
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_everything_is_named_readable_and_no_wider_than_the_window(browser, address, size, dark):
    page = open_at(browser, address, size, dark)
    assert page.run("return document.documentElement.scrollWidth") == size[0]
    assert page.run(NAMELESS) == []
    assert page.run(FAINT) == []
    page.run("document.querySelectorAll('.line summary').forEach((one) => one.click())")
    page.run("document.querySelectorAll('.dots').forEach((one) => one.click())")
    page.run("document.querySelector('#cards a').click()")
    page.until("return document.getElementById('card').open")
    assert page.run(NAMELESS) == []
    assert page.run(FAINT) == []
    assert page.run("return document.documentElement.scrollWidth") == size[0]


@pytest.mark.slow
def test_on_a_phone_the_search_is_on_top_and_a_card_fills_the_window(browser, address, images):
    page = open_at(browser, address, PHONE)
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    assert page.run(top, "#search") < 20
    page.shoot(images, "page-phone")
    page.run("scrollTo(0, document.documentElement.scrollHeight)")
    page.until("return document.body.dataset.poster")
    assert page.run(top, "#search") < 20
    press(page, "Leo")
    page.until("return document.getElementById('card').open")
    box = page.run("const { width, height } = document.getElementById('card')"
                   ".getBoundingClientRect(); return [width, height]")  # fmt: skip
    assert box == [*PHONE]


@pytest.mark.slow
def test_a_card_is_opened_with_keys_told_open_and_left_with_escape(browser, address, images):
    page = open_at(browser, address)
    page.run("[...document.querySelectorAll('#cards a')].find((one) =>"
             " one.innerText === 'Leo').focus()")  # fmt: skip
    page.press(ENTER)
    page.until("return document.getElementById('card').open")
    assert page.run("return document.activeElement.id") == "card-name"
    told = page.text("#card")
    for words in ("your nephew", "Now", "cashews", "Before", "walnuts", "corrected on 23 May 2026",
                  "In your words", "Hannah found a cashew-free pesto."):  # fmt: skip
        assert words in told
    page.run("[...document.querySelectorAll('#card summary')].find((one) =>"
             " one.innerText.includes('cashews')).click()")  # fmt: skip
    assert "the first test was wrong." in page.text("#card .line[open] blockquote")
    assert lines(page, "#card .wrong .value") == ["walnuts"]
    assert "You said so on 23 May 2026." in page.text("#card .line[open]")
    page.shoot(images, "page-card")
    press(page, "Ben", "#card")
    page.until("return document.querySelector('#card h2').innerText === 'Ben'")
    browser.back()
    page.until("return document.querySelector('#card h2').innerText === 'Leo'")
    page.press(ESCAPE)
    page.until("return !document.getElementById('card').open && !location.hash")
    page.until("return document.activeElement.innerText === 'Leo'")


@pytest.mark.slow
def test_search_as_you_type_marks_the_words_and_offers_names(browser, address, images):
    page = open_at(browser, address)
    page.press("/")
    page.press("jonah bridge")
    page.until("return document.body.dataset.found")
    assert lines(page, ".names a") == ["J\nJonah"]
    assert {one.casefold() for one in lines(page, ".found mark")} >= {"jonah", "bridge", "bridges"}
    assert "29 August 2026" in lines(page, ".found .memory")[0]
    page.shoot(images, "page-search")
    page.run("document.getElementById('since').value = '31';"
             " document.getElementById('since').dispatchEvent(new Event('change'))")  # fmt: skip
    page.until("return !document.querySelector('.found').innerText.includes('May')")
    press(page, "Learned today")
    page.until("return document.getElementById('found').innerText === 'Nothing was learned today.'")
    press(page, "Everything")
    page.until("return document.querySelectorAll('.day').length > 3")
    many = page.run("return document.querySelectorAll('.day').length")
    press(page, "Earlier")
    page.until("return document.querySelectorAll('.day').length > arguments[0]", many)


@pytest.mark.slow
def test_every_change_is_undone_with_one_button(browser, address):
    page = open_at(browser, address)
    employer = "[...document.querySelectorAll('#profile .line')].find((one) =>" \
               " one.innerText.startsWith('Employer'))"  # fmt: skip
    for words in ("This has changed", "Forget this"):
        page.run(f"{employer}.open = true")
        page.run(f"[...{employer}.querySelectorAll('button')].find((one) =>"
                 " one.innerText === arguments[0]).click()", words)  # fmt: skip
        page.until(f"return !{employer}")
        press(page, "Undo", "#toast")
        page.until(f"return {employer}")
    assert page.text("#done") == "Undone."
    first = "document.querySelector('.day .memory')"
    page.run(f"{first}.querySelector('.dots').click()")
    press(page, "Edit", ".day")
    page.run("document.querySelector('textarea').value = 'Biscuit snores.'")
    press(page, "Save", ".day")
    page.until(f"return {first}?.innerText.includes('Biscuit snores.')")
    press(page, "Undo", "#toast")
    page.until(f"return {first}?.innerText.includes('Biscuit sleeps on my feet')")
    question = page.text("#doubts .question")
    press(page, "Different", "#doubts")
    page.until("return document.querySelector('#doubts .question').innerText !== arguments[0]",
               question)  # fmt: skip
    page.run("document.querySelector('#lately summary').click()")
    page.until("return document.querySelector('#changed').innerText.includes('Kept apart')")
    press(page, "Undo", "#toast")
    page.until("return document.getElementById('done').innerText === 'Undone.'")


@pytest.mark.slow
def test_the_poster_is_drawn_once_it_is_near(browser, address):
    page = open_at(browser, address)
    page.run("document.getElementById('year').scrollIntoView()")
    page.until("return document.body.dataset.poster")
    page.until("return document.querySelector('#poster img').naturalWidth === 1200")
    alt = page.run("return document.querySelector('#poster img').alt")
    assert alt == "Half a year with Jonah, Mum and Delphine. Next: Edinburgh in December."
    page.run("window.made = []; const make = URL.createObjectURL;"
             " URL.createObjectURL = (one) => (made.push(one.type), make(one))")  # fmt: skip
    press(page, "Save as picture")
    page.until("return made.includes('image/png')")


@pytest.mark.slow
def test_a_screen_reader_has_headings_names_and_lists(browser, address):
    open_at(browser, address)
    tree = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    seen = [
        (one["role"]["value"], one.get("name", {}).get("value", ""))
        for one in tree
        if not one["ignored"]
    ]
    for one in (("heading", "Rosa"), ("heading", "People and more"), ("link", "Jonah"),
                ("DisclosureTriangle", "Where from: Age 34"),
                ("search", ""), ("navigation", "Sections"), ("button", "Different")):  # fmt: skip
        assert one in seen
    assert len([one for one in seen if one[0] == "listitem"]) > 20
    assert not [one for one in seen if one[0] in ("button", "combobox", "link") and not one[1]]


@pytest.mark.slow
def test_stored_text_is_text_in_every_script(seen):
    def live(memory, now_ms):
        memory.now_ms = now_ms
        for number, text in enumerate((NASTY, *SCRIPTS, "x" * 5_000, "https://evil.example/?q")):
            about = [SCRIPTS[number % 6].split()[0]] if number else ["<b>Bob</b>"]
            memory.run(calls.everyday.remember(USER, text, about, said=text), user_id=USER)

    page = seen(live)
    page.seen_from(*PHONE)
    said = page.text("body")
    for text in (NASTY.replace("\u202e", "\\u202e"), *SCRIPTS):
        assert text in said
    assert page.run("return document.title").endswith("What is remembered")
    assert page.run("return document.querySelectorAll('main img, main script, b').length") == 0
    assert page.run("return document.querySelectorAll('a[href^=http]').length") == 0
    assert page.run("return document.documentElement.scrollWidth") == PHONE[0]
    # Each text begins on the side where its script does.
    arabic = "return [...document.querySelectorAll('.words')].find((one) =>" \
             " one.innerText === arguments[0])"  # fmt: skip
    assert page.run(f"{arabic}; ".replace("return ", "const it = ") +
                    "return getComputedStyle(it).direction", SCRIPTS[0]) == "rtl"  # fmt: skip


@pytest.mark.slow
def test_a_store_of_one_and_an_empty_one_are_no_riddle(seen):
    def live(memory, now_ms):
        memory.now_ms = now_ms
        said = "It rained."
        memory.run(calls.everyday.remember(USER, said, said=said), user_id=USER)

    page = seen(live)
    assert "Nothing is known of you yet." in page.text("#you")
    assert lines(page, ".day") == ["Today\nIt rained.\nnoted by your assistant\n⋯"]
    for hidden in ("#people", "#doubts", "#earlier"):
        assert not page.run(
            "return document.querySelector(arguments[0])?.checkVisibility()", hidden
        )


@pytest.mark.slow
def test_an_empty_store_says_what_to_do_first(browser, portal, tmp_path):
    with rosa.shown(portal, None, tmp_path) as address:
        page = open_at(browser, address)
        assert "Talk to your assistant in a new session" in page.text("#you")
        assert page.text("#found") == "There are no memories yet."
        page.until("return !document.getElementById('year')")


@pytest.mark.slow
def test_what_cannot_be_changed_has_no_button_and_says_why(browser, portal, rosa_file, tmp_path):
    given = {"unwritable": "the file is read-only"}
    with rosa.shown(portal, rosa_file, tmp_path, **given) as address:
        page = open_at(browser, address)
        assert page.text("#why-not") == "Nothing can be changed here: the file is read-only."
        page.run("document.querySelectorAll('.line summary').forEach((one) => one.click())")
        buttons = lines(page, "main button:not([hidden])")
        assert not {"Forget", "Edit", "This has changed", "Forget this", "Different", "⋯"} & set(
            buttons
        )


@pytest.mark.slow
def test_a_hundred_thousand_memories_open_with_as_little_as_a_few(
    browser, viewers, portal, tmp_path
):
    file = tmp_path / "many.db"
    store = EmbeddedStore(file)
    portal.call(store.open)
    memory, now_ms = Memory(store, portal), Clock().now_ms()
    for first in range(0, 100_000, 5_000):
        memory.import_rows(
            {"kind": "memory", "id": f"m{one}", "user_id": USER, "content": f"Note {one} of tea"}
            | {"created_at": now_ms - one * 400_000}
            for one in range(first, first + 5_000)
        )
    half_year.live(memory, now_ms)
    portal.call(store.close)
    address = viewers(file)
    open_at(browser, address)
    begun = time.monotonic()
    page = open_at(browser, address)
    print(f"opened in {time.monotonic() - begun:.2f} s")  # noqa: T201
    assert len(lines(page, "#cards > li")) == 12
    # One page of days, whatever the store holds.
    assert 100 < len(json.dumps(lines(page, ".day"))) < 50_000
