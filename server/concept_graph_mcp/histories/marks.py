"""Remember up to where a history was ingested, so that the next time continues there.

A mark is of one file in one store for one user. A file of lines may have grown since, if it still
begins as it did and still has the same bytes before the mark. An export must be as it was. Any
other file is read from its start.
"""

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from .. import settings

# So many bytes at the beginning of a file, and before the mark, tell whether it is the same.
_COMPARED = 4_096


@dataclass(slots=True)
class Mark:
    """The end of the last whole line that was read.

    *state* is what the format has to know of the lines before; of a list, it is the place in it.
    So many *messages* were stored, and *last* is the id of the last one's memory. *version* is that
    of a file that cannot grow.
    """

    offset: int = 0
    state: dict[str, Any] = field(default_factory=dict)
    messages: int = 0
    last: str | None = None
    version: list[int] | None = None


def place(store: str, user: str, history: Path, how: str) -> Path:
    """Return the file of the mark of *history*, read as *how* says, in the store of that id."""
    named = "\0".join((store, user, str(history.resolve()), how))
    digest = hashlib.sha256(named.encode(errors="surrogateescape")).hexdigest()
    return settings.data_directory() / "ingested" / f"{digest[:40]}.json"


def version(history: Path) -> list[int]:
    """Return the size of *history* and the time of its last change."""
    stat = history.stat()
    return [stat.st_size, stat.st_mtime_ns]


def read(file: Path, history: Path) -> Mark | None:
    """Return the mark in *file* if it counts for *history* as it is now; else None."""
    try:
        said = json.loads(file.read_bytes())
        compared = said.pop("compared")
        mark = Mark(**said)
        with history.open("rb") as stream:
            is_same = _digests(stream, mark.offset) == compared
        is_same &= mark.version in (None, version(history))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return mark if is_same else None


def write(file: Path, history: Path, mark: Mark) -> None:
    """Write *mark* to *file*. Without it the history is read from its start: that is no failure."""
    with suppress(OSError):
        with history.open("rb") as stream:
            said = asdict(mark) | {"compared": _digests(stream, mark.offset)}
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        written = file.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps(said), encoding="utf-8")
        written.replace(file)


def forget_all() -> None:
    """Remove all marks, so that every history is read from its start again."""
    for file in (settings.data_directory() / "ingested").glob("*.json"):
        with suppress(OSError):
            file.unlink()


def _digests(stream: BinaryIO, offset: int) -> list[str]:
    """Return digests of the first bytes of *stream* and of those before *offset*."""
    first = stream.read(min(offset, _COMPARED))
    stream.seek(max(0, offset - _COMPARED))
    last = stream.read(min(offset, _COMPARED))
    return [hashlib.sha256(part).hexdigest() for part in (first, last)] + [str(len(last))]
