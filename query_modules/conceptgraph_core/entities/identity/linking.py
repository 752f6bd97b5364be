"""Judge claims that two entities are the same, whatever confidence the claimant states."""

from typing import Any

from ... import text as texts
from ... import validators
from .. import schema
from ..node import Graph, Node
from . import components, ledger, merging

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
