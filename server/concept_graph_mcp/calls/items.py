"""Build the call that reads and stores values of programs under paths."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conceptgraph_core import limits
from conceptgraph_core.embeddings.schema import remembered
from conceptgraph_core.graph.primitives import Joined, Lookup, Range, Union
from conceptgraph_core.layers import SHARED
from conceptgraph_core.memories import procedures, schema
from conceptgraph_core.memories.ids import item_id
from conceptgraph_core.memories.lookups import ids, mine
from conceptgraph_core.retrieval import documents
from conceptgraph_core.retrieval import schema as words

from . import memory_search, text_lookups
from .call import Call, checked, whose
from .memories import Embedded

# The steps that write.
WRITING = frozenset({"put", "use", "forget", "remove"})


@checked
def items(
    scope: str,
    steps: Sequence[Mapping[str, Any]],
    embedded: Embedded | None = None,
    concept_scope: str = SHARED,
) -> Call:
    """Return the call that does *steps*, as `memories.items` says, in one transaction.

    A step with a query is a call of its own; *embedded* is its vector, if there is one.
    """
    model, vector = embedded or (None, ())
    arguments = (list(steps), list(vector), model)
    writes = any(step.get("do") in WRITING for step in steps)
    procedure = procedures.ITEMS if writes else procedures.PEEK_ITEMS
    parts = tuple(_needed(scope, steps))
    for step in steps:
        _storable(step)
        if step.get("query"):
            scopes = (scope, concept_scope)
            also = parts if embedded is None else (remembered(), *_indexed(scope, parts))
            lookup = memory_search.asking(scopes, step["query"], also)
            told = text_lookups.context() | whose(concept_scope)
            return Call(procedure, arguments, lookup, told)
    return Call(procedure, arguments, Union(parts), text_lookups.context())


def _indexed(scope: str, parts: Sequence[Lookup]) -> Iterator[Lookup]:
    """Look up *parts*, and the texts of their values in the index, which scores what is near."""
    where = (("scope", scope), ("label", schema.MEMORY))
    for part in parts:
        yield Joined(part, "id", words.TEXT, "key", where)


def _storable(step: Mapping[str, Any]) -> None:
    """Check the texts of *step* early, because some must not even reach a database."""
    for name in ("value", "text"):
        if step.get(name) is not None:
            schema.checked_value(step[name], name)


def _needed(scope: str, steps: Sequence[Mapping[str, Any]]) -> Iterator[Lookup]:
    """Look up the values at the paths and below them, and what is needed to index new texts."""
    given = [step["path"] for step in steps if step.get("path") is not None]
    paths = [schema.checked_path(path, "path") for path in given]
    if paths:
        yield ids(*(item_id(scope, path) for path in paths))
    for step in steps:
        if step.get("lapsed") and step.get("do") == "find" and step.get("under") is None:
            # The longest over first.
            first, beyond = -limits.MAX_TIME_MS, limits.MAX_TIME_MS
            most = step.get("limit")
            yield Range((schema.MEMORY,), "lapses_at", first, beyond, mine(scope), most, "id")
        elif step.get("do") == "find":
            under = schema.checked_path(step.get("under"), "under")
            # "0" is the character after "/".
            yield Range((schema.MEMORY,), "path", f"{under}/", f"{under}0", mine(scope))
    yield from text_lookups.of_records(_records(scope, steps))
    removed = [item_id(scope, step["path"]) for step in steps if step.get("do") == "remove"]
    if removed:
        yield from documents.removed(schema.KIND, removed, scope)


def _records(scope: str, steps: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for step in steps:
        if step.get("do") == "put" and step.get("path") is not None:
            said = step.get("text")
            yield {
                "kind": schema.KIND.kind,
                "id": item_id(scope, step["path"]),
                "user_id": scope,
                "content": said if said and said.strip() else step["path"],
            }
