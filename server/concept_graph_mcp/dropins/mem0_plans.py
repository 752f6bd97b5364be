"""Check the arguments of mem0, plan its calls, and return its results."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from uuid import uuid4

from . import kept
from .kept import Plan, Row

Messages = str | Mapping[str, Any] | Sequence[Mapping[str, Any]]
Value = dict[str, Any]
UNSET: Final[Any] = object()

# The threshold of mem0's `search`, unless one is given.
LEAST_SCORE: Final = 0.1
_ROOT: Final = "mem0"
_SCOPES: Final = ("user_id", "agent_id", "run_id")
# The fields of a value that are fields of a memory, where they are set.
_PROMOTED: Final = (*_SCOPES, "actor_id", "role", "expiration_date")
# Between the parts of an id: its name, and the user whose memory it is.
_OF: Final = "@"


def check_scopes(**given: Any) -> dict[str, str]:
    """Return the ids that are *given*. Raises ValueError if there is none, or a wrong one."""
    found = {name: _check_id(given[name], name) for name in _SCOPES if given.get(name) is not None}
    if not found:
        raise ValueError("At least one of 'user_id', 'agent_id', or 'run_id' must be provided.")
    return found


def check_filters(
    filters: Mapping[str, Any] | None, others: Mapping[str, Any]
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the ids of *filters*, and its other conditions. Raises ValueError."""
    if wrong := sorted(set(_SCOPES) & others.keys()):
        raise ValueError(f"{wrong[0]}: pass it in filters={{'{wrong[0]}': '...'}}")
    if others:
        raise TypeError(f"unexpected argument {next(iter(others))!r}")
    given = dict(filters or {})
    if not given.keys() & set(_SCOPES):
        raise ValueError(
            "filters must contain at least one of: user_id, agent_id, run_id. "
            "Example: filters={'user_id': 'u1'}"
        )
    wanted = {name: one for name, one in given.items() if name not in _SCOPES}
    # Raises for an unknown operator, even where nothing is stored.
    _passes({}, wanted)
    return check_scopes(**given), wanted


def check_bounds(threshold: float | None, top_k: int) -> tuple[float, int]:
    """Return the least score and the most results. Raises ValueError."""
    least = LEAST_SCORE if threshold is None else threshold
    if not isinstance(least, (int, float)) or not 0 <= least <= 1:
        raise ValueError(f"Invalid threshold: {threshold}. Must be between 0 and 1 (inclusive).")
    if not isinstance(top_k, int) or isinstance(top_k, bool) or top_k < 0:
        raise ValueError(f"Invalid top_k: {top_k}. Must be a non-negative integer.")
    return least, top_k


def refuse_given(**given: Any) -> None:
    """Raise ValueError for an argument that only mem0 itself can take."""
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name}: is not supported here; leave it out")


def find_user(memory_id: str) -> str | None:
    """Return the user whose memory that is; None for the user of the store."""
    _, of, user = memory_id.partition(_OF)
    return user if of else None


def plan_adding(
    messages: Messages,
    scopes: Mapping[str, str],
    metadata: Mapping[str, Any] | None,
    expires: Any,
    *,
    infer: bool,
) -> Plan[list[Row]]:
    """Keep *messages* as values, each found by its text; return the results of mem0."""
    user = scopes.get("user_id")
    given = {name: one for name, one in (metadata or {}).items() if name not in _PROMOTED}
    until = _check_day(expires)
    there: set[str] = set()
    if infer:
        rows = yield [{"do": "find", "under": _ROOT, "where": dict(scopes)}]
        there = {_read(row)["hash"] for row in rows}
    steps, results = [], []
    for message in _read_messages(messages, infer, is_of_user=user is not None):
        said = kept.redact_text(message["content"])
        if infer and _hash(said) in there:
            continue
        there.add(_hash(said))
        name, now = str(uuid4()), datetime.now(UTC).isoformat()
        actor, role = message.get("name"), message["role"]
        value = {"data": said, "created_at": now, "updated_at": now, **scopes, "role": role}
        value |= {"actor_id": actor} if actor else {}
        value |= {"expiration_date": until} if until else {}
        value |= {"metadata": given, "history": [_change(None, said, "ADD", now)]}
        memory_id = name if user is None else f"{name}{_OF}{user}"
        steps.append(_step("append", name, value) | {"speaker": actor or role})
        result = {"id": memory_id, "memory": said, "event": "ADD"}
        results.append(result if infer else result | {"actor_id": actor, "role": role})
    yield steps
    return results


