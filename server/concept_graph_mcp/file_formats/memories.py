"""Convert memories of other programs into our records: times, scores, links, vectors.

Both source formats are read alike, each row under our names of its columns. Scores and states are
computed at the time of the import. Old memories decay from a later time, like ingested messages;
otherwise the first nights would expire the whole import.
"""

import json
import math
import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from conceptgraph_core import limits
from conceptgraph_core.errors import ConceptGraphError
from conceptgraph_core.memories import fade, schema
from conceptgraph_core.text import kind

from .lines import FormatError, Naming, Record, Tally, shorten_key

# The default embedding of a file's vectors.
UNKNOWN_MODEL: Final = "an unknown model"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Larger numbers of seconds would be milliseconds.
_MOST_SECONDS = 100_000_000_000
_LEAST_STRENGTH = 1e-6
_UNTIL = ("preserved_until", "preserve_until", "until")
_TIMES = ("created_at", "accessed_at", "deleted_at")
_NUMBERS = ("importance_score", "confidence", "decay_rate")
_TEXTS = ("id", "summary", "source", "type", "parent_id")
_TYPES_NAMED = 20


class Memories:
    """The memories and links of one file; `tally` counts changed and omitted ones."""

    def __init__(self, naming: Naming, tally: Tally) -> None:
        self._naming = naming
        self._tally = tally
        self._embedding = naming.embedding
        # The user of each memory, by its id.
        self._users: dict[str, str] = {}
        self._others: Counter[str] = Counter()

    def memory(self, place: str, row: Mapping[str, Any]) -> Iterator[Record]:
        """Iterate over the records of *row*, a memory, if it has a text.

        Raises FormatError, which names *place*.
        """
        if isinstance(row.get("content"), str) and not row["content"].strip():
            self._tally.left_out("memories without a text", shorten_key(str(row.get("id"))))
            return
        given: Record = {name: _text(place, name, row.get(name)) for name in _TEXTS}
        given |= {name: _number(place, name, row.get(name)) for name in _NUMBERS}
        given |= {name: _time(place, name, row.get(name)) for name in _TIMES}
        metadata = _map(place, row.get("metadata"))
        given |= {
            "user_id": _text(place, "user_id", row.get("user_id")) or self._naming.user_id,
            "content": _content(row.get("content")),
            "tags": _names(row.get("tags")),
            "access_count": _count(place, row.get("access_count")),
            "metadata": metadata,
            "preserved_until": self._read_end_of_preservation(metadata),
        }
        record = _convert_record(
            place, {name: one for name, one in given.items() if one is not None}
        )
        self._users[record["id"]] = record["user_id"]
        self._tell_of(record["user_id"])
        vector = self._vector(row.get("embedding"))
        if vector is not None:
            if self._embedding is None:
                self._embedding = UNKNOWN_MODEL, len(vector)
                model = {"model": UNKNOWN_MODEL, "dimension": len(vector)}
                yield {"kind": "embedding", "use": "texts", **model}
            record |= {"embedding": vector, "embedding_dimension": len(vector)}
        yield {"kind": "memory", **self._living(record)}

    def link(self, place: str, row: Mapping[str, Any]) -> Iterator[Record]:
        """Iterate over the record of *row*, a link, if it is a valid one. Raises FormatError."""
        source, target = (_text(place, name, row.get(name)) for name in ("from", "to"))
        if source is None or target is None:
            raise FormatError(f"{place}: {'to' if source else 'from'}: is missing")
        if source == target:
            self._tally.left_out("links of a memory to itself", shorten_key(source))
            return
        if self._users and not {source, target} <= self._users.keys():
            missing = target if source in self._users else source
            self._tally.left_out(
                "links to memories that the file does not have", shorten_key(missing)
            )
            return
        if self._users.get(source) != self._users.get(target):
            self._tally.left_out("links between memories of two users", shorten_key(source))
            return
        record: Record = {"kind": "link", "from": source, "to": target}
        record["type"] = self._relation(_text(place, "type", row.get("type")))
        record["strength"] = self._strength(_number(place, "strength", row.get("strength")))
        for name in ("created_at", "last_strengthened"):
            at = _time(place, name, row.get(name))
            at = record.get("created_at", self._naming.now_ms) if at is None else at
            record[name] = at
        yield record

    def _living(self, record: Record) -> Record:
        """Return *record* with its current score and state."""
        now_ms = self._naming.now_ms
        record.setdefault("created_at", now_ms)
        # A memory that was never accessed counts as accessed at its creation.
        record.setdefault("accessed_at", record["created_at"])
        fading = fade.Fading(
            importance=record.get("importance_score", schema.DEFAULT_IMPORTANCE),
            confidence=record.get("confidence", schema.DEFAULT_CONFIDENCE),
            access_count=record.get("access_count", 0),
            accessed_at=record["accessed_at"],
            rate=record.get("decay_rate"),
            tags=tuple(record.get("tags", ())),
            preserved_until=record.get("preserved_until"),
        )
        later: Record = {}
        if "deleted_at" not in record:
            since = fade.fading_since(fading.accessed_at, fading, now_ms, self._naming.decay)
            if since > fading.accessed_at:
                later["fades_from"] = since
                fading = fading._replace(accessed_at=since)
        score, state = fade.now(fading, now_ms, self._naming.decay)
        if "deleted_at" in record:
            state = fade.EXPIRED
        elif state == fade.EXPIRED:
            state = fade.ARCHIVED
        living = {"decay_score": score, "state": state, "last_decay_update": now_ms}
        return record | living | later

    def _read_end_of_preservation(self, metadata: dict[str, Any]) -> int | None:
        """Return the end of a memory's preservation, which its metadata may hold."""
        for name in _UNTIL:
            if metadata.get(name) is not None:
                try:
                    return _time("", name, metadata[name])
                except FormatError:
                    self._tally.left_out("dates of preservation that are none", name)
        return None

    def _relation(self, given: str | None) -> str:
        if given is None:
            return schema.DEFAULT_RELATION
        name = given.strip().lower().replace("-", "_").replace(" ", "_")
        name = schema.ALIASES.get(name, name)
        if name in schema.RELATION_TYPES:
            return name
        self._others[given] += 1
        named = shorten_key(given) if len(self._others) <= _TYPES_NAMED else "other types"
        self._tally.count_changed(f"links of type {named} to {schema.DEFAULT_RELATION}")
        return schema.DEFAULT_RELATION

    def _strength(self, given: float | None) -> float:
        strength = schema.DEFAULT_STRENGTH if given is None else given
        if 0 < strength <= 1:
            return strength
        self._tally.count_changed("strengths into the range from 0 to 1", f"{strength:g}")
        return min(1.0, max(_LEAST_STRENGTH, strength))

    def _vector(self, value: Any) -> list[float] | None:
        if value is None:
            return None
        vector = _floats(value)
        if vector is None:
            self._tally.left_out("vectors that cannot be read")
        elif self._embedding not in {None, (UNKNOWN_MODEL, len(vector))}:
            self._tally.left_out("vectors of another embedding; embed makes them anew")
        else:
            return vector
        return None

    def _tell_of(self, user_id: str) -> None:
        if user_id != self._naming.user_id:
            whose = shorten_key(user_id)
            self._tally.count_other(f"memories of user {whose}, for CONCEPT_GRAPH_USER")


