"""Keep values of programs under paths, each as a memory that is found by its text.

A path is names joined by "/"; those below "a/b" begin with "a/b/". The steps of one call are one
transaction. The drop-ins of the server are built on it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from .. import text
from ..errors import InvalidText, NotAllowed
from ..graph.primitives import Lookup, Range, Union
from ..retrieval import documents
from ..retrieval.indexer import Writer
from . import fade, schema
from .crud import check_properties, hide
from .filters import Wanted
from .ids import item_id
from .lookups import EVER, ids, mine
from .search import Finder
from .view import AllMemories, Node

Row = dict[str, Any]
Step = Mapping[str, Any]

_MOST_FOUND: Final = 100_000


def items(
    graph: AllMemories,
    steps: Sequence[Mapping[str, Any]],
    vector: Sequence[float] = (),
    model: str | None = None,
) -> list[Row]:
    """Do *steps* in their order, each a map with `do`:

    * get: the value at `path`.
    * find: those below `under`, the latest changed first, at most `limit`. With `query` (and its
      *vector* by *model*) those that match it come first, the best first, with a score. `lapsed`:
      those whose time is over instead, wherever they are without `under`.
    * put: `value` at `path`, found by `text` (else by its path), from `source`; without `value` the
      text is the value. It lapses `lapses_after` ms after it was used last. With `was`, the
      changed_at of the value there (0: none), it is refused if another one is there.
    * use: let the value at `path` lapse later.
    * forget: hide the value at `path`; its owner can restore it until another takes the path.
    * remove: the value at `path`, for ever. `lapsed`: only if its time is over.

    A row of what was read, stored or removed has step (its place in *steps*), id, path, value,
    text, created_at, changed_at, lapses_after and score.

    Raises InvalidText, InvalidNumber, NotAllowed.
    """
    graph.pull(Union(tuple(_needed(graph, steps))))
    doing = _Items(graph, vector, model)
    rows = []
    for number, step in enumerate(steps):
        graph.step()
        do = doing.steps.get(step.get("do", ""))
        if do is None:
            raise InvalidText(f"do: must be one of {', '.join(doing.steps)}")
        rows += [{"step": number, **row} for row in do(step)]
    doing.writer.finish()
    return rows


class _Items:
    """The values that the steps of one call are about."""

    def __init__(self, graph: AllMemories, vector: Sequence[float], model: str | None) -> None:
        self.writer = Writer(graph)
        self.steps: Mapping[str, Callable[[Step], Iterable[Row]]] = {
            "get": self._get,
            "find": self._find,
            "put": self._put,
            "use": self._use,
            "forget": self._forget,
            "remove": self._remove,
        }
        self._graph = graph
        self._embedded = (vector, model)
        self._now = graph.context.now_ms
        self._scope = text.name(graph.context.user_id, "user_id")
        self._nodes = {
            path: node
            for node in graph.nodes()
            if isinstance(path := node.raw.get_property("path"), str)
        }

    def admits(self, node: Node) -> bool:
        """Tell whether *node* is there for programs."""
        return not node.is_deleted and not self._graph.has_lapsed(node)

    def _get(self, step: Step) -> Iterator[Row]:
        node = self._nodes.get(_path(step))
        if node is not None and self.admits(node):
            yield _row(node)

    def _find(self, step: Step) -> Iterator[Row]:
        lapsed = step.get("lapsed")
        is_anywhere = lapsed and step.get("under") is None
        under = "" if is_anywhere else schema.checked_path(step.get("under"), "under") + "/"
        admits = self._graph.has_lapsed if lapsed else self.admits
        wanted = [
            node for path, node in self._nodes.items() if path.startswith(under) and admits(node)
        ]
        limit = step.get("limit")
        most = None if limit is None else text.integer(limit, "limit", 0, _MOST_FOUND)
        scores = self._scores(step["query"], wanted) if step.get("query") else {}
        wanted.sort(
            key=lambda node: (-scores.get(node.id, 0.0), -_changed_at(node), _path_of(node))
        )
        for node in wanted[:most]:
            yield _row(node, scores.get(node.id))

    def _scores(self, query: str, among: Sequence[Node]) -> dict[int, float]:
        ids_ = [node.memory_id for node in among]
        # The index scores what is near.
        texts = documents.texts_of(schema.KIND, ids_, self._scope)
        finder = Finder(self._graph, query, *self._embedded, beside=texts)
        wanted = Wanted(ids=frozenset(ids_))
        found = finder.ranked(max(1, len(among)), wanted)
        return {one.node.id: one.score for one in found}

    def _put(self, step: Step) -> Iterator[Row]:
        path = _path(step)
        node = self._nodes.get(path)
        is_there = node is not None and self.admits(node)
        at = _changed_at(node) if is_there and node is not None else 0
        if step.get("was") is not None and step["was"] != at:
            raise NotAllowed("path: what is there has changed meanwhile; read it again")
        values = self._values(step, path)
        values["changed_at"] = max(self._now, at + 1)
        if node is None:
            node = self._create(path, values)
        else:
            afresh = {"created_at": self._now, "accessed_at": self._now, "metadata": {}}
            self._graph.update(node, **_RESET, **({} if is_there else afresh), **values)
            self._graph.update(node, latest=_latest(node))
        self.writer.put(schema.KIND, node)
        yield _row(node)

    def _use(self, step: Step) -> Iterator[Row]:
        node = self._nodes.get(_path(step))
        if node is not None and self.admits(node) and node.value("lapses_after") is not None:
            self._graph.update(node, lapses_at=self._now + node.value("lapses_after"))
            yield _row(node)

    def _forget(self, step: Step) -> Iterator[Row]:
        node = self._nodes.get(_path(step))
        if node is not None and self.admits(node):
            hide(self._graph, node)
            yield _row(node)

    def _remove(self, step: Step) -> Iterator[Row]:
        path = _path(step)
        node = self._nodes.get(path)
        if node is None or (step.get("lapsed") and not self._graph.has_lapsed(node)):
            return
        row = _row(node)
        is_there = self.admits(node)
        self.writer.remove(schema.KIND, node)
        self._graph.delete_node(node)
        del self._nodes[path]
        if is_there or step.get("lapsed"):
            yield row

    def _create(self, path: str, values: Row) -> Node:
        made = {
            **_RESET,
            "id": item_id(self._scope, path),
            "user_id": self._scope,
            "path": path,
            "tags": [],
            "concepts": [],
            "source": schema.DEFAULT_SOURCE,
            "metadata": {},
            "importance_score": schema.DEFAULT_IMPORTANCE,
            "decay_score": schema.DEFAULT_IMPORTANCE,
            "confidence": schema.DEFAULT_CONFIDENCE,
            # A program's value does not fade: it lapses, or the program removes it.
            "decay_rate": 0.0,
            "access_count": 0,
            "created_at": self._now,
            "accessed_at": self._now,
            "last_decay_update": self._now,
            **values,
        }
        made |= schema.derive_properties(made)
        given = {name: one for name, one in made.items() if one is not None}
        node = self._nodes[path] = self._graph.create_node(schema.MEMORY, **given)
        return node

    def _values(self, step: Step, otherwise: str) -> Row:
        """Return the properties that *step* gives, in their stored form; *otherwise* a text."""
        said, value = step.get("text"), step.get("value")
        if value is None and (said is None or not said.strip()):
            value = said or ""
        lasts = step.get("lapses_after")
        made = check_properties(
            {
                "content": said if said is not None and said.strip() else otherwise,
                "value": value,
                "source": step.get("source"),
                "lapses_after": lasts,
            }
        )
        return {
            "value": None,
            "lapses_after": None,
            **made,
            "lapses_at": None if lasts is None else self._now + lasts,
        }


def _needed(graph: AllMemories, steps: Sequence[Step]) -> Iterator[Lookup]:
    """Look up the values at the paths and below them, and what is needed to index new texts."""
    scope = graph.context.user_id
    given = [step["path"] for step in steps if step.get("path") is not None]
    if paths := [schema.checked_path(path, "path") for path in given]:
        yield ids(*(item_id(scope, path) for path in paths))
    for step in steps:
        if step.get("lapsed") and step.get("do") == "find" and step.get("under") is None:
            # The longest over first.
            most = step.get("limit")
            yield Range((schema.MEMORY,), "lapses_at", *EVER, mine(scope), most, "id")
        elif step.get("do") == "find":
            under = schema.checked_path(step.get("under"), "under")
            # "0" is the character after "/".
            yield Range((schema.MEMORY,), "path", f"{under}/", f"{under}0", mine(scope))
    put = [step for step in steps if step.get("do") == "put" and step.get("path") is not None]
    told = [
        {
            "id": item_id(scope, step["path"]),
            "user_id": scope,
            "content": said if (said := step.get("text")) and said.strip() else step["path"],
        }
        for step in put
    ]
    texts = [documents.read_told(schema.KIND, one) for one in told]
    yield from documents.needed(texts, graph.context.languages)
    removed = [item_id(scope, step["path"]) for step in steps if step.get("do") == "remove"]
    if removed:
        yield from documents.removed(schema.KIND, removed, scope)


# The properties of a value that was hidden or embedded, for the one put in its place.
_RESET: Final[Row] = {
    "state": fade.ACTIVE,
    "deleted_at": None,
    "embedding": None,
    "embedding_dimension": None,
}


def _row(node: Node, score: float | None = None) -> Row:
    get = node.raw.get_property
    return {
        "id": node.memory_id,
        "path": get("path"),
        "value": _value(node),
        "text": node.content,
        "created_at": node.value("created_at"),
        "changed_at": _changed_at(node),
        "lapses_after": get("lapses_after"),
        "score": None if score is None else round(score, schema.DECIMALS),
    }


def _value(node: Node) -> str:
    value = node.raw.get_property("value")
    return value if isinstance(value, str) else node.content


def _changed_at(node: Node) -> int:
    return int(node.value("changed_at") or 0)  # An imported one may lack it.


def _latest(node: Node) -> int:
    names = ("created_at", "accessed_at", "access_count", "said_at")
    return schema.latest({name: node.value(name) for name in names})


def _path_of(node: Node) -> str:
    return str(node.raw.get_property("path"))


def _path(step: Step) -> str:
    return schema.checked_path(step.get("path"), "path")
