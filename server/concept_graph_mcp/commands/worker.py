"""Run due jobs (`worker`)."""

import dataclasses
import logging
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

import anyio
import click

from conceptgraph_core.jobs import schema

from .. import calls, settings
from ..errors import StoreError, one_line
from ..hosts.lazy import connect
from ..logs import Lines
from ..printable import printable
from ..session import Session
from ..settings import Settings
from ..worker import along, service
from ..worker.job import Job
from ..worker.lease_runner import DONE, FAILED, LeaseRunner, Outcome
from .common import (
    AS_JSON,
    FILE,
    Failure,
    configured,
    in_each_store,
    names_user,
    need_extra,
    note,
    print_columns,
    print_json,
    progress,
    say,
    with_session,
)

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
    rows = [("job", "last run", "seconds", "in all", "last error")]
    for job in row["jobs"]:
        took = "" if job["duration_ms"] is None else f"{job['duration_ms'] / 1000:,.3f}"
        counted = {name: job[name] for name in _SHOWN} | dict(job["counts"])
        did = _counted({name: value for name, value in counted.items() if value})
        rows.append((job["job"], time(job["started_at"]), took, did, job["last_error"] or ""))
    print_columns(rows)


_BEFORE = """Run the jobs that are due: fade memories, consolidate entities, compute vectors.

Without --once it runs until SIGTERM or Ctrl-C, and stops between two batches. Its jobs, with
their schedules in the time zone TZ:

\b"""
_AFTER = """Any number of workers may run on one store; only one is active. `pause` stops them all
until `resume`; `status` names the active worker and the last runs."""
_ACTIONS = ("pause", "resume", "status")


def _help() -> str:
    width = max(len(job.name) for job in along.JOBS)
    jobs = [f"  {job.name:{width}}  {job.in_words}:\n    {job.does}" for job in along.JOBS]
    return "\n".join((_BEFORE, *jobs, "\n" + _AFTER))


