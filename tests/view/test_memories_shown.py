"""Memories on the page: what the server answers about them, and what is seen."""

from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest
from asgi import PORT, TOKEN, Asked, Counting
from remembered import AT, DAY_MS, MEMORIES, NOW_MS, keep
from tests.conftest import Memory
from tests.view.browsing import Page

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.view.serving import build

ENTER, ESCAPE, DOWN, END = "\ue007", "\ue00c", "\ue015", "\ue010"


@pytest.fixture
def asked(memory, portal) -> Asked:
    keep(memory)
    session = Session(memory.store, DAY_MS, ZoneInfo("UTC"), Clock(NOW_MS))
    return Asked(build(session, None, TOKEN, PORT), portal)


@pytest.fixture
def of_bob(memory, portal) -> Asked:
    keep(memory)
    session = Session(memory.store, DAY_MS, ZoneInfo("UTC"), Clock(NOW_MS))
    return Asked(build(replace(session, user_id="bob"), None, TOKEN, PORT), portal)


def around(asked, *seeds, **parameters):
    given = {"kind": "memory", "seed": list(seeds), **parameters}
    nodes = asked.get("api/neighbourhood", **given).content["nodes"]
    return {node["name"]: node for node in nodes}


def opened(asked):
    """Return the nodes of what a store opens on, by their names."""
    nodes = asked.get("api/picture", kind="everything").content["nodes"]
    return {node["name"]: node for node in nodes}


# What the server answers


def test_a_store_of_memories_alone_begins_with_the_latest(asked):
    about = asked.get("api/about").content
    assert (about["kind"], about["seeds"]) == ("everything", [])
    assert list(opened(asked))[:4] == ["tea", "turin", "visit", "easter"]
    offered = asked.get("api/search").content["offers"]
    assert [row["name"] for row in offered] == ["tea", "turin", "visit", "easter"]


def test_what_is_around_a_memory_comes_with_its_links_as_strong_as_they_are_now(asked):
    nodes = around(asked, "visit", hops=1)
    assert set(nodes) == {"visit", "turin", "easter", "train"}
    assert [nodes[one]["hop"] for one in ("visit", "train")] == [0, 1]
    [link] = [one for one in nodes["train"]["relations"] if one["type"] == "references"]
    assert (link["from"], link["to"]) == (nodes["visit"]["id"], nodes["train"]["id"])
    assert link["weight"] == pytest.approx(0.6 * 2 ** (-3 / 7), abs=1e-5)
    assert nodes["visit"]["degree"] == 3
    assert set(around(asked, "visit", hops=3)) == {
        *("visit", "turin", "easter", "train", "job", "munich", "bike", "coffee"),
    }


def test_a_memory_is_as_present_as_it_is_at_the_time_that_is_asked_for(asked):
    now = around(asked, "turin", hops=0)["turin"]
    later = around(asked, "turin", hops=0, at=NOW_MS + 60 * DAY_MS)["turin"]
    assert (now["state"], later["state"]) == ("active", "dormant")
    assert now["arousal_level"] == now["decay_score"] > later["decay_score"]
    assert now["content"] == MEMORIES[0][1]


def test_no_more_memories_are_shown_than_are_asked_for(asked):
    assert len(around(asked, "turin", hops=5, limit=3)) == 3


def test_looking_back_begins_with_what_there_was_however_much_came_later(memory, portal):
    keep(memory)
    later = [
        {"kind": "memory", "id": f"new{number}", "user_id": "default", "content": "Later"}
        | {"created_at": NOW_MS + DAY_MS, "accessed_at": NOW_MS + DAY_MS}
        for number in range(20)
    ]
    memory.import_rows(later)
    session = Session(memory.store, DAY_MS, ZoneInfo("UTC"), Clock(NOW_MS), until_ms=NOW_MS)
    back = Asked(build(session, None, TOKEN, PORT), portal)
    assert list(opened(back))[:3] == ["tea", "turin", "visit"]
    offered = [row["name"] for row in back.get("api/search").content["offers"]]
    assert offered == ["tea", "turin", "visit", "easter"]


