"""What a message mentions, told from how its words are written."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import beside

from conceptgraph_core.entities import rule_extractor
from conceptgraph_core.entities.beliefs.attribution import origin
from conceptgraph_core.entities.language import kin, spans
from conceptgraph_core.entities.rule_extractor import observations
from conceptgraph_core.entities.schema import FIRST_PERSON, SELF

table = beside(__file__)

ENGLISH = ("english",)


BOTH = ("english", "german")


def labels(text: str, node_type: str = "entity", speaker: str = "user") -> list[str]:
    found = observations(text, BOTH, speaker)
    return [one["label"] for one in found if one["type"] == node_type and one["label"] != SELF]


def facts(text: str) -> list[tuple[str, ...]]:
    """Return what *text* says of the user: predicate, value, and what becomes of what was so."""
    found = [fact for one in observations(text, BOTH) for fact in one.get("facts", ())]
    return [
        (one["predicate"], one.get("value") or one["object"], one.get("mode", "beside"))
        for one in found
    ]


@table("text, expected")
def test_names_are_told_by_their_capitals(text, expected):
    assert labels(text) == expected


def test_dates_are_told_in_one_form():
    said = "On 15 June 2025 it cost 1,200 dollars; since 2025-07-01 I weigh 70.5 kg."
    found = [(one["label"], one["kind"]) for one in observations(said, ENGLISH)]
    assert found == [("15 June 2025", "date"), ("1 July 2025", "date")]


@table("said, expected")
def test_a_date_or_a_number_ends_where_what_follows_is_another_thing(said, expected):
    found = observations(said, ENGLISH)
    assert [one["label"] for one in found if "kind" in one] == expected


def test_a_message_in_capitals_is_nobodys_name():
    assert labels("STOP SENDING THESE " * 20 + "now, Anna.") == ["Anna"]


def test_a_long_text_gives_the_first_thirty():
    many = ", ".join(f"Anna{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(50))
    assert len(observations(f"I met {many}", ENGLISH)) == 30


# How long one takes is what else the machine does.
@given(st.text(max_size=200))
def test_whatever_is_found_stands_in_the_text(text):
    said = spans.Said(text)
    for one in observations(text, BOTH):
        known = FIRST_PERSON if one["label"] == SELF else ()
        found = origin(said, "user", one["label"], one.get("span"), one["type"], known)
        assert found.origin == "user", one


# What conversations showed to be taken for names, and for what they speak of


@table("text")
def test_an_order_or_an_opening_names_nobody(text):
    assert labels(text) == []


@pytest.mark.parametrize("does", ["chewed my shoe", "sleeps", "is four", "met us"])
def test_who_does_something_at_the_beginning_is_named(does):
    assert labels(f"Max {does}.") == ["Max"]


PASTED = """```python
from Anna import Berlin
```
| Anna | Berlin | Max |
Anna\tBerlin\t12 March 2020
> Anna wrote to Max
See https://example.org/Anna/Berlin, Anna_Berlin and src/Anna/Berlin.py, or `Max`.
for (int i = 0; i < Max; i++) {
"""


def test_what_is_pasted_is_nobodys_words():
    assert observations(PASTED, BOTH) == []
    assert labels(f"{PASTED}I met Anna.") == ["Anna"]


def test_only_lines_in_the_first_person_of_a_long_message_are_the_users():
    pasted = "The company Acme Rockets was founded by Wile Coyote in Nevada. " * 20
    assert labels(f"{pasted}\nI work with Anna Smith.") == ["Anna Smith"]


def test_a_models_message_gives_only_names():
    said = "Your budget is 40 dollars; ask Anna Smith on 3 May. A budget is a budget. I love tea."
    assert [one["label"] for one in observations(said, BOTH, "model")] == ["Anna Smith"]
    longer = f"{said} {'Then think about it again. ' * 20}Ask Acme Rockets, or Tom."
    assert labels(longer, speaker="model") == ["Anna Smith"]
    assert labels("1. Golden Rule\n* Growth Plans\nAsk Tom.", speaker="model") == ["Tom"]


@table("text, expected")
def test_names_need_more_than_a_capital(text, expected):
    assert labels(text) == expected


@table("text, expected")
def test_a_german_noun_is_no_name(text, expected):
    assert labels(text) == expected


@table("text, label, kind, expected")
def test_kin_are_told_by_what_they_are_to_the_user(text, label, kind, expected):
    [one] = [one for one in observations(text, BOTH) if one["label"] == label]
    assert one["kind"] == kind
    assert facts(text) == expected


def test_a_street_is_nobody_of_that_first_name():
    [street] = observations("I live on Alma Vale Road.", BOTH)
    assert (street["label"], street["kind"]) == ("Alma Vale Road", "place")


@table("text, expected")
def test_what_the_user_says_of_the_user_is_told_as_facts(text, expected):
    assert facts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("my kind of day", []), ("mein kind", [(1, "kind")]), ("our little kid", [(2, "kid")])],
)
def test_a_kin_word_goes_with_the_my_of_its_own_language(text, expected):
    assert kin.named(text.split()) == expected
    assert "girlfriend" in kin.kinds("freundin")


def test_a_fact_comes_with_what_it_names():
    found = observations("I work at Siemens and I'm allergic to nuts.", BOTH)
    assert [(one["label"], one["type"], one.get("kind")) for one in found] == [
        ("Siemens", "entity", "company"),
        ("nuts", "topic", None),
        (SELF, "entity", "person"),
    ]


def test_names_that_the_text_says_are_ones_are_told_though_nothing_else_names_them():
    assert labels("Ziggy aka Bernhard plays") == ["Ziggy", "Bernhard"]


@pytest.mark.parametrize(
    "text",
    [
        "```\nclass Foo (Bar)\n```",
        "> Quoted Person (Quoted Alias)",
        "`Result (Value)` is what I get",
    ],
)
def test_names_for_one_in_what_is_pasted_are_nobodys_words(text):
    assert labels(text) == []


def test_names_for_one_in_a_models_message_are_not_told():
    assert labels("Destination Account (Savings Plan)", speaker="model") == []


def test_names_for_one_are_bounded_as_all_else_is():
    assert len(labels("I know " + ", ".join(f"Aa{one} (Bb{one})" for one in range(300)))) == 30
    assert all(len(one) < 255 for one in labels("I know " + "A" * 300 + " (Bb)"))


@pytest.mark.parametrize("said", ["I like ", "I like cats and ", "ich bin in "])
def test_a_sentence_takes_work_in_proportion_to_its_length(said):
    # The first text loads the words of the language.
    steps(said)
    assert steps(said * 400) < 2.5 * steps(said * 200)


def steps(text: str) -> int:
    """Return how many functions are called to read *text*."""
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        observations(text, ["english"])
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" ".join(f"I'm allergic to a{number}x." for number in range(300)), 30),
        ("I walk my dog Max. " * 300, 1),
    ],
)
def test_facts_are_told_once_and_no_more_than_a_message_has_others(text, expected):
    assert len(facts(text)) == expected


@table("text, names")
def test_names_begin_sentences_and_follow_words_for_kin(text, names):
    rows = observations(text, ("en", "de", "pt", "es", "fr"))
    found = [one["label"] for one in rows if one["type"] == "entity"]
    assert [one for one in found if one != "the user"] == names


def test_the_words_of_a_text_are_read_no_more_often_for_more_names(monkeypatch):
    counted = []
    read = rule_extractor.words
    monkeypatch.setattr(rule_extractor, "words", lambda text: counted.append(text) or read(text))
    counts = []
    for times in (1, 20):
        counted.clear()
        rule_extractor.observations("My boss Ines came. " * times, ("en",))
        counts.append(len(counted))
    assert counts[0] == counts[1] > 0
