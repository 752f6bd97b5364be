"""`recall` and `peek`: what seeds bring to mind, strongest first, and what that does to it.

score = arousal · 0.5^(hop − 1) · (0.5 against the edge) · (weight between concepts)
"""

import itertools
import random

import pytest
from expect import DAY_MS, REFUSALS, WEEK_MS, concept, decayed, relation
from recalled import MARKET, build, by_text, level, texts

from concept_graph_mcp import calls

# One edge


def test_a_relation_is_recalled_from_its_beginning(memory):
    memory.relation_add("apple", "fruit", "is-a")
    assert memory.peek(["apple"], 1) == [
        {
            "text": "apple is-a fruit",
            "score": 0.0625,
            "valence": 0.0,
            "hop": 1,
            "arousal": 0.25,
            "weight": 0.25,
            "reverse": False,
            "total": 1,
            "episode_id": None,
        }
    ]


def test_a_relation_is_recalled_from_its_end_at_half_the_score(memory):
    memory.relation_add("apple", "fruit", "is-a")
    assert memory.peek(["fruit"], 1) == [
        {
            "text": "apple is-a fruit",
            "score": 0.03125,
            "valence": 0.0,
            "hop": 1,
            "arousal": 0.25,
            "weight": 0.25,
            "reverse": True,
            "total": 1,
            "episode_id": None,
        }
    ]


@pytest.mark.parametrize("relation_type", ["is-a", "part-of", "evokes"])
def test_every_type_of_relation_is_followed_both_ways(memory, relation_type):
    memory.relation_add("apple", "tree", relation_type)
    assert texts(memory.peek(["apple"], 1)) == [f"apple {relation_type} tree"]
    assert texts(memory.peek(["tree"], 1)) == [f"apple {relation_type} tree"]


def test_the_valence_is_that_of_the_end_that_is_reached(memory):
    memory.relation_add("apple", "fruit", "is-a")
    memory.update_affect("apple", -0.125)
    memory.update_affect("fruit", 0.125)
    assert memory.peek(["apple"], 1)[0]["valence"] == 0.125
    assert memory.peek(["fruit"], 1)[0]["valence"] == -0.125


def test_the_score_falls_with_the_arousal(memory):
    build(memory, {"a": 1.0, "b": 0.8}, relation("a", "b", weight=0.5))
    memory.now_ms += DAY_MS
    (row,) = memory.peek(["a"], 1)
    assert row["arousal"] == decayed(0.8, DAY_MS)
    assert row["score"] == round(decayed(0.8, DAY_MS) * 0.5, 6)


def test_the_time_constant_of_the_call_decides_the_arousal(memory):
    build(memory, {"a": 1.0, "b": 0.8}, relation("a", "b", weight=1.0))
    memory.tau_ms = 5_000.0
    memory.now_ms += 1_000
    assert memory.peek(["a"], 1)[0]["arousal"] == decayed(0.8, 1_000, 5_000)


def test_an_access_in_the_future_counts_as_now(memory):
    build(memory, {"a": 1.0, "b": 0.8}, relation("a", "b", weight=1.0))
    memory.now_ms -= WEEK_MS
    assert memory.peek(["a"], 1)[0]["arousal"] == 0.8


def test_a_score_is_rounded_to_six_decimals(memory):
    build(memory, {"a": 1.0, "b": 0.123_456_789}, relation("a", "b", weight=1.0))
    (row,) = memory.peek(["a"], 1)
    assert (row["score"], row["arousal"]) == (0.123457, 0.123_456_789)


# Episodes


def test_an_episode_is_shown_by_its_summary_and_its_weight_does_not_count(memory):
    memory.episode_add(MARKET, ["apple"])
    memory.update_affect("20250615/apple", -0.25)
    assert memory.peek(["apple"], 1) == [
        {
            "text": f"apple evokes {MARKET}",
            "score": 0.5,
            "valence": -0.25,
            "hop": 1,
            "arousal": 0.5,
            "weight": 1.0,
            "reverse": False,
            "total": 1,
            "episode_id": "20250615/apple",
        }
    ]


