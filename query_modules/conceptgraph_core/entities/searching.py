"""Search entities by their names."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import text as texts
from .. import validators
from . import lookups, names, schema, trust
from .identity import components
from .node import Graph, Node

Row = dict[str, Any]

# The exact name scores 1. The other scores: equal but for accents and apostrophes, a label that
# begins so, a label with some of the words.
_ALIKE, _BEGINS, _WORDS = 0.95, 0.9, 0.8


class _Asked(NamedTuple):
    """The query: a canonical name, its plain form, and its words."""

    name: str
    plain: str
    words: Sequence[str]

    def score(self, label: str) -> float:
        """Return the score of *label*, in [0, 1]."""
        called = names.canonical(label)
        if called == self.name:
            return 1.0
        plain = names.searched(called)
        if plain == self.plain:
            return _ALIKE
        if plain.startswith(self.plain):
            return _BEGINS
        has = names.words(called)
        hits = sum(any(one.startswith(word) for one in has) for word in self.words)
        return _WORDS * hits / len(self.words) if self.words else 0.0


def search(
    graph: Graph,
    query: str,
    types: Sequence[str] = (),
    limit: int | None = schema.DEFAULT_LIMIT,
    include_inactive: bool = False,
) -> list[Row]:
    """Search entities by name, the closest first; at most *limit*.

    A component is one row, found by any of its labels. Entities that the user never mentioned come
    last. An archived one is found by its exact name only, unless all archived ones are requested,
    and comes after the active ones. A row has entity_id, label, type, kind, status, trust,
    last_activated (unix ms) and score, in [0, 1].
    """
    texts.summary(query, "query")
    graph.pull(lookups.searched(query, graph.user_id))
    return list_matching(graph, query, types, limit, include_inactive)


def list_matching(
    graph: Graph,
    query: str,
    types: Sequence[str] = (),
    limit: int | None = schema.DEFAULT_LIMIT,
    include_inactive: bool = False,
) -> list[Row]:
    """Return the same of the entities that *graph* has pulled."""
    wanted = [validators.one_of(schema.NODE_TYPES)(one, "types") for one in types]
    name = names.canonical(query)
    asked = _Asked(name, names.searched(name), names.words(name))
    best: dict[int, tuple[float, Node]] = {}
    for node in graph.of(schema.ENTITY):
        score = max(map(asked.score, (node.bare, node.own_name)))
        if score <= 0:
            continue
        canonical = components.canonical(graph, node)
        if score > best.get(canonical.id, (0.0, canonical))[0]:
            best[canonical.id] = score, canonical
    ranked = []
    for score, node in best.values():
        everyone = components.members(graph, node)
        is_set_aside = not any(one.get("is_active") for one in everyone)
        is_named = score >= _ALIKE or not is_set_aside
        if (not wanted or node.node_type in wanted) and (include_inactive or is_named):
            is_inferred = not any(one.get("user_mention_count") for one in everyone)
            rank = is_inferred, is_set_aside, -score, -node.get("last_activated"), node.key
            ranked.append((rank, score, node))
    ranked.sort(key=lambda row: row[0])
    # Trust needs the edges, which are many: they are read for the rows alone.
    return [
        _row(components.said(graph, node), score, node)
        for _, score, node in ranked[: schema.limit(limit)]
    ]


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
