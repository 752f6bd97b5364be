"""Declare the verbs of the memory layer, and the look-ups of memories."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from conceptgraph_core import dates, limits, text
from conceptgraph_core.arguments import INNER, UNTIL, Between, MemoryId, SourceFilter, Unit, When
from conceptgraph_core.concepts.schema import CONCEPT, NAMES
from conceptgraph_core.entities.schema import MENTION, SESSION
from conceptgraph_core.graph.primitives import (
    BEYOND,
    Equal,
    Incoming,
    Joined,
    Lookup,
    Nearest,
    Range,
    Reached,
    Sized,
    Union,
    Where,
)
from conceptgraph_core.memories import procedures, schema
from conceptgraph_core.memories.fade import EXPIRED, STATES
from conceptgraph_core.memories.filters import Wanted
from conceptgraph_core.procedures import NOTHING
from conceptgraph_core.retrieval import schema as words

from . import text_lookups
from .call import Call, checked
from .embedding import remembered
from .verb import verb, verb_of_user

# The name of an embedding, and a vector computed with it.
Embedded = tuple[str, Sequence[float]]
PreservingTag = Literal["permanent", "important", "bookmark", "favorite", "pinned", "preserved"]

_ANY = Wanted()

# All states except those of forgotten and expired memories.
# From the latest to the earliest key of a memory, `latest`.
EVER = (-limits.MAX_TIME_MS, limits.MAX_TIME_MS + 1)
SEEN = tuple(state for state in STATES if state != EXPIRED)


def of_memory(memory_id: MemoryId) -> None:
    """Take one memory."""


get = verb(procedures.GET)(of_memory)
decay_status = verb(procedures.DECAY_STATUS)(of_memory)


@verb_of_user(procedures.CREATE, is_worded=True, beside=("said",))
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
    said: Annotated[str | None, INNER] = None,
) -> Incoming:
    """Store *content*; *said*, from which it was made, is looked up with it."""
    texts = {"content": content, "summary": summary, "concepts": list(concepts)}
    given = {"source": source, "type": type, "tags": list(tags), "metadata": dict(metadata or {})}
    _storable(texts | given)
    record = texts | {"id": "", "user_id": scope}
    parents = [] if parent_id is None else [parent_id]
    near: Sequence[Lookup] = ()
    if embedded is not None:
        near = (remembered(), nearest(scope, embedded[1], schema.MOST_SIMILAR))
    needed = (ids(*parents, field="parent_id"), *near, *_indexed(record | {"said": said}))
    # The mentions of a text's rarer terms find near-duplicates, and not those of what was said.
    lookup = text_lookups.with_mentions(Union(needed), schema.SIMILAR_MENTIONS)
    return lookup._replace(last=text_lookups.terms_besides(content, said)) if said else lookup


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
) -> Lookup:
    """Set all arguments but None; "" removes a summary, type or parent."""
    given = {"content": content, "summary": summary or None, "type": type or None}
    _storable({**given, "tags": tags, "concepts": concepts, "metadata": metadata, "source": source})
    found = ids(memory_id, *([parent_id] if parent_id else []))
    told = {"content": content, "summary": summary, "concepts": concepts}
    if all(one is None for one in told.values()):
        return found
    return Union((found, *_indexed({"id": memory_id, "user_id": scope, **told})))


@verb_of_user(procedures.REVISE, is_worded=True)
def revise(
    scope: str,
    memory_id: str,
    seen: Mapping[str, Any],
    changes: Mapping[str, Any],
    takes_back: int | None = None,
) -> Lookup | None:
    """Set *changes*, for the owner, where the memory still is as *seen*."""
    given = {name: changes.get(name) for name in ("content", "summary", "importance")}
    return update(scope, memory_id, **given).lookup


@verb(procedures.FORGET)
def forget(
    memory_id: MemoryId, reason: Annotated[str | None, "Why, for whoever asks later."] = None
) -> Lookup:
    """Hide a memory; only the owner can restore it."""
    if reason is not None:
        text.summary(reason, "reason")
    return resting(memory_id)


@verb_of_user(procedures.RECENT, beside=("among",))
def recent(
    scope: str,
    limit: Annotated[
        int, Between(1, schema.MAX_ROWS, clamps=True), "At most this many."
    ] = schema.RECENT,
    source_filter: SourceFilter = None,
    among: Annotated[int | None, INNER] = None,
) -> Lookup:
    """List the latest memories.

    Copies of a text share one row. If copies are many, the call must read *among* memories of each
    state to fill the rows.
    """
    most = text.integer(limit, "limit", 1, schema.MAX_ROWS)
    if source_filter is not None:
        text.name(source_filter, "source_filter")
    found = latest(scope, SEEN, among or most, source_filter)
    first, *others = (part.where for part in found.parts if isinstance(part, Range))
    # The result says whether something was cut, whatever the length of the list.
    count = max(schema.MAX_COUNTED, most + 1)
    return Sized(found, schema.MEMORY, "latest", first, tuple(others), count)


@checked
def recent_until(scope: str, limit: int, until_ms: int) -> Call:
    """Return the call for the memories created or accessed last among those made by *until_ms*.

    No index has this order, so the call reads a thousand of the latest and of the oldest.
    """
    most = text.integer(limit, "limit", 1, schema.MAX_ROWS)
    made = (-limits.MAX_TIME_MS, until_ms + 1)
    oldest = Range((schema.MEMORY,), "created_at", *made, mine(scope), schema.MAX_ROWS)
    found = Union((latest(scope, SEEN, schema.MAX_ROWS), oldest))
    return Call(procedures.RECENT, (most, None), found)


@verb(procedures.TOUCH)
def touch(memory_ids: Sequence[str]) -> Lookup:
    """Count an access of each of *memory_ids*."""
    return ids(*memory_ids)


@verb(procedures.PRESERVE)
def preserve(
    memory_id: MemoryId,
    tag: Annotated[PreservingTag | None, "The tag that keeps it."] = None,
    until: Annotated[
        When | None, UNTIL, "A date or time, e.g. 2026-01-31: keeps it until then, no tag."
    ] = None,
) -> Lookup:
    """Keep a memory by *tag*, or until a time without one."""
    if tag is not None:
        text.name(tag, "tag")
    return ids(memory_id)


def latest(
    scope: str, states: Sequence[str], limit: int | None, source: str | None = None
) -> Union:
    """Look up the *limit* memories of each of *states* that were created or accessed last.

    Without *limit*, all of them. The states are the stored ones; ties are ordered by id.
    """
    also = () if source is None else (("source", source),)
    return Union(
        tuple(
            Range(
                (schema.MEMORY,),
                "latest",
                *EVER,
                where=(*mine(scope), ("state", state), *also),
                limit=limit,
                then="id",
            )
            for state in states
        )
    )


def nearest(scope: str, vector: Sequence[float], depth: int, wanted: Wanted = _ANY) -> Nearest:
    """Look up the *depth* memories nearest to *vector* that match *wanted*."""
    among: list[tuple[str, tuple[Any, ...]]] = [
        # Missing properties count as their layer's defaults.
        ("state", (*SEEN, None)),
        ("deleted_at", (None,)),
    ]
    if wanted.source is not None:
        absent = (None,) if wanted.source == schema.DEFAULT_SOURCE else ()
        among.append(("source", (wanted.source, *absent)))
    if wanted.types:
        among.append(("type", tuple(sorted(wanted.types))))
    having = (("tags", tuple(sorted(wanted.tags))),) if wanted.tags else ()
    # The current state depends on the time, so no index has it.
    is_filtered_later = wanted.states or wanted.within != dates.ALWAYS or wanted.about
    depth = schema.MAX_FILTERED if is_filtered_later else depth
    vector_of = schema.LAYER.vectors[0].vector
    return Nearest(
        schema.MEMORY, vector_of, tuple(vector), depth, mine(scope), tuple(among), having
    )


def near(scope: str, vector: Sequence[float], depth: int, wanted: Wanted = _ANY) -> list[Lookup]:
    """Look up the same, and what the index of words has of them; and a sample of all memories."""
    where = (("scope", scope), ("label", schema.MEMORY))
    first = nearest(scope, vector, max(depth, schema.NEAREST), wanted)
    sample = Range((schema.MEMORY,), "id", "", BEYOND, mine(scope), schema.SAMPLED)
    return [Joined(first, "id", words.TEXT, "key", where), sample]


def mine(scope: str) -> Where:
    """Return the filter for the memories of *scope*."""
    return (("user_id", scope),)


def ids(*memory_ids: str, field: str = "memory_id") -> Equal:
    """Look up memories by their ids; the procedures leave out those of another scope.

    An invalid id is refused under the argument name *field*.
    """
    checked_ids = dict.fromkeys(text.name(one, field) for one in memory_ids)
    return Equal((schema.MEMORY,), ("id",), tuple((one,) for one in checked_ids))


def resting(memory_id: str, field: str = "memory_id") -> Joined:
    """Look up a memory, those that it replaced, and what rests on these: see `resting`."""
    return resting_all(ids(memory_id, field=field))


def resting_all(found: Lookup) -> Joined:
    """Look up the same for all memories among the results of *found*."""
    replaced = (schema.RELATION_TYPES["contradicts"],)
    found = Reached(found, replaced, schema.MOST_REPLACED)
    sessions = _with_mentions(found)
    return Joined(sessions, "associated", CONCEPT, NAMES.owned, each=True)


def observed(*memory_ids: str) -> Joined:
    """Look up memories, and the mentions that rest on them."""
    return _with_mentions(ids(*memory_ids))


def _with_mentions(found: Lookup) -> Joined:
    """Look up memories, the sessions observed for them, and the mentions of messages that are one.

    The mentions of a message have its time.
    """
    told = Joined(found, "said_at", MENTION, "created_at", same="user_id")
    return Joined(told, "id", SESSION, "memory_id")


def _indexed(record: Mapping[str, Any]) -> list[Any]:
    """Look up the data needed to index the memory in *record*."""
    return text_lookups.of_records([{"kind": schema.KIND.kind, **record}])


def _storable(given: Mapping[str, Any]) -> None:
    """Check the arguments early, because some values must not even reach a database."""
    for name, value in given.items():
        if value is not None:
            schema.KIND.declared(name).check(value, name)
