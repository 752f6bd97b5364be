"""A recall and what it arouses."""

import itertools

import pytest
from expect import DAY_MS, MINUTE_MS, WEEK_MS, concept, relation
from recalled import MARKET, build, by_text, level, texts


def test_what_the_limit_cuts_off_is_not_aroused(memory):
    at = memory.now_ms
    build(
        memory,
        {"seed": 0.5, "a": 0.2, "b": 0.1},
        relation("seed", "a"),
        relation("seed", "b"),
    )
    memory.now_ms += MINUTE_MS
    assert texts(memory.recall(["seed"], 1, limit=1)) == ["seed is-a a"]
    assert level(memory, "a") == (1.0, memory.now_ms)
    assert level(memory, "b") == (0.1, at)


def test_a_row_arouses_what_it_mentions_at_either_end_but_no_seed(memory):
    at = memory.now_ms
    build(
        memory,
        {"seed": 0.1, "a": 0.1, "b": 0.8, "c": 0.1},
        relation("seed", "a", weight=0.5),
        relation("a", "b", weight=1.0),
        relation("seed", "c", weight=0.25),
    )
    memory.now_ms += MINUTE_MS
    assert texts(memory.recall(["seed"], 2, limit=1)) == ["a is-a b"]
    # By the shortest way to each, whatever hop the row is from.
    assert level(memory, "a") == (1.0, memory.now_ms)
    assert level(memory, "b") == (0.8, at)
    assert level(memory, "c") == (0.1, at)
    assert level(memory, "seed") == (0.1, at)


def test_a_text_that_several_edges_say_arouses_the_ends_of_all_of_them(memory):
    for day in ("20250615", "20250616"):
        memory.date = day
        memory.episode_add(MARKET, ["apple"])
    memory.import_rows([concept("dull", level=0.1, at=memory.now_ms), relation("apple", "dull")])
    memory.now_ms += DAY_MS
    assert texts(memory.recall(["apple"], 1, limit=1)) == [f"apple evokes {MARKET}"]
    for day in ("20250615", "20250616"):
        assert level(memory, f"{day}/apple") == (1.0, memory.now_ms)
    assert level(memory, "dull")[0] == 0.1


def test_a_recall_repeated_with_a_limit_returns_the_same(memory):
    for day in range(1, 31):
        memory.now_ms += DAY_MS
        memory.date = f"202506{day:02}"
        memory.episode_add(f"Day {day:02}", ["apple"])
    first = texts(memory.recall(["apple"], 2, limit=5))
    assert first == [f"apple evokes Day {day}" for day in (30, 29, 28, 27, 26)]
    assert texts(memory.recall(["apple"], 2, limit=5)) == first


def test_the_parts_of_a_score_multiply_to_it(memory):
    memory.episode_add(MARKET, ["apple", "market"])
    memory.update_affect("20250615/apple", -0.7)
    memory.relation_add("apple", "fruit", "is-a")
    memory.now_ms += 5 * MINUTE_MS
    for source, target in (("apple", "fruit"), ("pear", "fruit"), ("stem", "apple")):
        memory.relation_add(source, target, "part-of")
        memory.now_ms += 11 * MINUTE_MS
    memory.relation_add("apple", "fruit", "is-a")
    rows = memory.peek(["apple"], 3)
    assert {row["hop"] for row in rows} == {1, 2, 3}
    assert {row["reverse"] for row in rows} == {True, False}
    for row in rows:
        product = row["arousal"] * 0.5 ** (row["hop"] - 1) * row["weight"]
        assert row["score"] == round(product * (0.5 if row["reverse"] else 1.0), 6) > 0


def test_recall_returns_what_peek_would(memory):
    memory.episode_add(MARKET, ["apple", "market"])
    memory.relation_add("market", "place", "is-a")
    memory.now_ms += DAY_MS
    expected = memory.peek(["apple"], 3)
    assert memory.recall(["apple"], 3) == expected
    assert len(expected) == 3


def test_recall_scores_with_the_arousal_as_it_was_before(memory):
    build(memory, {"a": 0.0, "b": 0.1, "c": 0.1}, relation("a", "b"), relation("b", "c"))
    first = by_text(memory.recall(["a"], 2))
    assert {text: row["arousal"] for text, row in first.items()} == {
        "a is-a b": 0.1,
        "b is-a c": 0.1,
    }
    second = by_text(memory.recall(["a"], 2))
    assert {text: row["arousal"] for text, row in second.items()} == {
        "a is-a b": 1.0,
        "b is-a c": 0.5,
    }


