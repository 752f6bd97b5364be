"""Back up, restore, clean and reset the graph (`backup`, `restore`, `clean`, `reset`)."""

import os
import subprocess
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from pathlib import Path

import click

from .. import calls, settings
from ..errors import NoStore, StoreError
from ..hosts import backup_files
from ..hosts.backup_files import BadBackup, Contents, Written, contents
from ..hosts.store import EXPORTS, FILES, Keeper
from ..printable import printable
from ..session import Session
from ..settings import Settings
from .common import FOLDER, YES, Failure, configured, in_each_store, note, say, waiting, with_keeper

LATEST = "latest"
# Marks the copy made before a restore, which is no backup that the owner asked for.
_APART = "replaced"
_NAMED = 5


class Folder:
    """The directory with the backups of *store*, and perhaps of other stores."""

    def __init__(self, store: Keeper, directory: Path | None) -> None:
        self._store = store
        usual = settings.data_directory() / "backup" / store.backups.folder
        self._directory = directory or usual
        self._apart = self._directory / _APART

    async def backup(self) -> Path:
        """Write a backup, print its contents, and return its file. Raises Failure."""
        # A killed restore may have left files, and no later restore may come to remove them.
        if self._apart.is_dir():
            async with self._turn(self._apart):
                pass
        file, written = await self._written(self._directory)
        say(f"{file}: {shown(written.contents)}")
        return file

    async def keep_apart(self, current: Contents | None) -> None:
        """Keep a copy of the graph about to be replaced, if any, even a damaged one.

        Raises Failure.
        """
        if current is None or any(current.nodes.values()):
            file, written = await self._written(self._apart, backup_files.REPLACED)
            damage = "" if written.damage is None else f", which {written.damage}"
            say(f"{file}: what was there before{damage}")

    async def chosen(self, snapshot: str) -> Path:
        """Return the file that *snapshot* means: "latest", a name, or a path. Raises Failure."""
        if snapshot == LATEST:
            found = self._listing(self._directory)
            own = found.find_own(await self._store.identity())
            if not own:
                others = [one.file.name for one in found.backups if not one.replaced]
                more = [
                    f"; {name} is of another store, and restored by name only" for name in others
                ]
                raise Failure(f"{self._directory}: has no backup of this store{''.join(more[-1:])}")
            return own[-1].file
        if not snapshot.strip():
            raise Failure('SNAPSHOT: must not be empty; name a backup, or "latest"')
        for file in (self._directory / snapshot, self._apart / snapshot, Path(snapshot)):
            if _is_file(file):
                if not file.name.endswith(self._store.backups.suffix):
                    suffix = self._store.backups.suffix
                    raise BadBackup(file, f"backups of this store end in {suffix}")
                return file
        raise Failure(f"{snapshot}: no such backup in {self._directory}, and no such file")

    async def _written(self, directory: Path, mark: str = "") -> tuple[Path, Written]:
        """Write a backup under its name, whole or not at all, and return its file.

        A copy of a graph about to be replaced is kept even if it is damaged.
        """
        store_id = await self._store.identity()
        if store_id is None:
            raise NoStore(f"store {self._store.location}: there is no such store yet")
        try:
            directory.mkdir(parents=True, exist_ok=True)
            async with self._turn(directory):
                name = store_id, mark, self._store.backups.suffix, datetime.now(UTC)
                with backup_files.write_backup(directory, *name) as (partial, file):
                    with waiting("writing a backup and reading it back"):
                        made = await self._store.backup(partial)
                    if made.damage is not None and not mark:
                        where = self._store.location
                        raise Failure(f"{where}: {made.damage}; no backup was made")
                    return file, made
        except OSError as error:
            raise Failure(f"{directory}: {error.strerror or error}; no backup was made") from None

    def _turn(self, directory: Path) -> AbstractAsyncContextManager[None]:
        """Wait until no other process writes to *directory*; then remove its unfinished files."""
        line = f"{directory}: waiting for another backup to be done"
        return backup_files.turn(directory, lambda: note(line))

    def _listing(self, directory: Path) -> backup_files.Listing:
        try:
            found = backup_files.listing(directory, self._store.backups.suffix)
        except OSError as error:
            raise Failure(f"{directory}: {error.strerror or error}") from None
        if strange := found.strange:
            rest = f" and {len(strange) - _NAMED:,} more" if len(strange) > _NAMED else ""
            named = ", ".join(strange[:_NAMED]) + rest
            note(f"{directory}: skipped what is no backup by its name: {named}")
        return found


def shown(contents: Contents | None) -> str:
    """Return a graph's contents in one line; None stands for a graph too damaged to be counted."""
    if contents is None:
        return "what cannot be read"
    amounts = [f"{count:,} {measure}" for measure, count in contents.nodes.items()]
    said = ", ".join([*amounts, f"{contents.relations:,} relations"])
    return said + _newest(contents.newest_accessed_at)


def _newest(accessed_at: int) -> str:
    if not accessed_at:
        return ""
    try:
        return f", newest {datetime.fromtimestamp(accessed_at / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        # A graph with elements created by hand in Cypher may hold times that no backup has.
        return f", newest {accessed_at} ms"


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError:
        # Longer than any file name can be.
        return False


CORE_RESET_VARIABLE = "CORE_RESET_COMMAND"
_DIRECTORY = click.option(
    "--dir",
    "directory",
    type=FOLDER,
    help="The directory of backups; default: backup/memgraph or backup/embedded in the data"
    " directory.",
)


@click.command()
@_DIRECTORY
@click.pass_obj
def backup(embedded: str | None, directory: Path | None) -> None:
    """Write the graph to a new file, and read it back."""
    chosen = configured(embedded, whole=True)

    async def work(session: Session, keeper: Keeper) -> None:
        file = await _folder(chosen, keeper, directory).backup()
        try:
            await session.run(calls.memories.record_backup(str(file.absolute())))
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
@YES
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
@YES
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
@YES
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
