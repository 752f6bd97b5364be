"""Score what was weighed: the chance that a message asks for anything, and that a text answers.

Each is a logistic model (`weights`).
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from .gather import Candidate
from .read import Question
from .weigh import Weighed
from .weights import choose, is_kept, load

# So many texts of the past time that a message names belong to it, whatever their chances are.
_MOST_OF_A_TIME: Final = 3


class Scored(NamedTuple):
    """The chance of the message, that of each candidate, and those that belong, the best first."""

    asks: float
    chances: Mapping[Candidate, float]
    belonging: Sequence[Candidate]


def score(question: Question, weighed: Weighed) -> Scored:
    """Return the chances of *weighed*, the signals of *question* and its candidates.

    A message with other wordings always asks.
    """
    sets, given = load()
    chosen = zip(question.graph.context.thresholds, given[:2], strict=True)
    asks_at, answers_at = (by_weights if one is None else one for one, by_weights in chosen)
    weights = sets[choose(sets, question.vector, question.model)]
    asking = weights.asking(question.vector), *weighed.message[1:]
    asks = weights.message.chance(asking)
    chances = {one: max(map(weights.text.chance, rows)) for one, rows in weighed.rows.items()}
    if asks < asks_at and len(question.graph.context.also) == question.renamed:
        return Scored(asks, chances, [])
    ordered = sorted(
        chances, key=lambda one: (-chances[one], -one.node.told_at, one.node.memory_id)
    )
    # The threshold of answers sets how far behind the best another one may be, too.
    share = min(1.0, given.share * answers_at / given.answers)
    least = max(answers_at, share * max(chances.values(), default=0.0))
    around = question.around
    of_time = [one for one in ordered if around is not None and around.holds(one.node.told_at)]
    # A question about May is for something of May.
    expected = {*of_time[:_MOST_OF_A_TIME]}
    return Scored(
        asks,
        chances,
        [
            one
            for one in ordered
            if chances[one] >= least or one in expected or any(map(is_kept, weighed.rows[one]))
        ],
    )
