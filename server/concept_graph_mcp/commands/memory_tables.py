"""Print memories: as tables of 80 columns, and a single one line by line."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table

from conceptgraph_core.memories import schema

from ..session import Session
from .terminal import narrow, wide

Row = dict[str, Any]

# Rows of a preview before a purge, and characters of a text in a list.
SHOWN = 20
_CUT = 120
_LISTS = (schema.HISTORY, schema.UNLINKED)
_TIMES = ("created_at", "accessed_at", "deleted_at", "next_state_at")


def dated(session: Session, row: Mapping[str, Any]) -> Row:
    """Return *row* with its times (unix ms) in ISO 8601, of the session's zone."""
    times = {
        name: session.local(row[name]).isoformat(timespec="seconds")
        for name in _TIMES
        if row.get(name) is not None
    }
    return {**row, **times}


def listed_table(rows: list[Row]) -> Table:
    """Return dated rows of `list` as a table: the beginning of each text, its id, its state."""
    table = Table(wide("memory"), narrow("state"), narrow("accessed"))
    for row in rows:
        state = "forgotten" if row["forgotten"] else row["state"]
        if row["preserved"]:
            state += " *"
        table.add_row(shortened(said(row)), state, row["accessed_at"][:10])
        # An id has a line of its own, because a wrapped id cannot be copied.
        table.add_row(row["memory_id"])
    if any(row["preserved"] for row in rows):
        table.caption = "* preserved"
    return table


def said(row: Mapping[str, Any]) -> str:
    """Return the text of a list's row, preceded by its speaker."""
    return row["text"] if row["speaker"] is None else f"{row['speaker']}: {row['text']}"


def shortened(text: str) -> str:
    """Return the beginning of *text* for a list."""
    return text if len(text) <= _CUT else text[: _CUT - 1] + "…"


def told_lines(row: Mapping[str, Any], session: Session) -> Iterator[str]:
    """Iterate over the lines that print all of a memory, a dated row of `show` with its links."""
    yield from _lines(row["content"])
    yield ""
    for name in ("memory_id", "summary", "type", "source", "speaker", "parent_id"):
        if row[name]:
            yield f"{name}: {row[name]}"
    for name in ("tags", "concepts"):
        if row[name]:
            yield f"{name}: {', '.join(row[name])}"
    yield f"importance: {row['importance']:g}, confidence: {row['confidence']:g}"
    if row["decay_rate"] is not None:
        yield f"decay_rate: {row['decay_rate']:g} a day"
    yield f"created: {row['created_at']}"
    yield f"accessed: {row['accessed_at']}, {row['access_count']:,} times"
    yield _presence(row)
    yield from _noted(row, session)
    for link in row["links"]:
        way = "→" if link["direction"] == "outgoing" else "←"
        other = f"{link['text']} ({link['memory_id']})"
        yield f"{way} {link['relation']} {link['strength']:.2f}: {other}"
    if row["links_total"] > len(row["links"]):
        yield f"and {row['links_total'] - len(row['links']):,} links more"


def _lines(text: str) -> Iterator[str]:
    """Iterate over the lines of *text*, indented after the first so none looks like a field."""
    first, *others = text.replace("\r\n", "\n").split("\n")
    yield first
    for line in others:
        yield f"  {line}" if line else ""


def _noted(row: Mapping[str, Any], session: Session) -> Iterator[str]:
    """Iterate over the lines of a caller's metadata, and of the memory's own history."""
    for key, value in row["metadata"].items():
        noted = value if key in _LISTS else [value] if key == schema.FORGOTTEN else []
        try:
            lines = [_step(row["memory_id"], one, session) for one in noted]
        except (KeyError, TypeError, ValueError, OverflowError):
            # Created by hand in Cypher, or by another program.
            lines = []
        yield from lines or [f"metadata {key}: {value}"]


def _step(memory_id: str, one: Mapping[str, Any], session: Session) -> str:
    at = session.local(one["at"]).isoformat(timespec="seconds")
    if "strength" in one:
        left = f"strength {one['strength']:.2f}"
        again = f"memories relink {memory_id} {one['to']} --type {one['type']}"
        return f"{at}: unlinked {one['type']} {one['to']}, {left}; {again} brings it back"
    if "to" in one:
        return f"{at}: {one['from']} → {one['to']}, score {one['score']:.4g}"
    return f"{at}: forgotten" + (f": {one['reason']}" if one.get("reason") else "")


def _presence(row: Mapping[str, Any]) -> str:
    kept = "forgotten" if schema.FORGOTTEN in row["metadata"] else row["state"]
    state = f"state: {kept}, score {row['decay_score']:.4g}"
    if row["deleted_at"] is not None:
        return f"{state}; out of sight since {row['deleted_at']}; memories restore brings it back"
    if row["preserved"]:
        state += ", preserved"
    if row["next_state"]:
        state += f"; {row['next_state']} from {row['next_state_at']}"
    return state
