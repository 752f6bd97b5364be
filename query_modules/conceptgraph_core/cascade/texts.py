"""Let all that rests on a text go and come with it, and mark the text by what is so now.

On a memory rest the mentions of its session, or of the message that it is, with their facts and
entities (`entities.resting`), and the associations and concepts that its names made. On the facts
rests how the text is told: that it is no longer so, and which of its sentences are not quoted.

Layers meet by name, so no edge leads from a memory to what it made. The session that was observed
for it has its id, and the keys of the concepts that it associated.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from ..concepts import names, schema
from ..concepts import relations as evoking
from ..concepts.node import Graph as Concepts
from ..concepts.node import Node as Concept
from ..entities import mentions, resting
from ..entities import schema as entities
from ..entities.beliefs import facts
from ..entities.identity import components
from ..entities.inputs import Given
from ..entities.language import spans
from ..entities.node import All as AllEntities
from ..entities.node import Graph as Entities
from ..entities.node import Node as Entity
from ..entities.observation import observing
from ..graph.primitives import Range, Union
from ..memories import lookups, standing
from ..memories import schema as memories
from ..memories.view import AllMemories, Node
from ..texts import folding
from ..verbs.context import Context

Row = dict[str, Any]


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


def associate(graph: Concepts, wanted: Sequence[str], memory_id: str) -> list[Concept]:
    """Let the names *wanted* evoke one another, firmer each time; return their concepts.

    Those that are made rest on the memory, as long as nobody states them.
    """
    there = {one.id for one in graph.nodes()}
    called = names.find_or_create(graph, wanted)
    for one in called:
        known = one.raw.get_property("memories")
        if one.id not in there or known is not None:
            _rest(one, [*(known or ()), memory_id])
    for source, target in permutations(called, 2):
        evoking.strengthen(graph, source, target, schema.EVOKES, memory_id)
    return called


def _rest(concept: Concept, memory_ids: Iterable[str]) -> None:
    """Let *concept* rest on these memories; on too many it stands for itself."""
    once = [*dict.fromkeys(memory_ids)]
    concept.raw.set_property("memories", once if len(once) <= schema.MOST_MEMORIES else None)


def is_of_message(node: Node, mention: Entity) -> bool:
    """Tell whether *mention* was observed in the message that *node* is.

    `observe` names a session as its thread, the later ones numbered: "thread #2".
    """
    thread, session = node.get("thread"), str(mention.get("session_id"))
    own = node.get("metadata").get("message_id")
    is_in_thread = thread is not None and (session == thread or session.startswith(f"{thread} #"))
    return is_in_thread and mention.get("message_id") in (node.memory_id, own)


def find_mentions(graph: AllMemories, nodes: Iterable[Node]) -> list[Entity]:
    """Return the mentions that rest on these memories, which were looked up with them."""
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


def find_texts(
    graph: AllMemories, told: Iterable[Entity], made: Sequence[Node] = ()
) -> dict[Node, list[Entity]]:
    """Return the memories that the mentions *told* rest on, each with those of them that do.

    No index has those that this call *made*.
    """
    every, once = graph.another(AllEntities), list(told)
    of_memory: dict[str, list[Entity]] = {}
    of_message: list[Entity] = []
    for one in once:
        session = next((tie.other for tie in every.leaving(one, entities.IN)), None)
        memory_id = None if session is None else session.get("memory_id")
        if memory_id is None:
            of_message.append(one)
        else:
            of_memory.setdefault(memory_id, []).append(one)
    found: dict[Node, list[Entity]] = {}
    here = [own for node in made if (own := graph.raw_node(node.raw)) is not None]
    wanted = sorted(of_memory.keys() - {own.memory_id for own in here})
    times = sorted({one.created_at for one in of_message})
    mine = lookups.mine(graph.context.user_id)
    at = tuple(Range((memories.MEMORY,), "said_at", one, one + 1, mine) for one in times)
    graph.pull(*((lookups.ids(*wanted),) if wanted else ()), *((Union(at),) if at else ()))
    there = graph.find(memories.MEMORY, ("id",), [(one,) for one in wanted]) if wanted else []
    for node in (*here, *there):
        if node.memory_id in of_memory:
            found.setdefault(node, []).extend(of_memory[node.memory_id])
    nodes = [node for node in graph.nodes() if node.get("said_at") in times] if times else ()
    for one in of_message:
        for node in nodes:
            if node.get("said_at") == one.created_at and is_of_message(node, one):
                found.setdefault(node, []).append(one)
    return found


def settle(graph: AllMemories, nodes: Iterable[Node], made: Sequence[Node] = ()) -> None:
    """Settle what rests on each of these memories, which were looked up with it.

    Mentions go with a forgotten memory, and are over with a replaced one. Associations, and
    concepts that nobody stated, go with both. All stay if another memory, another message or a
    person's own statement supports them. *made* are the memories that this call made.
    """
    known, concepts = graph.another(Entities), graph.another(_Owned)
    every = known.another(AllEntities)
    every_told: list[Entity] = []
    for node in dict.fromkeys(nodes):
        told = find_mentions(graph, [node])
        every_told += told
        if node.is_forgotten:
            resting.hide(known, told, node.memory_id)
        else:
            resting.show(known, told, {node.memory_id})
        resting.end(known, told, node.get("valid_until"))
        for session in every.of(entities.SESSION):
            if session.get("memory_id") == node.memory_id:
                _settle_concepts(concepts, node, session, told)
    mark_told(graph, every_told, made)


def _settle_concepts(
    concepts: Concepts, node: Node, session: Entity, told: Sequence[Entity]
) -> None:
    keys = set(session.get("associated") or ())
    if not keys:
        return
    ends = [one for one in concepts.nodes() if _key(one) in keys]
    if node.is_deleted or node.get("valid_until") is not None:
        for source, target in permutations(ends, 2):
            evoking.withdraw(concepts, source, target, node.memory_id)
        every = concepts.another(AllEntities)
        named = (mentions.entity_of(every, one) for one in told)
        hidden = {folding.fold(one.bare) for one in named if one and resting.is_hidden(one)}
        for one in ends:
            known = one.raw.get_property("memories")
            left = [each for each in known or () if each != node.memory_id]
            if known is not None and (left or one.valence):
                one.raw.set_property("memories", left or None)
            # Those of earlier versions do not know what they rest on.
            elif not one.valence and (known is not None or folding.fold(one.name) in hidden):
                concepts.delete_if_alone(one)
    else:
        wanted = [
            name
            for name in node.get("concepts")
            if schema.make_owned_key(concepts.scope, folding.fold(name)) in keys
        ]
        there = {one.id for one in ends}
        called = names.find_or_create(concepts, wanted)
        for one in called:
            known = one.raw.get_property("memories")
            if known is not None or one.id not in there:
                _rest(one, [*(known or ()), node.memory_id])
        for source, target in permutations(called, 2):
            evoking.support(concepts, source, target, node.memory_id)


def _key(concept: Concept) -> str | None:
    key: str | None = concept.raw.get_property(schema.NAMES.owned)
    return key


def mark_told(graph: AllMemories, told: Iterable[Entity], made: Sequence[Node] = ()) -> None:
    """Mark the texts that say what the mentions *told*, or their facts, have ended or corrected.

    *made* are the memories that this call made.
    """
    mark(graph, find_followed(graph, told), made)


def find_followed(graph: AllMemories, told: Iterable[Entity]) -> list[Entity]:
    """Return the facts that the mentions *told*, or their facts, have ended or corrected.

    So may what these ended: a chain is as long as a life has homes.
    """
    every = graph.another(AllEntities)
    keys = {one.key for one in told}
    entities_of = resting.group_by_entity(every, told)
    members = {one for each in entities_of for one in components.members(every, each)}
    known = {fact.key: fact for one in members for fact in resting.list_facts(every, one)}
    while more := {
        key
        for key, fact in known.items()
        if key not in keys
        and not keys.isdisjoint(
            (*(fact.get("mention_ids") or ()), fact.get("ended_by"), fact.get("corrected_by"))
        )
    }:
        keys |= more
    return [
        fact
        for key, fact in known.items()
        if key in keys and (fact.get("ended_by") or fact.get("corrected_by"))
    ]


def mark(graph: AllMemories, changed: Sequence[Entity], made: Sequence[Node] = ()) -> None:
    """Mark the texts that state the *changed* facts, each by all facts that it states.

    It is told that a text is no longer so since the user's word ended a fact of it, with the later
    text; and the sentences of forgotten and corrected facts are not quoted.
    """
    every = graph.another(AllEntities)
    ids = {key for fact in changed for key in fact.get("mention_ids") or ()}
    holders = {tie.other for fact in changed for tie in every.arriving(fact, entities.HAS_FACT)}
    told = [one for one in components.mentions_of(every, holders) if one.key in ids]
    nodes = list(find_texts(graph, told, made))
    # The id of a new one is another each time that the server calls again.
    new = {node.memory_id for node in made}
    if there := [node.memory_id for node in nodes if node.memory_id not in new]:
        graph.pull(lookups.resting_all(lookups.ids(*there)))
    read = {node: _read_ends(graph, node, find_mentions(graph, [node])) for node in nodes}
    # All of them at once, because on Memgraph each look-up is a round.
    later = find_texts(graph, (one for *_, ending in read.values() for one in ending), made)
    for node, (since, withheld, ending) in read.items():
        by = [
            one for one, told in later.items() if one != node and not set(told).isdisjoint(ending)
        ]
        standing.outdate(graph, node, since, by)
        if withheld != list(node.get("withheld") or ()):
            graph.update(node, withheld=withheld or None)


def _read_ends(
    graph: AllMemories, node: Node, told: Sequence[Entity]
) -> tuple[int | None, list[str], list[Entity]]:
    """Return since when a text is no longer so, what is not quoted of it, and what told its end."""
    every = graph.another(AllEntities)
    keys = {one.key for one in told}
    since: int | None = None
    withheld: dict[str, None] = {}
    ending: list[Entity] = []
    for entity in resting.group_by_entity(every, told):
        for fact in resting.list_facts(every, entity):
            if keys.isdisjoint(fact.get("mention_ids") or ()):
                continue
            if fact.get("known_until") is not None or fact.get("forgotten_with"):
                withheld |= dict.fromkeys(_list_sentences(node, fact))
                continue
            by = resting.find_ending(every, entity, fact)
            if by is None or fact.get("ended_at") is None or resting.is_hidden(fact):
                continue
            if next(_list_sentences(node, fact), None) is None:
                # Another note on the same words states it.
                continue
            until = fact.get("valid_until")
            since = until if since is None else min(since, until)
            is_mention = by.label == entities.MENTION
            ending += [by] if is_mention else resting.list_telling(every, by)
    return since, list(withheld), ending


def _list_sentences(node: Node, fact: Entity) -> Iterator[str]:
    """Yield the sentences of a text that say a *fact*: as the user did, or with its value.

    Without any of them the whole text does, if the user said nothing else.
    """
    told, value = fact.get("context") or "", fact.get("value").casefold()
    heard, text = node.get("said") or node.content, node.content
    each = [text[start:end].strip() for start, end in spans.Said(text).sentences()]
    found = [
        one
        for one in each
        if (told and (one in told or told in one))
        or (not value.isdecimal() and value in one.casefold())
    ]
    if not found and told and len(list(spans.Said(heard).sentences())) == 1:
        found = each
    yield from found


def observe(
    graph: AllMemories,
    session_id: str,
    message_id: str,
    speaker: str,
    text: str,
    observations: Sequence[Mapping[str, Any]] = (),
    relations: Sequence[Mapping[str, Any]] = (),
) -> Row:
    """Record the mentions of a message. Returns entities and edges, a row for each.

    Without *observations* the rule-based extractor finds them in the text.

    An entity's row has:

    * entity_id (that of its component's canonical entity), label, type, created;
    * origin (of the mention), identity_status, trust;
    * candidates, if there are any: a list of {entity_id, label, confidence};
    * refused_span, the claimed span if the text does not contain it;
    * inferred_from, the span if it does not contain the label;
    * refused_same_as, a claimed id that no entity has;
    * observed_in, if an earlier text of this message mentioned it: that text, and nothing is added.

    The same message observed again changes nothing. Raises InvalidText, InvalidNumber, TooMuch,
    Tautology, EmbeddingMismatch for a vector by another embedding than the store's, or NotFound for
    a relation of an entity that the session has not mentioned.
    """
    known = graph.another(Entities)
    given = speaker, text, observations, relations
    heard = observing.hear(known, session_id, message_id, *given)
    known.pull(Union(tuple(heard.lookups(known))))
    session, row = observing.record(known, heard)
    if not row["entities"]:
        # Nothing would remove it: sessions go with their last mention.
        resting.drop_empty(known.another(AllEntities), [session])
    elif any(one.get("facts") for one in row["entities"]):
        told = mentions.of_session(known, session)
        mark_told(graph, [one for one in told if one.get("message_id") == heard.message_id])
    return row


def state_fact(
    graph: AllMemories,
    entity_id: str,
    predicate: str,
    value: str | None = None,
    object_id: str | None = None,
    valid_from: int | None = None,
    valid_until: int | None = None,
    single: bool = False,
    corrects: str | None = None,
    ends: str | None = None,
    speaker: str = entities.MODEL,
    text: str = "",
    span: str | None = None,
) -> Row:
    """State a fact of an entity as `facts.fact` does; it marks the texts of one that it ends."""
    what, when = (predicate, value, object_id), (valid_from, valid_until)
    given = Given(*what, *when, single, corrects, ends, speaker, text, span)
    known = graph.another(Entities)
    row = facts.fact(known, entity_id, given)
    old = (one for one in known.of(entities.FACT) if one.key in (corrects, ends))
    mark(graph, list(old))
    return row
