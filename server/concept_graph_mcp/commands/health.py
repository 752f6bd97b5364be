"""Count what is stored, and find what is wrong with it (`stats`, `check`, `doctor`)."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import anyio
import click

from conceptgraph_core.texts import dates

from .. import calls, health, overdue
from ..clients.changes import states
from ..errors import REPAIR, NoStore, StoreError
from ..health import Finding, problems
from ..hosts.lazy import open_store
from ..hosts.sqlite.opening import no_store
from ..hosts.store import Keeper
from ..session import Session
from ..settings import Settings
from .common import (
    AS_JSON,
    configured,
    each_store,
    in_each_store,
    in_session,
    note,
    print_columns,
    print_json,
    say,
    waiting,
    with_keeper,
)

Row = dict[str, Any]


@click.command()
@AS_JSON
@in_session
async def stats(session: Session, as_json: bool) -> None:
    """Print how much of what is in the store."""
    with waiting("counting"):
        rows, advice = await session.run(calls.transfer.stats()), await overdue.advice(session)
    if advice is not None:
        note(advice)
    if as_json:
        print_json({row["measure"]: row["value"] for row in rows})
        return
    there = [row for row in rows if row["value"]]
    if there:
        print_columns([(row["measure"], shown_measure(row)) for row in there])
    else:
        say("Nothing is stored yet.")


def shown_measure(row: Row) -> str:
    """Return the value of a row of `stats` for people: times as UTC dates."""
    value = row["value"]
    if row["kind"] == "time":
        return f"{dates.moment(value):%Y-%m-%d %H:%M:%S} UTC" if value else "-"
    return f"{value:,}"


# The elements that one transaction mends.
_BATCH = 1_000


@click.command()
@click.option(
    "--mend",
    is_flag=True,
    help="First give nodes from Cypher by hand the user that they lack, and index what is not.",
)
@click.option(
    "--owner",
    metavar="USER",
    help="With --mend: the user of memories and entities without one; concepts become shared.",
)
@AS_JSON
@click.pass_context
def check(ctx: click.Context, as_json: bool, mend: bool, owner: str | None) -> None:
    """Print the problems of the graph and how to fix them; exit 1 if there are any.

    For Memgraph, also print the Cypher that fixes each problem, to paste into Lab.
    """
    if owner is not None and not mend:
        raise click.UsageError("--owner is for --mend")
    chosen = configured(ctx.obj, whole=True)
    if mend:
        in_each_store(chosen, lambda one: _mend(one, owner))
    with waiting("checking every node and relation"):
        rows = _problems(chosen)
    if as_json:
        print_json({"problems": rows})
    elif rows:
        for row in rows:
            of = ": ".join(filter(None, (row.get("store"), row["subject"])))
            say(f"{row['problem']}: {of}; {row['advice']}")
        if chosen.embedded is None and chosen.per_user is None:
            _print_statements(rows)
    else:
        say("Nothing is wrong.")
    ctx.exit(1 if rows else 0)


def _print_statements(rows: list[Row]) -> None:
    statements = dict.fromkeys(row["statement"] for row in rows if row.get("statement"))
    if statements:
        say("In Lab each of these mends one:")
    for statement in statements:
        say(statement)


def _mend(chosen: Settings, owner: str | None) -> None:
    """Mend what needs no decision, and print each change. Raises StoreError."""

    async def work(session: Session, keeper: Keeper) -> None:
        while done := await session.run(calls.transfer.mend(owner, _BATCH)):
            for row in done:
                note(f"{row['subject']}: {row['done']}")
        while (await session.run(calls.transfer.index_rest(0)))[0]["indexed"]:
            pass  # A damaged index goes first, in pieces.
        while (await session.run(calls.transfer.index_rest(_BATCH)))[0]["indexed"] >= _BATCH:
            pass
        if told := await keeper.unwritable():
            note(told)

    with_keeper(None, work, chosen=chosen)


def _problems(chosen: Settings) -> list[Row]:
    """Return the problems of the store, or of each file; those of several files name theirs."""
    if chosen.per_user is None:
        return with_keeper(None, lambda session, _: problems(session), chosen=chosen)
    rows: list[Row] = []
    for one in each_store(chosen):
        try:
            found = with_keeper(None, lambda session, _: problems(session), chosen=one)
        except StoreError as error:
            found = [{"problem": "unusable", "subject": str(error), "advice": REPAIR}]
        rows += [{**row, "store": str(one.embedded)} for row in found]
    return rows


_MOST_PROBLEMS = 20


@click.command()
@AS_JSON
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Check the configuration, the connection and the modules; exit 1 if anything is wrong."""
    chosen = configured(ctx.obj)
    with waiting("checking every node and relation"):
        findings = [*health.configuration(chosen), *anyio.run(_store_findings, chosen)]
    findings += [Finding(one.client, one.state, one.wrong) for one in states()]
    if as_json:
        print_json(
            {
                "findings": [
                    {name: value for name, value in asdict(finding).items() if value is not None}
                    for finding in findings
                ]
            }
        )
    else:
        # Problems first: a long list scrolls away.
        shown = sorted(findings, key=lambda one: not one.wrong)
        print_columns([("✗" if one.wrong else "✓", one.what, one.state) for one in shown])
    ctx.exit(1 if any(finding.wrong for finding in findings) else 0)


