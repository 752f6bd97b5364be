"""Sum the activation of each text by the cues, by position in its thread.

A text passes a part on to the texts before and after it there.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import chain, compress, repeat
from math import cbrt, sqrt
from operator import add, mul
from typing import Final, Generic, NamedTuple
from zlib import crc32

from .groups import Neighbour
from .index import Corpus, Cosines, H, Index, Mentions
from .question import Cue, Factors, Sought
from .schema import HEARD_COUNT, NEIGHBOURS

FADING: Final = 0.6

Place = int
"""The place of a text as one number: its thread's number, shifted, plus its position. Neighbours
in a thread have adjacent numbers. A text without a thread has a negative number, no neighbours."""

# Positions have fewer bits than this, whatever their sign.
THREAD_BIT: Final = 56

# Several contributions add up as cubes, so that the nearest dominates.
FADED_CUBED: Final = tuple(
    (offset, (FADING ** abs(offset)) ** 3) for offset in range(-NEIGHBOURS, NEIGHBOURS + 1)
)

# About this many totals are computed to estimate the deviation of all.
_SAMPLED: Final = 300
_ROUNDING: Final = 1e-12

# Measured on conversations; `python -m benchmarks.retrieval` measures their effect.
SATURATION: Final = 0.5
LENGTH_EXPONENT: Final = -0.3
RARITY_EXPONENT: Final = 0.25

# In the order that decides between equal contributions.
_NEAREST_FIRST: Final = sorted(FADED_CUBED, key=lambda one: (abs(one[0]), one[0]))
_AROUND: Final = ((1.0, 0), *((FADING ** abs(k), k) for k in (-3, -2, -1, 1, 2, 3)))
_BACKWARDS_FIRST: Final = (0, -1, 1, -2, 2, -3, 3)

# A cosine one deviation above the mean gives this many deviations of the sums by words.
NEAR_SHARE: Final = 1.2
# Explanations show nearness like a word, though no word led to the text.
NEARNESS: Final = Cue("its meaning", ())

# Scores are compared rounded: the last bits of a sum depend on the order of its terms.
DECIMALS: Final = 9


class Threads(dict[str | None, int]):
    """The number of each thread that, plus a position, makes a place."""

    def __missing__(self, thread: str | None) -> int:
        base = self[thread] = len(self) + 1 << THREAD_BIT
        return base


def reaching(place: Place) -> list[tuple[Place, float]]:
    """Return the places that reach *place*, each with its cubed fading."""
    if place < 0:
        return [(place, 1.0)]
    return [(place + offset, faded) for offset, faded in FADED_CUBED]


def deviation(
    lone: Iterable[float],
    hits: Collection[Place],
    known: Iterable[Place],
    total: Callable[[Place], float],
    threads: Mapping[str | None, int],
    texts: float,
) -> float:
    """Return the standard deviation of the totals of *texts* texts, most of which have none.

    *lone* has the totals of texts without a thread. *hits* are places in *threads* from which the
    others are reached; of many, every so manieth place of each thread stands for the others. No
    thread is taken to be longer than up to the last of its *known* places.
    """
    ends: dict[int, Place] = {}
    for place in known:
        base = place >> THREAD_BIT
        if place > ends.get(base, -1):
            ends[base] = place
    step = 1 + 2 * NEIGHBOURS * len(hits) // _SAMPLED
    # Which places stand for others must not depend on the order in which a store returns threads.
    phases = {base >> THREAD_BIT: crc32((name or "").encode()) for name, base in threads.items()}
    sampled: set[Place] = set()
    for place in hits:
        base = place >> THREAD_BIT
        first = max(place - NEIGHBOURS, base << THREAD_BIT)
        first += -(first + phases.get(base, 0)) % step
        sampled.update(range(first, min(place + NEIGHBOURS, ends[base]) + 1, step))
    totals, all_lone = [total(place) for place in sorted(sampled)], list(lone)
    mean = (sum(all_lone) + step * sum(totals)) / texts
    squares = sum(one * one for one in all_lone) + step * sum(one * one for one in totals)
    variance = squares / texts - mean * mean
    # Equal totals differ by rounding alone.
    return sqrt(variance) if variance > _ROUNDING * mean * mean else 0.0


def rarity(texts: int, count: int) -> float:
    """Return the weight of a word that *count* of *texts* texts mention."""
    return float((texts / count) ** RARITY_EXPONENT)


class Word(NamedTuple, Generic[H]):
    """The contribution of one cue to a text, before the factors.

    * `terms` has the term of each source; `term` is that of the greatest one.
    * `sources` has (offset, share), the greatest share first; the shares add up to 1. The offset 0
      is the text itself, −1 the text before it in its thread.
    * `texts` has the texts of the sources.
    * `is_heard`: the greatest source has it from what was said when it was told, and not itself.
    """

    cue: Cue
    terms: tuple[str, ...]
    gave: float
    sources: tuple[tuple[int, float], ...]
    texts: tuple[H, ...]
    is_heard: bool = False

    @property
    def term(self) -> str:
        return self.terms[0]

    @property
    def neighbour(self) -> Neighbour | None:
        """The neighbour that stands for the cue in the greatest source, if one does."""
        return next((one for one in self.cue.near if one.term == self.term), None)


class _Saturated(dict[tuple[float, int], float]):
    """The contribution of a mention to its own text, by count and length, before rarity."""

    def __init__(self, mean_length: float) -> None:
        self._mean_length = mean_length

    def __missing__(self, key: tuple[float, int]) -> float:
        count, length = key
        shortness = (length / self._mean_length) ** LENGTH_EXPONENT
        given = self[key] = float(count / (count + SATURATION) * shortness)
        return given


class _ByTime(dict[int | None, float]):
    """The factor by time of a text said at each time (unix ms, or None)."""

    def __init__(self, question: Sought) -> None:
        self._question = question
        self.ages: dict[int | None, float] = {}

    def __missing__(self, said_at: int | None) -> float:
        age = self.ages[said_at] = self._question.age(said_at)
        factor = self[said_at] = age * self._question.period(said_at)
        return factor


class _Hits(defaultdict[int, list[tuple[int, float]]]):
    """The mentions at each place in a thread: (number of the cue, cubed contribution)."""

    def __init__(self) -> None:
        super().__init__(list)
        # The own part of each text.
        self.alone: dict[int, float] = {}
        # The number of cues of the whole question so far.
        self.cues = 0
        # The sums that were asked for since the last mention was added.
        self.sums: dict[int, float] = {}

    def sum(self, place: int) -> float:
        """Return the contribution to *place*: the sum of the cubic roots of the cues' sums."""
        if place < 0:
            return self.alone.get(place, 0.0)
        if place in self.sums:
            return self.sums[place]
        cubed = [0.0] * self.cues
        at = self.get
        # Summed in the order of the offsets, so that a store's order does not change the sum.
        for offset, faded in FADED_CUBED:
            for number, cube in at(place + offset, ()):
                cubed[number] += faded * cube
        found = self.sums[place] = sum(map(cbrt, filter(None, cubed)))
        return found

    def greatest(self, place: int) -> dict[int, int]:
        """Return the offset of the greatest contribution of each cue to *place*, by its number."""
        greatest: dict[int, tuple[float, int]] = {}
        for offset, faded in _NEAREST_FIRST:
            for number, cube in self.get(place + offset, ()):
                if number not in greatest or faded * cube > greatest[number][0]:
                    greatest[number] = faded * cube, offset
        return {number: offset for number, (_, offset) in greatest.items()}


