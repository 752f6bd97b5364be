"""Spread along threads: what a text passes on to the texts before and after it."""

from collections.abc import Callable, Collection, Iterable, Mapping
from math import sqrt
from typing import Final
from zlib import crc32

NEIGHBOURS: Final = 3
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
