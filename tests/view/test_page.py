"""The page in a browser: it loads, searches, expands, slides and recalls, without a complaint."""

import re

import pytest
from expectations import decayed_radius
from lived import EVENING
from tests.conftest import Memory
from tests.markdown import ROOT, table
from tests.server.embedded_files import copy_without_words
from tests.view.browsing import Page

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.view.serving import STATIC

ENTER, ESCAPE, END = "\ue007", "\ue00c", "\ue010"
LEFT, UP, RIGHT, DOWN = "\ue012", "\ue013", "\ue014", "\ue015"
DAY_MS = 86_400_000


@pytest.fixture
def page(browser, flight) -> Page:
    return Page.at(browser, flight)


@pytest.fixture
def drawn(browser, viewers, tmp_path, portal):
    """A function that makes a graph with hands(memory) and shows it."""

    def draw(make, *arguments: str) -> Page:
        file = tmp_path / "memory.db"
        store = EmbeddedStore(file)
        portal.call(store.open)
        make(Memory(store, portal))
        portal.call(store.close)
        return Page.at(browser, viewers(file, *arguments))

    return draw


# Loading


def test_the_neighbourhood_of_the_concept_is_drawn(page, images):
    assert page.selected() == "oxygen tank 2"
    assert page.text("#details h2") == "oxygen tank 2"
    assert page.text("[data-fact=valence]") == "−1.00 (unpleasant)"
    assert {"service module", "quantity gauge", "tank fans"} < page.names()
    assert page.data("nodes") == len(page.names())
    assert page.data("relations") > page.data("nodes")
    assert page.text("#moment").startswith("now · 17 Apr 1970, 23:00 · arousal")
    page.shoot(images, "neighbourhood")


def test_nodes_differ_by_kind_size_and_colour_and_say_their_sign(page):
    looks = page.run(
        "const { picture } = conceptGraphView;"
        "const nodes = [-1, -0.5, 0, 0.5, 1].map((valence) => ({ kind: 'concept', valence }));"
        "return { shades: nodes.map((node) => picture.colourOf(node)),"
        " shapes: ['concept', 'episode'].map((kind) => picture.looks.shapeOf({ kind })) }"
    )
    assert len(set(looks["shades"])) == 5
    assert len(set(looks["shapes"])) == 2
    assert len(set(page.radii().values())) > 5


def test_an_empty_graph_says_so(drawn):
    def make_and_remove(memory):
        memory.concept_upsert("apple")
        memory.run(calls.concepts.remove("apple", False))

    page = drawn(make_and_remove)
    assert page.text("#empty") == "There is nothing in this graph yet."


def test_names_are_never_taken_for_html(drawn):
    name = "<img src=x onerror='document.title=1'><b>apple"

    def make(memory):
        memory.relation_add(name, "<i>fruit", "is-a")

    page = drawn(make, name)
    page.point_at("<i>fruit")
    page.press("r")
    page.until("return document.body.dataset.recalled === '1'")
    assert page.text(".proposition") == f"{name} is-a <i>fruit"
    assert page.run("return document.querySelectorAll('main img, main b > *, main i').length") == 0


NASTY = (
    "<script>document.title='run'</script>",
    '"><svg onload=document.title="run">',
    "${document.title} {{name}} </ul></aside>",
    "__proto__",
    "constructor",
    "line\nbreak\ttab",
    "esc\x1b[31m bell\x07 nothing\x9b",
    "turned\u202etxt.exe and \u2066hidden\u2069",
    "שלום עולם",
)


def test_every_name_is_shown_as_text_and_can_be_followed(drawn):
    """Markup does nothing, control characters and what turns the text around it are shown."""

    def make(memory):
        memory.episode_add("middle\x1b]0;title\x07 of <b>all</b>\nsecond line", ["middle", *NASTY])

    page = drawn(make, "middle")
    page.choose(hops="2")
    assert set(NASTY) < page.names()
    title = page.run("return document.title")
    for name in NASTY:
        page.run(
            "conceptGraphView.picture.on.clicked(conceptGraphView.model.named(arguments[0]))", name
        )
        page.until("return conceptGraphView.picture.selected.name === arguments[0]", name)
        page.press("/", name[:3])
        page.until("return document.querySelectorAll('#offered [role=option]').length")
        page.press(ESCAPE, ESCAPE)
        page.run("document.getElementById('search').value = ''")
    page.press("r")
    page.until("return document.body.dataset.recalled")
    shown = page.run("return document.body.innerText")
    assert "middle\\x1b]0;title\\x07 of <b>all</b>" in shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert page.run("return document.title") == title
    assert (
        page.run("return document.querySelectorAll('main :is(script, b:not(.factor b), i)').length")
        == 0
    )


