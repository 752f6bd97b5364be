"""Remember removed links: no walk sees them, but their owner can restore them.

The note is in the metadata of the link's source. So walks, statistics and counts need not know of
it, and it is exported, copied and restored with its memory.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import NotFound
from . import schema
from .view import Graph, Node

Row = dict[str, Any]


def create(graph: Graph, source: Node, target: Node, relation: str, strength: float) -> None:
    """Link two memories; this deletes a note that they were unlinked."""
    now_ms = graph.context.now_ms
    graph.create_edge(
        source,
        target,
        schema.RELATION_TYPES[relation],
        strength=strength,
        created_at=now_ms,
        last_strengthened=now_ms,
    )
    notes = _notes(source)
    others = [note for note in notes if not _is_of(note, target, relation)]
    if others != notes:
        _write(graph, source, others)


def take_away(
    graph: Graph, source: Node, target: Node, relation: str, edges: Sequence[Any]
) -> None:
    """Remove a link, all *edges* of it, and note its current strength. Raises NotFound."""
    if not edges:
        # Removed twice, it stays removed.
        if any(_is_of(one, target, relation) for one in _notes(source)):
            return
        raise NotFound(f"link: no {relation} link leads from source_id to target_id; say its type")
    left = max(graph.strength(edge) for edge in edges)
    for edge in edges:
        graph.delete_edge(edge)
    note = {
        "to": target.memory_id,
        "type": relation,
        "strength": round(left, schema.DECIMALS),
        "at": graph.context.now_ms,
    }
    others = [one for one in _notes(source) if not _is_of(one, target, relation)]
    _write(graph, source, [*others, note])


def taken_away(source: Node, target: Node, relation: str) -> float:
    """Return the strength of a link when it was removed. Raises NotFound."""
    for note in _notes(source):
        if _is_of(note, target, relation):
            left = note.get("strength")
            return left if left.__class__ is float and 0 < left <= 1 else schema.DEFAULT_STRENGTH
    raise NotFound(f"link: no {relation} link between these memories was taken away")


def _notes(source: Node) -> list[Row]:
    known = source.value("metadata").get(schema.UNLINKED)
    return list(known) if isinstance(known, (list, tuple)) else []


def _write(graph: Graph, source: Node, notes: list[Row]) -> None:
    metadata = dict(source.value("metadata"))
    metadata.pop(schema.UNLINKED, None)
    if notes:
        metadata[schema.UNLINKED] = notes[-schema.MAX_UNLINKED :]
    graph.update(source, metadata=metadata)


def _is_of(note: Any, target: Node, relation: str) -> bool:
    if not isinstance(note, Mapping):
        return False
    return bool(note.get("to") == target.memory_id and note.get("type") == relation)
