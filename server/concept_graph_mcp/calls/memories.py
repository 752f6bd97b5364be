"""Calls of the memory layer; those that look up by a scope are told it."""

from collections.abc import Mapping, Sequence
from typing import Any

from conceptgraph_core import text
from conceptgraph_core.memories import schema

from . import words
from .call import Call, Procedure, checked
from .lookups import Equal, Union

CREATE = Procedure(
    "memorygraph.create", ("memory_id", "state", "decay_score", "concepts"), writes=True
)
_WHOLE = (
    "memory_id", "content", "summary", "source", "type", "tags", "importance", "confidence",
    "access_count", "created_at", "accessed_at", "state", "decay_score", "preserved", "parent_id",
    "concepts", "metadata",
)  # fmt: skip
GET = Procedure("memorygraph.get", _WHOLE, writes=True)

PROCEDURES = (CREATE, GET)


@checked
def create(
    scope: str,
    content: str,
    *,
    source: str = schema.DEFAULT_SOURCE,
    summary: str | None = None,
    tags: Sequence[str] = (),
    type_: str | None = None,
    importance: float = schema.DEFAULT_IMPORTANCE,
    confidence: float = schema.DEFAULT_CONFIDENCE,
    concepts: Sequence[str] = (),
    parent_id: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Call:
    texts = {"content": content, "summary": summary, "concepts": list(concepts)}
    given = {"source": source, "type": type_, "tags": list(tags), "metadata": dict(metadata or {})}
    _storable(texts | given)
    arguments = (
        *(content, source, summary, list(tags), type_, importance, confidence, list(concepts)),
        *(parent_id, given["metadata"]),
    )
    record = texts | {"id": "", "user_id": scope}
    lookup = Union((ids(*([] if parent_id is None else [parent_id])), *_indexed(record)))
    return Call(CREATE, arguments, lookup, words.context())


@checked
def get(memory_id: str) -> Call:
    return Call(GET, (memory_id,), ids(memory_id))


def ids(*memory_ids: str) -> Equal:
    """Look up memories by their ids; the procedures leave out those of another scope."""
    checked_ids = dict.fromkeys(text.name(one, "memory_id") for one in memory_ids)
    return Equal((schema.MEMORY,), ("id",), tuple((one,) for one in checked_ids))


def _indexed(record: Mapping[str, Any]) -> list[Any]:
    """Look up what is needed to index a memory as *record* tells it."""
    return words.of_records([{"kind": schema.KIND.kind, **record}])


def _storable(given: Mapping[str, Any]) -> None:
    """Check what the procedure will check: some of it must not even reach a database."""
    for name, value in given.items():
        if value is not None:
            schema.KIND.declared(name).check(value, name)
