"""The entity layer: its labels, edge types, properties, indexes and numbers, each once (seed 004).

A concept is a name; an entity is what the name stands for. Everything here belongs to one scope,
its `user_id`. Times are unix ms. Imports nothing of Memgraph, so that the shell can read it without
a host.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .. import limits, text, validators
from ..layers import (
    NOW,
    REQUIRED,
    EdgeKind,
    Index,
    Layer,
    NodeKind,
    Property,
    VectorIndex,
    optional,
    starting,
)
from ..text import shown
from . import kinds, names

ENTITY: Final = "Entity"
MENTION: Final = "Mention"
SESSION: Final = "Session"
MERGE: Final = "Merge"
FACT: Final = "Fact"

OF: Final = "OF"
IN: Final = "IN"
HAS_FACT: Final = "HAS_FACT"
OBJECT: Final = "OBJECT"
# What a merge merged, and into what.
MERGE_OF: Final = "MERGE_OF"
MERGE_INTO: Final = "MERGE_INTO"
CO_OCCURRENCE: Final = "CO_OCCURRENCE"
SEMANTIC: Final = "SEMANTIC"
TEMPORAL: Final = "TEMPORAL"
CAUSAL: Final = "CAUSAL"
SAME_AS: Final = "SAME_AS"
CONTRADICTS: Final = "CONTRADICTS"

# Between entities. Those without a direction are stored once, from the older to the younger.
BETWEEN: Final = (CO_OCCURRENCE, SEMANTIC, TEMPORAL, CAUSAL, SAME_AS, CONTRADICTS)
UNDIRECTED: Final = (CO_OCCURRENCE, SEMANTIC, SAME_AS, CONTRADICTS)
# What connects an entity. A doubt about who it is, or a contradiction, is no connection.
CONNECTING: Final = (CO_OCCURRENCE, SEMANTIC, TEMPORAL, CAUSAL)
# What a caller may observe, as it calls it.
RELATIONS: Final = {
    "causal": CAUSAL,
    "temporal": TEMPORAL,
    "semantic": SEMANTIC,
    "contradicts": CONTRADICTS,
}

# What the entity is called that stands for the user, and by which words users mean it.
SELF: Final = "the user"
FIRST_PERSON: Final = frozenset(
    (
        *("i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "myself", "our", "we", "us"),
        *("we're", "ich", "mich", "mir", "mein", "meine", "meinen", "meinem", "meiner", "meines"),
        *("unser", "unsere", "unseren", "unserem", "unserer", "wir", "uns"),
    )
)
NODE_TYPES: Final = ("entity", "topic", "preference", "event", "emotion")
# What has a name; the other types are called by words.
NAMED: Final = "entity"
EVENT: Final = "event"
THING: Final = "entity"
TOPIC: Final = "topic"
# Of the numbers that tools show; procedures yield them as they are.
DECIMALS: Final = 6
# Predicates that have one value at a time, whether or not a caller says so.
SINGLE: Final = ("birthday", "name", "age", "spouse", "employer", "home")
# What a fact that a message states does to an earlier one: it stands beside it, comes after it, or
# says that it is over.
BESIDE: Final = "beside"
AFTER: Final = "after"
OVER: Final = "over"
FACT_MODES: Final = (BESIDE, AFTER, OVER)
# Since ever, for what does not say since when.
BEGINNING: Final = -limits.MAX_TIME_MS

# Who said it; of a node also both of them.
USER: Final = "user"
MODEL: Final = "model"
MIXED: Final = "mixed"
SPEAKERS: Final = (USER, MODEL)
ORIGINS: Final = (USER, MODEL, MIXED)
# Where an edge is from.
EXPLICIT: Final = "explicit"
INFERRED: Final = "inferred"
COOCCURRENCE: Final = "cooccurrence"
EDGE_ORIGINS: Final = (EXPLICIT, INFERRED, COOCCURRENCE)

# How certain it is who an entity is.
DISTINCT: Final = "distinct"
PROVISIONAL: Final = "provisional"
AMBIGUOUS: Final = "ambiguous"
MERGED: Final = "merged"
IDENTITY_STATUSES: Final = (DISTINCT, PROVISIONAL, AMBIGUOUS, MERGED)
# What became of the thought that two are the same.
CANDIDATE: Final = "candidate"
REJECTED: Final = "rejected"
SAME_AS_STATUSES: Final = (CANDIDATE, MERGED, REJECTED)
SYSTEM: Final = "system"
USER_CORRECTION: Final = "user_correction"
MERGERS: Final = (USER_CORRECTION, SYSTEM)
# What an entry of the ledger did (see `ledger.action_of`).
MERGE_ACTION: Final = "merge"
SPLIT_ACTION: Final = "split"
END_ACTION: Final = "end"
APART_ACTION: Final = "apart"
ACTIONS: Final = (MERGE_ACTION, SPLIT_ACTION, END_ACTION, APART_ACTION)

# What candidates for the same entity are taken from: never from what is central.
LATEST_CANDIDATES: Final = 10
NEAREST_CANDIDATES: Final = 5
# So many are looked up, for those activated at one time have no order of their own.
LATEST_LOOKED_UP: Final = 20
# How many of those are whose names begin alike.
KIN_LOOKED_UP: Final = 25
# Of longer names that a name may be the first of, or an acronym the initials of.
BEGUN_LOOKED_UP: Final = 5
ACRONYM_LOOKED_UP: Final = 200
# A search looks at so many that begin with what is asked for, and at so many of the latest.
SEARCHED: Final = 2_000
# And at so many that begin with one of its first words.
WORDS_SEARCHED: Final = 8
WORD_SEARCHED: Final = 200
# By place, the properties that have the words of a label after what it begins with, so that an
# index finds them. For those of so many first words of a search.
INNER_WORDS: Final = {place: f"word_{place + 2}" for place in range(5)}
INNER_SEARCHED: Final = 4

# Co-occurrence: all pairs of a long session would be a hairball.
MAX_PAIRED: Final = 30
# Seed 004: a causal relation needs that many sessions, and moods that differ.
CAUSAL_SESSIONS: Final = 3
CAUSAL_MOODS_APART: Final = 0.2
# How many sessions an entity or a relation remembers.
MAX_SESSIONS_KEPT: Final = 50

MAX_OBSERVATIONS: Final = 200
MAX_LABEL: Final = 255
MAX_CONTEXT: Final = 500
# Of how many what joins them is read at once, where nothing is written.
CONNECTED: Final = 2_000
DECAY: Final = "decay"
SEMANTIC_STEP: Final = "semantic"
DEACTIVATE: Final = "deactivate"
DAILY: Final = ("decay", SEMANTIC_STEP, "centrality", "deactivate", "edge_count", "contradictions")
# Steps that can be taken for some entities one right after the other, while their edges are at
# hand: none of them needs what the one before does to all others.
DAILY_TOGETHER: Final = (("decay",), (SEMANTIC_STEP,), DAILY[2:])
# Of these, those that go through the edges which leave an entity, and through all that it has.
READING_LEAVING: Final = ("decay",)
READING_ALL: Final = DAILY[2:]
COMMUNITIES: Final = "communities"
ARCHIVE: Final = "archive"
MERGE_STEP: Final = "merge"
WEEKLY: Final = (MERGE_STEP, "prune", ARCHIVE, COMMUNITIES, "pressure")
BOTH_BELIEVED: Final = "both are believed, and it can have but one value at a time"

DEFAULT_LIMIT: Final = 10
DEFAULT_ROWS: Final = 20
MAX_LIMIT: Final = 200
# A picture goes so far and has so many components, unless more are asked for.
DEFAULT_HOPS: Final = 2
MAX_HOPS: Final = 10
NEIGHBOURS: Final = 100
# What the owner is shown of all that there is.
LISTED: Final = 100
MAX_LISTED: Final = 1_000


def label(value: object, field: str) -> str:
    """Return *value* if it can be what an entity is called. Raises InvalidText."""
    return text.long(value, field, MAX_LABEL)


_ID = Property("id", text.name, absent="")
_USER_ID = Property("user_id", text.user, absent="")
_CREATED_AT = Property("created_at", validators.time, NOW, absent=0)


def _inner(place: int) -> Callable[[Mapping[str, Any]], str | None]:
    """Return what tells the inner word at *place* of a label, None where it has not so many."""

    def word(properties: Mapping[str, Any]) -> str | None:
        words = names.inner_words(names.canonical(properties["node_label"]))
        return words[place] if place < len(words) else None

    return word


def _another_entity(get: Callable[[str], Any], given: Mapping[str, Any]) -> str | None:
    """Return how an entity and a record of its id cannot be of one being.

    An id follows from the name, so that two stores give one id to two beings of one name; when it
    was made tells whether it was the same store that made them.
    """
    kind, other = get("entity_kind"), given.get("entity_kind")
    if given.get("created_at", get("created_at")) == get("created_at") or kinds.agree(kind, other):
        return None
    name, key = shown(get("node_label")), get("id")
    return (
        f"{name} is a {shown(kind)} here and a {shown(str(other))} in the file: two beings; replace"
        f" {key} everywhere in the file by an id of its own, and give that entity another"
        " canonical_name"
    )


def _another_fact(get: Callable[[str], Any], given: Mapping[str, Any]) -> str | None:
    """Return how a fact and a record of its id cannot be one: two stores numbered them alike."""
    value, other = get("value"), given.get("value", get("value"))
    if given.get("known_from", get("known_from")) == get("known_from") or value == other:
        return None
    return (
        f"{shown(get('predicate'))} is {shown(value)} here and {shown(other)} in the file: two"
        f" facts; to keep both, replace {get('id')} everywhere in the file by an id of its own"
    )


_ENTITY = NodeKind(
    ENTITY,
    kind="entity",
    measure="entities",
    key=("id",),
    properties=(
        _ID,
        _USER_ID,
        Property("node_type", validators.one_of(NODE_TYPES), absent="entity"),
        Property("node_label", label, absent=""),
        # Its label as `names.canonical` has it, with " #2" and so on for further ones of that name.
        Property("canonical_name", text.existing_name, absent=""),
        # Not `kind`, which is what a record is one of.
        optional("entity_kind", label),
        # Tells it from others of its name: "from the office".
        optional("qualifier", label),
        # The best spelt label of its component, where that is another than its own.
        optional("shown_label", label),
        optional("embedding", validators.vector),
        starting("origin", validators.one_of(ORIGINS), MODEL),
        starting("origin_confidence", validators.unit, 0.0),
        starting("user_mention_count", validators.count, 0),
        starting("model_mention_count", validators.count, 0),
        # The first sessions in which the user mentioned it.
        starting("user_sessions", validators.texts, []),
        starting("identity_status", validators.one_of(IDENTITY_STATUSES), PROVISIONAL),
        optional("canonical_node_id", text.name),
        # How many merges of this entity, into another or of others into it, are in force.
        starting("merge_count", validators.count, 0),
        Property("valid_from", validators.time, NOW, absent=-limits.MAX_TIME_MS),
        optional("valid_until", validators.time),
        Property("transaction_time", validators.time, NOW, absent=0),
        # As of `last_activated`; see `activation`.
        starting("activation_strength", validators.unit, 0.5),
        # Its active connections; and those that the user ever reinforced, active or not.
        starting("edge_count", validators.count, 0),
        optional("user_edge_count", validators.count),
        starting("centrality_score", validators.number, 0.0),
        starting("emotional_intensity", validators.unit, 0.0),
        # By what its centrality is lessened since the last weekly run, if it has many edges.
        optional("pressure", validators.unit),
        optional("community", text.name),
        # What earlier versions worked out of the next community, and left.
        optional("community_draft", text.name),
        starting("is_active", validators.flag, True),
        _CREATED_AT,
        Property("last_activated", validators.time, NOW, absent=0),
    ),
    text="node_label",
    # What several entities may have in common, of which `canonical_name` is the one.
    derived={
        "called": lambda properties: names.key(properties["node_label"]),
        "searched": lambda properties: names.searched(names.canonical(properties["node_label"])),
        **{name: _inner(place) for place, name in INNER_WORDS.items()},
    },
    scope="user_id",
    refers={"canonical_node_id": ENTITY},
    told_apart=_another_entity,
)
_MENTION = NodeKind(
    MENTION,
    kind="mention",
    measure="mentions",
    # The id follows from what is counted once: see `ids.mention`.
    key=("id",),
    properties=(
        _ID,
        _USER_ID,
        Property("session_id", text.name, absent=""),
        Property("message_id", text.name, absent=""),
        # The how-manieth mention of its session it is.
        starting("sequence", validators.count, 0),
        Property("label", label, absent=""),
        Property("origin", validators.one_of(SPEAKERS), absent=MODEL),
        optional("source_span", text.summary),
        # The user's words in which the model read what they do not say.
        optional("inferred_from", text.summary),
        optional("span_start", validators.count),
        optional("span_end", validators.count),
        optional("mention_context", text.summary),
        optional("emotional_valence", validators.valence),
        optional("emotional_intensity", validators.unit),
        optional("rationale", text.summary),
        starting("archived", validators.flag, False),
        _CREATED_AT,
    ),
    text="label",
    scope="user_id",
)
_SESSION = NodeKind(
    SESSION,
    kind="session",
    measure="sessions",
    key=("user_id", "session_id"),
    properties=(
        _USER_ID,
        Property("session_id", text.name, absent=""),
        Property("started_at", validators.time, NOW, absent=0),
        Property("last_mention_at", validators.time, NOW, absent=0),
        optional("ended_at", validators.time),
        # Nobody ended it since its last mention.
        starting("is_open", validators.flag, True),
        optional("valence", validators.valence),
        starting("mention_count", validators.count, 0),
        # Relations that were observed in it, as `edges.key` writes them.
        starting("relations", validators.texts, []),
        # What it has counted already: entities paired and relations reinforced.
        starting("paired_by_user", validators.texts, []),
        starting("paired_by_model", validators.texts, []),
        starting("reinforced", validators.texts, []),
    ),
    text="session_id",
    scope="user_id",
)
_MERGE = NodeKind(
    MERGE,
    kind="merge",
    measure="merges",
    key=("id",),
    properties=(
        _ID,
        _USER_ID,
        Property("source_node_id", text.name, absent=""),
        Property("target_node_id", text.name, absent=""),
        optional("action", validators.one_of(ACTIONS)),
        Property("merge_confidence", validators.unit, absent=0.0),
        optional("merge_reason", text.summary),
        # The user's words that it rests on.
        optional("said", text.summary),
        # What the source's identity was before.
        optional("source_status", validators.one_of(IDENTITY_STATUSES)),
        # Of a split, what it moved: the id of a mention or a fact, a tab, the entity it was of.
        optional("moved", validators.texts),
        starting("is_active", validators.flag, True),
        optional("unmerged_at", validators.time),
        optional("unmerge_reason", text.summary),
        _CREATED_AT,
        starting("created_by", validators.one_of(MERGERS), SYSTEM),
    ),
    text="id",
    scope="user_id",
    refers={"source_node_id": ENTITY, "target_node_id": ENTITY},
)
_FACT = NodeKind(
    FACT,
    kind="fact",
    measure="facts",
    key=("id",),
    properties=(
        _ID,
        _USER_ID,
        Property("entity_id", text.name, absent=""),
        Property("predicate", label, absent=""),
        # Of a fact whose value is an entity: what that is called.
        Property("value", text.summary, absent=""),
        starting("single", validators.flag, False),
        # When it was so in the world, and when we believed it; an end that is missing is open.
        optional("valid_from", validators.time),
        optional("valid_until", validators.time),
        Property("known_from", validators.time, NOW, absent=0),
        optional("known_until", validators.time),
        # Since when we know that it ended, and what was believed of its end before.
        optional("ended_at", validators.time),
        optional("believed_until", validators.time),
        Property("origin", validators.one_of(SPEAKERS), absent=MODEL),
        optional("source_span", text.summary),
        optional("inferred_from", text.summary),
        optional("context", text.summary),
    ),
    text="value",
    scope="user_id",
    refers={"entity_id": ENTITY},
    told_apart=_another_fact,
)

# What every edge between entities has. Its strength, recency and trust follow from these when it is
# read (see `edges`), so that no write can touch one through another.
_BETWEEN = (
    Property("origin", validators.one_of(EDGE_ORIGINS), INFERRED, absent=INFERRED),
    optional("evidence", text.summary),
    starting("weight", validators.unit, 0.5),
    # As of when `weight` is; where a hand left it out, as of when it is first seen.
    optional("weight_at", validators.time, NOW),
    starting("user_reinforcement_count", validators.amount, 0.0),
    starting("model_reinforcement_count", validators.amount, 0.0),
    starting("activation_count", validators.count, 1),
    starting("is_active", validators.flag, True),
    starting("requires_activation", validators.count, 0),
    starting("distinct_session_count", validators.count, 1),
    _CREATED_AT,
    Property("last_activated", validators.time, NOW, absent=0),
)
_SAME_AS = (
    starting("status", validators.one_of(SAME_AS_STATUSES), CANDIDATE),
    starting("confidence", validators.unit, 0.5),
    optional("merge_type", label),
    # How often these two were merged.
    starting("merge_number", validators.count, 0),
)
# The sessions that reinforced it, and how each felt.
_OBSERVED = (optional("sessions", validators.texts), optional("valences", validators.numbers))


def _between(edge_type: str, *more: Property) -> EdgeKind:
    return EdgeKind(edge_type, edge_type.lower(), (*_BETWEEN, *more), (ENTITY,), (ENTITY,))


LAYER: Final = Layer(
    name="entities",
    nodes=(_ENTITY, _SESSION, _MENTION, _MERGE, _FACT),
    edges=(
        EdgeKind(OF, "of", (), (MENTION,), (ENTITY,)),
        EdgeKind(MERGE_OF, "merge_of", (), (MERGE,), (ENTITY,)),
        EdgeKind(MERGE_INTO, "merge_into", (), (MERGE,), (ENTITY,)),
        EdgeKind(IN, "in", (), (MENTION,), (SESSION,)),
        EdgeKind(HAS_FACT, "has_fact", (), (ENTITY,), (FACT,)),
        EdgeKind(OBJECT, "object", (), (FACT,), (ENTITY,)),
        _between(CO_OCCURRENCE),
        _between(SEMANTIC, *_OBSERVED),
        _between(TEMPORAL, *_OBSERVED),
        _between(CAUSAL, *_OBSERVED),
        _between(SAME_AS, *_SAME_AS),
        _between(CONTRADICTS, *_OBSERVED),
    ),
    edge_kind="tie",
    walked=(ENTITY, SESSION, MENTION, MERGE, FACT),
    indexes=(
        Index(ENTITY, ("id",), unique=True),
        Index(ENTITY, ("user_id", "canonical_name"), unique=True),
        Index(ENTITY, ("user_id", "id")),
        Index(ENTITY, ("user_id", "called")),
        Index(ENTITY, ("user_id", "searched")),
        *(Index(ENTITY, ("user_id", name)) for name in INNER_WORDS.values()),
        Index(ENTITY, ("user_id", "entity_kind")),
        Index(ENTITY, ("user_id", "last_activated")),
        Index(ENTITY, ("user_id", "identity_status", "last_activated")),
        Index(ENTITY, ("user_id", "canonical_node_id")),
        Index(SESSION, ("user_id", "session_id"), unique=True),
        Index(SESSION, ("user_id", "is_open", "last_mention_at")),
        Index(MENTION, ("id",), unique=True),
        Index(MENTION, ("user_id", "created_at")),
        Index(MERGE, ("id",), unique=True),
        Index(MERGE, ("user_id", "created_at")),
        Index(FACT, ("id",), unique=True),
        Index(FACT, ("user_id", "entity_id")),
    ),
    vectors=(VectorIndex(ENTITY, "embedding", texts=("node_label",)),),
)


def limit(value: int | None, default: int = DEFAULT_LIMIT) -> int:
    """Return how many rows are asked for: *default* for None, clamped to 1…200."""
    return default if value is None else max(1, min(MAX_LIMIT, value))


def edge(edge_type: str) -> EdgeKind:
    return next(kind for kind in LAYER.edges if kind.type == edge_type)


def complete(declared: Sequence[Property], given: Mapping[str, Any], now_ms: int) -> dict[str, Any]:
    """Return all values of something new: what is *given*, and what the others start with."""
    values = {name: value for name, value in given.items() if value is not None}
    for one in declared:
        if one.name not in values and one.default is not None and one.default is not REQUIRED:
            values[one.name] = now_ms if one.default is NOW else one.default
    return values
