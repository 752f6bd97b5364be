"""The card of a name: what is so, what was, what comes, and doubts with two answers."""

from dataclasses import astuple

import pytest
from half_year import DAY_MS, USER, say
from known import NOW_MS

from concept_graph_mcp import calls
from concept_graph_mcp.view.cards import list_cards, show_card
from conceptgraph_core.entities.inputs import Given


def state(memory, entity_id, predicate, value, since=None, until=None, **given):
    times = (None if one is None else NOW_MS + one * DAY_MS for one in (since, until))
    words = f"Max: {value}"
    stated = Given(predicate, value, None, *times, speaker="user", text=words, span=words, **given)
    memory.run(calls.entities.fact(entity_id, *astuple(stated)), user_id=USER)


@pytest.fixture
def max_id(memory):
    entity_id = say(memory, NOW_MS - 40 * DAY_MS, "Max", "dog")
    memory.now_ms = NOW_MS
    return entity_id


@pytest.fixture
def speak(session, portal):
    return lambda entity_id: portal.call(show_card, session, entity_id)


def lines(rows):
    said = ((one["label"], filter(None, (one["text"], one["aside"]))) for one in rows)
    return [f"{label}: {', '.join(parts)}" for label, parts in said]


def test_a_card_parts_now_from_before_and_from_what_comes(memory, max_id, speak):
    state(memory, max_id, "home", "Kiel", -400, -90)
    state(memory, max_id, "home", "Lindau", -90)
    state(memory, max_id, "school", "Dog school", 30)
    plan = calls.everyday.remember(
        USER, "Max visits the vet.", ["Max"], happened_at=NOW_MS + 9 * DAY_MS
    )
    memory.run(plan, user_id=USER)
    card = speak(max_id)
    assert (card["name"], card["who"]) == ("Max", "dog")
    assert card["since"] == "Spoken of since January 2026."
    assert lines(card["now"]) == ["Home: Lindau, since 1 December 2025"]
    assert lines(card["before"]) == ["Home: Kiel, since 25 January 2025, until 1 December 2025"]
    school, vet = card["ahead"]
    assert lines([school]) == ["School: Dog school, since 31 March 2026"]
    assert (vet["text"], vet["aside"]) == ("Max visits the vet.", "10 March 2026")
    assert [(one["text"], one["who"]) for one in card["said"]] == [("I saw Max.", "you")]
    [line] = card["now"]
    assert (line["source"], line["told"]) == ("Max: Lindau", "You said so on 1 March 2026")


def test_what_never_was_so_is_corrected_and_what_is_over_has_an_end(memory, max_id, speak):
    memory.now_ms = NOW_MS - DAY_MS
    for name, value in (("food", "chicken"), ("vet", "Dr Weber"), ("toy", "ball")):
        state(memory, max_id, name, value)
    ids = {one["value"]: one["id"] for one in speak(max_id)["now"]}
    memory.now_ms = NOW_MS - DAY_MS // 24
    state(memory, max_id, "vet", "Dr Wolf", corrects=ids["Dr Weber"])
    state(memory, max_id, "toy", "rope", ends=ids["ball"])
    text = "Max eats salmon, not chicken."
    salmon = Given("food", "salmon", None, speaker="user", text=text, ends=ids["chicken"])
    memory.run(calls.entities.fact(max_id, *astuple(salmon)), user_id=USER)
    memory.now_ms = NOW_MS
    shown = {one["text"]: (one["aside"], one["is_wrong"]) for one in speak(max_id)["before"]}
    day = "1 March 2026"
    assert shown == {
        "Dr Weber": (f"corrected on {day}", True),
        "chicken": (f"corrected on {day}", True),
        "ball": (f"until {day}", False),
    }


def test_a_card_says_what_somebody_is_to_the_user_and_since_when(memory, speak):
    said = "My boss is Bob.", "My new boss Dana is nice.", "Ann and Dana met on 3 May."
    for number, text in enumerate(said):
        memory.now_ms = NOW_MS + (number - 10) * DAY_MS
        about = [one for one in ("Ann", "Bob", "Dana") if one in text]
        memory.run(calls.everyday.remember(USER, text, about, said=text), user_id=USER)
    memory.now_ms = NOW_MS
    rows = memory.run(calls.entities.search("Dana", user_id=USER), user_id=USER)
    card = speak(rows[0]["entity_id"])
    assert card["who"] == card["tie"]["text"] == "your boss since 20 February 2026"
    assert card["tie"]["source"] == "My new boss Dana is nice."
    assert [one["name"] for one in card["with"]] == ["Ann"]
    rows = memory.run(calls.entities.search("Bob", user_id=USER), user_id=USER)
    assert speak(rows[0]["entity_id"])["who"] == "your former boss"


