"""List what changed in a time: what is new, corrected, contradicted, merged, faded or promoted."""

from collections.abc import Iterator
from typing import Any, Final

from ..cascade.forgetting import FORGETTABLE, describe
from ..entities import bitemporal, inspecting
from ..entities import schema as entities
from ..entities.identity import ledger
from ..entities.node import All
from ..entities.node import Graph as Entities
from ..entities.node import Node as Entity
from ..memories import fade, standing
from ..memories import schema as memories
from ..memories.view import AllMemories, Graph, Node
from ..texts import dates, text
from . import lookups, schema

Row = dict[str, Any]

NEW, CORRECTED, CONTRADICTED = "new", "corrected", "contradicted"
EDITED, FADED, RETURNED, EXPIRED, FORGOTTEN = "edited", "faded", "returned", "expired", "forgotten"
PROMOTED: Final = "promoted"
_ENTITY, _FACT, _LEDGER = "entity", "fact", "ledger"


def changes(
    graph: Graph, since: int, until: int, limit: int | None = schema.MOST_LISTED
) -> list[Row]:
    """List what changed from *since* until *until* (unix ms), the latest first, at most *limit*.

    A row has at (unix ms), change, kind, id, text, why, and undo: the id that takes it back (for
    `everyday.restore`, or of the ledger for `entitygraph.unmerge`), or None.

    * memory: new, corrected or contradicted (by a later one), faded or returned (its state
      changed, as the worker or an access stored it), expired, forgotten, edited (by its owner; undo
      is for `memorygraph.revise`, which takes back the change of that time).
    * entity: new, promoted (it became distinct), forgotten. fact: new, corrected, contradicted,
      forgotten. mention: forgotten.
    * ledger: merge, split, end or apart, and the same taken back ("merge undone").

    Raises InvalidNumber.
    """
    dates.periods((since, until), "since, until", 1)
    most = text.limit(limit, schema.MOST_LISTED, schema.MOST_LISTED)
    graph.pull(lookups.changed(graph.context.user_id, since, until))
    every = graph.another(AllMemories)
    known = graph.another(Entities)
    rows = [
        row
        for row in (*_of_memories(every), *_of_entities(known), *_of_ledger(known))
        if since <= row["at"] < until
    ]
    rows.sort(key=lambda row: (-row["at"], row["kind"], row["change"], row["id"]))
    return rows[:most]


def _row(at: int, change: str, kind: str, key: str, said: str, **more: Any) -> Row:
    row = {"at": at, "change": change, "kind": kind, "id": key, "text": said, "why": None}
    return {**row, "undo": None, **more}


def _of_memories(graph: AllMemories) -> Iterator[Row]:
    for node in graph.nodes():
        key, said = node.memory_id, node.text
        yield from _turns(node, graph.context.decay.archived)
        if node.is_deleted:
            continue
        yield _row(node.get("created_at"), NEW, schema.MEMORY, key, said)
        yield from _edits(node)
        for other, at in standing.find_contradicted(graph, node):
            change = CONTRADICTED if other.get("valid_until") is None else CORRECTED
            yield _row(at, change, schema.MEMORY, other.memory_id, other.text, why=said)


def _edits(node: Node) -> Iterator[Row]:
    """Iterate over the revisions of a memory; the latest can be taken back."""
    edits = node.get("metadata").get(memories.REVISIONS)
    known = [one for one in edits or () if isinstance(_entry(one, "at"), int)]
    for one in known:
        undo = node.memory_id if one is known[-1] else None
        was = [said] if (said := _entry(one, "content") or _entry(one, "summary")) else []
        importance = _entry(one, "importance")
        was += [f"importance {importance:g}"] if isinstance(importance, int | float) else []
        why = f"it was: {'; '.join(was)}" if was else None
        yield _row(one["at"], EDITED, schema.MEMORY, node.memory_id, node.text, why=why, undo=undo)


