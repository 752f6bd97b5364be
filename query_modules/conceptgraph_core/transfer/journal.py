"""Note what a call of an import created, and take it back.

Messages and notes bear the ids of their imports instead, for several imports may have the same ones
(`memories.ingesting`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from zlib import crc32

from ..cascade import forgetting
from ..graph import adapter
from ..graph.adapter import Node
from ..graph.layers import SHARED
from ..graph.primitives import Lookup, Range, next_text
from ..jobs.schema import JOURNAL, JOURNALS
from ..memories import lookups
from ..memories.schema import KIND as MEMORY
from ..memories.view import AllMemories
from ..retrieval import documents
from ..retrieval.indexer import Writer
from ..texts import text
from .places import Place, list_places, placed, places
from .registry import indexed_kinds
from .view import Everything

Row = Mapping[str, Any]
# Other vectors may be of it by now.
_STAYING: Final = "embedding"


class Journals(adapter.Graph[Node]):
    """One call's view of the journals of imports."""

    layer = JOURNALS


def note(graph: Everything, import_id: str, created: Sequence[Row]) -> None:
    """Note that a call of the import has *created* these elements, records without values."""
    rows = [dict(one) for one in created if one["kind"] != _STAYING]
    now_ms, digest = graph.context.now_ms, f"{crc32(repr(rows).encode()):08x}"
    values = {"import_id": import_id, "made_at": now_ms, "count": len(created), "rows": rows}
    key = {"scope": graph.context.user_id, "id": f"{import_id} {now_ms} {digest}"}
    graph.another(Journals).create_node(JOURNAL, **key, **values)


def list_imports(graph: Journals) -> list[dict[str, Any]]:
    """List what the calls of imports created for the user, the earliest first.

    A row has import_id, batch, records (a count) and made_at.
    """
    user = graph.context.user_id
    graph.pull(Range((JOURNAL,), "scope", user, next_text(user)))
    found = [node.raw.get_property for node in graph.nodes()]
    rows = [
        {"import_id": get("import_id"), "batch": get("id"), "records": get("count")}
        | {"made_at": get("made_at")}
        for get in found
        if get("scope") == user
    ]
    return sorted(rows, key=lambda row: (row["made_at"], row["batch"]))


def take_back(graph: Everything, batch: str) -> dict[str, int]:
    """Remove for ever what a call of an import created: relations, then what none leads to.

    Memories go with the mentions that rest on them. Later batches go first. Returns removed and
    kept, the numbers of elements that are gone, and that something else rests on.
    """
    key = graph.context.user_id, text.name(batch, "batch")
    journals = graph.another(Journals)
    found = journals.find(JOURNAL, ("scope", "id"), [key])
    if not found:
        return {"removed": 0, "kept": 0}
    rows = list(reversed(found[0].raw.get_property("rows")))
    at = dict.fromkeys(place for row in rows for place in places(graph.layers, row))
    graph.pull(placed(list(at), graph.layers), *_look_up(rows))
    nodes = {
        (graph.layer_of(node.label).sharing(node.label), graph.key(node)): node
        for node in graph.nodes()
    }
    memory_ids = [row["id"] for row in rows if row["kind"] == MEMORY.kind]
    mine, writer = graph.another(AllMemories), Writer(graph)
    memories = mine.present(memory_ids) if memory_ids else []
    forgetting.hide_and_remove(mine, memories)
    removed, kept = len(memories), 0
    # Others went with the memories.
    is_left = {node.id: graph.raw_vertex(node.id) is not None for node in nodes.values()}
    there = {place: node for place, node in nodes.items() if place in at and is_left[node.id]}
    for source, target, edge_type in _list_ends(graph, rows, there):
        for edge in graph.edges_between(source, target, edge_type):
            graph.delete_edge(edge)
            removed += 1
    for row in rows:
        graph.step()
        for place in places(graph.layers, row) if "from" not in row else ():
            node = there.pop(place, None)
            if node is None:
                continue
            if next(graph.unread(node, (True, False)), None) is not None:
                kept += 1
                continue
            kind = graph.kind_of(node)
            if kind.indexed is not None:
                writer.remove(kind, node)
            graph.delete_node(node)
            removed += 1
    writer.finish()
    journals.delete_node(found[0])
    return {"removed": removed, "kept": kept}


def _look_up(rows: Sequence[Row]) -> Iterator[Lookup]:
    """Look up the index entries of the texts that go, and what rests on the memories."""
    for kind in indexed_kinds():
        keys: dict[str, list[str]] = {}
        for row in rows:
            if row["kind"] == kind.kind:
                keys.setdefault(row.get(str(kind.scope), SHARED), []).append(row[kind.key[-1]])
        for scope, names in keys.items():
            yield from documents.removed(kind, names, kind.words_of(scope))
            if kind is MEMORY:
                yield lookups.resting_all(lookups.ids(*names))


def _list_ends(
    graph: Everything, rows: Sequence[Row], there: Mapping[Place, Node]
) -> Iterator[tuple[Node, Node, str]]:
    """Iterate over the ends of the relations among *rows*, with the type of the edge."""
    for layer in graph.layers:
        for row in rows:
            kind = layer.edge(row.get("type")) if row["kind"] == layer.edge_kind else None
            if kind is None:
                continue
            graph.step()
            ends = [
                [there[one] for one in list_places(row, field, layer, labels) if one in there]
                for field, labels in (("from", kind.sources), ("to", kind.targets))
            ]
            if all(ends):
                yield ends[0][0], ends[1][0], kind.type
