"""`stats`, `check` and `version`: what there is, and what in it the model does not expect."""

import pytest

from concept_graph_mcp import calls
from conceptgraph_core import __version__
from conceptgraph_core.memories.schema import RELATION_TYPES
from memories import link, node

NOTHING = {
    "concepts": 0,
    "episodes": 0,
    "is-a": 0,
    "part-of": 0,
    "evokes": 0,
    "newest_accessed_at": 0,
}


def problems(memory):
    """Return what a check reports, but for the words that no episode has which hands made."""
    rows = [(row["problem"], row["subject"]) for row in memory.run(calls.transfer.check())]
    return [row for row in rows if row[0] != "not found by words"]


def complete(name, **properties):
    given = {"user_id": "", "name": name, "valence": 0.0, "arousal_level": 0.5, "accessed_at": 1}
    return given | properties


def test_an_empty_graph_counts_nothing(memory):
    assert memory.stats() == NOTHING


def test_everything_is_counted_once(memory):
    memory.relation_add("apple", "fruit", "is-a")
    memory.relation_add("pear", "fruit", "is-a")
    memory.relation_add("stem", "apple", "part-of")
    memory.relation_add("stem", "apple", "part-of")
    memory.now_ms += 5
    memory.episode_add("Bought apples", ["apple", "market"])
    assert memory.stats() == {
        "concepts": 5,
        "episodes": 1,
        "is-a": 2,
        "part-of": 1,
        "evokes": 2,
        "newest_accessed_at": memory.now_ms,
    }


def test_links_are_counted_whose_type_a_layer_without_nodes_has_too(memory):
    memory.import_rows([node("tea"), node("late")])
    for relation in RELATION_TYPES:
        link(memory, "late", "tea", relation)
    told = memory.stats()
    assert {relation: told[relation] for relation in RELATION_TYPES} == dict.fromkeys(
        RELATION_TYPES, 1
    )


def test_other_nodes_and_edges_are_not_counted(memory, hands):
    person = hands.node("Person", name="p", accessed_at=2**40)
    hands.edge(person, person, "EVOKES")
    hands.edge(hands.node("Concept", name="a"), person, "EVOKES")
    assert memory.stats() == NOTHING | {"concepts": 1}


def test_what_the_procedures_make_has_no_problems(memory):
    memory.relation_add("apple", "fruit", "is-a")
    memory.relation_add("apple", "fruit", "is-a")
    memory.relation_add("fruit", "apple", "evokes")
    memory.episode_add("Bought apples", ["apple", "market"])
    memory.update_affect("pear", 0)
    memory.recall(["apple"], 3)
    assert problems(memory) == []


def test_parallel_edges_are_reported_once(memory, hands):
    memory.relation_add("apple", "fruit", "is-a")
    for _ in range(3):
        hands.edge(hands.id("apple"), hands.id("fruit"), "IS_A", weight=0.5)
    assert problems(memory) == [("parallel edges", '"apple" is-a "fruit"')]


def test_edges_of_other_types_and_directions_are_not_parallel(memory):
    for relation_type in ("is-a", "part-of", "evokes"):
        memory.relation_add("a", "b", relation_type)
        memory.relation_add("b", "a", relation_type)
    assert problems(memory) == []


@pytest.mark.parametrize("missing", ["valence", "arousal_level", "accessed_at"])
def test_a_missing_property_is_reported(memory, hands, missing):
    properties = complete("apple")
    del properties[missing]
    hands.node("Concept", **properties)
    assert problems(memory) == [(f"no {missing}", 'Concept "apple"')]


def test_a_missing_search_name_is_no_problem(memory, hands):
    hands.node("Concept", **complete("apple"))
    assert problems(memory) == []


def test_an_episode_without_a_summary_is_reported(memory, hands):
    hands.node("Episode", **complete("20250101/apple"))
    assert problems(memory) == [("no summary", 'Episode "20250101/apple"')]


def test_a_node_without_a_name_is_reported_by_its_id(memory, hands):
    properties = complete("x")
    del properties["name"]
    node = hands.node("Concept", **properties)
    assert problems(memory) == [("no name", f"Concept with id {node}")]


def test_a_node_without_a_scope_is_reported(memory, hands):
    properties = complete("apple")
    del properties["user_id"]
    hands.node("Concept", **properties)
    assert problems(memory) == [("no user_id", 'Concept "apple"')]


