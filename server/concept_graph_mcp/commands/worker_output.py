"""Print the results of jobs, the changes of a dry run, and the worker's state."""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any

from rich.table import Table

from conceptgraph_core.jobs import schema

from ..printable import printable
from ..worker.lease_runner import Outcome
from .notes import note
from .terminal import narrow, out, say, wide

Row = dict[str, Any]

_SHOWN_TEXT = 100
_SHOWN = ("runs", *(name for name in schema.COUNTERS if name != "runs"))


def told(one: Outcome, dry_run: bool) -> Row:
    row: Row = {"job": one.job, "outcome": one.what, "duration_ms": one.duration_ms}
    row |= {"why": one.why} if one.why else {}
    row |= {"counts": one.counts or {}}
    return row | ({"dry_run": True, "changes": list(one.changes)} if dry_run else {})


def print_outcome(one: Outcome, dry_run: bool) -> None:
    """Print a job's changes, and the reasons; after a dry run the numbers go to stderr."""
    for row in one.changes:
        say(_change(one.job, row))
    line = f"{one.job}: {_counted(one.counts or {}) or 'nothing to do'}"
    (note if dry_run else say)(line)


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {value:,}" for name, value in counts.items())


def _change(job: str, row: Row) -> str:
    """Return a change as one line, because a table's last column has no room for the reasons."""
    text = " ".join(str(row.get("text") or row.get("memory_id") or "").split())
    shown = text if len(text) <= _SHOWN_TEXT else text[: _SHOWN_TEXT - 1] + "…"
    user = f" ({row['user_id']})" if row.get("user_id") else ""
    change = f"{row.get('from') or ''} → {row.get('to') or ''}"
    why = row.get("why") or row.get("error")
    return f"{job}{user}: {printable(shown)}: {change}" + (f" ({printable(why)})" if why else "")


def plain(row: Row) -> Row:
    return row | {"jobs": [dict(job) | {"counts": dict(job["counts"])} for job in row["jobs"]]}


def print_status(row: Row, zone: tzinfo) -> None:
    def time(value: int | None) -> str:
        return "" if value is None else f"{datetime.fromtimestamp(value / 1000, zone):%Y-%m-%d %X}"

    if row["paused"]:
        say("Work is paused; concept-graph-mcp worker resume lets it go on.")
    if row["holder"] is not None:
        say(f"{row['holder']} works, and has the lease until {time(row['lease_until'])}.")
    elif not row["paused"]:
        say("No job is running.")
    if not row["jobs"]:
        say("Nothing was ever done.")
        return
    columns = (narrow("job"), narrow("last run"), narrow("seconds"), wide("in all"))
    table = Table(*columns, wide("last error"), box=None, pad_edge=False)
    for job in row["jobs"]:
        took = "" if job["duration_ms"] is None else f"{job['duration_ms'] / 1000:,.3f}"
        counted = {name: job[name] for name in _SHOWN} | dict(job["counts"])
        did = _counted({name: value for name, value in counted.items() if value})
        table.add_row(job["job"], time(job["started_at"]), took, did, job["last_error"] or "")
    out.print(table)
