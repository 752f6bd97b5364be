"""Declare the entity layer: its labels, edge types, properties, indexes and numbers, each once.

A concept is a name; an entity is the thing it names. All of it belongs to one scope, its `user_id`.
Times are unix ms. Imports nothing of Memgraph, so that the shell can read it without a host.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .. import language
from ..graph.layers import (
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
from ..texts import text
from ..texts.text import show_name
from ..verbs import limits, validators
from . import kinds, names

ENTITY: Final = "Entity"
MENTION: Final = "Mention"
SESSION: Final = "Session"
MERGE: Final = "Merge"
FACT: Final = "Fact"

# The label of an entity of which a purge left nothing, but which the ledger refers to.
PURGED: Final = "(purged)"

OF: Final = "OF"
IN: Final = "IN"
HAS_FACT: Final = "HAS_FACT"
OBJECT: Final = "OBJECT"
# The source of a ledger entry, and the entity it was merged into.
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
# The edges that connect an entity. A doubt about identity, or a contradiction, does not.
CONNECTING: Final = (CO_OCCURRENCE, SEMANTIC, TEMPORAL, CAUSAL)
# The relations that a caller may observe, by the caller's names.
RELATIONS: Final = {
    "causal": CAUSAL,
    "temporal": TEMPORAL,
    "semantic": SEMANTIC,
    "contradicts": CONTRADICTS,
}

# The label of the entity for the user, and the words by which users mean themselves.
SELF: Final = "the user"
FIRST_PERSON: Final = (
    language.words("oneself", "first")
    | language.words("oneself", "me")
    | language.words("asking", "own")
)
NODE_TYPES: Final = ("entity", "topic", "preference", "event", "emotion")
# A thing with a name; entities of the other types are called by words.
NAMED: Final = "entity"
EVENT: Final = "event"
THING: Final = "entity"
TOPIC: Final = "topic"
# Tools round to so many decimals; procedures do not round.
DECIMALS: Final = 6
# Predicates with one value at a time, whether or not a caller says so.
SINGLE: Final = (
    *("birthday", "name", "age", "spouse", "partner", "employer", "home", "boss", "diet"),
    "occupation",
)
# A fact on how much of a medicine one takes begins so: "dose of sertraline".
DOSE: Final = "dose of "
# The relation of a stated fact to an earlier one: it stands beside it, comes after it, or says that
# it is over.
BESIDE: Final = "beside"
AFTER: Final = "after"
OVER: Final = "over"
# As the value of a fact that is over, this means every value: "I quit my job".
EVERY: Final = "*"
FACT_MODES: Final = (BESIDE, AFTER, OVER)
# The beginning of facts without a valid_from.
BEGINNING: Final = -limits.MAX_TIME_MS

# The speaker; for a node also both of them.
USER: Final = "user"
MODEL: Final = "model"
MIXED: Final = "mixed"
SPEAKERS: Final = (USER, MODEL)
ORIGINS: Final = (USER, MODEL, MIXED)
# The origin of an edge.
EXPLICIT: Final = "explicit"
INFERRED: Final = "inferred"
COOCCURRENCE: Final = "cooccurrence"
EDGE_ORIGINS: Final = (EXPLICIT, INFERRED, COOCCURRENCE)

# The certainty of an entity's identity.
DISTINCT: Final = "distinct"
PROVISIONAL: Final = "provisional"
AMBIGUOUS: Final = "ambiguous"
MERGED: Final = "merged"
IDENTITY_STATUSES: Final = (DISTINCT, PROVISIONAL, AMBIGUOUS, MERGED)
# The state of a doubt whether two are the same.
CANDIDATE: Final = "candidate"
REJECTED: Final = "rejected"
SAME_AS_STATUSES: Final = (CANDIDATE, MERGED, REJECTED)
SYSTEM: Final = "system"
USER_CORRECTION: Final = "user_correction"
MERGERS: Final = (USER_CORRECTION, SYSTEM)
# The action of a ledger entry (see `ledger.action_of`).
MERGE_ACTION: Final = "merge"
SPLIT_ACTION: Final = "split"
END_ACTION: Final = "end"
APART_ACTION: Final = "apart"
ACTIONS: Final = (MERGE_ACTION, SPLIT_ACTION, END_ACTION, APART_ACTION)

# The latest and the nearest entities are candidates. Central ones are not, or they would attract
# ever more.
LATEST_CANDIDATES: Final = 10
NEAREST_CANDIDATES: Final = 5
# A search reads so many entities that begin with the query, and so many of the latest.
SEARCHED: Final = 2_000
# And so many that begin with one of its first words.
WORDS_SEARCHED: Final = 8
WORD_SEARCHED: Final = 200
# By place, the properties with the second and further words of a label, so that an index finds them
# by the first words of a query.
INNER_WORDS: Final = {place: f"word_{place + 2}" for place in range(5)}
INNER_SEARCHED: Final = 4

# The most entities of a session to pair: all pairs of a long session would be a hairball.
MAX_PAIRED: Final = 30
# A causal relation needs so many sessions, and moods that differ (set): one mood proves no cause.
CAUSAL_SESSIONS: Final = 3
CAUSAL_MOODS_APART: Final = 0.2
# The steps from an entity to those that it was merged with.
MOST_MERGED: Final = 10
# The most sessions that an entity or a relation remembers.
MAX_SESSIONS_KEPT: Final = 50

MAX_OBSERVATIONS: Final = 200
MAX_LABEL: Final = 255
MAX_CONTEXT: Final = 500
# A read-only look-up loads the edges of so many entities at once.
CONNECTED: Final = 2_000
DECAY: Final = "decay"
SEMANTIC_STEP: Final = "semantic"
DEACTIVATE: Final = "deactivate"
DAILY: Final = ("decay", SEMANTIC_STEP, "centrality", "deactivate", "edge_count", "contradictions")
# Steps that can run for an entity right after one another, while its edges are loaded: none needs
# the previous step's effect on all others.
DAILY_TOGETHER: Final = (("decay",), (SEMANTIC_STEP,), DAILY[2:])
# The steps that read only the outgoing edges of an entity, and those that read all its edges.
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
# The default number of rows in the owner's lists.
LISTED: Final = 100
MAX_LISTED: Final = 1_000


def label(value: object, field: str) -> str:
    """Return *value* if it is a valid label. Raises InvalidText."""
    return text.long(value, field, MAX_LABEL)


_ID = Property("id", text.name, absent="")
_USER_ID = Property("user_id", text.user, absent="")
_CREATED_AT = Property("created_at", validators.time, NOW, absent=0)


def _inner(place: int) -> Callable[[Mapping[str, Any]], str | None]:
    """Return how to derive the inner word at *place* of a label; None if it has fewer."""

    def word(properties: Mapping[str, Any]) -> str | None:
        words = names.inner_words(names.canonical(properties["node_label"]))
        return words[place] if place < len(words) else None

    return word


def _another_entity(get: Callable[[str], Any], given: Mapping[str, Any]) -> str | None:
    """Return why an entity and a record with its id cannot be the same entity.

    An id follows from the name, so two stores give one id to two entities of one name. The creation
    time tells whether one store made both.
    """
    kind, other = get("entity_kind"), given.get("entity_kind")
    if given.get("created_at", get("created_at")) == get("created_at") or kinds.agree(kind, other):
        return None
    name, key = show_name(get("node_label")), get("id")
    return (
        f"{name} is a {show_name(kind)} here and a {show_name(str(other))} in the file: two beings;"
        f" replace {key} everywhere in the file by an id of its own, and give that entity another"
        " canonical_name"
    )


def _another_fact(get: Callable[[str], Any], given: Mapping[str, Any]) -> str | None:
    """Return why a fact and a record with its id differ: two stores numbered them alike."""
    value, other = get("value"), given.get("value", get("value"))
    if given.get("known_from", get("known_from")) == get("known_from") or value == other:
        return None
    return (
        f"{show_name(get('predicate'))} is {show_name(value)} here and {show_name(other)} in the"
        f" file: two facts; to keep both, replace {get('id')} everywhere in the file by an id of"
        " its own"
    )


# Since when it is out of sight: until what it rests on, or what it was forgotten with, is restored.
_HIDDEN = (
    optional("forgotten_at", validators.time),
    # The ids that it was forgotten with: its own, that of an entity or of a memory.
    optional("forgotten_with", validators.texts),
    optional("forgotten_because", text.summary),
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
        # Its label as `names.canonical` returns it, numbered (" #2") if the name is taken.
        Property("canonical_name", text.existing_name, absent=""),
        # Not `kind`, which is the type of a record.
        optional("entity_kind", label),
        # Distinguishes it from others of its name: "from the office".
        optional("qualifier", label),
        # The best spelt label of its component, if it differs from its own.
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
        # The number of active merges of this entity, into another or of others into it.
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
        # The factor of its centrality since the last weekly run, if it has many edges.
        optional("pressure", validators.unit),
        optional("community", text.name),
        # Earlier versions left the draft of the next community here.
        optional("community_draft", text.name),
        starting("is_active", validators.flag, True),
        # When a session made it distinct, if one did.
        optional("promoted_at", validators.time),
        _CREATED_AT,
        Property("last_activated", validators.time, NOW, absent=0),
        *_HIDDEN,
    ),
    text="node_label",
    # Several entities may share these, while `canonical_name` is unique.
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
    # The id follows from the key that is counted once: see `names.make_mention_id`.
    key=("id",),
    properties=(
        _ID,
        _USER_ID,
        Property("session_id", text.name, absent=""),
        Property("message_id", text.name, absent=""),
        # Its number within its session.
        starting("sequence", validators.count, 0),
        Property("label", label, absent=""),
        Property("origin", validators.one_of(SPEAKERS), absent=MODEL),
        optional("source_span", text.summary),
        # The user's words from which the model inferred it.
        optional("inferred_from", text.summary),
        optional("span_start", validators.count),
        optional("span_end", validators.count),
        optional("mention_context", text.summary),
        optional("emotional_valence", validators.valence),
        optional("emotional_intensity", validators.unit),
        optional("rationale", text.summary),
        starting("archived", validators.flag, False),
        # The forgotten facts that its sentence tells: it is not quoted.
        optional("unquoted_with", validators.texts),
        # The claims of its message on its entity, as `log.keep` writes them.
        optional("claims", validators.texts),
        # Until when its text was so, if another one replaced that.
        optional("valid_until", validators.time),
        *_HIDDEN,
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
        # The memory that it was observed for, and the keys of the concepts that this associated.
        optional("memory_id", text.name),
        optional("associated", validators.texts),
        Property("started_at", validators.time, NOW, absent=0),
        Property("last_mention_at", validators.time, NOW, absent=0),
        optional("ended_at", validators.time),
        # Whether nobody has ended it since its last mention.
        starting("is_open", validators.flag, True),
        optional("valence", validators.valence),
        starting("mention_count", validators.count, 0),
        # Relations observed in it, as `edges.key` writes them.
        starting("relations", validators.texts, []),
        # The counted ones: paired entities and reinforced relations.
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
        # The identity status of the source before.
        optional("source_status", validators.one_of(IDENTITY_STATUSES)),
        # The things that a split moved: the id of a mention or a fact, a tab, its former entity.
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
        # The name of the entity that is the value.
        Property("value", text.summary, absent=""),
        starting("single", validators.flag, False),
        # When it was true, and when the memory believed it; a missing end is open.
        optional("valid_from", validators.time),
        optional("valid_until", validators.time),
        Property("known_from", validators.time, NOW, absent=0),
        optional("known_until", validators.time),
        # When the memory learnt that it ended, and the end it believed in before.
        optional("ended_at", validators.time),
        optional("believed_until", validators.time),
        # The fact that corrected it, and the fact or the mention that ended it.
        optional("corrected_by", text.name),
        optional("ended_by", text.name),
        # Until when the texts that told it were so, if all of them were replaced.
        optional("text_until", validators.time),
        Property("origin", validators.one_of(SPEAKERS), absent=MODEL),
        optional("source_span", text.summary),
        optional("inferred_from", text.summary),
        optional("context", text.summary),
        # The mentions that told it; without any, it rests on no message.
        optional("mention_ids", validators.texts),
        *_HIDDEN,
    ),
    text="value",
    scope="user_id",
    refers={"entity_id": ENTITY},
    told_apart=_another_fact,
)

# The properties of every edge between entities. Strength, trust and recency are derived at each
# read (see `edges`), so that no write can change one through another.
_BETWEEN = (
    Property("origin", validators.one_of(EDGE_ORIGINS), INFERRED, absent=INFERRED),
    optional("evidence", text.summary),
    starting("weight", validators.unit, 0.5),
    # The time of `weight`; without it, the time at which the layer first saw the edge.
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
    # The number of merges of these two so far.
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
        Index(ENTITY, ("user_id", "forgotten_at")),
        Index(SESSION, ("user_id", "session_id"), unique=True),
        Index(SESSION, ("memory_id",)),
        Index(SESSION, ("user_id", "is_open", "last_mention_at")),
        Index(MENTION, ("id",), unique=True),
        Index(MENTION, ("user_id", "created_at")),
        Index(MENTION, ("user_id", "forgotten_at")),
        Index(MERGE, ("id",), unique=True),
        Index(MERGE, ("user_id", "created_at")),
        Index(FACT, ("id",), unique=True),
        Index(FACT, ("user_id", "entity_id")),
        Index(FACT, ("user_id", "predicate")),
        Index(FACT, ("user_id", "forgotten_at")),
    ),
    vectors=(VectorIndex(ENTITY, "embedding", texts=("node_label",), newest="last_activated"),),
)


def limit(value: int | None, default: int = DEFAULT_LIMIT) -> int:
    """Return the requested number of rows: *default* for None, clamped to 1…200."""
    return default if value is None else max(1, min(MAX_LIMIT, value))


def edge(edge_type: str) -> EdgeKind:
    return next(kind for kind in LAYER.edges if kind.type == edge_type)


def complete(declared: Sequence[Property], given: Mapping[str, Any], now_ms: int) -> dict[str, Any]:
    """Return all values of a new element: those *given*, and defaults for the others."""
    values = {name: value for name, value in given.items() if value is not None}
    for one in declared:
        if one.name not in values and one.default is not None and one.default is not REQUIRED:
            values[one.name] = now_ms if one.default is NOW else one.default
    return values
