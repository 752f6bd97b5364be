"""Record mentions, one for each label of a message, and apply them to entity and session."""

from collections.abc import Iterator

from .. import counting, names, schema
from ..beliefs.attribution import Found
from ..inputs import Observation
from ..node import Graph, Node


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
    counting.count(graph, entity, found.origin, observation.felt)
    if found.origin == schema.USER:
        counting.count_session(entity, session.key)
    return mention


def mention_id(graph: Graph, session: Node, message_id: str, observation: Observation) -> str:
    return names.make_mention_id(
        graph.user_id, session.key, message_id, observation.counted, observation.node_type
    )
