"""Declare the verbs of the memory layer, and build its calls that take many."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from conceptgraph_core import text
from conceptgraph_core.arguments import UNTIL, Between, MemoryId, SourceFilter, Unit, When
from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.layers import SHARED
from conceptgraph_core.memories import lookups, procedures, schema
from conceptgraph_core.memories.lookups import ids
from conceptgraph_core.procedures import NOTHING

from .call import Call, checked, spoken, spoken_context, whose
from .verb import verb, verb_of_user

# The name of an embedding, and a vector computed with it.
Embedded = tuple[str, Sequence[float]]
# The steps of `items` that write.
WRITING = frozenset({"put", "use", "forget", "remove"})
PreservingTag = Literal["permanent", "important", "bookmark", "favorite", "pinned", "preserved"]


def of_memory(memory_id: MemoryId) -> list[Lookup]:
    """Take one memory."""
    return [ids(memory_id)]


get = verb(procedures.GET)(of_memory)
decay_status = verb(procedures.DECAY_STATUS)(of_memory)


@verb_of_user(procedures.CREATE, is_worded=True)
def create(
    scope: str,
    content: Annotated[str, "The text to keep, in plain words."],
    source: Annotated[
        str, "Its origin: conversation, research, reflection …"
    ] = schema.DEFAULT_SOURCE,
    summary: Annotated[str | None, "A sentence that stands for a long content in lists."] = None,
    tags: Annotated[Sequence[str], "important, pinned and the like keep it from fading."] = (),
    type: Annotated[str | None, "The kind of memory: fact, preference, task …"] = None,
    importance: Annotated[Unit, "How much it matters, 0 to 1."] = schema.DEFAULT_IMPORTANCE,
    confidence: Annotated[Unit, "How sure it is, 0 to 1."] = schema.DEFAULT_CONFIDENCE,
    concepts: Annotated[
        Sequence[str], "Its subjects; a search by these finds it, even if its text lacks them."
    ] = (),
    parent_id: Annotated[str | None, "The memory_id of what it is a part of."] = None,
    metadata: Annotated[Mapping[str, Any], "Anything else, as a map."] = NOTHING,
    decay_rate: Annotated[
        Annotated[float, Between(0)] | None,
        "How fast it fades, per day; else importance says so (0.7: 0.01).",
    ] = None,
    embedded: Embedded | None = None,
) -> list[Lookup]:
    """Store *content*."""
    texts = {"content": content, "summary": summary, "concepts": list(concepts)}
    given = {"source": source, "type": type, "tags": list(tags), "metadata": dict(metadata or {})}
    _storable(texts | given)
    vector = () if embedded is None else embedded[1]
    found = lookups.similar(scope, texts, vector, spoken())
    return [found] if parent_id is None else [ids(parent_id, field="parent_id"), found]


@verb_of_user(procedures.UPDATE, is_worded=True)
def update(
    scope: str,
    memory_id: MemoryId,
    content: Annotated[str | None, "The new text."] = None,
    summary: Annotated[str | None, 'A sentence for lists; "" for none.'] = None,
    tags: Annotated[Sequence[str] | None, "All that it is to have, in place of the others."] = None,
    type: Annotated[str | None, 'Its kind; "" for none.'] = None,
    importance: Annotated[Unit | None, "How much it matters."] = None,
    confidence: Annotated[Unit | None, "How sure it is."] = None,
    metadata: Annotated[Mapping[str, Any] | None, "All of it, in place of what was there."] = None,
    concepts: Annotated[
        Sequence[str] | None, "All that it is about, in place of the others."
    ] = None,
    source: Annotated[str | None, "Its origin."] = None,
    parent_id: Annotated[str | None, 'The memory_id of its whole; "" for none.'] = None,
    decay_rate: Annotated[
        Annotated[float, Between()] | None,
        "How fast it fades, per day; -1: as its importance says.",
    ] = None,
) -> list[Lookup]:
    """Set all arguments but None; "" removes a summary, type or parent."""
    given = {"content": content, "summary": summary or None, "type": type or None}
    _storable({**given, "tags": tags, "concepts": concepts, "metadata": metadata, "source": source})
    found: list[Lookup] = [ids(one) for one in (memory_id, parent_id) if one]
    told = {"content": content, "summary": summary, "concepts": concepts}
    if any(one is not None for one in told.values()):
        found += lookups.indexed(scope, memory_id, told, spoken())
    return found


@verb_of_user(procedures.REVISE, is_worded=True)
def revise(
    scope: str,
    memory_id: str,
    seen: Mapping[str, Any],
    changes: Mapping[str, Any],
    takes_back: int | None = None,
) -> list[Lookup]:
    """Set *changes*, for the owner, where the memory still is as *seen*."""
    given = {name: changes.get(name) for name in ("content", "summary", "importance")}
    return [*update.make_call(scope=scope, memory_id=memory_id, **given).wanted]


@verb(procedures.FORGET)
def forget(
    memory_id: MemoryId, reason: Annotated[str | None, "Why, for whoever asks later."] = None
) -> list[Lookup]:
    """Hide a memory; only the owner can restore it."""
    if reason is not None:
        text.summary(reason, "reason")
    return [lookups.resting(memory_id)]


@verb_of_user(procedures.RECENT)
def recent(
    scope: str,
    limit: Annotated[
        int, Between(1, schema.MAX_ROWS, clamps=True), "At most this many."
    ] = schema.RECENT,
    source_filter: SourceFilter = None,
) -> list[Lookup]:
    """List the latest memories."""
    most = text.integer(limit, "limit", 1, schema.MAX_ROWS)
    if source_filter is not None:
        text.name(source_filter, "source_filter")
    return [lookups.recent(scope, most, source_filter)]


@verb(procedures.TOUCH)
def touch(memory_ids: Sequence[str]) -> list[Lookup]:
    """Count an access of each of *memory_ids*."""
    return [ids(*memory_ids)]


@verb(procedures.PRESERVE)
def preserve(
    memory_id: MemoryId,
    tag: Annotated[PreservingTag | None, "The tag that keeps it."] = None,
    until: Annotated[
        When | None, UNTIL, "A date or time, e.g. 2026-01-31: keeps it until then, no tag."
    ] = None,
) -> list[Lookup]:
    """Keep a memory by *tag*, or until a time without one."""
    if tag is not None:
        text.name(tag, "tag")
    return [ids(memory_id)]


def _storable(given: Mapping[str, Any]) -> None:
    """Check the arguments early, because some values must not even reach a database."""
    for name, value in given.items():
        if value is not None:
            schema.KIND.declared(name).check(value, name)


@checked
def ingest(scope: str, messages: Sequence[Mapping[str, Any]]) -> Call:
    """Return the call that stores the new ones of *messages*, in one transaction."""
    found = lookups.ingested(scope, messages, spoken())
    return Call(procedures.INGEST, (list(messages),), spoken_context(), [found])


@checked
def ingested(messages: Sequence[Mapping[str, Any]]) -> Call:
    """Return the call that finds those of *messages* that are stored."""
    found = ids(*dict.fromkeys(message["id"] for message in messages))
    return Call(procedures.INGESTED, (list(messages),), wanted=[found])


@checked
def retract(scope: str, import_id: str, memory_ids: Sequence[str]) -> Call:
    """Return the call that removes those of *memory_ids* that rest on the import alone."""
    return Call(procedures.RETRACT, (import_id, list(memory_ids)))


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
    context = spoken_context()
    for step in steps:
        _check_item(step)
        if step.get("query"):
            context |= whose(concept_scope)
    return Call(procedure, arguments, context=context)


def _check_item(step: Mapping[str, Any]) -> None:
    """Check the texts of *step* early, because some must not even reach a database."""
    for name in ("path", "under"):
        if step.get(name) is not None:
            schema.checked_path(step[name], name)
    for name in ("value", "text"):
        if step.get(name) is not None:
            schema.checked_value(step[name], name)
