"""A name over all layers on the page: what the server chooses, what is joined, told and thinned."""

from dataclasses import astuple
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from asgi import PORT, TOKEN, Asked
from tests.conftest import Memory
from tests.view.browsing import Page

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.view.serving import build
from conceptgraph_core.entities.inputs import Given

ENTER, DOWN = "\ue007", "\ue015"
AT = "2026-03-01T12:00Z"
NOW_MS = int(datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp() * 1000)
DAY_MS = 86_400_000
USER = "default"
KINDS = ("entity", "memory", "concept")

# Days ago, what is kept, about whom and what, by the words of the user.
KEPT = (
    (40, "Clara lives in Kiel", ("Clara", "Kiel"), "Clara lives in Kiel"),
    (30, "Clara is allergic to hazelnuts", ("Clara", "Hazelnuts"), "No hazelnuts for Clara!"),
    (20, "Clara moved to Lübeck", ("Clara", "Lübeck"), "Clara moved to Lübeck"),
    (3, "Jonas plays chess on Mondays", ("Jonas",), "Jonas plays chess on Mondays"),
)
EVOKED = (
    ("hazelnuts", "nougat", "evokes"),
    ("hazelnuts", "nut", "is-a"),
    ("Clara", "sea", "evokes"),
)


def live(memory: Memory) -> dict[str, str]:
    """Keep it all; return the ids of the entities by their labels."""
    for days, text, about, said in KEPT:
        memory.now_ms = NOW_MS - days * DAY_MS
        named = [{"name": one, "kind": "sister"} if one == "Clara" else one for one in about]
        memory.run(calls.everyday.remember(USER, text, named, said=said), user_id=USER)
    memory.now_ms = NOW_MS - DAY_MS
    for one in EVOKED:
        memory.relation_add(*one)
    ids = {}
    for name in ("Clara", "Hazelnuts", "Kiel", "Jonas"):
        [row] = memory.run(calls.entities.search(name, user_id=USER), user_id=USER)
        ids[name] = row["entity_id"]
    memory.now_ms = NOW_MS
    for value, since, until in (("Kiel", 40, 20), ("Lübeck", 20, None)):
        given = Given(
            *("city", value, None, NOW_MS - since * DAY_MS),
            valid_until=None if until is None else NOW_MS - until * DAY_MS,
            speaker="user",
            text=f"Clara lives in {value}",
            span=f"Clara lives in {value}",
        )
        memory.run(calls.entities.fact(ids["Clara"], *astuple(given)), user_id=USER)
    return ids


@pytest.fixture
def ids(memory):
    return live(memory)


@pytest.fixture
def asked(ids, memory, portal) -> Asked:
    session = Session(memory.store, DAY_MS, ZoneInfo("UTC"), Clock(NOW_MS))
    return Asked(build(session, None, TOKEN, PORT), portal)


def drawn(asked, kind, *seeds, **given):
    """Return the nodes of a picture by their kinds."""
    nodes = asked.get("api/picture", kind=kind, seed=list(seeds), **given).content["nodes"]
    return {kind: [node for node in nodes if node["kind"] == kind] for kind in KINDS}


def texts(nodes):
    return [node["text"] for node in nodes]


# What the server chooses


def test_a_picture_of_a_name_has_who_it_is_what_was_said_and_what_it_evokes(asked, ids):
    picture = drawn(asked, "entity", ids["Clara"])
    assert picture["entity"][0]["name"] == ids["Clara"]
    assert {"Kiel", "Lübeck", "Hazelnuts"} <= set(texts(picture["entity"]))
    assert set(texts(picture["memory"])) == {text for _, text, *_ in KEPT if "Clara" in text}
    assert {"Clara", "sea"} <= set(texts(picture["concept"]))
    about = [(node["kind"], node["text"]) for kind in KINDS for node in picture[kind]
             if node["hop"] == 0]  # fmt: skip
    assert about == [("entity", "Clara"), ("concept", "Clara")]


