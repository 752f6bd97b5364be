"""The entity layer: its labels, edge types, properties, indexes and numbers, each once (seed 004).

A concept is a name; an entity is what the name stands for. Everything here belongs to one scope,
its `user_id`. Times are unix ms. Imports nothing of Memgraph, so that the shell can read it without
a host.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .. import limits, text
from ..errors import InvalidText
from ..layers import NOW, REQUIRED, EdgeKind, Index, Layer, NodeKind, Property, VectorIndex
from . import names

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

NODE_TYPES: Final = ("entity", "topic", "preference", "event", "emotion")
EVENT: Final = "event"
# Of the numbers that tools show; procedures yield them as they are.
DECIMALS: Final = 6
# Predicates that have one value at a time, whether or not a caller says so.
SINGLE: Final = ("birthday", "name", "age", "spouse", "employer", "home")
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

# What candidates for the same entity are taken from: never from what is central.
LATEST_CANDIDATES: Final = 10
NEAREST_CANDIDATES: Final = 5
# So many are looked up, for those activated at one time have no order of their own.
LATEST_LOOKED_UP: Final = 20
# How many of those are whose names begin alike.
KIN_LOOKED_UP: Final = 25
# A search looks at so many that begin with what is asked for, and at so many of the latest.
SEARCHED: Final = 2_000
# And at so many that begin with one of its first words.
WORDS_SEARCHED: Final = 8
WORD_SEARCHED: Final = 200

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
# How many entities a step of the nightly runs takes in one transaction.
BATCH: Final = 500
MAX_BATCH: Final = 10_000
DAILY: Final = ("decay", "semantic", "centrality", "deactivate", "edge_count", "contradictions")
COMMUNITIES: Final = "communities"
WEEKLY: Final = ("merge", "prune", "archive", COMMUNITIES, "pressure")
BOTH_BELIEVED: Final = "both are believed, and it can have but one value at a time"

# Of a narrative, in tokens; of the message that it is for, so many words are looked up.
DEFAULT_BUDGET: Final = 2_000
MIN_BUDGET: Final = 50
MAX_BUDGET: Final = 100_000
MOST_WORDS: Final = 400
MOST_WORDS_A_NAME: Final = 4
# How many of the latest mentions a narrative looks at.
LATEST_MENTIONS: Final = 200

DEFAULT_LIMIT: Final = 10
DEFAULT_ROWS: Final = 20
MAX_LIMIT: Final = 200
# What the owner is shown of all that there is.
LISTED: Final = 100
MAX_LISTED: Final = 1_000

Check = Callable[[Any, str], Any]


def label(value: object, field: str) -> str:
    """Return *value* if it can be what an entity is called. Raises InvalidText."""
    name = text.name(value, field)
    if len(name) > MAX_LABEL:
        raise InvalidText(f"{field}: {len(name)} characters are too long; at most {MAX_LABEL}")
    return name


def one_of(known: Sequence[str]) -> Check:
    """Return a check that lets only the texts *known* pass. It raises InvalidText."""

    def check(value: Any, field: str) -> str:
        if value not in known or not isinstance(value, str):
            raise InvalidText(f"{field}: must be one of {', '.join(known)}")
        return value

    return check


def unit(value: Any, field: str) -> float:
    return text.number(value, field, 0.0, 1.0)


def valence(value: Any, field: str) -> float:
    return text.number(value, field, -1.0, 1.0)


def time(value: Any, field: str) -> int:
    return text.integer(value, field, -limits.MAX_TIME_MS, limits.MAX_TIME_MS)


def vector(value: Any, field: str) -> list[float]:
    """Return *value* as a list of floats, which alone may reach a vector index."""
    if not isinstance(value, (list, tuple)) or not value:
        raise InvalidText(f"{field}: must be a list of numbers")
    return [text.number(one, field, -1e6, 1e6) for one in value]


def _count(value: Any, field: str) -> int:
    return text.integer(value, field, 0, limits.MAX_INTEGER)


def _any_number(value: Any, field: str) -> float:
    return text.number(value, field, -1e300, 1e300)


def _flag(value: Any, field: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidText(f"{field}: must be true or false")
    return value


def _texts(value: Any, field: str) -> list[str]:
    if not isinstance(value, (list, tuple)):
        raise InvalidText(f"{field}: must be a list of texts")
    return [text.summary(one, field) for one in value]


def _numbers(value: Any, field: str) -> list[float]:
    if not isinstance(value, (list, tuple)):
        raise InvalidText(f"{field}: must be a list of numbers")
    return [_any_number(one, field) for one in value]


def _maybe(name: str, check: Check) -> Property:
    return Property(name, check, None, optional=True)


def _starting(name: str, check: Check, value: Any) -> Property:
    return Property(name, check, value, absent=value)


_ID = Property("id", text.name, absent="")
_USER_ID = Property("user_id", text.name, absent="")
_CREATED_AT = Property("created_at", time, NOW, absent=0)

_ENTITY = NodeKind(
    ENTITY,
    kind="entity",
    measure="entities",
    key=("id",),
    properties=(
        _ID,
        _USER_ID,
        Property("node_type", one_of(NODE_TYPES), absent="entity"),
        Property("node_label", label, absent=""),
        # Its label as `names.canonical` has it, with " #2" and so on for further ones of that name.
        Property("canonical_name", text.existing_name, absent=""),
        # Not `kind`, which is what a record is one of.
        _maybe("entity_kind", label),
        _maybe("embedding", vector),
        _starting("origin", one_of(ORIGINS), MODEL),
        _starting("origin_confidence", unit, 0.0),
        _starting("user_mention_count", _count, 0),
        _starting("model_mention_count", _count, 0),
        # The first sessions in which the user mentioned it.
        _starting("user_sessions", _texts, []),
        _starting("identity_status", one_of(IDENTITY_STATUSES), PROVISIONAL),
        _maybe("canonical_node_id", text.name),
        # How many merges of this entity, into another or of others into it, are in force.
        _starting("merge_count", _count, 0),
        Property("valid_from", time, NOW, absent=-limits.MAX_TIME_MS),
        _maybe("valid_until", time),
        Property("transaction_time", time, NOW, absent=0),
        # As of `last_activated`; see `activation`.
        _starting("activation_strength", unit, 0.5),
        _starting("edge_count", _count, 0),
        _starting("centrality_score", _any_number, 0.0),
        _starting("emotional_intensity", unit, 0.0),
        # By what its centrality is lessened since the last weekly run, if it has many edges.
        _maybe("pressure", unit),
        _maybe("community", text.name),
        # What is being worked out of the next community.
        _maybe("community_draft", text.name),
        _starting("is_active", _flag, True),
        _CREATED_AT,
        Property("last_activated", time, NOW, absent=0),
    ),
    text="node_label",
    # What several entities may have in common, of which `canonical_name` is the one.
    derived={"called": lambda properties: names.canonical(properties["node_label"])},
    scope="user_id",
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
        _starting("sequence", _count, 0),
        Property("label", label, absent=""),
        Property("origin", one_of(SPEAKERS), absent=MODEL),
        _maybe("source_span", text.summary),
        _maybe("span_start", _count),
        _maybe("span_end", _count),
        _maybe("mention_context", text.summary),
        _maybe("emotional_valence", valence),
        _maybe("emotional_intensity", unit),
        _maybe("rationale", text.summary),
        _starting("archived", _flag, False),
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
        Property("started_at", time, NOW, absent=0),
        Property("last_mention_at", time, NOW, absent=0),
        _maybe("ended_at", time),
        # Nobody ended it since its last mention.
        _starting("is_open", _flag, True),
        _maybe("valence", valence),
        _starting("mention_count", _count, 0),
        # Relations that were observed in it, as `edges.key` writes them.
        _starting("relations", _texts, []),
        # What it has counted already: entities paired and relations reinforced.
        _starting("paired_by_user", _texts, []),
        _starting("paired_by_model", _texts, []),
        _starting("reinforced", _texts, []),
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
        Property("merge_confidence", unit, absent=0.0),
        _maybe("merge_reason", text.summary),
        _starting("is_active", _flag, True),
        _maybe("unmerged_at", time),
        _maybe("unmerge_reason", text.summary),
        _CREATED_AT,
        _starting("created_by", one_of(MERGERS), SYSTEM),
    ),
    text="id",
    scope="user_id",
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
        _starting("single", _flag, False),
        # When it was so in the world, and when we believed it; an end that is missing is open.
        _maybe("valid_from", time),
        _maybe("valid_until", time),
        Property("known_from", time, NOW, absent=0),
        _maybe("known_until", time),
        # Since when we know that it ended, and what was believed of its end before.
        _maybe("ended_at", time),
        _maybe("believed_until", time),
        Property("origin", one_of(SPEAKERS), absent=MODEL),
        _maybe("source_span", text.summary),
        _maybe("context", text.summary),
    ),
    text="value",
    scope="user_id",
)

# What every edge between entities has. Its strength, recency and trust follow from these when it is
# read (see `edges`), so that no write can touch one through another.
_BETWEEN = (
    Property("origin", one_of(EDGE_ORIGINS), INFERRED, absent=INFERRED),
    _maybe("evidence", text.summary),
    _starting("weight", unit, 0.5),
    # As of when `weight` is.
    Property("weight_at", time, NOW, absent=0),
    _starting("user_reinforcement_count", _any_number, 0.0),
    _starting("model_reinforcement_count", _any_number, 0.0),
    _starting("activation_count", _count, 1),
    _starting("is_active", _flag, True),
    _starting("requires_activation", _count, 0),
    _starting("distinct_session_count", _count, 1),
    _CREATED_AT,
    Property("last_activated", time, NOW, absent=0),
)
_SAME_AS = (
    _starting("status", one_of(SAME_AS_STATUSES), CANDIDATE),
    _starting("confidence", unit, 0.5),
    _maybe("merge_type", label),
    # How often these two were merged.
    _starting("merge_number", _count, 0),
)
# The sessions that reinforced it, and how each felt.
_OBSERVED = (_maybe("sessions", _texts), _maybe("valences", _numbers))


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
    vectors=(VectorIndex(ENTITY, "embedding"),),
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
