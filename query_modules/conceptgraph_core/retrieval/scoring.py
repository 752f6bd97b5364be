"""How far each text is activated by the cues, added up by position in its thread."""

from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import compress, pairwise
from math import cbrt
from operator import add
from typing import Final, Generic, NamedTuple

from .index import Corpus, H, Mentions
from .question import Cue, Question

# Measured on conversations; `python -m benchmarks.retrieval` shows what they are worth.
SATURATION: Final = 0.5
LENGTH_EXPONENT: Final = -0.3
NEIGHBOURS: Final = 3
FADING: Final = 0.6
RARITY_EXPONENT: Final = 0.25

# One, two and three texts away.
_FADED: Final = tuple(FADING**distance for distance in range(1, NEIGHBOURS + 1))
_AROUND: Final = ((1.0, 0), *((FADING ** abs(k), k) for k in (-3, -2, -1, 1, 2, 3)))
# Several mentions add up as cubes: the nearest counts, the others hardly.
_FADED_CUBED: Final = tuple(
    (offset, (FADING ** abs(offset)) ** 3) for offset in range(-NEIGHBOURS, NEIGHBOURS + 1)
)

# What the nearest text gives, as a share of what words give the best; the farthest gives nothing.
NEAR_SHARE: Final = 0.4
# What is explained as a word is, though no word led there.
NEARNESS: Final = Cue("its meaning", ())
# Among so many of the strongest texts is the one with the greatest total.
_FIRST_FEW: Final = 30

Place = int
"""The place of a text as one number: its thread's number, shifted, plus its position. Neighbours
in a thread have adjacent numbers. A text without a thread has a negative number and none."""

# What scores are compared by: the last bits of a float depend on how a sum was arrived at.
DECIMALS: Final = 9
NOT_COMPARED: Final = 10.0**-DECIMALS

# Positions have fewer bits than this, whatever their sign.
_THREAD_BIT: Final = 56


def rarity(texts: int, count: int) -> float:
    """Return what a word weighs that *count* of so many *texts* mention."""
    return float((texts / count) ** RARITY_EXPONENT)


class Word(NamedTuple, Generic[H]):
    """What one cue gave to a text before the factors; `term` is that of the greatest source.

    `sources` are (offset, share): 0 is the text itself, −1 the one before it in its thread. The
    shares add up to 1, the greatest comes first. `texts` are these texts.
    """

    cue: Cue
    term: str
    gave: float
    sources: tuple[tuple[int, float], ...]
    texts: tuple[H, ...]


class _Threads(dict[str | None, int]):
    """What is added to a position in a thread to make a place of it."""

    def __missing__(self, thread: str | None) -> int:
        base = self[thread] = len(self) + 1 << _THREAD_BIT
        return base


class _Saturated(dict[tuple[float, int], float]):
    """By count and length, what a mention gives to its own text before the rarity of the cue."""

    def __init__(self, mean_length: float) -> None:
        self._mean_length = mean_length

    def __missing__(self, key: tuple[float, int]) -> float:
        count, length = key
        shortness = (length / self._mean_length) ** LENGTH_EXPONENT
        given = self[key] = float(count / (count + SATURATION) * shortness)
        return given


class _Cue(NamedTuple, Generic[H]):
    """A cue and what mentions it: `rows` of the columns by place, and what each row gives."""

    cue: Cue
    rarity: float
    mentions: Mentions[H]
    term_of: Mapping[H, str]
    rows: dict[Place, int]
    given: Sequence[float]