def test_what_is_invisible_or_turns_the_text_is_escaped_in_a_name(drawn):
    page = drawn(lambda memory: memory.concept_upsert("turned\u202etxt.exe \x1b[31m"))
    page.run("conceptGraphView.picture.on.clicked([...conceptGraphView.model.nodes.values()][0])")
    assert page.text("#details h2") == "turned\\u202etxt.exe \\x1b[31m"


# Searching


def test_a_concept_is_searched_for_and_shown_with_the_keyboard_alone(page):
    page.press("/")
    assert page.run("return document.activeElement.id") == "search"
    page.press("c", "o", "l", "d")
    page.until("return document.querySelector('#offered [role=option]')?.textContent === 'cold'")
    page.press(DOWN)
    assert page.run("return document.activeElement.getAttribute('aria-activedescendant')")
    page.press(ENTER)
    page.until("return conceptGraphView.picture.selected?.name === 'cold'")
    page.settle()
    assert "window" in page.names()
    assert page.run("return document.activeElement.id") == "picture"


def test_what_no_concept_is_called_is_said_and_nothing_else_is_offered(page):
    page.press("/", "zeppelin")
    page.until("return document.querySelector('#offered .nothing')")
    assert page.text("#offered .nothing") == "No name and no text matches."
    assert page.text("#offered [role=option]") == "Search all texts for “zeppelin”"


def test_an_episode_is_found_by_its_whole_name(page):
    page.press("/", "19700417/cold", ENTER)
    page.until("return conceptGraphView.picture.selected?.kind === 'episode'")


def test_a_name_that_nothing_has_is_told(page):
    page.press("/", "nothing at all", ENTER)
    page.until("return document.body.dataset.found === '0'")
    assert page.text("#told") == "No name and no text matches."
    page.press(ESCAPE)
    assert page.run("return document.getElementById('found').hidden")
    assert page.selected() == "oxygen tank 2"


# Expanding


def test_a_click_expands_a_node(page):
    page.choose(hops="1")
    before = page.names()
    assert page.run("return conceptGraphView.model.hidden(conceptGraphView.model.named('bang'))")
    page.point_at("bang").click().perform()
    page.until("return conceptGraphView.picture.selected?.name === 'bang'")
    page.settle()
    assert before < page.names()
    assert page.text("#details h2") == "bang"
    assert (
        page.run("const { model } = conceptGraphView; return model.hidden(model.named('bang'))")
        == 0
    )


def test_what_a_click_adds_is_joined_to_all_that_is_shown(page):
    """No relation between two nodes on the page is left out."""
    page.choose(hops="1")
    page.point_at("bang").click().perform()
    page.until("return conceptGraphView.picture.selected?.name === 'bang'")
    page.settle()
    shown = page.run("return [...conceptGraphView.model.links.keys()].sort()")
    page.run(
        "return (async () => { const { model } = conceptGraphView;"
        " const asked = 'seed=bang&seed=oxygen tank 2&hops=10&limit=5000';"
        " const { nodes } = await (await fetch(`api/neighbourhood?${asked}`)).json();"
        " model.merge(nodes, () => false); })()"
    )
    assert page.run("return [...conceptGraphView.model.links.keys()].sort()") == shown


def test_arrows_lead_to_neighbours_and_enter_expands(page):
    page.choose(hops="1")
    page.element("#picture").click()
    reached = {}
    for key in (RIGHT, DOWN, LEFT, UP):
        # The first arrow leads back to where the picture began.
        page.press(ESCAPE, key, key)
        node = page.run(
            "const { model, picture } = conceptGraphView;"
            " return { name: picture.selected.name, hidden: model.hidden(picture.selected) }"
        )
        reached[node["name"]] = key if node["hidden"] else None
    neighbours = page.run(
        "const { model } = conceptGraphView;"
        " return model.neighbours(model.named('oxygen tank 2').id).map((n) => n.name)"
    )
    assert len(reached) >= 3
    assert set(reached) <= {*neighbours, "oxygen tank 2"}
    expandable = next(key for key in reached.values() if key)
    before = page.names()
    page.press(ESCAPE, expandable, expandable, ENTER)
    page.until("return Number(document.body.dataset.nodes) > arguments[0]", len(before))
    page.settle()
    assert before < page.names()
    page.press(ESCAPE)
    assert page.selected() is None


