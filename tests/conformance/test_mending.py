"""`mend` adopts what Cypher written by hand left without a scope, and takes nothing away."""

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
    call = calls.memories.search(user, "what does Bob like?")
    return [row["memory_id"] for row in memory.run(call, user_id=user)]


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


def test_a_twin_stays_as_it_is_and_is_reported(memory, hands):
    memory.concept_upsert("apple")
    twin(hands, "Concept", "apple", valence=0.9)
    before = memory.records()
    assert mend(memory) == {}
    assert memory.records() == before
    assert ("name shared", '"apple"') in problems(memory)


def test_a_memory_of_nobody_becomes_that_of_an_owner_who_is_named(memory, hands):
    memory.import_rows([node("tea", user_id="anna")])
    hands.node("Memory", content="Bob likes jazz")
    assert mend(memory) == {}
    [done] = mend(memory, "anna").values()
    assert "user_id" in done
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


def test_an_entity_of_a_name_that_is_taken_stays_nobodys(memory, hands):
    given = {"user_id": "default", "canonical_name": "lisa", "node_label": "Lisa"}
    hands.node("Entity", id="one", **given)
    hands.node("Entity", id="two", **(given | {"user_id": None}))
    assert mend(memory, "default") == {}
    assert ("no user_id", 'Entity "two"') in problems(memory)


def test_many_are_mended_in_several_transactions(memory, hands):
    hands.nodes("Concept", [{"name": f"n{number}"} for number in range(5)])
    assert [len(mend(memory, limit=2)) for _ in range(4)] == [2, 2, 1, 0]


def test_nobody_needs_a_look_up_in_lab(memory, hands):
    hands.node("Concept", name="Quince")
    [row] = memory.procedure(procedures.MEND.name, [None, None], procedures.MEND.fields)
    assert row["subject"] == 'Concept "Quince"'
