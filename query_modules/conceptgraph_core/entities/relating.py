"""Relations that are observed: stated by the user, or inferred by a model, and counted as such."""

from collections.abc import Callable
from typing import Any

from ..errors import NotFound, Tautology
from ..text import shown
from . import components, edges, schema, standing
from .node import Graph, Node, Tie
from .observed import Relation
from .spans import Said

_NEEDS_WORDS = "a semantic relation needs the user's words"


def relate(
    graph: Graph,
    session: Node,
    named: Callable[[str], Node | None],
    speaker: str,
    said: Said,
    relation: Relation,
) -> dict[str, Any]:
    """Add or reinforce *relation*, once a session. Returns from, to (ids), type, origin, created.

    It is the user's if the user speaks, its span stands in what is *said*, and what either end is
    called stands in the span; else `refused_span` or `inferred_from` has that span. A semantic
    relation needs that; a causal one does nothing before three sessions have reinforced it.
    `refused` says why none was made.
    """
    source = _end(named, relation.source, f"{relation.where}.from")
    target = _end(named, relation.target, f"{relation.where}.to")
    if source.id == target.id:
        both = f"{shown(relation.source)} and {shown(relation.target)}"
        raise Tautology(f"{relation.where}: {both} are one")
    ends = {relation.source: source, relation.target: target}
    found = [_found(graph, speaker, said, relation, *end) for end in ends.items()]
    is_users = relation.span is not None and {one.origin for one in found} == {schema.USER}
    if relation.type in schema.UNDIRECTED:
        source, target = graph.ordered(source, target)
    row: dict[str, Any] = {
        "from": source.key,
        "to": target.key,
        "type": relation.type.lower(),
        "origin": schema.EXPLICIT if is_users else schema.INFERRED,
    }
    if any(one.refused for one in found):
        row["refused_span"] = relation.span
    elif not is_users and any(one.inferred_from for one in found):
        row["inferred_from"] = relation.span
    tie = graph.between(source, target, relation.type)
    if tie is None:
        if relation.type == schema.SEMANTIC and not is_users:
            return {
                **row,
                "created": False,
                "refused": _NEEDS_WORDS,
            }
        tie = _new(graph, source, target, relation, is_users)
        row["created"] = True
    else:
        row["created"] = False
    reinforce(graph, session, tie, edges.key(relation.type, source.key, target.key), is_users)
    return {**row, "is_active": tie.is_active}


def _found(
    graph: Graph, speaker: str, said: Said, relation: Relation, name: str, entity: Node
) -> standing.Found:
    """Return whether the end *name*, or another name of it, stands in the words of *relation*."""
    known = components.called_by_user(graph, entity)
    return standing.origin(said, speaker, name, relation.span, entity.node_type, known)


def reinforce(graph: Graph, session: Node, tie: Tie, key: str, is_users: bool) -> None:
    """Let *session* reinforce an observed relation, once.

    What was only inferred in it may become the user's.
    """
    counted = session.get("relations")
    inferred = f"{key}\t{schema.MODEL}"
    stated = f"{key}\t{schema.USER}"
    if stated in counted or (inferred in counted and not is_users):
        return
    if is_users:
        tie.set(origin=schema.EXPLICIT)
        tie.set(user_reinforcement_count=tie.get("user_reinforcement_count") + 1.0)
    else:
        tie.set(model_reinforcement_count=tie.get("model_reinforcement_count") + 1.0)
    if inferred in counted:
        # The user has now said what the model had inferred.
        counted.remove(inferred)
        tie.set(model_reinforcement_count=tie.get("model_reinforcement_count") - 1.0)
    else:
        _strengthen(graph, session, tie)
    session.set(relations=[*counted, stated if is_users else inferred], is_open=True)


def _strengthen(graph: Graph, session: Node, tie: Tie) -> None:
    now_ms = graph.now_ms
    sessions = tie.get("sessions") or []
    if sessions:
        weighed_at = tie.weighed_at(now_ms)
        days = edges.days_between(weighed_at, now_ms)
        tie.set(
            weight=edges.ema(tie.type, tie.get("weight"), 1.0, days),
            weight_at=max(weighed_at, now_ms),
            activation_count=tie.get("activation_count") + 1,
            distinct_session_count=tie.get("distinct_session_count") + 1,
        )
    if tie.type != schema.CAUSAL:
        tie.set(is_active=True)
    kept = [*sessions, session.key][-schema.MAX_SESSIONS_KEPT :]
    tie.set(last_activated=max(tie.get("last_activated"), now_ms), sessions=kept)


def _new(graph: Graph, source: Node, target: Node, relation: Relation, is_users: bool) -> Tie:
    is_causal = relation.type == schema.CAUSAL
    tie = graph.join(
        source,
        target,
        relation.type,
        origin=schema.EXPLICIT if is_users else schema.INFERRED,
        evidence=relation.span,
        weight=edges.DEFAULT_WEIGHTS[relation.type],
        is_active=not is_causal,
        requires_activation=schema.CAUSAL_SESSIONS if is_causal else 0,
    )
    if tie.connects:
        source.add("edge_count", 1)
        target.add("edge_count", 1)
    return tie


def _end(named: Callable[[str], Node | None], name: str, field: str) -> Node:
    node = named(name)
    if node is None:
        raise NotFound(f"{field}: this session has not mentioned {shown(name)}; observe it too")
    return node