def _convert_record(place: str, record: Record) -> Record:
    """Return *record* with each value converted to our type. Raises FormatError."""
    if "id" not in record or "content" not in record:
        raise FormatError(f"{place}: {'content' if 'id' in record else 'id'}: is missing")
    try:
        return {
            name: schema.KIND.declared(name).check(value, name) for name, value in record.items()
        }
    except ConceptGraphError as error:
        raise FormatError(f"{place}: {error}") from None


def _text(place: str, name: str, value: Any) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise FormatError(f"{place}: {name}: must be text, not {kind(value)}")
    return str(value)


def _content(value: Any) -> Any:
    """Return a content as text; one source program stores it as JSON."""
    if isinstance(value, dict) and set(value) == {"text"} and isinstance(value["text"], str):
        return value["text"]
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    return value


def _number(place: str, name: str, value: Any) -> float | None:
    if value is None or value == "":
        return None
    try:
        # PostgreSQL's NUMERIC arrives as a text.
        number = float(value) if isinstance(value, (str, int, float)) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise FormatError(f"{place}: {name}: must be a number, not {shorten_key(str(value))}")
    return number


def _count(place: str, value: Any) -> int | None:
    number = _number(place, "access_count", value)
    return None if number is None else int(number)


def _time(place: str, name: str, value: Any) -> int | None:
    """Return a time as unix ms: ISO 8601, by default in UTC, or a number of s or ms."""
    if value is None or value == "":
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number = _number(place, name, value) or 0.0
        return int(number if abs(number) > _MOST_SECONDS else number * 1000)
    try:
        moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None:
        raise FormatError(f"{place}: {name}: must be a time, not {shorten_key(str(value))}")
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def _names(value: Any) -> list[str] | None:
    """Return tags: a list, JSON of one, PostgreSQL's {a,b}, or texts with commas between them."""
    found = value
    if isinstance(value, str):
        try:
            found = json.loads(value)
        except ValueError:
            found = value.strip("{}").split(",")
    if isinstance(found, (str, int, float)):
        found = [found]
    if not isinstance(found, (list, tuple)):
        return None
    texts = [str(one).strip().strip('"') for one in found if one is not None]
    return [text for text in texts if text] or None


def _map(place: str, value: Any) -> dict[str, Any]:
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except ValueError:
            raise FormatError(f"{place}: metadata: is not JSON") from None
    if value is None or value == "":
        return {}
    if not isinstance(value, dict):
        raise FormatError(f"{place}: metadata: must be a map, not {kind(value)}")
    return value


def _floats(value: Any) -> list[float] | None:
    """Return a vector: a list, JSON of one, or 32-bit floats; None for anything else."""
    if isinstance(value, bytes) and len(value) % 4 == 0 and value[:1] != b"[":
        value = list(struct.unpack(f"<{len(value) // 4}f", value))
    if isinstance(value, (str, bytes)):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    if not isinstance(value, list) or not 0 < len(value) <= limits.MAX_DIMENSION:
        return None
    if not all(isinstance(one, (int, float)) for one in value):
        return None
    try:
        numbers = [float(one) for one in value]
    except OverflowError:
        return None
    return numbers if all(map(math.isfinite, numbers)) and any(numbers) else None
