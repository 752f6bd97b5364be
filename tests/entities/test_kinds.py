"""Kinds are hints; only those that exclude each other tell two of one name apart."""

import pytest

from conceptgraph_core.entities import kinds


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("person", "sister"),
        ("sister", "boss"),
        ("colleague", "boss"),
        ("older sister", "Schwester"),
        ("pet", "puppy"),
        ("dog", "golden retriever"),
        ("café", "place"),
        ("restaurant", "company"),
        ("astronaut", "sister"),
        (None, "dog"),
    ],
)
def test_these_may_be_one(one, other):
    assert kinds.agree(one, other)
    assert kinds.agree(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mineral", "company"),
        ("person", "dog"),
        ("dog", "cat"),
        ("daughter", "colleague"),
        ("Tochter", "Chefin"),
        ("sister", "mother"),
        ("mother", "mother-in-law"),
        ("great-aunt", "half-sister"),
        ("city", "person"),
        ("book", "person"),
    ],
)
def test_these_exclude_each_other(one, other):
    assert not kinds.agree(one, other)
    assert not kinds.agree(other, one)


def test_a_closer_kind_says_more():
    assert kinds.is_closer("sister", "person")
    assert kinds.is_closer("sister", None)
    assert not kinds.is_closer("person", "sister")
    assert not kinds.is_closer("boss", "sister")