def test_a_row_about_an_episode_has_its_id(memory):
    first = memory.episode_add("One", ["apple"])["episode_id"]
    second = memory.episode_add("Two", ["pear"])["episode_id"]
    memory.relation_add(first, second, "evokes")
    memory.relation_add(first, "cider", "evokes")
    memory.relation_add("apple", "fruit", "is-a")
    rows = by_text(memory.peek(["apple", first], 1))
    assert {text: row["episode_id"] for text, row in rows.items()} == {
        "apple evokes One": first,
        # Of two episodes, that of the end that is reached.
        "One evokes Two": second,
        "One evokes cider": first,
        "apple is-a fruit": None,
    }
    assert by_text(memory.peek([second], 1))["One evokes Two"]["episode_id"] == first


def test_episodes_with_one_summary_have_the_id_of_the_latest(memory):
    for day in ("20250616", "20250615", "20250617", "20250614"):
        memory.date = day
        memory.episode_add(MARKET, ["apple"])
    (row,) = memory.peek(["apple"], 1)
    assert row["episode_id"] == "20250617/apple"


def test_what_a_row_names_can_be_acted_on(memory):
    memory.episode_add(MARKET, ["apple"])
    (row,) = memory.recall(["apple"], 1)
    assert memory.update_affect(row["episode_id"], 0.5)["episode_id"] == "20250615/apple"
    assert memory.peek(["apple"], 1)[0]["valence"] == 0.5


def test_an_episode_is_a_seed_by_its_id(memory):
    memory.episode_add(MARKET, ["apple"])
    (row,) = memory.peek(["20250615/apple"], 1)
    assert (row["text"], row["score"], row["reverse"]) == (f"apple evokes {MARKET}", 0.125, True)


def test_a_summary_is_no_seed(memory):
    memory.episode_add(MARKET, ["apple"])
    assert memory.peek([MARKET], 1) == []


def test_recall_goes_through_episodes(memory):
    memory.episode_add(MARKET, ["apple", "market"])
    memory.relation_add("market", "place", "is-a")
    rows = by_text(memory.peek(["apple"], 2))
    assert set(rows) == {f"apple evokes {MARKET}", f"market evokes {MARKET}"}
    through = rows[f"market evokes {MARKET}"]
    assert (through["hop"], through["reverse"], through["weight"]) == (2, True, 1.0)
    assert through["score"] == 0.25 * 0.5 * 0.5
    beyond = by_text(memory.peek(["apple"], 3))["market is-a place"]
    assert (beyond["hop"], beyond["score"]) == (3, 0.25 * 0.25 * 0.25)


def test_an_episode_can_evoke_concepts_and_episodes(memory):
    first = memory.episode_add("One", ["apple"])["episode_id"]
    second = memory.episode_add("Two", ["pear"])["episode_id"]
    memory.relation_add(first, second, "evokes")
    memory.relation_add(first, "cider", "evokes")
    rows = by_text(memory.peek([first], 1))
    assert rows["One evokes Two"]["score"] == 0.5
    assert rows["One evokes cider"]["score"] == 0.25
    assert rows["One evokes cider"]["weight"] == 1.0


def test_a_strengthened_edge_to_an_episode_scores_no_higher(memory):
    episode_id = memory.episode_add(MARKET, ["apple"])["episode_id"]
    memory.relation_add("apple", episode_id, "evokes")
    assert memory.peek(["apple"], 1)[0]["score"] == 0.5


# Hops


def test_every_hop_halves_the_score(memory):
    names = [f"n{number}" for number in range(6)]
    build(
        memory,
        dict.fromkeys(names, 0.5),
        *(relation(*pair, weight=0.5) for pair in itertools.pairwise(names)),
    )
    rows = by_text(memory.peek(["n0"], 5))
    for hop in range(1, 6):
        row = rows[f"n{hop - 1} is-a n{hop}"]
        assert (row["hop"], row["score"]) == (hop, round(0.25 * 0.5 ** (hop - 1), 6))


