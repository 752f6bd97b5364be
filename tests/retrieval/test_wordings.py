"""The terms that other wordings of a question read: what the question itself leaves."""

from typing import Any

import pytest

from conceptgraph_core.retrieval import ranking
from conceptgraph_core.retrieval.question import Cue, Sought
from conceptgraph_core.retrieval.ranking import read_beside


class Counts:
    """An index that knows how many texts mention each term."""

    def __init__(self, **counts: int) -> None:
        self._counts = counts

    def count(self, term: str) -> int:
        return self._counts.get(term, 0)


def asked(*terms: str, led_to: str = "") -> Sought:
    further = (Cue(led_to, (led_to,), why="evoked"),) if led_to else ()
    return Sought(tuple(Cue(one, (one,)) for one in terms), 0, further=further)


def beside(index: Any, read: dict[str, int], *questions: Sought) -> set[str]:
    return set(read_beside(read, questions, index)) - read.keys()


@pytest.fixture(autouse=True)
def bounds(monkeypatch):
    monkeypatch.setattr(ranking, "MOST_MENTIONS", 14)
    monkeypatch.setattr(ranking, "FEW_MENTIONS", 4)


def test_they_read_what_is_left_the_rarest_terms_of_all_first():
    index = Counts(apple=4, pear=6, plum=3, fig=5)
    assert beside(index, {"apple": 4}, asked("pear"), asked("plum", "fig")) == {"plum", "fig"}


def test_a_few_mentions_are_read_in_any_case():
    index = Counts(pear=6, plum=3, fig=1)
    assert beside(index, {"apple": 14}, asked("pear", "plum", "fig")) == {"plum", "fig"}


def test_what_the_question_reads_costs_nothing_again():
    assert read_beside({"apple": 14}, [asked("apple", "none")], Counts(apple=14)) == {"apple"}


def test_a_term_that_a_wording_only_leads_to_is_read_if_it_is_rare():
    index = Counts(pear=2, plum=5, fig=4)
    assert beside(index, {}, asked("pear", led_to="plum")) == {"pear"}
    assert beside(index, {}, asked("pear", led_to="fig")) == {"pear", "fig"}
    assert beside(index, {}, asked("pear", "plum", led_to="plum")) == {"pear", "plum"}
