"""Undo an entry of the ledger: a merge, a split, an end or a separation, in any order."""

from collections.abc import Callable
from typing import Any, Final

from ... import text as texts
from ...errors import NotAllowed, NotFound
from ...text import show_name
from .. import schema
from ..node import All, Graph, Node
from . import components, ending, ledger, merging, splitting

Row = dict[str, Any]

_UNDO: Final[dict[str, Callable[[Graph, Node], merging.Undone]]] = {
    schema.MERGE_ACTION: merging.parted,
    schema.SPLIT_ACTION: splitting.rejoin,
    schema.END_ACTION: ending.revived,
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
    return {
        "separate": [_whole(graph, one) for one in apart if one not in gone],
        "undo": undo,
    }


def _whole(graph: Graph, node: Node) -> Row:
    members = components.members(graph, node)
    labels = components.labels(members)
    return {"entity_id": members[0].key, "labels": labels, "identity_status": members[0].status}
