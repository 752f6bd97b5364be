"""Score what was weighed: the chance that a message asks for anything, and that a text answers.

Each is a logistic model (`weights`). On turns of talk, models fitted to such turns order texts no
better than words and nearness alone do (`Found.score`), so searches and contexts go by these.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ..memories.schema import CONTEXT_BEST, CONTEXT_BREVITY, CONTEXT_LEAST
from ..memories.traversal import age
from . import budgets
from .gather import Candidate, Gathered
from .read import Question
from .weigh import Weighed
from .weights import Weights, choose, has_all, is_kept, load

# So many texts of the past time that a message names belong to it, whatever their chances are.
_MOST_OF_A_TIME: Final = 3
# The estimated bytes of a line besides its text: its time, its speaker and its id.
_BESIDE: Final = 100


class Scored(NamedTuple):
    """The chance of the message, that of each candidate, and those that belong, the best first.

    From *asks_at* the message asks, and from *least* a candidate answers.
    """

    asks: float
    chances: Mapping[Candidate, float]
    belonging: Sequence[Candidate]
    asks_at: float = 0.0
    least: float = 0.0


def score(question: Question, weighed: Weighed) -> Scored:
    """Return the chances of *weighed*, the signals of *question* and its candidates.

    A message with other wordings always asks.
    """
    _, given = load()
    chosen = zip(question.graph.context.thresholds, given[:2], strict=True)
    asks_at, answers_at = (by_weights if one is None else one for one, by_weights in chosen)
    weights = weights_for(question)
    asks = weights.message.chance(asking(question, weighed))
    chances = {one: max(map(weights.text.chance, rows)) for one, rows in weighed.rows.items()}
    ordered = sorted(
        chances, key=lambda one: (-chances[one], -one.node.told_at, one.node.memory_id)
    )
    # The threshold of answers sets how far behind the best another one may be, too.
    share = min(1.0, given.share * answers_at / given.answers)
    least = max(answers_at, share * max(chances.values(), default=0.0))
    if question.is_number:
        # The vector of a number says nothing, but it names the texts that have it.
        having = [one for one in ordered if any(map(has_all, weighed.rows[one]))]
        return Scored(asks, chances, having, asks_at, least)
    if asks < asks_at and len(question.graph.context.also) == question.renamed:
        return Scored(asks, chances, [], asks_at, least)
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
        asks_at,
        least,
    )


def weights_for(question: Question) -> Weights:
    """Return the weights by which *question* is decided."""
    sets, _ = load()
    return sets[choose(sets, question.vector, question.model)]


def asking(question: Question, weighed: Weighed) -> Sequence[float]:
    """Return the signals of the message of *question*, "asking" too."""
    return weights_for(question).asking(question.vector), *weighed.message[1:]


def rank(gathered: Gathered) -> list[Candidate]:
    """Return what belongs by words, nearness and links alone, the best first.

    That is what has `CONTEXT_LEAST` of the best score, and the few best in any case. The shorter of
    two equally relevant ones comes first, so that a budget holds more answers.
    """
    best = [max((one.score for one in found), default=0.0) for _, found in gathered.wordings]
    first = {id(one) for _, found in gathered.wordings for one in found[:CONTEXT_BEST]}
    worths: dict[Candidate, float] = {}
    for one in gathered.candidates:
        shares = (hit.score / best[number] for number, hit in one.found.items())
        relevance = max(one.linked, *shares, 0.0)
        if (
            one.linked
            or relevance >= CONTEXT_LEAST
            or any(id(hit) in first for hit in one.found.values())
        ):
            size = _BESIDE + budgets.size(one.node.content)
            worths[one] = relevance / size**CONTEXT_BREVITY
    return sorted(worths, key=lambda one: (-worths[one], *age(one.node.raw)))
