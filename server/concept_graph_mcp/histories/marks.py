"""Remember up to where a history was ingested, so that one that has grown continues there.

A mark is of one file in one store for one user. It counts only if the file still begins as it did,
and still has the same bytes before the mark: a file that was written anew is read from its start.
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

    *state* is what the format has to know of the lines before. So many *messages* were stored, and
    *last* is the id of the last one's memory.
    """

    offset: int = 0
    state: dict[str, Any] = field(default_factory=dict)
    messages: int = 0
    last: str | None = None


def place(store: str, user: str, history: Path, how: str) -> Path:
    """Return the file of the mark of *history*, read as *how* says, in the store of that id."""
    named = "\0".join((store, user, str(history.resolve()), how))
    digest = hashlib.sha256(named.encode(errors="surrogateescape")).hexdigest()
    return settings.data_directory() / "ingested" / f"{digest[:40]}.json"


def read(file: Path, history: Path) -> Mark | None:
    """Return the mark in *file* if *history* has only grown since; else None."""
    try:
        said = json.loads(file.read_bytes())
        compared = said.pop("compared")
        mark = Mark(**said)
        with history.open("rb") as stream:
            is_same = _digests(stream, mark.offset) == compared
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


def _digests(stream: BinaryIO, offset: int) -> list[str]:
    """Return digests of the first bytes of *stream* and of those before *offset*."""
    first = stream.read(min(offset, _COMPARED))
    stream.seek(max(0, offset - _COMPARED))
    last = stream.read(min(offset, _COMPARED))
    return [hashlib.sha256(part).hexdigest() for part in (first, last)] + [str(len(last))]
