"""Forget a fact, a mention or an entity, and bring it back. Nothing is removed."""

from collections.abc import Iterable
from typing import Any

from .. import text as texts
from ..errors import NotAllowed, NotFound
from ..text import shown
from . import schema
from .identity import components
from .node import All, Graph, Node
from .observation import hiding, mentions

Row = dict[str, Any]


def forget(graph: Graph, id_: str, reason: str | None = None) -> Row:
    """Hide a fact, a mention or an entity, until `restore` brings it back.

    * With a fact goes the sentence that told it, which is not quoted any more. A fact that it ended
      or corrected is so again.
    * With a mention go the facts that it alone told, and an entity of which nothing is left.
    * With an entity go all entities merged with it, their mentions and facts, and the facts that
      have one of them as their value.

    Returns id and forgotten_at (unix ms). Raises NotFound, InvalidText.
    """
    if reason is not None:
        texts.summary(reason, "reason")
    node = find(graph, id_)
    node.set(forgotten_because=reason)
    if node.label == schema.ENTITY:
        _forget_entity(graph, node)
    elif node.label == schema.MENTION:
        hiding.hide(graph, [node], node.key)
    else:
        hiding.hide_node(graph, node, node.key)
        _settle_holders(graph, [node])
        for one in _telling(graph, node):
            one.set(unquoted_with=[*(one.get("unquoted_with") or ()), node.key])
    return {"id": node.key, "forgotten_at": graph.now_ms}


def restore(graph: Graph, id_: str) -> Row:
    """Bring back what `forget` hid with that id. Returns id and restored (False: it was in sight).

    Raises NotFound, and NotAllowed if it went with another thing, which must be restored first.
    """
    node = find(graph.another(All), id_)
    was_hidden = node.get("forgotten_at") is not None
    if node.label == schema.ENTITY:
        _restore_entity(graph, node)
    elif node.label == schema.MENTION:
        hiding.show(graph, [node], {node.key})
    else:
        hiding.show_node(node, {node.key})
        _settle_holders(graph, [node])
        for one in _telling(graph, node):
            left = [key for key in one.get("unquoted_with") or () if key != node.key]
            one.set(unquoted_with=left or None)
    if node.get("forgotten_at") is not None:
        raise NotAllowed(f"id: {shown(id_)} was forgotten with {_with(graph, node)}; restore that")
    node.set(forgotten_because=None)
    return {"id": node.key, "restored": was_hidden}


def find(graph: Graph, id_: str) -> Node:
    """Return the fact, the mention or the entity of that id. Raises NotFound."""
    wanted = texts.name(id_, "id")
    for node in graph.nodes():
        if node.label in (schema.ENTITY, schema.MENTION, schema.FACT) and node.key == wanted:
            return node
    raise NotFound(f"id: not found: {shown(wanted)}; about and search return the ids")


def _forget_entity(graph: Graph, entity: Node) -> None:
    # Things that are hidden already must not come back with something else.
    every = graph.another(All)
    everyone = components.members(every, entity)
    facts = [fact for one in everyone for fact in _facts(every, one)]
    for one in (*everyone, *facts):
        hiding.hide_node(graph, one, entity.key)
    hiding.hide(graph, _mentions(every, everyone), entity.key)
    _settle_holders(graph, facts)


def _restore_entity(graph: Graph, entity: Node) -> None:
    every = graph.another(All)
    everyone = components.members(every, entity)
    causes = {one.key for one in everyone}
    facts = [fact for one in everyone for fact in _facts(every, one)]
    for one in (*everyone, *facts):
        hiding.show_node(one, causes)
    hiding.show(graph, _mentions(every, everyone), causes)
    _settle_holders(graph, facts)


def _facts(graph: Graph, entity: Node) -> list[Node]:
    """Return the facts of *entity*, and those that have it as their value."""
    own = [tie.other for tie in graph.leaving(entity, schema.HAS_FACT)]
    return own + [tie.other for tie in graph.arriving(entity, schema.OBJECT)]


def _mentions(graph: Graph, entities: Iterable[Node]) -> list[Node]:
    return [tie.other for one in entities for tie in graph.arriving(one, schema.OF)]


def _settle_holders(graph: Graph, facts: Iterable[Node]) -> None:
    """Settle the entities that have *facts*, each once."""
    every = graph.another(All)
    ties = [tie for fact in facts for tie in every.arriving(fact, schema.HAS_FACT)]
    for entity in {tie.other.id: tie.other for tie in ties}.values():
        hiding.settle(graph, entity)


def _telling(graph: Graph, fact: Node) -> list[Node]:
    """Return the mentions of the messages that told *fact* whose sentence tells it."""
    every, said = graph.another(All), fact.get("context")
    holders = [tie.other for tie in every.arriving(fact, schema.HAS_FACT)]
    ids = fact.get("mention_ids") or ()
    told = [one for one in _mentions(every, holders) if one.key in ids]
    messages = {one.get("message_id") for one in told}
    sessions = {tie.other for one in told for tie in every.leaving(one, schema.IN)}
    around = (one for session in sessions for one in mentions.of_session(every, session))
    of_messages = (one for one in around if one.get("message_id") in messages)
    words = ((one, one.get("mention_context")) for one in of_messages)
    return [
        one for one, context in words if said and context and (said in context or context in said)
    ]


def _with(graph: Graph, node: Node) -> str:
    """Return the ids that *node*, or the mentions that told it, were forgotten with."""
    every = graph.another(All)
    causes = list(node.get("forgotten_with") or ())
    if not causes:
        around = [tie.other for tie in every.arriving(node, schema.HAS_FACT, schema.OF)]
        around += [one for tie in around for one in _mentions(every, [tie])]
        entity = mentions.entity_of(every, node) if node.label == schema.MENTION else None
        around += [] if entity is None else [entity]
        causes = [key for one in around for key in one.get("forgotten_with") or ()]
    return ", ".join(shown(one) for one in dict.fromkeys(causes)) or "what told it"
