"""Find the backups of a store: write them, and choose one."""

from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from pathlib import Path

from ..errors import NoStore
from ..hosts import backup_folder
from ..hosts.backup_files import BadBackup, Contents, Written
from ..hosts.store import Keeper
from .common import Failure
from .notes import note
from .progress import waiting
from .terminal import say

LATEST = "latest"
# Marks the copy made before a restore, which is no backup that the owner asked for.
_APART = "replaced"
_NAMED = 5


class Folder:
    """The directory with the backups of *store*, and perhaps of other stores."""

    def __init__(self, store: Keeper, directory: Path | None) -> None:
        self._store = store
        self._directory = directory or Path("backup") / store.backups.folder
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
            file, written = await self._written(self._apart, backup_folder.REPLACED)
            damage = "" if written.damage is None else f", which {written.damage}"
            say(f"{file}: what was there before{damage}")

    async def chosen(self, snapshot: str) -> Path:
        """Return the file that *snapshot* means: "latest", a name, or a path. Raises Failure."""
        if snapshot == LATEST:
            found = self._listing(self._directory)
            own = found.of(await self._store.identity())
            if not own:
                raise Failure(f"{self._directory}: has no backup of this store{_others(found)}")
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
                with backup_folder.write_backup(directory, *name) as (partial, file):
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
        return backup_folder.turn(directory, lambda: note(line))

    def _listing(self, directory: Path) -> backup_folder.Listing:
        try:
            found = backup_folder.listing(directory, self._store.backups.suffix)
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


def _others(found: backup_folder.Listing) -> str:
    """Return the error's remark on backups of other stores, when the store has none of its own."""
    others = [one for one in found.backups if not one.replaced]
    if not others:
        return ""
    newest = max(others, key=lambda one: one.made_at)
    whose = "another store" if newest.store else "version 0.1.0, which names no store"
    return f"; {newest.file.name} is of {whose}, and restored by name only"


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError:
        # Longer than any file name can be.
        return False
