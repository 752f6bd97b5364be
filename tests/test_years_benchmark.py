"""The benchmark `life.years`: its data is sound, a short year is lived, and its judge sees."""

import asyncio
import re
from pathlib import Path

import pytest
from benchmarks.life.histories import Row, ms
from benchmarks.life.report import Line
from benchmarks.life.years.__main__ import main, measure_year
from benchmarks.life.years.truth import ENDED, TRUE, UNKNOWN, UNTRUE, Judge, split_sentences
from benchmarks.life.years.year import NAMES, Year, compare_states, read_year, state_of
from click.testing import CliRunner

PATTERNS = ("now", "told", "was", "past", "never")


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A year sets the languages of its process, which other tests must not see."""
    monkeypatch.setenv("CONCEPT_GRAPH_LANGUAGES", "en")


@pytest.mark.parametrize("name", NAMES)
def test_a_year_has_all_that_it_is_asked_about(name: str) -> None:
    year = read_year(name)
    times = [ms(row["at"]) for row in year.messages]
    assert times == sorted(times)
    assert 330 < (times[-1] - times[0]) / 86_400_000 < 365
    assert 80 <= len(year.messages) <= 120
    assert len({row["id"] for row in year.messages}) == len(year.messages)
    assert (len(year.expected["expect"]), len(year.idle)) == (24, 20)
    for check in year.expected["expect"]:
        assert check.keys() & {*PATTERNS}, check["ask"]
        for pattern in (one for form in PATTERNS for one in check.get(form, ())):
            re.compile(pattern)
    for row in year.idle:
        assert re.search(row["holds"], row["text"]), row["id"]


@pytest.mark.parametrize("name", NAMES)
def test_each_subject_is_one_whom_the_messages_name(name: str) -> None:
    year = read_year(name)
    text = "\n".join(row["text"] for row in year.messages)
    for one in year.expected["truth"]:
        called = re.compile(one["called"], re.IGNORECASE | re.MULTILINE)
        assert called.search(text), one["subject"]


def judge(name: str) -> Judge:
    year = read_year(name)
    return Judge(year.expected["truth"], year.messages)


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("Gareth (husband)", UNTRUE),
        ("Gareth (husband until 2025-05-19)", ENDED),
        ("The user: employer: Tideline", UNTRUE),
        ("The user: home: Bedminster", TRUE),
        ("The user: owns a motorbike", UNTRUE),
        ("Sorcha likes rhubarb", UNKNOWN),
        ("Zoltan: last mentioned on 2025-10-29", TRUE),
        ("Zoltan: last mentioned on 2025-03-06", UNTRUE),
    ],
)
def test_the_judge_tells_what_is_so_from_what_was(sentence: str, verdict: str) -> None:
    assert judge("nell").judge("?", sentence).verdict == verdict


def test_a_clause_is_a_sentence_and_a_dated_quotation_is_none() -> None:
    text = """Who and what:
[1] Bex (friend); perhaps the same as “B”; last mentioned on 2026-01-10: “Otis can crawl.”
[2] The user; home: Bath
Closest:
[3] Ria (mother), Dan (brother)
Said:
[4] 2025-03-06, “user” said: “I live in Oslo; it snows.”"""
    assert [*split_sentences(text)] == [
        "Bex (friend)",
        "Bex: last mentioned on 2026-01-10",
        "The user: home: Bath",
        "The user: close to Ria (mother)",
        "The user: close to Dan (brother)",
    ]


def test_what_a_night_changes_is_seen() -> None:
    fact: Row = {"id": "f", "user_id": "nell", "predicate": "home", "value": "Bath"}
    memory = {"id": "m", "user_id": "nell", "content": "Hi", "state": "active"}
    kinds: dict[str, list[Row]] = {"entity": [], "tie": [], "fact": [fact], "memory": [memory]}
    later = kinds | {"fact": [fact | {"valid_until": 7}], "memory": [memory | {"state": "expired"}]}
    assert [*compare_states(state_of(kinds, "nell"), state_of(kinds, "nell"))] == []
    assert [*compare_states(state_of(kinds, "nell"), state_of(later, "nell"))] == [
        "fact, predicate: home, value: Bath -> fact, predicate: home, value: Bath, valid_until: 7",
        "memory, content: Hi -> memory, content: Hi, lost",
    ]


async def lines_of(folder: Path, year: Year, days: int) -> dict[str, Line]:
    return {line.what: line async for line in measure_year(folder, None, year, days)}


@pytest.mark.slow
def test_a_few_days_are_lived_and_judged(tmp_path: Path) -> None:
    lines = asyncio.run(lines_of(tmp_path, read_year("nell"), 8))
    assert lines["lived"].value == 8
    assert lines["what is so, changed by a night"].value == 0
    assert lines["memories kept"].shown == "20 of 20"
    # They are expectations of the year's end, of which a week tells little.
    assert lines["expectations held"].of == 24
    assert lines["expectations held"].value < 12
    assert lines["of those, only by a quotation"].of == lines["expectations held"].value
    assert lines["untrue sentences"].value > 0


def test_the_command_says_what_it_takes() -> None:
    told = CliRunner().invoke(main, ["--help"])
    assert (told.exit_code, "--only" in told.output) == (0, True)
