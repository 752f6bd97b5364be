"""Print entities: as tables of 80 columns, and a single one line by line."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table

from conceptgraph_core.entities import schema

from ..session import Session
from .formatting import figure
from .terminal import narrow, wide

Row = dict[str, Any]

_CUT = 200
# Leaves room for an id in the same row.
_KIND = 20
_TIMES = frozenset(
    ("last_activated", "created_at", "unmerged_at", "valid_from", "valid_until", "known_from")
)


def dated(session: Session, value: Any) -> Any:
    """Return *value* with its times (unix ms) in ISO 8601, in the session's zone, at any depth."""
    if isinstance(value, list | tuple):
        return [dated(session, one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: session.local(one).isoformat(timespec="seconds")
        if key in _TIMES and isinstance(one, int)
        else dated(session, one)
        for key, one in value.items()
    }


def listed_table(rows: list[Row]) -> Table:
    """Return dated rows of `list` as a table: the label and id of each, its status, its trust."""
    table = Table(wide("entity"), narrow("type, status"), narrow("trust, last"))
    for row in rows:
        marks = f"{'' if row['is_active'] else ' †'}{' *' if row['inferred'] else ''}"
        kind = _cut(row["kind"] or row["type"], _KIND)
        table.add_row(row["label"], kind, figure(row["trust"]))
        # An id has a line of its own, because a wrapped id cannot be copied.
        table.add_row(row["entity_id"], row["status"] + marks, row["last_activated"][:10])
    said = []
    if any(row["inferred"] for row in rows):
        said.append("* the user never mentioned it")
    if any(not row["is_active"] for row in rows):
        said.append("† set aside; a mention revives it")
    table.caption = " · ".join(said) or None
    return table


def merges_table(rows: list[Row]) -> Table:
    """Return dated rows of the ledger as a table: merge, reason, and whether it is in force."""
    table = Table(wide("merge"), narrow("by, since"), narrow("in force"))
    for row in rows:
        state = "yes" if row["is_active"] else "claimed"
        if row["unmerged_at"] is not None:
            state = f"until {row['unmerged_at'][:10]}"
        table.add_row(merged(row), row["by"], state)
        table.add_row(row["merge_id"], row["created_at"][:10])
        table.add_row(_cut(row["reason"] or ""))
    return table


def merged(row: Mapping[str, Any]) -> str:
    if row["action"] == schema.MERGE_ACTION:
        return f"{row['source']} → {row['target']}"
    if row["action"] == schema.APART_ACTION:
        return f"{row['source']} ≠ {row['target']}"
    return f"{row['action']}: {row['source']}"


def told_lines(row: Mapping[str, Any]) -> Iterator[str]:
    """Iterate over the lines that print all of an entity, a dated row of `get`."""
    yield ", also ".join(row["labels"])
    yield ""
    yield f"entity_id: {row['entity_id']}"
    yield f"type: {row['type']}" + (f", {row['kind']}" if row["kind"] else "")
    yield f"status: {row['identity_status']}" + ("" if row["is_active"] else ", set aside")
    if row["valid_until"] is not None:
        yield f"ended: {row['valid_until'][:10]}"
    yield _said(row)
    yield f"trust: {figure(row['trust'])}; activation: {row['activation']:.2f}"
    for fact in row["facts"]:
        yield f"fact: {_fact(fact)} ({fact['fact_id']}, {_origin(fact['origin'])})"
    for conflict in row["conflicts"]:
        yield f"conflict: {_conflict(conflict)}"
    for edge in row["edges"]:
        yield _edge(edge)
    yield from map(_mention, row["mentions"])
    for merge in row["merges"]:
        undone = "only claimed" if merge["is_claim"] else "taken back"
        state = "in force" if merge["is_active"] else undone
        done = f"{merge['action']} {merge['merge_id']}: {state}, by {merge['by']}"
        yield f"{done}: {_cut(merge['reason'] or '')}"


def moved_lines(row: Mapping[str, Any]) -> Iterator[str]:
    """Iterate over the lines that list what a split of a dated row of `get` would move."""
    yield f"Would move {len(row['mentions']):,} mentions and {len(row['facts']):,} facts:"
    yield from map(_mention, row["mentions"])
    for fact in row["facts"]:
        yield f"fact: {_fact(fact)} ({fact['fact_id']})"


def _mention(row: Mapping[str, Any]) -> str:
    context = _cut(row["context"] or row["label"])
    return f"{row['created_at'][:10]} {_origin(row['origin'])}: {context} ({row['mention_id']})"


def _said(row: Mapping[str, Any]) -> str:
    parts = row["trust_parts"]
    counts = f"mentions: {parts['user_mentions']:,} by the user"
    counts += f" in {parts['user_sessions']:,} sessions, {parts['model_mentions']:,} by the model"
    return counts + ("; the user never mentioned it" if row["inferred"] else "")


def _origin(origin: str) -> str:
    return "the user" if origin == "user" else "inferred"


def _fact(fact: Mapping[str, Any]) -> str:
    value = fact.get("value") or fact.get("object_id")
    times = [
        f"{word} {fact[key][:10]}"
        for word, key in (("since", "valid_from"), ("until", "valid_until"))
        if isinstance(fact.get(key), str)
    ]
    return " ".join([f"{fact['predicate']} is {value}", *times])


def _conflict(conflict: Mapping[str, Any]) -> str:
    """Return a line on two facts that contradict each other, or on an observed contradiction."""
    if "fact_ids" not in conflict:
        told = f"contradicts {conflict['label']} ({conflict['entity_id']})"
        return told + (f": {_cut(conflict['evidence'])}" if conflict.get("evidence") else "")
    either = " or ".join(_cut(str(value)) for value in conflict["values"])
    return f"{conflict['predicate']} is {either} ({', '.join(conflict['fact_ids'])})"


def _edge(edge: Mapping[str, Any]) -> str:
    way = {"to": "→", "from": "←"}.get(edge.get("direction", ""), "–")
    state = f", {edge['status']}" if "status" in edge else ""
    axes = ", ".join(f"{name} {edge[name]:.2f}" for name in ("weight", "strength", "recency"))
    active = "" if edge["is_active"] else "; not active"
    kind = edge["type"].replace("_", " ")
    return f"{way} {kind}{state} {edge['label']}: {axes}, trust {edge['trust']:.2f}{active}"


def _cut(text: str, most: int = _CUT) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
