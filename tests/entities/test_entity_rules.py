"""The formulas of the entity layer against numbers that were worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptgraph_core.entities import edges, names, schema, trust
from conceptgraph_core.entities.trust import Said

DAY_MS = 86_400_000


# Trust


def said(user=0, model=0, sessions=0, intensity=0.0, edge_count=0) -> Said:
    return Said(user, model, sessions, intensity, edge_count)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        # Without connections nothing is trusted.
        (said(user=5), 0.0),
        (said(user=1, edge_count=10), 1.0),
        # (2 + 0.3) · 1 · 1.5 · 0.5
        (said(user=2, model=3, intensity=1.0, edge_count=5), 1.725),
        # 4 / (0 + 1) = 4 > 3: an echo. 0.4 · 0.5 · 1 · 1
        (said(model=4, edge_count=10), 0.2),
        # 3 / 1 = 3 is none yet. 0.3 · 1 · 1 · 1
        (said(model=3, edge_count=10), 0.3),
        # No more than ten connections count. (1 + 0.1) · 1 · 1.25 · 1
        (said(user=1, model=1, intensity=0.5, edge_count=400), 1.375),
    ],
)
def test_trust_is_the_product_of_mentions_echo_emotion_and_density(counts, expected):
    assert trust.trust(counts) == pytest.approx(expected)


def test_by_the_formula_alone_a_thousand_echoes_outweigh_a_users_word():
    echoed, once = said(model=1_000, edge_count=10), said(user=1, edge_count=1)
    assert trust.trust(echoed) > trust.trust(once)


@pytest.mark.parametrize(
    ("counts", "promoted"),
    [
        (said(user=2, sessions=2), True),
        (said(user=9, sessions=1), False),
        (said(user=1, sessions=1, intensity=0.71), True),
        (said(user=1, sessions=1, intensity=0.7), False),
        (said(user=1, sessions=1, edge_count=5), True),
        (said(user=1, sessions=1, edge_count=4), False),
        # By none of the rules without a word of the user's.
        (said(model=1_000, sessions=2, intensity=1.0, edge_count=50), False),
    ],
)
def test_two_sessions_or_strong_feeling_or_five_connections_promote_what_a_user_said(
    counts, promoted
):
    assert (trust.promotion(counts) is not None) == promoted


def test_a_nodes_origin_is_that_of_its_mentions():
    assert trust.origin(0, 5) == (schema.MODEL, 0.0)
    assert trust.origin(2, 0) == (schema.USER, 1.0)
    assert trust.origin(1, 3) == (schema.MIXED, 0.25)


# Edges


def test_weights_follow_the_moving_average():
    # After one time constant 1/e is left of the way, whichever way it goes.
    left = 1 / math.e
    for edge_type, days in (("CO_OCCURRENCE", 14), ("SEMANTIC", 90), ("CAUSAL", 60)):
        assert edges.ema(edge_type, 0.3, 0.0, days) == pytest.approx(0.3 * left)
        assert edges.ema(edge_type, 0.3, 1.0, days) == pytest.approx(1 - 0.7 * left)
    assert edges.ema("TEMPORAL", 0.4, 0.0, 30 * math.log(2)) == pytest.approx(0.2)
    assert edges.ema("CONTRADICTS", 0.5, 0.0, 0) == 0.5
    # What is the same never fades, and no clock goes back.
    assert edges.ema("SAME_AS", 0.7, 0.0, 10_000) == 0.7
    assert edges.ema("CAUSAL", 0.6, 0.0, -5) == 0.6


def test_strength_counts_a_models_reinforcement_a_tenth():
    assert edges.strength(0, 0) == 0.0
    assert edges.strength(1, 0) == 0.5
    assert edges.strength(3, 0) == 0.875
    assert edges.strength(0, 10) == pytest.approx(0.5)
    assert edges.strength(1, 10) == pytest.approx(0.75)


def test_trust_in_an_edge_is_the_users_share_with_one_in_doubt():
    assert edges.trust(0, 0) == 0.0
    assert edges.trust(1, 0) == 0.5
    assert edges.trust(3, 4) == 0.375


def test_recency_falls_with_the_days_since_the_last_activation():
    assert edges.recency("CO_OCCURRENCE", 0, 14 * DAY_MS) == pytest.approx(1 / math.e)
    assert edges.recency("TEMPORAL", 0, 15 * DAY_MS) == pytest.approx(math.exp(-0.5))
    assert edges.recency("SAME_AS", 0, 999 * DAY_MS) == 1.0
    assert edges.recency("CAUSAL", DAY_MS, 0) == 1.0


def test_beyond_twenty_edges_each_counts_less():
    assert edges.crowding(20) == 1.0
    assert edges.crowding(400) == pytest.approx(2.0)
    assert edges.pressed(1.0, 20) == 1.0
    # 1 − ln(100)/10
    assert edges.pressed(0.5, 100) == pytest.approx(0.5 * 0.539483, abs=1e-6)


def test_moods_differ_from_a_standard_deviation_of_a_fifth_on():
    assert edges.moods_differ([0.2, 0.6])
    assert edges.moods_differ([-0.2, 0.2, -0.2, 0.2])
    assert not edges.moods_differ([0.2, 0.59])
    assert not edges.moods_differ([-0.9, -0.9, -0.9])
    assert not edges.moods_differ([])


# Activation


def test_activation_falls_with_fourteen_days_and_a_mention_raises_it():
    assert edges.faded(1.0, 0, 14 * DAY_MS) == pytest.approx(1 / math.e)
    assert edges.faded(0.8, 5, 0) == 0.8
    assert edges.raised(0.2, 0, schema.USER, DAY_MS) == (1.0, DAY_MS)
    assert edges.raised(1.0, 0, schema.MODEL, 14 * DAY_MS) == (0.5, 14 * DAY_MS)
    kept, _ = edges.raised(1.0, 0, schema.MODEL, DAY_MS)
    assert kept == pytest.approx(math.exp(-1 / 14))


def test_a_mention_that_is_told_of_late_has_faded_since():
    late = edges.raised(0.1, 14 * DAY_MS, schema.USER, 0)
    assert late == (pytest.approx(1 / math.e), 14 * DAY_MS)
    assert edges.raised(0.9, 14 * DAY_MS, schema.USER, 0) == (0.9, 14 * DAY_MS)


# Names and ids


def test_a_name_has_one_form_however_it_is_written():
    for label in ("max", " Max ", "ＭＡＸ", "MAX\n", "Max"):
        assert names.canonical(label) == "max"
    assert names.canonical("Straße  am\tSee") == "strasse am see"
    assert names.canonical("㍿ Ａｂ") == "株式会社 ab"


def test_a_name_that_is_taken_gets_a_number():
    assert names.free("max", set()) == "max"
    assert names.free("max", {"max", "max #2", "max #4"}) == "max #3"


def test_names_are_alike_by_what_they_have_in_common():
    assert names.ratio("max", "max") == 1.0
    # "anna sm" and "th" of ten letters each.
    assert names.ratio("anna smith", "anna smyth") == pytest.approx(0.9)
    assert names.ratio("max", "puppy") == 0.0


@given(st.text(max_size=20), st.text(max_size=20))
def test_likeness_is_the_same_either_way_round(one, other):
    assert names.ratio(one, other) == names.ratio(other, one)


@given(st.text(max_size=30))
def test_a_canonical_name_is_its_own_canonical_name(label):
    once = names.canonical(label)
    assert names.canonical(once) == once


def test_ids_follow_from_what_a_thing_is_and_differ_where_it_differs():
    assert names.make_id("a", "bc") != names.make_id("ab", "c")
    one = names.make_mention_id("u", "s", "m", "max", "entity")
    assert one == names.make_mention_id("u", "s", "m", "max", "entity")
    assert one != names.make_mention_id("u", "s", "m", "max", "topic")
    assert [len(part) for part in one.split("-")] == [8, 4, 4, 4, 12]
    assert one[14] == "8"
    assert one[19] in "89ab"


def test_what_a_session_notes_of_an_edge_can_be_read_again():
    for ids_ in (("one", "other"), ("a\tb", "c"), ("a", "b\tc")):
        noted = edges.key("CAUSAL", *ids_)
        assert edges.of_key(noted, "CAUSAL", {*ids_}) == ids_
        assert edges.of_key(noted, "TEMPORAL", {*ids_}) is None
        assert edges.of_key(noted, "CAUSAL", {ids_[0]}) is None
