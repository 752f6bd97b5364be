"""Take mentions, facts and entities out of sight, bring them back, or remove them for good.

Each node has the ids that it was hidden with: of a memory, of an entity, or its own. It is in sight
again when none is left. A fact goes with the last mention that told it, and an entity with the last
thing that is known of it; both come back with these.
"""

from collections.abc import Collection, Iterable
from itertools import chain

from .. import bitemporal, counting, schema
from ..beliefs import succession
from ..node import All, Graph, Node
from . import mentions

# An entity with such an edge, or with a fact, is not removed.
_KEEPING = (schema.OF, schema.OBJECT, schema.MERGE_OF, schema.MERGE_INTO)


def hide(graph: Graph, told: Iterable[Node], cause: str) -> list[Node]:
    """Hide the mentions *told* with *cause*, and all that rests on them alone.

    Returns the hidden entities.
    """
    hidden = []
    for entity, of_one in _by_entity(graph, told).items():
        gone = [one for one in of_one if hide_node(graph, one, cause)]
        counting.discount(graph.another(Graph), entity, gone)
        if settle(graph, entity):
            hidden.append(entity)
    return hidden


def show(graph: Graph, told: Iterable[Node], causes: Collection[str] | None) -> None:
    """Bring back the mentions *told* that were hidden with *causes* alone, or with any (None)."""
    for entity, of_one in _by_entity(graph, told).items():
        come = [one for one in of_one if show_node(one, causes)]
        if come and causes is None:
            # It was told anew.
            entity.set(forgotten_with=None)
        counting.recount(graph.another(All), entity, come)
        settle(graph, entity)


def remove(graph: Graph, told: Iterable[Node]) -> set[int]:
    """Remove those of the mentions *told* that are hidden, and what rested on them alone.

    Sessions go with their last mention. Returns the database's ids of all that is gone.
    """
    removed: set[int] = set()
    every, once = graph.another(All), list(told)
    sessions = {tie.other for one in once for tie in every.leaving(one, schema.IN)}
    by_entity = _by_entity(graph, once)
    # A fact is about others too, of which it may be the last.
    perhaps = {one.id: one for one in by_entity}
    for entity, of_one in by_entity.items():
        gone = [one for one in of_one if one.get("forgotten_at") is not None]
        words = [said for one in gone if (said := one.get("mention_context"))]
        for tie in every.ties(entity):
            # The words that an edge quotes are the message's.
            if any((tie.get("evidence") or said) in said for said in words):
                tie.set(evidence=None)
        facts = _facts(every, entity)
        gone += [one for one in facts if _is_untold(every, entity, one)]
        keys = {one.key for one in gone}
        for one in facts:
            if one not in gone and not keys.isdisjoint(one.get("mention_ids") or ()):
                left = [key for key in one.get("mention_ids") if key not in keys]
                said = bitemporal.find_sentence(graph.another(Graph), one)
                one.set(mention_ids=left, context=said, source_span=None, inferred_from=None)
        for one in gone:
            about = [tie.other for tie in every.leaving(one, schema.OBJECT)]
            perhaps |= {other.id: other for other in about}
            every.delete_node(one)
        removed |= {one.id for one in gone}
    for entity in perhaps.values():
        if entity.get("forgotten_at") is not None and not _is_kept(every, entity):
            every.delete_node(entity)
            removed.add(entity.id)
    drop_empty(every, sessions)
    return removed


def drop_empty(graph: Graph, sessions: Iterable[Node]) -> None:
    """Remove those of *sessions* that have no mention."""
    for session in sessions:
        if next(mentions.of_session(graph, session), None) is None:
            graph.delete_node(session)


def hide_node(graph: Graph, node: Node, cause: str) -> bool:
    """Hide *node* with *cause*; tell whether it was in sight."""
    causes = node.get("forgotten_with") or []
    was_seen = node.get("forgotten_at") is None
    if was_seen:
        node.set(forgotten_at=graph.now_ms)
    if cause not in causes:
        node.set(forgotten_with=[*causes, cause])
    return was_seen


def show_node(node: Node, causes: Collection[str] | None) -> bool:
    """Let *causes* hide *node* no longer (None: nothing does); tell whether it came into sight."""
    left = [one for one in node.get("forgotten_with") or () if causes and one not in causes]
    node.set(forgotten_with=left or None)
    if left or node.get("forgotten_at") is None:
        return False
    node.set(forgotten_at=None)
    return True


def settle(graph: Graph, entity: Node) -> bool:
    """Hide or show *entity* and its facts by what they rest on; tell whether it is hidden."""
    every = graph.another(All)
    for fact in _facts(every, entity):
        is_hidden = bool(fact.get("forgotten_with")) or _is_untold(every, entity, fact)
        _set_hidden(graph, fact, is_hidden)
    succession.settle(every, entity)
    rests = entity.get("user_mention_count") + entity.get("model_mention_count")
    rests += entity.get("merge_count")
    rests += sum(1 for _ in graph.another(Graph).leaving(entity, schema.HAS_FACT))
    is_hidden = bool(entity.get("forgotten_with")) or rests == 0
    _set_hidden(graph, entity, is_hidden)
    return is_hidden


def _set_hidden(graph: Graph, node: Node, is_hidden: bool) -> None:
    if (node.get("forgotten_at") is not None) != is_hidden:
        node.set(forgotten_at=graph.now_ms if is_hidden else None)


def _facts(every: Graph, entity: Node) -> list[Node]:
    return [tie.other for tie in every.leaving(entity, schema.HAS_FACT)]


def _is_untold(every: Graph, entity: Node, fact: Node) -> bool:
    """Tell whether *fact* was told by mentions alone, and all of those left are hidden."""
    ids = fact.get("mention_ids") or ()
    if not ids:
        return False
    told = (tie.other for tie in every.arriving(entity, schema.OF))
    left = [one.get("forgotten_at") is not None for one in told if one.key in ids]
    return bool(left) and all(left)


def _is_kept(graph: Graph, entity: Node) -> bool:
    known = chain(graph.arriving(entity, *_KEEPING), graph.leaving(entity, schema.HAS_FACT))
    return next(known, None) is not None


def _by_entity(graph: Graph, told: Iterable[Node]) -> dict[Node, list[Node]]:
    every = graph.another(All)
    found: dict[Node, list[Node]] = {}
    for mention in told:
        entity = mentions.entity_of(every, mention)
        if entity is not None:
            found.setdefault(entity, []).append(mention)
    return found
