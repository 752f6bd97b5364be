"""Build the calls of the memory layer; look-ups within a scope take the scope as an argument."""

from collections.abc import Mapping, Sequence
from typing import Any

from conceptgraph_core import dates, limits, text
from conceptgraph_core.concepts.schema import CONCEPT, NAMES
from conceptgraph_core.entities.schema import MENTION, SESSION
from conceptgraph_core.memories import procedures, schema
from conceptgraph_core.memories.filters import Wanted
from conceptgraph_core.memories.rules import EXPIRED, STATES
from conceptgraph_core.retrieval import schema as words

from . import text_lookups
from .call import Call, checked
from .embedding import remembered
from .lookups import BEYOND, Equal, Joined, Lookup, Nearest, Range, Reached, Sized, Union, Where

# The name of an embedding, and a vector computed with it.
Embedded = tuple[str, Sequence[float]]

_ANY = Wanted()

# All states except those of forgotten and expired memories.
# From the latest to the earliest key of a memory, `latest`.
EVER = (-limits.MAX_TIME_MS, limits.MAX_TIME_MS + 1)
SEEN = tuple(state for state in STATES if state != EXPIRED)


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
    decay_rate: float | None = None,
    embedded: Embedded | None = None,
    said: str | None = None,
) -> Call:
    """Return the call that stores *content*; *embedded* is its vector, if there is one.

    *said*, from which *content* was made, is looked up with it.
    """
    texts = {"content": content, "summary": summary, "concepts": list(concepts)}
    given = {"source": source, "type": type_, "tags": list(tags), "metadata": dict(metadata or {})}
    _storable(texts | given)
    model, vector = embedded or (None, ())
    arguments = (
        *(content, source, summary, list(tags), type_, importance, confidence, list(concepts)),
        *(parent_id, given["metadata"], decay_rate, list(vector), model),
    )
    record = texts | {"id": "", "user_id": scope}
    parents = [] if parent_id is None else [parent_id]
    near = () if embedded is None else (remembered(), nearest(scope, vector, schema.MOST_SIMILAR))
    needed = (ids(*parents, field="parent_id"), *near, *_indexed(record | {"said": said}))
    # The mentions of a text's rarer terms find near-duplicates, and not those of what was said.
    lookup = text_lookups.with_mentions(Union(needed), schema.SIMILAR_MENTIONS)
    if said:
        lookup = lookup._replace(last=text_lookups.terms_besides(content, said))
    return Call(procedures.CREATE, arguments, lookup, text_lookups.context())


@checked
def get(memory_id: str) -> Call:
    return Call(procedures.GET, (memory_id,), ids(memory_id))


@checked
def update(
    scope: str,
    memory_id: str,
    *,
    content: str | None = None,
    summary: str | None = None,
    tags: Sequence[str] | None = None,
    type_: str | None = None,
    importance: float | None = None,
    confidence: float | None = None,
    metadata: Mapping[str, Any] | None = None,
    concepts: Sequence[str] | None = None,
    source: str | None = None,
    parent_id: str | None = None,
    decay_rate: float | None = None,
) -> Call:
    """Return the call that sets all arguments but None; "" removes a summary, type or parent."""
    given = {"content": content, "summary": summary or None, "type": type_ or None}
    lists = {"tags": tags, "concepts": concepts}
    _storable({**given, **lists, "metadata": metadata, "source": source})
    arguments = (
        *(memory_id, content, summary, None if tags is None else list(tags), type_),
        *(importance, confidence, None if metadata is None else dict(metadata)),
        *(None if concepts is None else list(concepts), source, parent_id, decay_rate),
    )
    record: dict[str, Any] = {"id": memory_id, "user_id": scope}
    record |= {"content": content, "summary": summary, "concepts": concepts}
    told = any(one is not None for one in (content, summary, concepts))
    both = [memory_id, *([parent_id] if parent_id else [])]
    lookup = Union((ids(*both), *(_indexed(record) if told else ())))
    return Call(procedures.UPDATE, arguments, lookup, text_lookups.context())


@checked
def revise(
    scope: str,
    memory_id: str,
    seen: Mapping[str, Any],
    changes: Mapping[str, Any],
    takes_back: int | None = None,
) -> Call:
    """Return the owner's call that sets *changes* where the memory still is as *seen*."""
    given = {name: changes.get(name) for name in ("content", "summary", "importance")}
    made = update(scope, memory_id, **given)
    arguments = (memory_id, dict(seen), dict(changes), takes_back)
    return made._replace(procedure=procedures.REVISE, arguments=arguments)


@checked
def forget(memory_id: str, reason: str | None = None) -> Call:
    if reason is not None:
        text.summary(reason, "reason")
    return Call(procedures.FORGET, (memory_id, reason), resting(memory_id))


@checked
def recent(
    scope: str,
    limit: int = schema.RECENT,
    source_filter: str | None = None,
    among: int | None = None,
) -> Call:
    """Return the call for the latest memories.

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
    counted = Sized(found, schema.MEMORY, "latest", first, tuple(others), count)
    return Call(procedures.RECENT, (most, source_filter), counted)


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


@checked
def touch(memory_ids: Sequence[str]) -> Call:
    return Call(procedures.TOUCH, (list(memory_ids),), ids(*memory_ids))


@checked
def decay_status(memory_id: str) -> Call:
    return Call(procedures.DECAY_STATUS, (memory_id,), ids(memory_id))


@checked
def preserve(memory_id: str, tag: str | None = None, until: int | None = None) -> Call:
    """Return the call that keeps a memory by *tag*, or until a time (unix ms) without one."""
    if tag is not None:
        text.name(tag, "tag")
    return Call(procedures.PRESERVE, (memory_id, tag, until), ids(memory_id))


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
