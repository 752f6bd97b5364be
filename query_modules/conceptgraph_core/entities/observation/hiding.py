"""Take the mentions of a session out of sight, bring them back, or remove them for good."""

from itertools import chain

from .. import schema
from ..node import All, Graph, Node
from . import mentions

# An entity with such an edge, or with a fact, is not removed.
_KEEPING = (schema.OF, schema.OBJECT, schema.MERGE_OF, schema.MERGE_INTO)


def hide(graph: Graph, session: Node) -> list[Node]:
    """Hide the mentions of *session*, and the entities that nothing else mentions.

    An entity with facts, or one that was merged, stays. Returns the hidden entities.
    """
    hidden = []
    for entity, told in _mentioned(graph, session, is_hidden=False):
        for mention in told:
            mention.set(forgotten_at=graph.now_ms)
        mentions.discount(graph.another(Graph), entity, told)
        rests = entity.get("user_mention_count") + entity.get("model_mention_count")
        rests += entity.get("merge_count") + sum(1 for _ in graph.leaving(entity, schema.HAS_FACT))
        if rests == 0:
            entity.set(forgotten_at=graph.now_ms)
            hidden.append(entity)
    return hidden


def show(graph: Graph, session: Node) -> None:
    """Bring the hidden mentions of *session* back, and their entities."""
    for entity, told in _mentioned(graph, session, is_hidden=True):
        for one in (entity, *told):
            graph.revive(one)
        mentions.recount(graph, entity, told)


def remove(graph: Graph, session: Node) -> None:
    """Remove the hidden mentions of *session*, and hidden entities of which nothing else is kept.

    The session goes too if no mention is left in it.
    """
    every = graph.another(All)
    for entity, told in _mentioned(graph, session, is_hidden=True):
        for mention in told:
            every.delete_node(mention)
        if entity.get("forgotten_at") is not None and not _is_kept(every, entity):
            every.delete_node(entity)
    if next(mentions.of_session(every, session), None) is None:
        graph.delete_node(session)


def _is_kept(graph: Graph, entity: Node) -> bool:
    known = chain(graph.arriving(entity, *_KEEPING), graph.leaving(entity, schema.HAS_FACT))
    return next(known, None) is not None


def _mentioned(graph: Graph, session: Node, *, is_hidden: bool) -> list[tuple[Node, list[Node]]]:
    """Return the entities of the mentions of *session* that are hidden, or are not, with these."""
    every = graph.another(All)
    found: dict[Node, list[Node]] = {}
    for mention in mentions.of_session(every, session):
        entity = mentions.entity_of(every, mention)
        if entity is not None and (mention.get("forgotten_at") is not None) == is_hidden:
            found.setdefault(entity, []).append(mention)
    return list(found.items())
