"""Two names for one, and one name for two, by the word of the user alone."""

import pytest
from everyday_calls import clara
from expect import REFUSALS

from concept_graph_mcp import calls
from concept_graph_mcp.calls import everyday


def test_two_are_one_by_the_users_words_alone(days, memory):
    clara(days)
    days.remember("Claire sings", ["Claire"], said="Claire sings so well")
    assert days.identify("Clara", "Claire", True, "they are one")["verdict"] == "asked"
    row = days.identify("Clara", "Claire", True, "Claire is Clara of course")
    assert row["verdict"] == "same"
    assert days.about("Clara")["id"] == days.about("Claire")["id"]
    [undone] = days.run(calls.entities.unmerge(row["undo"], "no"))
    assert len(undone["separate"]) == 2


def test_two_are_two_for_good(days):
    clara(days)
    days.remember("Claire sings", ["Claire"], said="Claire sings so well")
    same = days.identify("Clara", "Claire", True, "Claire is Clara")
    assert same["verdict"] == "same"
    assert days.identify("Clara", "Claire", False, "they differ")["verdict"] == "asked"
    row = days.identify("Clara", "Claire", False, "Claire is not Clara")
    assert row["verdict"] == "different"
    first, second = days.about("Clara"), days.about("Claire")
    assert first["id"] != second["id"]
    assert first["doubts"] == second["doubts"] == []
    assert [one["entity_id"] for one in days.undo(row)] == [first["id"]]
    assert days.about("Claire")["id"] == first["id"]


def test_what_was_kept_apart_becomes_a_question_again(days):
    clara(days)
    days.remember("Claire sings", ["Claire"], said="Claire sings so well")
    row = days.identify("Clara", "Claire", False, "Claire is not Clara")
    assert days.about("Clara")["doubts"] == []
    apart = days.undo(row)
    assert {one["entity_id"] for one in apart} == {
        days.about(name)["id"] for name in ("Clara", "Claire")
    }
    assert days.about("Clara")["doubts"] == [
        f"perhaps the same as Claire: {days.about('Claire')['id']}"
    ]
    with pytest.raises(REFUSALS, match="taken back already"):
        days.undo(row)
    merged = days.identify("Clara", "Claire", True, "Claire is Clara after all")
    assert merged["verdict"] == "same"


def test_a_separation_stands_in_the_ledger_and_passes_through_an_export(days, memory):
    clara(days)
    days.remember("Claire sings", ["Claire"], said="Claire sings so well")
    row = days.identify("Clara", "Claire", False, "Claire is not Clara")
    [entry] = memory.run(calls.entities.merges(row["undo"], 1))
    told = ("apart", {"Clara", "Claire"}, "Claire is not Clara", True)
    ends = {entry["source"], entry["target"]}
    assert (entry["action"], ends, entry["said"], entry["is_active"]) == told
    [kept] = [one for one in memory.records() if one.get("id") == row["undo"]]
    assert kept["action"] == "apart"


def test_a_name_becomes_another_ones(days):
    clara(days)
    old = days.about("Clara")["id"]
    assert days.identify("Clara", None, False, "somebody new")["verdict"] == "asked"
    row = days.identify("Clara", None, False, "There is a new Clara at work")
    assert row["verdict"] == "different"
    new = days.about("Clara")
    assert new["id"] != old
    assert new["doubts"] == [f"Clara is called so too: {old}"]
    assert new["said"] == []
    days.remember("Clara at work sings", ["Clara"], said="Clara at work sings")
    assert [one["text"] for one in days.about("Clara")["said"]] == ["Clara at work sings"]
    [former] = days.run(everyday.about("default", "Clara", entity_id=old))
    assert [one["text"] for one in former["said"]] == ["Clara must not eat hazelnuts"]