@pytest.mark.parametrize(
    ("kind", "who"),
    [("sister", "your sister"), ("Oma", "your grandmother"), ("vet", "vet"), ("dog", "dog")],
)
def test_only_kin_are_the_users_own_by_their_kind(memory, speak, kind, who):
    card = speak(say(memory, NOW_MS - 70 * DAY_MS, "Kim", kind))
    assert (card["who"], card["since"]) == (
        who,
        "Spoken of since December 2025, last in December 2025.",
    )


@pytest.mark.parametrize(
    ("days", "since"),
    [
        ((100, 20), "Spoken of since November 2025."),
        ((130, 100), "Spoken of since October 2025, last in November 2025."),
        ((500, 100), "Spoken of since October 2024, last in November 2025."),
    ],
)
def test_a_card_says_since_when_and_until_when_somebody_is_spoken_of(memory, speak, days, since):
    for ago in days:
        entity_id = say(memory, NOW_MS - ago * DAY_MS, "Kim")
    memory.now_ms = NOW_MS
    assert speak(entity_id)["since"] == since


def test_two_facts_that_cannot_both_be_true_are_a_doubt_with_two_answers(memory, max_id, speak):
    state(memory, max_id, "birthday", "3 May", single=True)
    state(memory, max_id, "birthday", "4 June", single=True)
    card = speak(max_id)
    assert card["now"] == []
    [doubt] = card["doubts"]
    assert doubt["question"] == "Max, birthday: which is right?"
    first, second = doubt["answers"]
    assert {first["label"], second["label"]} == {"3 May", "4 June"}
    # The label of an answer stays, the other is forgotten.
    memory.run(calls.everyday.forget(USER, first["forgets"]), user_id=USER)
    after = speak(max_id)
    assert after["doubts"] == []
    assert lines(after["now"]) == [f"Birthday: {first['label']}"]


def test_who_may_be_another_is_asked(memory, max_id, speak):
    other = say(memory, NOW_MS, "Maxx", "dog")
    asked = [one for one in speak(other)["doubts"] if one["kind"] == "same"]
    for doubt in asked:
        assert {doubt["one_id"], doubt["other_id"]} == {max_id, other}
        assert doubt["question"] in (
            "Are Max and Maxx the same?",
            "Are Maxx and Max the same?",
        )
        assert {one["text"] for one in doubt["said"]} == {"I saw Max.", "I saw Maxx."}
    assert asked


def test_another_users_name_has_no_card(memory, speak):
    secret = say(memory, NOW_MS, "Bob's Secret", user="bob")
    with pytest.raises(Exception, match=r"not found|no entity"):
        speak(secret)


def test_cards_begin_with_the_closest_and_count_the_rest(memory, session, portal):
    for days, name, kind in ((40, "Bo", None), (2, "Cy", None), (3, "Ann", "sister")):
        say(memory, NOW_MS - days * DAY_MS, name, kind)
    say(memory, NOW_MS, "Bob's Secret", user="bob")
    memory.now_ms = NOW_MS
    told = portal.call(list_cards, session, 0, 2)
    assert [one["name"] for one in told["cards"]] == ["Ann", "Cy"]
    assert (told["more"], told["cards"][0]["who"]) == (1, "your sister")
    assert told["cards"][1]["said"] == ["I saw Cy."]
    assert [one["name"] for one in portal.call(list_cards, session, 2, 9)["cards"]] == ["Bo"]


def test_words_that_begin_with_the_name_are_before_others_and_short_ones_last(
    memory, session, portal
):
    for number, text in enumerate(("Cy wrote to me today.", "Bo met Cy and Di.", "Cy knows.")):
        memory.now_ms = NOW_MS + number
        about = [one for one in ("Bo", "Cy", "Di") if one in text]
        memory.run(calls.everyday.remember(USER, text, about, said=text), user_id=USER)
    cards = portal.call(list_cards, session, 0, 9)["cards"]
    said = {one["name"]: one["said"] for one in cards}
    assert said["Cy"] == ["Cy wrote to me today.", "Bo met Cy and Di.", "Cy knows."]


def test_a_fact_is_the_line_of_a_card_before_any_words(memory, max_id, session, portal):
    state(memory, max_id, "home", "Kiel")
    [card] = portal.call(list_cards, session, 0, 9)["cards"]
    assert (card["line"], card["is_person"]) == ("Home: Kiel", False)