def test_the_focus_can_be_seen_wherever_it_is(page):
    for selector in ("#picture", "#search", "#recall-mode", "#time", ".relations button"):
        page.run("document.querySelector(arguments[0]).focus({ focusVisible: true })", selector)
        outline = page.run("return getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid", selector


def test_everything_that_can_be_used_has_a_name(page):
    nameless = page.run(
        "return [...document.querySelectorAll('button, input, select, [role]')].filter((e) =>"
        " !(e.ariaLabel || e.labels?.length || e.textContent.trim() || e.role === 'status'"
        " || e.role === 'alert')).map((e) => e.outerHTML)"
    )
    assert nameless == []
    status = page.run("return document.getElementById('status').textContent")
    assert status.startswith("oxygen tank 2, concept, valence −1.00, arousal 0.2599")


def test_the_keys_in_the_documentation_are_those_of_the_page():
    html = (STATIC / "index.html").read_text(encoding="utf-8")
    shown = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html.split('id="keys"')[1])
    assert [list(pair) for pair in shown] == table(ROOT / "docs/guide/view.md", "key", "does")


# Time


def test_the_slider_shows_arousal_fading(page, images):
    before, arousal = page.radii(), page.data("arousal")
    page.element("#time").send_keys(RIGHT, RIGHT, RIGHT, RIGHT)
    assert page.text("#moment").startswith("in 1 d · 18 Apr 1970, 23:00 · arousal")
    assert page.data("arousal") == pytest.approx(arousal * 2.718281828**-1)
    after = page.radii()
    for name, radius in before.items():
        assert after[name] == pytest.approx(decayed_radius(radius, DAY_MS))
        assert after[name] < radius
    page.shoot(images, "a-day-later")
    page.element("#time").send_keys(END)
    assert page.text("#moment").startswith("in 28 d · 16 May 1970, 00:00")
    assert page.data("arousal") < 1e-9


def test_a_graph_long_untouched_is_drawn_by_the_order_of_its_arousal(viewers, browser, lived_file):
    page = Page.at(browser, viewers(lived_file, "oxygen tank 2", "--at", "1970-05-30"))
    radii = page.radii()
    assert max(radii.values()) > 8
    assert len(set(radii.values())) > 5
    levels = page.run(
        "return [...conceptGraphView.model.nodes.values()].map((node) => [node.name,"
        " node.accessed_at / 86400000 + Math.log(node.arousal_level)])"
    )
    ranks = dict(levels)
    ordered = sorted(ranks, key=lambda name: ranks[name])
    assert [radii[name] for name in ordered] == sorted(radii.values())
    assert "order of arousal; all has faded" in page.text("#legend")


def test_small_numbers_are_shown_as_such(viewers, browser, lived_file):
    page = Page.at(browser, viewers(lived_file, "oxygen tank 2", "--at", "1970-04-28"))
    assert re.fullmatch(r"\d\.\de-0\d", page.text("[data-fact=arousal]"))
    page.press("r")
    page.until("return document.body.dataset.recalled")
    scores = page.run("return [...document.querySelectorAll('.score b')].map((b) => b.textContent)")
    assert len(scores) == 30
    assert all(re.fullmatch(r"\d\.\de-0\d", score) for score in scores)
    assert [float(score) for score in scores] == sorted(map(float, scores), reverse=True)
    shares = page.run(
        "return [...document.querySelectorAll('.strength b')].map((b) => b.textContent)"
    )
    assert shares[0] == "100 %"
    assert len(shares) == 30
    for score, share in zip(scores, shares, strict=True):
        of_first = 100 * float(score) / float(scores[0])
        assert float(share.removesuffix(" %")) == pytest.approx(of_first, rel=0.1, abs=0.5)


def test_what_is_next_to_nothing_is_said_to_be_so(viewers, browser, lived_file):
    page = Page.at(browser, viewers(lived_file, "oxygen tank 2", "--at", "1972-04-28"))
    page.press("r")
    page.until("return document.body.dataset.recalled")
    assert page.text("#propositions .formula").split("\n")[0] == "~0"
    assert "long faded; the order holds" in page.text("#propositions")
    # That the one is so much of the other does not fade.
    assert page.text("#propositions .strength b") == "100 %"
    assert "×" not in page.text("#propositions")
    assert not re.search(r"e-\d{3}", page.text("body"))


def test_looking_back_draws_hollow_what_was_aroused_later(viewers, browser, lived_file):
    page = Page.at(browser, viewers(lived_file, "oxygen tank 2", "--at", "1970-04-13T12:00-06:00"))
    assert {node for node in page.names() if node[:8].isdigit()} <= {"19700413/Aquarius"}
    assert page.text("[data-fact=valence]") == "not known for then"
    assert "1970" not in page.text("#details")
    assert "aroused later; not known for then" in page.text("#legend")
    assert page.data("arousal") < 2
    page.press("r")
    page.until("return document.body.dataset.recalled")
    assert "aroused later; not known for then" in page.text("#propositions")


