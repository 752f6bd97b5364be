"""What a message mentions, told from how its words are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptgraph_core.entities import spans
from conceptgraph_core.entities.extracting import observations
from conceptgraph_core.entities.standing import origin

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


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("We stay until June 7th.\n2. Flights", ["June 7th"]),
        ("* **Monday, June 1st**.\n5. Pack", ["Monday, June 1st"]),
        ("Day 2: Sunday, June 2nd", ["Sunday, June 2nd"]),
        ("We meet on Saturday (4:00 pm).", ["Saturday", "4:00 pm"]),
        ("Bis zum 15. Juni 2025, oder Okt. 3", ["15. Juni 2025", "Okt. 3"]),
        ("It ends in June. 12 people came.", ["June", "12 people"]),
        ("1\narray = [9\nrows]", []),
        ("6.022 x 10^23 and 3 x 4", []),
    ],
)
def test_a_date_or_a_number_ends_where_what_follows_is_another_thing(said, expected):
    found = observations(said, ENGLISH)
    assert [one["label"] for one in found if "kind" in one] == expected


def test_what_stands_there_twice_and_says_something_is_a_topic():
    said = "my project is late because the project needs more people than that project had"
    assert labels(said, "topic") == ["project"]


def test_a_message_in_capitals_is_nobodys_name():
    assert labels("STOP SENDING THESE " * 20 + "now, Anna.") == ["Anna"]


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


# How long one takes is what else the machine does.
@given(st.text(max_size=200))
def test_whatever_is_found_stands_in_the_text(text):
    said = spans.Said(text)
    for one in observations(text, ENGLISH):
        assert one["label"] in text
        found = origin(said, "user", one["label"], None)
        assert found.origin == "user", one


# What conversations showed to be taken for names, and for what they speak of


@pytest.mark.parametrize(
    "text",
    [
        "Sounds good to me.",
        "You've been quick. We’ll see. They’d know.",
        "Catch you later! Looks like rain.",
        "Write me a list. Prompt me when it is done, with a prompt.",
        "Get it here. Glad to help. Reckon so. Bloody hell!",
    ],
)
def test_an_order_or_an_opening_names_nobody(text):
    assert labels(text) == []


@pytest.mark.parametrize("does", ["chewed my shoe", "sleeps", "is four", "met us"])
def test_who_does_something_at_the_beginning_is_named(does):
    assert labels(f"Max {does}.") == ["Max"]


def test_in_a_long_message_a_word_must_stand_more_often_to_be_a_topic():
    assert labels("budget, then budget", "topic") == ["budget"]
    padding = " ".join(f"w{chr(97 + n // 26)}{chr(97 + n % 26)}x" for n in range(300))
    assert "budget" not in labels(f"budget, then budget. {padding}", "topic")
    assert "budget" in labels(f"{'budget and ' * 6} {padding}", "topic")