class Spread(Generic[H]):
    """What the cues of a question activate.

    Only what each text gives to itself is added up for all of them, which bounds what a place can
    have in total: a root of a sum is at most the sum of the roots. The totals of the few places
    that may be among the best are computed when they are asked for. Ten thousand mentions are added
    for one question, so that columns are gone through, as far as can be by what is written in C.
    """

    def __init__(self, question: Question, corpus: Corpus) -> None:
        self._question = question
        self._texts_in_all = corpus.texts
        self._cues: list[_Cue[H]] = []
        self._threads = _Threads()
        self._saturated = _Saturated(corpus.mean_length)
        self._alone: dict[H, Place] = {}
        self._strengths: dict[Place, float] = {}
        # How near the question each text is that is near it at all, as a cosine.
        self.nearness: dict[H, float] = {}
        self._has_passed = False

    def add(self, cue: Cue, mentions: Mentions[H], term_of: Mapping[H, str]) -> None:
        """Add up what all the *mentions* of *cue* give to the texts that they are in.

        *term_of* says by which of its terms each text mentions it, unless it has just one.
        """
        count = len(mentions.texts)
        mentions = self._older(mentions)
        if not mentions.texts:
            return
        weight = cue.share * rarity(self._texts_in_all, count)
        pairs = zip(mentions.counts, mentions.lengths, strict=True)
        given = list(map(self._saturated.__getitem__, pairs))
        self._add(cue, weight, mentions, term_of, given)

    def add_nearness(self, texts: Mentions[H]) -> None:
        """Add up what *texts* give that are near the question in meaning.

        The `counts` are cosines. From the farthest of them to the nearest they are stretched to
        0 … 1, spread as mentions are, and weigh a share of what words give the best text: what
        either of two models calls near lies elsewhere, and a store may know no more of a vector
        index than the nearest texts.
        """
        near = self._older(texts)
        if not near.texts:
            return
        first, last = max(near.counts), min(near.counts)
        width = (first - last) or 1.0
        given = [(one - last) / width if first > last else 1.0 for one in near.counts]
        self.nearness = dict(zip(near.texts, near.counts, strict=True))
        best = self._best_by_words()
        self._add(NEARNESS, NEAR_SHARE * best if best else 1.0, near, {}, given)

    def _best_by_words(self) -> float:
        """Return the greatest total so far, of what gives itself as much as the first few do."""
        strengths = self._strengths
        least = min(nlargest(_FIRST_FEW, strengths.values()), default=0.0)
        strong = (place for place, strength in strengths.items() if strength >= least)
        return max(map(self.about_total, strong), default=0.0)

    def _add(
        self,
        cue: Cue,
        weight: float,
        mentions: Mentions[H],
        term_of: Mapping[H, str],
        given: Sequence[float],
    ) -> None:
        places = self._places(mentions)
        rows = dict(zip(places, range(len(places)), strict=True))
        self._has_passed |= cue.is_passed
        self._cues.append(_Cue(cue, weight, mentions, term_of, rows, given))
        strengths = self._strengths
        known = strengths.get
        for place, gave in zip(places, given, strict=True):
            strengths[place] = known(place, 0.0) + weight * gave

    def _older(self, mentions: Mentions[H]) -> Mentions[H]:
        """Return those of *mentions* that were said before the question."""
        asked_at, times = self._question.asked_at, mentions.said_at
        if not times or (None not in times and max(times) < asked_at):  # type: ignore
            return mentions
        older = [time is None or time < asked_at for time in times]
        return Mentions._make(tuple(compress(column, older)) for column in mentions)

    def _places(self, mentions: Mentions[H]) -> list[Place]:
        threads = self._threads
        if None not in mentions.threads:
            return list(map(add, map(threads.__getitem__, mentions.threads), mentions.positions))
        alone = self._alone
        return [
            threads[thread] + position
            if thread is not None
            else alone.setdefault(text, -1 - len(alone))
            for text, thread, position in zip(
                mentions.texts, mentions.threads, mentions.positions, strict=True
            )
        ]

    @property
    def strengths(self) -> dict[Place, float]:
        """What each text with a mention gives to itself, by its place."""
        return self._strengths

    def _row(self, place: Place) -> tuple[Mentions[H], int] | None:
        """Return where it is said what the text at *place* is, if it mentions a cue itself."""
        for cue in self._cues:
            row = cue.rows.get(place)
            if row is not None:
                return cue.mentions, row
        return None

    def text(self, place: Place) -> H | None:
        """Return the text at *place* if it mentions a cue itself."""
        found = self._row(place)
        return None if found is None else found[0].texts[found[1]]

    def by_time(self, place: Place) -> float:
        """Return what its time makes of the score of the text at *place*.

        The most that it can, if the text mentions no cue itself: of such a one nothing is told.
        """
        found, question = self._row(place), self._question
        if found is None:
            return question.most_by_time
        said_at = found[0].said_at[found[1]]
        age = question.age(said_at)
        return age * question.period(said_at) if question.periods else age

    def activated(self, least: float) -> Iterator[tuple[float, Place]]:
        """Yield all places whose total may be *least* or more, each with a bound of its total."""
        for place, strength in self._strengths.items():
            if strength >= least and place < 0:
                yield strength, place
        for hits in self._together(least):
            yield from self._bounds(hits, least)

    def _together(self, least: float) -> Iterator[list[Place]]:
        """Yield the places in threads with mentions that are near enough to reach a common one.

        Without those that even all together have less than *least*.
        """
        strength = self._strengths.__getitem__
        places = sorted([place for place in self._strengths if place >= 0])
        following = enumerate(pairwise(places), 1)
        ends = [end for end, (one, next_) in following if next_ - one > 2 * NEIGHBOURS]
        for start, end in zip([0, *ends], [*ends, len(places)], strict=True):
            near = places[start:end]
            if near and sum(map(strength, near)) >= least:
                yield near

    def _bounds(self, hits: list[Place], least: float) -> Iterator[tuple[float, Place]]:
        """Yield the places within reach of *hits* whose bound is *least* or more, with it.

        By position, as a list: between two of *hits* that are near each other is hardly any room.
        """
        strengths = self._strengths
        if len(hits) == 1:
            own = strengths[hits[0]]
            faded = ((own * by, offset) for by, offset in _AROUND)
            yield from ((bound, hits[0] + offset) for bound, offset in faded if bound >= least)
            return
        first, last = hits[0] - NEIGHBOURS, hits[-1] + NEIGHBOURS
        given = [0.0] * (last - first + 1 + 2 * NEIGHBOURS)
        for hit in hits:
            given[hit - first + NEIGHBOURS] = strengths[hit]
        once, twice, thrice = _FADED
        near = zip(*(given[offset:] for offset in range(2 * NEIGHBOURS + 1)), strict=False)
        for place, (a, b, c, own, d, e, f) in enumerate(near, first):
            bound = own + once * (c + d) + twice * (b + e) + thrice * (a + f)
            if bound >= least:
                yield bound, place

    def total(self, place: Place) -> float:
        """Return what all cues together give to *place*."""
        own, passed = self._totals(place)
        return cbrt(own**3 + passed**3) if passed else own

    def _totals(self, place: Place) -> tuple[float, float]:
        """Return what the question's cues give to *place*, and what those that are passed on do."""
        own = passed = 0.0
        near = _near(place)
        places = [one for one, _ in near]
        for cue in self._cues:
            rows = cue.rows
            # Most cues have nothing near.
            if rows.keys().isdisjoint(places):
                continue
            cubed, given = 0.0, cue.given
            # In the order of the offsets, so that a sum does not depend on that in which a store
            # reads.
            for one, faded in near:
                if one in rows:
                    cubed += faded * given[rows[one]] ** 3
            gave = cue.rarity * cbrt(cubed)
            if cue.cue.is_passed:
                passed += gave
            else:
                own += gave
        return own, passed

    def about_total(self, place: Place) -> float:
        """Return the total of *place* but for the last bits, sooner where it is a text alone."""
        is_sum = place < 0 and not self._has_passed
        return self._strengths[place] if is_sum else self.total(place)

    def is_said(self, place: Place) -> bool:
        """Tell whether a word leads to *place*, not its meaning alone."""
        places = [one for one, _ in _near(place)]
        return any(
            not cue.rows.keys().isdisjoint(places) for cue in self._cues if cue.cue is not NEARNESS
        )

    def words(self, place: Place) -> Iterator[Word[H]]:
        """Yield what each cue gives to *place*, and from where."""
        near = _near(place)
        own, passed = self._totals(place)
        left = (self.total(place) - own) / passed if passed else 1.0
        for cue in self._cues:
            known, mentions, given = cue.rows.get, cue.mentions, cue.given
            rows = [(one - place, faded, known(one)) for one, faded in near]
            parts = [
                (offset, faded * given[row] ** 3, row)
                for offset, faded, row in rows
                # The farthest of what is near gives nothing.
                if row is not None and given[row]
            ]
            if parts:
                cubed = sum(cube for _, cube, _ in parts)
                parts.sort(key=lambda part: (-part[1], abs(part[0]), part[0]))
                sources = tuple((offset, cube / cubed) for offset, cube, _ in parts)
                texts = tuple(mentions.texts[row] for _, _, row in parts)
                term = cue.term_of.get(texts[0], next(iter(cue.cue.terms), ""))
                gave = cue.rarity * cbrt(cubed) * (left if cue.cue.is_passed else 1.0)
                yield Word(cue.cue, term, gave, sources, texts)


def _near(place: Place) -> list[tuple[Place, float]]:
    """Return the places from which *place* is reached, and how much of what they give arrives."""
    if place < 0:
        return [(place, 1.0)]
    return [(place + offset, faded) for offset, faded in _FADED_CUBED]
