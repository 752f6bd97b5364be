"""`export` and `import_rows`: a graph moves from one store to another without losing anything."""

import math

import pytest
from expect import DAY_MS, REFUSALS, concept, relation


@pytest.fixture
def lived(memory):
    """A graph that has been used for a while."""
    memory.relation_add("apple", "fruit", "is-a")
    memory.now_ms += 1_234_567
    memory.relation_add("apple", "fruit", "is-a")
    memory.relation_add("東京", "日本", "part-of")
    memory.update_affect("apple", 0.1)
    memory.update_affect("apple", 0.2)
    memory.episode_add('Bought "apples"\n at the market 🍎', ["apple", "Äpfel"])
    memory.now_ms += DAY_MS
    memory.episode_add("Ate them", ["apple"])
    memory.relation_add("20250615/apple", "20250615/apple-2", "evokes")
    memory.update_affect("20250615/apple", -1)
    memory.update_affect(" blank ", 1 / 3)
    memory.recall(["fruit"], 3)
    return memory.records()


def key(record):
    return (
        record["kind"],
        record.get("name", ""),
        record.get("from", ""),
        record.get("type", ""),
        record.get("to", ""),
    )


def test_an_export_has_every_node_and_relation_once_nodes_first(memory, lived):
    kinds = [record["kind"] for record in lived]
    assert len({key(record) for record in lived}) == len(lived)
    assert kinds.count("concept") == 6
    assert kinds.count("episode") == 2
    assert kinds.count("relation") == 6
    assert set(kinds[kinds.index("relation") :]) == {"relation"}


def test_an_export_imported_into_an_empty_graph_is_that_graph(memory, lived):
    for record in lived:
        if record["kind"] != "relation":
            memory.procedure("conceptgraph.remove", [record["name"], False], ("kind",))
    assert memory.records() == []
    memory.now_ms += DAY_MS
    assert memory.import_rows(lived) == {
        "nodes_created": 8,
        "nodes_existing": 0,
        "relations_created": 6,
        "relations_existing": 0,
    }
    assert sorted(memory.records(), key=key) == sorted(lived, key=key)


def test_importing_an_export_again_changes_nothing(memory, lived):
    memory.now_ms += DAY_MS
    assert memory.import_rows(lived) == {
        "nodes_created": 0,
        "nodes_existing": 8,
        "relations_created": 0,
        "relations_existing": 6,
    }
    assert memory.records() == lived


def test_an_imported_graph_behaves_like_the_one_exported(memory, lived):
    rows = memory.peek(["apple"], 4)
    found = memory.concept_search(["ä"])
    for record in lived:
        if record["kind"] != "relation":
            memory.procedure("conceptgraph.remove", [record["name"], False], ("kind",))
    memory.import_rows(lived)
    assert memory.peek(["apple"], 4) == rows
    assert memory.concept_search(["ä"]) == found


@pytest.mark.parametrize(
    "value", [0.1, 1 / 3, 5e-324, 1.0, 0.0, math.nextafter(1, 0), 0.30000000000000004]
)
def test_numbers_arrive_exactly(memory, value):
    rows = [
        concept("a", -value, value, -1),
        concept("b", value, value, 2**45),
        relation("a", "b", "evokes", value),
    ]
    memory.import_rows(rows)
    assert memory.records() == rows


def test_whole_numbers_are_taken_as_numbers(memory):
    memory.import_rows([concept("a", 1, 1, 5), relation("a", "b", "is-a", 1)])
    assert memory.node("a") == concept("a", 1.0, 1.0, 5)
    assert memory.weight("a", "b", "is-a") == 1.0


def test_what_a_row_leaves_out_starts_as_new(memory):
    memory.import_rows(
        [
            {"kind": "concept", "name": "apple"},
            {"kind": "episode", "name": "20250101/apple", "summary": "S"},
            {"kind": "relation", "from": "apple", "to": "20250101/apple", "type": "evokes"},
        ]
    )
    assert memory.node("apple") == concept("apple", 0.0, 0.25, memory.now_ms)
    assert memory.node("20250101/apple") == {
        "kind": "episode",
        "name": "20250101/apple",
        "summary": "S",
        "valence": 0.0,
        "arousal_level": 0.5,
        "accessed_at": memory.now_ms,
    }
    assert memory.weight("apple", "20250101/apple", "evokes") == 0.25


def test_what_a_row_leaves_out_is_kept(memory, lived):
    before = memory.node("apple")
    memory.import_rows([{"kind": "concept", "name": "apple", "valence": -0.5}])
    assert memory.node("apple") == before | {"valence": -0.5}
    weight = memory.weight("apple", "fruit", "is-a")
    memory.import_rows([{"kind": "relation", "from": "apple", "to": "fruit", "type": "is-a"}])
    assert memory.weight("apple", "fruit", "is-a") == weight


def test_a_relation_may_come_before_its_ends(memory):
    counts = memory.import_rows([relation("a", "b", weight=0.5), concept("a", level=0.75, at=7)])
    assert counts == {
        "nodes_created": 2,
        "nodes_existing": 1,
        "relations_created": 1,
        "relations_existing": 0,
    }
    assert memory.node("a") == concept("a", 0.0, 0.75, 7)
    assert memory.node("b") == concept("b", 0.0, 0.25, memory.now_ms)