async def _store_findings(chosen: Settings) -> list[Finding]:
    kind = "Memgraph" if chosen.embedded is None else "embedded store"
    try:
        with suppress(NoStore):
            async with open_store(chosen) as store:
                session, by_bolt = Session.of(store, chosen), chosen.embedded is None
                there = [Finding(kind, store.location), *await _contents(session, by_bolt)]
                if told := await store.unwritable():
                    there.append(Finding("cannot be written", told))
                return there + await health.replicas(chosen)
        # A store that nobody has written to yet is no problem, if it can be created.
        async with open_store(chosen, creates=True) as store:
            if Path(store.location).is_file():
                return [Finding(kind, str(no_store(Path(store.location))), wrong=True)]
            return [Finding(kind, f"{store.location}: no store yet; the first write creates it")]
    except StoreError as error:
        return [Finding(kind, str(error), wrong=True)]


def _list_counts(measures: Sequence[dict[str, Any]]) -> list[Finding]:
    """Return what is stored; relations are counted together, because their types are internal."""
    there = [row for row in measures if row["value"]]
    nodes = [row for row in there if row["kind"] not in {"relation", "time"}]
    counted = [Finding(row["measure"], shown_measure(row)) for row in nodes]
    if relations := sum(row["value"] for row in there if row["kind"] == "relation"):
        counted.append(Finding("relations", f"{relations:,}"))
    times = [Finding("last access", shown_measure(row)) for row in there if row["kind"] == "time"]
    return [*counted, *times]


async def _contents(session: Session, by_bolt: bool) -> list[Finding]:
    version = (await session.run(calls.transfer.version()))[0]["version"]
    found = await health.problems(session)
    try:
        measures = await session.run(calls.transfer.stats())
    except StoreError:
        if not found:
            raise
        measures = []  # The problems found below say why.
    findings = [Finding("query modules there", version)]
    if by_bolt:
        state = (await session.run(calls.transfer.look_ups()))[0]["look_ups"]
        findings.append(Finding("look-ups of calls in Lab", state))
    findings += _list_counts(measures) or [Finding("stored", "nothing yet")]
    findings.append(await health.embedding(session, health.MOST_REPORTED))
    findings += [await one(session) for one in (health.jobs, health.backup)]
    if not by_bolt:
        findings += await health.describe_sharing(session)
    findings += [
        Finding(row["problem"], f"{row['subject']}: {row['advice']}", wrong=True)
        for row in found[:_MOST_PROBLEMS]
    ]
    if len(found) > _MOST_PROBLEMS:
        rest = f"and {len(found) - _MOST_PROBLEMS} more; concept-graph-mcp check lists all"
        findings.append(Finding("…", rest, wrong=True))
    return findings