def test_ten_hops_are_the_most(memory):
    names = [f"n{number:02}" for number in range(13)]
    build(
        memory,
        dict.fromkeys(names, 1.0),
        *(relation(*pair, weight=1.0) for pair in itertools.pairwise(names)),
    )
    rows = memory.peek(["n00"], 10)
    assert texts(rows) == [f"n{n:02} is-a n{n + 1:02}" for n in range(10)]
    assert rows[-1]["score"] == round(0.5**9, 6)


@pytest.mark.parametrize("max_hop", [-1, 11, 2**40])
def test_fewer_than_no_hops_and_more_than_ten_are_refused(memory, max_hop):
    memory.relation_add("apple", "fruit", "is-a")
    before = memory.records()
    for ask in (memory.recall, memory.peek):
        with pytest.raises(REFUSALS, match="max_hop"):
            ask(["apple"], max_hop)
    assert memory.records() == before


def test_no_hops_give_no_rows_and_touch_nothing(memory):
    memory.relation_add("apple", "fruit", "is-a")
    before = memory.records()
    assert memory.recall(["apple"], 0) == []
    assert memory.records() == before


def test_edges_beyond_the_last_hop_are_not_read(memory):
    build(memory, {"a": 1.0, "b": 1.0, "c": 1.0}, relation("a", "b"), relation("b", "c"))
    assert texts(memory.peek(["a"], 1)) == ["a is-a b"]


def test_edges_between_nodes_of_the_last_hop_are_not_read(memory):
    build(
        memory,
        dict.fromkeys("abc", 1.0),
        relation("a", "b"),
        relation("a", "c"),
        relation("b", "c"),
    )
    assert set(texts(memory.peek(["a"], 1))) == {"a is-a b", "a is-a c"}
    assert by_text(memory.peek(["a"], 2))["b is-a c"]["hop"] == 2


def test_the_shortest_way_counts(memory):
    build(
        memory,
        dict.fromkeys("abcd", 1.0),
        relation("a", "b", weight=1.0),
        relation("b", "c", weight=1.0),
        relation("a", "c", weight=1.0),
        relation("c", "d", weight=1.0),
    )
    row = by_text(memory.peek(["a"], 3))["c is-a d"]
    assert (row["hop"], row["score"]) == (2, 0.5)


def test_cycles_end(memory):
    build(
        memory,
        dict.fromkeys("abc", 1.0),
        relation("a", "b"),
        relation("b", "c"),
        relation("c", "a"),
        relation("a", "c"),
    )
    assert len(memory.recall(["a"], 10)) == 4


# Seeds


def test_unknown_seeds_are_skipped(memory):
    memory.relation_add("apple", "fruit", "is-a")
    assert memory.peek(["nothing", "apple", "20250615/nothing"], 1) == memory.peek(["apple"], 1)


@pytest.mark.parametrize("seeds", [[], ["nothing"], ["nothing", "Apple", "apple "]])
def test_recall_of_nothing_that_exists_returns_no_rows(memory, seeds):
    memory.relation_add("apple", "fruit", "is-a")
    assert memory.recall(seeds, 2) == []


def test_a_seed_without_relations_returns_no_rows(memory):
    memory.concept_upsert("apple")
    assert memory.recall(["apple"], 10) == []


def test_a_seed_given_twice_counts_once(memory):
    memory.relation_add("apple", "fruit", "is-a")
    assert memory.peek(["apple", "apple"], 2) == memory.peek(["apple"], 2)


def test_ten_thousand_seeds_are_looked_up(memory):
    memory.relation_add("apple", "fruit", "is-a")
    memory.relation_add("pear", "fruit", "is-a")
    seeds = [f"nothing {number}" for number in range(9_998)]
    rows = memory.recall(["apple", *seeds, "pear"], 1)
    assert texts(rows) == ["apple is-a fruit", "pear is-a fruit"]


@pytest.mark.parametrize(
    "name", ["Äpfel", "日本", "🍎", " apple ", "Straße", "İ", "ς", "a\nb", '"']
)
def test_seeds_of_any_script_are_found(memory, name):
    memory.relation_add(name, "thing", "is-a")
    assert texts(memory.peek([name], 1)) == [f"{name} is-a thing"]