@click.command(help=_help())
@click.argument("what", metavar="[pause|resume|status|JOB...]", nargs=-1)
@click.option("--once", is_flag=True, help="Run the named jobs, or all, and exit.")
@click.option("--dry-run", is_flag=True, help="Only print what they would change now, and why.")
@click.option(
    "--batch",
    type=click.IntRange(1, schema.MAX_BATCH),
    default=schema.BATCH,
    show_default=True,
    help="The number of memories per transaction.",
)
@click.option(
    "--retention",
    metavar="DAYS",
    help="Permanently delete memories forgotten or expired longer ago than this; default: never.",
)
@click.option(
    "--metrics", metavar="FILE", type=FILE, help="Write counters to FILE, for Prometheus."
)
@click.option("--log", type=click.Choice(["text", "json"]), default="text", help="How to log.")
@AS_JSON
@click.pass_obj
def worker(
    embedded: str | None,
    /,
    what: tuple[str, ...],
    *,
    once: bool,
    dry_run: bool,
    batch: int,
    retention: str | None,
    metrics: Path | None,
    log: str,
    as_json: bool,
) -> None:
    """Run jobs by the clock, or once; or pause, resume and show work."""
    if what and what[0] in _ACTIONS and not (once or dry_run):
        _act(embedded, what, as_json)
        return
    if metrics is not None:
        need_extra("--metrics", "http", "prometheus_client")
    # Its jobs write nearly all that they read.
    chosen = dataclasses.replace(configured(embedded, whole=True), read_uris=())
    if retention is not None:
        chosen = dataclasses.replace(chosen, retention_ms=settings.retention(retention))
    if once or dry_run:
        jobs, shown = _named(what, chosen), {"dry_run": dry_run, "as_json": as_json}
        if (metrics is not None or as_json) and chosen.per_user is not None and not names_user():
            raise Failure(
                "--metrics and --json are for one store; set CONCEPT_GRAPH_USER to one of the users"
            )
        in_each_store(chosen, lambda one: _once(one, jobs, batch=batch, metrics=metrics, **shown))
        return
    if chosen.per_user is not None and not names_user():
        raise Failure(
            f"{chosen.per_user}: has a file for each user; serve runs their jobs itself, and"
            " worker --once those of all files"
        )
    if what:
        raise click.UsageError(f"{what[0]}: jobs are named after --once; or pause, resume, status")
    if as_json:
        raise click.UsageError("--json is for --once, --dry-run and status; --log json for the log")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines(log == "json"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    service.logger.setLevel(logging.INFO)
    _serve(chosen, batch, metrics)


def _named(names: Sequence[str], chosen: Settings) -> list[Job]:
    """Return the jobs called *names*, or all that are configured. Raises Failure."""
    known = {job.name: job for job in along.JOBS}
    for name in names:
        if name not in known:
            raise click.UsageError(f"there is no job {name!r}; known are {', '.join(known)}")
        if missing := known[name].missing(chosen):
            raise Failure(f"{name}: {missing}")
    if names:
        return [known[name] for name in dict.fromkeys(names)]
    return along.choose_configured(chosen)


def _serve(chosen: Settings, batch: int, metrics: Path | None) -> None:

    told: list[bool] = []

    async def work(session: Session) -> None:
        working = LeaseRunner(session, chosen, batch, lambda: bool(told))
        jobs = along.choose_configured(chosen)
        await service.serve(working, jobs, metrics, lambda: told.append(True))

    # The store may start later, and go away and come back.
    _with_store(chosen, work, opening=False)


def _once(
    chosen: Settings,
    jobs: Sequence[Job],
    *,
    batch: int,
    dry_run: bool,
    metrics: Path | None,
    as_json: bool,
) -> None:
    outcomes: list[Outcome] = []

    async def work(session: Session) -> Row:
        working = LeaseRunner(session, chosen, batch)
        for job in jobs:
            try:
                # On a terminal it says what it is at.
                with progress(f"{job.name}: {job.does}", None) as tell:
                    working.telling = lambda counts: tell(counts.get("processed", 0))
                    outcome = await (working.rehearse if dry_run else working.run)(job)
            except StoreError as error:
                outcomes.append(Outcome(job.name, FAILED, str(error)))
                raise Failure(f"{job.name}: {one_line(error)}") from error
            outcomes.append(outcome)
            if not as_json:
                print_outcome(outcome, dry_run)
            if outcome.what != DONE:
                break
        return await working.status()

    try:
        status = _with_store(chosen, work)
    finally:
        # Changes made before a job failed stay.
        if as_json and outcomes:
            print_json([told(one, dry_run) for one in outcomes])
    if dry_run and not as_json:
        note("That is what would be done; nothing was changed.")
    if metrics is not None:
        from ..worker import metrics as files

        try:
            files.write(metrics, status)
        except OSError as error:
            # The system's error names the temporary file.
            raise Failure(f"{metrics}: {error.strerror}; no counters were written") from error
    for one in outcomes:
        if one.what != DONE:
            raise Failure(f"{one.job}: not run to its end: {one.why}")


def _with_store(
    chosen: Settings, work: Callable[[Session], Awaitable[Any]], opening: bool = True
) -> Any:
    async def main() -> Any:
        store = connect(chosen)
        session = Session.of(store, chosen)
        try:
            if opening:
                await store.open()
            return await work(session)
        finally:
            await store.close()
            if session.embedding is not None:
                await session.embedding.close()

    return anyio.run(main)


def _act(embedded: str | None, what: Sequence[str], as_json: bool) -> None:
    """Pause or resume the worker, or only print its state."""
    action, *more = what
    if more:
        raise click.UsageError(f"{more[0]}: {action} takes no argument")
    call = {
        "pause": calls.memories.worker_pause(True),
        "resume": calls.memories.worker_pause(False),
        "status": calls.memories.worker_status(),
    }[action]

    async def work(session: Session) -> tuple[Row, Any]:
        [row] = await session.run(call)
        return row, session.zone

    row, zone = with_session(embedded, work)
    if as_json:
        print_json(plain(row))
    else:
        print_status(row, zone)
