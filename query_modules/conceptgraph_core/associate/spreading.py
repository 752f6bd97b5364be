"""How far each text is activated by the cues, added up by position in its thread."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import cbrt
from typing import Any, Final, Generic

from .index import Corpus, H, Mention
from .question import Question

# Measured on conversations; `python -m benchmarks.retrieval` shows what they are worth.
SATURATION: Final = 0.5
LENGTH_EXPONENT: Final = -0.3
NEIGHBOURS: Final = 3
FADING: Final = 0.6
RARITY_EXPONENT: Final = 0.25

_FADED: Final = tuple(
    (offset, FADING ** abs(offset)) for offset in range(-NEIGHBOURS, NEIGHBOURS + 1)
)
# Several mentions add up as cubes: the nearest counts, the others hardly.
_FADED_CUBED: Final = tuple((offset, faded**3) for offset, faded in _FADED)


Place = tuple[str | None, int, H | None]
"""A thread and a position in it; or None, 0 and a text that has no thread."""


@dataclass(frozen=True, slots=True)
class Word:
    """What one cue gave to a text before the factors.

    `sources` are (offset, share): 0 is the text itself, −1 the one before it in its thread. The
    shares add up to 1, the greatest comes first.
    """

    term: str
    gave: float
    sources: tuple[tuple[int, float], ...]


@dataclass(slots=True)
class _Hit(Generic[H]):
    """A text that mentions cues: what it gives to itself, and by the number of a cue the cube."""

    text: H
    said_at: int | None
    strength: float
    cubes: dict[int, float]


class Spread(Generic[H]):
    """What the cues of a question activate.

    Only what each text gives to itself is added up for all of them, which bounds what a place can
    have in total: a root of a sum is at most the sum of the roots. The totals of the few places
    that may be among the best are computed when they are asked for.
    """

    def __init__(self, question: Question, corpus: Corpus) -> None:
        self._question = question
        self._corpus = corpus
        self._cues: list[tuple[str, float]] = []  # with its rarity
        self._threads: dict[str, dict[int, _Hit[H]]] = {}
        self._alone: dict[H, _Hit[H]] = {}

    def add(self, term: str, count: int, mentions: Iterable[Mention[H]]) -> None:
        """Add the *mentions* of the cue *term*, of which there are *count* in the whole corpus."""
        number, rarity = len(self._cues), (self._corpus.texts / count) ** RARITY_EXPONENT
        self._cues.append((term, rarity))
        asked_at, threads, alone = self._question.asked_at, self._threads, self._alone
        known: dict[tuple[int, int], tuple[float, float]] = {}
        for text, times, length, thread, position, said_at in mentions:
            if said_at is not None and said_at >= asked_at:
                continue
            given = known.get((times, length))
            if given is None:
                x = self._saturated(times, length)
                given = known[times, length] = (rarity * x, x**3)
            hits: dict[Any, _Hit[H]] = alone
            key: Any = text
            if thread is not None:
                hits, key = threads.setdefault(thread, {}), position
            hit = hits.get(key)
            if hit is None:
                hits[key] = _Hit(text, said_at, given[0], {number: given[1]})
            else:
                hit.strength += given[0]
                hit.cubes[number] = given[1]

    def _saturated(self, count: int, length: int) -> float:
        shortness = (length / self._corpus.mean_length) ** LENGTH_EXPONENT
        return float(count / (count + SATURATION) * shortness)

    def hit(self, place: Place[H]) -> tuple[H | None, int | None]:
        """Return the text at *place* and its time; (None, None) if it mentions no cue itself."""
        found = self._hit(place, 0)
        return (None, None) if found is None else (found.text, found.said_at)

    def hits(self) -> Iterator[tuple[float, Place[H]]]:
        """Yield what each text with a mention gives to itself, and its place."""
        for thread, hits in self._threads.items():
            for position, hit in hits.items():
                yield hit.strength, (thread, position, None)
        for text, hit in self._alone.items():
            yield hit.strength, (None, 0, text)

    def activated(self, least: float) -> Iterator[tuple[float, Place[H]]]:
        """Yield all places whose total may be *least* or more, each with a bound of its total."""
        for thread, hits in self._threads.items():
            if sum([hit.strength for hit in hits.values()]) >= least:
                for position, bound in _bounds(hits).items():
                    if bound >= least:
                        yield bound, (thread, position, None)
        for text, hit in self._alone.items():
            if hit.strength >= least:
                yield hit.strength, (None, 0, text)

    def total(self, place: Place[H]) -> float:
        """Return what all cues together give to *place*."""
        return sum(
            rarity * cbrt(sum(cube for _, cube in parts)) for _, rarity, parts in self._parts(place)
        )

    def words(self, place: Place[H]) -> Iterator[Word]:
        """Yield what each cue gives to *place*, and from where."""
        for term, rarity, parts in self._parts(place):
            cubed = sum(cube for _, cube in parts)
            parts.sort(key=lambda part: (-part[1], abs(part[0]), part[0]))
            sources = tuple((offset, cube / cubed) for offset, cube in parts)
            yield Word(term, rarity * cbrt(cubed), sources)

    def _parts(self, place: Place[H]) -> Iterator[tuple[str, float, list[tuple[int, float]]]]:
        """Yield each cue that reaches *place* with its rarity and (offset, cube) of the mentions.

        In the order of the offsets, so that a sum does not depend on that in which a store reads.
        """
        near = ((offset, faded, self._hit(place, offset)) for offset, faded in _FADED_CUBED)
        cubes = [(offset, faded, hit.cubes) for offset, faded, hit in near if hit is not None]
        for number, (term, rarity) in enumerate(self._cues):
            parts = [(k, faded * given[number]) for k, faded, given in cubes if number in given]
            if parts:
                yield term, rarity, parts

    def _hit(self, place: Place[H], offset: int) -> _Hit[H] | None:
        thread, position, text = place
        if thread is not None:
            return self._threads[thread].get(position + offset)
        return None if text is None or offset else self._alone[text]


def _bounds(hits: dict[int, _Hit[H]]) -> dict[int, float]:
    """Return a bound of the total of each position within reach of *hits*."""
    bounds: dict[int, float] = {}
    for position, hit in hits.items():
        for offset, faded in _FADED:
            place = position + offset
            bounds[place] = bounds.get(place, 0.0) + hit.strength * faded
    return bounds
