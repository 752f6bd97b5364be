"""Report everything stored about one name: facts, memories and relations."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from ..concepts import lookups as concept_lookups
from ..concepts import names as concept_names
from ..concepts import recall
from ..concepts.node import Graph as Concepts
from ..concepts.schema import find_names
from ..entities import bitemporal, kinds
from ..entities import lookups as entity_lookups
from ..entities import schema as entities
from ..entities.identity import components, merging
from ..entities.language import beside
from ..entities.names import Subject
from ..entities.narration import current_facts, narrative, own_facts
from ..entities.narration.describing import Whole
from ..entities.narration.sentences import called, stated
from ..entities.node import Graph as Entities
from ..entities.node import Node as Entity
from ..graph.primitives import Lookup
from ..language import oneself
from ..memories.filters import Wanted
from ..memories.lookups import leading
from ..memories.search import Meant, find_best, read_meant, read_wordings
from ..memories.view import Graph
from ..memories.view import Node as Memory
from ..texts import dates
from ..texts import text as texts
from ..texts.words import missing
from ..verbs import limits
from ..verbs.arguments import INNER, Limit
from . import lookups, schema
from .hearing import name_session
from .profile import profile
from .searching import DEPTH, describe_memory

Row = dict[str, Any]
# One entity may have hundreds of names.
_MOST_NAMES = 20


def report_about(
    graph: Graph,
    name: Annotated[str, 'A name, an id, or "me".'],
    limit: Limit | None = schema.DEFAULT_LIMIT,
    entity_id: Annotated[str | None, INNER] = None,
    vector: Sequence[float] = (),
    model: str | None = None,
) -> Row | None:
    """Report everything stored about *name*, at most *limit* of each kind.

    If several entities have the name, *entity_id* selects one, else the one mentioned last; doubts
    name the others. Returns id, name, kind, also (other names), facts (id, predicate, value,
    since, until, who; those that were so too), doubts (sentences), feeling (−1 to 1), relations
    (sentences), said (id, text, at, who, until), and more: how many of each were left out. Memories
    are found by the name. About "me" it returns the text of `profile`, with its sources, and of the
    lists the facts alone. Nothing is accessed. Returns None if nothing is stored on it.
    """
    texts.name(name, "name")
    most = texts.limit(limit, schema.DEFAULT_LIMIT, limits.MOST_FOUND)
    if entity_id is None and oneself.is_me(name):
        return _of_user(graph, most)
    meant = read_meant(graph, name, vector, _list_beside(graph, name, entity_id))
    known = _entity(graph.another(Entities), name, entity_id)
    facts, labels, of_entity = known.pop("all_facts", []), known.pop("labels", []), bool(known)
    of_others = known.pop("of_others", frozenset())
    said = _said(graph, name, labels, of_others, meant, model)
    relations = _relations(graph.another(Concepts), [name, *labels[:_MOST_NAMES]])
    if not (of_entity or said or relations):
        return None
    lists = {"facts": facts, "relations": relations, "said": said}
    more = {key: len(rows) - most for key, rows in lists.items() if len(rows) > most}
    cut = {key: rows[:most] for key, rows in lists.items()}
    nobody: Row = {
        "id": None,
        "name": name,
        "kind": None,
        "also": [],
        "doubts": [],
        "feeling": None,
    }
    return {**nobody, **known, **cut, "more": more, "text": None, "sources": []}


def _of_user(graph: Graph, most: int) -> Row:
    """Return the profile of the user and *most* facts, in the form of a report about somebody."""
    known = graph.another(Entities)
    whole = profile(graph)
    selves = own_facts.selves(known)
    members = (components.members(known, node) for node in selves)
    facts = [_fact(known, one) for each in members for one in _list_believed(known, each)]
    return {
        "id": selves[0].key if selves else None,
        "name": own_facts.own_name(known) or entities.SELF,
        "kind": entities.SELF,
        "feeling": None,
        **{field: [] for field in ("also", "doubts", "relations", "said")},
        "facts": facts[:most],
        "more": {"facts": len(facts) - most} if len(facts) > most else {},
        "text": whole["text"],
        "sources": whole["sources"],
    }


def _entity(graph: Entities, name: str, entity_id: str | None) -> Row:
    """Return the described entity of that name; nothing if there is none."""
    named = [node for node, _ in narrative.named_by(graph, name)]
    if entity_id is not None:
        named.insert(0, components.canonical(graph, merging.entity(graph, entity_id)))
    if not named:
        return {}
    chosen = named[0]
    others = [one for one in named if one.id != chosen.id]
    members = components.members(graph, chosen)
    labels = components.labels(members)
    contested, _ = current_facts.facts_now(graph, members)
    doubts = [
        f"{stated(one.get('predicate'))}:"
        f" {' or '.join(stated(fact.get('value')) for fact in (one, other))}"
        for one, other in contested
    ]
    whole = Whole(graph, chosen)
    # Other kinds that the user gave it, if one rarely has both.
    said = [
        (one, beside.kind(one.get("mention_context") or "", chosen.bare)) for one in whole.users
    ]
    told = {kind: one for one, kind in said if kind and kinds.are_rarely_one(kind, whole.described)}
    doubts += [f"{kind} too, as told on {dates.day(one.created_at)}" for kind, one in told.items()]
    asked = [other for other, _ in components.questions(graph, chosen)]
    doubts += [f"perhaps the same as {called(other.name)}: {other.key}" for other in asked]
    doubts += [
        f"{called(other.name)} is called so too: {other.key}"
        for other in others
        if other not in asked and entity_id is None
    ]
    return {
        "id": chosen.key,
        "name": chosen.name,
        "kind": narrative.describe_kind(graph, chosen),
        "also": labels[1:],
        "labels": [one.bare for one in members],
        "of_others": _list_sources(graph, others, chosen) if others else frozenset(),
        "all_facts": [_fact(graph, one) for one in _list_believed(graph, members)],
        "doubts": doubts,
        "feeling": _feeling(graph, members),
    }


def _list_sources(graph: Entities, nodes: Sequence[Entity], but: Entity) -> frozenset[str]:
    """Return the sessions and messages that mention one of *nodes*, and not *but*."""

    def list_those_of(node: Entity) -> Iterator[str]:
        for mention in components.mentions_of(graph, components.members(graph, node)):
            yield from (str(mention.get(key)) for key in ("session_id", "message_id"))

    return frozenset(key for node in nodes for key in list_those_of(node)) - {*list_those_of(but)}


def _list_believed(graph: Entities, members: Sequence[Entity]) -> list[Entity]:
    """Return the facts that are believed now: what is so, then what was so; the latest first."""
    now_ms = graph.now_ms
    known = bitemporal.list_known(graph, members, now_ms)
    is_past = {one.id: not current_facts.is_so_now(graph, one) for one in known}
    return sorted(known, key=lambda one: (is_past[one.id], -one.get("known_from"), one.key))


def _fact(graph: Entities, fact: Entity) -> Row:
    row, known = bitemporal.tell_fact(graph, fact, graph.now_ms), fact.get("known_from")
    return {
        "id": fact.key,
        "predicate": row["predicate"],
        "value": current_facts.tell_value(graph, fact),
        "since": row["valid_from"] or (known if current_facts.changes_of_itself(fact) else None),
        "until": current_facts.find_end(graph, fact, row["valid_until"]),
        "who": "the user" if row["origin"] == entities.USER else "the model",
    }


def _feeling(graph: Entities, members: Sequence[Entity]) -> float | None:
    """Return the mean feeling in the user's mentions; None without any."""
    felt = [
        valence
        for mention in components.mentions_of(graph, members)
        if mention.get("origin") == entities.USER
        and (valence := mention.get("emotional_valence")) is not None
    ]
    return sum(felt) / len(felt) if felt else None


