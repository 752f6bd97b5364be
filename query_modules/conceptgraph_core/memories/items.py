"""Keep values of programs under paths, each as a memory that is found by its text.

A path is names joined by "/"; those below "a/b" begin with "a/b/". The steps of one call are one
transaction. The drop-ins of the server are built on it: namespaces and filters are theirs.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..graph.primitives import Lookup, Range, Union
from ..retrieval import documents
from ..retrieval.indexer import Writer
from ..texts import text
from ..verbs.errors import InvalidText, NotAllowed
from . import fade, schema, standing
from .crud import check_properties
from .filters import Wanted
from .lookups import EVER, ids, mine
from .schema import item_id
from .search import read_wordings
from .view import AllMemories, Node

Row = dict[str, Any]
Step = Mapping[str, Any]
_STEPS: Final = ("get", "find", "put", "use", "forget", "remove")
_MOST_FOUND: Final = 100_000
# A value keeps none of these of the one whose place it takes.
_RESET: Final = dict.fromkeys(("deleted_at", "embedding", "embedding_dimension", "lapses_after"))
# A program's value does not fade: it lapses, or the program removes it.
_NEW: Final = {
    **{"tags": [], "concepts": [], "source": schema.DEFAULT_SOURCE, "decay_rate": 0.0},
    **{"importance_score": schema.DEFAULT_IMPORTANCE, "decay_score": schema.DEFAULT_IMPORTANCE},
    **{"confidence": schema.DEFAULT_CONFIDENCE, "access_count": 0},
}


def items(
    graph: AllMemories,
    steps: Sequence[Step],
    vector: Sequence[float] = (),
    model: str | None = None,
) -> list[Row]:
    """Do *steps* in their order, each a map with `do`:

    * get: the value at `path`. find: those below `under`, the latest changed first, at most
      `limit`; with `query` (and its *vector* by *model*) those that match come first, with a score.
      `lapsed`: those whose time is over instead, wherever they are without `under`.
    * put: `value` at `path`, found by `text` (else by its path), from `source`; without `value` the
      text is the value. It lapses `lapses_after` ms after it was used last. With `was`, it is
      refused unless that is the changed_at of the value there (0: none).
    * use: let the value at `path` lapse later. forget: hide it; its owner can restore it until
      another takes the path. remove: for ever; with `lapsed`, only if its time is over.

    A row of what was read, stored or removed has step (its place in *steps*), id, path, value,
    text, created_at, changed_at, lapses_after and score. Raises InvalidText, InvalidNumber,
    NotAllowed.
    """
    text.name(graph.context.user_id, "user_id")
    graph.pull(Union(tuple(_needed(graph, steps))))
    at = {path: one for one in graph.nodes() if isinstance(path := _path(one), str)}
    writer, rows = Writer(graph), []
    for number, step in enumerate(steps):
        graph.step()
        if step.get("do") not in _STEPS:
            raise InvalidText(f"do: must be one of {', '.join(_STEPS)}")
        if step["do"] == "find":
            done = _find(graph, step, at, (vector, model))
        else:
            done = _do(graph, step, at, writer)
        rows += [{"step": number, **row} for row in done]
    writer.finish()
    return rows


def _do(graph: AllMemories, step: Step, at: dict[str, Node], writer: Writer) -> list[Row]:
    """Do a *step* on the value at its path, which may be gone; return its row, if it has one."""
    path, do = schema.checked_path(step.get("path"), "path"), step["do"]
    node = at.get(path)
    here = None if node is None or node.is_deleted or graph.has_lapsed(node) else node
    if do == "put":
        at[path] = here = _put(graph, step, path, node, here)
        writer.put(schema.KIND, here)
    elif do == "use" and here is not None:
        if (lasts := here.get("lapses_after")) is None:
            return []
        graph.update(here, lapses_at=graph.context.now_ms + lasts)
    elif do == "forget" and here is not None:
        standing.hide(graph, [here], {})
    elif do == "remove" and node is not None:
        if step.get("lapsed") and (here := node if graph.has_lapsed(node) else None) is None:
            return []
        row = [] if here is None else [_row(here)]
        writer.remove(schema.KIND, node)
        graph.delete_node(at.pop(path))
        return row
    return [] if here is None else [_row(here)]


def _find(
    graph: AllMemories, step: Step, at: Mapping[str, Node], embedded: tuple[Sequence[float], Any]
) -> list[Row]:
    lapsed, limit, below = bool(step.get("lapsed")), step.get("limit"), step.get("under")
    most = None if limit is None else text.integer(limit, "limit", 0, _MOST_FOUND)
    below = "" if lapsed and below is None else schema.checked_path(below, "under") + "/"
    found = [node for path, node in at.items() if path.startswith(below)]
    found = [one for one in found if graph.has_lapsed(one) is lapsed]
    found = [one for one in found if lapsed or not one.is_deleted]
    scores: dict[int, float] = {}
    if step.get("query"):
        among = [node.memory_id for node in found]
        # The index scores what is near.
        near = documents.texts_of(schema.KIND, among, graph.context.user_id)
        finder, *_ = read_wordings(graph, step["query"], *embedded, beside=near)
        ranked = finder.ranked(max(1, len(among)), Wanted(ids=frozenset(among)))
        scores = {one.node.id: one.score for one in ranked}
    found.sort(key=lambda one: (-scores.get(one.id, 0.0), -_changed_at(one), _path(one)))
    return [_row(one, scores.get(one.id)) for one in found[:most]]


def _put(graph: AllMemories, step: Step, path: str, node: Node | None, here: Node | None) -> Node:
    """Store a value at *path*, in the place of *node*; *here* is that if programs see it."""
    now_ms, scope, lasts = graph.context.now_ms, graph.context.user_id, step.get("lapses_after")
    changed_at = 0 if here is None else _changed_at(here)
    if step.get("was") not in (None, changed_at):
        raise NotAllowed("path: what is there has changed meanwhile; read it again")
    said, value = step.get("text"), step.get("value")
    is_said = said is not None and bool(said.strip())
    given = {"content": said if is_said else path, "source": step.get("source")}
    given |= {"value": (said or "") if value is None and not is_said else value}
    values: Row = {**_RESET, "value": None, "state": fade.ACTIVE}
    values |= check_properties({**given, "lapses_after": lasts})
    values["lapses_at"] = None if lasts is None else now_ms + lasts
    values["changed_at"] = max(now_ms, changed_at + 1)
    if here is None:
        values |= {"created_at": now_ms, "accessed_at": now_ms, "metadata": {}}
    if node is None:
        key = {"id": item_id(scope, path), "user_id": scope, "path": path}
        made = {**_NEW, **key, "last_decay_update": now_ms, **values}
        made |= schema.derive_properties(made)
        return graph.create_node(schema.MEMORY, **{k: v for k, v in made.items() if v is not None})
    graph.update(node, **values)
    names = ("created_at", "accessed_at", "access_count", "said_at")
    graph.update(node, latest=schema.latest({name: node.get(name) for name in names}))
    return node


def _needed(graph: AllMemories, steps: Sequence[Step]) -> Iterator[Lookup]:
    """Look up the values at the paths and below them, and what is needed to index new texts."""
    scope, told, named, removed = graph.context.user_id, [], [], []
    for step in steps:
        if step.get("do") == "find" and step.get("lapsed") and step.get("under") is None:
            # The longest over first.
            yield Range((schema.MEMORY,), "lapses_at", *EVER, mine(scope), step.get("limit"), "id")
        elif step.get("do") == "find":
            under = schema.checked_path(step.get("under"), "under")
            # "0" is the character after "/".
            yield Range((schema.MEMORY,), "path", f"{under}/", f"{under}0", mine(scope))
        elif step.get("path") is not None:
            path, said = schema.checked_path(step["path"], "path"), step.get("text") or ""
            named.append(item_id(scope, path))
            removed += named[-1:] if step.get("do") == "remove" else []
            record = {"id": named[-1], "user_id": scope, "content": said if said.strip() else path}
            told += [documents.read_told(schema.KIND, record)] if step.get("do") == "put" else []
    yield ids(*named)
    yield from documents.needed(told, graph.context.languages)
    yield from documents.removed(schema.KIND, removed, scope) if removed else ()


def _row(node: Node, score: float | None = None) -> Row:
    row = {name: node.raw.get_property(name) for name in ("id", "path", "value", "lapses_after")}
    if not isinstance(row["value"], str):
        row["value"] = node.content
    row |= {"text": node.content, "created_at": node.get("created_at")}
    rounded = None if score is None else round(score, schema.DECIMALS)
    return row | {"changed_at": _changed_at(node), "score": rounded}


def _path(node: Node) -> Any:
    return node.raw.get_property("path")


def _changed_at(node: Node) -> int:
    return int(node.get("changed_at") or 0)  # An imported one may lack it.
