"""Rank the texts that match a question, by spreading activation over words.

A cue activates the texts that mention it and their neighbours in the thread. A rare cue activates
them more. Activation is summed by position, so no thread is walked. A text that mentions no cue is
looked up only beside one of the strongest.

A second step finds the texts that share rare terms with the best texts. "Until when does Rosa's
bakery open?" finds "Rosa works at Lindqvist's". That text leads to "Lindqvist's shuts at noon",
which has no word of the question.

The later of two texts on the same matter comes first. "The meeting is on Tuesday", "the meeting is
on Thursday": words alone do not show which holds.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nlargest
from itertools import chain, compress
from math import inf, sqrt
from typing import Any, Final, Generic

from .groups import Neighbour
from .index import NO_MENTIONS, Corpus, H, Index, Mentions, Near, Told
from .question import BY_WAY_OF, LEADS, Cue, Factors, Sought
from .schema import FEW_MENTIONS, FEW_TEXTS, MOST_MENTIONS, MOST_PASSED
from .scoring import DECIMALS, Place, Spread, Word, reaching

# So many times the wanted number of texts are considered first, at least so many, and then so many
# times as many.
_STRONGEST: Final = 2
_FEWEST: Final = 100
_MORE: Final = 4

# This many of the best texts pass on their rare terms.
PASSING: Final = 3
# Where few texts are rare, at most this share of all may mention the term.
_TENTH: Final = 0.1
# A text receives at most this share of the best score; a text with more terms passes on less.
SHARE: Final = 0.4
LENGTH: Final = 20
# Terms are counted up to this number first, then up to so many times as many.
_FIRST_COUNT: Final = 8
_COUNT_MORE: Final = 4
# The scale is measured on this many of the strongest texts.
_MEASURED: Final = 10

# This many of the best texts are compared.
COMPARED: Final = 20
# Both texts have the same words of the question, at least this many, and share this part of terms.
_CUES: Final = 2
_OVERLAP: Final = 0.5
# A correction names what it corrects: both texts share this many rare terms, and this part of the
# shorter one. It has the same speaker, and at least this part of the older one's score.
_NAMED: Final = 2
_OF_SHORTER: Final = 0.5
_NEARLY: Final = 0.7
# A term is rare if at most this part of all texts mention it, or this many.
RARE: Final = 0.01
FEW: Final = 5


# Not frozen, because that triples the time to make one, and a recall makes hundreds.
@dataclass(slots=True)
class Associated(Generic[H]):
    """A text that matches a question: `score` is the sum over its words times the factors.

    `renews` has older matching texts on the same matter (`later_first`).
    """

    text: H
    told: Told
    score: float
    factors: Factors
    _spread: Spread[H] = field(compare=False, repr=False)
    place: Place = field(compare=False, repr=False)
    renews: tuple[H, ...] = field(default=(), compare=False)

    def order(self) -> tuple[float, float, str]:
        """Return the sort key of the best first."""
        said_at = self.told.said_at
        return -round(self.score, DECIMALS), inf if said_at is None else -said_at, self.told.id

    @property
    def held(self) -> frozenset[str]:
        """The words of the question that the text contains itself."""
        return frozenset(self._spread.held(self.place))

    @property
    def covered(self) -> Iterator[tuple[Cue, float, bool]]:
        """The words of the question that lead to the text (`Spread.covered`)."""
        return self._spread.covered(self.place)

    @property
    def words(self) -> tuple[Word[H], ...]:
        """The share of each word in the score, computed on demand: few callers read it."""
        return tuple(self._spread.words(self.place))


def spread_activation(
    question: Sought,
    corpus: Corpus,
    index: Index[H],
    near: Near[H] | None = None,
    only: Collection[str] | None = None,
) -> Spread[H]:
    """Return the activation by the cues of *question* and by the texts that are *near*.

    With *only*, no other terms are read, and of the neighbours of terms only their families.
    """
    spread: Spread[H] = Spread(question, corpus, index)
    for cue, mentions, term_of in _read(question, index, only):
        others = [(one.term, one.weight, index.mentions(one.term)) for one in cue.near]
        counted = 0 if cue.why else sum(map(index.count, cue.terms))
        spread.add(cue, mentions, term_of, others, counted)
    if near is not None and near.texts:
        spread.add_nearness(near.mentions(index), near.of_all)
    return spread


def read_by(question: Sought, index: Index[H]) -> dict[str, int]:
    """Return the terms that *question* reads, with their numbers of texts."""
    return _counts(question, index, _find_neighbours(question, index))


def read_beside(
    read: Mapping[str, int], questions: Iterable[Sought], index: Index[H]
) -> frozenset[str]:
    """Return the terms that *questions*, other wordings of one that has *read* terms, may read.

    They read what the first one leaves of the bound, and a few mentions in any case, the rarest
    terms of all of them first.
    """
    own: set[str] = set()
    led_to: set[str] = set()
    for one in questions:
        own.update(term for cue in one.cues for term in cue.terms)
        led_to.update(term for cue in one.further for term in cue.terms)
        led_to.update(other.term for cue in one.cues for other in cue.near)
    counts = sorted((index.count(term), term) for term in (own | led_to).difference(read))
    left = max(MOST_MENTIONS - sum(read.values()), FEW_MENTIONS)
    wanted = set(read)
    for count, term in counts:
        if count > left:
            break
        if count and (term in own or count <= FEW_MENTIONS):
            wanted.add(term)
            left -= count
    return frozenset(wanted)


def _read(
    question: Sought, index: Index[H], only: Collection[str] | None
) -> Iterator[tuple[Cue, Mentions[H], Mapping[H, str]]]:
    """Yield the cues that texts mention, rarest first, as arguments of `Spread.add`.

    The rare cues that the question leads to further follow, in the same order. If a cue has several
    terms, only the terms that fit the bound are read; the same holds for its neighbours.
    """
    families = {cue.said: _substitutes(cue, index) for cue in question.cues}
    near: Mapping[str, Sequence[Neighbour]] = families
    if only is None:
        near = _find_neighbours(question, index)
    counts = _counts(question, index, near) if only is None else dict.fromkeys(only, 1)
    for cues in (question.cues, question.further):
        read = [
            cue._replace(
                terms=tuple(filter(counts.get, cue.terms)),
                near=tuple(one for one in near.get(cue.said, ()) if one.term in counts),
            )
            for cue in cues
        ]
        of_cues = [(cue, *_mentions(cue, index)) for cue in read if cue.terms or cue.near]
        yield from sorted(of_cues, key=lambda one: (len(one[1].texts), one[0].terms))


def _find_neighbours(question: Sought, index: Index[H]) -> dict[str, list[Neighbour]]:
    """Return the neighbours of each cue that the question does not contain, by `said`."""
    said = {term for cue in question.cues for term in cue.terms}
    near: dict[str, list[Neighbour]] = {}
    for cue in question.cues:
        every = chain(_substitutes(cue, index), *map(index.near, cue.terms))
        others = (one for one in every if one.term not in said)
        nearest: dict[str, Neighbour] = {}
        for one in sorted(others, key=lambda one: (-one.covers, -one.weight, one.term)):
            nearest.setdefault(one.term, one)
        near[cue.said] = list(nearest.values())
    return near


def _substitutes(cue: Cue, index: Index[H]) -> Sequence[Neighbour]:
    """Return what stands in for *cue*, such as its family, where few texts have the word itself.

    Where texts have the word, other words of its family say little more, and lose better texts.
    """
    return cue.near if sum(map(index.count, cue.terms)) < FEW_TEXTS else ()


def _counts(
    question: Sought, index: Index[H], near: Mapping[str, Sequence[Neighbour]]
) -> dict[str, int]:
    """Return the terms to read with their number of texts, the rarest terms first."""
    own = sorted((index.count(term), term) for cue in question.cues for term in cue.terms)
    led_to = {term for cue in question.further for term in cue.terms}
    led_to |= {one.term for ones in near.values() for one in ones}
    further = sorted((index.count(term), term) for term in led_to)
    read: dict[str, int] = {}
    left = MOST_MENTIONS
    for count, term in own + [one for one in further if one[0] <= FEW_MENTIONS]:
        if not count:
            continue
        if read and count > left:
            break
        read[term] = count
        left -= count
    return read


def _mentions(cue: Cue, index: Index[H]) -> tuple[Mentions[H], Mapping[H, str]]:
    """Return the texts that mention *cue*, each once, by the term with most mentions in it."""
    if not cue.terms:
        return NO_MENTIONS, {}
    if len(cue.terms) == 1:
        return index.mentions(cue.terms[0]), {}
    rows: dict[H, tuple[Any, ...]] = {}
    term_of: dict[H, str] = {}
    for term in cue.terms:
        for text, count, *told in zip(*index.mentions(term), strict=True):
            if text not in rows or rows[text][1] < count:
                rows[text], term_of[text] = (text, count, *told), term
    return Mentions(*zip(*rows.values(), strict=True)) if rows else NO_MENTIONS, term_of


def choose(
    question: Sought,
    index: Index[H],
    spread: Spread[H],
    limit: int,
    admits: Callable[[H], bool] = lambda _: True,
) -> list[Associated[H]]:
    """Return the *limit* best of the texts that *spread* activates, in the order of `Association`.

    Texts that get most by themselves are considered, and those around them in their threads. More
    of them are, while too few are admitted, or many are not.
    """
    refused: set[H] = set()

    def is_admitted(text: H) -> bool:
        if not admits(text):
            refused.add(text)
        return text not in refused

    count = max(_FEWEST, _STRONGEST * limit)
    while True:
        found = _best(question, index, spread, limit, count, is_admitted)
        if count >= spread.size or (len(found) >= limit and len(refused) < limit):
            return found
        count *= _MORE


def _best(
    question: Sought,
    index: Index[H],
    spread: Spread[H],
    limit: int,
    count: int,
    admits: Callable[[H], bool],
) -> list[Associated[H]]:
    """Return the *limit* best texts among those around the *count* strongest."""
    by_time = spread.by_time
    around = {one for place in spread.strongest(count) for one, _ in reaching(place)}
    bounds = ((spread.bound(place) * by_time(place), place) for place in around)
    likely = [place for _, place in nlargest(2 * count, bounds)]
    # Mentions do not carry the speaker, so his or her factor may change the order.
    scored = sorted(((spread.total(one) * by_time(one), one) for one in likely), reverse=True)
    found: list[Associated[H]] = []
    by_speaker = question.most_by_speaker
    least = -inf
    for start in range(0, len(scored), limit):
        if scored[start][0] * by_speaker < least:
            break
        part = [spread.nearest(place) for _, place in scored[start : start + limit]]
        index.expect(part)
        made = [
            _score(question, index, spread, *one)
            for one in zip((place for _, place in scored[start : start + limit]), part, strict=True)
        ]
        older = sorted(filter(None, made), key=Associated.order)
        index.expect_nodes([one.text for one in older])
        found = sorted((*found, *(one for one in older if admits(one.text))), key=Associated.order)
        found = found[:limit]
        # A little less: what was multiplied in another order is equal only to the last digits.
        least = found[-1].score * (1 - 10**-DECIMALS) if len(found) == limit else -inf
    return found


def _score(
    question: Sought, index: Index[H], spread: Spread[H], place: Place, near: tuple[H, int]
) -> Associated[H] | None:
    """Return the text at *place*; None if there is none, or if it is too recent.

    *near* is its nearest text with a mention (`Spread.nearest`).
    """
    text = index.beside(*near) if near[1] else near[0]
    if text is None:
        return None
    told = index.tell(text)
    if not question.is_older(told.heard_at):
        return None
    factors = spread.factors(told.speaker, told.said_at)
    return Associated(text, told, spread.total(place) * factors.product, factors, spread, place)


class Association(Generic[H]):
    """The texts that match a question, for any limits: their mentions are summed only once.

    * Only texts older than the question are found, and only those that *admits* accepts. It is
      called for as few texts as possible.
    * Texts that are *near* in meaning count too.
    * Texts of equal score are ordered by time, the latest first and unknown times last, then by id.
    * The cue of a second step names the text that passed it on.
    """

    def __init__(
        self,
        question: Sought,
        corpus: Corpus,
        index: Index[H],
        admits: Callable[[H], bool] = lambda _: True,
        near: Near[H] | None = None,
        only: Collection[str] | None = None,
    ) -> None:
        """With *only*, no other terms are read, and no second step is taken."""
        self._question, self._corpus, self._index = question, corpus, index
        self._admits = admits
        self._spread = spread_activation(question, corpus, index, near, only)
        self._has_passed = only is not None
        self._matters: _Matters[H] | None = None

    def best(self, limit: int) -> list[Associated[H]]:
        """Return the *limit* best texts, a later one before an older that it renews."""
        question, index, most = self._question, self._index, max(limit, COMPARED)
        if not self._has_passed:
            self._has_passed = True
            _pass_on(self._spread, question, self._corpus, index, self._choose(PASSING))
        rows = self._choose(most)
        compared = rows[:COMPARED]
        if question.periods or not compared:
            # The older text may be meant.
            return rows[:limit]
        if self._matters is None or not self._matters.is_of(compared):
            self._matters = _Matters(index, self._corpus.texts, compared)
        return [*later_first(self._matters, compared), *rows[COMPARED:]][:limit]

    def _choose(self, limit: int) -> list[Associated[H]]:
        """Return the *limit* best texts, the best first."""
        of = self._question, self._index, self._spread
        return choose(*of, limit, self._admits)


def _pass_on(
    into: Spread[H],
    question: Sought,
    corpus: Corpus,
    index: Index[H],
    first: Sequence[Associated[H]],
) -> None:
    """Add the rare terms of the *first* texts, each as a cue, *into* the spread.

    Other texts that mention them receive something. A term weighs more if its text is better or has
    fewer terms. All weights are scaled so that the strongest text receives `SHARE` of the best
    score.
    """
    of_texts = index.terms([one.text for one in first])
    passed = _rare(question, corpus, index, of_texts)
    index.expect_mentions(passed)
    spread = into.beside()
    most = 0.0
    # A text that passes terms on receives none.
    passing = {one.text for one in first}
    for one, terms in zip(first, of_texts, strict=True):
        rare = sorted(passed.intersection(terms))
        if not rare:
            continue
        shortness = min(1.0, LENGTH / len(terms))
        most = max(most, shortness)
        weight = shortness * (one.score / first[0].score) ** 2 / sqrt(len(rare))
        by = max(one.words, key=lambda word: (word.gave, word.term)).cue.said
        for term in rare:
            cue = Cue(f"{by}{LEADS}{term}", (term,), weight, f"{BY_WAY_OF}{one.told.id}", True)
            mentions = index.mentions(term)
            others = [text not in passing for text in mentions.texts]
            receiving: Mentions[H] = Mentions._make(
                tuple(compress(column, others)) for column in mentions
            )
            spread.add(cue, receiving, {})
    strengths = spread.strengths
    if not strengths:
        return
    strongest = nlargest(_MEASURED, strengths, key=strengths.__getitem__)
    scale = SHARE * most * max(one.score / one.factors.product for one in first)
    scale /= max(map(spread.total, strongest))
    into.take(spread, scale)


def _rare(
    question: Sought, corpus: Corpus, index: Index[H], of_texts: Sequence[Sequence[str]]
) -> set[str]:
    """Return the terms to pass on: the rarest ones, up to the bound of mentions."""
    said = {term for cue in (*question.cues, *question.further) for term in cue.terms}
    few = min(FEW, _TENTH * corpus.texts)
    most = min(MOST_PASSED, int(max(few, RARE * corpus.texts)))
    terms = {term for terms in of_texts for term in terms} - said
    rare: set[str] = set()
    left, counted = MOST_PASSED, 0
    # A store may have to read what it counts, so common terms are counted in part.
    while terms and counted < min(left, most):
        counted = min(_COUNT_MORE * counted or _FIRST_COUNT, left, most)
        counts = index.counts(terms, counted)
        for count, term in sorted((count, term) for term, count in counts.items()):
            if count > min(left, counted):
                break
            terms.remove(term)
            # A term that no other text mentions leads nowhere.
            if count > 1:
                rare.add(term)
                left -= count
    return rare


def later_first(matters: "_Matters[H]", rows: Sequence[Associated[H]]) -> list[Associated[H]]:
    """Return *rows*, texts on these *matters*, with a later one before an older that it renews.

    The later row names the older ones in `renews`.
    """
    ordered: list[Associated[H]] = []
    alike: dict[frozenset[str], list[Associated[H]]] = {}
    for row in rows:
        if row.text in matters.terms:
            alike.setdefault(matters.cues[row.text], []).append(row)
    if not alike:
        return list(rows)
    for row in rows:
        may_be_older = alike.get(matters.cues[row.text], ())
        older = [one for one in may_be_older if matters.is_renewed(one, row)]
        renewing = replace(row, renews=tuple(one.text for one in older)) if older else row
        places = (place for place, one in enumerate(ordered) if one.text in renewing.renews)
        ordered.insert(next(places, len(ordered)), renewing)
    return ordered


class _Matters(Generic[H]):
    """The words of the question in some texts, and the terms of those that may be on one matter."""

    def __init__(self, index: Index[H], texts: int, rows: Sequence[Associated[H]]) -> None:
        self._index = index
        self._few = max(FEW, int(RARE * texts))
        self.cues = {row.text: row.held for row in rows}
        held = list(self.cues.values())
        alike = [text for text, cues in self.cues.items() if cues and held.count(cues) > 1]
        self.terms = dict(zip(alike, map(set, index.terms(alike)), strict=True)) if alike else {}

    def is_of(self, rows: Sequence[Associated[H]]) -> bool:
        """Return whether these are the words and terms of *rows*."""
        return self.cues.keys() == {row.text for row in rows}

    def is_renewed(self, old: Associated[H], new: Associated[H]) -> bool:
        """Return whether *new*, which has the same words, is later and on the matter of *old*."""
        before, after = old.told.heard_at, new.told.heard_at
        if before is None or after is None or before >= after:
            return False
        one, other = self.terms[old.text], self.terms[new.text]
        shared = one & other
        if len(self.cues[old.text]) >= _CUES and len(shared) >= _OVERLAP * len(one | other):
            return True
        return (
            old.told.speaker == new.told.speaker
            and new.score >= _NEARLY * old.score
            and len(shared) >= max(_NAMED, _OF_SHORTER * min(len(one), len(other)))
            and sum(one <= self._few for one in self._index.counts(shared, self._few).values())
            >= _NAMED
        )