def _turns(node: Node, least: float) -> Iterator[Row]:
    """Iterate over the stored changes of a memory's state.

    A restored memory no longer says why it was hidden. If its score was *least* or more, somebody
    forgot it.
    """
    metadata = node.get("metadata")
    history = metadata.get(memories.HISTORY)
    forgotten = metadata.get(memories.FORGOTTEN)
    for entry in history if isinstance(history, (list, tuple)) else ():
        at, state, before = (_entry(entry, name) for name in ("at", "to", "from"))
        if not isinstance(at, int) or state not in fade.STATES or before not in fade.STATES:
            continue
        cause = ", when it was recalled" if at == node.get("accessed_at") else ""
        why, undo = f"{before} → {state}{cause}", None
        change = FADED if fade.STATES.index(state) > fade.STATES.index(before) else RETURNED
        if state == fade.EXPIRED:
            score = _entry(entry, "score")
            change = FORGOTTEN if isinstance(score, float) and score >= least else EXPIRED
            known = _entry(forgotten, "at") == at
            why = _entry(forgotten, "reason") if known or change == FORGOTTEN else why
            undo = node.memory_id if node.get("deleted_at") == at else None
        yield _row(
            *(at, change, schema.MEMORY, node.memory_id, node.text), why=why or None, undo=undo
        )


def _entry(entry: Any, name: str) -> Any:
    return entry.get(name) if isinstance(entry, dict) else None


def _of_entities(graph: Entities) -> Iterator[Row]:
    yield from _of_forgotten(graph.another(All))
    for node in graph.of(entities.ENTITY):
        yield _row(node.created_at, NEW, _ENTITY, node.key, node.own_name)
        promoted_at = node.get("promoted_at")
        if promoted_at is not None:
            yield _row(promoted_at, PROMOTED, _ENTITY, node.key, node.own_name)
        yield from _of_facts(graph, node)


def _of_forgotten(every: All) -> Iterator[Row]:
    """Iterate over what was forgotten by itself, and not with something else."""
    for node in every.nodes():
        if node.label in FORGETTABLE and node.key in (node.get("forgotten_with") or ()):
            given = {"why": node.get("forgotten_because"), "undo": node.key}
            at, kind, said = (
                node.get("forgotten_at"),
                FORGETTABLE[node.label],
                describe(every, node),
            )
            yield _row(at, FORGOTTEN, kind, node.key, said, **given)


def _of_facts(graph: Entities, node: Entity) -> Iterator[Row]:
    facts = list(bitemporal.iterate_facts(graph, [node]))
    for one in facts:
        said = _read_stated(graph, node, one)
        yield _row(one.get("known_from"), NEW, _FACT, node.key, said)
        if one.get("known_until") is not None:
            yield _row(one.get("known_until"), CORRECTED, _FACT, node.key, said)
        if one.get("ended_at") is not None:
            yield _row(one.get("ended_at"), CORRECTED, _FACT, node.key, said, why="it is over")
    current = bitemporal.list_current(graph, [node])
    for one, other in bitemporal.conflicts(graph, current, graph.now_ms):
        said = _read_stated(graph, node, one)
        at = max(one.get("known_from"), other.get("known_from"))
        yield _row(at, CONTRADICTED, _FACT, node.key, said, why=_value(graph, other))


def _read_stated(graph: Entities, node: Entity, fact: Entity) -> str:
    return f"{node.own_name} – {fact.get('predicate')}: {_value(graph, fact)}"


def _value(graph: Entities, fact: Entity) -> str:
    about = bitemporal.find_object(graph, fact)
    return str(fact.get("value")) if about is None else about.own_name


def _of_ledger(graph: Entities) -> Iterator[Row]:
    for entry in graph.of(entities.MERGE):
        if ledger.is_claim(entry) or not ledger.is_seen(graph, entry):
            continue
        row = inspecting.entry(graph, entry)
        said = row["source"]
        if row["target"] and row["target_id"] != row["source_id"]:
            said += f", {row['target']}"
        key, undo = row["source_id"], row["merge_id"] if row["is_active"] else None
        given = {"why": row["said"] or row["reason"], "undo": undo}
        yield _row(row["created_at"], row["action"], _LEDGER, key, said, **given)
        if row["unmerged_at"] is not None:
            change = f"{row['action']} undone"
            why = row["unmerge_reason"]
            yield _row(row["unmerged_at"], change, _LEDGER, key, said, why=why)
