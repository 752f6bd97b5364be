"""Write the memories that match a query into one text, within a token budget."""

from collections.abc import Sequence
from typing import Any

from .. import budgets, text
from ..memories.entries import count_access
from ..memories.meaning import read_meant
from ..memories.rendering import fitting
from ..memories.search import Wordings
from ..memories.view import Graph
from ..retrieval.question import shorten
from .gather import gather
from .read import read
from .say import put_in_order
from .score import rank


def context(
    graph: Graph,
    query: str,
    token_budget: int | None = budgets.DEFAULT_BUDGET,
    vector: Sequence[float] = (),
    model: str | None = None,
) -> dict[str, Any]:
    """Compose the memories that match *query* within *token_budget*, the most relevant first.

    * The text has the matches, and memories that the links of the best matches lead to.
    * A memory that contradicts another one precedes it, and so does a later one on its matter.
    * Duplicates (the same words) appear once, by the latest.
    * A replaced memory is left out, unless *query* asks for the past.
    * A memory that does not fit is left out; only the first one is cut.

    Returns text, entries (the lines: memory_id, at in unix ms, speaker, source, text, also,
    contradicted_by), memory_ids, tokens (estimated), left_out (how many did not fit) and accessed
    (the arguments of `everyday.access`).

    Unless the call is read-only, the memories in the text count as accessed, and the existing links
    between them are strengthened. Raises the errors of `search`.
    """
    budget = budgets.budget(token_budget)
    query = shorten(text.summary(query, "query"))
    meant = read_meant(graph, query, vector)
    wordings = Wordings(graph, query, meant.vector, model, spelt=meant.spelt)
    question = read(graph, query, None, wordings, meant.vector, model, None)
    found = put_in_order(question, rank(gather(question)), later_first=True)
    rows = list(fitting((one.entry for one in found), budget))
    put = [found[place].node for place, *_ in rows]
    count_access(graph, put)
    made = "\n".join(line for *_, line in rows)
    memory_ids = [node.memory_id for node in put]
    return {
        "text": made,
        "entries": [dict(shown) for _, shown, _ in rows],
        "memory_ids": memory_ids,
        "tokens": budgets.tokens(budgets.size(made)),
        "left_out": len(found) - len(put),
        "accessed": {"memories": memory_ids},
    }
