"""Reinforce an edge between entities, of any type, at most once a session."""

from collections.abc import Iterable
from typing import Final

from .. import edges, schema
from ..identity import components
from ..node import Graph, Node, Tie

Ends = tuple[Node, Node]

_COUNTS: Final = {
    schema.USER: "user_reinforcement_count",
    schema.MODEL: "model_reinforcement_count",
}


def strengthen(graph: Graph, tie: Tie, ends: Ends) -> None:
    """Let one more session reinforce an edge, and revive it if it had faded.

    That does not revive a causal relation, which must pass its own gate.
    """
    now_ms = graph.now_ms
    weighed_at = tie.weighed_at(now_ms)
    faded_days = edges.days_between(weighed_at, now_ms)
    weight = edges.reinforced(tie.type, tie.get("weight"), faded_days, tie.idle_days(now_ms))
    tie.set(
        weight=weight,
        weight_at=max(weighed_at, now_ms),
        last_activated=max(tie.get("last_activated"), now_ms),
        activation_count=tie.get("activation_count") + 1,
        distinct_session_count=tie.get("distinct_session_count") + 1,
    )
    if tie.type != schema.CAUSAL and not tie.is_active:
        activate(tie, ends)


def activate(tie: Tie, ends: Ends) -> None:
    """Switch on an edge that is off."""
    tie.set(is_active=True)
    if tie.connects:
        connect(ends)


def connect(ends: Iterable[Node]) -> None:
    """Count one more active connection of both *ends*."""
    for end in ends:
        end.add("edge_count", 1)


def credit(graph: Graph, tie: Tie, ends: Ends, by: str, amount: float = 1.0) -> None:
    """Count a reinforcement of an edge, by the user or by a model."""
    if by == schema.USER and not tie.by_user and tie.type in schema.CONNECTING:
        for end in ends:
            end.set(user_edge_count=components.by_user(graph, end) + 1)
    name = _COUNTS[by]
    tie.set(**{name: tie.get(name) + amount})


def take_back(tie: Tie, amount: float = 1.0) -> None:
    """Subtract the model's reinforcement of this session, because the user has said it since."""
    name = _COUNTS[schema.MODEL]
    tie.set(**{name: max(0.0, tie.get(name) - amount)})