def test_a_picture_is_one_call_however_many_memories_it_has(memory, portal):
    keep(memory)
    store = Counting(memory.store)
    session = Session(store, DAY_MS, ZoneInfo("UTC"), Clock(NOW_MS))
    nodes = around(Asked(build(session, None, TOKEN, PORT), portal), "visit", "tea", hops=9)
    assert len(nodes) == 10
    assert store.called == ["memorygraph.neighbourhood"]


def test_hides_other_users(of_bob):
    answer = of_bob.get("api/neighbourhood", kind="memory", seed="turin")
    assert (answer.status, answer.content) == (400, {"error": "memory: not found: turin"})
    assert [row["name"] for row in of_bob.get("api/search").content["offers"]] == ["secret"]
    found = of_bob.get("api/find", q="Turin").content["memories"]
    assert [row["memory_id"] for row in found] == ["secret"]


def test_memories_are_found_by_their_words_with_the_reasons(asked):
    content = asked.get("api/find", q="Where does Daniele work?", limit=3).content
    assert content["episodes"] == []
    best = content["memories"][0]
    assert best["memory_id"] == "job"
    product = sum(word["gave"] for word in best["words"])
    for factor in best["factors"].values():
        product *= factor
    assert best["score"] == pytest.approx(product, abs=1e-5)


def test_looking_at_memories_accesses_none(memory, asked):
    before = memory.records()
    around(asked, "visit", hops=3)
    asked.get("api/find", q="Turin")
    asked.get("api/search")
    assert memory.records() == before


# What is seen


@pytest.fixture(scope="module")
def kept(viewers, portal, tmp_path_factory) -> str:
    """The address of a viewer of what was kept, as of one day."""
    file = tmp_path_factory.mktemp("kept") / "memory.db"
    store = EmbeddedStore(file)
    portal.call(store.open)
    keep(Memory(store, portal))
    portal.call(store.close)
    return viewers(file, "--at", AT)


@pytest.fixture
def page(browser, kept) -> Page:
    return Page.at(browser, kept)


def pick(page, words):
    """Find *words* and pick what is best."""
    page.run("delete document.body.dataset.found")
    page.press("/", words, ENTER)
    page.until("return document.body.dataset.found")
    page.run("conceptGraphView.picture.select(null)")
    page.run("document.querySelector('#answers button').click()")
    page.until("return conceptGraphView.picture.selected")
    page.settle()


def test_memories_are_squares_seen_as_much_as_their_state_says(page, images):
    page.choose(hops="6")
    page.run("conceptGraphView.picture.on.clicked(conceptGraphView.model.named('visit'))")
    page.until("return conceptGraphView.picture.selected?.name === 'visit'")
    page.settle()
    seen = dict(
        page.run(
            "const { model, picture } = conceptGraphView;"
            " return [...model.nodes.values()].map((node) => [node.name,"
            " [picture.looks.shapeOf(node), node.state, picture.looks.opacityOf(node)]])"
        )
    )
    assert seen["turin"] == ["square", "active", 1]
    assert seen["train"] == ["square", "dormant", 0.6]
    assert seen["key"] == ["square", "archived", 0.3]
    radii = page.radii()
    assert radii["turin"] > radii["train"] > radii["key"]
    legend = page.text("#legend").split("\n")
    assert legend[:6] == ["presence", "memory", "active", "dormant", "archived", "expired"]
    assert "concept" not in legend
    assert legend[-1] == "strength now"
    page.shoot(images, "memories")


def test_a_memory_is_told_in_words(page):
    pick(page, "battery models at a start-up")
    page.press(ESCAPE)
    page.until("return !document.getElementById('details').hidden")
    assert page.text("#details .kind") == "memory, fact, from conversation"
    assert page.text("[data-fact=name]") == "Daniele works on battery models at a start-up in Turin"
    assert page.text("[data-fact=state]") == "active"
    assert page.text("[data-fact=next]").startswith("dormant on ")
    assert page.text("[data-fact=id]") == "job"
    assert page.text(".relations").startswith("extends → Daniele moved to Turin in May")
    assert not page.element("#recall-here").is_displayed()


