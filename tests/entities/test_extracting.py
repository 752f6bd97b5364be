"""What a message mentions, told from how its words are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptgraph_core.entities import spans
from conceptgraph_core.entities.extracting import observations

ENGLISH = ("english",)


def labels(text: str, node_type: str = "entity") -> list[str]:
    return [one["label"] for one in observations(text, ENGLISH) if one["type"] == node_type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Max chewed my shoe again.", ["Max"]),
        ("I met Anna Smith and Tom.", ["Anna Smith", "Tom"]),
        ("I moved from New York to the Bank of America.", ["New York", "Bank of America"]),
        ("The vet says he's bored.", []),
        ("Alright, look. Given the cost, don't. Didn't it? Understood.", []),
        ("Hello! I'm tired. Moving is hard.", []),
        ("Work is rough, and I hate work.", []),
        ("We ate at Luigi's with Jean-Luc O'Brien.", ["Luigi", "Jean-Luc O'Brien"]),
        ("On Monday in June I saw Sarah. Sarah waved.", ["Sarah"]),
        ("", []),
    ],
)
def test_names_are_told_by_their_capitals(text, expected):
    assert labels(text) == expected


def test_dates_and_numbers_are_told_with_what_they_count():
    said = "On 15 June 2025 it cost 1,200 dollars; since 2025-07-01 I weigh 70.5 kg."
    found = [(one["label"], one["kind"]) for one in observations(said, ENGLISH)]
    assert found == [
        ("15 June 2025", "date"),
        ("1,200 dollars", "number"),
        ("2025-07-01", "date"),
        ("70.5 kg", "number"),
    ]


def test_what_stands_there_twice_and_says_something_is_a_topic():
    said = "my project is late because the project needs more people than that project had"
    assert labels(said, "topic") == ["project"]


def test_a_long_text_gives_the_first_thirty():
    assert (
        len(
            observations(
                " ".join(f"and Anna{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(50)),
                ENGLISH,
            )
        )
        == 30
    )


@given(st.text(max_size=200))
def test_whatever_is_found_stands_in_the_text(text):
    said = spans.Said(text)
    for one in observations(text, ENGLISH):
        assert one["label"] in text
        found = spans.origin(said, "user", one["label"], None)
        assert found.origin == "user", one