def _said(
    graph: Graph,
    name: str,
    names: Sequence[str],
    of_others: frozenset[str],
    meant: Meant,
    model: str | None,
) -> list[Row]:
    """Return the memories about *name*, or by another of its *names*: in their words or beside.

    Memories that mention only another one of this name are left out.
    """
    wanted = Wanted(about=Subject([name, *names]))
    finders = read_wordings(graph, name, meant.vector, model, wanted=wanted, spelt=meant.spelt)
    best = find_best(finders, DEPTH, wanted)

    def is_of_another(node: Memory) -> bool:
        text = node.content
        heard = node.get("said") or text
        sessions = (name_session(text, heard, at) for at in (None, node.get("said_at")))
        return not of_others.isdisjoint((node.memory_id, *sessions))

    found = (one.node for one in best if not (of_others and is_of_another(one.node)))
    return [describe_memory(node) | {"until": graph.outdated(node)} for node in found]


def _list_beside(graph: Graph, name: str, entity_id: str | None) -> list[Lookup]:
    """Look up what a report reads beside the memories, as far as its arguments tell."""
    scope, concept_scope = graph.context.user_id, graph.another(Concepts).scope
    found = lookups.named((name,), scope)
    if entity_id is not None:
        found.append(entity_lookups.with_ids(entity_id))
    return found + leading((name,), scope, concept_scope, graph.context.languages)


def _relations(graph: Concepts, names: Sequence[str]) -> list[str]:
    spoken = graph.context.languages
    if not missing():
        heard = (name for one in names for name in find_names(one, spoken))
        graph.pull(concept_lookups.folded(graph.scope, heard))
    named = (node.name for name in names for node in concept_names.find_named(graph, name))
    seeds = list(dict.fromkeys(named))
    rows = recall.peek(graph, seeds, 1, limits.MOST_FOUND) if seeds else []
    return [row["text"] for row in recall.keep_stronger_ways(rows)]
