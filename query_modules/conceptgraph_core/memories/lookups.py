"""Look up memories and what is stored beside them, for the rules that pull it.

Imports nothing of Memgraph: the server names beforehand what a rule is sure to ask for.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..concepts import lookups as concepts
from ..concepts.schema import CONCEPT, NAMES, find_names
from ..embeddings.schema import remembered
from ..entities import lookups as entities
from ..entities import names
from ..entities import schema as of_entities
from ..entities.schema import MENTION, SESSION
from ..graph.primitives import (
    BEYOND,
    Equal,
    Incoming,
    Joined,
    Last,
    Lookup,
    Nearest,
    Range,
    Reached,
    Referring,
    Sized,
    Union,
    Where,
    WithEdges,
)
from ..retrieval import documents
from ..retrieval import schema as words
from ..retrieval.schema import NEIGHBOURS
from ..texts import dates, text
from ..texts.words import missing, terms
from ..verbs import limits
from . import schema
from .fade import EXPIRED, STATES
from .filters import Wanted

# From the latest to the earliest key of a memory, `latest`.
EVER: Final = (-limits.MAX_TIME_MS, limits.MAX_TIME_MS + 1)
# All states except those of forgotten and expired memories.
SEEN: Final = tuple(state for state in STATES if state != EXPIRED)
_ANY: Final = Wanted()
# A list by tags or types looks up at most so many of them, and reads so many for each that it
# may show. Each tag takes a look-up for each place that it may have.
_MOST_LOOKED_UP: Final = 3
_READ_FOR_EACH: Final = 2


def mine(scope: str) -> Where:
    """Return the filter for the memories of *scope*."""
    return (("user_id", scope),)


def ids(*memory_ids: str, field: str = "memory_id") -> Equal:
    """Look up memories by their ids; the procedures leave out those of another scope.

    An invalid id is refused under the argument name *field*.
    """
    checked_ids = dict.fromkeys(text.name(one, field) for one in memory_ids)
    return Equal((schema.MEMORY,), ("id",), tuple((one,) for one in checked_ids))


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


def recent(scope: str, most: int, source: str | None) -> Sized:
    """Look up the latest *most* memories of each state, and count all of them."""
    found = latest(scope, SEEN, most, source)
    first, *others = (part.where for part in found.parts if isinstance(part, Range))
    # The result says whether something was cut, whatever the length of the list.
    count = max(schema.MAX_COUNTED, most + 1)
    return Sized(found, schema.MEMORY, "latest", first, tuple(others), count)


def recent_until(scope: str, until_ms: int) -> Union:
    """Look up the memories created or accessed last among those made by *until_ms*.

    No index has this order, so these are a thousand of the latest and of the oldest.
    """
    made = (-limits.MAX_TIME_MS, until_ms + 1)
    oldest = Range((schema.MEMORY,), "created_at", *made, mine(scope), schema.MAX_ROWS)
    return Union((latest(scope, SEEN, schema.MAX_ROWS), oldest))


def listed(scope: str, wanted: Wanted, most: int) -> Union:
    """Look up candidates for the latest *most* memories that are *wanted* by state and tags."""
    if wanted.tags:
        # A list of all states may be long, and no index orders those with a tag.
        return latest(scope, STATES, None)
    if not wanted.states or wanted.states == {EXPIRED}:
        return latest(scope, [one for one in STATES if one in (wanted.states or STATES)], most)
    # The current state depends on the time and no index has it, so all visible ones are read.
    seen = latest(scope, SEEN, None)
    gone = latest(scope, [EXPIRED], most).parts if EXPIRED in wanted.states else ()
    return Union((*seen.parts, *gone))


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


def leading(
    wordings: Sequence[str], scope: str, concept_scope: str, languages: Sequence[str]
) -> list[Lookup]:
    """Look up the entities and the concepts by which *wordings* lead to further terms."""
    if missing():
        return []
    found: list[Lookup] = []
    for one in wordings:
        called = tuple((scope, form) for form in names.asked_for(one, languages))
        found += [
            concepts.folded(concept_scope, find_names(one, languages)),
            Equal((of_entities.ENTITY,), ("user_id", "searched"), called),
            *entities.named_in_part(one, scope),
            *entities.meant_by_kind(one, scope),
            *entities.of_matters(one, scope, languages),
        ]
    return found


def near(scope: str, vector: Sequence[float], depth: int, wanted: Wanted = _ANY) -> list[Lookup]:
    """Look up the same, and what the index of words has of them; and a sample of all memories.

    Without a *vector*, nothing.
    """
    if not len(vector):
        return []
    where = (("scope", scope), ("label", schema.MEMORY))
    first = nearest(scope, vector, max(depth, schema.NEAREST), wanted)
    sample = Range((schema.MEMORY,), "id", "", BEYOND, mine(scope), schema.SAMPLED)
    return [remembered(), Joined(first, "id", words.TEXT, "key", where), sample]


def resting(memory_id: str) -> Joined:
    """Look up a memory, those that it replaced, and what rests on these: see `resting`."""
    return resting_all(ids(memory_id))


def resting_all(found: Lookup) -> Joined:
    """Look up the same for all memories among the results of *found*."""
    replaced = (schema.RELATION_TYPES["contradicts"],)
    sessions = _with_mentions(Reached(found, replaced, schema.MOST_REPLACED))
    return Joined(sessions, "associated", CONCEPT, NAMES.owned, each=True)


def of_any_id(id_: str) -> list[Lookup]:
    """Look up what has that id, what rests on it, and the texts about an entity that has it."""
    key = text.name(id_, "id")
    told = entities.sessions_of(key)
    of_sessions = Joined(told, "memory_id", schema.MEMORY, "id")
    of_messages = Joined(told, "created_at", schema.MEMORY, "said_at", same="user_id")
    rests = resting(key), resting_all(of_sessions), resting_all(of_messages)
    return [ids(key), entities.with_any_id(key), Union(rests)]


def _with_mentions(found: Lookup) -> Joined:
    """Look up memories, the sessions observed for them, and the mentions of messages that are one.

    The mentions of a message have its time.
    """
    told = Joined(found, "said_at", MENTION, "created_at", same="user_id")
    return Joined(told, "id", SESSION, "memory_id")


def parents(scope: str) -> Referring:
    """Look up the memories of a scope that have a parent, and these parents."""
    return Referring(schema.MEMORY, "parent_id", "id", mine(scope))


def counted(scope: str) -> WithEdges:
    """Look up all memories of a scope, with the links that leave them."""
    return WithEdges(Range((schema.MEMORY,), "id", "", BEYOND, mine(scope)))


def indexed(
    scope: str, memory_id: str, told: Mapping[str, Any], languages: Sequence[str]
) -> list[Lookup]:
    """Look up what it takes to index the texts *told* of a memory."""
    record = {**told, "id": memory_id, "user_id": scope}
    return documents.needed([documents.read_told(schema.KIND, record)], languages)


def ingested(scope: str, messages: Sequence[Mapping[str, Any]], languages: Sequence[str]) -> Union:
    """Look up which of *messages* are stored, and what it takes to store and index the others."""
    told = [
        documents.read_told(
            schema.KIND,
            {
                "id": message["id"],
                "user_id": scope,
                "content": message["text"],
                "speaker": message.get("speaker"),
                "concepts": message.get("concepts") or [],
            },
        )
        for message in messages
    ]
    parts: list[Lookup] = [ids(*(message["id"] for message in messages))]
    parts += documents.needed(told, languages)
    if threads := tuple(dict.fromkeys(str(message["thread"]) for message in messages)):
        # The ends of threads, if they exist, and their entries in the index.
        last = Last(schema.MEMORY, "thread", threads, "position", 1, where=mine(scope))
        own = (("scope", scope),)
        parts += [last, Last(words.TEXT, "thread", threads, "position", NEIGHBOURS, where=own)]
    return Union(tuple(parts))


def similar(
    scope: str,
    told: Mapping[str, Any],
    vector: Sequence[float],
    languages: Sequence[str],
) -> Incoming:
    """Look up what it takes to index the texts *told* of a new memory, and near-duplicates of it.

    The mentions of a text's rarer terms find these, and not those of what was said (`said`).
    """
    parts = indexed(scope, "", told, languages)
    if vector:
        parts += [remembered(), nearest(scope, vector, schema.MOST_SIMILAR)]
    last: tuple[str, ...] = ()
    if told.get("said") and not missing():
        own = terms(told["content"], languages)
        last = tuple(one for one in terms(told["said"], languages) if one not in own)
    found = documents.with_mentions(Union(tuple(parts)), schema.SIMILAR_MENTIONS)
    return found._replace(last=last)


def listed_by(scope: str, wanted: Wanted, depth: int) -> Lookup:
    """Look up the latest memories that are *wanted*: by tags, else by types, else all of them.

    With one filter alone it reads a few more than *depth*, for copies of a text share a row.
    """
    filters = [one for one in (wanted.source, wanted.types, wanted.tags, wanted.states) if one]
    most = schema.MAX_FILTERED if len(filters) > 1 else _READ_FOR_EACH * depth
    if 0 < len(wanted.tags) <= _MOST_LOOKED_UP:
        slots = schema.TAGGED
        having = [(name, tag) for tag in sorted(wanted.tags) for name in slots.names]
        found = [_latest_with(scope, most, one) for one in having]
        return Union((*found, _latest_with(scope, schema.MAX_FILTERED, (slots.more, True))))
    if 0 < len(wanted.types) <= _MOST_LOOKED_UP:
        of_types = [(state, one) for one in sorted(wanted.types) for state in SEEN]
        return Union(
            tuple(
                _latest_with(scope, most, ("state", state), ("type", one))
                for state, one in of_types
            )
        )
    return latest(scope, SEEN, schema.MAX_FILTERED, wanted.source)


def _latest_with(scope: str, most: int, *having: tuple[str, Any]) -> Range:
    where = (*mine(scope), *having)
    return Range((schema.MEMORY,), "latest", *EVER, where=where, limit=most, then="id")