def test_seeds_are_exact(memory):
    memory.relation_add("apple", "fruit", "is-a")
    assert memory.peek(["APPLE", "app", "apple\n"], 2) == []


@pytest.mark.parametrize("seeds", [[""], ["apple", "  "]])
def test_an_empty_seed_is_refused(memory, seeds):
    with pytest.raises(REFUSALS, match="seeds: must not be empty"):
        memory.peek(seeds, 1)


def test_an_edge_between_two_seeds_is_read_from_both(memory):
    memory.relation_add("apple", "fruit", "is-a")
    memory.update_affect("apple", 0.5)
    memory.update_affect("fruit", 0.75)
    (row,) = memory.peek(["apple", "fruit"], 1)
    assert (row["score"], row["reverse"], row["valence"]) == (0.75 * 0.25, False, 0.75)
    memory.update_affect("apple", 0.5)
    memory.update_affect("fruit", -0.75)
    memory.now_ms += 100 * DAY_MS
    memory.update_affect("apple", -0.75)
    (row,) = memory.peek(["apple", "fruit"], 1)
    assert (row["score"], row["reverse"], row["valence"]) == (0.75 * 0.5 * 0.25, True, 0.25)


@pytest.mark.parametrize("hops", [1, 2])
def test_a_row_names_the_end_whose_feeling_and_arousal_it_has(memory, hops):
    memory.relation_add("apple", "fruit", "is-a")
    memory.update_affect("fruit", -0.5)
    memory.now_ms += 3 * DAY_MS
    memory.update_affect("apple", 0.9)
    [row] = memory.run(calls.concepts.peek(["apple"], hops).with_fields("end"))
    # At the second hop it is read from fruit too, towards apple, which is far more aroused.
    end, valence = [("fruit", -0.5), ("apple", 0.9)][hops - 1]
    assert (row["text"], row["end"], row["valence"]) == ("apple is-a fruit", end, valence)


# Each text once


def test_an_edge_read_from_both_sides_comes_once_with_the_better_score(memory):
    build(memory, {"a": 1.0, "b": 0.1}, relation("a", "b", weight=1.0))
    (row,) = memory.peek(["a", "b"], 1)
    # Towards a, against the edge: 1.0 · 0.5; towards b: 0.1.
    assert (row["score"], row["reverse"], row["arousal"]) == (0.5, True, 1.0)


def test_a_later_hop_wins_if_it_scores_higher(memory):
    build(memory, {"a": 1.0, "b": 0.1}, relation("a", "b", weight=1.0))
    (row,) = memory.peek(["a"], 2)
    # At hop 1 towards b: 0.1; at hop 2 from b back to a: 1.0 · 0.5 · 0.5.
    assert (row["score"], row["hop"], row["reverse"], row["arousal"]) == (0.25, 2, True, 1.0)


def test_equal_scores_keep_the_lower_hop(memory):
    build(memory, {"a": 0.5, "b": 0.5}, relation("a", "b", weight=1.0))
    # From b to a, against the edge at hop 1: 0.5 · 0.5; from a to b at hop 2: 0.5 · 0.5.
    (row,) = memory.peek(["b"], 2)
    assert (row["score"], row["hop"], row["reverse"]) == (0.25, 1, True)


@pytest.mark.parametrize("seeds", [["a", "b"], ["b", "a"]])
def test_equal_scores_at_one_hop_keep_the_forward_reading(memory, seeds):
    build(memory, {"a": 0.5, "b": 0.25}, relation("a", "b", weight=1.0))
    (row,) = memory.peek(seeds, 1)
    assert (row["score"], row["hop"], row["reverse"], row["arousal"]) == (0.25, 1, False, 0.25)


def test_episodes_of_one_summary_come_once_with_the_better_score(memory):
    memory.episode_add(MARKET, ["apple"])
    memory.now_ms += DAY_MS
    memory.episode_add(MARKET, ["apple"])
    rows = memory.recall(["apple"], 1)
    assert [(row["text"], row["score"], row["total"]) for row in rows] == [
        (f"apple evokes {MARKET}", 0.5, 1)
    ]
    # Both of them were reached, whichever was shown.
    assert level(memory, "20250615/apple") == (1.0, memory.now_ms)
    assert level(memory, "20250615/apple-2") == (1.0, memory.now_ms)