# Recall


def test_recall_lights_the_ways_and_shows_each_score_as_its_factors(page, images):
    page.press("r")
    page.until("return document.body.dataset.recalled")
    page.settle()
    rows = page.run(
        "return [...document.querySelectorAll('#propositions li')].map((li) =>"
        " Object.fromEntries(['score', 'arousal', 'hop', 'direction', 'weight'].map((name) =>"
        " [name, Number(li.querySelector(`.factor.${name} b`).textContent)])))"
    )
    assert len(rows) == page.data("recalled") == 30
    assert rows == sorted(rows, key=lambda row: -row["score"])
    for row in rows:
        product = row["arousal"] * row["hop"] * row["direction"] * row["weight"]
        assert row["score"] == pytest.approx(product, rel=2e-3, abs=1e-6)
    lit = page.run("return conceptGraphView.picture.lit.links.size")
    assert lit >= 30
    page.shoot(images, "recall")


def test_pointing_at_a_proposition_lights_the_way_to_it_alone(page):
    page.press("r")
    page.until("return document.body.dataset.recalled")
    page.settle()
    strong = "return [...(conceptGraphView.picture.strong?.links ?? [])]"
    assert page.run(strong) == []
    for index in (0, 1):
        page.run("document.querySelectorAll('#propositions button')[arguments[0]].focus()", index)
        ways = page.run(strong)
        shown = page.run("return [...conceptGraphView.model.links.keys()]")
        assert ways
        assert set(ways) <= set(shown)
    # The second is a hop away from the seed, so the way to it is longer than itself.
    assert len(ways) == 2


def test_several_concepts_are_recalled_from_and_left_out_again(page):
    page.press("r")
    page.until("return document.querySelectorAll('#seeds li').length === 1")
    page.press("/", "cold", ENTER)
    page.until("return document.querySelectorAll('#seeds li').length === 2")
    page.element("#seeds button").click()
    page.until("return document.querySelectorAll('#seeds li').length === 1")
    assert page.text("#seeds") == "cold"


def test_recall_is_of_the_slider_s_time_and_escape_ends_it(page):
    page.press("r")
    page.until("return document.body.dataset.recalled")
    first = page.text(".factor.score b")
    page.element("#time").send_keys(RIGHT)
    page.wait(lambda: page.text(".factor.score b") < first)
    page.element("#picture").send_keys(ESCAPE)
    assert page.run("return conceptGraphView.picture.lit") is None
    assert page.run("return document.getElementById('recalled').hidden")


# Other eyes, and size


def test_the_dark_is_respected(page):
    light = page.run("return getComputedStyle(document.body.parentElement).backgroundColor")
    page.browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": "dark"}]},
    )
    dark = page.run("return getComputedStyle(document.body.parentElement).backgroundColor")
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(13, 17, 23)")
    page.until("return conceptGraphView.picture.colours.text === 'rgb(230, 237, 243)'")


def test_nothing_moves_for_those_who_do_not_want_it(page):
    """With reduced motion the nodes are where they belong at once."""
    assert page.run("return conceptGraphView.picture.graph.cooldownTicks()") == 0


def test_five_thousand_nodes_are_shown_and_can_be_worked_with(drawn):
    def make(memory):
        rows = [
            {"kind": "concept", "name": f"c{i}", "arousal_level": 0.5, "accessed_at": i}
            for i in range(6_000)
        ]
        rows += [
            {"kind": "relation", "from": f"c{i}", "to": f"c{(i - 1) // 3}", "type": "is-a"}
            for i in range(1, 6_000)
        ]
        memory.import_rows(rows)

    page = drawn(make, "c0", "--at", EVENING)
    page.choose(limit="5000", hops="10")
    page.until("return document.body.dataset.nodes === '5000'")
    page.settle()
    assert page.data("relations") == 4_999
    page.element("#picture").send_keys(RIGHT)
    page.wait(lambda: page.selected() != "c0")
    page.element("#time").send_keys(RIGHT)
    assert page.text("#moment").startswith("in 6 h")
    page.press("/", "c4999", ENTER)
    page.until("return conceptGraphView.picture.selected?.name === 'c4999'")


# Finding

TALK = (
    ("Ann Lee", "Did you go to the market on Sunday?"),
    ("Bob", "Yes, we bought apples and a huge pumpkin there"),
    ("Ann Lee", "Soup for a week, then"),
    ("Bob", "The oven broke last night"),
)


