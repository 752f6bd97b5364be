"""Declare the memory layer: its labels, link types, properties, indexes and numbers, each once.

Imports nothing of Memgraph, so that the shell can read it without a host.
"""

import binascii
import math
import time
import zlib
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from ..graph.layers import (
    NOW,
    EdgeKind,
    Index,
    IndexedText,
    Layer,
    NodeKind,
    Property,
    Slots,
    VectorIndex,
    optional,
    starting,
)
from ..language import oneself
from ..texts import text
from ..verbs import limits, validators
from ..verbs.errors import InvalidMetadata, InvalidNumber, InvalidText, UnknownState
from .fade import ACTIVE, EXPIRED, MAX_LINK_DAYS, PRESERVING_TAGS, STATES, Fading

_MILLISECONDS: Final = 2**48 - 1
# Ids of one millisecond differ by the microsecond, and by random bits.
_MICROSECONDS: Final = 2**42 - 1
_CHANCE_BITS: Final = 32


def make_id(now_ms: int) -> str:
    """Return a new UUID of version 7 (RFC 9562), greater than those made before it.

    It begins with *now_ms* (unix ms), which a call may have set. Among ids of one *now_ms*, the
    later one is greater as long as the host's clock does not go back.
    """
    # Not imported: a reload would drop it, and with it all names that begin with "uuid".
    uuid = __import__("uuid")
    chance = uuid.uuid4().int & (2**_CHANCE_BITS - 1)
    rest = (time.time_ns() // 1_000 & _MICROSECONDS) << _CHANCE_BITS | chance
    high, low = rest >> 62, rest & (2**62 - 1)
    number = (max(0, now_ms) & _MILLISECONDS) << 80 | 7 << 76 | high << 64 | 2 << 62 | low
    return str(uuid.UUID(int=number))


def make_bound(now_ms: int) -> str:
    """Return what is less than every id that was made at *now_ms* or later, by time."""
    digits = f"{max(0, now_ms) & _MILLISECONDS:012x}"
    return f"{digits[:8]}-{digits[8:]}"


def item_id(scope: str, path: str) -> str:
    """Return the id of the value of *scope* at *path*, so that two writers of it conflict."""
    uuid = __import__("uuid")
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{scope}\x1f{path}"))


MARK: Final = "\x1fdeflate:"
# In characters; shorter content seldom shrinks.
WORTHWHILE: Final = 100
# No content has more bytes in UTF-8; a larger result means the layer never packed it.
_MOST_BYTES: Final = 4 * limits.MAX_CONTENT


def store_content(content: str) -> str:
    """Return *content* as a property of a memory that is not archived."""
    return pack(content) if content.startswith(MARK) else content


def archive_content(content: str) -> str:
    """Return *content* as a property of an archived memory: the shorter of both forms."""
    made = pack(content)
    return made if len(made) < len(content.encode()) else store_content(content)


def pack(content: str) -> str:
    compressed = zlib.compress(content.encode(), 9)
    return MARK + binascii.b2a_base64(compressed, newline=False).decode("ascii")


def is_packed(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(MARK)


def unpack(value: Any) -> Any:
    """Return the content of a property; a value that the layer never packed stays as it is."""
    if not is_packed(value):
        return value
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(binascii.a2b_base64(value[len(MARK) :]), _MOST_BYTES)
        return content.decode() if stream.eof else value
    except (ValueError, zlib.error):
        return value


MEMORY: Final = "Memory"

# The public name -> the edge type in the database.
RELATION_TYPES: Final = {
    name: name.upper()
    for name in (
        "references", "contradicts", "supports", "extends", "causes", "caused_by", "precedes",
        "follows", "part_of", "contains", "relates_to",
    )
}  # fmt: skip
# Other names for link types.
ALIASES: Final = {"related": "relates_to", "causal": "causes", "temporal": "precedes"}
DEFAULT_RELATION: Final = "relates_to"

DEFAULT_SOURCE: Final = "conversation"
DEFAULT_IMPORTANCE: Final = 0.7
DEFAULT_CONFIDENCE: Final = 1.0
DEFAULT_STRENGTH: Final = 0.5
DEFAULT_AMOUNT: Final = 0.1
# The least strength of a restated link.
RESTATED: Final = 0.5

# The most tags or concepts of a memory, and the depth and size of its metadata.
MAX_NAMES: Final = 100
MAX_DEPTH: Final = 8
MAX_VALUES: Final = 1_000
# Output rounds scores and strengths; the store does not.
DECIMALS: Final = 6
RECENT: Final = 20
FOUND: Final = 10
LISTED: Final = 100
MAX_ROWS: Final = 1_000
# A list counts at most so many memories of each state for its total.
MAX_COUNTED: Final = 1_000
# The worker writes a score that moved by so much, because each write is one for a backup, too.
MIN_SCORE_CHANGE: Final = 0.005
# Near-duplicates share so many terms and such a share of all terms of both, or have such a cosine.
# The rest bounds the compared texts, the reported ones, and the mentions read.
SIMILAR_TERMS: Final = 2
SIMILAR_OVERLAP: Final = 0.5
SIMILAR_COSINE: Final = 0.85
SIMILAR_COMPARED: Final = 50
SIMILAR_MENTIONS: Final = 300
MOST_SIMILAR: Final = 5
# So many memories of an answer count as together; each notes so many others, and a pair that was in
# so many answers is offered.
MOST_TOGETHER: Final = 8
MOST_NOTED_TOGETHER: Final = 16
OFTEN_TOGETHER: Final = 5
# The number of nearest vectors that count, and the highest total of matches.
SEARCH_DEPTH: Final = 100
# The nearest vectors count beside words; the cosines of so many others stand for all the rest.
NEAREST: Final = 200
SAMPLED: Final = 100
# A search filtered by state reads at most so many of the nearest vectors.
MAX_FILTERED: Final = 10_000
# A context has what has this share of the best score, and so many of the best in any case.
CONTEXT_LEAST: Final = 0.25
# Links are followed from so many of the best memories, so far, if they are so strong. A linked
# memory has half the relevance, times the link's strength.
CONTEXT_BEST: Final = 10
CONTEXT_HOPS: Final = 2
CONTEXT_STRENGTH: Final = 0.2
CONTEXT_FADING: Final = 0.5
CONTEXT_AMOUNT: Final = 0.1
# A text is placed by relevance / size ^ this: so a budget holds more answers.
CONTEXT_BREVITY: Final = 0.3
# The length of a memory's text without a summary.
BRIEF_CHARACTERS: Final = 280

# The directions in which links are followed.
BOTH: Final = "both"
OUTGOING: Final = "outgoing"
INCOMING: Final = "incoming"
DIRECTIONS: Final = (BOTH, OUTGOING, INCOMING)
BREADTH_FIRST: Final = "bfs"
DEPTH_FIRST: Final = "dfs"
STRATEGIES: Final = (BREADTH_FIRST, DEPTH_FIRST)
# The name of the way from a memory to its parent, which is no link and does not fade.
PARENT: Final = "parent_id"
MIN_WEIGHT_CONNECTED: Final = 0.1
DEFAULT_CONNECTED: Final = 10
MIN_WEIGHT_EXPLORED: Final = 0.2
DEFAULT_DEPTH_EXPLORED: Final = 2
DEFAULT_NODES_EXPLORED: Final = 20
DEFAULT_DEPTH_TRAVERSED: Final = 3
DEFAULT_NODES_TRAVERSED: Final = 100
DEFAULT_TOP: Final = 10
MAX_DEPTH_EXPLORED: Final = 10
MAX_DEPTH_TRAVERSED: Final = 5
MAX_NODES: Final = 1_000
MAX_BUDGET_MS: Final = 600_000
MAX_TOP: Final = 100
# In one walk, and in statistics over a whole scope.
MAX_LINKS_READ: Final = 1_000_000
MAX_LINKS_COUNTED: Final = 10_000_000

# The text of a value that no question finds: it has no word.
SILENT: Final = "…"

# Keys of the metadata that only the lifecycle writes.
HISTORY: Final = "history"
FORGOTTEN: Final = "forgotten"
UNLINKED: Final = "unlinked"
REVISIONS: Final = "revisions"
RESERVED: Final = (HISTORY, FORGOTTEN, UNLINKED, REVISIONS)
# Keys of the metadata of a message: the imports that brought it, and whether it was observed.
IMPORTS: Final = "imports"
OBSERVED: Final = "observed"
MAX_HISTORY: Final = 20
# A call on a memory reads so many that it replaced, one after the other.
MOST_REPLACED: Final = 20
# Each memory keeps so many of its earlier versions, the latest.
MAX_REVISIONS: Final = 10
# Each memory keeps so many removed links for `relink`, the latest.
MAX_UNLINKED: Final = 100


def checked_content(value: Any, field: str) -> str:
    """Return *value* unchanged if it is valid content of a memory, else raise InvalidText."""
    return text.long(value, field, limits.MAX_CONTENT)


def checked_path(value: Any, field: str) -> str:
    """Return *value*, names joined by "/", none of them empty. Raises InvalidText."""
    path = text.long(value, field, limits.MAX_PATH)
    if not all(path.split("/")):
        raise InvalidText(f"{field}: must not have an empty name")
    return path


def checked_value(value: Any, field: str) -> str:
    """Return *value*, a text of a program's making, which may be empty. Raises InvalidText."""
    return text.long(value, field, limits.MAX_VALUE, blank=True)


def checked_names(value: Any, field: str) -> list[str]:
    """Return *value*, a list of names, each once, in their order. Raises InvalidText."""
    if not isinstance(value, (list, tuple)):
        raise InvalidText(f"{field}: must be a list of texts")
    found = text.names(value, field)
    if len(found) > MAX_NAMES:
        raise InvalidText(f"{field}: {len(found)} are too many; at most {MAX_NAMES}")
    return found


def checked_metadata(value: Any, field: str) -> dict[str, Any]:
    """Return *value*, a map of JSON values without nulls. Raises InvalidMetadata.

    The lifecycle's keys are counted apart, so that they leave room for the caller's.
    """
    if not isinstance(value, Mapping):
        raise InvalidMetadata(f"{field}: must be a map")
    own = {key: one for key, one in value.items() if key not in RESERVED}
    reserved = {key: one for key, one in value.items() if key in RESERVED}
    made: dict[str, Any] = _checked_value(own, field, MAX_DEPTH, [MAX_VALUES])
    if reserved:
        made |= _checked_value(reserved, field, MAX_DEPTH, [MAX_VALUES])
    return made


def checked_relation(value: Any, field: str = "type") -> str:
    """Return the public name of the link type that *value* means. Raises InvalidText."""
    name = value.strip().lower() if isinstance(value, str) else value
    name = ALIASES.get(name, name) if isinstance(name, str) else name
    if name not in RELATION_TYPES:
        raise InvalidText(f"{field}: must be one of {', '.join(RELATION_TYPES)}")
    return str(name)


def checked_states(values: Any, field: str) -> list[str]:
    """Return *values*, a list of states. Raises UnknownState."""
    return [_state(value, field) for value in values]


def checked_strength(value: Any, field: str = "strength") -> float:
    """Return *value*, the first strength of a link, as a float in (0, 1]. Raises InvalidNumber."""
    if isinstance(value, (int, float)) and not value > 0:
        raise InvalidNumber(f"{field}: must be greater than 0, not {value:.6g}")
    return text.number(value, field, 0.0, 1.0)


def fading(get: Callable[[str], Any]) -> Fading:
    """Return the inputs of the score, without its links, of a memory whose properties *get* has."""
    importance, confidence = get("importance_score"), get("confidence")
    return Fading(
        importance=DEFAULT_IMPORTANCE if importance is None else importance,
        confidence=DEFAULT_CONFIDENCE if confidence is None else confidence,
        access_count=get("access_count"),
        accessed_at=max(get("accessed_at"), get("fades_from") or 0),
        rate=get("decay_rate"),
        tags=tuple(get("tags")),
        preserved_until=get("preserved_until"),
    )


def latest(properties: Mapping[str, Any]) -> int:
    """Return a key that is lower, the later a memory was created or accessed.

    An index is read upward, so the latest come first and no others are read. A memory told with an
    earlier time, and never accessed since, has that time in `accessed_at`: it counts as no access.
    """
    is_untouched = properties.get("said_at") is not None and not properties.get("access_count")
    names = ("created_at",) if is_untouched else ("created_at", "accessed_at")
    times = (properties.get(name) for name in names)
    return -max(time if isinstance(time, int) else 0 for time in times)


def derive_own(properties: Mapping[str, Any]) -> int | None:
    """Return a key of what is kept always, of what is about the user, and of house rules.

    The key is the lower, the later it was stored; what is kept always comes first. Other memories
    have none, nor have the messages of a conversation, whose "I" may be anybody.
    """
    created_at = properties.get("created_at")
    since = created_at if isinstance(created_at, int) else 0
    if not _PRESERVING.isdisjoint(properties.get("tags") or ()):
        return -since - _FIRST
    if properties.get("thread") is not None:
        return None
    said = properties.get("content")
    is_own = not oneself.KINDS.isdisjoint(map(str.casefold, properties.get("concepts") or ()))
    if not is_own and isinstance(said, str):
        is_own = oneself.is_of_user(said) or oneself.is_order(said)
    return -since if is_own else None


def derive_properties(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of a new memory that follow from its others."""
    made = {"latest": latest(properties), "own": derive_own(properties), **TAGGED.of(properties)}
    return {name: value for name, value in made.items() if value is not None}


def is_always(tags: Collection[str]) -> bool:
    """Tell by its tags whether a memory is kept always."""
    return not _PRESERVING.isdisjoint(tags)


_PRESERVING: Final = frozenset(PRESERVING_TAGS)
# The keys of what is kept always are lower than all others.
_FIRST: Final = 10 * limits.MAX_TIME_MS


def is_expired(get: Callable[[str], Any]) -> bool:
    """Tell by its properties whether a memory expired, and nobody forgot it."""
    if get("deleted_at") is None and get("state") != EXPIRED:
        return False
    metadata = get("metadata")
    if not isinstance(metadata, Mapping) or FORGOTTEN in metadata:
        return False
    history = metadata.get(HISTORY)
    last = history[-1] if isinstance(history, (list, tuple)) and history else None
    return isinstance(last, Mapping) and last.get("to") == EXPIRED


def is_forgotten(get: Callable[[str], Any]) -> bool:
    """Tell by its properties whether somebody forgot a memory."""
    is_gone = get("deleted_at") is not None or get("state") == EXPIRED
    return is_gone and not is_expired(get)


def _checked_value(value: Any, field: str, depth: int, budget: list[int]) -> Any:
    budget[0] -= 1
    if budget[0] < 0 or depth == 0:
        raise InvalidMetadata(
            f"{field}: at most {MAX_VALUES} values and {MAX_DEPTH - 1} maps in one another"
        )
    if isinstance(value, str):
        if len(value) > limits.MAX_CONTENT or not text.storable(value):
            raise InvalidMetadata(text.unstorable(field))
        return value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str) or not text.storable(key):
                raise InvalidMetadata(text.unstorable(field))
        items = value.items()
        return {
            key: _checked_value(one, field, depth - 1, budget)
            for key, one in items
            if one is not None
        }
    if isinstance(value, (list, tuple)):
        return [_checked_value(one, field, depth - 1, budget) for one in value if one is not None]
    return _checked_number(value, field)


def _checked_number(value: Any, field: str) -> bool | int | float:
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) <= limits.MAX_INTEGER:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise InvalidMetadata(f"{field}: must hold texts, numbers, booleans, lists and maps only")


def _rate(value: Any, field: str) -> float:
    return text.number(value, field, 0.0, 1e6)


def _link_days(value: Any, field: str) -> int:
    return text.integer(value, field, 0, MAX_LINK_DAYS)


def _state(value: Any, field: str) -> str:
    if value not in STATES:
        raise UnknownState(f"{field}: must be one of {', '.join(STATES)}")
    return str(value)


# Most memories have at most so many tags. Those of others are read to be found by a tag.
TAGGED: Final = Slots(
    MEMORY, "tags", ("tag1", "tag2", "tag3", "tag4", "tag5"), "more_tags", "deleted_at"
)

LAYER: Final = Layer(
    name="memories",
    nodes=(
        NodeKind(
            MEMORY,
            kind="memory",
            measure="memories",
            key=("id",),
            properties=(
                Property("id", text.name, absent=""),
                Property("user_id", text.user, absent=""),
                Property(
                    "content",
                    checked_content,
                    absent="",
                    stored=store_content,
                    read=unpack,
                ),
                optional("summary", text.summary),
                starting("source", text.name, DEFAULT_SOURCE),
                optional("type", text.name),
                starting("tags", checked_names, ()),
                starting("concepts", checked_names, ()),
                starting("metadata", checked_metadata, {}),
                starting("importance_score", validators.unit, DEFAULT_IMPORTANCE),
                starting("confidence", validators.unit, DEFAULT_CONFIDENCE),
                starting("access_count", validators.count, 0),
                Property("created_at", validators.time, NOW, absent=0),
                Property("accessed_at", validators.time, NOW, absent=0),
                # An imported memory whose last access is long ago fades from this time.
                optional("fades_from", validators.time),
                optional("decay_rate", _rate),
                starting("decay_score", validators.unit, DEFAULT_IMPORTANCE),
                Property("last_decay_update", validators.time, NOW, absent=0),
                starting("state", _state, ACTIVE),
                optional("preserved_until", validators.time),
                optional("parent_id", text.name),
                optional("embedding", validators.vector),
                optional("embedding_dimension", validators.dimension),
                optional("deleted_at", validators.time),
                # Set if it is one of several messages of a conversation.
                optional("thread", text.name),
                optional("position", validators.time),
                optional("speaker", text.name),
                optional("said_at", validators.time),
                # The user's words, from which the text was made.
                optional("said", text.summary),
                # The end of its validity, where another one replaced it.
                optional("valid_until", validators.time),
                # Since when a fact that it states is over, by a later word of the user's; the
                # sentences of forgotten and corrected facts, which are not quoted; and when the
                # fact was said that it corrects.
                optional("over_since", validators.time),
                optional("withheld", validators.texts),
                optional("corrects", validators.time),
                # When it was last said how long it matters, if that was said again.
                optional("kept_at", validators.time),
                # Set if a program keeps a value here (see `items`): where, what, and for how long
                # (ms) since it was used last.
                optional("path", checked_path),
                optional("value", checked_value),
                optional("changed_at", validators.time),
                optional("lapses_after", validators.count),
                optional("lapses_at", validators.time),
            ),
            text="content",
            scope="user_id",
            indexed=IndexedText(
                "content",
                also=("summary",),
                about="concepts",
                otherwise_at="created_at",
                heard="said",
            ),
            refers={"parent_id": MEMORY},
            derived={"latest": latest, "own": derive_own, **TAGGED.derived()},
            counted={"memories expired": is_expired, "memories forgotten": is_forgotten},
        ),
    ),
    edges=tuple(
        EdgeKind(
            edge_type,
            name,
            properties=(
                starting("strength", checked_strength, DEFAULT_STRENGTH),
                optional("created_at", validators.time, NOW),
                optional("last_strengthened", validators.time, NOW),
                # The number of days after its creation on which it was strengthened.
                optional("strengthened_days", _link_days),
                # Set if the source replaces the target: until when that was so.
                optional("until", validators.time),
                # Set if the source ends a fact that the target states: it goes with that end.
                optional("stated", validators.flag),
            ),
            sources=(MEMORY,),
            targets=(MEMORY,),
        )
        for name, edge_type in RELATION_TYPES.items()
    ),
    edge_kind="link",
    walked=(MEMORY,),
    indexes=(
        Index(MEMORY, ("id",), unique=True),
        # The worker scans a scope by it, and every call finds visible memories by it.
        Index(MEMORY, ("user_id", "id")),
        Index(MEMORY, ("user_id", "created_at")),
        Index(MEMORY, ("user_id", "said_at")),
        Index(MEMORY, ("user_id", "state", "latest", "id")),
        Index(MEMORY, ("user_id", "state", "source", "latest", "id")),
        Index(MEMORY, ("user_id", "state", "type", "latest", "id")),
        *(
            Index(MEMORY, ("user_id", name, "latest", "id"))
            for name in (*TAGGED.names, TAGGED.more)
        ),
        Index(MEMORY, ("user_id", "state", "own", "id")),
        Index(MEMORY, ("user_id", "deleted_at", "id")),
        Index(MEMORY, ("user_id", "parent_id")),
        Index(MEMORY, ("user_id", "thread", "position")),
        Index(MEMORY, ("user_id", "path")),
        Index(MEMORY, ("user_id", "lapses_at", "id")),
    ),
    slots=(TAGGED,),
    vectors=(
        VectorIndex(
            MEMORY, "embedding", ("summary", "content"), "embedding_dimension", "created_at"
        ),
    ),
)

KIND: Final = LAYER.kind(MEMORY)
