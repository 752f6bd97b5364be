"""The rules of fading, against numbers worked out by hand."""

import math

import pytest

from conceptgraph_core.memories import fade
from conceptgraph_core.memories.fade import Fading
from conceptgraph_core.texts.dates import DAY_MS
from conceptgraph_core.verbs.decaying import Rules, lasting, parse_rates
from conceptgraph_core.verbs.decaying import rules as checked
from conceptgraph_core.verbs.errors import InvalidNumber

T = 1_750_000_000_000


def fading(importance=0.7, confidence=1.0, accesses=0, **more):
    return Fading(importance, confidence, accesses, T, **more)


@pytest.mark.parametrize(
    ("one", "days", "score"),
    [
        (fading(), 0, 0.7),
        # 0.7 · e^−0.3
        (fading(), 30, 0.5185727544772026),
        # (0.7 · e^−0.3 + 0.1 · ln 4) · 0.5
        (fading(accesses=3, confidence=0.5), 30, 0.3286010952945958),
        # A rate of its own: 0.7 · e^−3
        (fading(rate=0.1), 30, 0.034850947857504495),
        # The more important, the more slowly: 0.9 · e^−0.1, 0.4 · e^−0.6, and 1 for ever.
        (fading(importance=0.9), 30, 0.8143536762323635),
        (fading(importance=0.4), 30, 0.21952465443761056),
        (fading(importance=1.0), 100_000, 1.0),
        # A rate of its own is that, whatever the importance: 0.9 · e^−3
        (fading(importance=0.9, rate=0.1), 30, 0.04480836153107755),
        (fading(importance=1.0, accesses=50), 0, 1.0),
        (fading(), -5, 0.7),
        (fading(importance=0.0), 0, 0.0),
    ],
)
def test_the_score_is_that_of_the_formula(one, days, score):
    assert fade.decay_score(one, T + days * DAY_MS) == pytest.approx(score, rel=1e-12)


def test_links_count_where_they_are_given_a_boost():
    boosted = Rules(degree_boost=0.1)
    assert fade.decay_score(fading(degree=3), T) == 0.7
    # 0.7 + 0.1 · ln 4
    assert fade.decay_score(fading(degree=3), T, boosted) == pytest.approx(0.838629436111989)


@pytest.mark.parametrize(
    ("score", "state"),
    [
        *((1.0, "active"), (0.5, "active"), (0.4999, "dormant"), (0.1, "dormant")),
        *((0.0999, "archived"), (0.01, "archived"), (0.00999, "expired"), (0.0, "expired")),
    ],
)
def test_a_state_begins_at_its_threshold(score, state):
    assert fade.state_of(score) == state


def test_without_an_end_archived_takes_any_score():
    assert fade.state_of(0.0, lasting(Rules())) == "archived"
    assert fade.next_state(fading(), T + 300 * DAY_MS, lasting(Rules())) is None
    assert fade.next_state(fading(), T + 300 * DAY_MS)[0] == "expired"


@pytest.mark.parametrize("tag", ["permanent", "Important", "PINNED"])
def test_a_tag_preserves_in_any_case(tag):
    assert fade.now(fading(importance=0.0, tags=("tea", tag)), T) == (1.0, "active")


def test_a_time_preserves_until_it_has_passed():
    one = fading(importance=0.2, preserved_until=T + DAY_MS)
    assert fade.now(one, T + DAY_MS - 1) == (1.0, "active")
    assert fade.now(one, T + DAY_MS)[1] == "dormant"


def test_the_next_state_comes_when_the_score_falls_below_its_threshold():
    # 0.7 · e^(−0.01 d) = 0.5 after 100 · ln 1.4 = 33.647 days, 0.1 after 100 · ln 7 = 194.59.
    state, at = fade.next_state(fading(), T)
    assert state == "dormant"
    assert (at - T) / DAY_MS == pytest.approx(100 * math.log(1.4), abs=1e-6)
    assert fade.decay_score(fading(), at) < 0.5 <= fade.decay_score(fading(), at - 1)
    state, at = fade.next_state(fading(), T + 50 * DAY_MS)
    assert state == "archived"
    assert (at - T) / DAY_MS == pytest.approx(100 * math.log(7), abs=1e-6)


