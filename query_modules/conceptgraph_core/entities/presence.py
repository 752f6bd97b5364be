"""Count the mentions of entities by periods: who was spoken of when, how it felt, who came back."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from .. import dates
from . import schema
from .identity import components, merging
from .narration import reading
from .node import Graph, Node

Row = dict[str, Any]

MOST_PERIODS: Final = 400
# Without a mention for so long an entity was away. A forgotten one is set aside after 90 days (see
# `consolidation.weekly`), so that people notice a return earlier than the memory does.
AWAY_MS: Final = 60 * dates.DAY_MS
MOST_RETURNS: Final = 5


def presence(graph: Graph, entity_ids: Sequence[str], bounds: Sequence[int]) -> list[Row]:
    """Count the mentions of each entity between each two of *bounds* (unix ms, ascending).

    A row counts all entities merged with it: entity_id, label, kind, and one item per period in
    user and model, the mentions by each. `feelings` has {period, valence, mentions} for each period
    in which the user's mentions have a valence: its mean in −1…1, and their number. `returns` lists
    the latest mentions by the user after a silence of 60 days, {at, since, text}: since when nobody
    had mentioned it, and the words that did. Raises NotFound, InvalidNumber.
    """
    parts = dates.periods(bounds, "bounds", MOST_PERIODS)
    found = merging.entities(graph, entity_ids)
    canonical = {one.id: one for one in (components.canonical(graph, one) for one in found)}
    return [_row(graph, one, parts) for one in canonical.values()]


def _row(graph: Graph, node: Node, bounds: list[int]) -> Row:
    members = components.members(graph, node)
    told = [one for member in members for one in reading.mentions_of(graph, member)]
    told.sort(key=lambda one: (one.created_at, one.get("sequence"), one.key))
    counts = {origin: [0] * (len(bounds) - 1) for origin in schema.SPEAKERS}
    felt: list[list[float]] = [[] for _ in bounds[1:]]
    for one in told:
        period = dates.period(bounds, one.created_at)
        if period is None:
            continue
        counts[one.get("origin")][period] += 1
        valence = one.get("emotional_valence")
        if valence is not None and one.get("origin") == schema.USER:
            felt[period].append(valence)
    return {
        "entity_id": node.key,
        "label": node.name,
        "kind": next((kind for one in members if (kind := one.get("entity_kind"))), None),
        **counts,
        "feelings": [
            {"period": period, "valence": sum(each) / len(each), "mentions": len(each)}
            for period, each in enumerate(felt)
            if each
        ],
        "returns": _returns(told)[-MOST_RETURNS:],
    }


def _returns(told: Sequence[Node]) -> list[Row]:
    """Return the user's mentions that ended a silence, the earliest first."""
    return [
        {"at": one.created_at, "since": before.created_at, "text": one.words}
        for before, one in pairwise(told)
        if one.created_at - before.created_at >= AWAY_MS and one.get("origin") == schema.USER
    ]