def plan_finding(
    scopes: Mapping[str, str], wanted: Mapping[str, Any], query: str | None
) -> Plan[list[Row]]:
    """Return the memories that pass, with a query only those that match it."""
    find = {"do": "find", "under": _ROOT, "where": dict(scopes), "query": query}
    rows = yield [find]
    found = []
    for row in rows:
        value = _read(row)
        if _passes({**value["metadata"], **value}, wanted):
            made = _item(row, value)
            if query is None:
                del made["score"]
            elif row["score"] is None:
                continue
            found.append(made)
    return found


def plan_getting(memory_id: str) -> Plan[Row | None]:
    rows = yield [{"do": "get", "path": _path(memory_id)}]
    return _item(rows[0], _read(rows[0])) if rows else None


def plan_updating(
    memory_id: str, text: str | None, metadata: Mapping[str, Any] | None, expires: Any
) -> Plan[None]:
    """Change a memory, unless somebody else changes it meanwhile."""
    if text is None and metadata is None and expires is UNSET:
        raise ValueError("At least one of text, metadata, or expiration_date must be provided.")
    row = yield from _existing(memory_id)
    value = _read(row)
    before, now = value["data"], datetime.now(UTC).isoformat()
    value["data"] = before if text is None else kept.redact_text(text)
    value["updated_at"] = now
    given = {name: one for name, one in (metadata or {}).items() if name not in _PROMOTED}
    value["metadata"] = {**value["metadata"], **given}
    if expires is not UNSET:
        value["expiration_date"] = _check_day(expires)
    value["history"] += [_change(before, value["data"], "UPDATE", now, value["created_at"])]
    yield [_step("put", memory_id, value) | {"was": row["changed_at"]}]


def plan_deleting(memory_id: str) -> Plan[None]:
    yield from _existing(memory_id)
    yield [{"do": "forget", "path": _path(memory_id)}]


def plan_deleting_all(scopes: Mapping[str, str]) -> Plan[None]:
    rows = yield [{"do": "find", "under": _ROOT, "where": dict(scopes)}]
    yield [{"do": "forget", "path": row["path"]} for row in rows]


def plan_history(memory_id: str) -> Plan[list[Row]]:
    rows = yield [{"do": "get", "path": _path(memory_id)}]
    value = _read(rows[0]) if rows else {"history": []}
    of = {"memory_id": memory_id, "is_deleted": False}
    by = {"actor_id": value.get("actor_id"), "role": value.get("role")}
    return [{"id": one["id"], **of, **one, **by} for one in value["history"]]


def _existing(memory_id: str) -> Plan[Row]:
    rows = yield [{"do": "get", "path": _path(memory_id)}]
    if not rows:
        raise ValueError(f"Memory with id {memory_id} not found")
    return rows[0]


def _path(memory_id: str) -> str:
    return kept.path(_ROOT, memory_id.partition(_OF)[0])


