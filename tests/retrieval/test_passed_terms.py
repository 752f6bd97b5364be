"""The best texts pass on their rare terms."""

from collections.abc import Collection
from typing import Any

import pytest
from test_ranking import ASKED_AT, Shelf

from conceptgraph_core.retrieval import ranking
from conceptgraph_core.retrieval.index import Corpus
from conceptgraph_core.retrieval.question import Cue, Sought
from conceptgraph_core.retrieval.ranking import PASSING, SHARE, Association
from conceptgraph_core.retrieval.schema import MOST_PASSED


def text(key: str, *terms: str) -> dict[str, Any]:
    told = {"thread": None, "position": 0, "speaker": None, "said_at": None}
    return {"id": key, "terms": dict.fromkeys(terms, 1), **told}


def ask(shelf: Shelf, *cues: str, admits: Any = lambda _: True) -> dict[str, Any]:
    question = Sought(tuple(Cue(cue, (cue,)) for cue in cues), ASKED_AT)
    lengths = [sum(one["terms"].values()) for one in shelf.texts]
    corpus = Corpus(len(lengths), sum(lengths) / len(lengths))
    return {row.told.id: row for row in Association(question, corpus, shelf, admits).best(10)}


def others(count: int) -> list[dict[str, Any]]:
    return [text(f"other {number}", "tea", f"word{number}") for number in range(count)]


ROSA = text("rosa", "rosa", "lindqvist")
SHUT = text("shut", "lindqvist", "noon")
UNTIL = text("until", "noon", "sharp")


def test_a_text_two_steps_away_is_found_and_told_by_way_of_which() -> None:
    rows = ask(Shelf([ROSA, SHUT, UNTIL, *others(30)]), "rosa")
    assert list(rows) == ["rosa", "shut"]
    [word] = rows["shut"].words
    assert (word.cue.said, word.cue.why) == ("rosa → lindqvist", "by way of rosa")
    assert [word.cue.said for word in rows["rosa"].words] == ["rosa"]


def test_what_comes_by_the_way_is_given_no_more_than_a_share_of_the_best() -> None:
    both = text("both", "lindqvist", "canal")
    passing = text("rosa", "rosa", "lindqvist", "canal")
    rows = ask(Shelf([passing, both, *others(30)]), "rosa")
    assert rows["both"].score == pytest.approx(SHARE * rows["rosa"].score)


def test_a_long_text_passes_on_less() -> None:
    long = text("rosa", "rosa", "lindqvist", *(f"more{number}" for number in range(98)))
    by_long, by_short = (ask(Shelf([one, SHUT, *others(30)]), "rosa") for one in (long, ROSA))
    shares = [rows["shut"].score / rows["rosa"].score for rows in (by_long, by_short)]
    assert 0 < shares[0] < shares[1] / 3


def test_a_common_term_leads_nowhere() -> None:
    shelf = Shelf([text("rosa", "rosa", "tea"), *others(30)])
    assert list(ask(shelf, "rosa")) == ["rosa"]


def test_what_is_not_admitted_passes_nothing_on() -> None:
    shelf = Shelf([ROSA, SHUT, *others(30)])
    assert list(ask(shelf, "rosa", admits=lambda number: number != 0)) == []


def test_only_the_best_pass_on() -> None:
    best = [text(f"best {number}", "rosa") for number in range(PASSING)]
    shelf = Shelf([*best, text("last", "rosa", "lindqvist", *"abcdef"), SHUT, *others(30)])
    assert "shut" not in ask(shelf, "rosa")


def test_no_more_mentions_are_read_than_the_bound(monkeypatch: Any) -> None:
    read: list[int] = []

    class Counting(Shelf):
        def near(self, cue: str) -> list[Any]:
            return []

        def mentions(self, cue: str) -> Any:
            found = super().mentions(cue)
            read.append(len(found.texts))
            return found

    rare = [f"rare{number}" for number in range(300)]
    texts = [text("rosa", "rosa", *rare), *(text(one, one) for one in rare)]
    monkeypatch.setattr(ranking, "RARE", 1.0)
    rows = ask(Counting(texts), "rosa")
    assert MOST_PASSED - 1 <= sum(read) - 1 <= MOST_PASSED
    assert len(rows) > 1


def test_common_terms_are_counted_in_part() -> None:
    counted: list[int] = []

    class Counting(Shelf):
        def counts(self, cues: Collection[str], most: int) -> dict[str, int]:
            counts = super().counts(cues, most)
            counts = {cue: min(count, most + 1) for cue, count in counts.items()}
            counted.extend(counts.values())
            return counts

    rare = [f"rare{number}" for number in range(60)]
    common = [f"common{number}" for number in range(40)]
    texts = [text("rosa", "rosa", *rare, *common)]
    texts += [text(f"r{number}", rare[number % 60]) for number in range(60 * 7)]
    texts += [text(f"c{number}", *common) for number in range(100)]
    texts += [text(f"other {number}", "tea") for number in range(4_000)]
    assert len(ask(Counting(texts), "rosa")) > 1
    # The rare terms have 8 mentions each, so that 20 of the bound are left.
    assert max(counted) == MOST_PASSED - 60 * 8 + 1


def test_asked_for_more_it_finds_what_a_question_for_more_finds() -> None:
    messages = [text(f"m{number}", "rosa", f"x{number}", f"y{number // 2}") for number in range(90)]
    shelf = Shelf([ROSA, SHUT, *messages, *others(60)])
    question, corpus = Sought((Cue("rosa", ("rosa",)),), ASKED_AT), Corpus(152, 3.0)
    asked = Association(question, corpus, shelf)
    for limit in (5, 60, 200, 40):
        told = [(row.told.id, row.score) for row in asked.best(limit)]
        whole = Association(question, corpus, shelf).best(limit)
        assert told == [(row.told.id, row.score) for row in whole]


def test_nothing_found_passes_nothing_on() -> None:
    assert ask(Shelf([ROSA, SHUT]), "kettle") == {}


def test_those_that_pass_on_stay_in_their_order() -> None:
    first, second = text("first", "rosa", "tea"), text("second", "rosa", *"abcdef")
    others_ = [text(f"x{number}", *"abc") for number in range(2)] + others(60)
    rows = ask(Shelf([first, second, *others_]), "rosa")
    assert list(rows)[:2] == ["first", "second"]
    assert "x0" in rows
    assert all(word.cue.why is None for word in rows["first"].words)


def test_a_text_that_is_later_than_the_question_is_not_reached_by_the_way() -> None:
    later = text("later", "lindqvist", "sharp") | {"said_at": ASKED_AT}
    assert list(ask(Shelf([ROSA, SHUT, later, *others(30)]), "rosa")) == ["rosa", "shut"]


def test_a_text_that_the_question_finds_rises_by_what_is_passed_on() -> None:
    best = [ROSA, *(text(f"best {number}", "rosa") for number in range(PASSING - 1))]
    both = text("both", "rosa", "lindqvist", *"abcd")
    rows = ask(Shelf([*best, both, *others(30)]), "rosa")
    assert [word.cue.said for word in rows["both"].words] == ["rosa", "rosa → lindqvist"]
    alone = ask(Shelf([*best, text("both", "rosa", "olive", *"abcd"), *others(30)]), "rosa")
    assert rows["both"].score > alone["both"].score
