"""`doctor`: what is configured, reachable and deployed, and what to do about what is wrong."""

import os
from dataclasses import asdict, dataclass

import anyio
import click
from rich.table import Table
from rich.text import Text

from conceptgraph_core import __version__, words
from conceptgraph_core.words import libraries

from .. import calls
from ..core import modules_directory
from ..errors import StoreError
from ..session import Session
from ..settings import Settings
from ..stores.lazy import opened
from .common import AS_JSON, configured
from .reading import problems, shown_measure
from .terminal import out, print_json, wide

_MOST_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; `wrong` decides the exit status."""

    what: str
    state: str
    wrong: bool = False


@click.command()
@AS_JSON
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Report what is configured, reachable and deployed; exit 1 if anything is wrong."""
    settings = configured(ctx.obj)
    findings = [*_configuration(settings), *anyio.run(_store_findings, settings)]
    if as_json:
        print_json({"findings": [asdict(finding) for finding in findings]})
    else:
        out.print(_table(findings))
    ctx.exit(1 if any(finding.wrong for finding in findings) else 0)


def _table(findings: list[Finding]) -> Table:
    table = Table("", "what", wide("state"))
    for finding in findings:
        mark = Text("✗", style="red") if finding.wrong else Text("✓", style="green")
        table.add_row(mark, finding.what, finding.state)
    return table


def _configuration(settings: Settings) -> list[Finding]:
    zone = Finding("TZ", str(settings.zone))
    if not os.environ.get("TZ"):
        zone = Finding(
            "TZ", f"is not set, which serving needs; e.g. TZ={settings.zone}", wrong=True
        )
    findings = [
        Finding("concept-graph-mcp", __version__),
        zone,
        Finding("AROUSAL_TAU_MS", f"{settings.tau_ms:,}"),
        Finding("query modules here", str(modules_directory())),
    ]
    # Memgraph has its own, beside the modules there.
    return findings if settings.embedded is None else [*findings, _words()]


def _words() -> Finding:
    packages = words.missing()
    if not packages:
        return Finding("words", "are found with " + " and ".join(libraries.PACKAGES.values()))
    named = " ".join(packages)
    return Finding("words", f"{named}: missing; pip install {named}", wrong=True)


async def _store_findings(settings: Settings) -> list[Finding]:
    kind = "Memgraph" if settings.embedded is None else "embedded store"
    try:
        async with opened(settings) as store:
            return [Finding(kind, store.location), *await _contents(Session.of(store, settings))]
    except StoreError as error:
        return [Finding(kind, str(error), wrong=True)]


async def _contents(session: Session) -> list[Finding]:
    version = (await session.run(calls.keeping.version()))[0]["version"]
    found = await problems(session)
    try:
        measures = await session.run(calls.keeping.stats())
    except StoreError:
        if not found:
            raise
        measures = []  # What is wrong says why.
    findings = [Finding("query modules there", version)]
    findings += [Finding(row["measure"], shown_measure(row)) for row in measures]
    findings += [
        Finding(row["problem"], f"{row['subject']}: {row['advice']}", wrong=True)
        for row in found[:_MOST_PROBLEMS]
    ]
    if len(found) > _MOST_PROBLEMS:
        rest = f"and {len(found) - _MOST_PROBLEMS} more; concept-graph-mcp check lists all"
        findings.append(Finding("…", rest, wrong=True))
    return findings
