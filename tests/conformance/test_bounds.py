"""How much one call may do, and that whatever goes through the graph can be ended."""

import pytest
from expect import REFUSALS

from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call
from conceptgraph_core.concepts import schema


@pytest.fixture
def most_edges(host, monkeypatch):
    """How many edges a recall may read: the real bound on Memgraph, embedded one soon reached."""
    if host == "embedded":
        monkeypatch.setattr(schema, "MAX_EDGES_READ", 2_500)
    return schema.MAX_EDGES_READ


@pytest.fixture
def most_scanned(host, monkeypatch):
    """How many nodes a call without `found` may read, made small where it can be."""
    from conceptgraph_core.graph.adapter import Graph

    if host == "embedded":
        monkeypatch.setattr(Graph, "most_scanned", 50)
    return int(Graph.most_scanned)


def test_a_call_by_hand_reads_a_bounded_number_of_nodes_and_says_how_to_look_them_up(
    memory, hands, host, most_scanned
):
    memory.concept_upsert("apple")
    [made] = memory.run(calls.memories.create("default", "Lena likes apples."))
    if host == "embedded":
        hands.nodes("Other", [{"number": number} for number in range(most_scanned)])
    else:
        made_there = "UNWIND range(1, $count) AS i CREATE (n:Other) RETURN count(n)"
        hands.value(made_there, count=most_scanned)
    bound = f"reads all nodes, and these are more than {most_scanned:,}; look them up"
    by_index = r"MATCH \(n:Concept {name: \$given}\) WITH collect\(n\) AS found CALL"
    with pytest.raises(REFUSALS, match=f"{bound}.*{by_index}"):
        memory.procedure("conceptgraph.peek", [["apple"], 1, None], ("text",))
    with pytest.raises(REFUSALS, match=bound + r".*:Memory {id: \$given}"):
        memory.procedure("memorygraph.show", [made["memory_id"]], ("content",))
    # Whoever looks up is served, and so is an owner who asks about all there is.
    assert memory.recall(["apple"]) == []
    [row] = memory.run(calls.memory_admin.show(made["memory_id"]))
    assert row["content"] == "Lena likes apples."
    assert memory.stats()["concepts"] == 1


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


def test_a_recall_reads_a_bounded_number_of_relations_and_says_what_to_lower(
    memory, hands, most_edges
):
    memory.concept_upsert("apple")
    memory.concept_upsert("fruit")
    # Two hops read each of them twice, from either end.
    join(hands, "apple", "fruit", most_edges // 2 + 1)
    before = memory.node("fruit")
    with pytest.raises(REFUSALS) as refusal:
        memory.recall(["apple"], 2)
    assert str(refusal.value) == (
        f"would read more than {most_edges:,} relations; lower max_hop, or name fewer seeds"
    )
    assert memory.node("fruit") == before


def test_a_recall_reads_as_many_relations_as_it_may(memory, hands, monkeypatch, host):
    if host != "embedded":
        pytest.skip("takes minutes on Memgraph, whose bound a test cannot lower")
    monkeypatch.setattr(schema, "MAX_EDGES_READ", 2_500)
    memory.concept_upsert("apple")
    memory.concept_upsert("fruit")
    join(hands, "apple", "fruit", 1_250)
    assert len(memory.peek(["apple"], 2)) == 1
    join(hands, "apple", "fruit", 1)
    with pytest.raises(REFUSALS, match="would read more than 2,500 relations"):
        memory.peek(["apple"], 2)
    assert len(memory.recall(["apple"], 1)) == 1
    # What counts a whole graph is not bounded.
    join(hands, "apple", "fruit", 1_250)
    assert memory.stats()["is-a"] == 2_501


def test_a_search_takes_a_hundred_keywords_and_not_one_more(memory):
    memory.concept_upsert("word 7")
    words = [f"word {number}" for number in range(100)]
    assert memory.concept_search(words) == ["word 7"]
    with pytest.raises(REFUSALS, match="keywords: 101 are too many; at most 100"):
        memory.concept_search([*words, "more"])
    with pytest.raises(REFUSALS, match="keywords: 101 are too many; at most 100"):
        memory.run(Call(calls.concepts.procedures.CONCEPT_SEARCH, ([*words, "more"], 50)))
