"""Report settings, connection and deployment, each with its remedy (`doctor`)."""

import importlib.util
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

import anyio
import click
from rich.table import Table
from rich.text import Text

from conceptgraph_core import __version__, words
from conceptgraph_core.words import libraries

from .. import calls, overdue, settings
from ..clients.state import states
from ..core import modules_directory
from ..embedding.base import called
from ..embedding.minilm import PACKAGES
from ..errors import NoStore, StoreError
from ..session import Session
from ..settings import Settings
from ..stores.lazy import opened
from .common import AS_JSON, configured
from .reading import problems, shown_measure
from .terminal import out, print_json, wide

_MOST_PROBLEMS = 20
# Texts without a vector are counted up to this many.
_MOST_COUNTED = 1_000


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
    chosen = configured(ctx.obj)
    findings = [*_configuration(chosen), *anyio.run(_store_findings, chosen)]
    findings += [Finding(one.client, one.state, one.wrong) for one in states()]
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


def _configuration(chosen: Settings) -> list[Finding]:
    zone = Finding("TZ", str(chosen.zone))
    if "TZ" not in settings.given(os.environ):
        zone = Finding("TZ", f"is not set, which serving needs; e.g. TZ={chosen.zone}", wrong=True)
    findings = [
        Finding("concept-graph-mcp", __version__),
        zone,
        Finding("AROUSAL_TAU_MS", f"{chosen.tau_ms:,}"),
        Finding("query modules here", str(modules_directory())),
    ]
    if chosen.embeddings and (lacking := _not_installed(chosen.embeddings)):
        findings.append(lacking)
    # Memgraph has its own copies of the libraries, beside its modules.
    return findings if chosen.embedded is None else [*findings, _words()]


def _not_installed(said: str) -> Finding | None:
    """Return what the model that is configured lacks, if anything."""
    provider = said.partition(":")[0]
    names = {"minilm": PACKAGES}.get(provider, (provider,))
    if all(importlib.util.find_spec(name.replace("-", "_")) for name in (*names, "numpy")):
        return None
    return Finding(
        "embedding model", f"{said}: not installed; pip install {' '.join(names)} numpy", wrong=True
    )


def _words() -> Finding:
    packages = words.missing()
    if not packages:
        return Finding("words", "are found with " + " and ".join(libraries.PACKAGES.values()))
    named = " ".join(packages)
    return Finding("words", f"{named}: missing; pip install {named}", wrong=True)


async def _store_findings(chosen: Settings) -> list[Finding]:
    kind = "Memgraph" if chosen.embedded is None else "embedded store"
    try:
        with suppress(NoStore):
            async with opened(chosen) as store:
                there = [Finding(kind, store.location), *await _contents(Session.of(store, chosen))]
                return there + [await _replica(chosen, uri) for uri in chosen.read_uris]
        # A store that nobody has written to yet is no problem, if it can be created.
        async with opened(chosen, creates=True) as store:
            return [Finding(kind, f"{store.location}: no store yet; the first write creates it")]
    except StoreError as error:
        return [Finding(kind, str(error), wrong=True)]


async def _replica(chosen: Settings, uri: str) -> Finding:
    """Return whether the replica at *uri* can be read."""
    try:
        async with opened(replace(chosen, uri=uri, read_uris=())) as store:
            return Finding("replica", store.location)
    except StoreError as error:
        return Finding("replica", str(error), wrong=True)


async def _embedding(session: Session) -> list[Finding]:
    """Return the state of the text vectors, if there are any or an embedding is configured."""
    chosen = await session.run(calls.embedding.chosen())
    said = settings.embeddings(os.environ.get(settings.EMBEDDINGS_VARIABLE, ""))
    if not chosen:
        if said is None:
            return [Finding("embedding", "none; texts are found by their words")]
        return [
            Finding("embedding", f"{said}; no text has a vector yet: run concept-graph-mcp embed")
        ]
    of = f"{chosen[0]['model']}, {chosen[0]['dimension']:,} numbers"
    lacking = len(await session.run(calls.embedding.lacking(_MOST_COUNTED)))
    more = " or more" if lacking == _MOST_COUNTED else ""
    without = f"; without a vector: {lacking:,}{more}; run concept-graph-mcp embed"
    state = of + (without if lacking else "")
    if said is None:
        return [
            Finding("embedding", f"{state}; {settings.EMBEDDINGS_VARIABLE} is not set: not used")
        ]
    if called(said) != chosen[0]["model"]:
        again = f"concept-graph-mcp embed --again {said} makes them anew"
        return [Finding("embedding", f"{of}, but {said} is configured: {again}", wrong=True)]
    return [Finding("embedding", state)]


async def _jobs(session: Session) -> Finding:
    """Return when each job of the worker last ran."""
    [status] = await session.run(calls.memory_admin.worker_status())
    ran = [
        f"{job['job']} {session.local(job['finished_at']):%Y-%m-%d %H:%M}"
        for job in status["jobs"]
        if job["finished_at"]
    ]
    said = [", ".join(ran) or "none has run yet", await overdue.advice(session)]
    return Finding("last run of each job", "; ".join(one for one in said if one))


async def _contents(session: Session) -> list[Finding]:
    version = (await session.run(calls.transfer.version()))[0]["version"]
    found = await problems(session)
    try:
        measures = await session.run(calls.transfer.stats())
    except StoreError:
        if not found:
            raise
        measures = []  # The problems found below say why.
    findings = [Finding("query modules there", version)]
    findings += [Finding(row["measure"], shown_measure(row)) for row in measures]
    findings += await _embedding(session)
    findings.append(await _jobs(session))
    findings += [
        Finding(row["problem"], f"{row['subject']}: {row['advice']}", wrong=True)
        for row in found[:_MOST_PROBLEMS]
    ]
    if len(found) > _MOST_PROBLEMS:
        rest = f"and {len(found) - _MOST_PROBLEMS} more; concept-graph-mcp check lists all"
        findings.append(Finding("…", rest, wrong=True))
    return findings