def _step(do: str, memory_id: str, value: Value) -> Value:
    """Return the step that keeps *value*, hashed; it lapses at the end of its last day."""
    value = {**value, "hash": _hash(value["data"])}
    name = memory_id.partition(_OF)[0]
    at = {"path": kept.path(_ROOT, name)} if do == "put" else {"under": _ROOT, "name": name}
    lasts = {}
    if value.get("expiration_date"):
        over = datetime.combine(date.fromisoformat(value["expiration_date"]), time(), UTC)
        left = over + timedelta(days=1) - datetime.now(UTC)
        lasts = {"lapses_after": max(1, left // timedelta(milliseconds=1))}
    text = kept.readable(value["data"])
    encoded = kept.encode_value(value)
    return {"do": do, **at, "value": encoded, "text": text, "source": _ROOT, **lasts}


def _read(row: Row) -> Value:
    value: Value = json.loads(row["value"])
    return value


def _item(row: Row, value: Value) -> Row:
    """Return a memory in the form of mem0; its score is between 0 and 1."""
    user, name = value.get("user_id"), kept.names(row["path"])[-1]
    score = row["score"]
    return {
        "id": name if user is None else f"{name}{_OF}{user}",
        "memory": value["data"],
        "hash": value["hash"],
        "metadata": value["metadata"] or None,
        # A result has passed the bar of the search, and mem0 leaves out those below its own.
        "score": None if score is None else (score + LEAST_SCORE) / (score + 1),
        "created_at": value["created_at"],
        "updated_at": value["updated_at"],
        **{one: value[one] for one in _PROMOTED if value.get(one) is not None},
    }


def _change(before: str | None, after: str, event: str, now: str, first: str = "") -> Row:
    return {
        "id": str(uuid4()),
        "old_memory": before,
        "new_memory": after,
        "event": event,
        "created_at": first or now,
        "updated_at": now,
    }


def _read_messages(
    messages: Messages, infer: bool, *, is_of_user: bool
) -> Iterator[Mapping[str, Any]]:
    """Iterate over the messages to keep: no model chooses, so a role does."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    roles = {"user"} if infer and is_of_user else {"user", "assistant"}
    each = [messages] if isinstance(messages, Mapping) else messages
    if not isinstance(each, Sequence):
        raise ValueError("messages must be str, dict, or list[dict]")
    for one in each:
        if not isinstance(one, Mapping) or not isinstance(one.get("content"), str):
            continue
        if not one["content"].strip():
            continue
        if one.get("role") in roles:
            yield one


def _hash(said: str) -> str:
    # mem0's own, which names a text and protects nothing.
    return hashlib.md5(said.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def _check_id(value: Any, name: str) -> str:
    trimmed = str(value).strip()
    if not trimmed or any(one.isspace() for one in trimmed):
        raise ValueError(f"Invalid {name}: must be a text without whitespace, and not empty.")
    return trimmed


def _check_day(value: Any) -> str | None:
    if isinstance(value, datetime):
        value = value.date()
    try:
        return None if value is None else date.fromisoformat(str(value)).isoformat()
    except ValueError:
        raise ValueError("expiration_date must be a valid date in YYYY-MM-DD format.") from None


_OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "eq": lambda one, other: bool(one == other),
    "ne": lambda one, other: bool(one != other),
    "gt": lambda one, other: bool(one > other),
    "gte": lambda one, other: bool(one >= other),
    "lt": lambda one, other: bool(one < other),
    "lte": lambda one, other: bool(one <= other),
    "in": lambda one, other: one in other,
    "nin": lambda one, other: one not in other,
    "contains": lambda one, other: other in one,
    "icontains": lambda one, other: str(other).casefold() in str(one).casefold(),
}


def _passes(fields: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Tell whether *fields* pass the conditions of mem0. Raises ValueError."""
    for name, one in wanted.items():
        if name in {"AND", "OR", "NOT"}:
            if not isinstance(one, list):
                raise ValueError(f"{name} operator requires a list of conditions")
            each = [_passes(fields, condition) for condition in one]
            if not {"AND": all(each), "OR": any(each), "NOT": not any(each)}[name]:
                return False
        elif not _compares(fields.get(name), one):
            return False
    return True


def _compares(value: Any, wanted: Any) -> bool:
    if wanted == "*":
        return value is not None
    if not isinstance(wanted, Mapping):
        return bool(value == wanted)
    for name in wanted:
        if name not in _OPERATORS:
            raise ValueError(f"Unsupported metadata filter operator: {name}")
    try:
        return all(_OPERATORS[name](value, one) for name, one in wanted.items())
    except TypeError:
        # A value without an order or parts passes no such condition.
        return False
