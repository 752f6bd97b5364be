"""Say which store has the data of which user: a table in a file.

The file is JSON:

* `stores`: by a name, the URIs of a store: of its main, then of the replicas to read.
* `by_hash`: the names of the stores that new users are spread over, by the hash of their id. The
  list must never change, or users would be looked for where they are not.
* `moved`: by user, the name of the store that `users move` has moved them to.
* `moving`: the users whose writes are refused because they are being moved.
"""

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from ..settings import SettingsError, uris

if sys.platform != "win32":
    import fcntl


class Shards(NamedTuple):
    """The table; see the module."""

    stores: Mapping[str, Sequence[str]]
    by_hash: Sequence[str]
    moved: Mapping[str, str]
    moving: Sequence[str]

    def store_of(self, user_id: str) -> str:
        """Return the name of the store of *user_id*."""
        if user_id in self.moved:
            return self.moved[user_id]
        digest = hashlib.sha256(user_id.encode()).digest()
        return self.by_hash[int.from_bytes(digest[:8], "big") % len(self.by_hash)]

    def with_moving(self, user_id: str) -> "Shards":
        """Return the table in which *user_id* is being moved."""
        return self._replace(moving=sorted({*self.moving, user_id}))

    def without_moving(self, user_id: str) -> "Shards":
        """Return the table in which *user_id* is not being moved."""
        return self._replace(moving=[one for one in self.moving if one != user_id])

    def with_moved(self, user_id: str, store: str) -> "Shards":
        """Return the table in which *store* has the data of *user_id*."""
        return self.without_moving(user_id)._replace(moved={**self.moved, user_id: store})


def read(file: Path) -> Shards:
    """Return the table in *file*. Raises SettingsError."""
    try:
        given = json.loads(file.read_text(encoding="utf-8"))
        table = Shards(
            {
                name: uris(",".join(some), f"{file}: {name}")
                for name, some in given["stores"].items()
            },
            list(given["by_hash"]),
            dict(given.get("moved", {})),
            list(given.get("moving", ())),
        )
    except OSError as error:
        raise SettingsError(f"{file}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError):
        raise SettingsError(
            f'{file}: must be like {{"stores": {{"one": ["bolt://one:7687"]}}, "by_hash": ["one"]}}'
        ) from None
    unknown = {*table.by_hash, *table.moved.values()} - table.stores.keys()
    empty = [name for name, some in table.stores.items() if not some]
    if unknown or empty or not table.by_hash:
        wrong = ", ".join(sorted([*unknown, *empty])) or "by_hash"
        raise SettingsError(f"{file}: {wrong}: names no store with a URI")
    return table


def change(file: Path, changed: Callable[[Shards], Shards]) -> None:
    """Replace *file* by what *changed* makes of its table, one process after the other.

    Two moves at once would undo each other's. Raises SettingsError and OSError.
    """
    with _alone(file.parent):
        write(file, changed(read(file)))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes out meanwhile, where the system has locks."""
    if sys.platform == "win32":
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def write(file: Path, table: Shards) -> None:
    """Replace *file* by *table*, at once for its readers. Raises OSError."""
    made: dict[str, Any] = {**table._asdict(), "stores": {k: [*v] for k, v in table.stores.items()}}
    beside = file.with_name(f"{file.name}.new")
    with beside.open("w", encoding="utf-8") as stream:
        json.dump(made, stream, indent=2)
        stream.flush()
        os.fsync(stream.fileno())
    beside.replace(file)