def test_the_ledger_takes_another_ones_beginning_back(days):
    clara(days)
    old = days.about("Clara")["id"]
    row = days.identify("Clara", None, False, "There is a new Clara at work")
    days.remember("Clara at work sings", ["Clara"], said="Clara at work sings")
    assert [one["entity_id"] for one in days.undo(row)] == [old]
    told = days.about("Clara")
    assert (told["id"], told["doubts"]) == (old, [])
    assert len(told["said"]) == 2
    assert days.identify("Clara", None, False, "Another Clara came")["verdict"] == "different"


def sung(days, *names):
    for name in names:
        days.remember(f"{name} sings", [name], said=f"{name} sings so well")


def named_one(days, *names):
    """Return the ids of what *names* mean."""
    return [days.about(name)["id"] for name in names]


@pytest.mark.slow
def test_a_merged_name_is_the_same_as_a_third_and_different_again(days):
    sung(days, "Lena", "Lenchen", "Leni")
    days.identify("Lenchen", "Lena", True, "Lenchen is Lena")
    assert days.identify("Lenchen", "Leni", True, "they are one")["verdict"] == "asked"
    third = days.identify("Leni", "Lenchen", True, "Leni is Lenchen")
    assert third["verdict"] == "same"
    assert len(set(named_one(days, "Lena", "Lenchen", "Leni"))) == 1
    assert len(days.about("Leni")["said"]) == 3
    assert days.identify("Lenchen", "Leni", False, "Leni is not Lenchen")["verdict"] == "different"
    lena, lenchen, leni = named_one(days, "Lena", "Lenchen", "Leni")
    assert (lena == lenchen, lenchen == leni) == (True, False)


@pytest.mark.slow
def test_two_differ_wherever_each_was_merged(days):
    sung(days, "Oma", "Opa", "Hilde", "Hilda")
    days.identify("Hilda", "Hilde", True, "Hilda is Hilde")
    days.identify("Hilde", "Oma", True, "Hilde is Oma")
    assert days.identify("Hilde", "Hilda", False, "Hilda is not Hilde")["verdict"] == "different"
    hilde, hilda, oma = named_one(days, "Hilde", "Hilda", "Oma")
    assert (hilde == oma, hilda == hilde) == (True, False)


@pytest.mark.parametrize("same", [True, False])
def test_the_same_word_again_is_settled_already(days, memory, same):
    sung(days, "Clara", "Claire")
    said = "Claire is Clara" if same else "Claire is not Clara"
    first = days.identify("Clara", "Claire", same, said)
    before = memory.records()
    assert days.identify("Claire", "Clara", same, said) == first
    assert memory.records() == before
    days.undo(first)
    assert days.identify("Clara", "Claire", same, said)["undo"] != first["undo"]


def test_another_one_begins_once_however_often_it_is_said(days):
    clara(days)
    said = "There is a new Clara at work"
    first = days.identify("Clara", None, False, said)
    new = days.about("Clara")["id"]
    assert days.identify("Clara", None, False, said) == first
    assert days.about("Clara")["id"] == new
    assert "Clara (at work)” (entity), one of 2" in days.recall("Who is Clara?")
    later = days.identify("Clara", None, False, "Yet another Clara, in the choir")
    assert later["undo"] != first["undo"]


@pytest.mark.slow
def test_another_one_of_a_merged_name_has_that_name(days):
    sung(days, "Lena", "Lenchen")
    days.identify("Lenchen", "Lena", True, "Lenchen is Lena")
    row = days.identify("Lenchen", None, False, "There is a new Lenchen at work")
    assert days.about("Lenchen")["name"] == "Lenchen (at work)"
    assert days.about("Lena")["also"] == ["Lenchen"]
    days.undo(row)
    assert len(set(named_one(days, "Lena", "Lenchen"))) == 1


def test_a_name_that_means_several_is_refused_with_their_ids(days):
    days.remember("Max barks", [{"name": "Max", "kind": "dog"}], said="Our dog Max barks")
    days.remember("Max is new", [{"name": "Max", "kind": "trainee"}], said="another Max, a trainee")
    with pytest.raises(REFUSALS, match='a: "Max" means several; give an id of '):
        days.identify("Max", "Max", True, "Max is Max")
