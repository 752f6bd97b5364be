"""Nearness in meaning beside words, against the plain formula."""

import math
import random
from typing import Any

import plain
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_ranking import ASKED_AT, DAY_MS, Shelf, associate, cue, place

from conceptgraph_core.retrieval import scoring
from conceptgraph_core.retrieval.index import Corpus, Cosines, Mentions, Near, cosines_of_all
from conceptgraph_core.retrieval.question import Sought
from conceptgraph_core.retrieval.ranking import Associated, spread_activation

ASKED: dict[str, Any] = {
    "cues": ["a", "b"], "asked_at": ASKED_AT, "named": [], "asker": "Ann", "periods": []
}  # fmt: skip
QUESTION = Sought(tuple(map(cue, ASKED["cues"])), ASKED_AT, askers=frozenset(["ann"]))


class Placed(Shelf):
    def about(self, texts: list[int]) -> Mentions[int]:
        rows = [(one, 1, 1, *place(self.texts[one])) for one in texts]
        return Mentions(*zip(*rows, strict=True))


@st.composite
def conversations(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Threads without holes, and texts without a thread, all with a cosine."""
    lengths = draw(st.lists(st.integers(1, 9), max_size=4))
    places = [(str(name), at) for name, length in enumerate(lengths) for at in range(length)]
    places += [(None, 0)] * draw(st.integers(1, 4))
    words = st.sampled_from(({}, {"c": 2}, {"a": 1}, {"b": 2, "c": 1}, {"a": 1, "b": 1}))
    return [
        {
            "id": f"{number:02}",
            "terms": draw(words),
            "thread": thread,
            "position": position,
            "speaker": draw(st.sampled_from(("Ann", "Bob"))),
            "said_at": ASKED_AT - draw(st.integers(1, 9)) * DAY_MS,
            "cosine": draw(st.integers(-2, 9)) / 10,
        }
        for number, (thread, position) in enumerate(places)
    ]


def scores(texts: list[dict[str, Any]]) -> dict[str, float]:
    """The score of each text: its words and its meaning, times the factors."""
    rows = {row["id"]: row for row in plain.associate(texts, ASKED, len(texts))}
    words = {id_: sum(row["gave"].values()) for id_, row in rows.items()}
    every = [words.get(text["id"], 0.0) for text in texts]
    weight = 1.2 * deviation(every) if deviation(every) > 1e-6 else 1.0
    cosines = [text["cosine"] for text in texts]
    mean, apart = sum(cosines) / len(texts), deviation(cosines)
    found = {}
    for text in texts:
        parts = [
            (max(0.0, other["cosine"]) * 0.6 ** abs(k)) ** 3
            for k in range(-3, 4)
            for other in plain.neighbours(texts, text, k)
        ]
        spread = sum(parts) ** (1 / 3)
        z = (spread - mean - 0.5 * apart) / (0.87 * apart) if apart > 1e-6 else -1.0
        total = words.get(text["id"], 0.0) + weight * (max(0.1 * spread, z) if spread else 0.0)
        if total > 0:
            found[text["id"]] = total * math.prod(plain.factors(text, ASKED))
    return found


def deviation(values: list[float]) -> float:
    mean = sum(values) / len(values)
    return math.sqrt(sum((one - mean) ** 2 for one in values) / len(values))


def ask(texts: list[dict[str, Any]], limit: int) -> list[Associated[int]]:
    near = dict(enumerate(text["cosine"] for text in texts))
    return associate(
        QUESTION,
        corpus(texts),
        Placed(texts),
        limit,
        near=Near(near, cosines_of_all(list(near.values()), (), len(texts))),
    )


def corpus(texts: list[dict[str, Any]]) -> Corpus:
    lengths = [sum(text["terms"].values()) for text in texts]
    for text in texts:
        # A length of 0 has no meaning for the plain formula.
        text["terms"] = text["terms"] or {"d": 1}
    return Corpus(len(texts), sum(max(1, one) for one in lengths) / len(texts))


@given(conversations(), st.integers(1, 5))
def test_a_score_is_that_of_the_plain_formula(texts: list[dict[str, Any]], limit: int) -> None:
    corpus(texts)
    expected = scores(texts)
    found = ask(texts, limit)
    best = sorted(expected.values(), reverse=True)[:limit]
    assert [row.score for row in found] == pytest.approx(best)
    for row in found:
        assert row.score == pytest.approx(expected[row.told.id])
        gave = sum(word.gave for word in row.words)
        assert row.score == pytest.approx(gave * row.factors.product)


def test_a_sample_of_the_places_stands_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(0)
    texts = [
        {
            "id": f"{number:04}",
            "terms": {"a": 1} if chance.random() < 0.2 else {"c": 1},
            "thread": str(number // 30),
            "position": number % 30,
            "speaker": None,
            "said_at": ASKED_AT - DAY_MS,
        }
        for number in range(3_000)
    ]
    found = spread_activation(QUESTION, corpus(texts), Placed(texts)).deviation()
    monkeypatch.setattr(scoring, "_SAMPLED", 10**9)
    exact = spread_activation(QUESTION, corpus(texts), Placed(texts)).deviation()
    assert found == pytest.approx(exact, rel=0.1)


def test_later_texts_count_neither_among_the_words_nor_among_the_texts() -> None:
    texts = [
        {"id": f"{n:02}", "terms": {"a" if n % 3 else "c": 1}, "thread": None, "position": 0}
        | {"speaker": None, "said_at": ASKED_AT - DAY_MS}
        for n in range(30)
    ]
    later = [{**text, "said_at": ASKED_AT + DAY_MS} for text in texts]
    alone, among = (
        spread_activation(QUESTION, Corpus(len(some), 1.0), Placed(some)).deviation()
        for some in (texts, texts + later)
    )
    assert among == pytest.approx(alone)


def test_a_sample_of_the_cosines_stands_for_the_rest() -> None:
    chance = random.Random(1)
    cosines = sorted((chance.gauss(0.1, 0.1) for _ in range(20_000)), reverse=True)
    near, others = cosines[:200], chance.sample(cosines[200:], 100)
    found = cosines_of_all(near, others, len(cosines))
    assert found.mean == pytest.approx(0.1, abs=0.02)
    assert found.deviation == pytest.approx(0.1, abs=0.02)


def test_without_a_sample_the_farthest_of_the_near_is_the_mean() -> None:
    assert cosines_of_all([0.5, 0.3], [], 1_000).mean == 0.3
    assert cosines_of_all([0.5, 0.3], [], 2) == Cosines(0.4, pytest.approx(0.1))
    assert cosines_of_all([], [], 10) == Cosines()
