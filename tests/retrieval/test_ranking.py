"""One step against the plain formula, over random threads, speakers, dates and ties."""

import random
from collections.abc import Callable, Collection, Sequence
from typing import Any

import plain
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import limit_examples

from conceptgraph_core.retrieval import ranking
from conceptgraph_core.retrieval.index import Corpus, Mentions, Near, Told
from conceptgraph_core.retrieval.periods import Period
from conceptgraph_core.retrieval.question import Cue, Sought
from conceptgraph_core.retrieval.ranking import Associated, choose, spread_activation

ASKED_AT = 1_750_000_000_000
DAY_MS = plain.DAY_MS
SPEAKERS = ("Ann", "Bob", None)
TERMS = "abcde"

# Few values, so that there are ties of everything.
times = st.sampled_from([None, *(ASKED_AT - days * DAY_MS for days in (-1, 0, 1, 2, 2, 30, 400))])
counts = st.dictionaries(st.sampled_from(TERMS), st.integers(1, 3), max_size=3)


def associate(
    question: Sought,
    corpus: Corpus,
    index: Any,
    limit: int,
    admits: Callable[[int], bool] = lambda _: True,
    near: Near[int] | None = None,
) -> list[Associated[int]]:
    """Return what one step finds, in the order of the scores."""
    spread = spread_activation(question, corpus, index, near)
    return choose(question, index, spread, limit, admits)


class Shelf:
    """Texts in a list, as an `Index` has them; remembers what it was asked for."""

    def __init__(self, texts: list[dict[str, Any]], shuffled: int = 0) -> None:
        self.texts = texts
        self.told: list[str] = []
        self.expected: list[str] = []
        self.asked: list[str] = []
        self._random = random.Random(shuffled)

    def count(self, cue: str) -> int:
        return sum(cue in text["terms"] for text in self.texts)

    def counts(self, cues: Collection[str], most: int) -> dict[str, int]:
        return {cue: self.count(cue) for cue in cues}

    def expect_mentions(self, cues: Collection[str]) -> None:
        pass

    def near(self, cue: str) -> list[Any]:
        return []

    def mentions(self, cue: str) -> Mentions[int]:
        found = [
            (number, text["terms"][cue], sum(text["terms"].values()), *place(text))
            for number, text in enumerate(self.texts)
            if cue in text["terms"]
        ]
        self._random.shuffle(found)
        return Mentions(*zip(*found, strict=True))

    def terms(self, texts: Sequence[int]) -> list[list[str]]:
        return [list(self.texts[text]["terms"]) for text in texts]

    def beside(self, text: int, offset: int) -> int | None:
        thread, position, _ = place(self.texts[text])
        for number, other in enumerate(self.texts):
            if place(other)[:2] == (thread, position + offset):
                return number
        return None

    def expect(self, texts: Sequence[tuple[int, int]]) -> None:
        self.expected += [self.texts[text]["id"] for text, offset in texts if not offset]

    def expect_nodes(self, texts: Sequence[int]) -> None:
        self.asked += [self.texts[text]["id"] for text in texts]

    def tell(self, text: int) -> Told:
        found = self.texts[text]
        self.told.append(found["id"])
        return Told(found["id"], found["speaker"], found["said_at"])


def place(text: dict[str, Any]) -> tuple[str | None, int, int | None]:
    return text["thread"], text["position"], text["said_at"]


