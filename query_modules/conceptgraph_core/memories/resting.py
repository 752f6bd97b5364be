"""Take out of sight what rests on a memory that was forgotten or replaced, and bring it back.

When the memory is removed for good, so is what was hidden with it.

Layers meet by name, so no edge leads from a memory to what it made. The session that was observed
for it has its id, and the keys of the concepts that it associated.
"""

from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import Any

from .. import folding
from ..concepts import names, relations, schema
from ..concepts.node import Graph as Concepts
from ..concepts.node import Node as Concept
from ..context import Context
from ..entities import schema as entities
from ..entities.node import All as AllEntities
from ..entities.node import Graph as Entities
from ..entities.node import Node as Entity
from ..entities.observation import hiding, mentions
from .view import AllMemories, Node


class _Owned(Concepts):
    """The user's own concepts, whichever the call is about: shared ones rest on no memory."""

    def __init__(self, ctx: Any, context: Mapping[str, Any] | Context) -> None:
        super().__init__(ctx, context)
        self.scope = self.context.user_id
        self.owner = {schema.SCOPE: self.scope}


def note(node: Node, session: Entity, associated: Iterable[Concept]) -> None:
    """Store that *session* was observed for *node*, and associated these concepts."""
    keys = [*(session.get("associated") or ()), *filter(None, map(_key, associated))]
    session.set(memory_id=node.memory_id, associated=[*dict.fromkeys(keys)] or None)


def is_of_message(node: Node, mention: Entity) -> bool:
    """Tell whether *mention* was observed in the message that *node* is.

    `observe` names a session as its thread, the later ones numbered: "thread #2".
    """
    thread, session = node.get("thread"), str(mention.get("session_id"))
    own = node.get("metadata").get("message_id")
    is_in_thread = thread is not None and (session == thread or session.startswith(f"{thread} #"))
    return is_in_thread and mention.get("message_id") in (node.memory_id, own)


def settle(graph: AllMemories, nodes: Iterable[Node]) -> None:
    """Show what rests on each of these memories if it is current, else hide it.

    Mentions go with a forgotten memory, associations with a replaced one too. Both stay if another
    memory, another message or a person's own statement supports them.
    """
    known = graph.another(Entities)
    concepts = graph.another(_Owned)
    sessions = known.of(entities.SESSION)
    messages = known.another(AllEntities).of(entities.MENTION)
    for node in nodes:
        told = [one for one in messages if is_of_message(node, one)]
        _hide_or_show(known, node, told)
        for session in sessions:
            if session.get("memory_id") == node.memory_id:
                _settle(known, concepts, node, session)


def find_mentions(graph: AllMemories, nodes: Iterable[Node]) -> list[Entity]:
    """Return the mentions that rest on these memories."""
    every, once = graph.another(AllEntities), list(nodes)
    made = {node.memory_id for node in once}
    found = [
        mention
        for session in every.of(entities.SESSION)
        if session.get("memory_id") in made
        for mention in mentions.of_session(every, session)
    ]
    by_message: dict[str, list[Node]] = {}
    for node in once:
        for own in (node.memory_id, node.get("metadata").get("message_id")):
            by_message.setdefault(str(own), []).append(node)
    for one in every.of(entities.MENTION):
        nodes_of = by_message.get(str(one.get("message_id")), ())
        if any(is_of_message(node, one) for node in nodes_of):
            found.append(one)
    return list(dict.fromkeys(found))


def _hide_or_show(known: Entities, node: Node, told: Iterable[Entity]) -> list[Entity]:
    """Hide the mentions *told* if *node* is forgotten, else show them; return hidden entities."""
    if node.is_forgotten:
        return hiding.hide(known, told, node.memory_id)
    hiding.show(known, told, {node.memory_id})
    return []


def _settle(known: Entities, concepts: Concepts, node: Node, session: Entity) -> None:
    told = mentions.of_session(known.another(AllEntities), session)
    hidden = _hide_or_show(known, node, told)
    keys = set(session.get("associated") or ())
    if not keys:
        return
    if node.is_deleted or node.get("valid_until") is not None:
        ends = [one for one in concepts.nodes() if _key(one) in keys]
        for source, target in permutations(ends, 2):
            relations.withdraw(concepts, source, target, node.memory_id)
        gone = {folding.fold(one.bare) for one in hidden}
        for one in ends:
            if folding.fold(one.name) in gone and not one.valence:
                concepts.delete_if_alone(one)
    else:
        wanted = [
            name
            for name in node.get("concepts")
            if schema.make_owned_key(concepts.scope, folding.fold(name)) in keys
        ]
        for source, target in permutations(names.find_or_create(concepts, wanted), 2):
            relations.support(concepts, source, target, node.memory_id)


def _key(concept: Concept) -> str | None:
    key: str | None = concept.raw.get_property(schema.NAMES.owned)
    return key
