"""Several orders of the same things say together which come first."""

import pytest

from conceptgraph_core.retrieval.ranks import K, cosine, fuse_rankings


def test_what_two_rankings_agree_on_comes_before_what_one_has_first():
    words, vectors = ["tea", "rain", "snow"], ["fog", "rain", "tea"]
    assert [one for one, _ in fuse_rankings([words, vectors])] == ["tea", "rain", "fog", "snow"]


def test_the_score_is_the_sum_of_the_reciprocal_ranks():
    scores = dict(fuse_rankings([["tea", "rain"], ["rain"]]))
    assert scores == {"tea": 1 / (K + 1), "rain": 1 / (K + 2) + 1 / (K + 1)}
    assert dict(fuse_rankings([["tea"]], k=0)) == {"tea": 1.0}


def test_one_ranking_stays_as_it_is_and_none_is_empty():
    assert [one for one, _ in fuse_rankings([["b", "a", "c"], []])] == ["b", "a", "c"]
    assert fuse_rankings([]) == []


def test_what_stands_twice_in_a_ranking_counts_once_where_it_stands_first():
    assert fuse_rankings([["tea", "tea", "rain"]]) == fuse_rankings([["tea", "rain"]])


def test_equal_scores_put_the_earlier_ranking_first():
    assert [one for one, _ in fuse_rankings([["words"], ["vectors"]])] == ["words", "vectors"]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((1, 0), (2, 0), 1.0),
        ((1, 0), (0, 3), 0.0),
        ((3, 4), (-3, -4), -1.0),
        ((1, 0), (1, 0, 0), None),
        ((0, 0), (1, 0), None),
    ],
)
def test_the_cosine_is_none_where_there_is_no_angle(one, other, expected):
    assert cosine(one, other) == expected