@st.composite
def shelves(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Texts of two threads with holes in them, and some without a thread."""
    places = draw(
        st.lists(
            st.tuples(st.sampled_from(("x", "y")), st.integers(-2, 14)),
            unique=True,
            max_size=20,
        )
    )
    places += draw(st.lists(st.just((None, 0)), max_size=4))
    return [
        {
            "id": f"{number:02}",
            "terms": draw(counts),
            "thread": thread,
            "position": position,
            "speaker": draw(st.sampled_from(SPEAKERS)),
            "said_at": draw(times),
        }
        for number, (thread, position) in enumerate(draw(st.permutations(places)))
    ]


@st.composite
def cues_of_several_terms(draw: st.DrawFn) -> list[Any]:
    """Cues, some of them several terms, such as the stems of a word in several languages."""
    terms = draw(st.lists(st.sampled_from(TERMS + "z"), unique=True))
    cues: list[Any] = []
    while terms:
        own = tuple(terms.pop() for _ in range(draw(st.integers(1, min(3, len(terms))))))
        cues.append(own[0] if len(own) == 1 else own)
    return cues


questions = st.fixed_dictionaries(
    {
        "cues": cues_of_several_terms(),
        "asked_at": st.just(ASKED_AT),
        "named": st.sets(st.sampled_from(("Ann", "Bob"))),
        "asker": st.sampled_from(("Ann", "Eve", None)),
        "periods": st.lists(
            st.integers(-2, 40).map(
                lambda days: (ASKED_AT - days * DAY_MS, ASKED_AT - (days - 1) * DAY_MS, 3)
            ),
            max_size=2,
        ),
    }
)


def ask(
    texts: list[dict[str, Any]], asked: dict[str, Any], limit: int, shuffled: int = 0
) -> list[Associated[int]]:
    return on(Shelf(texts, shuffled), asked, limit)


def on(
    shelf: Shelf, asked: dict[str, Any], limit: int, admitted: Collection[int] | None = None
) -> list[Associated[int]]:
    lengths = [sum(text["terms"].values()) for text in shelf.texts]
    question = Sought(
        cues=tuple(map(cue, asked["cues"])),
        asked_at=asked["asked_at"],
        named=frozenset(asked["named"]),
        askers=frozenset(filter(None, [asked["asker"] and asked["asker"].casefold()])),
        periods=tuple(Period(*period) for period in asked["periods"]),
    )
    corpus = Corpus(len(lengths), sum(lengths) / max(1, len(lengths)))
    if admitted is None:
        return associate(question, corpus, shelf, limit)
    return associate(question, corpus, shelf, limit, admitted.__contains__)


def cue(said: Any) -> Cue:
    return Cue(said, (said,)) if isinstance(said, str) else Cue(said, said)


def as_plain(rows: Sequence[Associated[int]]) -> list[dict[str, Any]]:
    """What can be compared as it is; the numbers are compared by `assert_same`."""
    return [
        {"id": row.told.id, "said_at": row.told.said_at, "words": [w.cue.said for w in row.words]}
        for row in rows
    ]


def assert_same(rows: Sequence[Associated[int]], expected: list[dict[str, Any]]) -> None:
    assert as_plain(rows) == [
        {key: row[key] for key in ("id", "said_at")} | {"words": list(row["words"])}
        for row in expected
    ]
    for row, plain_row in zip(rows, expected, strict=True):
        four = row.factors
        assert (four.age, four.named, four.asker, four.period) == pytest.approx(
            plain_row["factors"]
        )
        assert row.score == pytest.approx(plain_row["score"])
        for word in row.words:
            assert word.gave == pytest.approx(plain_row["gave"][word.cue.said])
            parts = plain_row["words"][word.cue.said]
            assert word.term in word.cue.terms
            shares = {k: part / sum(parts.values()) for k, part in parts.items()}
            assert dict(word.sources) == pytest.approx(shares)


@given(shelves(), questions, st.integers(1, 8))
def test_the_rows_are_those_of_the_plain_formula_and_explained_as_it_explains(
    texts: list[dict[str, Any]], asked: dict[str, Any], limit: int
) -> None:
    expected = plain.associate(texts, asked, limit) if texts else []
    assert_same(ask(texts, asked, limit), expected)


@given(shelves(), questions, st.integers(1, 8), st.sets(st.integers(0, 24)))
def test_rows_are_the_best_of_the_admitted(
    texts: list[dict[str, Any]], asked: dict[str, Any], limit: int, admitted: set[int]
) -> None:
    every = plain.associate(texts, asked, len(texts)) if texts else []
    expected = [row for row in every if int(row["id"]) in admitted]
    assert_same(on(Shelf(texts), asked, limit, admitted), expected[:limit])


@st.composite
def shelves_where_a_neighbour_may_win(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Threads in which few say the words, and others are the ones that the question is about."""
    spoken = st.sampled_from(({}, {}, {}, {"a": 1}, {"b": 1}, {"a": 1, "b": 1}, {"a": 1, "c": 2}))
    return [
        {
            "id": f"{thread}{position}",
            "terms": draw(spoken),
            "thread": thread,
            "position": position,
            "speaker": draw(st.sampled_from(("Ann", None, None))),
            "said_at": ASKED_AT - DAY_MS,
        }
        for thread in "xyz"
        for position in range(draw(st.integers(1, 5)))
    ]


@settings(max_examples=limit_examples(300))
@given(shelves_where_a_neighbour_may_win(), st.integers(1, 2), st.booleans())
def test_a_text_without_a_mention_wins_if_the_factors_make_it(
    texts: list[dict[str, Any]], limit: int, in_period: bool
) -> None:
    period = (ASKED_AT - 2 * DAY_MS, ASKED_AT, 3)
    asked = PLAIN_QUESTION | {"cues": ["a", "b"], "named": ["Ann"], "asker": "Ann"}
    asked |= {"periods": [period] if in_period else []}
    assert_same(ask(texts, asked, limit), plain.associate(texts, asked, limit))


@st.composite
def shelves_with_a_rare_term(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Texts a third of which say "a", often, and nearly all "b" or "c", once."""
    rare = st.sampled_from(({"a": 3}, {"a": 2, "b": 1}, {"a": 3, "c": 1}))
    common = st.sampled_from(({"b": 1}, {"c": 1, "d": 9}, {"b": 1, "c": 1}, {"b": 1, "d": 9}))
    thread = st.sampled_from(("x", "y", None) if draw(st.booleans()) else (None,))
    return [
        {
            "id": f"{number:02}",
            "terms": draw(rare if number % 3 == 0 else common),
            "thread": draw(thread),
            "position": number * draw(st.sampled_from((1, 50))),
            "speaker": draw(st.sampled_from(SPEAKERS)),
            "said_at": ASKED_AT - draw(st.sampled_from((1, 1, 2, 400))) * DAY_MS,
        }
        for number in range(30)
    ]


@pytest.mark.slow
@settings(max_examples=limit_examples(300))
@given(
    shelves_with_a_rare_term(),
    st.integers(1, 4),
    st.sampled_from(("Ann", None)),
    st.sets(st.integers(0, 29), max_size=15),
    st.permutations(range(30)),
)
def test_what_the_common_words_alone_bring_to_mind_wins_where_it_should(
    texts: list[dict[str, Any]],
    limit: int,
    asker: str | None,
    refused: set[int],
    order: list[int],
) -> None:
    texts = [texts[number] for number in order]
    asked = PLAIN_QUESTION | {"cues": ["a", "b", "c"], "asker": asker}
    admitted = [number for number, text in enumerate(texts) if int(text["id"]) not in refused]
    wanted = {texts[number]["id"] for number in admitted}
    expected = [row for row in plain.associate(texts, asked, 30) if row["id"] in wanted]
    assert_same(on(Shelf(texts), asked, limit, admitted), expected[:limit])


def test_what_only_common_words_bring_to_mind_is_found_where_nothing_else_is_admitted() -> None:
    for thread in ("x", None):
        texts = [
            text | {"terms": {"a": 3} if number < 20 else {"b": 1, "d": 99}, "thread": thread}
            for number, text in enumerate(conversation(200, 1))
        ]
        asked = PLAIN_QUESTION | {"cues": ["a", "b"]}
        every = plain.associate(texts, asked, 200)
        expected = [row for row in every if int(row["id"]) >= 100]
        assert_same(on(Shelf(texts), asked, 5, range(100, 200)), expected[:5])


@given(shelves(), questions, st.integers(1, 60))
def test_cues_are_read_rarest_first_until_enough_mentions_have_been_read(
    texts: list[dict[str, Any]], asked: dict[str, Any], most: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "MOST_MENTIONS", most)
        rows = ask(texts, asked, 5)
    assert_same(rows, plain.associate(texts, asked, 5, most) if texts else [])


@given(shelves(), questions, st.integers(1, 8), st.integers())
def test_the_order_in_which_a_store_reads_changes_nothing(
    texts: list[dict[str, Any]], asked: dict[str, Any], limit: int, seed: int
) -> None:
    shuffled, straight = ask(texts, asked, limit, seed), ask(texts, asked, limit)
    assert shuffled == straight
    assert [row.words for row in shuffled] == [row.words for row in straight]


@given(shelves(), questions, st.integers(1, 8))
def test_a_row_is_the_sum_of_its_words_times_its_factors(
    texts: list[dict[str, Any]], asked: dict[str, Any], limit: int
) -> None:
    for row in ask(texts, asked, limit):
        gave = sum(word.gave for word in row.words)
        assert row.score == pytest.approx(gave * row.factors.product)
        for word in row.words:
            shares = [share for _, share in word.sources]
            assert sum(shares) == pytest.approx(1)
            assert shares == sorted(shares, reverse=True)


def conversation(count: int, mentioning: int) -> list[dict[str, Any]]:
    """*count* texts of one thread; every *mentioning*-th has the term "a", the others do not."""
    return [
        {
            "id": f"{number:05}",
            "terms": {"a" if number % mentioning == 0 else "b": 1},
            "thread": "x",
            "position": number,
            "speaker": "Ann",
            "said_at": ASKED_AT - (count - number) * DAY_MS,
        }
        for number in range(count)
    ]


PLAIN_QUESTION: dict[str, Any] = {
    "cues": ["a"],
    "asked_at": ASKED_AT,
    "named": [],
    "asker": None,
    "periods": [],
}


def test_few_texts_are_looked_at_besides_those_that_are_returned() -> None:
    shelf = Shelf(conversation(2_000, 10))
    assert len(on(shelf, PLAIN_QUESTION, 10)) == 10
    assert len(shelf.told) < 40


def test_no_text_is_looked_at_in_vain_where_all_that_counts_comes_with_its_mentions() -> None:
    texts = [
        text | {"terms": {"a": 1 + number % 3}, "thread": None}
        for number, text in enumerate(conversation(500, 1))
    ]
    shelf = Shelf(texts)
    rows = on(shelf, PLAIN_QUESTION, 10)
    assert shelf.told == shelf.expected
    assert shelf.asked == [row.told.id for row in rows]
    assert sorted(shelf.told) == sorted(shelf.asked)
    assert len(rows) == 10


def test_no_cue_that_any_text_mentions_brings_nothing_to_mind() -> None:
    assert ask(conversation(3, 1), PLAIN_QUESTION | {"cues": ["z"]}, 5) == []
    assert ask(conversation(3, 1), PLAIN_QUESTION | {"cues": []}, 5) == []


def test_without_texts_nothing_comes_to_mind() -> None:
    assert ask([], PLAIN_QUESTION, 5) == []


def test_the_answer_that_follows_the_question_in_a_conversation_is_found() -> None:
    texts = conversation(8, 8)
    rows = ask(texts, PLAIN_QUESTION, 10)
    assert [row.told.id for row in rows] == ["00000", "00001", "00002", "00003"]
    assert rows[1].words[0].sources == ((-1, 1.0),)
    assert rows[0].words[0].gave * 0.6 == pytest.approx(rows[1].words[0].gave)


def test_equal_texts_come_latest_first_and_then_by_id() -> None:
    text = {"terms": {"a": 1}, "thread": None, "position": 0, "speaker": None}
    # A millisecond is less than scores are compared by.
    ten_days_ago = ASKED_AT - 10 * DAY_MS
    texts = [
        text | {"id": "a", "said_at": ten_days_ago - 1},
        text | {"id": "c", "said_at": ten_days_ago},
        text | {"id": "b", "said_at": ten_days_ago},
    ]
    assert [row.told.id for row in ask(texts, PLAIN_QUESTION, 9)] == ["b", "c", "a"]


def test_a_text_of_unknown_time_has_not_faded_and_lies_in_no_period() -> None:
    text = {"terms": {"a": 1}, "thread": None, "position": 0, "speaker": None}
    texts = [
        text | {"id": "old", "said_at": ASKED_AT - DAY_MS},
        text | {"id": "unknown", "said_at": None},
    ]
    periods = [(0, ASKED_AT, 3)]
    assert [row.told.id for row in ask(texts, PLAIN_QUESTION, 9)] == ["unknown", "old"]
    rows = ask(texts, PLAIN_QUESTION | {"periods": periods}, 9)
    assert [(row.told.id, row.factors.period) for row in rows] == [("old", 2.0), ("unknown", 1.0)]


def test_a_sum_over_many_mentions_has_the_same_last_bit_however_they_are_read() -> None:
    texts = [
        text | {"terms": {"a": 1 + number % 5, "b": 1 + number % 7}}
        for number, text in enumerate(conversation(40, 1))
    ]
    scores = {tuple(row.score for row in ask(texts, PLAIN_QUESTION, 40, n)) for n in range(20)}
    assert len(scores) == 1
