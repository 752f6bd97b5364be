"""`recall` and `peek`: what seeds bring to mind, strongest first, and what that does to it.

score = arousal · 0.5^(hop − 1) · (0.5 against the edge) · (weight between concepts)
"""

import itertools
import random

import pytest
from expect import DAY_MS, MINUTE_MS, concept, decayed, relation
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


def test_the_time_constant_of_the_call_decides_the_arousal(memory):
    build(memory, {"a": 1.0, "b": 0.8}, relation("a", "b", weight=1.0))
    memory.tau_ms = 5_000.0
    memory.now_ms += 1_000
    assert memory.peek(["a"], 1)[0]["arousal"] == decayed(0.8, 1_000, 5_000)


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


def test_what_a_row_names_can_be_acted_on(memory):
    memory.episode_add(MARKET, ["apple"])
    (row,) = memory.recall(["apple"], 1)
    assert memory.update_affect(row["episode_id"], 0.5)["episode_id"] == "20250615/apple"
    assert memory.peek(["apple"], 1)[0]["valence"] == 0.5


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


# Seeds


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


# Order, limit and total


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


@pytest.mark.slow
def test_a_thousand_rows_are_the_most_unless_said_otherwise(memory):
    build(memory, {"seed": 1.0}, *(relation("seed", f"n{n:04}") for n in range(1_005)))
    rows = memory.peek(["seed"], 1)
    assert (len(rows), rows[0]["total"]) == (1_000, 1_005)
    assert len(memory.peek(["seed"], 1, limit=1_500)) == 1_005


# What a recall arouses


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


def test_a_recall_repeated_with_a_limit_returns_the_same(memory):
    for day in range(1, 31):
        memory.now_ms += DAY_MS
        memory.date = f"202506{day:02}"
        memory.episode_add(f"Day {day:02}", ["apple"])
    first = texts(memory.recall(["apple"], 2, limit=5))
    assert first == [f"apple evokes Day {day}" for day in (30, 29, 28, 27, 26)]
    assert texts(memory.recall(["apple"], 2, limit=5)) == first


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