def test_a_message_is_shown_with_its_speaker_everywhere(browser, viewers, portal, tmp_path):
    file = tmp_path / "memory.db"
    store = EmbeddedStore(file)
    portal.call(store.open)
    kept = Memory(store, portal)
    said = (("m1", "Ann <b>Lee\u202e", "I start in May"), ("m2", "Bob", "Good luck in May"))
    messages = [
        {"id": name, "text": words, "thread": "t", "speaker": speaker, "said_at": NOW_MS}
        for name, speaker, words in said
    ]
    kept.run(calls.ingesting.ingest("default", messages))
    kept.run(calls.memory_links.link("m2", "m1", "follows", 0.5, 0.1))
    portal.call(store.close)
    page = Page.at(browser, viewers(file, "--at", AT))
    first, second = "Ann <b>Lee\\u202e: I start in May", "Bob: Good luck in May"
    pick(page, "Who starts in May?")
    assert page.text("#answers .proposition") == first
    page.press(ESCAPE)
    page.until("return !document.getElementById('details').hidden")
    assert page.text("[data-fact=name]") == "I start in May"
    assert page.text("[data-fact=speaker]") == "Ann <b>Lee\\u202e"
    assert second in page.text(".relations")
    assert page.text("#status").startswith(f"{first}, memory, ")
    page.press("/", DOWN)
    page.until("return document.querySelectorAll('#offered [role=option]').length")
    assert set(page.text("#offered").split("\n")) - {"Said"} == {first, second}


def test_a_note_without_a_speaker_shows_none(page):
    pick(page, "battery models at a start-up")
    page.press(ESCAPE)
    page.until("return !document.getElementById('details').hidden")
    assert page.run("return document.querySelectorAll('[data-fact=speaker]').length") == 0


def test_a_preserved_memory_says_so_and_by_which_tag(page):
    page.press("/", DOWN)
    page.until("return document.querySelectorAll('#offered [role=option]').length")
    assert page.text("#offered .layer") == "Said"
    page.press(DOWN, ENTER)
    page.until("return conceptGraphView.picture.selected?.name === 'tea'")
    assert page.text("[data-fact=state]") == "active, preserved"
    assert page.text("[data-fact=tags]") == "drinks, favorite"


def test_the_slider_shows_how_present_memories_will_be(page):
    page.run("conceptGraphView.picture.select(conceptGraphView.model.named('visit'))")
    before = page.radii()
    page.element("#time").send_keys(END)
    page.until("return document.body.dataset.reckoned === String(conceptGraphView.picture.time)")
    after = page.radii()
    assert after["visit"] < before["visit"]
    assert after["tea"] == before["tea"]
    assert "arousal" not in page.text("#moment")


def test_a_click_on_a_memory_shows_what_it_is_linked_to(page):
    page.run("conceptGraphView.picture.select(conceptGraphView.model.named('visit'))")
    page.run("document.getElementById('hops').value = '1'")
    page.element("#centre").click()
    page.until("return conceptGraphView.model.nodes.size === 4")
    page.settle()
    assert "munich" not in page.names()
    page.run("conceptGraphView.picture.on.clicked(conceptGraphView.model.named('train'))")
    page.until("return conceptGraphView.model.named('munich')")
    page.settle()
    assert {"munich", "train"} < page.names()


def test_arrows_lead_to_memories_that_nothing_links(browser, viewers, portal, tmp_path):
    file = tmp_path / "memory.db"
    store = EmbeddedStore(file)
    portal.call(store.open)
    rows = [
        {"kind": "memory", "id": name, "user_id": "default", "content": text}
        | {"created_at": NOW_MS - days * DAY_MS, "accessed_at": NOW_MS - days * DAY_MS}
        for name, text, days in (("tea", "Prefers tea", 1), ("nuts", "No walnuts", 9))
    ]
    Memory(store, portal).import_rows(rows)
    portal.call(store.close)
    page = Page.at(browser, viewers(file, "--at", AT))
    assert page.data("relations") == 0
    page.run("document.getElementById('picture').focus()")
    reached = set()
    for arrow in ("\ue012", "\ue013", "\ue014", "\ue015"):
        page.run("conceptGraphView.picture.select(conceptGraphView.model.named('tea'))")
        page.press(arrow)
        reached.add(page.selected())
    assert reached == {"tea", "nuts"}


