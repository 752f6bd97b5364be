"""What the tools and the command line need of a store, whichever it is."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..calls.call import Call

if TYPE_CHECKING:
    from .backup_files import Contents, Written


class Backups(NamedTuple):
    """A kind of backup: what its files end in, and the folder that they are in by default."""

    suffix: str
    folder: str


FILES = Backups(".db", "embedded")
EXPORTS = Backups(".jsonl.gz", "memgraph")


@dataclass(frozen=True, slots=True)
class Node:
    """A node in a result row."""

    id: int
    labels: tuple[str, ...]
    properties: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge in a result row; `source` and `target` are node ids."""

    id: int
    type: str
    source: int
    target: int
    properties: dict[str, Any]


class Store(Protocol):
    """One graph, in Memgraph or in a file. Every call is one transaction: all of it or none."""

    @property
    def location(self) -> str:
        """Where the graph is, for people: a URI without credentials, or a path."""

    async def open(self) -> None:
        """Connect and make the start-up checks, once. Raises Unavailable or Misdeployed."""

    async def call(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Make *call* and return its rows.

        Raises Refused with the procedure's own line, Unavailable, or Misdeployed.
        """

    async def fit_vectors(self) -> None:
        """Make what vectors are found by fit the embedding that the store remembers by now."""

    async def problems(self) -> list[str]:
        """Return what is wrong with how the graph is kept, a line each, having looked at it all.

        A database looks after that itself.
        """

    def stream(self, batch: int = 1_000) -> AsyncGenerator[list[dict[str, Any]]]:
        """Iterate over all records, nodes before relations, in batches, from one snapshot."""

    async def close(self) -> None:
        """Let go of the connection or file."""


class Keeper(Protocol):
    """What keeps a graph: its backups, and putting one back."""

    @property
    def location(self) -> str:
        """Where the graph is, as `Store.location`."""

    @property
    def backups(self) -> "Backups":
        """Of which kind its backups are."""

    async def identity(self) -> str | None:
        """Return the id of this store, a UUID; None if the store is yet to be made."""

    async def backup(self, file: Path) -> "Written":
        """Write all there is to the empty *file*, from one snapshot, and read it back."""

    async def contents(self, file: Path) -> "Contents":
        """Read the backup *file* through. Raises BadBackup if it cannot be restored from."""

    async def restore(self, file: Path | None) -> None:
        """Replace all there is by what *file* holds, or by nothing, in one transaction."""

    def replacing(self, file: Path | None) -> AbstractAsyncContextManager[None]:
        """Restore from *file* at the end of the block, in a transaction that begins before it.

        What others write in the meantime waits, is refused, or stays beside what is restored. A
        backup that the block makes has all that is replaced. A block that fails replaces nothing.
        """


class KeptStore(Store, Keeper, Protocol):
    """A store that keeps itself, as both of ours do."""
