"""Finding entities by what they are called."""

from collections.abc import Sequence
from typing import Any

from .. import checks
from .. import text as texts
from ..words.splitting import split
from . import components, names, schema, trust
from .node import Graph, Node

Row = dict[str, Any]

# The very name is 1; a label that begins so, or that has some of the words, is less.
_BEGINS, _WORDS = 0.9, 0.8


def search(
    graph: Graph, query: str, types: Sequence[str], limit: int | None, include_inactive: bool
) -> list[Row]:
    """Return the entities that are called like *query*, the closest first; at most *limit*.

    A component is one row, found by any of its labels. What the user never mentioned comes after
    all others, whatever it is called. A row has entity_id, label, type, kind, status, trust,
    last_activated (unix ms) and score, in [0, 1].
    """
    name = names.canonical(texts.summary(query, "query"))
    wanted = [checks.one_of(schema.NODE_TYPES)(one, "types") for one in types]
    asked = split(name)
    best: dict[int, tuple[float, Node]] = {}
    for node in graph.of(schema.ENTITY):
        score = _score(names.canonical(node.name), name, asked)
        if score <= 0:
            continue
        canonical = components.canonical(graph, node)
        if score > best.get(canonical.id, (0.0, canonical))[0]:
            best[canonical.id] = score, canonical
    rows = [
        (components.said(graph, node), score, node)
        for score, node in best.values()
        if (not wanted or node.node_type in wanted) and (include_inactive or node.get("is_active"))
    ]
    rows.sort(
        key=lambda row: (row[0].user == 0, -row[1], -row[2].get("last_activated"), row[2].key)
    )
    return [_row(*row) for row in rows[: schema.limit(limit)]]


def _score(called: str, name: str, asked: Sequence[str]) -> float:
    """Return how well a canonical name fits the *name* or the words that are *asked* for."""
    if called == name:
        return 1.0
    if called.startswith(name):
        return _BEGINS
    has = split(called)
    hits = sum(any(one.startswith(word) for one in has) for word in asked)
    return _WORDS * hits / len(asked) if asked else 0.0


def _row(said: trust.Said, score: float, node: Node) -> Row:
    return {
        "entity_id": node.key,
        "label": node.name,
        "type": node.node_type,
        "kind": node.get("entity_kind"),
        "status": node.status,
        "trust": trust.trust(said),
        "last_activated": node.get("last_activated"),
        "score": score,
        "inferred": said.user == 0,
    }
