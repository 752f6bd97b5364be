"""A storage of CrewAI's memory: `Memory(storage=MemoryStorage(memory))`.

CrewAI's embedder makes the vectors that it searches by; the texts are memories of the user of
*memory* too, found by every other program. This needs the extra `crewai`.
"""

import base64
import json
import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from operator import mul
from typing import Any

from .missing import name_extra

try:
    from crewai.memory.storage.backend import EmbeddingDimensionMismatchError
    from crewai.memory.types import MemoryRecord, ScopeInfo
except ImportError as error:
    raise name_extra(error, "crewai") from None

from anyio import to_thread

from ..memory import Memory
from . import kept
from .kept import Plan, Row, Step

_ROOT = "crewai"
_EMBEDDING = "embedding"


class MemoryStorage:
    """A `StorageBackend` of CrewAI; all records belong to the user of *memory*.

    Two storages with one *root* are one. A search reads all records of its scope.
    """

    def __init__(self, memory: Memory, *, root: str = _ROOT) -> None:
        self._memory = memory
        self._root = kept.path(root)

    def save(self, records: list[MemoryRecord]) -> None:
        """Store *records*, all of them or none."""
        self._write([self._step(one) for one in records])

    def update(self, record: MemoryRecord) -> None:
        """Replace the record of that id."""
        self._write([self._step(record)])

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Return records with their scores, 1 / (1 + squared distance), the nearest first."""
        passes = _make_filter(scope_prefix, categories, metadata_filter)
        found = []
        for one in filter(passes, self._read()):
            if one.embedding is None:
                continue
            if len(one.embedding) != len(query_embedding):
                raise EmbeddingDimensionMismatchError(len(one.embedding), len(query_embedding))
            score = 1 / (1 + _distance(one.embedding, query_embedding))
            if score >= min_score:
                found.append((one, score))
        return sorted(found, key=lambda each: -each[1])[:limit]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Forget the records that meet all conditions; return how many. Their owner can restore."""
        passes = _make_filter(scope_prefix, categories, metadata_filter)
        wanted = [
            one
            for one in filter(passes, self._read())
            if (not record_ids or one.id in record_ids)
            and (older_than is None or _aware(one.created_at) < _aware(older_than))
        ]
        self._write([{"do": "forget", "path": self._path(one.id)} for one in wanted])
        return len(wanted)

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """Return the record of that id; None if there is none."""
        rows = kept.run(self._memory, _plan([{"do": "get", "path": self._path(record_id)}]))
        return _record(rows[0]) if rows else None

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """Return the records of a scope, the newest first."""
        found = sorted(
            self._list_within(scope_prefix), key=lambda one: _aware(one.created_at), reverse=True
        )
        return found[offset : offset + limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """Return what a scope has, with all below it."""
        found = self._list_within(scope)
        times = [one.created_at for one in found]
        return ScopeInfo(
            path=_scope(scope) or "/",
            record_count=len(found),
            categories=sorted({name for one in found for name in one.categories}),
            oldest_record=min(times, key=_aware, default=None),
            newest_record=max(times, key=_aware, default=None),
            child_scopes=_children(found, scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """Return the scopes immediately below *parent*."""
        return _children(self._list_within(parent), parent)

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Return how many records of a scope are of each category."""
        return dict(
            Counter(name for one in self._list_within(scope_prefix) for name in one.categories)
        )

    def count(self, scope_prefix: str | None = None) -> int:
        """Return how many records a scope has."""
        return len(self._list_within(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Forget all records of a scope; their owner can restore them."""
        self.delete(scope_prefix)

    def touch_records(self, record_ids: list[str]) -> None:
        """Note that these records were accessed now."""
        now = datetime.now(UTC).replace(tzinfo=None)
        found = [one for one in self._read() if one.id in record_ids]
        self._write([self._step(one.model_copy(update={"last_accessed": now})) for one in found])

    async def asave(self, records: list[MemoryRecord]) -> None:
        """Store *records*, all of them or none."""
        await to_thread.run_sync(self.save, records)

    async def asearch(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Do as `search` does."""
        given = scope_prefix, categories, metadata_filter, limit, min_score
        return await to_thread.run_sync(self.search, query_embedding, *given)

    async def adelete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Do as `delete` does."""
        given = scope_prefix, categories, record_ids, older_than, metadata_filter
        return await to_thread.run_sync(self.delete, *given)

    def _path(self, record_id: str) -> str:
        return f"{self._root}/{kept.path(record_id)}"

    def _step(self, record: MemoryRecord) -> Step:
        said = kept.redact_text(record.content)
        value = {**record.model_dump(mode="json"), "content": said}
        if record.embedding:
            value[_EMBEDDING] = base64.b64encode(array("f", record.embedding).tobytes()).decode()
        return {
            "do": "put",
            "path": self._path(record.id),
            "value": kept.encode_value(value),
            "text": kept.readable(said),
            "source": _ROOT,
        }

    def _write(self, steps: Sequence[Step]) -> None:
        kept.run(self._memory, _plan(steps))

    def _read(self) -> list[MemoryRecord]:
        find = {"do": "find", "under": self._root}
        return [_record(row) for row in kept.run(self._memory, _plan([find]))]

    def _list_within(self, scope: str | None) -> list[MemoryRecord]:
        return list(filter(_make_filter(scope, None, None), self._read()))


def _plan(steps: Sequence[Step]) -> Plan[list[Row]]:
    return (yield steps)


def _record(row: Row) -> MemoryRecord:
    value = json.loads(row["value"])
    if _EMBEDDING in value:
        value[_EMBEDDING] = array("f", base64.b64decode(value[_EMBEDDING])).tolist()
    return MemoryRecord.model_validate(value)


def _scope(scope: str | None) -> str:
    """Return a scope without the slash at its end; "" for all."""
    return "/" + scope.strip("/") if scope is not None and scope.strip("/") else ""


def _make_filter(
    scope: str | None, categories: Iterable[str] | None, metadata: Mapping[str, Any] | None
) -> Callable[[MemoryRecord], bool]:
    within, named = _scope(scope), set(categories or ())

    def passes(one: MemoryRecord) -> bool:
        return (
            f"{_scope(one.scope)}/".startswith(f"{within}/")
            and (not named or not named.isdisjoint(one.categories))
            and all(one.metadata.get(name) == value for name, value in (metadata or {}).items())
        )

    return passes


def _children(found: Iterable[MemoryRecord], parent: str) -> list[str]:
    above = f"{_scope(parent)}/"
    below = (f"{_scope(one.scope)}/" for one in found)
    names = {one[len(above) :].partition("/")[0] for one in below if one.startswith(above)}
    return sorted(above + name for name in names if name)


def _distance(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the square of the distance, as LanceDB does."""
    squares = sum(map(mul, one, one)) + sum(map(mul, other, other))
    return max(0.0, math.fsum((squares, -2 * sum(map(mul, one, other)))))


def _aware(at: datetime) -> datetime:
    # CrewAI's times are UTC without saying so.
    return at if at.tzinfo else at.replace(tzinfo=UTC)