def test_what_is_often_together_without_a_link_is_offered(browser, viewers, portal, tmp_path):
    file = tmp_path / "memory.db"
    store = EmbeddedStore(file)
    portal.call(store.open)
    memory = Memory(store, portal)
    rows = [
        {"kind": "memory", "id": name, "user_id": "default", "content": text}
        for name, text in (("tea", "Prefers tea"), ("nuts", "No walnuts"))
    ]
    memory.import_rows(rows)
    for _ in range(5):
        memory.run(calls.everyday.access("default", ["tea", "nuts"], {}))
    portal.call(store.close)
    page = Page.at(browser, viewers(file))
    types = page.run("return [...conceptGraphView.model.links.values()].map(({ type }) => type)")
    assert types == ["said next"]
    page.run("conceptGraphView.picture.on.clicked(conceptGraphView.model.named('tea'))")
    page.until("return document.querySelector('[data-fact=said] [data-fact=together]')")
    told = page.text("[data-fact=said] [data-fact=together]")
    assert told == "No walnuts (in 5 answers or more, not linked)"


def test_a_long_memory_leaves_what_is_told_of_it_in_sight(browser, viewers, portal, tmp_path):
    file = tmp_path / "memory.db"
    store = EmbeddedStore(file)
    portal.call(store.open)
    said = {"long": "All that was said. " * 2_000, "word": "x" * 5_000}
    rows = [
        {"kind": "memory", "id": name, "user_id": "default", "content": text}
        for name, text in said.items()
    ]
    Memory(store, portal).import_rows(rows)
    portal.call(store.close)
    page = Page.at(browser, viewers(file))
    for name in said:
        page.run(
            "conceptGraphView.picture.on.clicked(conceptGraphView.model.named(arguments[0]))", name
        )
        page.until("return conceptGraphView.picture.selected.name === arguments[0]", name)
        bottom, width, room = page.run(
            "const panel = document.getElementById('panel');"
            " return [document.getElementById('expand').getBoundingClientRect().bottom,"
            " panel.scrollWidth, panel.clientWidth]"
        )
        assert bottom < page.run("return innerHeight")
        assert width <= room
    page.press("/", DOWN)
    page.until("return document.querySelectorAll('#offered [role=option]').length")
    offered = page.run(
        "return [...document.querySelectorAll('#offered bdi')].map((o) => o.innerText)"
    )
    assert [len(text) <= 72 and text.endswith("…") for text in offered] == [True, True]


def test_what_a_memory_says_is_never_obeyed(browser, viewers, portal, tmp_path):
    said = "<img src=x onerror='document.title=1'> was <b>said</b> \u202eonce"
    file = tmp_path / "memory.db"
    store = EmbeddedStore(file)
    portal.call(store.open)
    rows = [{"kind": "memory", "id": "<i>x", "user_id": "default", "content": said}]
    Memory(store, portal).import_rows(rows)
    portal.call(store.close)
    page = Page.at(browser, viewers(file))
    title = page.run("return document.title")
    pick(page, "What was said once?")
    shown = page.text("#answers li")
    assert "<b>said</b> \\u202eonce" in shown
    assert (
        page.run(
            "return document.querySelectorAll('main img, main b:not(.factor b, .word b)').length"
        )
        == 0
    )
    assert page.run("return document.title") == title


def test_a_recall_from_a_memory_is_refused_in_one_line(page):
    page.run("document.getElementById('picture').focus()")
    page.press("r")
    page.until("return !document.getElementById('error').hidden")
    assert page.text("#error") == "A recall begins at a concept or an episode."
