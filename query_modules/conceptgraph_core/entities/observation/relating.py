"""Record observed relations, by the user or inferred by a model, and reinforce edges.

A session reinforces an edge once.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from ...texts.text import show_name
from ...verbs.errors import NotFound, Tautology
from .. import edges, schema
from ..beliefs import attribution
from ..identity import components
from ..inputs import Relation
from ..language.spans import Said
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


def relate(
    graph: Graph,
    session: Node,
    named: Callable[[str], Node | None],
    speaker: str,
    said: Said,
    relation: Relation,
) -> dict[str, Any]:
    """Add or reinforce *relation*, once a session. Returns from, to (ids), type, origin, created.

    It is the user's if the user speaks, *said* contains its span, and the span contains a name of
    either end. Otherwise `refused_span` or `inferred_from` has that span. A semantic relation must
    be the user's. A causal one is always an inference, and has no effect until three sessions have
    reinforced it. `refused` says why no relation was made.
    """
    source = _end(named, relation.source, f"{relation.where}.from")
    target = _end(named, relation.target, f"{relation.where}.to")
    if source.id == target.id:
        both = f"{show_name(relation.source)} and {show_name(relation.target)}"
        raise Tautology(f"{relation.where}: {both} are one")
    # Whether its words contain the name of each end, or another name of it.
    found = [
        attribution.origin(
            *(said, speaker, name, relation.span, end.node_type),
            components.called_by_user(graph, end),
        )
        for name, end in ((relation.source, source), (relation.target, target))
    ]
    is_users = relation.span is not None and {one.origin for one in found} == {schema.USER}
    if relation.type in schema.UNDIRECTED:
        source, target = graph.ordered(source, target)
    row: dict[str, Any] = {
        "from": source.key,
        "to": target.key,
        "type": relation.type.lower(),
        "origin": _origin(relation.type, is_users),
    }
    if any(one.refused for one in found):
        row["refused_span"] = relation.span
    elif not is_users and any(one.inferred_from for one in found):
        row["inferred_from"] = relation.span
    tie = graph.between(source, target, relation.type)
    is_new = tie is None
    if tie is None:
        if relation.type == schema.SEMANTIC and not is_users:
            return {
                **row,
                "created": False,
                "refused": "a semantic relation needs the user's words",
            }
        tie = _new(graph, source, target, relation, is_users)
    if _counts(graph, session, tie, (source, target), is_users) and not is_new:
        strengthen(graph, tie, (source, target))
    return {**row, "created": is_new, "is_active": tie.is_active}


def _origin(edge_type: str, is_users: bool) -> str:
    """Return the origin of an observed relation; a causal one can only be inferred."""
    return schema.EXPLICIT if is_users and edge_type != schema.CAUSAL else schema.INFERRED


def _counts(graph: Graph, session: Node, tie: Tie, ends: Ends, is_users: bool) -> bool:
    """Count an observed relation in *session*, once; tell whether the session is new to it.

    An inferred relation of the session may become the user's.
    """
    counted = session.get("relations")
    key = edges.key(tie.type, *(end.key for end in ends))
    inferred = f"{key}\t{schema.MODEL}"
    stated = f"{key}\t{schema.USER}"
    if stated in counted or (inferred in counted and not is_users):
        return False
    if is_users:
        tie.set(origin=_origin(tie.type, is_users))
    credit(graph, tie, ends, schema.USER if is_users else schema.MODEL)
    is_first = inferred not in counted
    if is_first:
        kept = [*(tie.get("sessions") or []), session.key]
        tie.set(sessions=kept[-schema.MAX_SESSIONS_KEPT :])
    else:
        # The user has now stated the relation that the model had inferred.
        counted.remove(inferred)
        take_back(tie)
    session.set(relations=[*counted, stated if is_users else inferred], is_open=True)
    return is_first


def _new(graph: Graph, source: Node, target: Node, relation: Relation, is_users: bool) -> Tie:
    is_causal = relation.type == schema.CAUSAL
    tie = graph.join(
        source,
        target,
        relation.type,
        origin=_origin(relation.type, is_users),
        evidence=relation.span,
        weight=edges.DEFAULT_WEIGHTS[relation.type],
        is_active=not is_causal,
        requires_activation=schema.CAUSAL_SESSIONS if is_causal else 0,
    )
    if tie.connects:
        connect((source, target))
    return tie


def _end(named: Callable[[str], Node | None], name: str, field: str) -> Node:
    node = named(name)
    if node is None:
        raise NotFound(f"{field}: this session has not mentioned {show_name(name)}; observe it too")
    return node
