"""How much one call may do, and that whatever goes through the graph can be ended."""

import pytest
from expect import REFUSALS

from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call
from conceptgraph_core.entities.procedures import SCOPES
from conceptgraph_core.verbs import context as contexts

MOST_EDGES, MOST_SCANNED = 1_200, 50


@pytest.fixture
def bounds(memory, hands):
    """Bounds that are soon reached, in place of those of the modules."""
    real = hands.switch("bound", MOST_EDGES, MOST_SCANNED)
    yield
    hands.switch("bound", *real)


@pytest.mark.usefixtures("bounds")
def test_a_call_by_hand_reads_a_bounded_number_of_nodes_and_says_how_to_look_them_up(memory, hands):
    memory.concept_upsert("apple")
    [made] = memory.run(calls.memories.create("default", "Lena likes apples."))
    hands.nodes("Other", [{"number": number} for number in range(MOST_SCANNED)])
    bound = f"reads all nodes, and these are more than {MOST_SCANNED}; look them up"
    by_index = r"MATCH \(n:Entity {id: \$given}\) WITH collect\(n\) AS found CALL"
    with pytest.raises(REFUSALS, match=f"{bound}.*{by_index}"):
        # No look-up tells more users than the next one.
        memory.run(Call(SCOPES, (None, 2)))
    # Whoever looks up is served, and so is an owner who asks about all there is.
    assert memory.recall(["apple"]) == []
    [row] = memory.run(calls.memories.show(made["memory_id"]))
    assert row["content"] == "Lena likes apples."
    assert memory.stats()["concepts"] == 1
    assert memory.run(calls.transfer.check()) == []
    # Not looked up, as when a person calls it in Lab.
    [row] = memory.run(calls.transfer.index_rest())
    assert set(row.values()) == {0}


def join(hands, source, target, count):
    """Make *count* parallel relations: the smallest graph with so many edges."""
    if hasattr(hands, "value"):
        hands.value(
            "MATCH (a:Concept {name: $source}), (b:Concept {name: $target})"
            " UNWIND range(1, $count) AS number CREATE (a)-[e:IS_A {weight: 0.25}]->(b)"
            " RETURN count(e)",
            source=source,
            target=target,
            count=count,
        )
    else:
        ends = hands.id(source), hands.id(target)
        for _ in range(count):
            hands.edge(*ends, "IS_A", weight=0.25)


@pytest.mark.slow
@pytest.mark.usefixtures("bounds")
def test_a_recall_reads_a_bounded_number_of_relations_and_says_what_to_lower(memory, hands):
    memory.concept_upsert("apple")
    memory.concept_upsert("fruit")
    # Two hops read each of them twice, from either end.
    join(hands, "apple", "fruit", MOST_EDGES // 2)
    assert len(memory.peek(["apple"], 2)) == 1
    join(hands, "apple", "fruit", 1)
    before = memory.node("fruit")
    with pytest.raises(REFUSALS) as refusal:
        memory.recall(["apple"], 2)
    assert str(refusal.value) == (
        f"would read more than {MOST_EDGES:,} relations; lower max_hop, or name fewer seeds"
    )
    assert memory.node("fruit") == before
    assert len(memory.recall(["apple"], 1)) == 1
    # What counts a whole graph is not bounded.
    join(hands, "apple", "fruit", MOST_EDGES // 2)
    assert memory.stats()["is-a"] == MOST_EDGES + 1


def test_a_search_takes_a_hundred_keywords_and_not_one_more(memory):
    memory.concept_upsert("word 7")
    words = [f"word {number}" for number in range(100)]
    assert memory.concept_search(words) == ["word 7"]
    with pytest.raises(REFUSALS, match="keywords: 101 are too many; at most 100"):
        memory.concept_search([*words, "more"])
    with pytest.raises(REFUSALS, match="keywords: 101 are too many; at most 100"):
        memory.run(Call(calls.concepts.procedures.CONCEPT_SEARCH, ([*words, "more"], 50)))


def test_the_environment_sets_how_many_nodes_a_call_without_a_look_up_reads(monkeypatch):
    for said, most in {"": 100_000, "250000": 250_000, "0": 0, "many": 100_000}.items():
        monkeypatch.setenv(contexts.MOST_SCANNED_VARIABLE, said)
        assert contexts.most_scanned() == most
