"""The procedures `conceptgraph.*` about concepts and episodes. Imports nothing of Memgraph."""

from typing import Any, Final

from ..verbs.procedures import MAP, MAPS, TEXTS, Edge, Vertex, list_procedures, reads, writes

_RECALLED: Final[dict[str, Any]] = {
    "text": str, "score": float, "relative": float, "valence": float | None, "hop": int,
    "arousal": float, "weight": float, "reverse": bool, "relation": Edge, "total": int,
    "episode_id": str | None, "end": str,
}  # fmt: skip
_TOUCHED: Final[dict[str, Any]] = {"kind": str, "text": str, "id": str}

CONCEPT_UPSERT = writes("conceptgraph.concept_upsert", concept_id=str, created=bool)
UPDATE_AFFECT = writes(
    "conceptgraph.update_affect", concept_id=str | None, episode_id=str | None, valence=float,
    arousal=float, accessed_at=int,
)  # fmt: skip
EPISODE_ADD = writes(
    "conceptgraph.episode_add", episode_id=str, linked_concepts=TEXTS, valence=float
)  # fmt: skip
RELATION_ADD = writes(
    "conceptgraph.relation_add", **{"from": str, "to": str, "type": str, "weight": float}
)  # fmt: skip

CONCEPT_SEARCH = reads(
    "conceptgraph.concept_search", concept=str, arousal=float, relative=float, matched=bool
)
RECALL = writes("conceptgraph.recall", **_RECALLED)
PEEK = reads("conceptgraph.peek", **_RECALLED)
RECALL_QUERY = writes(
    "conceptgraph.recall_query",
    propositions=MAPS,
    relations=list[Edge],
    total=int,
    unknown=MAPS,
    accessed=MAP,
).peeking_as("conceptgraph.peek_query")
UNKNOWN = reads("conceptgraph.unknown", seed=str, similar=TEXTS)
ASSOCIATE = reads(
    "conceptgraph.associate", episode_id=str, summary=str, date=str | None, score=float,
    matched=TEXTS, words=MAPS, factors=MAP, episode=Vertex,
)  # fmt: skip

RENAME = writes("conceptgraph.rename", **_TOUCHED)
REMOVE = writes("conceptgraph.remove", **_TOUCHED)
REMOVE_RELATION = writes("conceptgraph.remove_relation", **_TOUCHED)
UNINDEXED = reads("conceptgraph.unindexed", episodes=int)

PROCEDURES = list_procedures(globals())
