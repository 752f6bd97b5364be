"""`mend` adopts what Cypher written by hand created, or merges it with its twin, without a loss."""

import pytest

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Refused
from conceptgraph_core.transfer import procedures
from memories import node


def mend(memory, owner=None, limit=1_000):
    rows = memory.run(calls.transfer.mend(owner, limit))
    return {row["subject"]: row["done"] for row in rows}


def problems(memory):
    return [(row["problem"], row["subject"]) for row in memory.run(calls.transfer.check())]


def twin(hands, label, name, **properties):
    """Create a node without a scope beside a shared one of its name."""
    try:
        return hands.node(label, name=name, **properties)
    except Refused:
        pytest.skip("embedded, a missing scope is the shared one under the constraint")


def found(memory, user):
    call = calls.memory_search.search(user, "what does Bob like?")
    return [row["memory_id"] for row in memory.run(call, user_id=user)]


def relations(memory):
    return sorted(
        (one["from"], one["type"], one["to"], one["weight"])
        for one in memory.records()
        if one["kind"] == "relation"
    )


def test_a_sound_graph_stays_as_it_is(memory):
    memory.relation_add("apple", "fruit", "is-a")
    memory.episode_add("Bought apples", ["apple", "market"])
    memory.import_rows([node("tea")])
    before = memory.records()
    assert mend(memory) == {}
    assert memory.records() == before
    assert problems(memory) == []


def test_a_node_without_a_scope_is_adopted_with_all_that_it_lacks(memory, hands):
    hands.node("Concept", name="Quince", colour="yellow")
    assert mend(memory) == {'Concept "Quince"': "set user_id, valence, arousal_level, accessed_at"}
    assert problems(memory) == []
    assert memory.concept_search(["quince"]) == ["Quince"]
    stored = hands.properties("Quince")
    assert (stored["colour"], stored["user_id"], stored["accessed_at"]) == (
        "yellow", "", memory.now_ms,
    )  # fmt: skip


def test_a_twin_is_merged_with_its_relations_and_its_own_properties(memory, hands):
    memory.relation_add("apple", "fruit", "is-a")
    memory.concept_upsert("red")
    weight = memory.weight("apple", "fruit", "is-a")
    spare = twin(hands, "Concept", "apple", valence=0.9, note="from the market")
    other = hands.node("Concept", name="sweet")
    stranger = hands.node("Person", name="Ann")
    hands.edge(spare, other, "EVOKES", weight=0.5)
    hands.edge(hands.id("red"), spare, "EVOKES", weight=0.3)
    hands.edge(spare, hands.id("fruit"), "IS_A", weight=weight + 0.5)
    hands.edge(stranger, spare, "LIKES", since=7)
    assert mend(memory)['Concept "apple"'] == "merged into the concept of that name"
    assert problems(memory) == []
    stored = hands.properties("apple")
    assert (stored["note"], stored["valence"]) == ("from the market", 0.9)
    assert relations(memory) == [
        ("apple", "evokes", "sweet", 0.5),
        ("apple", "is-a", "fruit", weight + 0.5),
        ("red", "evokes", "apple", 0.3),
    ]
    kept = [one for one in hands.everything()[1] if one["type"] == "LIKES"]
    assert [(one["to"], one["since"]) for one in kept] == [(hands.id("apple"), 7)]


def test_a_sentence_with_two_statements_keeps_both(memory, hands):
    memory.concept_upsert("apple")
    hands.node("Episode", name="apple", summary="Ate one")
    hands.node("Episode", name="20250101/pie", summary="Baked a pie")
    twin(hands, "Episode", "20250101/pie", summary="Ate a pie")
    mend(memory)
    assert problems(memory) == []
    assert memory.node("apple (2)")["summary"] == "Ate one"
    assert memory.node("20250101/pie")["summary"] == "Baked a pie"
    assert memory.node("20250101/pie (2)")["summary"] == "Ate a pie"


def test_a_memory_of_nobody_becomes_that_of_an_owner_who_is_named(memory, hands):
    memory.import_rows([node("tea", user_id="anna")])
    hands.node("Memory", content="Bob likes jazz")
    mend(memory)
    [(problem, subject)] = [one for one in problems(memory) if one[0] != "not found by words"]
    assert (problem, subject.split()[0]) == ("no user_id", "Memory")
    assert mend(memory, "anna") == {subject: "set user_id"}
    assert problems(memory) == []
    assert len(found(memory, "anna")) == 1
    assert found(memory, "default") == []


@pytest.mark.parametrize("scope", [5.5, [1], ["anna"], True])
def test_what_may_be_another_users_is_shown_to_nobody(memory, hands, scope):
    hands.node("Concept", name="secret", user_id=scope)
    hands.node("Memory", id="secret", content="Bob likes jazz", user_id=scope)
    mend(memory, "anna")
    assert memory.concept_search(["secret"]) == []
    assert found(memory, "anna") == []


def test_wrong_values_become_what_they_mean_or_the_default(memory, hands):
    memory.import_rows([node("tea")])
    wrong = {"tags": "green", "importance_score": "0.25", "created_at": "yesterday", "type": 5}
    hands.node("Memory", id="mint", user_id="default", content=7, **wrong)
    mend(memory)
    assert problems(memory) == []
    [mint] = [one for one in memory.records() if one.get("id") == "mint"]
    assert (mint["content"], mint["tags"], mint["type"]) == ("7", ["green"], "5")
    assert (mint["importance_score"], mint["created_at"]) == (0.25, memory.now_ms)


def test_an_entity_of_a_name_that_is_taken_keeps_one_of_its_own(memory, hands):
    given = {"user_id": "default", "canonical_name": "lisa", "node_label": "Lisa"}
    hands.node("Entity", id="one", **given)
    hands.node("Entity", id="two", **(given | {"user_id": None}))
    mend(memory, "default")
    assert problems(memory) == []
    names = [one["canonical_name"] for one in memory.records() if one["kind"] == "entity"]
    assert sorted(names) == ["lisa", "lisa #2"]


def test_parallel_and_incomplete_relations_become_one(memory, hands):
    memory.relation_add("apple", "fruit", "is-a")
    hands.edge(hands.id("apple"), hands.id("fruit"), "IS_A", weight=0.75)
    memory.concept_upsert("red")
    hands.edge(hands.id("apple"), hands.id("red"), "EVOKES", weight="much")
    mend(memory)
    assert problems(memory) == []
    assert relations(memory) == [("apple", "evokes", "red", 0.25), ("apple", "is-a", "fruit", 0.75)]


def test_many_are_mended_in_several_transactions(memory, hands):
    hands.nodes("Concept", [{"name": f"n{number}"} for number in range(5)])
    assert [len(mend(memory, limit=2)) for _ in range(4)] == [2, 2, 1, 0]


def test_nobody_needs_a_look_up_in_lab(memory, hands):
    hands.node("Concept", name="Quince")
    [row] = memory.procedure(procedures.MEND.name, [None, None], procedures.MEND.fields)
    assert row["subject"] == 'Concept "Quince"'
