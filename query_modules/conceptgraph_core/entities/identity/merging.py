"""Merge softly: two entities count as one, neither is changed, and the merge can be undone.

A merge is an edge between the two entities that were named, whatever they were merged with. Which
member the others count as follows from the merges in force, in their order.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ...retrieval.ranks import cosine
from ...texts import dates
from ...texts import text as texts
from ...texts.text import show_name
from ...texts.words import given_names
from ...verbs import validators
from ...verbs.errors import NotAllowed, NotFound, Tautology
from .. import bitemporal, edges, kinds, names, schema
from ..language import spans
from ..node import Graph, Node
from . import components, ledger, likenesses, resolution

Row = dict[str, Any]


class Undone(NamedTuple):
    """The entities that an undone entry was about, and the id that takes the undoing back."""

    entities: list[Node]
    undo: str | None = None


def entity(graph: Graph, entity_id: str, field: str = "entity_id") -> Node:
    """Return the entity of that id. Raises NotFound for another user's as for a missing one."""
    return named(graph, **{field: entity_id})[0]


def named(graph: Graph, **by_field: str) -> list[Node]:
    """Return the entities of the ids *by_field*. Raises NotFound, which names the argument."""
    return _find_existing(graph, *by_field.items())


def entities(graph: Graph, entity_ids: Sequence[str], field: str = "entity_ids") -> list[Node]:
    """Return the entities of those ids, each once, in their order. Raises NotFound, as `entity`."""
    return _find_existing(graph, *((field, one) for one in dict.fromkeys(entity_ids)))


def _find_existing(graph: Graph, *wanted: tuple[str, str]) -> list[Node]:
    found = graph.with_ids(schema.ENTITY, [texts.name(one, field) for field, one in wanted])
    for field, one in wanted:
        if one not in found:
            raise NotFound(f"{field}: not found: {show_name(one)}")
    return [found[one] for _, one in wanted]


def merge(
    graph: Graph,
    source_id: str,
    target_id: str,
    reason: str,
    by: str = schema.SYSTEM,
    said: str | None = None,
) -> Row:
    """Merge *source_id* into *target_id*, and so their components. Returns verdict and merge_id.

    By "user_correction" it merges at once if *said*, the user's words, contains a name of each and
    no denial. Else it stores a question (verdict `candidate`, and reason says what is missing). By
    "system" it merges only if the conditions of `missing` hold. Raises NotFound, Tautology if they
    are one already, NotAllowed.
    """
    validators.one_of(schema.MERGERS)(by, "by")
    texts.summary(reason, "reason")
    if said is not None:
        texts.summary(said, "said")
    source, target = named(graph, source_id=source_id, target_id=target_id)
    wholes = components.canonical(graph, source), components.canonical(graph, target)
    if wholes[0].id == wholes[1].id:
        raise Tautology(f"target_id: {show_name(wholes[0].name)} is the same already")
    components.refuse_self(wholes[:1], "source_id", "merged into another; pass it as target_id")
    if by == schema.USER_CORRECTION:
        lacking = ledger.lacking_to_merge(graph, wholes, said)
        if lacking is not None:
            question(graph, source, target, reason)
            return {"verdict": schema.CANDIDATE, "reason": lacking}
    elif reasons := missing(graph, *wholes):
        raise NotAllowed(
            f"by: system may not merge these, for {'; '.join(reasons)}; if the user says that they"
            " are one, pass by user_correction, and these words as said"
        )
    merge_id = merged(graph, source, target, reason, by, said)
    return {"verdict": schema.MERGED, "merge_id": merge_id}


def merged(
    graph: Graph, source: Node, target: Node, reason: str, by: str, said: str | None = None
) -> str:
    """Merge *source* into *target*, as they were named. Returns the id of the ledger's entry."""
    yielding, kept = components.canonical(graph, source), components.canonical(graph, target)
    tie = graph.between(source, target, schema.SAME_AS)
    if tie is None:
        older, younger = graph.ordered(source, target)
        confidence = likeness(source, target)
        tie = graph.join(
            older,
            younger,
            schema.SAME_AS,
            weight=confidence,
            confidence=confidence,
            evidence=reason,
        )
    number = tie.get("merge_number") + 1
    # Later than each merge it rests on, so that their order lasts: merges of one millisecond, or of
    # a clock that was set back, would have none.
    whole = [one for end in (yielding, kept) for one in components.find_connected(graph, end)]
    times = [each.created_at for one in whole for each, _ in ledger.merges_of(graph, one)]
    entry = ledger.enter(
        graph,
        *(schema.MERGE_ACTION, source, target, reason),
        id=names.make_id("merge", graph.user_id, source.key, target.key, number),
        # The confidence is computed afterwards, never taken from a claim.
        merge_confidence=1.0 if by == schema.USER_CORRECTION else tie.get("confidence"),
        created_by=by,
        said=said,
        source_status=yielding.status,
        created_at=max([graph.now_ms, *(time + 1 for time in times)]),
    )
    tie.set(
        status=schema.MERGED,
        merge_type="same_as",
        merge_number=number,
        last_activated=graph.now_ms,
        is_active=True,
    )
    for node in (source, target):
        node.add("merge_count", 1)
    _settle(graph, source, schema.PROVISIONAL)
    return entry.key


