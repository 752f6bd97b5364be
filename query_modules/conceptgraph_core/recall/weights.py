"""The signals that may speak for a message or a text, and the weights by which they decide.

`weights.json` has a set of weights for each model of vectors that we know, one for others, and one
for words alone; `python -m benchmarks.train` writes it. Imports nothing of Memgraph.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from math import exp, isnan, nan, sqrt
from operator import mul
from typing import Any, Final, NamedTuple

from ..errors import InvalidNumber

FILE: Final = "weights.json"
OTHER: Final = "other"
WORDS: Final = "words"
# A value counts at most so many deviations from the mean: what it says beyond was never seen.
FURTHEST: Final = 4.0
# Sums differ in their last bits by the order of their terms.
_DECIMALS: Final = 9


class Signal(NamedTuple):
    """A number that may speak for or against a text or a message: its name, and what it says."""

    name: str
    says: str


TEXT: Final = (
    Signal("near", "its cosine to the message, in deviations above the mean of all texts"),
    Signal("behind the nearest", "how much less near it is than the nearest text, 0 or less"),
    Signal("nearest", "how near the nearest text is"),
    Signal("near and own", "how near it is, if the message is about the user"),
    Signal("place", "1 for the best by words and nearness together, 1/2 for the second, and so on"),
    Signal("score", "the logarithm of 1 + that score, as if there were one text"),
    Signal("share of score", "its share of the best score"),
    Signal("covered", "the share of the message's words that it has, weighted by rarity"),
    Signal("covered less", "how much less that is than of the text that has most, 0 or less"),
    Signal("evidence", "the share of the message's rare words that it has"),
    Signal("share of evidence", "its share of the most that a text has of them"),
    Signal("words", "how many words that name nobody they share, at most 4"),
    Signal("named", "it has a name of somebody whom the message names"),
    Signal("not named", "the message names somebody, and it does not"),
    Signal("about", "a name that it is about has a word of the message"),
    Signal("own", "the message is about the user"),
    Signal("both own", "the message and it are about the user"),
    Signal("always", "it is kept always"),
    Signal("age", "the logarithm of 1 + the days since it was told"),
    Signal("linked", "the share of the best score that links pass to it"),
    Signal("ahead", "its day is still to come"),
    Signal("ended", "another text replaced it, and the message asks for the past"),
    Signal("length", "the decimal logarithm of its bytes"),
    Signal("importance", "its importance, from 0 to 1"),
)
MESSAGE: Final = (
    Signal("asking", "how much its vector is one of a message that asks for something told"),
    Signal("near", "how near the nearest text is, in deviations above the mean of all"),
    Signal("near and own", "the same, if it is about the user"),
    Signal("score", "the logarithm of 1 + the best score, as if there were one text"),
    Signal("covered", "the greatest share of its words that a text has, weighted by rarity"),
    Signal("rarest", "1 / √ of how many texts have the rarest of its words that one has"),
    Signal("words", "how many of its words one text has, at most 4"),
    Signal("own", "it is about the user"),
    Signal("named", "how many it names of those known, at most 2"),
    Signal("names", "it names somebody known"),
    Signal("concepts", "it names a concept"),
    Signal("length", "how many words it has, of 20"),
    Signal("content", "how many of these neither only ask nor say little, at most 6"),
    Signal("unknown", "the share of its words that no text has"),
    Signal("time", "it names a time"),
    Signal("past", "it asks for the past"),
)

_ALWAYS, _NAMED = ([one.name for one in TEXT].index(name) for name in ("always", "named"))


class Model(NamedTuple):
    """A logistic model: a value is compared with its mean, in deviations (`scales`)."""

    means: Sequence[float]
    scales: Sequence[float]
    weights: Sequence[float]
    intercept: float

    def contributions(self, values: Sequence[float]) -> list[float]:
        """Return what each of *values* adds to the sum; one that is not known adds nothing."""
        each = zip(values, self.means, self.scales, self.weights, strict=True)
        return [
            0.0 if isnan(one) else weight * max(-FURTHEST, min(FURTHEST, (one - mean) / by))
            for one, mean, by, weight in each
        ]

    def chance(self, values: Sequence[float]) -> float:
        """Return the chance, in [0, 1]."""
        return round(1 / (1 + exp(-self.intercept - sum(self.contributions(values)))), _DECIMALS)


class Weights(NamedTuple):
    """The models of messages and of texts, and the direction of vectors that ask (or none)."""

    message: Model
    text: Model
    direction: Sequence[float]

    def asking(self, vector: Sequence[float]) -> float:
        """Return how far *vector* points in the direction of messages that ask; NaN: not known."""
        if len(vector) != len(self.direction) or not any(vector):
            return nan
        return float(sum(map(mul, vector, self.direction)) / sqrt(sum(map(mul, vector, vector))))


class Thresholds(NamedTuple):
    """The chance from which a message *asks*, and from which a text *answers* one that does.

    A text has at least this *share* of the best one's chance too.
    """

    asks: float
    answers: float
    share: float


def is_kept(row: Sequence[float]) -> bool:
    """Tell whether a text, with this row of signals, is kept always about somebody who is named.

    It belongs whatever its chance is: nobody thinks of asking for an allergy.
    """
    return bool(row[_ALWAYS] and row[_NAMED])


def choose(sets: Mapping[str, Weights], vector: Sequence[float], model: str | None) -> str:
    """Return the name of the set of weights for a question with *vector*, made by *model*."""
    if not vector:
        return WORDS
    return model if model is not None and model in sets else OTHER


@cache
def load() -> tuple[Mapping[str, Weights], Thresholds]:
    """Return the sets of weights that are shipped, and the thresholds."""
    # Not `pathlib`, which a reload would drop; and the import system reads from a zip too.
    folder = __file__.rpartition("/")[0]
    return parse(__loader__.get_data(f"{folder}/{FILE}"))  # type: ignore


def parse(data: bytes) -> tuple[Mapping[str, Weights], Thresholds]:
    """Return the weights in *data*. Raises InvalidNumber if they are not of these signals."""
    json: Any = __import__("json")
    try:
        told = json.loads(data)
        names = [[one.name for one in of] for of in (MESSAGE, TEXT)]
        if [told["signals"]["message"], told["signals"]["text"]] != names:
            raise InvalidNumber(f"{FILE}: is of other signals; run python -m benchmarks.train")
        sets = {
            name: Weights(Model(**one["message"]), Model(**one["text"]), one["direction"])
            for name, one in told["sets"].items()
        }
        return sets, Thresholds(**told["thresholds"])
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidNumber(f"{FILE}: cannot be read: {error!r}") from None
