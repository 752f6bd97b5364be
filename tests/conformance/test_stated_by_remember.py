"""The user's words state facts of the user and of those known, whatever `about` names."""

import pytest

from concept_graph_mcp.calls import everyday

DAY_MS = 86_400_000


def say(days, said, about=()):
    days.memory.now_ms += DAY_MS
    return days.remember(said, about, said=said)


def list_facts(days, name):
    facts = days.about(name)["facts"]
    return [(one["predicate"], one["value"]) for one in facts if one["until"] is None]


def test_a_known_one_gets_the_fact_without_about(days):
    say(days, "Bo lives in Oslo", ["Bo"])
    say(days, "Bo has moved to Turku")
    assert list_facts(days, "Bo") == [("home", "Turku")]


def test_nobody_unknown_is_made_up(days):
    say(days, "Bo has moved to Turku")
    assert [one for one in days.memory.records() if one["kind"] == "entity"] == []


def test_the_user_gets_the_fact_and_it_goes_with_the_memory(days):
    say(days, "I live in Leeds")
    made = say(days, "I moved to York")
    assert "home: York" in days.recall("Where do I live?")
    days.run(everyday.forget("default", made["id"]))
    assert "home: Leeds" in days.recall("Where do I live?")


def test_a_new_boss_by_kind_alone_makes_the_former_one_former(days):
    say(days, "Hamish wants the report", [{"name": "Hamish", "kind": "boss"}])
    say(days, "Casper runs the team", [{"name": "Casper", "kind": "boss"}])
    assert days.about("Hamish")["kind"] == "former boss"
    assert days.about("Casper")["kind"] == "boss"
    # Spoken of again, the former one is none.
    say(days, "Hamish called", [{"name": "Hamish", "kind": "boss"}])
    assert days.about("Casper")["kind"] == "boss"


def test_facts_that_are_given_come_before_those_of_a_rule(days):
    facts = {"allergy": "hazelnuts", "Home": "Ghent", "shoe size": 38}
    lena = {"name": "Lena", "kind": "sister", "facts": facts}
    made = say(days, "My sister Lena lives in Gent, Ghent in English: no hazelnuts, 38", [lena])
    assert sorted(list_facts(days, "Lena")) == [
        ("allergy", "hazelnuts"),
        ("home", "Ghent"),
        ("shoe size", "38"),
    ]
    assert {one["who"] for one in days.about("Lena")["facts"]} == {"the user"}
    say(days, "Lena has moved to Bonn", [{"name": "Lena", "facts": {"home": "Bonn"}}])
    assert ("home", "Bonn") in list_facts(days, "Lena")
    assert ("home", "Ghent") not in list_facts(days, "Lena")
    days.run(everyday.forget("default", made["id"]))
    assert list_facts(days, "Lena") == [("home", "Bonn")]


def list_homes(days):
    facts = days.about("me")["facts"]
    return [(one["value"], one["since"], one["until"]) for one in facts]


def test_what_happened_at_another_time_is_so_since_then(days):
    now_ms = days.memory.now_ms
    may, july = now_ms - 90 * DAY_MS, now_ms - 30 * DAY_MS
    say(days, "I live in Oslo")
    days.remember("I moved to Ghent", said="I moved to Ghent", happened_at=july)
    assert sorted(list_homes(days)) == [("Ghent", july, None), ("Oslo", None, july)]
    # Told last, and so before: it was over when the next one began.
    days.remember("I moved to Bonn", said="I moved to Bonn", happened_at=may)
    assert ("Bonn", may, july) in list_homes(days)
    assert "home: Ghent" in days.recall("Where do I live?")


def test_what_is_over_since_a_day_ends_on_that_day(days):
    now_ms = days.memory.now_ms
    say(days, "I work at Halden")
    days.remember("I quit my job", said="I quit my job", happened_at=now_ms - 9 * DAY_MS)
    [fact] = days.about("me")["facts"]
    assert (fact["value"], fact["until"]) == ("Halden", now_ms - 9 * DAY_MS)


def test_a_plan_is_not_so_yet(days):
    say(days, "I live in Leeds")
    ahead = days.memory.now_ms + 9 * DAY_MS
    days.remember("I moved to York", said="I moved to York", happened_at=ahead)
    assert "home: Leeds" in days.recall("Where do I live?")


def test_facts_without_the_users_words_are_the_models(days):
    days.remember("Lena is ill", [{"name": "Lena", "facts": {"condition": "flu"}}])
    [fact] = days.about("Lena")["facts"]
    assert (fact["predicate"], fact["value"], fact["who"]) == ("condition", "flu", "the model")


def test_a_models_own_text_states_nothing(days):
    days.remember("I live in Leeds")
    assert "home" not in days.recall("Where do I live?")


@pytest.mark.parametrize(
    ("said", "note", "told"),
    [
        ("moving van came, bruges it is", "The user moved to Bruges", "home: Bruges"),
        ("fenner hired me", "The user works at Fenner", "employer: Fenner"),
        ("50 mg sertralin", "Die Nutzerin nimmt jetzt 50 mg Sertralin", "dose of sertralin: 50 mg"),
        ("who knows", "The user moved to Bruges", ""),
    ],
)
def test_a_note_states_what_the_users_words_contain(days, said, note, told):
    days.remember(note, said=said)
    answer = days.recall("Where do I live? Where do I work? What about my sertralin?")
    assert told in answer
    assert told or "home:" not in answer


def test_a_note_makes_a_spouse_of_a_partner(days):
    days.remember("The user's girlfriend is Bo", [{"name": "Bo", "kind": "girlfriend"}], said="bo")
    days.memory.now_ms += DAY_MS
    days.remember("The user married Bo", ["Bo"], said="bo and i eloped")
    assert days.about("Bo")["kind"] == "spouse"


def test_asks_for_kin_and_sums_that_are_told(days):
    say(days, "My brother Al is tall")
    say(days, "My rent is 900 euros")
    assert "Al (brother)" in days.recall("Do I have a brother?")
    assert "rent: 900 euros" in days.recall("How much do I pay in rent?")
    assert "rent: 900 euros" in days.recall("How much is the rent?")
