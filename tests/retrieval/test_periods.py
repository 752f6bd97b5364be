"""The periods that a question names, in the languages that users write in."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptgraph_core.retrieval.periods import Period, periods
from conceptgraph_core.texts.dates import DAY_MS
from conceptgraph_core.verbs import limits

# A Thursday.
ASKED_AT = int(datetime(2023, 6, 15, 12, tzinfo=UTC).timestamp() * 1000)


def named(text: str, asked_at: int = ASKED_AT) -> list[tuple[str, str, int]]:
    """Return (first day, last day, reach) of each period."""
    return [
        (day(period.from_ms), day(period.to_ms - DAY_MS), period.reach)
        for period in periods(text, asked_at)
    ]


def day(time_ms: int) -> str:
    return (date(1970, 1, 1) + timedelta(milliseconds=time_ms)).isoformat()


@pytest.mark.parametrize(
    "text",
    [
        "What happened on 2023-05-07?",
        "at 2023-05-07T14:00",
        "on 7 May 2023",
        "the 7th of May, 2023",
        "May 7th, 2023",
        "May 7, 2023",
        "on 7 may",
        "am 7. Mai 2023",
        "am 7.5.2023",
        "am 07.05.2023",
    ],
)
def test_a_date_is_a_day(text: str) -> None:
    assert named(text) == [("2023-05-07", "2023-05-07", 3)]


@pytest.mark.parametrize(
    "text",
    ["in May", "in May 2023", "May 2023", "2023-05", "im Mai", "Mai 2023"],
)
def test_a_month_is_all_of_it(text: str) -> None:
    assert named(text) == [("2023-05-01", "2023-05-31", 7)]


@pytest.mark.parametrize("text", ["in 2022", "last year", "im Jahr 2022"])
def test_a_year_is_all_of_it(text: str) -> None:
    assert named(text) == [("2022-01-01", "2022-12-31", 7)]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("yesterday", "2023-06-14", "2023-06-14"),
        ("gestern", "2023-06-14", "2023-06-14"),
        ("last night", "2023-06-14", "2023-06-14"),
        ("the day before yesterday", "2023-06-13", "2023-06-13"),
        ("vorgestern", "2023-06-13", "2023-06-13"),
        ("today", "2023-06-15", "2023-06-15"),
        ("this morning", "2023-06-15", "2023-06-15"),
        ("heute", "2023-06-15", "2023-06-15"),
        ("three days ago", "2023-06-12", "2023-06-12"),
        ("3 days ago", "2023-06-12", "2023-06-12"),
        ("vor drei Tagen", "2023-06-12", "2023-06-12"),
        ("last Friday", "2023-06-09", "2023-06-09"),
        ("letzten Freitag", "2023-06-09", "2023-06-09"),
        ("last Thursday", "2023-06-08", "2023-06-08"),
        ("on Thursday", "2023-06-15", "2023-06-15"),
        ("am Mittwoch", "2023-06-14", "2023-06-14"),
        ("last week", "2023-06-05", "2023-06-11"),
        ("a week ago", "2023-06-05", "2023-06-11"),
        ("a couple of weeks ago", "2023-05-29", "2023-06-04"),
        ("letzte Woche", "2023-06-05", "2023-06-11"),
        ("this week", "2023-06-12", "2023-06-18"),
        ("last weekend", "2023-06-10", "2023-06-11"),
    ],
)
def test_a_day_or_a_week_is_counted_from_the_day_on_which_it_is_asked(
    text: str, first: str, last: str
) -> None:
    assert named(text) == [(first, last, 3)]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("last month", "2023-05-01", "2023-05-31"),
        ("six months ago", "2022-12-01", "2022-12-31"),
        ("vor einem Monat", "2023-05-01", "2023-05-31"),
        ("last June", "2022-06-01", "2022-06-30"),
        ("in June", "2023-06-01", "2023-06-30"),
        ("in August", "2022-08-01", "2022-08-31"),
        ("two years ago", "2021-01-01", "2021-12-31"),
    ],
)
def test_a_month_or_a_year_is_counted_in_the_calendar(text: str, first: str, last: str) -> None:
    assert named(text) == [(first, last, 7)]


@pytest.mark.parametrize(
    "text",
    [
        "May I ask what we march for?",
        "the last days",
        "30.2.2023",
        "room 2022",
        "call 2023-5-7-1",
        "12345-05-07",
        "5 people",
        "the week",
        "over 99999 days ago",
        "9999 years ago",
        "",
    ],
)
def test_what_is_no_period_is_none(text: str) -> None:
    assert named(text) == []


def test_a_day_that_its_month_lacks_leaves_the_month() -> None:
    assert named("30 February 2023") == [("2023-02-01", "2023-02-28", 7)]


def test_a_date_without_a_year_is_the_latest_that_is_past() -> None:
    assert named("July 4") == [("2022-07-04", "2022-07-04", 3)]
    assert named("29 February") == [("2020-02-29", "2020-02-29", 3)]


def test_all_periods_that_are_named_count_each_once() -> None:
    assert named("May 7 or yesterday, I mean 7 May") == [
        ("2023-05-07", "2023-05-07", 3),
        ("2023-06-14", "2023-06-14", 3),
    ]


def test_a_day_begins_at_midnight_where_the_question_is_asked() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")
    late = int(datetime(2023, 6, 15, 23, tzinfo=UTC).timestamp() * 1000)
    (period,) = periods("yesterday", late, tokyo)
    assert period.from_ms == datetime(2023, 6, 15, tzinfo=tokyo).timestamp() * 1000
    assert period.to_ms == datetime(2023, 6, 16, tzinfo=tokyo).timestamp() * 1000


def test_a_period_reaches_further_on_both_sides() -> None:
    period = Period(10 * DAY_MS, 11 * DAY_MS, 3)
    assert not period.holds(7 * DAY_MS - 1)
    assert period.holds(7 * DAY_MS)
    assert period.holds(14 * DAY_MS - 1)
    assert not period.holds(14 * DAY_MS)


@pytest.mark.parametrize("asked_at", [-limits.MAX_TIME_MS, limits.MAX_TIME_MS])
def test_at_the_ends_of_time_no_question_fails(asked_at: int) -> None:
    said = "yesterday, last Friday, on Friday, this week, last month, in 2022"
    assert len(periods(said, asked_at)) < 6


# The day asked on is Wednesday, 17 June 2026.
ON_WEDNESDAY = int(datetime(2026, 6, 17, 18, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("What is on Tuesday?", "06-23", "06-23"),
        ("What did we do on Tuesday?", "06-16", "06-16"),
        ("What is happening on Tuesday next week?", "06-23", "06-23"),
        ("What have I got on this Friday?", "06-19", "06-19"),
        ("Who came the Friday before last?", "06-05", "06-05"),
        ("What happened last Friday?", "06-12", "06-12"),
        ("Where were we the weekend before last?", "06-06", "06-07"),
        ("Did anything happen over the weekend?", "06-13", "06-14"),
        ("What are we doing this weekend?", "06-20", "06-21"),
        ("What's on the day after tomorrow?", "06-19", "06-19"),
        ("What is planned in three weeks?", "07-06", "07-12"),
        ("What are we doing two weeks from now?", "06-29", "07-05"),
        ("What's on in the next few days?", "06-17", "06-24"),
        ("What did we do in the last two weeks?", "06-03", "06-17"),
        ("What happens on the 23rd?", "06-23", "06-23"),
        ("What should I get him in July?", "07-01", "07-31"),
        ("What did we decide in May?", "05-01", "05-31"),
        ("What was on Tuesday, 9 June?", "06-09", "06-09"),
        ("Was steht morgen früh an?", "06-18", "06-18"),
        ("Was habe ich am 23. vor?", "06-23", "06-23"),
        ("Was war am vorletzten Wochenende?", "06-06", "06-07"),
        ("Wann gehen wir übernächste Woche ins Kino?", "06-29", "07-05"),
        ("Was haben wir im Mai beschlossen?", "05-01", "05-31"),
        ("O que fizemos na semana passada?", "06-08", "06-14"),
        ("O que há na terça-feira?", "06-23", "06-23"),
        ("O que tenho marcado para sexta?", "06-19", "06-19"),
        ("O que fiz anteontem?", "06-15", "06-15"),
        ("O que fizemos há duas semanas?", "06-01", "06-07"),
        ("¿Qué tengo la semana que viene?", "06-22", "06-28"),
        ("¿Qué hicimos el viernes pasado?", "06-12", "06-12"),
        ("¿Qué tengo el 23 de junio?", "06-23", "06-23"),
        ("¿Qué pasó hace tres días?", "06-14", "06-14"),
        ("J'ai quoi mardi prochain ?", "06-23", "06-23"),
        ("Qu'est-ce que j'ai fait avant-hier ?", "06-15", "06-15"),
        ("On fait quoi dans deux semaines ?", "06-29", "07-05"),
        ("Qu'est-ce qu'on fait ce week-end ?", "06-20", "06-21"),
    ],
)
def test_a_time_is_behind_or_ahead_as_the_question_says(text: str, first: str, last: str) -> None:
    [period] = named(text, ON_WEDNESDAY)
    assert period[:2] == (f"2026-{first}", f"2026-{last}")


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Where did Anna go last summer?", "2025-06-01", "2025-08-31"),
        ("What do we do next summer?", "2027-06-01", "2027-08-31"),
        ("Which doctor did we see in the winter?", "2025-12-01", "2026-02-28"),
        ("the summer of 2024", "2024-06-01", "2024-08-31"),
        ("Was haben wir letztes Jahr im Sommer gemacht?", "2025-06-01", "2025-08-31"),
        ("Onde é que a Anna esteve no verão passado?", "2025-06-01", "2025-08-31"),
        ("¿Dónde estuvo Anna el verano pasado?", "2025-06-01", "2025-08-31"),
        ("Où était Anna l'été dernier ?", "2025-06-01", "2025-08-31"),
    ],
)
def test_a_season_is_three_months(text: str, first: str, last: str) -> None:
    assert named(text, ON_WEDNESDAY) == [(first, last, 7)]


@pytest.mark.parametrize(
    "text",
    [
        "This may be the reason the pump fails",
        "Please march on, in a second I may sit down",
        "That was the last straw",
        "on the 2nd floor",
        "Can we spring for a better router?",
        "Every Friday we swim",
        "Guten Morgen!",
        "Am Morgen ist er müde",
        "Wer ist denn hier der Chef?",
        "Jeden Dienstag gehe ich schwimmen",
        "A segunda proposta do senhorio é melhor",
        "Salimos siempre por la mañana",
        "Il a été malade à cause de la seconde dose",
    ],
)
def test_a_word_that_may_name_a_time_names_none_elsewhere(text: str) -> None:
    assert named(text, ON_WEDNESDAY) == []


PIECES = (
    "May 7 31 99 2023 9999 0 05 -05 -07 . , last this on in vor ago days week month year years "
    "Friday yesterday a of th the next summer in before weekend on coming up . "
    "passado hace dernier sexta que viene letztes"
)
pieces = st.lists(st.sampled_from(PIECES.split()), max_size=8)


@given(
    pieces.map(" ".join) | pieces.map("".join),
    st.integers(-limits.MAX_TIME_MS // 100, limits.MAX_TIME_MS),
)
def test_any_question_at_any_time_names_periods_that_begin_before_they_end(
    text: str, asked_at: int
) -> None:
    for period in periods(text, asked_at):
        assert period.from_ms < period.to_ms
