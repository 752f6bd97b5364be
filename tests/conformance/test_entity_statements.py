"""What users say of themselves, told without a model: kin, preferences, facts with their times."""

from dataclasses import astuple

import pytest
from expect import REFUSALS
from nights import daily

from concept_graph_mcp import calls
from conceptgraph_core.entities.inputs import Given
from conceptgraph_core.entities.schema import SELF


def own(entities, **times):
    """Return predicate, value and origin of the user's own facts."""
    facts = entities.get(entities.record(SELF)["id"], **times)["facts"]
    return sorted((one["predicate"], one["value"], one["origin"]) for one in facts)


def test_the_users_own_facts_are_of_one_entity_and_the_users(entities):
    entities.observe("I work at Siemens and I love hiking. My sister Clara called.")
    entities.observe("Ich bin allergisch gegen Nüsse.", session="t")
    assert own(entities) == [
        ("allergy", "Nüsse", "user"),
        ("employer", "Siemens", "user"),
        ("sister", "Clara", "user"),
    ]
    assert entities.record(SELF)["origin"] == "user"
    clara = entities.record("Clara")
    assert (clara["entity_kind"], clara["origin"]) == ("sister", "user")
    [tie] = [one for one in entities.records("tie") if one["type"] == "object"]
    assert tie["to"] == clara["id"]


def test_the_answer_tells_of_the_facts(entities):
    row = entities.observe("I live in Berlin")["entities"][-1]
    [fact] = row["facts"]
    assert (row["label"], fact["predicate"], fact["value"]) == (SELF, "home", "Berlin")
    assert (fact["origin"], fact["conflicts"]) == ("user", [])


def test_a_later_fact_of_the_users_takes_the_place_of_the_earlier(entities):
    entities.observe("I work at Siemens")
    entities.days(30)
    row = entities.observe("I work at Bosch")["entities"][-1]
    assert row["facts"][0]["conflicts"] == []
    assert own(entities) == [("employer", "Bosch", "user")]


@pytest.mark.parametrize(
    ("first", "later", "before", "now"),
    [
        ("I live in Berlin", "I moved to Hamburg", ("home", "Berlin"), ("home", "Hamburg")),
        ("Ich wohne in Köln", "Ich bin nach Bonn gezogen", ("home", "Köln"), ("home", "Bonn")),
        ("I work at Siemens", "I no longer work at Siemens", ("employer", "Siemens"), None),
        ("I work at Siemens", "I joined Bosch", ("employer", "Siemens"), ("employer", "Bosch")),
    ],
)
def test_what_the_words_say_is_over_is_ended(entities, first, later, before, now):
    entities.observe(first)
    then = entities.memory.now_ms
    entities.days(30)
    entities.observe(later)
    assert own(entities) == ([] if now is None else [(*now, "user")])
    assert own(entities, valid_at=then) == [(*before, "user")]
    assert entities.get(entities.record(SELF)["id"])["conflicts"] == []


def test_a_fact_that_is_over_conflicts_with_nothing(entities):
    entities.observe("I work at Siemens")
    entities.days(1)
    entities.observe("I no longer work at Siemens")
    entities.days(1)
    [fact] = entities.observe("I joined Bosch last week")["entities"][-1]["facts"]
    assert (fact["value"], fact["conflicts"]) == ("Bosch", [])
    since = {one["value"]: one.get("valid_from") for one in entities.records("fact")}
    assert since == {"Siemens": None, "Bosch": entities.memory.now_ms}


def test_what_is_said_to_be_over_is_no_conflict_in_its_answer(entities):
    entities.observe("Ich wohne in Köln")
    entities.observe("Ich wohne in Oslo", speaker="user")
    entities.days(1)
    [fact] = entities.observe("Ich wohne nicht mehr in Köln")["entities"][-1]["facts"]
    assert (fact["value"], fact["conflicts"]) == ("Köln", [])


def test_the_night_counts_no_fact_that_is_over(entities):
    entities.observe("I work at Siemens")
    entities.observe("I work at Bosch")
    assert len(daily(entities, "contradictions")) == 1
    entities.days(1)
    entities.observe("I no longer work at Siemens")
    assert daily(entities, "contradictions") == []


def test_what_nobody_knew_of_was_so_until_it_is_said_to_be_over(entities):
    entities.observe("I no longer work at Siemens")
    assert own(entities) == []
    [fact] = entities.records("fact")
    assert (fact["value"], fact["valid_until"]) == ("Siemens", entities.memory.now_ms)


def test_a_message_that_comes_again_ends_nothing_that_came_after_it(entities):
    entities.observe("I moved to Berlin", message="m1")
    entities.days(1)
    entities.observe("I moved to Bonn", message="m2")
    entities.days(1)
    before = entities.memory.records()
    entities.observe("I moved to Berlin", message="m1")
    assert entities.memory.records() == before
    assert own(entities) == [("home", "Bonn", "user")]


def test_a_model_ends_nothing_that_the_user_said(entities):
    entities.observe("I live in Berlin")
    entities.days(1)
    claim = {"predicate": "home", "value": "Bonn", "mode": "after", "span": "moved to Bonn"}
    seen = {"label": SELF, "type": "entity", "facts": [claim]}
    row = entities.one("You moved to Bonn", seen, speaker="model")
    [fact] = row["facts"]
    assert (fact["origin"], len(fact["conflicts"])) == ("model", 1)
    assert own(entities) == [("home", "Berlin", "user"), ("home", "Bonn", "model")]


