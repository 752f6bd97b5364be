"""Back up, restore, clean and reset the graph (`backup`, `restore`, `clean`, `reset`)."""

import os
import subprocess
from pathlib import Path

import click

from .. import calls, settings
from ..errors import StoreError
from ..hosts.backup_files import BadBackup, Contents, contents
from ..hosts.store import EXPORTS, FILES, Keeper
from ..printable import printable
from ..session import Session
from ..settings import Settings
from .backup_folder import LATEST, Folder, shown
from .common import FOLDER, Failure, configured, in_each_store, with_keeper
from .notes import note
from .progress import waiting
from .terminal import say

CORE_RESET_VARIABLE = "CORE_RESET_COMMAND"
_DIRECTORY = click.option(
    "--dir",
    "directory",
    type=FOLDER,
    help="The directory of backups; default: ./backup/memgraph or ./backup/embedded.",
)
_YES = click.option("--yes", is_flag=True, help="Do not ask.")


@click.command()
@_DIRECTORY
@click.pass_obj
def backup(embedded: str | None, directory: Path | None) -> None:
    """Write the graph to a new file, and read it back."""
    chosen = configured(embedded, whole=True)

    async def work(session: Session, keeper: Keeper) -> None:
        file = await _folder(chosen, keeper, directory).backup()
        try:
            await session.run(calls.memory_admin.record_backup(str(file.absolute())))
        except StoreError as error:
            # A store may be read-only.
            note(f"the store does not record this backup: {error}")
        # A copied file was checked when it was read back; nothing checks what a database holds.
        if keeper.backups is EXPORTS and (odd := await session.run(calls.transfer.check())):
            note(
                f"{len(odd):,} problems of the graph are in the backup, and a restore may refuse"
                " them: run concept-graph-mcp check"
            )

    in_each_store(chosen, lambda one: with_keeper(None, work, chosen=one))


@click.command()
@click.argument("snapshot")
@_DIRECTORY
@_YES
@click.pass_obj
def restore(embedded: str | None, snapshot: str, directory: Path | None, yes: bool) -> None:
    """Replace the graph by SNAPSHOT: "latest", a name in the backup directory, or a path.

    "latest" is the newest backup of this store. The current graph is backed up first, in a separate
    directory.
    """

    chosen = configured(embedded)

    async def work(session: Session, keeper: Keeper) -> None:
        await _restore(session, keeper, snapshot, _folder(chosen, keeper, directory), yes)

    with_keeper(None, work, creates=True, chosen=chosen)


@click.command()
@_DIRECTORY
@_YES
@click.pass_obj
def clean(embedded: str | None, directory: Path | None, yes: bool) -> None:
    """Remove everything from the graph, after backing it up."""

    chosen = configured(embedded)

    async def work(session: Session, keeper: Keeper) -> None:
        current = await _current(session)
        _confirm(f"Remove {shown(current)} from {keeper.location}?", yes)
        async with keeper.replacing(None):
            await _folder(chosen, keeper, directory).keep_apart(current)
        say(f"{keeper.location}: empty")

    with_keeper(None, work, chosen=chosen)


@click.command()
@click.argument("snapshot", default="latest")
@_DIRECTORY
@_YES
@click.pass_obj
def reset(embedded: str | None, snapshot: str, directory: Path | None, yes: bool) -> None:
    """Restore SNAPSHOT (default: latest), then run the agent's own reset, CORE_RESET_COMMAND."""
    command = settings.given(os.environ).get(CORE_RESET_VARIABLE)
    if not command:
        raise Failure(f"{CORE_RESET_VARIABLE}: is not set; name the command that resets the agent")

    chosen = configured(embedded)

    async def work(session: Session, keeper: Keeper) -> None:
        await _restore(session, keeper, snapshot, _folder(chosen, keeper, directory), yes)

    with_keeper(None, work, creates=True, chosen=chosen)
    # Run by the shell, because the owner wrote it as a command line.
    status = subprocess.run(command, shell=True, check=False).returncode
    if status:
        raise Failure(f"{CORE_RESET_VARIABLE}: failed with status {status}; the graph is restored")
    say(f"{CORE_RESET_VARIABLE}: done")


def _folder(chosen: Settings, keeper: Keeper, directory: Path | None) -> Folder:
    """Return the folder of the backups; each file of a directory of users has one of its own."""
    if chosen.per_user is None:
        return Folder(keeper, directory)
    below = directory or Path("backup") / FILES.folder
    return Folder(keeper, below / Path(keeper.location).stem)


async def _restore(
    session: Session, store: Keeper, snapshot: str, folder: Folder, yes: bool
) -> None:
    file = await folder.chosen(snapshot)
    with waiting(f"reading {file}"):
        held = await store.contents(file)
    stranger = await _stranger(store, held)
    if stranger and snapshot == LATEST:
        raise BadBackup(file, f"{stranger}; restore it by its path")
    if stranger:
        say(f"{file}: {stranger}")
    current = await _current(session)
    _confirm(f"Replace {shown(current)} in {store.location} by {file}, {shown(held)}?", yes)
    async with store.replacing(file):
        await folder.keep_apart(current)
    say(f"{store.location}: restored {shown(await _current(session))}")


async def _stranger(store: Keeper, held: Contents) -> str | None:
    """Return a warning about a backup that is not known to be of *store*."""
    if held.store is None:
        return "does not say which store it is a backup of"
    if held.store != await store.identity():
        return f"is a backup of another store, {held.store}, not of {store.location}"
    return None


async def _current(session: Session) -> Contents | None:
    """Return the graph's contents, or None if it is too damaged to be counted."""
    try:
        with waiting("counting"):
            rows = await session.run(calls.transfer.stats())
    except StoreError:
        # If the store cannot even be reached, the next step reports that.
        return None
    nodes = {row["measure"]: row["value"] for row in rows if row["kind"] == "node"}
    relations = sum(row["value"] for row in rows if row["kind"] == "relation")
    newest = max((row["value"] for row in rows if row["kind"] == "time"), default=0)
    return contents(nodes, relations, newest)


def _confirm(question: str, yes: bool) -> None:
    if not yes:
        click.confirm(printable(question), abort=True)