def test_wrong_values_are_reported_with_the_statement_that_mends_them(memory, hands):
    wrong = {"valence": "good", "accessed_at": "yesterday"}
    node = hands.node("Concept", **complete("apple", **wrong))
    rows = memory.run(calls.transfer.check())
    assert [(row["problem"], row["subject"]) for row in rows] == [
        ("wrong valence", 'Concept "apple"'), ("wrong accessed_at", 'Concept "apple"'),
    ]  # fmt: skip
    assert {row["statement"] for row in rows} == {
        f"MATCH (n:Concept) WHERE id(n) = {node}"
        " SET n.valence = 0.0, n.accessed_at = timestamp() / 1000;"
    }


def test_an_edge_without_a_weight_is_reported(memory, hands):
    ends = [hands.node("Concept", **complete(name)) for name in "ab"]
    hands.edge(*ends, "PART_OF")
    assert problems(memory) == [("no weight", '"a" part-of "b"')]


def test_a_relation_to_itself_is_reported(memory, hands):
    node = hands.node("Concept", **complete("a"))
    hands.edge(node, node, "IS_A", weight=0.5)
    assert problems(memory) == [("relation to itself", '"a" is-a "a"')]


def test_an_episode_in_is_a_is_reported(memory, hands):
    ends = (
        hands.node("Concept", **complete("a")),
        hands.node("Episode", **complete("e", summary="S")),
    )
    hands.edge(*ends, "IS_A", weight=0.5)
    assert problems(memory) == [("episode in is-a or part-of", '"a" is-a "e"')]


def test_a_name_of_a_concept_and_an_episode_is_reported(memory, hands):
    hands.node("Concept", **complete("both"))
    hands.node("Episode", **complete("both", summary="S"))
    assert problems(memory) == [("name shared", '"both"')]


def test_every_problem_comes_with_advice(memory, hands):
    hands.edge(hands.node("Concept", name="a"), hands.node("Episode", name="a"), "IS_A")
    rows = memory.run(calls.transfer.check())
    assert len(rows) >= 9
    assert all(row["advice"] for row in rows)


def test_the_checks_tolerate_what_they_report(memory, hands):
    first = hands.node("Concept", name="a", valence="good", arousal_level="much", accessed_at="now")
    second = hands.node("Concept", name=7)
    hands.edge(first, second, "IS_A", weight="heavy")
    memory.run(calls.transfer.check())
    assert memory.stats()["is-a"] == 1
    (row,) = memory.recall(["a"], 2)
    assert (row["score"], row["weight"]) == (0.0, 0.25)


def test_the_modules_have_the_version_of_the_server(memory):
    assert memory.run(calls.Call(calls.transfer.procedures.VERSION, ())) == [
        {"version": __version__}
    ]


def test_relations_from_and_to_outside_are_reported(memory, hands):
    memory.concept_upsert("apple")
    hands.node("Fruit", name="pear")
    apple, pear = hands.id("apple"), hands.id("pear")
    hands.edge(apple, pear, "IS_A", weight=0.25)
    hands.edge(pear, apple, "IS_A", weight=0.25)
    hands.edge(pear, apple, "GROWS_BESIDE", weight=0.25)
    assert sorted(problems(memory)) == [
        ("relation out of its layer", f'"apple" is-a node with id {pear}'),
        ("relation out of its layer", f'node with id {pear} is-a "apple"'),
    ]


@pytest.mark.parametrize(
    ("label", "properties", "problem"),
    [
        ("Worker", {"name": 5}, "odd record of the worker"),
        ("Worker", {"name": "decay", "lease_until": "soon"}, "odd record of the worker"),
        ("EmbeddingHold", {"part": 64}, "odd lock of the embedding"),
        ("EmbeddingHold", {"part": "first"}, "odd lock of the embedding"),
    ],
)
def test_odd_nodes_beside_the_layers_are_reported(memory, hands, label, properties, problem):
    memory.concept_upsert("apple")
    hands.node(label, **properties)
    assert [one for one, _ in problems(memory)] == [problem]


def test_a_node_that_lost_its_label_is_reported_with_what_gives_it_back(memory, hands, host):
    if host == "embedded":
        pytest.skip("embedded, a node keeps its label")
    memory.run(calls.memories.create("default", "Lena likes tea"))
    memory.relation_add("apple", "fruit", "is-a")
    lose = "MATCH (n:{}) WITH n LIMIT 1 REMOVE n:{} RETURN id(n)"
    for label in ("Memory", "Concept"):
        hands.value(lose.format(label, label))
    found = [one for one in memory.run(calls.transfer.check()) if one["problem"] == "lost label"]
    assert len(found) == 2
    for one in found:
        hands.value(f"{one['statement'].rstrip(';')} RETURN 1")
    assert problems(memory) == []
