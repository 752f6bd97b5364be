"""`backup`, `restore`, `clean` and `reset`: keeping the graph and getting it back."""

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from .. import calls
from ..printable import printable
from ..session import Session
from ..stores import backup_files
from ..stores.backup_files import BadBackup, Contents
from ..stores.store import FILE_BACKUP, Store
from .common import FOLDER, Failure, with_session
from .terminal import say

CORE_RESET_VARIABLE = "CORE_RESET_COMMAND"
_DIRECTORY = click.option(
    "--dir",
    "directory",
    type=FOLDER,
    help="Where backups are; by default ./backup/memgraph or ./backup/embedded.",
)
# A century, because dates end somewhere.
_DAYS = click.IntRange(1, 36_500)
_YES = click.option("--yes", is_flag=True, help="Do not ask.")


@click.command()
@_DIRECTORY
@click.option("--keep", type=click.IntRange(1), help="Remove all but this many of the newest.")
@click.option("--max-age", type=_DAYS, help="Remove those older than this many days.")
@click.pass_obj
def backup(
    embedded: str | None, directory: Path | None, keep: int | None, max_age: int | None
) -> None:
    """Write the graph to a new file, read it back, and remove outdated ones if told to."""

    async def work(session: Session) -> None:
        store = session.store
        where = _directory(store, directory)
        file = await _backed_up(session, where)
        say(f"{file}: {_shown(await store.backup_contents(file))}")
        age = None if max_age is None else timedelta(days=max_age)
        listed = backup_files.listed(where, store.backup_suffix)
        for old in backup_files.outdated(listed, keep, age, datetime.now()):
            old.file.unlink()
            say(f"{old.file}: removed")

    with_session(embedded, work)


@click.command()
@click.argument("snapshot")
@_DIRECTORY
@_YES
@click.pass_obj
def restore(embedded: str | None, snapshot: str, directory: Path | None, yes: bool) -> None:
    """Replace the graph by SNAPSHOT: "latest", a name in the backup directory, or a path.

    What is replaced is backed up first.
    """
    with_session(
        embedded, lambda session: _restore(session, snapshot, directory, yes), creates=True
    )


@click.command()
@_DIRECTORY
@_YES
@click.pass_obj
def clean(embedded: str | None, directory: Path | None, yes: bool) -> None:
    """Remove everything from the graph, after backing it up."""

    async def work(session: Session) -> None:
        current = await _current(session)
        _confirm(f"Remove {_shown(current)} from {session.store.location}?", yes)
        await _keep(session, current, directory)
        await session.store.restore(None)
        say(f"{session.store.location}: empty")

    with_session(embedded, work)


@click.command()
@click.argument("snapshot", default="latest")
@_DIRECTORY
@_YES
@click.pass_obj
def reset(embedded: str | None, snapshot: str, directory: Path | None, yes: bool) -> None:
    """Restore SNAPSHOT (default: latest), then run the agent's own reset, CORE_RESET_COMMAND."""
    command = os.environ.get(CORE_RESET_VARIABLE)
    if not command:
        raise Failure(f"{CORE_RESET_VARIABLE}: is not set; name the command that resets the agent")
    with_session(
        embedded, lambda session: _restore(session, snapshot, directory, yes), creates=True
    )
    # By the shell, because that is how its owner wrote it: a command line of their own.
    status = subprocess.run(command, shell=True, check=False).returncode
    if status:
        raise Failure(f"{CORE_RESET_VARIABLE}: failed with status {status}; the graph is restored")
    say(f"{CORE_RESET_VARIABLE}: done")


async def _restore(session: Session, snapshot: str, directory: Path | None, yes: bool) -> None:
    store = session.store
    file = _chosen(store, snapshot, _directory(store, directory))
    held = await store.backup_contents(file)
    current = await _current(session)
    _confirm(f"Replace {_shown(current)} in {store.location} by {file}, {_shown(held)}?", yes)
    await _keep(session, current, directory)
    await store.restore(file)
    say(f"{store.location}: restored {_shown(await _current(session))}")


async def _keep(session: Session, current: Contents, directory: Path | None) -> None:
    """Back up what is about to go, if there is anything."""
    if current.concepts or current.episodes:
        file = await _backed_up(session, _directory(session.store, directory))
        say(f"{file}: what was there before")


async def _backed_up(session: Session, directory: Path) -> Path:
    """Write a backup, complete under its name or not there, and return its file."""
    store = session.store
    try:
        directory.mkdir(parents=True, exist_ok=True)
        file = backup_files.fresh_file(directory, store.backup_suffix, datetime.now())
        partial = file.with_name(file.name + ".partial")
        try:
            await store.backup(partial)
            await store.backup_contents(partial)
            partial.replace(file)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise Failure(f"{directory}: {error.strerror or error}") from None
    return file


async def _current(session: Session) -> Contents:
    rows = await session.run(calls.stats())
    counts = {row["measure"]: row["value"] for row in rows}
    newest = counts.pop("newest_accessed_at")
    concepts, episodes = counts.pop("concepts"), counts.pop("episodes")
    return Contents(concepts, episodes, sum(counts.values()), newest)


def _chosen(store: Store, snapshot: str, directory: Path) -> Path:
    if snapshot == "latest":
        found = backup_files.listed(directory, store.backup_suffix)
        if not found:
            raise Failure(f"{directory}: has no backup")
        return found[-1].file
    for file in (directory / snapshot, Path(snapshot)):
        if file.is_file():
            if not file.name.endswith(store.backup_suffix):
                raise BadBackup(f"{file}: backups of this store end in {store.backup_suffix}")
            return file
    raise Failure(f"{snapshot}: no such backup in {directory}, and no such file")


def _directory(store: Store, directory: Path | None) -> Path:
    kind = "embedded" if store.backup_suffix == FILE_BACKUP else "memgraph"
    return directory or Path("backup") / kind


def _confirm(question: str, yes: bool) -> None:
    if not yes:
        click.confirm(printable(question), abort=True)


def _shown(contents: Contents) -> str:
    newest = datetime.fromtimestamp(contents.newest_accessed_at / 1000, UTC)
    date = f", newest {newest:%Y-%m-%d %H:%M:%S} UTC" if contents.newest_accessed_at else ""
    return (
        f"{contents.concepts:,} concepts, {contents.episodes:,} episodes,"
        f" {contents.relations:,} relations{date}"
    )
