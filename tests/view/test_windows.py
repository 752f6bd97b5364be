"""The page in windows of any size: nothing covers anything, and the picture keeps to its frame."""

import pytest
from tests.view.browsing import Page

DESK, PHONE = (1280, 800), (390, 844)
EPISODE = (
    "const { model, picture } = conceptGraphView;"
    " const episode = [...model.nodes.values()].find((node) => node.kind === 'episode');"
    " picture.on.clicked(episode); return episode.text"
)
# The controls whose middle something else covers.
COVERED = (
    "return [...document.querySelectorAll('header input, header select, header button')]"
    ".filter((control) => !control.hidden)"
    ".filter((control) => { const { x, y, width, height } = control.getBoundingClientRect();"
    " return document.elementFromPoint(x + width / 2, y + height / 2) !== control; })"
    ".map((control) => control.id)"
)


@pytest.fixture
def page_in(browser, flight):
    """A function that opens the page in a window of that size."""

    def open_in(size, moving=False) -> Page:
        page = Page(browser)
        page.seen_from(*size, moving)
        return Page.at(browser, flight)

    return open_in


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_what_is_said_to_screen_readers_covers_nothing(page_in, size):
    page = page_in(size)
    assert page.run(COVERED) == []
    text = page.run(EPISODE)
    page.until(
        "return document.getElementById('status').textContent.startsWith(arguments[0])", text
    )
    assert page.run(COVERED) == []


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_the_page_is_no_wider_than_its_window(page_in, size):
    page = page_in(size)
    page.run(EPISODE)
    page.press("r")
    page.until("return document.body.dataset.recalled")
    page.settle()
    assert page.run("return document.documentElement.scrollWidth") == size[0]


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_the_picture_stays_in_its_frame_while_it_settles(page_in, size):
    page = page_in(size, moving=True)
    page.run(
        "window.seen = { frames: 0, outside: 0 };"
        " const { model, picture } = conceptGraphView;"
        " const look = () => {"
        "  const { clientWidth, clientHeight } = picture.element;"
        "  const places = [...model.nodes.values()].filter((n) => n.x !== undefined)"
        "   .map((n) => picture.placeOf(n));"
        "  const out = places.filter(({ x, y }) => x < 0 || y < 0 || x > clientWidth"
        "   || y > clientHeight).length;"
        "  if (model.nodes.size > 60) { seen.frames += 1; seen.outside += out; }"
        "  requestAnimationFrame(look); };"
        " look();"
    )
    page.run(
        "const hops = document.getElementById('hops'); hops.value = '4';"
        " document.getElementById('limit').value = '500'; hops.dispatchEvent(new Event('change'))"
    )
    page.until("return window.seen.frames > 90")
    assert page.run("return window.seen.outside") == 0


def test_a_picture_that_a_hand_has_moved_stays_where_it_was_put(page_in):
    page = page_in(DESK)
    page.element("#picture").send_keys("+")
    zoom = page.run("return conceptGraphView.picture.graph.zoom()")
    page.run(EPISODE)
    page.settle()
    assert page.run("return conceptGraphView.picture.graph.zoom()") == zoom
    page.element("#picture").send_keys("0")
    assert page.run("return conceptGraphView.picture.graph.zoom()") < zoom


def test_a_phone_shows_the_picture_and_what_is_selected_at_once(page_in):
    page = page_in(PHONE)
    page.run(EPISODE)
    page.until("return conceptGraphView.picture.selected.kind === 'episode'")
    page.settle()
    lowest = page.run(
        "return document.querySelector('[data-fact=text]').getBoundingClientRect().bottom"
    )
    assert lowest < PHONE[1]
    picture = page.run("return document.getElementById('picture').clientHeight")
    assert picture > PHONE[1] / 3
    page.run("window.scrollTo(0, document.documentElement.scrollHeight)")
    top = page.run("return document.getElementById('picture').getBoundingClientRect().top")
    assert top == 0
