"""Record mentions, one for each label of a message, and count them for entity and session."""

from collections.abc import Iterator, Sequence

from . import edges, names, schema, trust
from .beliefs.attribution import Found
from .inputs import Observation
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
    return sorted(mine, key=lambda one: one.turn)


def _sessions(graph: Graph, entity: Node) -> list[str]:
    """Return the sessions that first had the user's mentions, mentions of unknown time first."""
    told = dict.fromkeys(one.get("session_id") for one in _of_user(graph, entity))
    unknown = [one for one in entity.get("user_sessions") if one not in told]
    return [*unknown, *told][: schema.MAX_SESSIONS_KEPT]


def _felt(mention: Node) -> float:
    valence: float | None = mention.get("emotional_valence")
    intensity: float | None = mention.get("emotional_intensity")
    return max(abs(valence or 0.0), intensity or 0.0)


def activate(graph: Graph, entity: Node, origin: str) -> None:
    """Raise the activation of *entity* as a mention does, and revive it."""
    raised, latest = edges.raised(
        entity.get("activation_strength"), entity.get("last_activated"), origin, graph.now_ms
    )
    entity.set(activation_strength=raised, last_activated=latest, is_active=True)
    if graph.now_ms < entity.get("valid_from"):
        # A message that arrives late proves that the entity existed before.
        entity.set(valid_from=graph.now_ms)


def session(graph: Graph, session_id: str) -> Node:
    """Return the session of that name; create it if it is new."""
    for node in graph.of(schema.SESSION):
        if node.get("session_id") == session_id:
            return node
    return graph.make(schema.SESSION, session_id=session_id)


def known(graph: Graph) -> dict[str, Node]:
    """Return the recorded mentions, by their ids."""
    return {node.key: node for node in graph.of(schema.MENTION)}


def of_session(graph: Graph, session: Node) -> Iterator[Node]:
    """Iterate over the mentions of *session*."""
    for tie in graph.arriving(session, schema.IN):
        yield tie.other


def entity_of(graph: Graph, mention: Node) -> Node | None:
    """Return the entity of *mention*."""
    return next((tie.other for tie in graph.leaving(mention, schema.OF)), None)


def found(mention: Node) -> Found:
    """Return the attribution that *mention* got when it was recorded."""
    is_refused = mention.get("source_span") is not None and mention.get("span_start") is None
    inferred_from = mention.get("inferred_from")
    return Found(mention.get("origin"), None, is_refused, inferred_from)


def add(
    graph: Graph,
    session: Node,
    message_id: str,
    entity: Node,
    observation: Observation,
    found: Found,
    text: str = "",
) -> Node:
    """Record a mention of *entity*, and let it count.

    A mention that a caller says is of another's name, "the puppy" of Max, keeps its words; without
    a span, the beginning of *text*.
    """
    number = session.get("mention_count") + 1
    span, inferred = found.span, found.inferred_from
    mention = graph.make(
        schema.MENTION,
        id=mention_id(graph, session, message_id, observation),
        session_id=session.key,
        message_id=message_id,
        sequence=number,
        label=observation.shown,
        origin=found.origin,
        # A claimed span that the text does not contain is stored too, but without a place.
        source_span=None
        if inferred and observation.same_as is None
        else observation.span or (observation.label if span else None),
        inferred_from=inferred,
        span_start=span and span.start,
        span_end=span and span.end,
        mention_context=(span.sentence if span else "")
        or (text[: schema.MAX_CONTEXT] if observation.same_as else "")
        or None,
        emotional_valence=observation.valence,
        emotional_intensity=observation.intensity,
        rationale=observation.rationale,
    )
    graph.add_edge(mention, entity, schema.OF)
    graph.add_edge(mention, session, schema.IN)
    last = max(session.get("last_mention_at"), graph.now_ms)
    session.set(mention_count=number, last_mention_at=last, is_open=True)
    count(graph, entity, found.origin, observation.felt)
    sessions = entity.get("user_sessions")
    is_users = found.origin == schema.USER and session.key not in sessions
    if is_users and len(sessions) < schema.MAX_SESSIONS_KEPT:
        entity.set(user_sessions=[*sessions, session.key])
    return mention


def mention_id(graph: Graph, session: Node, message_id: str, observation: Observation) -> str:
    return names.make_mention_id(
        graph.user_id, session.key, message_id, observation.counted, observation.node_type
    )
