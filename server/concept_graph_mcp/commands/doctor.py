"""Report settings, connection and deployment, each with its remedy (`doctor`)."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import anyio
import click
from rich.table import Table
from rich.text import Text

from .. import calls
from ..clients.changes import states
from ..errors import NoStore, StoreError
from ..health import findings as health
from ..health.findings import Finding
from ..hosts.lazy import open_store
from ..hosts.sqlite.opening import no_store
from ..session import Session
from ..settings import Settings
from .common import AS_JSON, configured
from .progress import waiting
from .reading import shown_measure
from .terminal import out, print_json, wide

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
        print_json({"findings": [_plain(finding) for finding in findings]})
    else:
        out.print(_table(findings))
    ctx.exit(1 if any(finding.wrong for finding in findings) else 0)


def _plain(finding: Finding) -> dict[str, Any]:
    """Return *finding* as JSON, with `mend` only where a command helps."""
    return {name: value for name, value in asdict(finding).items() if value is not None}


def _table(findings: list[Finding]) -> Table:
    table = Table("", "what", wide("state"))
    # Problems first: a long table scrolls away.
    for finding in sorted(findings, key=lambda one: not one.wrong):
        mark = Text("✗", style="red") if finding.wrong else Text("✓", style="green")
        table.add_row(mark, finding.what, finding.state)
    return table


async def _store_findings(chosen: Settings) -> list[Finding]:
    kind = "Memgraph" if chosen.embedded is None else "embedded store"
    try:
        with suppress(NoStore):
            async with open_store(chosen) as store:
                session, by_bolt = Session.of(store, chosen), chosen.embedded is None
                there = [Finding(kind, store.location), *await _contents(session, by_bolt)]
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