def test_the_user_is_meant_by_i_and_my(entities):
    row = entities.one("My knee hurts", {"label": SELF, "type": "entity", "span": "My"})
    assert row["origin"] == "user"
    assert entities.one("It hurts", {"label": SELF, "type": "entity"})["origin"] == "model"


def test_who_speaks_is_tied_to_nothing_by_speaking_of_it(entities):
    entities.observe("My sister Clara met Anna Smith. I'm allergic to tea.")
    entities.end()
    ends = {one["node_label"] for one in entities.records("entity")}
    assert ends == {"Clara", "Anna Smith", "tea", SELF}
    user = entities.record(SELF)["id"]
    ties = entities.ties("co_occurrence")
    assert len(ties) == 3
    assert all(user not in (one["from"], one["to"]) for one in ties)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ("Berlin", "facts: must be a list of maps with predicate"),
        ([{"value": "Berlin"}], r"facts\.0\.predicate: "),
        ([{"predicate": "home"}], r"facts\.0\.value: give a value or an object"),
        ([{"predicate": "home", "value": "x", "object": "y"}], r"facts\.0\.value: give a value or"),
        ([{"predicate": "home", "value": "x", "mode": "now"}], r"facts\.0\.mode: must be one of"),
        ([{"predicate": "home", "value": "x", "since": 1}], 'unknown key "since"'),
        ([{"predicate": "sister", "object": "Clara"}], 'not mentioned "clara"'),
    ],
)
def test_facts_that_cannot_be_are_refused_and_nothing_is_written(entities, facts, message):
    seen = {"label": SELF, "type": "entity", "facts": facts}
    with pytest.raises(REFUSALS, match=message):
        entities.run(calls.entities.observe("s", "m", "user", "I live in Berlin", [seen]))
    assert entities.memory.records() == []


def test_a_fact_that_a_caller_states_is_the_same_as_one_that_is_told(entities):
    entities.observe("I live in Berlin")
    user = entities.record(SELF)["id"]
    given = Given("home", "Berlin", speaker="user", text="I live in Berlin")
    [row] = entities.run(calls.entities.fact(user, *astuple(given)))
    assert row["origin"] == "user"
    assert len(entities.records("fact")) == 1


@pytest.mark.parametrize(
    "text",
    [
        'Tom said: "I work at Google and I love sushi."',
        "Subject: Hi\nFrom: Bob\n\nI work at Acme Corp and my name is Bob.",
        "Please translate: 'I live in Madrid and my name is Pedro.'",
        "def greet(name):\n    return 'I live in Paris, my brother Paul'\n\nprint(greet('Maria'))",
    ],
)
def test_what_others_say_or_a_program_is_no_fact_of_the_user(entities, text):
    entities.observe(text)
    assert entities.records("fact") == []
    assert SELF not in {one["node_label"] for one in entities.records("entity")}


@pytest.mark.parametrize(
    "text",
    ["Forget that I live in Munich.", "Vergiss, dass ich in München wohne.", "I work at night."],
)
def test_what_is_to_be_forgotten_is_not_stated_again(entities, text):
    entities.observe("I live in Munich")
    entities.days(1)
    entities.observe("Ich bin nach Leipzig gezogen.")
    before = entities.records("fact")
    entities.observe(text)
    assert entities.records("fact") == before


def test_a_titled_name_behind_a_kin_word_is_whole(entities):
    entities.observe("My colleague Dr. Smith is nice.")
    entities.observe("Dr. Smith called. Ich wohne in Köln und arbeite bei Ford.")
    entities.record("Dr. Smith")
    assert own(entities) == [
        ("colleague", "Dr. Smith", "user"),
        ("employer", "Ford", "user"),
        ("home", "Köln", "user"),
    ]


def test_my_sister_means_the_one_sister_that_is_known(entities):
    entities.observe("I have a sister, Clara.")
    clara = entities.record("Clara")["id"]
    for said in ("My sister is happy.", "Heute habe ich meiner Schwester geschrieben."):
        row = entities.observe(said)["entities"][0]
        assert (row["entity_id"], row["label"], row["created"]) == (clara, "Clara", False)
        assert (row["origin"], "candidates" in row) == ("user", False)
    labels = {one["node_label"] for one in entities.records("entity")}
    assert labels == {"Clara", SELF}


def test_my_sister_and_her_name_in_one_message_are_one(entities):
    entities.observe("My sister Clara called. My sister is happy.")
    labels = {one["node_label"] for one in entities.records("entity")}
    assert labels == {"Clara", SELF}


def test_asks_which_of_two_sisters_is_meant(entities):
    entities.observe("My sister Clara called. My sister Berta wrote.")
    row = entities.observe("My sister is happy.")["entities"][0]
    assert row["identity_status"] == "ambiguous"
    assert {one["label"] for one in row["candidates"]} == {"Clara", "Berta"}


def test_somebody_elses_sister_is_not_meant_by_my_sister(entities):
    entities.observe("I met Tom. His sister Clara called.")
    row = entities.observe("My sister is happy.")["entities"][0]
    assert row["entity_id"] != entities.record("Clara")["id"]


def test_my_mom_is_my_mother_whom_nothing_names(entities):
    mother = entities.observe("My mother is happy.")["entities"][0]["entity_id"]
    for said in ("My mom called.", "Meine Mutter ist krank."):
        assert entities.observe(said)["entities"][0]["entity_id"] == mother
