"""The procedures `entitygraph.*`. Imports nothing of Memgraph."""

from typing import Any, Final

from ..verbs.procedures import MAP, MAPS, TEXTS, Edge, Vertex, list_procedures, reads, writes

# The description of a component without its edges.
_COMPONENT: Final[dict[str, Any]] = {
    "entity_id": str, "labels": TEXTS, "type": str, "kind": str | None, "identity_status": str,
    "valid_until": int | None, "origin": str, "origin_confidence": float, "inferred": bool,
    "trust": float, "trust_parts": MAP, "activation": float, "is_active": bool, "facts": MAPS,
    "mentions": MAPS, "conflicts": MAPS, "merges": MAPS,
}  # fmt: skip
# The result of one batch of a nightly step, and where to continue.
_BATCH: Final[dict[str, Any]] = {
    "processed": int, "changed": int, "changes": MAPS, "last": str | None,
}  # fmt: skip

OBSERVE = writes("entitygraph.observe", entities=MAPS, edges=MAPS)
END_SESSION = writes(
    "entitygraph.end_session", entities=int, edges_created=int, edges_reinforced=int,
    promoted=MAPS, activated_causal=MAPS,
)  # fmt: skip
FACT = writes(
    "entitygraph.fact", fact_id=str, origin=str, conflicts=MAPS, inferred_from=str | None,
    refused_span=str | None,
)  # fmt: skip
SEARCH = reads(
    "entitygraph.search", entity_id=str, label=str, type=str, kind=str | None, status=str,
    trust=float, last_activated=int, score=float, inferred=bool,
)  # fmt: skip
GET = reads("entitygraph.get", **_COMPONENT, edges=MAPS)
HISTORY = reads(
    "entitygraph.history", fact_id=str, predicate=str, value=str, object_id=str | None,
    valid_from=int | None, valid_until=int | None, known_from=int, known_until=int | None,
    origin=str, text=str | None,
)  # fmt: skip
PRESENCE = reads(
    "entitygraph.presence", entity_id=str, label=str, kind=str | None, user=list[int],
    model=list[int], feelings=MAPS, returns=MAPS,
)  # fmt: skip
CONTEXT = reads("entitygraph.context", text=str, paragraphs=list[Any], sources=MAPS, tokens=int)
EXPLAIN = reads(
    "entitygraph.explain", text=str, parts=list[Any], ids=MAP, node=Vertex | None,
    relation=Edge | None,
)  # fmt: skip
STATS = reads("entitygraph.stats", measure=str, value=int, note=str | None)

LINK = writes("entitygraph.link", verdict=str, reason=str, merge_id=str | None)
MERGE = writes("entitygraph.merge", verdict=str, merge_id=str | None, reason=str | None)
SPLIT = writes(
    "entitygraph.split", verdict=str, entity_id=str | None, merge_id=str | None, reason=str | None
)
END = writes(
    "entitygraph.end", verdict=str, valid_until=int | None, merge_id=str | None, reason=str | None
)
ANSWER = writes("entitygraph.answer", merge_id=str)
QUESTIONS = reads(
    "entitygraph.questions", similarity=float, reason=str | None, one_id=str, one=str,
    one_kind=str | None, other_id=str, other=str, other_kind=str | None,
)  # fmt: skip
FORGET = writes("entitygraph.forget", id=str, forgotten_at=int, others=MAPS)
RESTORE = writes("entitygraph.restore", id=str, restored=bool, state=str | None)
UNMERGE = writes("entitygraph.unmerge", merge_id=str, separate=MAPS, undo=str | None)
PURGE = writes("entitygraph.purge", id=str, kind=str, forgotten_at=int, text=str)
LIST = reads(
    "entitygraph.list", entity_id=str, label=str, type=str, kind=str | None, status=str,
    trust=float, edges=int, last_activated=int, is_active=bool, inferred=bool,
    merged_into=str | None,
)  # fmt: skip
MERGES = reads(
    "entitygraph.merges", merge_id=str, action=str, source_id=str, source=str, target_id=str,
    target=str, confidence=float, reason=str | None, said=str | None, by=str, is_active=bool,
    is_claim=bool, created_at=int, unmerged_at=int | None, unmerge_reason=str | None,
)  # fmt: skip

CONSOLIDATE_DAILY = writes("entitygraph.consolidate_daily", **_BATCH)
CONSOLIDATE_WEEKLY = writes("entitygraph.consolidate_weekly", **_BATCH)
CONNECTIONS = reads(
    "entitygraph.connections", entity_id=str, label=str, community=str | None, node=int,
    others=list[int], weights=list[float],
)  # fmt: skip
SETTLE_COMMUNITIES = writes("entitygraph.settle_communities", changed=int)
SILENT_SESSIONS = reads("entitygraph.silent_sessions", session_id=str, last_mention_at=int)
SCOPES = reads("entitygraph.scopes", user_id=str)

PROCEDURES = list_procedures(globals())
