"""Claims that two entities are the same, judged: never by how sure whoever claims it is."""

from typing import Any

from .. import checks
from .. import text as texts
from . import components, merging, schema
from .node import Graph, Node
from .observing import propose

Row = dict[str, Any]


def link(
    graph: Graph,
    entity_id: str,
    linked_entity_id: str | None,
    link_confidence: float,
    link_rationale: str,
    origin: str,
) -> Row:
    """Judge the claim that two entities are the same. Returns verdict and reason.

    The claim is evidence, its confidence is not. Without the conditions of `merging.missing` it is
    kept as a question (`candidate`); what cannot be, or was taken back before, is `rejected`. Only
    what the user said is `merged`, and only if the conditions hold; what a model claims never is.
    """
    checks.unit(link_confidence, "link_confidence")
    checks.one_of(schema.SPEAKERS)(origin, "origin")
    texts.summary(link_rationale, "link_rationale")
    one = merging.entity(graph, entity_id)
    if linked_entity_id is None:
        return _verdict(schema.REJECTED, "nobody is named; what is in question stays so")
    other = merging.entity(graph, linked_entity_id, "linked_entity_id")
    one, other = components.canonical(graph, one), components.canonical(graph, other)
    if one.id == other.id:
        return _verdict(schema.MERGED, "they are the same already")
    if reasons := merging.barred(graph, one, other):
        return _verdict(schema.REJECTED, "; ".join(reasons))
    return _questioned(graph, one, other, link_rationale, origin)


def _questioned(graph: Graph, one: Node, other: Node, link_rationale: str, origin: str) -> Row:
    propose(graph, one, other, merging.likeness(one, other), link_rationale)
    for node in (one, other):
        if node.status == schema.PROVISIONAL:
            node.set(identity_status=schema.AMBIGUOUS)
    if lacking := merging.missing(graph, one, other):
        return _verdict(schema.CANDIDATE, "; ".join(lacking))
    if origin != schema.USER:
        return _verdict(schema.CANDIDATE, "a model's claim merges nothing; the weekly analysis may")
    younger, older = sorted((one, other), key=lambda node: node.age, reverse=True)
    merging.merged(graph, younger, older, link_rationale, schema.SYSTEM)
    return _verdict(schema.MERGED, "all conditions hold, and the user said so")


def _verdict(verdict: str, reason: str) -> Row:
    return {"verdict": verdict, "reason": reason}