def test_a_row_given_twice_is_taken_once(memory):
    rows = [concept("a"), concept("a", 0.5), relation("a", "b"), relation("a", "b", weight=0.75)]
    memory.import_rows(rows)
    assert memory.node("a")["valence"] == 0.5
    assert memory.weight("a", "b", "is-a") == 0.75
    assert len(memory.records()) == 3


def test_importing_nothing_is_nothing(memory):
    assert set(memory.import_rows([]).values()) == {0}


def test_an_imported_concept_is_found_by_any_part_of_its_name_in_any_case(memory):
    memory.import_rows([concept("Große Äpfel", at=5), concept("water", level=1.0, at=9)])
    assert memory.concept_search(["GROSSE ä"], 1) == ["Große Äpfel"]


BAD_ROWS = {
    "no kind": {"name": "x"},
    "an unknown kind": {"kind": "person", "name": "x"},
    "no name": {"kind": "concept"},
    "an empty name": {"kind": "concept", "name": " "},
    "a name that is no text": {"kind": "concept", "name": 7},
    "a name that is a list": {"kind": "concept", "name": ["x"]},
    "a name that is a map": {"kind": "concept", "name": {"x": 1}},
    "a kind that is a list": {"kind": ["concept"], "name": "x"},
    "a kind that is a map": {"kind": {"concept": 1}, "name": "x"},
    "an end that is a list": {"kind": "relation", "from": ["x"], "to": "y", "type": "is-a"},
    "an end that is a map": {"kind": "relation", "from": "x", "to": {"y": 1}, "type": "is-a"},
    "a type that is a list": {"kind": "relation", "from": "x", "to": "y", "type": ["is-a"]},
    "an episode without a summary": {"kind": "episode", "name": "x"},
    "a valence out of range": {"kind": "concept", "name": "x", "valence": 1.5},
    "a valence that is no number": {"kind": "concept", "name": "x", "valence": "1"},
    "a truth value for a number": {"kind": "concept", "name": "x", "valence": True},
    "no finite number": {"kind": "concept", "name": "x", "arousal_level": math.nan},
    "an arousal below zero": {"kind": "concept", "name": "x", "arousal_level": -0.1},
    "a time with a fraction": {"kind": "concept", "name": "x", "accessed_at": 1.5},
    "a null": {"kind": "concept", "name": "x", "valence": None},
    "a relation to itself": {"kind": "relation", "from": "x", "to": "x", "type": "is-a"},
    "an unknown type": {"kind": "relation", "from": "x", "to": "y", "type": "IS_A"},
    "no type": {"kind": "relation", "from": "x", "to": "y"},
    "no end": {"kind": "relation", "from": "x", "type": "is-a"},
    "a weight above one": {"kind": "relation", "from": "x", "to": "y", "type": "is-a", "weight": 2},
    "an episode in is-a": {"kind": "relation", "from": "x", "to": "ep", "type": "is-a"},
    "a concept with an episode's name": {"kind": "concept", "name": "ep"},
    "an episode with a concept's name": {"kind": "episode", "name": "co", "summary": "S"},
}


@pytest.mark.parametrize("bad", BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_a_wrong_row_is_named_and_nothing_of_the_import_is_kept(memory, bad):
    known = [{"kind": "episode", "name": "ep", "summary": "S"}, concept("co", 0.0, 0.5, 5)]
    memory.import_rows(known)
    before = memory.records()
    rows = [concept("co", 1.0, 1.0, 9), concept("new"), relation("co", "new"), bad]
    with pytest.raises(REFUSALS, match="row 3: "):
        memory.import_rows(rows)
    assert memory.records() == before


def test_an_unknown_part_is_refused(memory):
    with pytest.raises(REFUSALS, match="nodes, relations"):
        memory.procedure("conceptgraph.export", ["everything"], ("record",))


@pytest.mark.parametrize("part", ["nodes", "relations"])
def test_the_procedure_exports_the_whole_graph_at_once(memory, lived, part):
    rows = memory.procedure("conceptgraph.export", [part], ("record",))
    expected = [r for r in lived if (r["kind"] == "relation") == (part == "relations")]
    assert sorted((row["record"] for row in rows), key=key) == sorted(expected, key=key)


def test_nodes_of_other_kinds_are_not_exported(memory, hands, lived):
    person = hands.node("Person", name="p")
    hands.edge(hands.id("apple"), person, "EVOKES", weight=1.0)
    hands.edge(hands.id("apple"), hands.id("fruit"), "LIKES", weight=1.0)
    assert memory.records() == lived


@pytest.mark.slow
def test_more_than_one_batch_is_exported_whole(memory):
    rows = [concept(f"n{number:04}", at=number) for number in range(2_300)]
    rows += [relation(f"n{number:04}", "n0000") for number in range(1, 2_300)]
    memory.import_rows(rows)
    assert sorted(memory.records(), key=key) == sorted(rows, key=key)


def test_a_concept_made_by_hand_is_exported_with_what_it_counts_as(memory, hands):
    hands.node("Concept", name="a")
    assert memory.records() == [concept("a", 0.0, 0.0, 0)]
