"""The signals that may speak for a message or a text, and the weights by which they decide.

`weights.json` has a set of weights for each model of vectors that we know, one for others, and one
for words alone; `python -m benchmarks.train` writes it. Imports nothing of Memgraph.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from math import copysign, exp, isfinite, isnan, nan, sqrt
from operator import mul
from typing import Any, Final, NamedTuple

from ..verbs.errors import InvalidNumber

FILE: Final = "weights.json"
OTHER: Final = "other"
WORDS: Final = "words"
# A value counts at most so many deviations from the mean: what it says beyond was never seen.
FURTHEST: Final = 4.0
# Sums differ in their last bits by the order of their terms.
_DECIMALS: Final = 9
# The exponential function of a greater sum is no float.
_MOST: Final = 700.0


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

# Without the file, chances say which share of the message's words a text has, and half is needed.
_HALF: Final = 0.5
_STEEP: Final = 12.0

_ALWAYS, _NAMED, _COVERED = (
    [one.name for one in TEXT].index(name) for name in ("always", "named", "covered")
)


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
            weight * (by if -FURTHEST <= (by := (one - mean) / scale) <= FURTHEST else _bound(by))
            for one, mean, scale, weight in each
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


def _bound(deviations: float) -> float:
    return 0.0 if isnan(deviations) else copysign(FURTHEST, deviations)


def is_kept(row: Sequence[float]) -> bool:
    """Tell whether a text, with this row of signals, is kept always about somebody who is named.

    It belongs whatever its chance is: nobody thinks of asking for an allergy.
    """
    return bool(row[_ALWAYS] and row[_NAMED])


def has_all(row: Sequence[float]) -> bool:
    """Tell whether a text, with this row of signals, has all words of the message."""
    return row[_COVERED] >= 1


def choose(sets: Mapping[str, Weights], vector: Sequence[float], model: str | None) -> str:
    """Return the name of the set of weights for a question with *vector*, made by *model*."""
    if not vector:
        return WORDS
    return model if model is not None and model in sets else OTHER


@cache
def load() -> tuple[Mapping[str, Weights], Thresholds]:
    """Return the sets of weights that are shipped, and the thresholds.

    If they cannot be read, one warning says so, and the words of texts decide alone.
    """
    # Not `pathlib`, which a reload would drop; and the import system reads from a zip too.
    folder = __file__.rpartition("/")[0]
    try:
        return parse(__loader__.get_data(f"{folder}/{FILE}"))  # type: ignore
    except (OSError, InvalidNumber) as error:
        told = f"{FILE} is damaged, and recalls go by words alone; install it again: {error}"
        __import__("logging").getLogger("conceptgraph").warning(told)
        by_words = Weights(_by_words(MESSAGE), _by_words(TEXT), ())
        return {OTHER: by_words, WORDS: by_words}, Thresholds(_HALF, _HALF, _HALF)


def _by_words(signals: Sequence[Signal]) -> Model:
    """Return a model of *signals* by which a chance above a half is a share of words above it."""
    ones = [1.0] * len(signals)
    weights = [_STEEP if one.name == "covered" else 0.0 for one in signals]
    return Model([0.0] * len(signals), ones, weights, -_STEEP * _HALF)


def parse(data: bytes) -> tuple[Mapping[str, Weights], Thresholds]:
    """Return the weights in *data*. Raises InvalidNumber if they are not of these signals."""
    json: Any = __import__("json")
    names = [[one.name for one in of] for of in (MESSAGE, TEXT)]
    try:
        told = json.loads(data)
        if [told["signals"]["message"], told["signals"]["text"]] == names:
            sets = {
                name: Weights(Model(**one["message"]), Model(**one["text"]), one["direction"])
                for name, one in told["sets"].items()
            }
            thresholds = Thresholds(**told["thresholds"])
            _check(sets, thresholds)
            return sets, thresholds
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise InvalidNumber(f"{FILE}: cannot be read: {error!r}") from None
    raise InvalidNumber(f"{FILE}: is of other signals; run python -m benchmarks.train")


def _check(sets: Mapping[str, Weights], thresholds: Thresholds) -> None:
    """Refuse what would fail a recall later on."""
    if not all(0 < one <= 1 for one in thresholds):
        raise ValueError(f"{thresholds} are no thresholds")
    for weights in (sets[OTHER], sets[WORDS], *sets.values()):
        sum(weights.direction)
        for model, signals in ((weights.message, MESSAGE), (weights.text, TEXT)):
            if {len(numbers) for numbers in model[:3]} != {len(signals)}:
                raise ValueError("not one number a signal")
            most = FURTHEST * sum(map(abs, model.weights)) + abs(model.intercept)
            if not (isfinite(sum(model.means)) and min(model.scales) > 0 and most < _MOST):
                raise ValueError("a number is out of range")