def test_what_accesses_hold_up_never_falls_further():
    # 0.1 · ln 3 = 0.1099 stays for ever, so it is dormant for ever.
    one = fading(accesses=2)
    assert fade.next_state(one, T)[0] == "dormant"
    assert fade.next_state(one, T + 1_000 * DAY_MS) is None
    assert fade.next_state(fading(rate=0.0), T) is None
    assert fade.next_state(fading(importance=0.0), T) is None


def test_what_is_preserved_waits_until_that_ends():
    assert fade.next_state(fading(tags=("pinned",)), T) is None
    until = T + 60 * DAY_MS
    assert fade.next_state(fading(preserved_until=until), T) == ("dormant", until)
    soon = T + DAY_MS
    assert fade.next_state(fading(preserved_until=soon), T) == fade.next_state(fading(), T)


@pytest.mark.parametrize("rate", [1e-8, 1e-15, 1e-300])
def test_what_fades_beyond_all_times_has_no_next_state(rate):
    assert fade.next_state(fading(rate=rate), T) is None
    assert fade.fading_since(T - DAY_MS, fading(rate=rate), T) == pytest.approx(T - DAY_MS, abs=99)


def test_the_next_state_of_what_hardly_fades_comes_at_its_first_millisecond():
    # So near above its threshold that the score is one float for weeks.
    one = fading(importance=0.5 + 1e-12, rate=1e-11)
    state, at = fade.next_state(one, T)
    assert state == "dormant"
    assert fade.decay_score(one, at) < 0.5 <= fade.decay_score(one, at - 1)


def test_no_rate_is_too_small_to_say_since_when_a_text_fades():
    assert fade.fading_since(T - DAY_MS, fading(rate=1e-310), T) == T - DAY_MS


def test_a_link_halves_in_a_week_but_not_below_a_tenth():
    week = 7 * DAY_MS
    assert fade.link_strength(0.8, T, 0, T + week) == 0.4
    assert fade.link_strength(0.8, T, 0, T + 2 * week) == 0.2
    assert fade.link_strength(0.8, T, 0, T + 9 * week) == 0.1
    assert fade.link_strength(0.05, T, 0, T + 9 * week) == 0.05
    assert fade.link_strength(0.8, T, 0, T - week) == 0.8


def test_a_link_that_was_used_on_further_days_lasts_longer():
    week = 7 * DAY_MS
    assert fade.link_strength(0.8, T, 1, T + 2 * week) == 0.4
    assert fade.link_strength(0.8, T, 12, T + 13 * week) == 0.4


def test_days_on_which_a_link_was_used_are_counted_once_each_up_to_twelve():
    midnight = T - T % DAY_MS
    assert fade.link_days(0, midnight, midnight + DAY_MS - 1) == 0
    assert fade.link_days(0, midnight - 1, midnight) == 1
    assert fade.link_days(12, midnight - 1, midnight) == 12
    assert fade.link_days(3, midnight, midnight - DAY_MS) == 3


def test_an_owner_sets_some_of_the_numbers():
    assert checked(parse_rates(" base_rate=0.02, degree_boost = 0.05,")) == Rules(
        base_rate=0.02, degree_boost=0.05
    )
    assert parse_rates("") == {}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("rate=1", "unknown number 'rate'; known are base_rate, access_boost"),
        ("base_rate", "'base_rate' is not like base_rate=0.02"),
        ("base_rate=x", "is not like"),
        ("base_rate=-1", "base_rate: must be between 0 and 1000"),
        ("base_rate=nan", "base_rate: must be between"),
        ("dormant=0.6", "1 >= active > dormant > archived > 0"),
        ("archived=0", "1 >= active > dormant > archived > 0"),
    ],
)
def test_what_is_no_number_of_these_is_refused(value, message):
    with pytest.raises(InvalidNumber, match=message):
        parse_rates(value)