def _settle(graph: Graph, node: Node, before: str) -> None:
    """Let all members of *node*'s component count as one of them.

    An entity that counts for itself again is distinct if the user mentioned it; else its status is
    *before*, unless that was that of a merged one.
    """
    whole = components.find_connected(graph, node)
    first = _choose(graph, whole)
    if first.status == schema.MERGED:
        earlier = schema.PROVISIONAL if before == schema.MERGED else before
        first.set(identity_status=schema.DISTINCT if first.get("user_mention_count") else earlier)
    first.set(canonical_node_id=None)
    for one in whole:
        if one is not first:
            one.set(canonical_node_id=first.key, identity_status=schema.MERGED)
    show_best(graph, first)


def _choose(graph: Graph, whole: Sequence[Node]) -> Node:
    """Return the member that the others count as: each merge lets its source yield to its target.

    The entity that stands for the user never yields. Merges that Cypher written by hand made are in
    no ledger; the oldest entity counts then.
    """
    first = {one.id: one for one in whole}
    ties = (tie for one in whole for tie in ledger.merges_of(graph, one))
    merges = {entry.id: entry for entry, far in ties if far.id in first}
    for entry in sorted(merges.values(), key=lambda entry: entry.age):
        gone, kept = first[ledger.source(graph, entry).id], first[ledger.target(graph, entry).id]
        first = {key: kept if one is gone else one for key, one in first.items()}
    selves = [one for one in whole if components.is_self(one)]
    return min(selves or first.values(), key=lambda one: one.age)


def parted(graph: Graph, entry: Node) -> Undone:
    """Undo a merge. Returns the separated entities; one, if another merge still joins them.

    All other merges stay. The pair is not proposed again. An entity that the user mentioned is
    distinct; any other gets its earlier status back.
    """
    source, target = ledger.source(graph, entry), ledger.target(graph, entry)
    tie = graph.between(source, target, schema.SAME_AS)
    again = any(other.id == target.id for _, other in ledger.merges_of(graph, source))
    if tie is not None and not again:
        tie.set(status=schema.REJECTED, is_active=False)
    for node in (source, target):
        node.add("merge_count", -1)
    for node in (source, target):
        _settle(graph, node, entry.get("source_status") or schema.PROVISIONAL)
        _revive(graph, components.members(graph, node))
    is_one = components.are_one(graph, source, target)
    return Undone([source] if is_one else [source, target])


def _revive(graph: Graph, members: Sequence[Node]) -> None:
    """Revive the members of a component that ended only as members of another one."""
    mine = {one.key for one in members}
    for one in members:
        for tie in list(graph.arriving(one, schema.MERGE_OF)):
            entry = tie.other
            is_end = ledger.action_of(entry) == schema.END_ACTION and entry.get("is_active")
            if is_end and entry.get("source_node_id") not in mine:
                one.set(valid_until=None)
                graph.delete_edge(tie.raw)


def keep_apart(graph: Graph, one: Node, other: Node, evidence: str) -> None:
    """Keep two entities apart that are not merged, so that no rule takes them for one."""
    propose(graph, one, other, likeness(one, other), evidence)
    tie = graph.between(one, other, schema.SAME_AS)
    if tie is not None:
        tie.set(status=schema.REJECTED, is_active=False, evidence=evidence)


def rejoined(graph: Graph, entry: Node) -> Undone:
    """Undo a separation: entities that were merged before are merged again, others a question.

    Returns the entities as they are now.
    """
    source, target = ledger.source(graph, entry), ledger.target(graph, entry)
    if entry.get("source_status") == schema.MERGED:
        reason = entry.get("unmerge_reason")
        undo = merged(graph, source, target, reason, schema.USER_CORRECTION)
        return Undone([components.canonical(graph, source)], undo)
    one, other = components.canonical(graph, source), components.canonical(graph, target)
    if one.id == other.id:
        return Undone([one])
    tie = graph.between(source, target, schema.SAME_AS)
    if tie is not None:
        tie.set(status=schema.CANDIDATE, is_active=True)
    return Undone([one, other])


def question(graph: Graph, one: Node, other: Node, evidence: str) -> None:
    """Ask whether two are the same; an entity that was not certain before is then ambiguous."""
    propose(graph, one, other, likeness(one, other), evidence)
    for node in (components.canonical(graph, one), components.canonical(graph, other)):
        if node.status == schema.PROVISIONAL:
            node.set(identity_status=schema.AMBIGUOUS)