class _Cue(NamedTuple, Generic[H]):
    """A cue with its mentions: `rows` maps a place to its row, `given` has each row's value.

    It is as rare as the number `in_texts` says, texts that were told after the question included.
    """

    cue: Cue
    rarity: float
    mentions: Mentions[H]
    term_of: Mapping[H, str]
    rows: dict[Place, int]
    given: Sequence[float]
    places: Sequence[Place]
    in_texts: int


class Spread(Generic[H]):
    """The activation of texts by the cues of a question.

    For every text only its own contribution is summed. These sums bound the total of a place,
    because the root of a sum is at most the sum of the roots. The totals are computed on demand,
    for the few places that may be among the best. One question adds 10,000 mentions, so the loops
    run over columns, in functions written in C where possible.
    """

    def __init__(self, question: Sought, corpus: Corpus, index: Index[H] | None = None) -> None:
        self._question = question
        self._index = index
        self._corpus = corpus
        self._cues: list[_Cue[H]] = []
        # Those of the question, which no text passed on.
        self._asked: list[_Cue[H]] = []
        self._threads = Threads()
        self._saturated = _Saturated(corpus.mean_length)
        self._alone: dict[H, Place] = {}
        # The text with a mention at each place, and its time.
        self._texts: dict[Place, H] = {}
        self._said_at: dict[Place, int | None] = {}
        # The mentions of the question's cues, and of the cues that texts passed on.
        self._own, self._passed = _Hits(), _Hits()
        # The own part of each text, by all cues.
        self._strengths = self._own.alone
        self._by_time = _ByTime(question)
        # How many mentions of the question's cues were added, and how many the index has.
        self._added = self._counted = 0
        # The cosine at the place of each text that is near the question; what they give.
        self._cosines: dict[Place, float] = {}
        self._near: dict[Place, float] = {}

    def add(
        self,
        cue: Cue,
        mentions: Mentions[H],
        term_of: Mapping[H, str],
        near: Sequence[tuple[str, float, Mentions[H]]] = (),
        counted: int = 0,
    ) -> None:
        """Add the contributions of all *mentions* of *cue* to their texts.

        *term_of* has the term that each text mentions; it is empty if the cue has one term. *near*
        has the neighbours of the cue, each with its weight and its mentions. Without *mentions*
        the cue is as rare as its neighbours are together. *counted* is the number of its mentions
        in the index, those that *mentions* leaves out included.
        """
        count = len(mentions.texts) or len({text for *_, one in near for text in one.texts})
        mentions = self._older(mentions)
        self._counted += max(counted, len(mentions.texts))
        self._added += len(mentions.texts)
        if not count or not (mentions.texts or near):
            return
        weight = cue.share * rarity(self._corpus.texts, count)
        pairs = zip(mentions.counts, mentions.lengths, strict=True)
        given = list(map(self._saturated.__getitem__, pairs))
        if near:
            mentions, term_of, given = self._group(mentions, term_of, given, near)
        places = self._places(mentions)
        rows = dict(zip(places, range(len(places)), strict=True))
        self._put(_Cue(cue, weight, mentions, term_of, rows, given, places, count))

    def beside(self) -> "Spread[H]":
        """Return an empty spread, in which each text has the place that it has here."""
        made: Spread[H] = Spread(self._question, self._corpus, self._index)
        made._threads, made._alone = self._threads, self._alone
        return made

    def take(self, other: "Spread[H]", scale: float) -> None:
        """Add the cues of *other*, a spread `beside` this one, with shares *scale* times theirs."""
        for one in other._cues:
            cue = one.cue._replace(share=one.cue.share * scale)
            weight = cue.share * rarity(self._corpus.texts, one.in_texts)
            self._put(one._replace(cue=cue, rarity=weight))

    def _group(
        self,
        mentions: Mentions[H],
        term_of: Mapping[H, str],
        given: Sequence[float],
        near: Sequence[tuple[str, float, Mentions[H]]],
    ) -> tuple[Mentions[H], dict[H, str], list[float]]:
        """Return *mentions*, and what follows from them, with those of terms that are *near*.

        Mentions in one text add up as cubes, as neighbouring texts do.
        """
        greatest = dict(zip(mentions.texts, given, strict=True))
        cubes = {text: gave**3 for text, gave in greatest.items()}
        terms = dict(term_of)
        rows = [mentions]
        for term, weight, others in near:
            others = self._older(others)  # noqa: PLW2901
            pairs = zip(others.counts, others.lengths, strict=True)
            gave = [weight * one for one in map(self._saturated.__getitem__, pairs)]
            is_new = [text not in cubes for text in others.texts]
            rows.append(Mentions._make(tuple(compress(column, is_new)) for column in others))
            for text, one in zip(others.texts, gave, strict=True):
                cubes[text] = cubes.get(text, 0.0) + one**3
                if one > greatest.get(text, 0.0):
                    greatest[text], terms[text] = one, term
        columns: Mentions[H] = Mentions._make(
            tuple(chain(*column)) for column in zip(*rows, strict=True)
        )
        return columns, terms, [cbrt(cubes[text]) for text in columns.texts]

    def add_nearness(self, texts: Mentions[H], of_all: Cosines) -> None:
        """Add the contributions of *texts*, which are near the question in meaning.

        The `counts` are cosines. They are spread like mentions, and compared with those *of_all*
        texts: z deviations above their mean are worth as many of the sums by words.
        """
        near = self._older(texts)
        places = self._places(near)
        self._cosines = dict(zip(places, near.counts, strict=True))
        self._texts.update(zip(places, near.texts, strict=True))
        self._said_at.update(zip(places, near.said_at, strict=True))
        cubes: dict[Place, float] = {}
        for place, cosine in self._cosines.items():
            for other, faded in reaching(place) if cosine > 0 else ():
                cubes[other] = cubes.get(other, 0.0) + faded * cosine**3
        weight = NEAR_SHARE * self.deviation() or 1.0
        self._near = {
            place: weight * of_all.z_of_spread(cbrt(cube)) for place, cube in cubes.items()
        }

    def deviation(self) -> float:
        """Return the standard deviation of the sums by words, over the older texts."""
        known = max(self._added, 1) / max(self._counted, self._added, 1)
        lone = (gave for place, gave in self._strengths.items() if place < 0)
        texts = max(1.0, known * self._corpus.texts)
        return deviation(lone, self._own, self._texts, self._own.sum, self._threads, texts)

    def _put(self, one: _Cue[H]) -> None:
        places, given, weight, is_passed = one.places, one.given, one.rarity, one.cue.is_passed
        self._texts.update(zip(places, one.mentions.texts, strict=True))
        self._said_at.update(zip(places, one.mentions.said_at, strict=True))
        number = len(self._cues)
        self._cues.append(one)
        if not is_passed:
            self._asked.append(one)
        hits = self._passed if is_passed else self._own
        hits.sums.clear()
        hits.cues = number + 1
        _add_each(hits.alone, places, weight, given)
        if is_passed:
            if self._strengths is self._own.alone:
                self._strengths = self._own.alone.copy()
            _add_each(self._strengths, places, weight, given)
        if max(places, default=-1) >= 0:
            # Few mentions differ in what they give.
            gives = {gave: (number, (weight * gave) ** 3) for gave in set(given)}
            for place, hit in zip(places, map(gives.__getitem__, given), strict=True):
                if place >= 0:
                    hits[place].append(hit)

    def _older(self, mentions: Mentions[H]) -> Mentions[H]:
        """Return those of *mentions* whose texts are older than the question.

        A note may be of a day after the question and told before it. A message in a thread may not.
        """
        asked_at, times = self._question.asked_at, mentions.said_at
        if not times or (None not in times and max(times) < asked_at):  # type: ignore
            return mentions
        older = [time is None or time < asked_at for time in times]
        rows = enumerate(zip(mentions.texts, mentions.threads, older, strict=True))
        notes = [(row, text) for row, (text, thread, is_old) in rows if not is_old and not thread]
        if notes and self._index is not None:
            self._index.expect([(text, 0) for _, text in notes])
            for row, text in notes:
                older[row] = self._question.is_older(self._index.tell(text).heard_at)
        return Mentions._make(tuple(compress(column, older)) for column in mentions)

    def _places(self, mentions: Mentions[H]) -> list[Place]:
        threads = self._threads
        if None not in mentions.threads:
            return list(map(add, map(threads.__getitem__, mentions.threads), mentions.positions))
        alone = self._alone
        lone = mentions.texts
        is_mixed = mentions.threads.count(None) < len(lone)
        if is_mixed:
            lone = [
                text for text, thread in zip(lone, mentions.threads, strict=True) if thread is None
            ]
        new = [text for text in lone if text not in alone]
        first = -1 - len(alone)
        alone.update(zip(new, range(first, first - len(new), -1), strict=True))
        if not is_mixed:
            return list(map(alone.__getitem__, lone))
        return [
            alone[text] if thread is None else threads[thread] + position
            for text, thread, position in zip(
                mentions.texts, mentions.threads, mentions.positions, strict=True
            )
        ]

    def strongest(self, count: int) -> list[Place]:
        """Return the places of the *count* texts that get most by themselves, about."""
        near, strengths = self._near, self._strengths
        if not near:
            return nlargest(count, strengths, key=strengths.__getitem__)
        own = strengths | {
            place: strengths.get(place, 0.0) + gave
            for place, gave in near.items()
            if place in self._texts
        }
        return nlargest(count, own, key=own.__getitem__)

    @property
    def strengths(self) -> dict[Place, float]:
        """The contribution of each text with a mention to itself, by place."""
        return self._strengths

    @property
    def size(self) -> int:
        """How many texts there are that mention a cue or are near the question."""
        return len(self._texts)

    def nearest(self, place: Place) -> tuple[H, int]:
        """Return the text nearest to *place* with a mention, and the offset from it to *place*."""
        # Backwards first: few edges enter a text, but all its mentions leave it.
        for offset in _BACKWARDS_FIRST if place >= 0 else (0,):
            if (text := self._texts.get(place + offset)) is not None:
                return text, -offset
        raise LookupError("a place that nothing reaches")

    def by_time(self, place: Place) -> float:
        """Return the factor by time of the text at *place*.

        A text that mentions no cue itself gets the greatest such factor: its time is not known.
        """
        if place in self._said_at:
            return self._by_time[self._said_at[place]]
        return self._question.most_by_time

    def factors(self, speaker: str | None, said_at: int | None) -> Factors:
        """Return the factors of a text by *speaker* at *said_at* (`Sought.factors`)."""
        return self._question.factors(speaker, said_at, self._by_time.ages.get(said_at))

    def bound(self, place: Place) -> float:
        """Return a bound of the total of *place*."""
        strengths, near = self._strengths, self._near.get(place, 0.0)
        if place < 0:
            return strengths.get(place, 0.0) + near
        return sum(by * strengths.get(place + offset, 0.0) for by, offset in _AROUND) + near

    def total(self, place: Place) -> float:
        """Return the contribution of all cues to *place*."""
        own, passed = self._totals(place)
        return cbrt(own**3 + passed**3) if passed else own

    def _totals(self, place: Place) -> tuple[float, float]:
        """Return the contributions to *place* of the question's cues and of the passed-on ones."""
        own = self._near.get(place, 0.0) + self._own.sum(place)
        return own, self._passed.sum(place) if self._passed.alone else 0.0

    def held(self, place: Place) -> Iterator[str]:
        """Yield the words of the question that the text at *place* contains itself."""
        for cue in self._asked:
            row = cue.rows.get(place)
            # No word leads to a mention by what the question means.
            if row is None or cue.cue.why is not None:
                continue
            terms = cue.cue.covering
            # A mention of a neighbour is none of the word.
            if terms and cue.term_of.get(cue.mentions.texts[row], terms[0]) in terms:
                yield cue.cue.said

    def covered(self, place: Place) -> Iterator[tuple[Cue, float, bool]]:
        """Yield the cues that *place* has, each with what it covers, and whether it was only heard.

        Every match is asked for these, and few for their words, which take much longer.
        """
        for cue, greatest in self._greatest(place):
            covers = cue.cue.covers
            if cue.cue.near:
                term = cue.term_of.get(cue.mentions.texts[greatest])
                other = term if term is not None else next(iter(cue.cue.terms), "")
                member = next((one for one in cue.cue.near if one.term == other), None)
                covers = covers if member is None else covers * member.covers
            if covers:
                yield cue.cue, covers, cue.mentions.counts[greatest] <= HEARD_COUNT

    def _greatest(self, place: Place) -> list[tuple[_Cue[H], int]]:
        """Return the question's cues that lead to *place*, each with the row that gives most."""
        if place >= 0:
            offsets = sorted(self._own.greatest(place).items())
            return [(self._cues[one], self._cues[one].rows[place + at]) for one, at in offsets]
        rows = [(cue, cue.rows.get(place)) for cue in self._asked]
        return [(cue, row) for cue, row in rows if row is not None]

    def words(self, place: Place) -> Iterator[Word[H]]:
        """Yield the contribution of each cue to *place*, with its sources."""
        near = reaching(place)
        own, passed = self._totals(place)
        left = (self.total(place) - own) / passed if passed else 1.0
        for cue in self._cues:
            known, mentions, given = cue.rows.get, cue.mentions, cue.given
            rows = [(one - place, faded, known(one)) for one, faded in near]
            parts = [
                (offset, faded * given[row] ** 3, row)
                for offset, faded, row in rows
                if row is not None
            ]
            if parts:
                cubed = sum(cube for _, cube, _ in parts)
                parts.sort(key=lambda part: (-part[1], abs(part[0]), part[0]))
                sources = tuple((offset, cube / cubed) for offset, cube, _ in parts)
                texts = tuple(mentions.texts[row] for _, _, row in parts)
                first = next(iter(cue.cue.terms), "")
                terms = tuple(cue.term_of.get(text, first) for text in texts)
                gave = cue.rarity * cbrt(cubed) * (left if cue.cue.is_passed else 1.0)
                is_heard = bool(terms) and mentions.counts[parts[0][2]] <= HEARD_COUNT
                yield Word(cue.cue, terms, gave, sources, texts, is_heard)
        if place in self._near:
            yield self._count_meant(place)

    def _count_meant(self, place: Place) -> Word[H]:
        """Return the contribution of the texts that are near in meaning to *place*."""
        cosines = self._cosines
        parts = [
            (one - place, faded * cosines[one] ** 3, one)
            for one, faded in reaching(place)
            if cosines.get(one, 0.0) > 0
        ]
        parts.sort(key=lambda part: (-part[1], abs(part[0]), part[0]))
        cubed = sum(cube for _, cube, _ in parts)
        sources = tuple((offset, cube / cubed) for offset, cube, _ in parts)
        texts = tuple(self._texts[one] for _, _, one in parts)
        return Word(NEARNESS, ("",) * len(parts), self._near[place], sources, texts)


def _add_each(
    to: dict[Place, float], places: Sequence[Place], weight: float, given: Sequence[float]
) -> None:
    """Add what is *given* at *places*, times *weight*."""
    known = map(to.get, places, repeat(0.0))
    to.update(zip(places, map(add, known, map(mul, repeat(weight), given)), strict=True))
