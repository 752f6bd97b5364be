"""What is one name written in two ways; the examples are of real conversations."""

import pytest

from conceptgraph_core.entities.identity import likenesses


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("GPT-3", "GPT3"),
        ("The Micro-Choice", "Micro-Choice"),
        ("Increase Your Revenue", "Increase Revenue"),
        ("HTTP API", "HTTP APIs"),
        ("CNNs", "CNN"),
        ("5-minute sessions", "5-minute session"),
        ("Relationships", "relationship"),
        ("category", "Categories"),
        ("Michael", "Micheal"),
        ("Eugene Schwartz", "Eugene Shwartz"),
        ("Anna Smith", "Anna Smyth"),
        ("The The", "The  The"),
        ("東京都", "東京都"),
    ],
)
def test_one_name_written_in_two_ways(one, other):
    assert likenesses.is_one_name(one, other)
    assert likenesses.is_one_name(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Another part of speech, or another word.
        ("creative", "create"),
        ("operation", "operational"),
        ("contracts", "contractors"),
        ("context", "contest"),
        # Acronyms, short names, endings.
        ("ROS", "RpoS"),
        ("Anna", "Anne"),
        ("Marta", "Maria"),
        ("Daniel", "Daniela"),
        ("Carlos", "Karlos"),
        # A word more, or another.
        ("Vice Monitor WBS", "Vice Monitor"),
        ("Revolutionizing Customer Service", "Revolutionizing Customer Experience"),
        ("her sister", "my sister"),
        # Two slips are no slip.
        ("Michael Schwartz", "Micheal Shwartz"),
        ("東京都", "京都"),
    ],
)
def test_two_names_that_only_look_alike(one, other):
    assert not likenesses.is_one_name(one, other)
    assert not likenesses.is_one_name(other, one)
