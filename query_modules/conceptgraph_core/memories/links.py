"""Create, strengthen and remove links between memories.

A removed link is a note in the metadata of its source, and its owner can restore it. So walks,
statistics and counts need not know of it, and it is exported, copied and restored with its memory.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..texts import text
from ..verbs import validators
from ..verbs.errors import NotFound, Tautology
from . import schema
from .view import Graph, Node

Row = dict[str, Any]


def link(
    graph: Graph,
    source: str,
    target: str,
    type_: str = schema.DEFAULT_RELATION,
    strength: float | None = None,
    amount: float = schema.DEFAULT_AMOUNT,
) -> Row:
    """Link two memories, restate a link, or remove it.

    A new link gets *strength*, 0.5 if that is None. An existing one gets *strength* if given, else
    its current strength plus *amount*, from 0.5 up to 1. Either way it fades anew from now. A
    *strength* of 0 removes the link, which `relink` undoes. Returns from, to, type, strength and
    created. Raises InvalidText, InvalidNumber, Tautology, and NotFound.
    """
    relation = schema.checked_relation(type_)
    if strength is not None:
        strength = validators.unit(strength, "strength")
    amount = validators.unit(amount, "amount")
    start, end = _ends(graph, source, target)
    return join(graph, start, end, relation, strength, amount)


def join(
    graph: Graph,
    source: Node,
    target: Node,
    relation: str,
    strength: float | None = None,
    amount: float = schema.DEFAULT_AMOUNT,
) -> Row:
    """Link two memories that were found already, as `link` does."""
    edges = graph.edges_between(source, target, schema.RELATION_TYPES[relation])
    if strength == 0:
        _take_away(graph, source, target, relation, edges)
        left = 0.0
    elif not edges:
        left = schema.DEFAULT_STRENGTH if strength is None else strength
        _create(graph, source, target, relation, left)
    elif strength is None:
        left = strengthen(graph, edges, amount, schema.RESTATED)
    else:
        left = _set(graph, edges, strength)
    return {
        "from": source.memory_id,
        "to": target.memory_id,
        "type": relation,
        "strength": round(left, schema.DECIMALS),
        "created": not edges and strength != 0,
    }


def relink(graph: Graph, source: str, target: str, type_: str = schema.DEFAULT_RELATION) -> Row:
    """Restore a removed link with its strength at that time; it fades from now on.

    Returns from, to, type, strength, and restored: False if the link was never removed. Raises
    NotFound if no such link was removed, and the errors of `link`.
    """
    relation = schema.checked_relation(type_)
    start, end = _ends(graph, source, target)
    edges = graph.edges_between(start, end, schema.RELATION_TYPES[relation])
    if edges:
        left = max(graph.strength(edge) for edge in edges)
    else:
        noted = _find_note(start, end, relation)
        if noted is None:
            raise NotFound(f"link: no {relation} link between these memories was taken away")
        had: Any = noted.get("strength")
        is_strength = had.__class__ is float and 0 < had <= 1
        left = had if is_strength else schema.DEFAULT_STRENGTH
        _create(graph, start, end, relation, left)
    return {
        "from": start.memory_id,
        "to": end.memory_id,
        "type": relation,
        "strength": round(left, schema.DECIMALS),
        "restored": not edges,
    }


def _ends(graph: Graph, source_id: str, target_id: str) -> list[Node]:
    source_id, target_id = text.name(source_id, "source_id"), text.name(target_id, "target_id")
    if source_id == target_id:
        raise Tautology(
            f"link: tautology: source_id and target_id are both {text.show_name(source_id)}"
        )
    return graph.existing_all([source_id, target_id])


def strengthen(graph: Graph, edges: Sequence[Any], amount: float, least: float = 0.0) -> float:
    """Strengthen a link, all *edges* of one type between two memories, by *amount*.

    The result is at least *least*, at most 1; it fades anew from now. Returns its strength.
    """
    # Parallel edges made by hand count as one, the strongest; `check` reports them.
    left = max(graph.strength(edge) for edge in edges)
    return _set(graph, edges, max(least, min(1.0, left + amount)))


def _set(graph: Graph, edges: Sequence[Any], strength: float) -> float:
    """Set the current strength of a link; strengthening also slows its fading."""
    edge, now_ms = max(edges, key=graph.strength), graph.context.now_ms
    if strength >= graph.strength(edge):
        edge.set_property("strengthened_days", graph.link_days(edge))
    edge.set_property("strength", strength)
    edge.set_property("last_strengthened", now_ms)
    for other in edges:
        if other is not edge and graph.strength(other) > strength:
            graph.delete_edge(other)
    return strength


def _create(graph: Graph, source: Node, target: Node, relation: str, strength: float) -> None:
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
    if (noted := _find_note(source, target, relation)) is not None:
        _write_notes(graph, source, [one for one in _read_notes(source) if one != noted])


def _take_away(
    graph: Graph, source: Node, target: Node, relation: str, edges: Sequence[Any]
) -> None:
    """Remove a link, all *edges* of it, and note its current strength. Raises NotFound."""
    noted = _find_note(source, target, relation)
    if not edges:
        # Removed twice, it stays removed.
        if noted is not None:
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
    others = [one for one in _read_notes(source) if one != noted]
    _write_notes(graph, source, [*others, note])


def _read_notes(source: Node) -> list[Row]:
    known = source.get("metadata").get(schema.UNLINKED)
    return list(known) if isinstance(known, (list, tuple)) else []


def _find_note(source: Node, target: Node, relation: str) -> Row | None:
    """Return the note that *source* was unlinked from *target*."""
    wanted = target.memory_id, relation
    notes = (one for one in _read_notes(source) if isinstance(one, Mapping))
    return next((one for one in notes if (one.get("to"), one.get("type")) == wanted), None)


def _write_notes(graph: Graph, source: Node, notes: list[Row]) -> None:
    metadata = dict(source.get("metadata"))
    metadata.pop(schema.UNLINKED, None)
    if notes:
        metadata[schema.UNLINKED] = notes[-schema.MAX_UNLINKED :]
    graph.update(source, metadata=metadata)
