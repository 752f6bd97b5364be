"""A question that names one of the merged also finds what speaks of it by its other names."""

from typing import Any

import pytest
from entity_layer import Entities

from concept_graph_mcp import calls
from memories import node

WHOSE = ("default", "ann")


def entity(label: str, user: str = "default") -> dict[str, Any]:
    name = f"{user}-{label}"
    about = {"node_type": "entity", "node_label": label, "canonical_name": label.casefold()}
    return {"kind": "entity", "id": name, "user_id": user, **about}


def search(memory: Any, query: str, user: str = "default") -> list[dict[str, Any]]:
    call = calls.memories.search(user, query, explained=True)
    return memory.run(call, user_id=user)


def ids(memory: Any, query: str, user: str = "default") -> list[str]:
    return [row["memory_id"] for row in search(memory, query, user)]


def context(memory: Any, query: str, user: str = "default") -> list[str]:
    [row] = memory.run(calls.memories.context(user, query), user_id=user)
    return row["memory_ids"]


@pytest.fixture
def widened(hands: Any) -> Any:
    """Return the terms that a question leads to, each with its share and the reason."""
    return lambda query, user="default": [tuple(row) for row in hands.switch("led_to", user, query)]


@pytest.fixture
def kept(memory):
    """Liz and Elisabeth, of two users; of each a memory of Elisabeth, and one of nobody."""
    for user in WHOSE:
        memory.import_rows([entity(one, user) for one in ("Liz", "Elisabeth Smith", "Ben")])
        memory.import_rows(
            [
                node(f"{user} trip", user, content="Elisabeth drove to Ghent on Friday"),
                node(f"{user} tax", user, content="The tax letter is in the drawer"),
            ]
        )
    return memory


@pytest.fixture
def merged(kept):
    """Of the first user, the two are merged by the user's words."""
    kept.merge_id = Entities(kept).merge("default-Liz", "default-Elisabeth Smith")
    assert kept.merge_id is not None
    return kept


def test_before_they_are_merged_a_name_finds_only_itself(kept):
    assert ids(kept, "Where did Liz go?") == context(kept, "Where did Liz go?") == []


@pytest.mark.parametrize("found", [ids, context])
def test_a_name_of_the_merged_finds_what_has_another_name(merged, found):
    assert found(merged, "Where did Liz go?") == ["default trip"]
    assert found(merged, "Where did LIZ'S car go?") == ["default trip"]
    assert found(merged, "Where did Ben go?") == []


def test_the_merged_lead_both_ways_and_not_to_what_the_question_says(merged, widened):
    assert widened("Does Elisabeth Smith know?") == [
        ("liz", 1.0, "Elisabeth Smith and Liz are merged")
    ]
    assert {term for term, *_ in widened("Is Liz Elisabeth?")} == {
        "smith",
        "elisabeth smith",
    }


def test_it_is_explained_which_name_stood_for_which(merged):
    [row] = search(merged, "Where did Liz go?")
    assert row["matched"] == ["Liz → Elisabeth Smith"]
    [word] = row["words"]
    assert (word["term"], word["why"]) == ("elisabeth", "Liz and Elisabeth Smith are merged")


def test_another_name_counts_as_much_as_the_name_itself(merged):
    merged.import_rows([node("call", content="Liz called today about tea")])
    own, other = search(merged, "Liz")
    assert {own["memory_id"], other["memory_id"]} == {"call", "default trip"}
    gave = {row["memory_id"]: row["words"][0]["gave"] for row in (own, other)}
    assert gave["call"] == pytest.approx(gave["default trip"], rel=0.1)


@pytest.mark.parametrize("found", [ids, context])
def test_whose_are_not_merged_or_no_longer_find_themselves_only(merged, found):
    assert found(merged, "Where did Liz go?", "ann") == []
    Entities(merged).unmerge(merged.merge_id)
    assert found(merged, "Where did Liz go?") == []


def test_without_a_look_up_the_names_are_found_too(merged):
    call = calls.memories.search("default", "Where did Liz go?")
    rows = merged.run(call)
    assert [row["memory_id"] for row in rows] == ["default trip"]
    rows = merged.run(call, user_id="ann")
    assert rows == []


def test_a_merge_of_merged_ones_leads_to_all_names(merged):
    merged.import_rows([entity("Betty")])
    Entities(merged).merge("default-Betty", "default-Liz")
    merged.import_rows([node("boat", content="Betty has a boat")])
    assert set(ids(merged, "Liz")) == {"default trip", "boat"}
    assert ids(merged, "Betty")[0] == "boat"
    assert set(ids(merged, "Elisabeth Smith")) == {"default trip", "boat"}


@pytest.mark.parametrize("asked", ["Who is Jose?", "Who is Garcia?", "jose garcia", "José Garcia?"])
def test_a_part_of_a_name_without_its_accent_finds_what_speaks_of_it(memory, asked):
    memory.import_rows(
        [
            node("bicycles", content="José García repairs bicycles"),
            node("resume", content="Send the résumé"),
            entity("José García"),
        ]
    )
    assert ids(memory, asked) == ["bicycles"]
    [row] = memory.run(calls.everyday.recall("default", asked))
    assert "repairs bicycles" in str(row["lines"])
    [told] = memory.run(calls.everyday.about("default", "Garcia"))
    assert [one["id"] for one in told["said"]] == ["bicycles"]


def test_a_part_of_a_merged_name_finds_what_speaks_of_it_by_another(memory):
    names = ("Julia Kern", "Julia Vogt")
    days = [("is my lawyer", names[0]), ("sent the contract", names[1])]
    for said, name in days:
        text = f"{name} {said}"
        memory.run(calls.everyday.remember("default", text, [name], said=text))
    [row] = memory.run(
        calls.everyday.identify(
            *("default", *reversed(names)), same=True, said="Julia Vogt is Julia Kern"
        )
    )
    assert row["verdict"] == "same"
    [row] = memory.run(calls.everyday.recall("default", "What did Kern send?"))
    assert "sent the contract" in str(row["lines"])
    assert len(search(memory, "Who is Vogt?")) == 2