def test_relations_of_other_types_between_the_same_ends_are_texts_of_their_own(memory):
    for relation_type in ("is-a", "part-of", "evokes"):
        memory.relation_add("a", "b", relation_type)
        memory.relation_add("b", "a", relation_type)
    assert len(memory.peek(["a"], 1)) == 6


# Order, limit and total


def test_the_strongest_comes_first(memory):
    build(
        memory,
        {"seed": 1.0, "a": 0.2, "b": 0.9, "c": 0.5},
        *(relation("seed", name, weight=1.0) for name in "abc"),
    )
    assert texts(memory.peek(["seed"], 1)) == ["seed is-a b", "seed is-a c", "seed is-a a"]


def test_equal_scores_come_by_text(memory):
    build(
        memory,
        {"seed": 1.0} | dict.fromkeys(("b", "Ä", "a", "Z", "🍎", "\uffee"), 0.5),
        *(relation("seed", name) for name in ("b", "Ä", "a", "Z", "🍎", "\uffee")),
    )
    assert texts(memory.peek(["seed"], 1)) == [
        f"seed is-a {name}" for name in ("Z", "a", "b", "Ä", "\uffee", "🍎")
    ]


def live_through(memory, days):
    """Make an episode about apples on each of *days*, all of them equally aroused."""
    at = memory.now_ms
    for day, summary in days.items():
        memory.date = day
        memory.episode_add(summary, ["apple"])
    assert memory.now_ms == at


def test_equal_scores_come_by_the_date_of_their_episode_the_latest_first_and_then_by_text(memory):
    live_through(
        memory,
        {"20250614": "A", "20250616": "B", "20240617": "Z", "20250615": "C", "19991231": "Y"},
    )
    memory.date = "20250615"
    memory.episode_add("D", ["apple"])
    memory.import_rows([concept("pear", level=0.5, at=memory.now_ms)])
    memory.import_rows([relation("apple", "pear", "evokes", weight=1.0)])
    assert texts(memory.peek(["apple"], 1)) == [
        f"apple evokes {end}" for end in ("B", "C", "D", "A", "Z", "Y", "pear")
    ]


def test_against_the_relation_the_episode_has_the_same_date(memory):
    live_through(memory, {"20250614": "A", "20250616": "B", "20250615": "C"})
    rows = memory.peek(["20250614/apple", "20250615/apple", "20250616/apple"], 1)
    assert texts(rows) == ["apple evokes B", "apple evokes C", "apple evokes A"]
    assert all(row["reverse"] for row in rows)


def test_a_date_that_is_none_counts_as_no_date(memory, hands):
    live_through(memory, {"20250614": "A"})
    for name in ("2025061/x", "20250615x", "２０２５０６１５/x", "x", "20250615"):
        episode = hands.node(
            "Episode", name=name, summary="S " + name, arousal_level=0.5, accessed_at=memory.now_ms
        )
        hands.edge(hands.id("apple"), episode, "EVOKES", weight=0.25)
    rows = memory.peek(["apple"], 1)
    assert texts(rows)[0] == "apple evokes A"
    assert texts(rows)[1:] == sorted(texts(rows)[1:])
    assert len(rows) == 6


def test_what_has_faded_to_nothing_comes_by_date_too_where_it_is_equal(memory):
    live_through(memory, {"20250614": "A", "20250616": "B", "20250615": "C"})
    memory.now_ms += 1_000 * DAY_MS
    rows = memory.peek(["apple"], 1)
    assert [row["arousal"] for row in rows] == [0.0, 0.0, 0.0]
    assert texts(rows) == ["apple evokes B", "apple evokes C", "apple evokes A"]


def test_three_weeks_later_the_order_is_still_that_of_the_arousal(memory):
    levels = {"seed": 1.0, "a": 0.1, "b": 0.9, "c": 0.5, "d": 0.7}
    build(memory, levels, *(relation("seed", name) for name in "abcd"))
    memory.now_ms += 3 * WEEK_MS
    rows = memory.peek(["seed"], 1)
    assert [row["score"] for row in rows] == [0.0, 0.0, 0.0, 0.0]
    assert texts(rows) == [f"seed is-a {name}" for name in "bdca"]


