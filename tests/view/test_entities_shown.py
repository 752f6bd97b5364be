"""Entities on the page: what the server answers about them, what is seen, and what is undone."""

from dataclasses import replace

import pytest
from asgi import ORIGIN, PORT, TOKEN, Asked, Counting
from known import DAY_MS, NOW_MS, speak
from tests.conftest import Memory
from tests.view.browsing import Page

from concept_graph_mcp import calls
from concept_graph_mcp.session import Clock
from concept_graph_mcp.view.serving import build

ENTER, ESCAPE, DOWN = "\ue007", "\ue00c", "\ue015"


@pytest.fixture
def ids(memory):
    return speak(memory)


def around(asked, *seeds, **parameters):
    given = {"kind": "entity", "seed": list(seeds), **parameters}
    nodes = asked.get("api/neighbourhood", **given).content["nodes"]
    return {node["labels"][0]: node for node in nodes}


# What the server answers


def test_what_was_merged_is_one_node_by_whichever_it_is_asked_for(asked, ids):
    for name in ("Max", "puppy"):
        nodes = around(asked, ids[name], hops=1)
        assert next(iter(nodes)) == "Max"
        assert nodes["Max"]["text"] == "Max (puppy)"
        assert "puppy" not in nodes
        assert nodes["Max"]["border"] == pytest.approx(
            nodes["Max"]["trust"] / (1 + nodes["Max"]["trust"])
        )
    both = around(asked, ids["Max"], ids["puppy"], hops=0)
    assert list(both) == ["Max"]


def test_a_tie_is_one_from_whichever_end_it_is_seen(asked, ids):
    nodes = around(asked, ids["Max"], hops=1)
    drawn = [
        (one["from"], one["type"], one["to"])
        for name in ("Max", "Anna")
        for one in nodes[name]["relations"]
        if {one["from"], one["to"]} == {nodes["Max"]["id"], nodes["Anna"]["id"]}
    ]
    assert len(set(drawn)) == 1
    assert len(drawn) == 2


def test_no_more_entities_are_shown_than_are_asked_for(asked, ids):
    assert len(around(asked, ids["Max"], hops=5, limit=2)) == 2


def test_a_picture_is_one_call_however_many_entities_and_merges_it_has(ids, session, portal):
    store = Counting(session.store)
    asked = Asked(build(replace(session, store=store), None, TOKEN, PORT), portal)
    nodes = around(asked, ids["puppy"], hops=9)
    assert len(nodes) == 8
    assert [len(node["merges"]) for node in nodes.values()].count(1) == 2
    assert store.called == ["entitygraph.neighbourhood"]


def test_entities_are_offered_by_what_they_are_called(asked, ids):
    offers = asked.get("api/search", q="pup").content["offers"]
    told = {"kind": "entity", "name": ids["Max"], "text": "Max", "aside": "pet"}
    assert offers == [told]
    about = asked.get("api/about").content
    assert (about["kind"], about["changes"]) == ("everything", True)


def test_looking_back_begins_with_whom_there_was_whoever_came_later(ids, session, portal):
    then = replace(session, until_ms=NOW_MS - 5 * DAY_MS, clock=Clock(NOW_MS - 5 * DAY_MS))
    asked = Asked(build(then, None, TOKEN, PORT), portal)
    known = {ids[name] for name in ("Max", "Anna", "shoe", "puppy", "Dr Weber", "park")}
    nodes = asked.get("api/picture", kind="everything").content["nodes"]
    # The puppy counts as Max.
    assert len(nodes) == len(known) - 1
    offered = [row["name"] for row in asked.get("api/search").content["offers"]]
    assert len(offered) == 4
    assert {*(node["name"] for node in nodes), *offered} <= known


def test_hides_other_users_and_undoes_nothing_of_theirs(ids, session, portal, memory):
    asked = Asked(build(replace(session, user_id="bob"), None, TOKEN, PORT), portal)
    answer = asked.get("api/neighbourhood", kind="entity", seed=ids["Max"])
    assert answer.status == 400
    assert asked.get("api/search", q="Max").content["offers"] == []
    assert asked.get("api/picture", kind="everything").content["nodes"] == []
    assert asked.get("api/named", q="Max").content["names"] == []
    assert asked.get("api/told", name="Max").content == {"told": None}
    assert asked.get("api/told", name="Max", id=ids["Max"]).content == {"told": None}
    before = memory.records()
    undone = asked.post("api/unmerge", {"merge_id": ids["merge"], "reason": "mine"}, ORIGIN)
    assert undone.status == 400
    assert undone.content["error"].startswith("merge_id: not found")
    assert memory.records() == before


def test_a_merge_is_taken_back_once(asked, ids):
    given = {"merge_id": ids["merge"], "reason": "two dogs"}
    answer = asked.post("api/unmerge", given, ORIGIN)
    assert (answer.status, set(answer.content["entities"])) == (200, {ids["Max"], ids["puppy"]})
    nodes = around(asked, ids["Max"], ids["puppy"], hops=0)
    assert [nodes[name]["text"] for name in ("Max", "puppy")] == ["Max", "puppy"]
    assert nodes["Max"]["merges"][0]["unmerge_reason"] == "two dogs"
    again = asked.post("api/unmerge", given, ORIGIN)
    assert (again.status, list(again.content)) == (400, ["error"])


def test_looking_back_changes_nothing(ids, session, portal, memory):
    asked = Asked(build(replace(session, until_ms=NOW_MS), None, TOKEN, PORT), portal)
    before = memory.records()
    answer = asked.post("api/unmerge", {"merge_id": ids["merge"], "reason": "no"}, ORIGIN)
    assert answer.status == 400
    assert answer.content["error"].startswith("looking back, nothing can be changed")
    assert not asked.get("api/about").content["changes"]
    assert memory.records() == before


