"""Let the owner inspect all entities, merged and archived ones included, and the ledger."""

from collections.abc import Sequence
from typing import Any

from .. import text as texts
from .. import validators
from ..errors import NotFound
from ..text import show_name
from . import lookups, schema, trust
from .identity import components, ledger
from .node import Graph, Node

Row = dict[str, Any]


def listed(
    graph: Graph, statuses: Sequence[str] = (), limit: int | None = schema.LISTED
) -> list[Row]:
    """List the entities of any of *statuses* (empty: of all), the ones activated last first.

    A merged entity has a row of its own; `merged_into` is the entity_id that it counts as. A row
    has entity_id, label, type, kind, status, trust (of its component), edges, last_activated (unix
    ms), is_active, inferred, merged_into.
    """
    wanted = [validators.one_of(schema.IDENTITY_STATUSES)(one, "statuses") for one in statuses]
    most = texts.integer(schema.LISTED if limit is None else limit, "limit", 1, schema.MAX_LISTED)
    until_ms = graph.context.until_ms
    graph.pull(
        lookups.of_statuses(wanted, most, graph.user_id)
        if until_ms is None
        else lookups.activated_until(until_ms, graph.user_id)
    )
    found = [node for node in graph.of(schema.ENTITY) if not wanted or node.status in wanted]
    found.sort(key=lambda node: (-node.get("last_activated"), node.key))
    return [_entity(graph, node) for node in found[:most]]


def merges(
    graph: Graph, merge_id: str | None = None, limit: int | None = schema.LISTED
) -> list[Row]:
    """List the ledger, the latest entry first, or only *merge_id*. Raises NotFound.

    A row has merge_id, action (merge, split, end or apart), source_id and source, target_id and
    target (their labels), confidence, reason, said (the user's words), by, is_active, is_claim (it
    never was in force), created_at, unmerged_at (unix ms) and unmerge_reason. The target of an end
    is another entity of the name that began then; else target_id is the source's, without a label.
    """
    most = texts.integer(schema.LISTED if limit is None else limit, "limit", 1, schema.MAX_LISTED)
    if merge_id is None:
        graph.pull(lookups.latest_merges(most, graph.user_id))
        found = graph.of(schema.MERGE)
    else:
        texts.name(merge_id, "merge_id")
        found = [*graph.with_ids(schema.MERGE, [merge_id]).values()]
    found = [node for node in found if ledger.is_seen(graph, node)]
    if merge_id is not None and not found:
        raise NotFound(f"merge_id: not found: {show_name(merge_id)}")
    found.sort(key=lambda node: (-node.created_at, node.key))
    return [entry(graph, node) for node in found[:most]]


def _entity(graph: Graph, node: Node) -> Row:
    said, canonical = components.said(graph, node), components.canonical(graph, node)
    return {
        "entity_id": node.key,
        "label": node.name,
        "type": node.node_type,
        "kind": node.get("entity_kind"),
        "status": node.status,
        "trust": trust.trust(said),
        "edges": said.active,
        "last_activated": node.get("last_activated"),
        "is_active": node.get("is_active"),
        "inferred": said.user == 0,
        "merged_into": None if canonical.key == node.key else canonical.key,
    }


def entry(graph: Graph, entry: Node) -> Row:
    """Return a ledger entry as a row, with the labels of its entities at that time."""
    return {
        "merge_id": entry.key,
        "action": ledger.action_of(entry),
        "source_id": entry.get("source_node_id"),
        "source": _label(graph, entry, schema.MERGE_OF, entry.get("source_node_id")),
        "target_id": entry.get("target_node_id"),
        "target": _label(graph, entry, schema.MERGE_INTO, entry.get("target_node_id")),
        "confidence": entry.get("merge_confidence"),
        "reason": entry.get("merge_reason"),
        "said": entry.get("said"),
        "by": entry.get("created_by"),
        "is_active": entry.get("is_active"),
        "is_claim": ledger.is_claim(entry),
        "created_at": entry.created_at,
        "unmerged_at": entry.get("unmerged_at"),
        "unmerge_reason": entry.get("unmerge_reason"),
    }


def _label(graph: Graph, entry: Node, edge_type: str, entity_id: str) -> str:
    of = (tie.other for tie in graph.leaving(entry, edge_type))
    return next((one.own_name for one in of if one.key == entity_id), "")
