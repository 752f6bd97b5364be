"""Judge the words on identity: that two are the same, that one has ended, that one was wrong.

A claim counts as evidence, whatever confidence its claimant states; the owner answers an open
question; and each entry of the ledger can be undone, in any order.
"""

from collections.abc import Callable
from typing import Any, Final

from ...texts import text as texts
from ...texts.text import show_name
from ...verbs import validators
from ...verbs.errors import NotAllowed, NotFound, Tautology
from .. import lookups, schema
from ..language import spans
from ..node import All, Graph, Node
from . import components, ledger, merging, splitting

Row = dict[str, Any]


def link(
    graph: Graph,
    entity_id: str,
    linked_entity_id: str | None,
    link_confidence: float | None,
    link_rationale: str,
    origin: str,
    said: str | None = None,
) -> Row:
    """Judge the claim that two entities are the same. Returns verdict, reason and maybe merge_id.

    The claim counts as evidence; its confidence is ignored and may be left out.

    * `merged`: the user claims it (*origin*), and the conditions of `merging.missing` hold.
    * `merged`, too: *said*, the user's words, contains a name of each and no denial.
    * `rejected`: the two cannot be the same, or a merge of them was undone before.
    * `candidate`, a stored question: all other claims. A model's claim is never `merged`.
    """
    _check(link_confidence, link_rationale, origin, said)
    if linked_entity_id is None:
        merging.entity(graph, entity_id)
        return _verdict(schema.REJECTED, "nobody is named; what is in question stays so")
    one, other = merging.named(graph, entity_id=entity_id, linked_entity_id=linked_entity_id)
    ends = components.canonical(graph, one), components.canonical(graph, other)
    if ends[0].id == ends[1].id:
        return _verdict(schema.MERGED, "they are the same already")
    # The younger whole yields, whichever of its entities is named.
    if ends[0].age < ends[1].age:
        one, other = other, one
    by_user = origin == schema.USER
    if by_user and said is not None and ledger.lacking_to_merge(graph, ends, said) is None:
        return _merged(graph, one, other, link_rationale, said)
    if reasons := merging.barred(graph, *ends):
        return _verdict(schema.REJECTED, "; ".join(reasons))
    merging.question(graph, one, other, link_rationale)
    reasons = merging.missing(graph, *ends)
    if said is not None and (denial := ledger.denied(ends, said)):
        reasons.append(denial)
    if not reasons and by_user:
        return _merged(graph, one, other, link_rationale, None)
    models = "a model's claim merges nothing; the weekly analysis may"
    return _verdict(schema.CANDIDATE, "; ".join(reasons) or models)


def _check(confidence: float | None, rationale: str, origin: str, said: str | None) -> None:
    if confidence is not None:
        validators.unit(confidence, "link_confidence")
    validators.one_of(schema.SPEAKERS)(origin, "origin")
    texts.summary(rationale, "link_rationale")
    if said is not None:
        texts.summary(said, "said")


def _merged(graph: Graph, one: Node, other: Node, rationale: str, said: str | None) -> Row:
    by = schema.SYSTEM if said is None else schema.USER_CORRECTION
    merge_id = merging.merged(graph, one, other, rationale, by, said)
    held = "all conditions hold, and the user said so" if said is None else "the user said so"
    return {**_verdict(schema.MERGED, held), "merge_id": merge_id}


def _verdict(verdict: str, reason: str) -> Row:
    return {"verdict": verdict, "reason": reason}


def answer(graph: Graph, one_id: str, other_id: str, same: bool, reason: str) -> Row:
    """Answer an open question as the owner: the two are the same, or they are not.

    The ledger keeps the answer, and unmerge takes it back. Returns merge_id. Raises NotFound, and
    NotAllowed if nobody asks that, or somebody has answered it meanwhile.
    """
    texts.summary(reason, "reason")
    one, other = merging.named(graph, one_id=one_id, other_id=other_id)
    one, other = components.canonical(graph, one), components.canonical(graph, other)
    if one.id == other.id:
        raise Tautology(f"other_id: {show_name(one.name)} is the same already")
    asked = {each.id for each, _ in components.questions(graph, one)}
    if other.id not in asked:
        raise NotAllowed("other_id: that is no open question; it may have been answered meanwhile")
    older, younger = graph.ordered(one, other)
    if not same:
        merging.keep_apart(graph, younger, older, reason)
        entry = ledger.enter(graph, schema.APART_ACTION, younger, older, reason)
        return {"merge_id": entry.key}
    if components.is_self(younger):
        older, younger = younger, older
    merge_id = merging.merged(graph, younger, older, reason, schema.USER_CORRECTION)
    return {"merge_id": merge_id}


def questions(graph: Graph, limit: int | None = schema.DEFAULT_ROWS) -> list[Row]:
    """List the open questions whether two entities are the same, the most similar first.

    A row has similarity (0 to 1), reason, and of both: one_id, one, one_kind, other_id, other,
    other_kind. Each pair comes once, at most *limit* (1 to 200).
    """
    graph.pull(lookups.in_question(graph.user_id))
    pairs: dict[tuple[str, str], Row] = {}
    for node in graph.of(schema.ENTITY):
        if node.get("canonical_node_id") is not None:
            continue
        for tie in graph.ties(node, schema.SAME_AS):
            other = components.canonical(graph, tie.other)
            if tie.get("status") != schema.CANDIDATE or other.id == node.id:
                continue
            first, second = graph.ordered(node, other)
            row: Row = {"similarity": tie.get("confidence"), "reason": tie.get("evidence")}
            for name, end in (("one", first), ("other", second)):
                kind = end.get("entity_kind")
                row |= {f"{name}_id": end.key, name: end.name, f"{name}_kind": kind}
            known = pairs.setdefault((first.key, second.key), row)
            if known["similarity"] < row["similarity"]:
                pairs[first.key, second.key] = row
    rows = sorted(
        pairs.values(), key=lambda row: (-row["similarity"], row["one_id"], row["other_id"])
    )
    return rows[: schema.limit(limit, schema.DEFAULT_ROWS)]