def test_looking_at_entities_changes_nothing(memory, asked, ids):
    before = memory.records()
    around(asked, ids["Max"], hops=3)
    asked.get("api/search", q="Max")
    asked.get("api/search")
    assert memory.records() == before


# What is seen


@pytest.fixture
def page(seen) -> Page:
    # Of late, so that it is active: without --at the page is of now.
    return seen(speak)


def choose(page, name):
    """Show the entity called *name*, as the search offers it."""
    page.run("conceptGraphView.picture.select(null)")
    page.press("/", name)
    page.until("return document.querySelector('#offered .layer')?.innerText === 'Who and what'")
    page.press(DOWN, ENTER)
    page.until("return conceptGraphView.picture.selected?.kind === 'entity'")
    page.settle()


def test_entities_are_hexagons_with_their_trust_as_border(page, images):
    choose(page, "pup")
    page.choose(hops="6")
    seen = dict(
        page.run(
            "const { model, picture } = conceptGraphView;"
            " return [...model.nodes.values()].map((node) => [node.text,"
            " [picture.looks.shapeOf(node), picture.looks.borderOf(node)]])"
        )
    )
    assert {"Max (puppy)", "Anna (Annie)", "Dr Weber", "Lindau"} < set(seen)
    assert {shape for shape, _ in seen.values()} == {"hexagon"}
    assert seen["Anna (Annie)"][1] > seen["shoe"][1] > 0
    legend = page.text("#legend").split("\n")
    assert legend[:3] == ["activation", "entity", "trust: its border"]
    assert not {"concept", "memory"} & set(legend)
    page.shoot(images, "entities")


def test_an_entity_is_told_in_words(page):
    choose(page, "pup")
    assert page.text("#details .kind") == "entity, pet"
    assert page.text("[data-fact=name]") == "Max"
    assert page.text("[data-fact=labels]") == "puppy"
    assert "mentions" in page.text("[data-fact=trust]")
    assert page.text(".ledger").startswith("“puppy” counts as “Max”")
    assert "Max is the puppy" in page.text(".ledger")
    assert not page.element("#recall-here").is_displayed()


def test_a_message_that_mentions_it_twice_is_quoted_once(page):
    choose(page, "pup")
    page.run(
        "conceptGraphView.picture.on.clicked(conceptGraphView.model.nodes.values().find("
        "(node) => node.text === 'Anna (Annie)'))"
    )
    page.until("return conceptGraphView.picture.selected.text === 'Anna (Annie)'")
    told = page.text("[data-fact=said]")
    assert told.count("Anna and Annie's boat is in Lindau") == 1
    assert "Max and Anna ran through the park" in told


def test_a_merge_is_taken_back_only_after_asking(page):
    choose(page, "pup")
    ask = "document.querySelector('.ledger button').click()"
    page.run(ask)
    assert page.text("#asked-about") == "“puppy” counts as “Max”"
    page.press(ESCAPE)
    page.until("return !document.getElementById('asking').open")
    assert page.text("[data-fact=labels]") == "puppy"
    page.run(ask)
    page.element("#leave").click()
    assert page.text("[data-fact=labels]") == "puppy"
    page.run(ask)
    page.press("two <b>dogs</b>", ENTER)
    page.until("return [...conceptGraphView.model.nodes.values()].some((n) => n.text === 'puppy')")
    page.settle()
    assert {"Max", "puppy"} <= set(
        page.run("return [...conceptGraphView.model.nodes.values()].map((n) => n.text)")
    )
    assert "taken back: two <b>dogs</b>" in page.text(".ledger")
    page.until("return document.activeElement.id === 'picture'")
    assert page.run("return document.querySelectorAll('.ledger button, .ledger b').length") == 0


def in_areas(memory: Memory, now_ms: int) -> None:
    ids = speak(memory, now_ms)
    animals = {ids[name]: ids["Max"] for name in ("Max", "shoe", "Dr Weber")}
    places = {ids[name]: ids["park"] for name in ("park", "Lindau", "Bregenz", "boat")}
    memory.run(calls.entity_admin.settle_communities(animals | places), user_id="default")


def test_areas_open_to_their_members(seen, images):
    page = seen(in_areas)
    page.press("a")
    page.until("return [...conceptGraphView.model.nodes.values()].every((n) => n.kind === 'area')")
    page.settle()
    shown = page.run("return [...conceptGraphView.model.nodes.values()].map((n) => n.text)")
    assert shown == ["Lindau and 3 more", "Dr Weber and 2 more"]
    # Max and the park were mentioned together, and so were others of both areas.
    joined = "return [...conceptGraphView.model.links.values()].map((l) => [l.type, l.directed])"
    assert page.run(joined) == [["mentioned together", False]]
    assert "how often" in page.text("#legend")
    page.shoot(images, "areas")
    assert page.text("[data-fact=members]") == "4"
    assert page.text("#expand") == "Open"
    page.element("#expand").click()
    page.until("return [...conceptGraphView.model.nodes.values()].some((n) => n.kind === 'entity')")
    page.settle()
    names = page.run("return [...conceptGraphView.model.nodes.values()].map((n) => n.labels[0])")
    assert set(names) == {"park", "Lindau", "Bregenz", "boat"}


def test_looking_back_offers_no_change(seen):
    page = seen(lambda memory, _: speak(memory), "--at", "2026-03-01T12:00Z")
    choose(page, "pup")
    assert page.text(".ledger").startswith("“puppy” counts as “Max”")
    assert page.run("return document.querySelectorAll('.ledger button').length") == 0
