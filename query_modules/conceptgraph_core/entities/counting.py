"""Count the mentions of an entity: their origins, its activation and its feeling."""

from collections.abc import Sequence

from . import edges, schema, trust
from .node import Graph, Node


def count(graph: Graph, entity: Node, origin: str, felt: float) -> None:
    """Apply a mention to *entity*: its origin, its activation and, if the user's, its feeling."""
    _add(entity, origin, 1)
    if origin == schema.USER and felt > entity.get("emotional_intensity"):
        entity.set(emotional_intensity=felt)
    activate(graph, entity, origin)


def recount(graph: Graph, entity: Node, come: Sequence[Node]) -> None:
    """Apply mentions that belonged to another entity to *entity*, each as of its own time."""
    users = _add_all(entity, come, 1)
    for one in come:
        raised, latest = edges.raised(
            entity.get("activation_strength"),
            entity.get("last_activated"),
            one.get("origin"),
            one.created_at,
        )
        entity.set(activation_strength=raised, last_activated=latest)
    if users:
        felt = max(entity.get("emotional_intensity"), *map(_felt, users))
        entity.set(emotional_intensity=felt, user_sessions=_sessions(graph, entity))


def discount(graph: Graph, entity: Node, gone: Sequence[Node]) -> None:
    """Subtract mentions that now belong to another entity from the counts of *entity*.

    Its activation stays, because it fades anyway.
    """
    users = _add_all(entity, gone, -1)
    if not users:
        return
    left = _of_user(graph, entity)
    lost = {one.get("session_id") for one in users} - {one.get("session_id") for one in left}
    sessions = [one for one in entity.get("user_sessions") if one not in lost]
    entity.set(user_sessions=sessions)
    if max(map(_felt, users)) >= entity.get("emotional_intensity"):
        entity.set(emotional_intensity=max(map(_felt, left), default=0.0))


def _add_all(entity: Node, mentions: Sequence[Node], way: int) -> list[Node]:
    """Add (1) or subtract (-1) *mentions*; return those that are the user's."""
    users = [one for one in mentions if one.get("origin") == schema.USER]
    _add(entity, schema.USER, way * len(users))
    _add(entity, schema.MODEL, way * (len(mentions) - len(users)))
    return users


def _add(entity: Node, origin: str, number: int) -> None:
    """Add that many mentions of that origin, and compute the entity's origin again."""
    entity.add("user_mention_count" if origin == schema.USER else "model_mention_count", number)
    by_user, by_model = entity.get("user_mention_count"), entity.get("model_mention_count")
    node_origin, confidence = trust.origin(by_user, by_model)
    entity.set(origin=node_origin, origin_confidence=confidence)


def _of_user(graph: Graph, entity: Node) -> list[Node]:
    found = (tie.other for tie in graph.arriving(entity, schema.OF))
    mine = [one for one in found if one.get("origin") == schema.USER]
    return sorted(mine, key=lambda one: (one.created_at, one.get("sequence"), one.key))


def _sessions(graph: Graph, entity: Node) -> list[str]:
    """Return the sessions that first had the user's mentions, mentions of unknown time first."""
    told = dict.fromkeys(one.get("session_id") for one in _of_user(graph, entity))
    unknown = [one for one in entity.get("user_sessions") if one not in told]
    return [*unknown, *told][: schema.MAX_SESSIONS_KEPT]


def _felt(mention: Node) -> float:
    valence: float | None = mention.get("emotional_valence")
    intensity: float | None = mention.get("emotional_intensity")
    return max(abs(valence or 0.0), intensity or 0.0)


def count_session(entity: Node, session_id: str) -> None:
    sessions = entity.get("user_sessions")
    if session_id not in sessions and len(sessions) < schema.MAX_SESSIONS_KEPT:
        entity.set(user_sessions=[*sessions, session_id])


def activate(graph: Graph, entity: Node, origin: str) -> None:
    """Raise the activation of *entity* as a mention does, and revive it."""
    raised, latest = edges.raised(
        entity.get("activation_strength"), entity.get("last_activated"), origin, graph.now_ms
    )
    entity.set(activation_strength=raised, last_activated=latest, is_active=True)
    if graph.now_ms < entity.get("valid_from"):
        # A message that arrives late proves that the entity existed before.
        entity.set(valid_from=graph.now_ms)