def end(
    graph: Graph, entity_id: str, said: str | None, reason: str, valid_until: int | None = None
) -> Row:
    """End an entity, with all entities merged with it, at *valid_until* (unix ms; None: now).

    A later mention of its name makes a new, ambiguous entity. Returns verdict (`ended`),
    valid_until and merge_id, which undoes the end. *said*, the user's words, must contain a name of
    the entity. Else the end is only a claim (verdict `candidate`), and reason says why. Raises
    NotFound, and NotAllowed if it has ended already.
    """
    texts.summary(reason, "reason")
    if said is not None:
        texts.summary(said, "said")
    now = valid_until is None
    until = graph.now_ms if now else validators.time(valid_until, "valid_until")
    entity = components.canonical(graph, merging.entity(graph, entity_id))
    components.refuse_self(components.members(graph, entity), "entity_id", "ended")
    if entity.get("valid_until") is not None:
        raise NotAllowed(
            f"entity_id: {show_name(entity.name)} has ended already; unmerge that first"
        )
    if ledger.lacking(graph, [entity], said) is not None:
        return ledger.claim(graph, schema.END_ACTION, entity, reason, said)
    members = components.members(graph, entity)
    # The end belongs to the entity that the user named, even if a merge is undone later.
    named = entity
    if said is not None:
        words = spans.Said(said)
        named = next(one for one in members if ledger.is_named(graph, one, words))
    lasting = [one for one in members if one.get("valid_until") is None]
    entry = ledger.enter(graph, schema.END_ACTION, named, None, reason, said=said)
    for one in lasting:
        one.set(valid_until=until)
        if one.id != named.id:
            graph.add_edge(entry, one, schema.MERGE_OF)
    return {"verdict": "ended", "valid_until": until, "merge_id": entry.key}


def follow(graph: Graph, entry_id: str, ended: Node, fresh: Node) -> None:
    """Enter in the ledger that *fresh*, another entity of the name, begins where *ended* ends."""
    entry = next(
        one for one in ledger.entries(graph, ended, schema.MERGE_OF) if one.key == entry_id
    )
    entry.set(target_node_id=fresh.key)
    graph.add_edge(entry, fresh, schema.MERGE_INTO)


def revived(graph: Graph, entry: Node) -> merging.Undone:
    """Undo an end, so that the entity goes on. Returns the entity.

    An entity of the name that began with the end is merged into it, by a merge of its own.
    """
    for tie in graph.leaving(entry, schema.MERGE_OF):
        tie.other.set(valid_until=None)
    entity, undo = ledger.source(graph, entry), None
    for tie in list(graph.leaving(entry, schema.MERGE_INTO)):
        fresh = tie.other
        # One that was merged into a third, or has ended itself, means another by now.
        if components.canonical(graph, fresh).id == fresh.id and fresh.get("valid_until") is None:
            reason = entry.get("unmerge_reason")
            undo = merging.merged(graph, fresh, entity, reason, schema.USER_CORRECTION)
    return merging.Undone([components.canonical(graph, entity)], undo)


_UNDO: Final[dict[str, Callable[[Graph, Node], merging.Undone]]] = {
    schema.MERGE_ACTION: merging.parted,
    schema.SPLIT_ACTION: splitting.rejoin,
    schema.END_ACTION: revived,
    schema.APART_ACTION: merging.rejoined,
}


def unmerge(graph: Graph, merge_id: str, reason: str) -> Row:
    """Undo an entry of the ledger. Returns merge_id, separate and undo.

    `separate` has the entities that the entry was about, as they are now, with all their labels.
    `undo` is the id of the merge that this made, if it made one, as an undone separation does.
    Raises NotFound, and NotAllowed if the entry was undone before, or never was in force.
    """
    texts.name(merge_id, "merge_id")
    texts.summary(reason, "reason")
    entry = graph.with_ids(schema.MERGE, [merge_id]).get(merge_id)
    if entry is None:
        raise NotFound(f"merge_id: not found: {show_name(merge_id)}")
    if ledger.is_claim(entry):
        raise NotAllowed(f"merge_id: {show_name(merge_id)} is only a claim: nothing came of it")
    if not entry.get("is_active"):
        raise NotAllowed(f"merge_id: {show_name(merge_id)} was taken back already")
    if len(ledger.about(graph, entry)) < len(ledger.about(graph.another(All), entry)):
        raise NotAllowed(f"merge_id: {show_name(merge_id)} is of a forgotten entity; restore that")
    return {"merge_id": merge_id, **take_back(graph, entry, reason)}


def take_back(graph: Graph, entry: Node, reason: str) -> Row:
    """Undo an *entry* that is in force. Returns `separate` and `undo`, as `unmerge` does."""
    entry.set(is_active=False, unmerged_at=graph.now_ms, unmerge_reason=reason)
    apart, undo = _UNDO[ledger.action_of(entry)](graph, entry)
    gone: list[Node] = []
    for one in ledger.about(graph, entry):
        if one not in gone:
            gone += splitting.drop_if_bare(graph, one)
    wholes = [components.members(graph, one) for one in apart if one not in gone]
    separate = [
        {
            "entity_id": one[0].key,
            "labels": components.labels(one),
            "identity_status": one[0].status,
        }
        for one in wholes
    ]
    return {"separate": separate, "undo": undo}
