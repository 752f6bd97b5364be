"""`concept_search`: the most aroused concepts, which come after what matches, and their order."""

import math
import random

import pytest
from expect import DAY_MS, concept, decayed

from concept_graph_mcp import calls


def test_each_row_has_the_arousal_of_now(memory):
    memory.concept_upsert("apple")
    memory.update_affect("pear", 0.75)
    memory.now_ms += DAY_MS
    rows = memory.run(calls.concepts.concept_search([]))
    assert rows == [
        {"concept": "pear", "arousal": decayed(0.75, DAY_MS), "matched": False},
        {"concept": "apple", "arousal": decayed(0.5, DAY_MS), "matched": False},
    ]


@pytest.mark.parametrize("days", [0, 30, 2 * 365, 10 * 365])
def test_how_strong_one_is_of_the_most_aroused_stays_while_all_fade(memory, days):
    levels = {"a": 0.9, "b": 0.45, "c": 0.09, "d": 0.0}
    memory.import_rows([concept(name, level=levels[name], at=memory.now_ms) for name in levels])
    memory.now_ms += days * DAY_MS
    call = calls.concepts.concept_search([]).with_fields("relative")
    found = {row["concept"]: row["relative"] for row in memory.run(call)}
    assert list(found) == ["a", "b", "c", "d"]
    assert list(found.values()) == pytest.approx([1, 0.5, 0.1, 0])


def test_the_time_constant_of_the_call_decides_the_order(memory):
    at = memory.now_ms
    memory.import_rows(
        [concept("old", level=0.5, at=at), concept("new", level=0.25, at=at + 1_000)]
    )
    memory.tau_ms = 1_000.0
    assert memory.concept_search([]) == ["new", "old"]
    memory.tau_ms = 2_000.0
    assert memory.concept_search([]) == ["old", "new"]


@pytest.mark.parametrize("spread_ms", [1, DAY_MS, 40 * DAY_MS, 3_000 * DAY_MS])
@pytest.mark.parametrize("least", [0.0, 0.01, 0.25, 0.9])
def test_the_most_aroused_come_in_the_order_of_their_arousal_however_long_ago(
    memory, spread_ms, least
):
    chance = random.Random(spread_ms + 100 * least)
    concepts = [
        concept(
            f"{number:03}",
            level=chance.choice((least, chance.uniform(least, 1))),
            at=memory.now_ms - chance.randrange(spread_ms) + chance.choice((0, 0, DAY_MS)),
        )
        for number in range(300)
    ]
    memory.import_rows(concepts)

    def rank(one):
        level, at = one["arousal_level"], one["accessed_at"]
        return -(at + DAY_MS * math.log(level)) if level else math.inf, one["name"]

    expected = [one["name"] for one in sorted(concepts, key=rank)]
    for most in (1, 3, 20, 74, 76, 200):
        assert memory.concept_search([], most) == expected[:most]
    matched = [name for name in sorted(expected) if "99" in name]
    others = [name for name in expected if name not in matched]
    assert memory.concept_search(["99"], 20) == (matched + others)[:20]
    assert memory.concept_search(["99"], 2) == ["099", "199"]


@pytest.mark.parametrize(
    "properties",
    [{}, {"arousal_level": 1.0}, {"accessed_at": 2_000_000_000_000}, {"arousal_level": 0.0}],
    ids=str,
)
def test_a_concept_made_by_hand_without_an_access_does_not_displace_the_aroused(
    memory, hands, properties
):
    hands.node("Concept", name="by hand", **properties)
    memory.concept_upsert("water")
    assert memory.concept_search([], 1) == ["water"]
    assert memory.concept_search([]) == ["water", "by hand"]


def test_whole_numbers_made_by_hand_rank_like_others(memory, hands):
    hands.node("Concept", name="by hand", arousal_level=1, accessed_at=memory.now_ms)
    memory.concept_upsert("water")
    assert memory.concept_search([]) == ["by hand", "water"]
