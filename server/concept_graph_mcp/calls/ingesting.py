"""Build the calls that store messages as memories."""

from collections.abc import Mapping, Sequence
from typing import Any

from conceptgraph_core.graph.primitives import Last, Lookup, Union
from conceptgraph_core.memories import procedures, schema
from conceptgraph_core.memories.lookups import ids, mine, observed
from conceptgraph_core.retrieval import documents
from conceptgraph_core.retrieval import schema as of_words
from conceptgraph_core.retrieval.along_threads import NEIGHBOURS

from . import text_lookups
from .call import Call, checked


@checked
def ingest(scope: str, messages: Sequence[Mapping[str, Any]]) -> Call:
    """Return the call that stores the new ones of *messages*, in one transaction."""
    threads = dict.fromkeys(str(message["thread"]) for message in messages)
    records = [
        {
            "kind": schema.KIND.kind,
            "id": message["id"],
            "user_id": scope,
            "content": message["text"],
            "speaker": message.get("speaker"),
            "concepts": message.get("concepts") or [],
        }
        for message in messages
    ]
    parts: list[Lookup] = [
        ids(*(message["id"] for message in messages)),
        *text_lookups.of_records(records),
        *(ends(scope, tuple(threads)) if threads else ()),
    ]
    found = Union(tuple(parts))
    return Call(procedures.INGEST, (list(messages),), found, text_lookups.context())


@checked
def ingested(messages: Sequence[Mapping[str, Any]]) -> Call:
    """Return the call that finds those of *messages* that are stored."""
    found = ids(*(message["id"] for message in messages))
    return Call(procedures.INGESTED, (list(messages),), found)


@checked
def retract(scope: str, import_id: str, memory_ids: Sequence[str]) -> Call:
    """Return the call that removes those of *memory_ids* that rest on the import alone."""
    removed = documents.removed(schema.KIND, memory_ids, scope)
    found = Union((observed(*memory_ids), *removed))
    return Call(procedures.RETRACT, (import_id, list(memory_ids)), found)


def ends(scope: str, threads: tuple[str, ...]) -> tuple[Lookup, Lookup]:
    """Look up the ends of *threads*, if they exist, and their entries in the text index."""
    last = Last(schema.MEMORY, "thread", threads, "position", 1, where=mine(scope))
    said = Last(of_words.TEXT, "thread", threads, "position", NEIGHBOURS, where=(("scope", scope),))
    return last, said
