"""Each line of a recall belongs to the message: what is asked for, and what matters of a name."""

import pytest
from test_everyday import Days

from concept_graph_mcp import calls
from conceptgraph_core.everyday import schema
from conceptgraph_core.words.phrase_files import says_change

DAY_MS = 86_400_000


@pytest.fixture
def days(memory):
    return Days(memory)


def kept(days, name, *texts, keep="normal", kind=None):
    for text in texts:
        days.memory.now_ms += DAY_MS
        about = [name if kind is None else {"name": name, "kind": kind}]
        days.remember(text, about, keep, said=text)


def said(days, message):
    row = days.recalled(message)
    return [one["parts"][1].partition("“")[2] for one in row["lines"] if one["part"] == "said"]


def test_a_line_that_shares_only_words_that_say_little_goes(days):
    kept(days, "Kafka", "We are using Kafka for the events of the shop")
    kept(days, "tents", "Using the old tent works best when we go to the lake")
    assert [one[:9] for one in said(days, "What are we using for the events of the shop?")] == [
        "We are us"
    ]


def test_a_question_about_nobody_who_is_known_needs_more_than_such_words(days):
    kept(days, "Kafka", "Katrin works for the new lab")
    assert said(days, "How do vaccines work?") == []
    assert said(days, "Where does Katrin work?")
    assert said(days, "Where do I work?")


@pytest.mark.parametrize(
    "message",
    ["ok go on", "How do I center a div?", "Write a function that reverses a string"],
)
def test_a_request_for_nothing_stored_brings_nothing(days, message):
    kept(days, "payments", "The payments service is written in Go")
    kept(days, "staging", "Staging runs in the central region of the cloud")
    kept(days, "migrations", "Every migration of the database is written to be reversible")
    assert said(days, message) == []
    assert said(days, "Is staging in a central region?")
    assert said(days, "Can we reverse a migration?")


@pytest.mark.parametrize(
    ("text", "asked", "of_others"),
    [
        ("Trabajo de enfermera en La Paz", "¿Dónde trabajo?", "¿Cómo trabaja un notario suizo?"),
        ("Moro em Vallecas com a Rita", "Em que bairro moro?", "Em que bairro mora um rei?"),
        ("The plan is to launch in May", "What is the plan?", "Plan ahead"),
    ],
)
def test_a_question_of_the_user_needs_no_pronoun(days, text, asked, of_others):
    kept(days, "note", text)
    assert said(days, asked)
    assert said(days, of_others) == []


def test_a_long_note_is_not_pushed_out_by_a_short_text(days):
    filling = "The cellar was sorted on a rainy day. Nobody found the lamp. " * 15
    days.remember(f"{filling}\n\nThe carpenter wants 2,340 euros for the worktop.\n\n{filling}")
    days.remember("The carpenter brings the worktop")
    assert any("2,340" in one for one in said(days, "What does the carpenter's worktop cost?"))


def test_the_latest_change_comes_first_with_a_name(days):
    kept(days, "Rui", "Rui likes sailing", kind="boyfriend")
    kept(days, "Rui", "Rui moved to Porto", "Rui and I broke up", "Rui has a blue boat")
    kept(days, "Rui", "The dinner with Rui at the harbour was lovely")
    first, *others = said(days, "Should I plan an anniversary dinner with Rui?")
    assert first == "Rui and I broke up”"
    assert any("harbour" in one for one in others)


def test_a_change_of_whom_a_name_only_evokes_does_not_come_with_it(days):
    days.remember("Joris broke his collarbone", ["Joris"])
    about = ["Joris", "workshop"]
    days.remember("Joris rents a workshop in the harbour for 900 euros", about)
    assert said(days, "How much is the workshop?") == [
        "Joris rents a workshop in the harbour for 900 euros”"
    ]
    assert "Joris broke his collarbone”" in said(days, "Is Joris well?")


def test_what_is_always_kept_comes_with_a_name(days):
    kept(days, "Milo", "Milo is allergic to latex", keep="always")
    kept(days, "Milo", "Milo plays chess", "Milo has a red bike")
    assert said(days, "What could we give Milo for his birthday?")[0].startswith("Milo is allergic")


def test_an_old_change_matters_if_it_was_important(days):
    kept(days, "Ada", "Ada moved to Kiel")
    kept(days, "Ada", "Ada has a cat", "Ada has a dog", "Ada reads", "Ada swims", keep="years")
    assert said(days, "Where could Ada's umbrella be?")[0] == "Ada moved to Kiel”"
    days.memory.now_ms += 400 * DAY_MS
    assert said(days, "Where could Ada's umbrella be?")[0] != "Ada moved to Kiel”"


def test_what_nobody_told_about_a_known_name_is_short(days):
    things = ("a boat", "a van", "two cats", "a ladder", "a tuba", "a blue scarf", "red shoes")
    kept(days, "Gregor", *(f"Gregor has {thing}" for thing in things), kind="friend")
    days.run(calls.everyday.relate("default", "Gregor", "boat", "evokes"))
    row = days.recalled("Which umbrella would Gregor lend to a stranger?")
    assert {one["part"] for one in row["lines"]} <= {"who", "said"}
    assert row["tokens"] <= schema.NAMED_BUDGET
    everything = said(days, "Gregor?")
    assert len(everything) == len(things)


@pytest.mark.parametrize(
    "text",
    [
        "Rui and I broke up",
        "Oma ist gestorben",
        "A Ana mudou-se para o Porto",
        "Lucía se mudó a Valencia",
        "Paul a déménagé à Lyon",
    ],
)
def test_words_for_a_change_are_known_in_each_language(text):
    assert says_change(text)
    assert not says_change("Tobi is left-handed and moves a lot")


def judo(days, weeks=6):
    for week in range(weeks):
        days.memory.now_ms += 7 * DAY_MS
        days.remember(f"Milo had judo on {week + 1} May", ["Milo"])


def test_a_routine_is_one_line_behind_what_is_not(days):
    kept(days, "Milo", "Milo is allergic to latex, mind the judo mats", keep="always")
    judo(days)
    assert said(days, "Milo has judo again, what should I pack?") == [
        "Milo is allergic to latex, mind the judo mats”",
        "Milo had judo on 6 May”",
    ]
    [line] = [one for one in days.recalled("Pack for Milo's judo")["lines"] if "6 May" in str(one)]
    assert "".join(map(str, line["parts"][2:])) == " (and 5 more like it)"


def test_a_question_for_dates_gets_each_line_of_a_routine(days):
    judo(days, 4)
    assert len(said(days, "When did Milo have judo?")) == 4
    assert len(said(days, "List all of Milo's judo")) == 4


def test_two_texts_are_no_routine_and_values_are_none(days):
    judo(days, 2)
    assert len(said(days, "Pack for Milo's judo")) == 2
    doses = ("50", "75", "100")
    kept(days, "levothyroxine", *(f"The levothyroxine dose was {one} mcg" for one in doses))
    assert len(said(days, "Which levothyroxine dose?")) == 3


def test_what_shares_only_a_name_goes_where_the_name_and_more_answers(days):
    kept(days, "Anselme", "Anselme must never get penicillin", kind="brother")
    kept(days, "Anselme", "Anselme likes trains", "Anselme has a tent")
    kept(days, "lamps", "The medicine is in the grey cabinet")
    assert said(days, "Should Anselme get penicillin?") == ["Anselme must never get penicillin”"]
    assert len(said(days, "Which medicine must Anselme have?")) > 1
    assert len(said(days, "Anselme?")) == 3
