"""The procedures `memorygraph.*`. Imports nothing of Memgraph."""

from typing import Any, Final

from ..jobs.schema import COUNTERS
from ..verbs.procedures import MAP, MAPS, TEXTS, Edge, Vertex, list_procedures, reads, writes

# The fields of one kind of rows, with their types.
_Fields = dict[str, Any]

# The fields of a memory in lists.
BRIEF: Final[_Fields] = {
    "memory_id": str, "text": str, "source": str, "speaker": str | None, "type": str | None,
    "tags": TEXTS, "state": str, "created_at": int,
}  # fmt: skip
# The number of copies, and the id of a later memory that contradicts it.
_STANDING: Final[_Fields] = {"also": int, "contradicted_by": str | None}
# All fields of one memory.
_WHOLE: Final[_Fields] = {
    "memory_id": str, "content": str, "summary": str | None, "source": str, "speaker": str | None,
    "type": str | None, "tags": TEXTS, "importance": float, "confidence": float,
    "access_count": int, "created_at": int, "accessed_at": int, "state": str, "decay_score": float,
    "preserved": bool, "parent_id": str | None, "concepts": TEXTS, "metadata": MAP,
    "decay_rate": float | None, "contradicted_by": str | None,
}  # fmt: skip
_NEXT: Final[_Fields] = {"next_state": str | None, "next_state_at": int | None}
_STATUS: Final[_Fields] = {
    "state": str, "decay_score": float, "last_decay_update": int, **_NEXT, "preserved": bool,
    "preserved_until": int | None,
}  # fmt: skip
_WORKER: Final[_Fields] = {
    "paused": bool, "holder": str | None, "lease_until": int | None, "started_at": int | None,
    "finished_at": int | None, "duration_ms": int | None, "last_error": str | None,
    **dict.fromkeys(COUNTERS, int), "jobs": MAPS,
}  # fmt: skip
_BACKUP: Final[_Fields] = {"file": str, "finished_at": int}
_ITEM: Final[_Fields] = {
    "step": int, "id": str | None, "path": str, "value": str | None, "text": str | None,
    "created_at": int | None, "changed_at": int | None, "lapses_after": int | None,
    "score": float | None,
}  # fmt: skip
_ENDS: Final[_Fields] = {"from": str, "to": str, "type": str, "strength": float}

CREATE = writes(
    "memorygraph.create", memory_id=str, state=str, decay_score=float, concepts=TEXTS,
    existing=bool, similar=MAPS, kept=MAP,
)  # fmt: skip
GET = writes("memorygraph.get", **_WHOLE, accessed=MAP).peeking_as("memorygraph.peek")
UPDATE = writes("memorygraph.update", **_WHOLE)
REVISE = writes("memorygraph.revise", **_WHOLE)
FORGET = writes("memorygraph.forget", memory_id=str, deleted_at=int)
RECENT = reads("memorygraph.recent", **BRIEF, accessed_at=int, total=int, **_STANDING)
SEARCH = reads(
    "memorygraph.search", **BRIEF, score=float, matched=TEXTS, similarity=float | None, total=int,
    **_STANDING, words=MAPS, factors=MAP, memory=Vertex,
)  # fmt: skip
CONTEXT = writes(
    "memorygraph.context",
    text=str,
    memory_ids=TEXTS,
    tokens=int,
    entries=MAPS,
    left_out=int,
    accessed=MAP,
).peeking_as("memorygraph.peek_context")
TOUCH = writes("memorygraph.touch", memory_id=str, access_count=int, state=str, decay_score=float)
DECAY_STATUS = reads("memorygraph.decay_status", **_STATUS)
PRESERVE = writes("memorygraph.preserve", **_STATUS)

ITEMS = writes("memorygraph.items", **_ITEM)
PEEK_ITEMS = reads("memorygraph.peek_items", **_ITEM)

LINK = writes("memorygraph.link", **_ENDS, created=bool)
RELINK = writes("memorygraph.relink", **_ENDS, restored=bool)
CONNECTED = reads(
    "memorygraph.connected", **BRIEF, relation=str, direction=str, strength=float, link=Edge,
    total=int,
)  # fmt: skip
EXPLORE = reads("memorygraph.explore", **BRIEF, distance=int, truncated=str | None)
TRAVERSE = reads(
    "memorygraph.traverse", **BRIEF, depth=int, via=str | None, relation=str | None,
    direction=str | None, strength=float | None, link=Edge | None, truncated=str | None,
)  # fmt: skip
STATS = reads(
    "memorygraph.stats", nodes=int, edges=int, average_connections=float, by_state=MAP,
    by_source=MAP, relations=MAP, isolated=int,
)  # fmt: skip
ANALYSIS = reads(
    "memorygraph.analysis", in_degrees=MAPS, out_degrees=MAPS, top_connectors=MAPS, relations=MAP,
    average_strength=float,
)  # fmt: skip

# For the owner, and for the worker on their behalf.
INGEST = writes("memorygraph.ingest", created=int, existing=int, differing=TEXTS)
INGESTED = reads("memorygraph.ingested", existing=TEXTS, differing=TEXTS)
RETRACT = writes("memorygraph.retract", removed=int, kept=int)
LIST = reads(
    "memorygraph.list", **BRIEF, decay_score=float, access_count=int, accessed_at=int,
    deleted_at=int | None, forgotten=bool, preserved=bool, contradicted_by=str | None,
)  # fmt: skip
SHOW = reads(
    "memorygraph.show", **_WHOLE, deleted_at=int | None, embedding_dimension=int | None, **_NEXT
)
EXPIRED = reads(
    "memorygraph.expired", **BRIEF, deleted_at=int | None, forgotten=bool, total=int
)  # fmt: skip
UNINDEXED = reads("memorygraph.unindexed", memories=int)
RESTORE = writes(
    "memorygraph.restore", memory_id=str, restored=bool, state=str, decay_score=float
)  # fmt: skip
PURGE = writes("memorygraph.purge", memory_id=str, deleted_at=int, text=str)
DECAY_BATCH = writes(
    "memorygraph.decay_batch", processed=int, transitioned=int, errors=int, changes=MAPS,
    last=str | None,
)  # fmt: skip
SCOPES = reads("memorygraph.scopes", user_id=str)
WORKER_STATUS = reads("memorygraph.worker_status", **_WORKER)
WORKER_LEASE = writes("memorygraph.worker_lease", acquired=bool, **_WORKER)
WORKER_PAUSE = writes("memorygraph.worker_pause", **_WORKER)
WORKER_REPORT = writes("memorygraph.worker_report", **_WORKER)
RECORD_BACKUP = writes("memorygraph.record_backup", **_BACKUP)
LAST_BACKUP = reads("memorygraph.last_backup", **_BACKUP)

PROCEDURES = list_procedures(globals())