def test_what_about_returns_comes_with_the_name_the_latest_words_first(asked, ids):
    told = asked.get("api/told", name="Clara", id=ids["Clara"]).content["told"]
    assert (told["name"], told["kind"]) == ("Clara", "sister")
    cities = [one for one in told["facts"] if one["predicate"] == "city"]
    assert [(one["value"], one["until"] is None) for one in cities] == [
        ("Lübeck", True),
        ("Kiel", False),
    ]
    assert [one["text"] for one in told["said"]] == [
        *("Clara moved to Lübeck", "Clara is allergic to hazelnuts", "Clara lives in Kiel"),
    ]
    assert told["relations"] == ["Clara evokes sea"]
    assert drawn(asked, "entity", ids["Clara"])["entity"][0]["told"] == told
    assert asked.get("api/told", name="nobody").content == {"told": None}


def test_a_concept_meets_the_entity_of_its_name_in_whatever_case(asked, ids):
    for kind, seed in (("concept", "hazelnuts"), ("entity", ids["Hazelnuts"])):
        picture = drawn(asked, kind, seed)
        assert ids["Hazelnuts"] in [node["name"] for node in picture["entity"]]
        assert {"hazelnuts", "nougat", "nut"} <= set(texts(picture["concept"]))
        assert texts(picture["memory"]) == ["Clara is allergic to hazelnuts"]


def test_a_memory_is_shown_with_whom_it_names(asked, ids):
    row = asked.get("api/search", q="chess").content["offers"][0]
    assert (row["kind"], row["text"]) == ("memory", "Jonas plays chess on Mondays")
    assert [node["name"] for node in drawn(asked, "memory", row["name"])["entity"]] == [
        ids["Jonas"]
    ]


def test_one_search_offers_all_layers(asked, ids):
    offers = asked.get("api/search", q="hazelnuts").content["offers"]
    assert [(row["kind"], row["text"]) for row in offers] == [
        *(("entity", "Hazelnuts"), ("concept", "hazelnuts")),
        ("memory", "Clara is allergic to hazelnuts"),
    ]
    kinds = [row["kind"] for row in asked.get("api/search").content["offers"]]
    assert list(dict.fromkeys(kinds)) == ["entity", "concept", "memory"]


@pytest.mark.parametrize(
    ("words", "kind", "name", "is_exact"),
    [
        ("clara", "entity", "Clara", True),
        ("nougat", "concept", None, True),
        ("Jon", "entity", "Jonas", False),
    ],
)
def test_a_typed_name_is_that_of_an_entity_before_a_concept(
    asked, ids, words, kind, name, is_exact
):
    told = asked.get("api/named", q=words).content
    names = [ids[name]] if name else [words]
    assert told == {"kind": kind, "names": names, "exactly": is_exact}


def test_a_store_opens_on_whom_the_user_spoke_of_most_and_on_what_was_said_last(asked, ids):
    about = asked.get("api/about").content
    assert (about["kind"], about["seeds"]) == ("everything", [])
    picture = drawn(asked, "everything")
    assert picture["entity"][0]["name"] == ids["Clara"]
    assert texts(picture["memory"])[0] == "Jonas plays chess on Mondays"
    assert "hazelnuts" in texts(picture["concept"])
    few = drawn(asked, "everything", limit=6)
    assert [len(few[kind]) for kind in KINDS] == [3, 1, 1]


def test_hides_the_names_of_other_users(ids, memory, portal):
    session = Session(memory.store, DAY_MS, ZoneInfo("UTC"), Clock(NOW_MS), user_id="bob")
    asked = Asked(build(session, None, TOKEN, PORT), portal)
    assert asked.get("api/picture", kind="entity", seed=ids["Clara"]).status == 400
    picture = drawn(asked, "concept", "Clara")
    assert (picture["entity"], picture["memory"]) == ([], [])
    assert {row["kind"] for row in asked.get("api/search", q="clara").content["offers"]} == {
        "concept"
    }


def test_looking_back_tells_only_what_was_there(ids, memory, portal):
    then = NOW_MS - 25 * DAY_MS
    session = Session(memory.store, DAY_MS, ZoneInfo("UTC"), Clock(then), until_ms=then)
    asked = Asked(build(session, None, TOKEN, PORT), portal)
    picture = drawn(asked, "entity", ids["Clara"])
    wanted = {"Clara is allergic to hazelnuts", "Clara lives in Kiel"}
    assert set(texts(picture["memory"])) == wanted
    told = picture["entity"][0]["told"]
    assert {one["text"] for one in told["said"]} == wanted
    assert set(texts(drawn(asked, "everything")["memory"])) == wanted


