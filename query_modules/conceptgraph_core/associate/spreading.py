"""How far each text is activated by the cues, added up by position in its thread."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import cbrt
from typing import Final, Generic

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


@dataclass(frozen=True, slots=True)
class _Cue(Generic[H]):
    """The cubes of a cue's mentions: in threads by position, of texts without a thread by text."""

    term: str
    rarity: float
    threads: dict[str, dict[int, float]] = field(default_factory=dict)
    alone: dict[H, float] = field(default_factory=dict)

    def word(self, cubes: Iterable[tuple[int, float]]) -> Word:
        parts = list(cubes)
        total = sum(cube for _, cube in parts)
        parts.sort(key=lambda part: (-part[1], abs(part[0]), part[0]))
        sources = tuple((offset, cube / total) for offset, cube in parts)
        return Word(self.term, self.rarity * cbrt(total), sources)


class Spread(Generic[H]):
    """The activation of each position that a mention reaches, and the texts with mentions."""

    def __init__(self, question: Question, corpus: Corpus) -> None:
        self._question = question
        self._corpus = corpus
        self._known_cubes: dict[tuple[int, int], float] = {}
        self._cues: list[_Cue[H]] = []
        self._totals: dict[str, dict[int, float]] = {}
        self._hits: dict[str, dict[int, tuple[H, int | None]]] = {}
        self._totals_alone: dict[H, float] = {}
        self._hits_alone: dict[H, int | None] = {}

    def add(self, term: str, count: int, mentions: Iterable[Mention[H]]) -> None:
        """Add what the cue *term* gives to texts: *mentions* of it, *count* in the whole corpus."""
        cue: _Cue[H] = _Cue(term, (self._corpus.texts / count) ** RARITY_EXPONENT)
        self._cues.append(cue)
        self._read(cue, mentions)
        rarity = cue.rarity
        for thread, cubes in cue.threads.items():
            totals = self._totals.setdefault(thread, {})
            for position, reach in _reach(cubes):
                totals[position] = totals.get(position, 0.0) + rarity * reach
        for text, cube in cue.alone.items():
            total = self._totals_alone.get(text, 0.0)
            self._totals_alone[text] = total + rarity * cbrt(cube)

    def _read(self, cue: _Cue[H], mentions: Iterable[Mention[H]]) -> None:
        asked_at, known = self._question.asked_at, self._known_cubes
        for text, count, length, thread, position, said_at in mentions:
            if said_at is not None and said_at >= asked_at:
                continue
            cube = known.get((count, length))
            if cube is None:
                cube = known[count, length] = self._cube(count, length)
            if thread is None:
                cue.alone[text] = cube
                self._hits_alone[text] = said_at
                continue
            if thread not in cue.threads:
                cue.threads[thread] = {}
                self._hits.setdefault(thread, {})
            cue.threads[thread][position] = cube
            self._hits[thread][position] = (text, said_at)

    def _cube(self, count: int, length: int) -> float:
        x = count / (count + SATURATION)
        return float((x * (length / self._corpus.mean_length) ** LENGTH_EXPONENT) ** 3)

    def hit(self, place: Place[H]) -> tuple[H | None, int | None]:
        """Return the text at *place* and its time; (None, None) if it has no mention itself."""
        thread, position, text = place
        if thread is None:
            return text, self._hits_alone[text] if text is not None else None
        return self._hits[thread].get(position, (None, None))

    def hits(self) -> Iterator[tuple[float, Place[H]]]:
        """Yield the total of each text with a mention, and its place."""
        for thread, positions in self._hits.items():
            totals = self._totals[thread]
            for position in positions:
                yield totals[position], (thread, position, None)
        for text, total in self._totals_alone.items():
            yield total, (None, 0, text)

    def activated(self, least: float) -> list[tuple[float, Place[H]]]:
        """Return the total and the place of all that is activated by *least* or more."""
        in_threads: list[tuple[float, Place[H]]] = [
            (total, (thread, position, None))
            for thread, totals in self._totals.items()
            for position, total in totals.items()
            if total >= least
        ]
        alone: list[tuple[float, Place[H]]] = [
            (total, (None, 0, text)) for text, total in self._totals_alone.items() if total >= least
        ]
        return in_threads + alone

    def words(self, place: Place[H]) -> Iterator[Word]:
        """Yield what each cue gave to *place*."""
        thread, position, text = place
        for cue in self._cues:
            if thread is not None:
                cubes = cue.threads.get(thread, {})
                parts = [
                    (offset, cubes[position + offset] * faded)
                    for offset, faded in _FADED_CUBED
                    if position + offset in cubes
                ]
            elif text is not None and text in cue.alone:
                parts = [(0, cue.alone[text])]
            else:
                parts = []
            if parts:
                yield cue.word(parts)


def _reach(cubes: dict[int, float]) -> Iterable[tuple[int, float]]:
    """Return each position within reach of those in *cubes*, with the root of what reaches it."""
    if len(cubes) == 1:
        ((position, cube),) = cubes.items()
        root = cbrt(cube)
        return [(position + offset, root * faded) for offset, faded in _FADED]
    reached: dict[int, float] = {}
    # By position, so that a sum does not depend on the order in which a store reads.
    for position in sorted(cubes):
        cube = cubes[position]
        for offset, faded in _FADED_CUBED:
            place = position + offset
            reached[place] = reached.get(place, 0.0) + cube * faded
    return [(place, cbrt(reach)) for place, reach in reached.items()]
