"""Routine: texts that differ only in dates and times."""

import pytest

from conceptgraph_core.everyday import routine
from conceptgraph_core.words.phrase_files import asks_for_each


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Milo had judo on 4 May", "Milo had judo on 11 May 2026"),
        ("Milo had judo on Monday, May 4th", "Milo had judo on Tuesday, June 2nd"),
        ("Took levothyroxine at 7:05", "Took levothyroxine at 8:10 am"),
        ("Backup ran on 2026-05-04 at 9pm", "Backup ran on 2026-05-11 at 11pm"),
        ("Jutta hat am 4.5. geputzt", "Jutta hat am 11. Mai geputzt"),
        ("O Rui nadou no dia 4 de maio", "O Rui nadou no dia 4 de maio"),
    ],
)
def test_texts_that_differ_in_dates_and_times_are_alike(one, other):
    assert routine.read(one).words == routine.read(other).words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Levothyroxine is 50 mcg since 3 May", "Levothyroxine is 75 mcg since 9 June"),
        ("Slept 7 hours", "Slept 8 hours"),
        ("The rent is 1.150 euros", "The rent is 1.250 euros"),
        ("Weighed 81.5 kg on 3 May", "Weighed 80.5 kg on 3 May"),
        ("Took 1/2 tablet on 3 May", "Took 1/4 tablet on 3 May"),
        ("The score was 3-1", "The score was 3-2"),
        ("Room 12 was free on 3 May", "Room 14 was free on 3 May"),
        ("May plays chess", "June plays chess"),
    ],
)
def test_a_number_that_carries_a_value_makes_another_text(one, other):
    assert routine.read(one).words != routine.read(other).words


@pytest.mark.parametrize(
    "message",
    [
        "When did Milo have judo?",
        "List all days with judo",
        "Wie oft war Milo beim Judo?",
        "¿Cuándo tuvo judo?",
    ],
)
def test_a_question_for_dates_or_all_is_known(message):
    assert asks_for_each(message)
    assert not asks_for_each("Milo has judo again, what should I pack?")