def test_looking_at_names_changes_nothing(ids, memory, asked):
    before = memory.records()
    drawn(asked, "everything")
    drawn(asked, "entity", ids["Clara"])
    asked.get("api/told", name="Clara", id=ids["Clara"])
    asked.get("api/search", q="clara")
    asked.get("api/named", q="clara")
    assert memory.records() == before


# What is seen


@pytest.fixture
def shown(browser, viewers, portal, tmp_path):
    """A function that shows what make(memory) has stored, with the concepts that users share."""

    def show(make, *arguments: str) -> Page:
        file = tmp_path / "memory.db"
        store = EmbeddedStore(file)
        portal.call(store.open)
        make(Memory(store, portal))
        portal.call(store.close)
        return Page.at(
            browser, viewers(file, *arguments, "--at", AT, CONCEPT_GRAPH_CONCEPTS="shared")
        )

    return show


def joined(page, type_):
    """Return the pairs of texts that a line of that type joins, as it is drawn."""
    pairs = page.run(
        "const { model } = conceptGraphView;"
        " return [...model.shown.values()].filter(({ type }) => type === arguments[0])"
        ".map(({ from, to }) => [from, to].map((id) => model.nodes.get(id)))"
        ".map((ends) => ends.map(({ kind, text }) => `${kind} ${text}`))",
        type_,
    )
    return {tuple(pair) for pair in pairs}


def test_a_name_opens_on_the_person_with_the_layers_joined(shown, images):
    page = shown(live, "Clara")
    assert page.run("return conceptGraphView.picture.selected.kind") == "entity"
    lines = joined(page, "same name")
    assert ("entity Clara", "concept Clara") in lines
    assert ("memory Clara moved to Lübeck", "entity Clara") in lines
    assert ("memory Clara moved to Lübeck", "entity Lübeck") in lines
    # An entity of the name comes before the concept, which it is joined to.
    assert ("memory Clara moved to Lübeck", "concept Clara") not in lines
    assert page.run(
        "const { looks } = conceptGraphView.picture; const link = { type: 'same name' };"
        " return Boolean(looks.dashOf(link))"
    )
    tints = page.run(
        "const { model, picture } = conceptGraphView;"
        " return Object.fromEntries([...model.nodes.values()].map((node) =>"
        " [node.kind, `${picture.looks.shapeOf(node)} ${picture.colourOf(node)}`]))"
    )
    assert len(set(tints.values())) == 3
    assert "same name" in page.text("#legend")
    page.shoot(images, "name")


def test_what_is_so_of_a_person_is_written_below_the_name(shown):
    page = shown(live, "clara")
    page.run(
        "window.written = new Set(); const { prototype } = CanvasRenderingContext2D;"
        " const { fillText } = prototype; prototype.fillText = function (text, ...rest) {"
        " written.add(text.replace(/[\u2068\u2069]/g, '')); fillText.call(this, text, ...rest); };"
        " conceptGraphView.picture.redraw()"
    )
    page.until("return written.has('city: Lübeck')")
    assert not page.run("return written.has('city: Kiel')")


def test_the_panel_has_what_about_returns(shown):
    page = shown(live, "clara")
    assert page.text("#details .kind") == "entity, sister"
    assert page.text("[data-fact=stated]") == "Lübeck (since 9 Feb 2026)"
    assert page.text("[data-fact=past]") == "Kiel (since 20 Jan 2026, until 9 Feb 2026)"
    assert page.text("[data-fact=evoked]") == "Clara evokes sea"
    said = page.run(
        "return [...document.querySelectorAll('[data-fact=saying]')].map((one) => one.innerText)"
    )
    assert [one.partition(" (")[0] for one in said] == [
        *("Clara moved to Lübeck", "Clara is allergic to hazelnuts", "Clara lives in Kiel"),
    ]
    # What the memories say already is not told again as a mention.
    assert "No hazelnuts for Clara!" in page.text("[data-fact=said]")
    assert page.text("[data-fact=said]").count("Clara moved to Lübeck") == 1
    # One that comes by a click tells of itself as well.
    page.run(
        "conceptGraphView.picture.on.clicked([...conceptGraphView.model.nodes.values()]"
        ".find(({ kind, text }) => kind === 'entity' && text === 'Hazelnuts'))"
    )
    page.until(
        "return document.querySelector('[data-fact=saying]')?.innerText.includes('allergic')"
    )