def test_years_later_the_order_is_still_that_of_the_arousal(memory):
    levels = {"seed": 1.0, "a": 0.1, "b": 0.9, "c": 0.5, "d": 0.0}
    build(memory, levels, *(relation("seed", name) for name in "abcd"))
    memory.now_ms += 1_000 * DAY_MS
    rows = memory.peek(["seed"], 1)
    assert [row["arousal"] for row in rows] == [0.0, 0.0, 0.0, 0.0]
    assert texts(rows) == [f"seed is-a {name}" for name in "bcad"]


# From the first day on everything fades alike: no order may change.
LATER = [1, 30, 365, 600, 700, 2 * 365, 740, 745, 10 * 365]


def strengths(memory, call, days):
    memory.now_ms += days * DAY_MS
    rows = memory.run(call.with_fields("relative"))
    memory.now_ms -= days * DAY_MS
    return rows


@pytest.mark.parametrize("seed", range(3))
def test_the_order_and_the_strength_of_what_fades_stay_for_ten_years(memory, seed):
    chance = random.Random(seed)
    names = [f"n{number}" for number in range(25)]
    build(
        memory,
        {name: chance.choice([0.001, 0.1, 0.25, 0.5, 0.9, chance.random()]) for name in names},
        *(
            relation(*chance.sample(names, 2), relation_type, chance.choice([0.25, 0.4, 0.9]))
            for relation_type in ("is-a", "part-of")
            for _ in range(40)
        ),
    )
    call = calls.concepts.peek(["n0", "n1"], 3)
    now = strengths(memory, call, 0)
    assert now[0]["relative"] == 1
    for row in now:
        product = row["arousal"] * 0.5 ** (row["hop"] - 1) * row["weight"]
        row["strength"] = product * (0.5 if row["reverse"] else 1)
        assert row["relative"] == pytest.approx(row["strength"] / now[0]["strength"], abs=1e-6)
    for days in LATER:
        rows = strengths(memory, call, days)
        # The same reading of each, too: from the same end, at the same hop.
        read = ("text", "hop", "reverse", "weight")
        assert [[row[one] for one in read] for row in rows] == [
            [row[one] for one in read] for row in now
        ]
        assert [row["relative"] for row in rows] == pytest.approx(
            [row["relative"] for row in now], abs=1e-6
        )


def test_what_was_never_aroused_has_no_strength(memory):
    build(memory, {"seed": 1.0, "a": 0.0, "b": 0.0}, relation("seed", "a"), relation("seed", "b"))
    call = calls.concepts.peek(["seed"], 1)
    for days in (0, 3_650):
        assert [row["relative"] for row in strengths(memory, call, days)] == [0.0, 0.0]


def test_every_row_carries_the_total(memory):
    build(memory, {"seed": 1.0}, *(relation("seed", f"n{number}") for number in range(7)))
    rows = memory.peek(["seed"], 1, limit=3)
    assert [row["total"] for row in rows] == [7, 7, 7]
    assert rows == memory.peek(["seed"], 1)[:3]


def test_a_limit_above_the_total_cuts_nothing(memory):
    memory.relation_add("apple", "fruit", "is-a")
    assert len(memory.peek(["apple"], 1, limit=2_000_000)) == 1


@pytest.mark.slow
def test_a_thousand_rows_are_the_most_unless_said_otherwise(memory):
    build(memory, {"seed": 1.0}, *(relation("seed", f"n{n:04}") for n in range(1_005)))
    rows = memory.peek(["seed"], 1)
    assert (len(rows), rows[0]["total"]) == (1_000, 1_005)
    assert len(memory.peek(["seed"], 1, limit=1_500)) == 1_005


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(memory, limit):
    memory.relation_add("apple", "fruit", "is-a")
    with pytest.raises(REFUSALS, match="limit"):
        memory.peek(["apple"], 1, limit)