def propose(graph: Graph, one: Node, other: Node, confidence: float, evidence: str) -> None:
    """Ask whether two entities are the same, unless that was asked before, with whatever answer."""
    older, younger = graph.ordered(one, other)
    if graph.between(older, younger, schema.SAME_AS) is None:
        graph.join(
            older,
            younger,
            schema.SAME_AS,
            origin=schema.INFERRED,
            evidence=evidence,
            weight=confidence * edges.DEFAULT_WEIGHTS[schema.SAME_AS],
            confidence=confidence,
        )


def missing(graph: Graph, one: Node, other: Node) -> list[str]:
    """Return what a merge of two canonical entities by the system lacks; nothing: merge.

    It needs a similarity of 0.85, one type, a common session, times and kinds that agree, and no
    conflicting facts. Similarity alone is never enough: "my boss" and "my manager" are two.
    """
    tie = graph.between(one, other, schema.SAME_AS)
    confidence = likeness(one, other) if tie is None else tie.get("confidence")
    reasons = barred(graph, one, other)
    others = components.members(graph, other)
    co_occurred = any(
        graph.between(member, each, schema.CO_OCCURRENCE) is not None
        for member in components.members(graph, one)
        for each in others
    )
    evidence = {"no session that has ended mentions both": co_occurred}
    return [*resolution.may_merge(evidence, confidence), *reasons]


def likeness(one: Node, other: Node) -> float:
    """Return the similarity of two, in [0, 1]: the cosine of embeddings, or the names' ratio."""
    vectors = one.get("embedding"), other.get("embedding")
    if all(vector is not None for vector in vectors):
        near = cosine(*vectors)
        if near is not None:
            return min(max(near, 0.0), 1.0)
    return names.ratio(names.canonical(one.bare), names.canonical(other.bare))


def barred(graph: Graph, one: Node, other: Node) -> list[str]:
    """Return why two canonical entities cannot be the same unless the user says so."""
    reasons = []
    if components.is_self(one) or components.is_self(other):
        reasons.append("one of them is the user")
    if _was_taken_back(graph, one, other):
        reasons.append("a merge of these was taken back")
    if one.node_type != other.node_type:
        reasons.append(f"they are of different types, {one.node_type} and {other.node_type}")
    if not kinds.agree(one.get("entity_kind"), other.get("entity_kind")):
        both = f"{one.get('entity_kind')} and {other.get('entity_kind')}"
        reasons.append(f"they are of different kinds, {both}")
    times = [(node.get("valid_from"), node.get("valid_until")) for node in (one, other)]
    if not dates.overlap(*times):
        reasons.append("they never were at one time")
    members = [*components.members(graph, one), *components.members(graph, other)]
    known = bitemporal.list_known(graph, members, graph.now_ms)
    mine = {node.key for node in components.members(graph, one)}
    for fact, against in bitemporal.conflicts(graph, known, graph.now_ms):
        if (fact.get("entity_id") in mine) == (against.get("entity_id") in mine):
            # A doubt that only one of them has is no evidence about the two.
            continue
        values = f"{show_name(fact.get('value'))} and {show_name(against.get('value'))}"
        reasons.append(f"their facts conflict: {fact.get('predicate')} is {values}")
    return reasons


def _was_taken_back(graph: Graph, one: Node, other: Node) -> bool:
    """Tell whether a merge of entities of the two components was ever undone."""
    others = {node.id for node in components.members(graph, other)}
    return any(
        tie.other.id in others and tie.get("status") == schema.REJECTED
        for member in components.members(graph, one)
        for tie in graph.ties(member, schema.SAME_AS)
    )


# The wrong spelling follows these words: "Michael, not Micheal".
_WRONG: Final = ("not", "nicht", "instead of", "statt")


def show_best(graph: Graph, node: Node) -> None:
    """Show *node*, a canonical entity, by the best spelling of its name in its component.

    A spelling that the user corrected is never shown. Among the rest, the order is: the spelling
    the user wrote most often, the better known given name, the later one. Other names are no
    spellings: a puppy called Max is shown as Max, or as the entity that it was merged into.
    """
    members = components.members(graph, node)
    spellings = [one for one in members if likenesses.is_one_name(one.bare, node.bare)]
    corrected = [
        spans.Said(entry.get("said"))
        for one in members
        for entry in ledger.entries(graph, one)
        if entry.get("is_active") and entry.get("said")
    ]

    def rank(one: Node) -> tuple[bool, int, int, int, bool]:
        known = sum(map(given_names.count_forms, names.words(names.canonical(one.bare))))
        is_wrong = any(said.find(f"{word} {one.bare}") for said in corrected for word in _WRONG)
        return not is_wrong, one.get("user_mention_count"), known, one.created_at, one.id == node.id

    best = max(spellings, key=rank).bare
    shown = None if best == node.bare else best
    if node.get("shown_label") != shown:
        node.set(shown_label=shown)