def test_names_are_searched_with_the_keyboard_in_all_layers(shown):
    page = shown(live, "Clara")
    page.press("/", "hazelnuts")
    page.until("return document.getElementById('offered').dataset.word === 'hazelnuts'")
    assert page.text("#offered").split("\n") == [
        *("Who and what", "Hazelnuts", "Concepts", "hazelnuts", "Said"),
        *("Clara is allergic to hazelnuts", "note", "Search all texts for “hazelnuts”"),
    ]
    page.press(DOWN, DOWN, DOWN, ENTER)
    page.until("return conceptGraphView.picture.selected?.kind === 'memory'")
    page.press("/", "Clara", ENTER)
    page.until("return conceptGraphView.picture.selected?.text === 'Clara'")
    assert page.run("return conceptGraphView.picture.selected.kind") == "entity"
    page.element("#overview").click()
    page.until(
        "return [...conceptGraphView.model.nodes.values()].some(({ text }) => text === 'Jonas')"
    )


def test_what_is_stored_about_a_name_is_never_obeyed(shown):
    name, said = "<b>Eve</b>\u202e", "<img src=x onerror='document.title=1'> says <b>Eve</b>\u202e"

    def make(memory):
        memory.now_ms = NOW_MS
        memory.run(calls.everyday.remember(USER, said, [name], said=said), user_id=USER)
        memory.relation_add(name, "<i>apple", "evokes")

    page = shown(make, name)
    title = page.run("return document.title")
    assert "<img src=x" in page.text("[data-fact=said]")
    assert "\\u202e" in page.text("#details h2")
    page.press("/", "Eve")
    page.until("return document.getElementById('offered').dataset.word === 'Eve'")
    assert "<b>Eve</b>" in page.text("#offered")
    assert (
        page.run("return document.querySelectorAll('main img, main b, main i, li b').length") == 0
    )
    assert page.run("return document.title") == title


def test_only_the_strongest_ties_are_drawn_until_more_are_asked_for(shown):
    labels = [f"N{number}" for number in range(9)]

    def make(memory):
        memory.now_ms = NOW_MS - DAY_MS
        for number in range(3):
            seen = [{"label": one, "type": "entity"} for one in labels[: 9 - number]]
            call = calls.entities.observe("s", f"m{number}", "user", " ".join(labels), seen)
            memory.run(call, user_id=USER)
        memory.run(calls.entities.end_session("s"), user_id=USER)

    page = shown(make)
    count = "return [...conceptGraphView.model.links.values()].length"
    known, shown_first = page.run(count), page.data("relations")
    assert shown_first < known
    assert shown_first <= 3 * len(labels)
    reached = page.run(
        "const { model } = conceptGraphView;"
        " return [...model.nodes.keys()].every((id) => model.relationsOf(id).length)"
    )
    assert reached
    page.run(
        "const { model, picture } = conceptGraphView;"
        " picture.on.clicked([...model.nodes.values()].find((node) => model.hidden(node)))"
    )
    page.until("return conceptGraphView.model.whole.size === 1")
    page.settle()
    assert (
        page.run(
            "const { model, picture } = conceptGraphView; return model.hidden(picture.selected)"
        )
        == 0
    )
    assert page.data("relations") > shown_first


def test_messages_that_name_nobody_hang_together_as_they_were_said(shown):
    said = ("Good morning", "Slept well?", "Like a log", "And the next day")
    hours = (30, 29.9, 29.8, 3)

    def make(memory):
        memory.now_ms = NOW_MS
        messages = [
            {"id": f"m{number}", "text": text, "thread": "t", "speaker": "Ann"}
            | {"said_at": NOW_MS - int(ago * 3_600_000)}
            for number, (text, ago) in enumerate(zip(said, hours, strict=True))
        ]
        memory.run(calls.ingesting.ingest(USER, messages), user_id=USER)

    page = shown(make)
    first, second, third, _ = (f"memory {one}" for one in said)
    assert joined(page, "said next") == {(first, second), (second, third)}
    assert "said next" in page.text("#legend")


def test_a_store_of_one_memory_shows_it(shown):
    def make(memory):
        memory.now_ms = NOW_MS
        memory.run(calls.everyday.remember(USER, "Prefers tea"), user_id=USER)

    page = shown(make)
    assert (page.data("nodes"), page.text("[data-fact=name]")) == (1, "Prefers tea")
    assert page.run("return document.getElementById('empty').hidden")
