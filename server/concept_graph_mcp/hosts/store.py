"""Define the interface of a store for the tools and the command line."""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from conceptgraph_core.entities import procedures as entities
from conceptgraph_core.everyday import procedures as everyday
from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.memories import procedures as memories
from conceptgraph_core.transfer.procedures import USER_REMOVE

from ..calls.call import Call

if TYPE_CHECKING:
    from .backup_files import Contents, Written


# These must work in a full store, or it would stay full.
RELEASING = frozenset(
    procedure.name
    for layer in (memories, entities)
    for procedure in (layer.FORGET, layer.PURGE, everyday.FORGET, USER_REMOVE)
)


class Backups(NamedTuple):
    """A kind of backup: the suffix of its files, and their default folder."""

    suffix: str
    folder: str


FILES = Backups(".db", "embedded")
EXPORTS = Backups(".jsonl.gz", "memgraph")


class Rows(list[dict[str, Any]]):
    """The rows of a call; `advice` is a warning for its caller, or None.

    The call was made all the same: a caller must not repeat it.
    """

    def __init__(self, rows: Iterable[dict[str, Any]] = (), advice: str | None = None) -> None:
        super().__init__(rows)
        self.advice = advice


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


@dataclass(slots=True)
class Spent:
    """The seconds that a call has cost: `stored` in the store, `own` beside it."""

    own: float = 0.0
    stored: float = 0.0


# The account of the call in progress, if anybody keeps one.
SPENT: ContextVar[Spent | None] = ContextVar("spent", default=None)


class Store(Protocol):
    """One graph, in Memgraph or in a file. Every call writes all or nothing."""

    @property
    def location(self) -> str:
        """Return the graph's place for people: a URI without credentials, or a path."""

    async def open(self) -> None:
        """Connect and run the start-up checks, once. Raises Unavailable or Misdeployed."""

    async def call(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Make *call* and return its rows, as `Rows` if there is a warning.

        Raises Refused with the procedure's own line, Unavailable, or Misdeployed.
        """

    async def fit_vectors(self) -> None:
        """Adapt the vector indexes to the embedding recorded in the store."""

    async def problems(self) -> list[str]:
        """Check the whole file of the graph, and return its problems, one line each.

        A database checks its own files.
        """

    def stream(
        self, batch: int = 1_000, only: Sequence[Lookup] = ()
    ) -> AsyncGenerator[list[dict[str, Any]]]:
        """Iterate over all records, nodes before relations, in batches, from one snapshot.

        With *only*, these are of the nodes that the look-ups find, and of relations that leave
        them, in the same order.
        """

    async def close(self) -> None:
        """Close the connection or file."""


class Keeper(Protocol):
    """A store's backups and restores."""

    @property
    def location(self) -> str:
        """Return the graph's place, as `Store.location`."""

    @property
    def backups(self) -> "Backups":
        """Return the kind of the store's backups."""

    async def identity(self) -> str | None:
        """Return the id of this store, a UUID; None if the store does not exist yet."""

    async def size(self) -> str | None:
        """Return how large the store is, "3.4 MiB": its file, or the memory of the database.

        None if it does not exist yet, or the database does not say it.
        """

    async def unwritable(self) -> str | None:
        """Return why nothing can be written to the store from here, in one line; None if it can."""

    async def overwrite_removed(self) -> str | None:
        """Overwrite on the disk what was removed; return where it still is, None if nowhere."""

    async def backup(self, file: Path) -> "Written":
        """Write the graph to the empty *file*, from one snapshot, and read it back."""

    async def contents(self, file: Path) -> "Contents":
        """Read the whole backup *file*. Raises BadBackup if it cannot be restored."""

    async def restore(self, file: Path | None) -> None:
        """Replace the graph by that of *file*, or by an empty one, in one transaction."""

    def replacing(self, file: Path | None) -> AbstractAsyncContextManager[None]:
        """Restore from *file* at the end of the block, in a transaction that begins before it.

        Concurrent writers wait, get an error, or add nodes that the restore keeps. A backup made in
        the block has everything that is replaced. A block that fails replaces nothing.
        """


class KeptStore(Store, Keeper, Protocol):
    """A store with its own backups, like both of ours."""
