"""Count the entities of one scope, and the open questions about them."""

from collections import Counter
from typing import Any

from . import lookups, schema
from .node import Graph

Row = dict[str, Any]


def stats(graph: Graph) -> list[Row]:
    """Return (measure, value, note) rows: entities by status, inferred ones, edges by type.

    A note explains the number to the owner.
    """
    counts: Counter[str] = Counter()
    edges: Counter[str] = Counter()
    open_questions = taken_back = inactive = 0
    graph.pull(lookups.every(graph.user_id))
    for node in graph.of(schema.ENTITY):
        counts["entities"] += 1
        counts[node.status] += 1
        counts["inactive"] += not node.get("is_active")
        counts["inferred"] += not node.get("user_mention_count")
        counts["with an embedding"] += node.raw.get_property("embedding") is not None
        for tie in graph.leaving(node):
            edges[tie.type] += 1
            inactive += not tie.is_active
            if tie.type == schema.SAME_AS:
                open_questions += tie.get("status") == schema.CANDIDATE
                taken_back += tie.get("status") == schema.REJECTED
    names = ("entities", *schema.IDENTITY_STATUSES, "inactive", "inferred", "with an embedding")
    rows = [_row(name, counts[name], _note(name, counts[name])) for name in names]
    rows += [_row(kind.lower(), edges[kind], _of_edges(kind, counts)) for kind in schema.BETWEEN]
    rows.append(_row("inactive edges", inactive))
    rows.append(_row("same_as in question", open_questions, "the weekly run looks at them"))
    rows.append(_row("same_as taken back", taken_back, "not proposed again"))
    return rows


def _note(name: str, count: int) -> str | None:
    if name == "inferred" and count:
        return "only a model mentioned them"
    return None


def _of_edges(kind: str, counts: Counter[str]) -> str | None:
    if kind == schema.SEMANTIC and not counts["with an embedding"]:
        return "none are made by likeness: no entity has an embedding"
    return None


def _row(measure: str, value: int, note: str | None = None) -> Row:
    return {"measure": measure, "value": value, "note": note}
