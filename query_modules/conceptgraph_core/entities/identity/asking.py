"""List the open questions whether two entities are the same, and let the owner answer one."""

from typing import Any

from ... import text as texts
from ...errors import NotAllowed, Tautology
from ...text import show_name
from .. import lookups, schema
from ..node import Graph, Node
from . import components, ledger, merging

Row = dict[str, Any]


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
            row = _question(first, second, tie.get("confidence"), tie.get("evidence"))
            known = pairs.setdefault((first.key, second.key), row)
            if known["similarity"] < row["similarity"]:
                pairs[first.key, second.key] = row
    rows = sorted(
        pairs.values(), key=lambda row: (-row["similarity"], row["one_id"], row["other_id"])
    )
    return rows[: schema.limit(limit, schema.DEFAULT_ROWS)]


def _question(one: Node, other: Node, similarity: float, reason: str | None) -> Row:
    row: Row = {"similarity": similarity, "reason": reason}
    for name, node in (("one", one), ("other", other)):
        row |= {f"{name}_id": node.key, name: node.name, f"{name}_kind": node.get("entity_kind")}
    return row
