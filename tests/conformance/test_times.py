"""Texts are asked for by the day that they are of, behind or ahead."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from everyday_calls import Days
from expect import DAY_MS

from concept_graph_mcp import calls
from conceptgraph_core.everyday import asking, lines, schema

everyday = calls.everyday
ZONE = ZoneInfo("Europe/Lisbon")


class Dated(Days):
    """Messages asked in a zone, as a session asks them."""

    def ask(self, message, user="default", **more):
        at = more.get("asked_at", self.memory.now_ms)
        span = asking.read_time_alone(message, at, ZONE, ("en", "de"))
        near = asking.read_time_beside(message, at, ZONE) if span is None else None
        times = {"told_in": span, "told_around": near}
        [row] = self.run(everyday.recall(user, message, **times, **more), user)
        return [line["parts"][1].partition("“")[2][:-1] for line in row["lines"] if told(line)]


def told(line):
    return line["part"] == lines.SAID


@pytest.fixture
def days(memory):
    # A Wednesday.
    memory.now_ms = ms(2026, 6, 17, 18)
    return Dated(memory)


def ms(*time):
    return int(datetime(*time, tzinfo=ZONE).timestamp() * 1000)


def test_a_plan_is_kept_and_found_by_its_words_before_and_after_its_day(days, memory):
    kept = days.remember("Dentist, upper left molar", happened_at=ms(2026, 6, 23, 10))
    assert days.kept(kept["id"])["said_at"] == ms(2026, 6, 23, 10)
    assert days.ask("When is the dentist?") == ["Dentist, upper left molar"]
    memory.now_ms = ms(2026, 6, 25)
    assert days.ask("Which molar did the dentist look at?") == ["Dentist, upper left molar"]


def test_the_time_of_a_question_hides_what_was_told_later_but_no_plan(days, memory):
    days.remember("Dentist, upper left molar", happened_at=ms(2026, 6, 23, 10))
    memory.now_ms = ms(2026, 6, 20)
    days.remember("Dentist moved to another street", happened_at=ms(2026, 6, 24))
    asked_at = ms(2026, 6, 19)
    assert days.ask("When is the dentist?", asked_at=asked_at) == ["Dentist, upper left molar"]
    assert days.ask("What are we doing in June 2026?", asked_at=asked_at) == [
        "Dentist, upper left molar"
    ]
    assert days.ask("When is the dentist?", asked_at=ms(2026, 6, 1)) == []


def test_a_time_to_come_brings_its_plans_the_first_one_first(days, memory):
    days.remember("Choir rehearsal", happened_at=ms(2026, 6, 25, 19))
    days.remember("Dentist, upper left molar", happened_at=ms(2026, 6, 23, 10))
    days.remember("Vet with Bruno", happened_at=ms(2026, 7, 2))
    days.remember("The roof leaks")
    plans = ["Dentist, upper left molar", "Choir rehearsal"]
    assert days.ask("What's on next week?") == plans
    assert days.ask("What are we doing this week?") == []
    row = days.recalled("When is the dentist?")
    assert "2026-06-23 09:00 (ahead), note: “Dentist" in lines.text(row["lines"])
    memory.now_ms = ms(2026, 7, 1)
    assert days.ask("What did we do in June 2026?")[:2] == plans[::-1]
    assert "(ahead)" not in days.recall("When was the dentist?")


def test_what_is_asked_of_a_time_goes_by_when_it_happened(days, memory):
    days.remember("Kayaking on the Tagus", happened_at=ms(2026, 5, 9))
    days.remember("The roof leaks")
    assert days.ask("What did we do on 2026-05-09?") == ["Kayaking on the Tagus"]
    assert days.ask("What did we do today?") == ["The roof leaks"]
    found = days.search("what did I tell you", since=ms(2026, 5, 1), until=ms(2026, 6, 1))
    assert [one["text"] for one in found] == ["Kayaking on the Tagus"]
    days.remember("Dentist", happened_at=ms(2026, 8, 3))
    found = days.search("everything", since=ms(2026, 7, 1))
    assert [one["text"] for one in found] == ["Dentist"]
    assert days.search("dentist", until=ms(2026, 7, 1), kinds=["memory"]) == []


def test_a_plan_for_today_is_one_that_was_told_before(days, memory):
    days.remember("Picnic", happened_at=ms(2026, 6, 17))
    days.remember("Concert", happened_at=ms(2026, 6, 17, 21))
    days.remember("The roof leaks")
    assert days.ask("What are we doing today?") == ["Picnic", "Concert"]


def test_a_plan_that_another_replaces_ends_at_once(days, memory):
    old = days.remember("Dentist in Rua A", happened_at=ms(2026, 6, 23))["id"]
    days.remember("Dentist in Rua B", happened_at=ms(2026, 6, 25), replaces=old)
    assert days.kept(old)["valid_until"] == memory.now_ms
    assert days.ask("What are we doing in June 2026?") == ["Dentist in Rua B"]
    assert days.ask("Where is the dentist?") == ["Dentist in Rua B"]


def test_what_matters_for_days_leaves_two_weeks_after_its_day(days, memory):
    memory.now_ms = ms(2026, 1, 1)
    plan = days.remember("Dentist in Rua A", keep="days", happened_at=ms(2026, 6, 23))["id"]
    until = ms(2026, 6, 23) + schema.DAYS_MS
    assert days.kept(plan)["preserved_until"] == until
    memory.now_ms = ms(2026, 6, 22)
    assert days.ask("Where is the dentist?") == ["Dentist in Rua A"]
    memory.now_ms = until - DAY_MS
    assert days.ask("Where was the dentist?") == ["Dentist in Rua A"]
    memory.now_ms = until + DAY_MS
    assert days.ask("Where was the dentist?") == []
    assert days.search("dentist", kinds=["memory"])


def test_what_was_decided_then_for_a_later_day_was_decided_then(days, memory):
    days.remember("We fly to Rome", happened_at=ms(2026, 7, 20))
    memory.now_ms = ms(2026, 7, 1)
    assert days.ask("What did we decide in June?") == ["We fly to Rome"]
    assert days.ask("What did we do last week?") == []
    memory.now_ms = ms(2026, 8, 1)
    assert days.ask("What did we do in July?") == ["We fly to Rome"]


def test_a_day_lists_what_happened_on_it(days, memory):
    days.remember("Dentist in Rua A", happened_at=ms(2026, 6, 23, 10))
    call = everyday.happened("default", "20260623", ms(2026, 6, 23), ms(2026, 6, 24))
    assert [row["text"] for row in days.run(call)] == ["Dentist in Rua A"]


def test_the_days_that_a_question_names_are_days_of_its_zone(days, memory):
    # Three days before the fifth of June begin here, an hour later in UTC.
    kept = days.remember("Tea with Mona", happened_at=ms(2026, 6, 2, 0, 30))["id"]
    call = calls.memories.search("default", "Who had tea on 2026-06-05?", explained=True)

    def factor(minutes):
        context = {**call.context, "offset_minutes": minutes}
        [row] = days.run(call._replace(context=context))
        assert row["memory_id"] == kept
        return row["factors"]["period"]

    assert (factor(60), factor(0)) == (2, 1)


@pytest.mark.parametrize(
    ("message", "first", "last", "plans"),
    [
        ("What did we do last Friday?", 12, 12, False),
        ("What is on Tuesday?", 23, 23, True),
        ("What's planned this weekend?", 20, 21, True),
        ("What did we do today?", 17, 17, False),
        ("What are we doing today?", 17, 17, True),
        ("Was steht morgen an?", 18, 18, True),
        ("Was war vorgestern?", 15, 15, False),
        ("O que temos na próxima semana?", 22, 28, True),
        ("¿Qué hicimos la semana pasada?", 8, 14, False),
        ("Qu'est-ce qu'il y a demain ?", 18, 18, True),
    ],
)
def test_a_message_may_ask_for_what_was_or_what_is_planned(message, first, last, plans):
    asked_at = ms(2026, 6, 17, 18)
    asked = asking.read_time_alone(message, asked_at, ZONE, ("en", "de"))
    assert asked == (ms(2026, 6, first), ms(2026, 6, last + 1), plans, False)


def test_what_is_coming_up_is_all_that_is_planned(days):
    days.remember("Vet with Bruno", happened_at=ms(2026, 9, 2))
    days.remember("The roof leaks")
    for message in ("What's coming up?", "Was steht an?"):
        assert days.ask(message) == ["Vet with Bruno"]


@pytest.mark.parametrize(
    "message",
    [
        *(
            "What did Anna tell me last week?",
            "This week's report is attached",
            "Is Anna in today?",
        ),
        *("What will you do tomorrow?", "Will it rain tomorrow?", "Wie wird das Wetter morgen?"),
        *("What did we decide about the kitchen in May?", "When did we meet on Monday nights?"),
    ],
)
def test_a_message_that_asks_for_more_asks_for_no_time_alone(message):
    assert asking.read_time_alone(message, ms(2026, 6, 17, 18), ZONE, ("en", "de")) is None


@pytest.mark.parametrize(
    "message",
    ["What did we decide about the kitchen in May?", "Was haben wir im Mai zur Küche beschlossen?"],
)
def test_relevant_texts_of_the_time_come_first(days, message):
    days.remember("Decided on the kitchen (Küche): oak worktop", happened_at=ms(2026, 5, 12))
    days.remember("Decided on the kitchen (Küche): blue doors", happened_at=ms(2026, 6, 15))
    days.remember("Decided on the kitchen (Küche): gas hob", happened_at=ms(2026, 2, 3))
    assert days.ask(message)[0].endswith("oak worktop")


def test_next_weekday_is_that_of_this_week_or_of_the_next(days, memory):
    # The Wednesday before has the Friday of this week, and that of the next.
    for day, text in ((19, "Tea"), (22, "Judo"), (25, "Choir"), (26, "Dentist"), (27, "Party")):
        days.remember(text, happened_at=ms(2026, 6, day, 9))
    assert days.ask("What's on next Friday?") == ["Tea", "Dentist"]
    assert days.ask("Was ist nächsten Freitag los?") == ["Tea", "Dentist"]
    assert days.ask("What's on on Friday?") == ["Tea"]
    assert days.ask("What's on next Monday?") == ["Judo"]
    assert days.ask("What's on this week and next week?") != ["Tea", "Dentist"]


def test_a_past_time_among_other_words_brings_what_is_of_it(days):
    days.remember("Got a kettle for the cabin", happened_at=ms(2026, 5, 6))
    days.remember("Bought a bicycle from Rui", happened_at=ms(2026, 6, 2))
    assert days.ask("What did I buy in May?") == ["Got a kettle for the cabin"]
    assert days.ask("What did I buy in June?") == ["Bought a bicycle from Rui"]
    assert days.ask("Was habe ich im Mai gekauft?") == ["Got a kettle for the cabin"]


def test_texts_of_a_time_answer_where_no_word_leads_to_any(days):
    texts = [f"Painted room number {number}" for number in range(5)]
    for number, text in enumerate(texts):
        days.remember(text, happened_at=ms(2026, 5, 1 + number))
    assert len({*texts}.intersection(days.ask("What did I celebrate in May?"))) >= 3


def test_what_was_told_earlier_or_names_the_time_stays_beside_it(days):
    days.remember("Rented a flat in Alfama", happened_at=ms(2026, 4, 2))
    days.remember("The flat was cold", happened_at=ms(2026, 5, 20))
    days.remember("In May the flat was too loud", happened_at=ms(2026, 6, 3))
    days.remember("Bought a flat in Porto", happened_at=ms(2026, 6, 10))
    found = days.ask("Which flat did I have in May?")
    assert found[0] == "The flat was cold"
    assert {"Rented a flat in Alfama", "In May the flat was too loud"} <= set(found), found


def test_a_question_about_nobody_known_gets_nothing_of_its_time(days):
    days.remember("Got a kettle for the cabin", happened_at=ms(2026, 5, 6))
    assert days.ask("Which films came out in May?") == []
    days.remember("Ann keeps bees", user="ann", happened_at=ms(2026, 5, 7))
    assert days.ask("What did I keep in May?", user="ann") == ["Ann keeps bees"]


@pytest.mark.parametrize(
    "message",
    ["What will I buy in June 2027?", "What did I buy?", "What did I buy in 2025?",
     "Did I buy more in April than in May?", "What could I cook on Saturday?",
     "What should I plan for May?"],
)  # fmt: skip
def test_no_other_time_is_a_past_time_among_words(message):
    assert asking.read_time_beside(message, ms(2026, 6, 17), ZONE) is None