def told(memory):
    memory.import_rows(
        [
            {
                "kind": "episode",
                "name": f"20250601/talk-{number}",
                "summary": said,
                "thread": "talk",
                "position": number,
                "speaker": speaker,
                "said_at": 1_748_736_000_000,
            }
            for number, (speaker, said) in enumerate(TALK)
        ]
    )
    memory.episode_add("<b>Apples</b> \u200fwere sold out", ["market"])


def find(page, words):
    page.run("delete document.body.dataset.found")
    page.press("/", words)
    page.until("return document.getElementById('offered').dataset.word === arguments[0]", words)
    page.press(UP, ENTER)
    page.until("return document.body.dataset.found")


def test_what_happened_is_found_with_the_reasons_of_each_score(page, images):
    find(page, "what made the air hard to breathe?")
    assert page.text("#told").endswith("found, the best first")
    first = page.text("#answers li")
    assert "carbon dioxide" in first
    numbers = page.run(
        "const { children } = document.querySelector('#answers .formula');"
        " return [...children].filter((part) => part.matches('.factor'))"
        ".map((part) => [part.lastChild.textContent, part.firstChild.textContent])"
    )
    named = dict(numbers)
    assert set(named) == {"score", "words", "age", "named", "asker", "period"}
    product = 1.0
    for name in ("words", "age", "named", "asker", "period"):
        product *= float(named[name])
    assert abs(product - float(named["score"])) < 2e-3
    gave = page.run(
        "return [...document.querySelectorAll('#answers li:first-child .word b')]"
        ".map((one) => Number(one.textContent))"
    )
    assert gave == sorted(gave, reverse=True)
    assert abs(sum(gave) - float(named["words"])) < 2e-3
    page.shoot(images, "found")


def test_the_one_that_is_picked_is_shown_in_the_graph_and_the_list_stays(page):
    find(page, "what made the air hard to breathe?")
    page.run("document.querySelector('#answers button').click()")
    page.until("return conceptGraphView.picture.selected?.kind === 'episode'")
    page.settle()
    assert page.run("return conceptGraphView.picture.selected.text") in page.text("#answers li")
    assert page.run("return document.querySelectorAll('#answers [aria-pressed=true]').length") == 1
    assert len(page.names()) > 3
    page.press(ESCAPE)
    assert page.run("return document.getElementById('found').hidden")
    assert page.text("#details h2") == page.selected()


def test_a_word_says_from_which_neighbours_it_came(drawn):
    page = drawn(told)
    find(page, "Was soup made of pumpkin?")
    assert "Soup for a week" in page.text("#answers li:nth-child(1)")
    words = page.run(
        "return [...document.querySelectorAll('#answers li:first-child .word')]"
        ".map((one) => one.textContent)"
    )
    assert any(re.fullmatch(r"soup [\d.]+", word) for word in words)
    assert any(
        re.fullmatch(r"pumpkin [\d.]+ from 20250601/talk-1 \(before\)", word) for word in words
    )


def test_what_is_found_is_text_and_never_obeyed(drawn):
    page = drawn(told)
    find(page, "sold out apples")
    assert "<b>Apples</b> \\u200fwere sold out" in page.text("#answers li")
    assert page.run("return document.querySelectorAll('.proposition *').length") == 0


def test_what_nothing_says_is_told_and_closing_the_list_ends_it(drawn):
    page = drawn(told)
    find(page, "zeppelin")
    assert page.text("#told") == "No name and no text matches."
    assert page.text("#found h2") == "Results for “zeppelin”"
    page.element("#end-find").click()
    assert page.run("return document.getElementById('found').hidden")


def test_what_cannot_be_found_yet_is_told(browser, viewers, tmp_path):
    copy = copy_without_words(tmp_path / "memory.db")
    # Concepts that become the owner's are indexed at that.
    page = Page.at(browser, viewers(copy, CONCEPT_GRAPH_CONCEPTS="shared"))
    find(page, "apples")
    assert page.text("#told") == (
        "No name and no text matches. not found by words: 5 episodes; run concept-graph-mcp index"
    )


def test_finding_and_recalling_take_turns(page):
    find(page, "cold")
    page.run("document.getElementById('picture').focus()")
    page.press("r")
    page.until("return document.body.dataset.recalled")
    assert page.run("return document.getElementById('found').hidden")
    find(page, "cold")
    assert page.run("return document.getElementById('recalled').hidden")
    assert page.run("return document.getElementById('recall-mode').ariaPressed") == "false"
