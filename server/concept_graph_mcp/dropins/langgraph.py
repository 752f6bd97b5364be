"""LangGraph's `BaseStore` on a memory: `MemoryStore(memory)`.

An item is a memory of its user, found by its words. This needs the extra `langgraph`, or LangGraph
itself, which brings its package langgraph-checkpoint.
"""

import json
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, cast

from .kept import name_extra

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        IndexConfig,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        get_text_at_path,
    )
except ImportError as error:
    raise name_extra(error, "langgraph") from None

from ..memory import AsyncMemory, Memory
from . import kept
from .kept import Plan, Row, Step

_MINUTE_MS = 60_000
# Lapsed items are removed by so many.
_SWEPT = 500
_ORDERING: Final = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
OPERATORS: Final = ("$eq", "$ne", *_ORDERING)


class MemoryStore(BaseStore):
    """A `BaseStore` that keeps its items in *memory*; all of them belong to the memory's user.

    * *index* may say which `fields` are found by their words; by default all texts of a value. The
      memory itself says by which model they are found: `Memory.open(..., embeddings=...)`.
    * *ttl* is as other stores take it. Expired items are never returned.
    * *root* is the path of its items: two stores with one root are one.

    With an `AsyncMemory` only the coroutines may be called.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        *,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        root: str = "langgraph",
    ) -> None:
        if index is not None and index.keys() - {"fields"}:
            raise ValueError("index: takes fields alone; say embeddings to Memory.open instead")
        self._memory = memory
        self._fields = list((index or {}).get("fields") or ["$"])
        self._root = root
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return kept.run(self._memory, self._plan(list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await kept.arun(self._memory, self._plan(list(ops)))

    def sweep_ttl(self) -> int:
        """Remove all expired items for ever; return how many."""
        return kept.run(self._memory, self._sweep())

    async def asweep_ttl(self) -> int:
        """Do as `sweep_ttl` does."""
        return await kept.arun(self._memory, self._sweep())

    def _plan(self, ops: Sequence[Op]) -> Plan[list[Result]]:
        """Do *ops*: reading ones first, then the last put of each key, in one transaction.

        A search with a query is a call of its own before that.
        """
        results: list[Result] = [None] * len(ops)
        reads: dict[int, Step] = {}
        puts: dict[str, Step] = {}
        used: list[Row] = []
        for number, op in enumerate(ops):
            if isinstance(op, PutOp):
                step = self._make_step(op)
                puts[step["path"]] = step
            else:
                reads[number] = self._read(op)
        for number in [number for number, step in reads.items() if step.get("query")]:
            rows = yield [reads.pop(number)]
            results[number] = self._result(ops[number], rows)
            used += _refresh_rows(ops[number], rows)
        rows = yield [*reads.values(), *puts.values()]
        for place, number in enumerate(reads):
            own = [row for row in rows if row["step"] == place]
            results[number] = self._result(ops[number], own)
            used += _refresh_rows(ops[number], own)
        yield [{"do": "use", "path": row["path"]} for row in used]
        return results

    def _sweep(self) -> Plan[int]:
        count = 0
        while True:
            found = yield [{"do": "find", "under": self._root, "lapsed": True, "limit": _SWEPT}]
            if not found:
                return count
            gone = yield [{"do": "remove", "path": row["path"], "lapsed": True} for row in found]
            count += len(gone)

    def _make_step(self, op: PutOp) -> Step:
        """Return the step that stores or removes an item."""
        path = kept.path(self._root, *op.namespace, op.key)
        if op.value is None:
            return {"do": "remove", "path": path}
        if op.ttl is not None and not op.ttl > 0:
            raise ValueError(f"ttl: must be more than 0 minutes, not {op.ttl:g}")
        fields = self._fields if op.index is None else op.index or []
        lasts = {} if op.ttl is None else {"lapses_after": round(op.ttl * _MINUTE_MS)}
        return {
            "do": "put",
            "path": path,
            "value": kept.encode_value(dict(op.value)),
            "text": kept.readable("\n".join(_texts(op.value, fields))),
            "source": "langgraph",
            **lasts,
        }

    def _read(self, op: Op) -> Step:
        if isinstance(op, GetOp):
            return {"do": "get", "path": kept.path(self._root, *op.namespace, op.key)}
        if isinstance(op, SearchOp):
            _check_filter(op.filter or {})
            return {
                "do": "find",
                "under": kept.path(self._root, *op.namespace_prefix),
                # A filter needs them all.
                "limit": None if op.filter else op.offset + op.limit,
                "query": op.query or None,
            }
        if isinstance(op, ListNamespacesOp):
            return {"do": "find", "under": kept.path(self._root)}
        raise ValueError(f"unknown operation: {type(op).__name__}")

    def _result(self, op: Op, rows: Sequence[Row]) -> Result:
        if isinstance(op, GetOp):
            return Item(**self._fields_of(rows[0])) if rows else None
        if isinstance(op, SearchOp):
            return [
                SearchItem(**self._fields_of(row), score=row["score"]) for row in _page(op, rows)
            ]
        listing = cast(ListNamespacesOp, op)
        conditions = listing.match_conditions or ()
        found = (kept.names(row["path"])[1:-1] for row in rows)
        matching = (one for one in found if all(_matches(one, how) for how in conditions))
        cut = {one[: listing.max_depth] for one in matching}
        return sorted(cut)[listing.offset : listing.offset + listing.limit]

    def _fields_of(self, row: Row) -> dict[str, Any]:
        _, *namespace, key = kept.names(row["path"])
        return {
            "namespace": tuple(namespace),
            "key": key,
            "value": json.loads(row["value"]),
            "created_at": datetime.fromtimestamp(row["created_at"] / 1000, UTC),
            "updated_at": datetime.fromtimestamp(row["changed_at"] / 1000, UTC),
        }


def _refresh_rows(op: Op, rows: Sequence[Row]) -> list[Row]:
    """Return those of *rows* that lapse later because *op* has read them."""
    if not getattr(op, "refresh_ttl", False):
        return []
    read = _page(op, rows) if isinstance(op, SearchOp) else rows
    return [row for row in read if row["lapses_after"] is not None]


def _page(op: SearchOp, rows: Sequence[Row]) -> Sequence[Row]:
    """Return those of *rows* that *op* asks for."""
    wanted = op.filter
    found = [row for row in rows if _holds(json.loads(row["value"]), wanted)] if wanted else rows
    return found[op.offset : op.offset + op.limit]


def _check_filter(wanted: Any) -> None:
    """Raise ValueError for an unknown operator, as other stores do."""
    if isinstance(wanted, Mapping):
        named = [str(name) for name in wanted if str(name).startswith("$")]
        if named and (wrong := [str(name) for name in wanted if name not in OPERATORS]):
            raise ValueError(f"filter: {wrong[0]} is no operator; they are {', '.join(OPERATORS)}")
        for one in wanted.values():
            _check_filter(one)


def _holds(value: Any, wanted: Any) -> bool:
    """Tell whether *value* has in each field what *wanted* says; a missing field is null.

    That is the value of the field, or a map of operators. Those of an order hold between two
    numbers or two texts only.
    """
    if not isinstance(wanted, Mapping):
        return _equal(value, wanted)
    if any(str(name).startswith("$") for name in wanted):
        return all(_compares(value, name, one) for name, one in wanted.items())
    return isinstance(value, Mapping) and all(
        _holds(value.get(name), one) for name, one in wanted.items()
    )


def _compares(value: Any, name: str, wanted: Any) -> bool:
    if name in ("$eq", "$ne"):
        return _equal(value, wanted) is (name == "$eq")
    kind = _find_order(value)
    return kind is not None and kind is _find_order(wanted) and bool(_ORDERING[name](value, wanted))


def _equal(value: Any, wanted: Any) -> bool:
    """Tell whether both are equal; true is not 1, in JSON."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(value, (list, tuple)) and isinstance(wanted, (list, tuple)):
        return len(value) == len(wanted) and all(map(_equal, value, wanted))
    return bool(value == wanted)


def _find_order(value: Any) -> type | None:
    """Return what *value* can be compared with, if it has an order."""
    if isinstance(value, bool):
        return None
    return float if isinstance(value, (int, float)) else str if isinstance(value, str) else None


def _matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    wanted = condition.path
    if len(wanted) > len(namespace):
        return False
    if condition.match_type == "prefix":
        part = namespace[: len(wanted)]
    elif condition.match_type == "suffix":
        part = namespace[len(namespace) - len(wanted) :]
    else:
        raise ValueError(f"unknown match type: {condition.match_type}")
    return all(one in ("*", label) for one, label in zip(wanted, part, strict=True))


def _texts(value: Mapping[str, Any], fields: Sequence[str]) -> Iterator[str]:
    """Iterate over the texts of *fields* of a value, "$" for all of it."""
    for field in fields:
        yield from _lines(value) if field == "$" else get_text_at_path(dict(value), field)


def _lines(value: Any, name: str = "") -> Iterator[str]:
    """Iterate over what a value says, a line each, as people read it: "theme: dark"."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _lines(one, str(key))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _lines(one, name)
    elif value is not None and value != "":
        yield f"{name}: {value}" if name else str(value)
