"""Explain what belongs to a message: what each signal adds to its chance, and to that of a text."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from ..everyday import schema
from ..memories.view import Graph
from ..texts import text as texts
from ..verbs.arguments import Limit
from ..verbs.limits import MOST_FOUND
from .answering import asks_time_alone, list_answers
from .gather import gather
from .read import read
from .score import asking, score, weights_for
from .weigh import weigh
from .weights import MESSAGE, TEXT, Model, Signal

Row = dict[str, Any]
_MESSAGE: Final = "message"
_DECIMALS: Final = 4
# A contribution that changes odds by less than a tenth is no line of its own.
_LEAST: Final = 0.1


def explain(
    graph: Graph,
    message: Annotated[str, "A message, or what was searched for."],
    id_: Annotated[str | None, "A memory; without it, the best."] = None,
    limit: Limit | None = schema.DEFAULT_LIMIT,
    vector: Sequence[float] = (),
    model: str | None = None,
) -> list[Row]:
    """Tell why a recall of *message* shows a memory, or does not: what each signal adds.

    The first row is of the message. The others are of the memories that words, meaning, links or a
    time lead to, the best first: *limit* of them, or the one with that id, if it is among them. A
    row has kind, id and text; chance, from 0 to 1; least, the chance that is needed; belongs; and
    why, a line for each signal, the greatest contribution first. A contribution is in logarithms
    of odds: the chance is 1 / (1 + exp(−their sum)). A likely text may still not belong: a
    courtesy, what is over, or what is not of the time that the message asks for alone. Nothing is
    accessed. Raises the errors of `recall`.
    """
    wanted = None if id_ is None else texts.name(id_, "id")
    most = texts.limit(limit, schema.DEFAULT_LIMIT, MOST_FOUND)
    question = read(graph, message, None, vector, model)
    weighed = weigh(question, gather(question))
    scored, weights = score(question, weighed), weights_for(question)
    answers = list_answers(question, None if asks_time_alone(question) else scored)
    belongs = {one.node for one in answers}
    why = _tell(weights.message, MESSAGE, asking(question, weighed))
    first: Row = {"kind": _MESSAGE, "id": None, "text": question.text, "least": scored.asks_at}
    does_ask = scored.asks >= scored.asks_at or len(graph.context.also) > question.renamed
    rows = [{**first, "chance": scored.asks, "belongs": does_ask, "why": why}]
    shown = sorted(scored.chances, key=lambda one: (-scored.chances[one], one.node.memory_id))
    for one in shown if wanted is None else (one for one in shown if one.node.memory_id == wanted):
        row = max(weighed.rows[one], key=weights.text.chance)
        rows.append(
            {
                "kind": schema.MEMORY,
                "id": one.node.memory_id,
                "text": one.node.text,
                "chance": scored.chances[one],
                "least": scored.least,
                "belongs": one.node in belongs,
                "why": _tell(weights.text, TEXT, row),
            }
        )
    return [
        {**row, "chance": round(row["chance"], _DECIMALS), "least": round(row["least"], _DECIMALS)}
        for row in rows[: most + 1]
    ]


def _tell(model: Model, signals: Sequence[Signal], values: Sequence[float]) -> str:
    """Return a line for each of *signals* that adds enough, the greatest contribution first."""
    each = list(zip(model.contributions(values), signals, values, strict=True))
    each.sort(key=lambda one: (-abs(one[0]), one[1].name))
    told = [
        f"{by:+.2f} {signal.name} ({value:.2f}): {signal.says}"
        for by, signal, value in each
        if abs(by) >= _LEAST
    ]
    rest = sum(by for by, *_ in each if abs(by) < _LEAST)
    told += [f"{rest:+.2f} all other signals", f"{model.intercept:+.2f} to begin with"]
    return "\n".join(told)