def test_what_is_recalled_is_aroused_by_its_distance(memory):
    names = ["n0", "n1", "n2", "n3", "n4"]
    build(
        memory,
        dict.fromkeys(names, 0.0),
        *(relation(*pair) for pair in itertools.pairwise(names)),
    )
    memory.now_ms += MINUTE_MS
    before = memory.node("n0"), memory.node("n4")
    memory.recall(["n0"], 3)
    assert [level(memory, name) for name in names[1:4]] == [
        (1.0, memory.now_ms),
        (0.5, memory.now_ms),
        (0.25, memory.now_ms),
    ]
    # Neither the seed nor what is beyond the last hop.
    assert (memory.node("n0"), memory.node("n4")) == before


def test_against_the_edge_the_distance_counts_in_full(memory):
    build(memory, {"a": 0.1, "b": 0.1}, relation("a", "b"))
    memory.recall(["b"], 1)
    assert level(memory, "a") == (1.0, memory.now_ms)


def test_recalled_episodes_are_aroused_too(memory):
    memory.episode_add(MARKET, ["apple", "market"])
    memory.now_ms += DAY_MS
    memory.recall(["apple"], 2)
    assert level(memory, "20250615/apple") == (1.0, memory.now_ms)
    assert level(memory, "market") == (0.5, memory.now_ms)


def test_a_seed_is_not_aroused_by_another_seed(memory):
    build(memory, {"a": 0.1, "b": 0.1}, relation("a", "b"), relation("b", "a", "evokes"))
    before = memory.records()
    memory.now_ms += MINUTE_MS
    assert len(memory.recall(["a", "b"], 3)) == 2
    assert memory.records() == before


def test_a_node_reached_in_several_ways_is_aroused_by_the_shortest(memory):
    build(
        memory,
        dict.fromkeys("abc", 0.1),
        relation("a", "b"),
        relation("b", "c"),
        relation("a", "c", "part-of"),
    )
    memory.recall(["a"], 2)
    assert level(memory, "c") == (1.0, memory.now_ms)


@pytest.mark.parametrize(
    ("before", "touched"), [(0.0, True), (0.98, True), (0.99, True), (0.9901, False), (1.0, False)]
)
def test_only_a_gain_of_a_hundredth_is_written(memory, before, touched):
    created_at = memory.now_ms
    build(memory, {"a": 0.5, "b": before}, relation("a", "b"))
    # So slow that nothing decays in a millisecond.
    memory.tau_ms = 1e30
    memory.now_ms += 1
    memory.recall(["a"], 1)
    assert level(memory, "b") == ((1.0, memory.now_ms) if touched else (before, created_at))


def test_a_recall_never_lowers_an_arousal(memory):
    created_at = memory.now_ms
    build(memory, {"a": 0.5, "b": 0.5, "c": 0.9}, relation("a", "b"), relation("b", "c"))
    memory.recall(["a"], 2)
    assert level(memory, "c") == (0.9, created_at)


def test_a_recall_repeated_at_once_writes_nothing(memory):
    memory.episode_add(MARKET, ["apple", "market"])
    memory.now_ms += DAY_MS
    memory.recall(["apple"], 2)
    before = memory.records()
    memory.now_ms += MINUTE_MS
    memory.recall(["apple"], 2)
    assert memory.records() == before


def test_a_recall_later_writes_again(memory):
    memory.relation_add("apple", "fruit", "is-a")
    memory.recall(["apple"], 1)
    # exp(−1/80) < 0.99
    memory.now_ms += DAY_MS // 80
    memory.recall(["apple"], 1)
    assert level(memory, "fruit") == (1.0, memory.now_ms)


def test_a_recall_in_the_past_of_an_access_sets_it_back_if_it_gains(memory):
    build(memory, {"a": 0.5, "b": 0.5}, relation("a", "b"))
    memory.now_ms -= WEEK_MS
    memory.recall(["a"], 1)
    assert level(memory, "b") == (1.0, memory.now_ms)


def test_a_recall_changes_neither_valence_nor_weights(memory):
    memory.relation_add("apple", "fruit", "is-a")
    memory.update_affect("fruit", -0.125)
    memory.recall(["apple"], 2)
    assert memory.node("fruit")["valence"] == -0.125
    assert memory.weight("apple", "fruit", "is-a") == 0.25


def test_a_peek_changes_nothing(memory):
    memory.episode_add(MARKET, ["apple", "market"])
    before = memory.records()
    memory.now_ms += WEEK_MS
    assert len(memory.peek(["apple"], 2)) == 2
    assert memory.records() == before
