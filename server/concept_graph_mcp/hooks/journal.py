"""Note what hooks did: a line in `hooks.log`, and the last result of each client and event.

A result is noted as begun first. So one that stays begun was ended by its host.

Remember which transcripts are still to be ingested, and what of them a session still sees.

A hook only notes the transcript and starts a process that ingests all that are noted. So a hook
answers at once, and what a killed process has left is done by the next one.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ..printable import printable
from . import asking

LOG = "hooks.log"
LATE = "no answer in time"
# Noted first, so that it stays where the host ended the hook.
BEGUN = f"{LATE}: the host ended it"
_LONGEST_LOG = 1_000_000


# So many calls are counted; then both counts are halved, so that old ones matter less and less.
_COUNTED = 20


class Last(NamedTuple):
    """The last call of an event by a client, at a time (unix ms), and what came of it.

    So many of the latest `calls` were `late`.
    """

    client: str
    event: str
    at: int
    result: str
    calls: int = 0
    late: int = 0

    @property
    def is_often_late(self) -> bool:
        """Return whether more than one call of ten came to nothing in time."""
        return self.late * 10 > self.calls


def notes_folder() -> Path:
    """Return the folder in which the hooks keep their notes."""
    return Path(asking.find_data()) / "hooks"


def make_private_folder(place: Path) -> Path:
    """Return the folder *place*, made for its owner alone."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


def note_result(client: str, event: str, result: str) -> None:
    """Note *result* as the last one of *event*. A disk that takes no notes is no reason to fail."""
    with suppress(OSError):
        place = make_private_folder(make_private_folder(notes_folder()) / "last")
        file = place / f"{_safe(client)}.{_safe(event)}.json"
        before = _read_last(file)
        said = Last(_safe(client), _safe(event), int(time.time() * 1_000), printable(result))
        said = _count_call(said, before)
        written = file.with_suffix(f".new-{os.getpid()}")
        written.write_text(json.dumps(said._asdict()), encoding="utf-8")
        written.replace(file)


def _count_call(said: Last, before: Last | None) -> Last:
    """Return *said* with the counts of *before*; a call that was begun is not a new one."""
    calls, late = (before.calls, before.late) if before is not None else (0, 0)
    if before is not None and before.result == BEGUN:
        calls, late = max(0, calls - 1), max(0, late - 1)
    elif calls >= _COUNTED:
        calls, late = calls // 2, late // 2
    return said._replace(calls=calls + 1, late=late + said.result.startswith(LATE))


def log_result(client: str, event: str, result: str) -> None:
    """Note *result*, and add a line to the log."""
    note_result(client, event, result)
    with suppress(OSError):
        file = notes_folder() / LOG
        if file.exists() and file.stat().st_size > _LONGEST_LOG:
            file.replace(file.with_suffix(".log.1"))
        moment = datetime.now(UTC).isoformat(timespec="milliseconds")
        with file.open("a", encoding="utf-8") as lines:
            lines.write(f"{moment} {_safe(client)} {_safe(event)} {printable(result)}\n")


def list_last_results() -> Iterator[Last]:
    """Iterate over the last results, the latest first."""
    read = map(_read_last, (notes_folder() / "last").glob("*.json"))
    return iter(sorted(filter(None, read), key=lambda one: -one.at))


def _read_last(file: Path) -> Last | None:
    with suppress(OSError, ValueError, TypeError):
        return Last(**json.loads(file.read_text(encoding="utf-8")))
    return None


def _safe(name: str) -> str:
    """Return *name* as a part of a file's name."""
    return "".join(one if one.isalnum() or one in "-_" else "_" for one in name)[:60] or "unknown"


# Between two answers of a session at least so many seconds pass until it is ingested again.
PAUSE_S = 300.0
# A process that ingests waits so long for the one before it.
_LONGEST_WAIT_S = 120.0
_OLD_S = 30 * 86_400.0
_SINCE = "since "


class Noted(NamedTuple):
    """A transcript to be ingested, and its session."""

    transcript: Path
    session: str
    client: str


def note(noted: Noted) -> None:
    """Note a transcript as grown. Raises OSError."""
    file = _file("pending", str(noted.transcript), ".json")
    said = {**noted._asdict(), "transcript": str(noted.transcript), "at": time.time()}
    written = file.with_suffix(".new")
    written.write_text(json.dumps(said), encoding="utf-8")
    written.replace(file)


def is_due(session: str) -> bool:
    """Return whether the last ingest of *session* is long enough ago for another one."""
    try:
        return time.time() - _name_done_file(session).stat().st_mtime > PAUSE_S
    except OSError:
        return True


class Pending(NamedTuple):
    """A noted transcript as it was when it was read."""

    noted: Noted
    file: Path
    text: str

    def finish(self) -> None:
        """Note that it was ingested, and forget it, unless it was noted again meanwhile."""
        _name_done_file(self.noted.session).touch()
        with suppress(OSError):
            if self.file.read_text(encoding="utf-8") == self.text:
                self.file.unlink()


@contextmanager
def take_pending() -> Iterator[Iterator[Pending]]:
    """Yield the noted transcripts, while no other process does. Raises sqlite3.OperationalError."""
    # Imported here, because no hook that answers needs it.
    import sqlite3

    # A transaction on an empty database is a lock on every system, and ends with the process.
    lock = sqlite3.connect(_file("pending", "lock", ".lock"), timeout=_LONGEST_WAIT_S)
    with closing(lock):
        lock.execute("BEGIN EXCLUSIVE")
        yield list_pending()


def list_pending() -> Iterator[Pending]:
    """Iterate over the noted transcripts."""
    for file in sorted((notes_folder() / "pending").glob("*.json")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            text = file.read_text(encoding="utf-8")
            said = json.loads(text)
            noted = Noted(Path(said["transcript"]), str(said["session"]), str(said["client"]))
            yield Pending(noted, file, text)


def forget_seen(session: str) -> None:
    """Note that the model no longer sees what was said in *session* until now."""
    with suppress(OSError):
        _name_seen_file(session).write_text(
            f"{_SINCE}{int(time.time() * 1_000)}\n", encoding="utf-8"
        )


def note_seen(session: str, ids: Iterable[tuple[str, int]]) -> None:
    """Note the memories that the model sees in *session*, each with its time (unix ms)."""
    with suppress(OSError):
        since, seen = _read(session)
        new = [one for one, at in ids if at >= since and one not in seen]
        with _name_seen_file(session).open("a", encoding="utf-8") as file:
            file.write("".join(f"{one}\n" for one in new))


def list_seen(session: str) -> set[str]:
    """Return the ids of the memories that the model sees in *session* already."""
    return _read(session)[1]


def clear_old() -> None:
    """Remove the notes on sessions that have not gone on for a month, or never could be read."""
    here = notes_folder()
    for file in (*(here / "sessions").glob("*"), *(here / "pending").glob("*.json")):
        with suppress(OSError):
            if time.time() - file.stat().st_mtime > _OLD_S:
                file.unlink()


def _read(session: str) -> tuple[int, set[str]]:
    try:
        lines = _name_seen_file(session).read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0, set()
    since = 0
    if lines and lines[0].startswith(_SINCE):
        since = int(lines[0].removeprefix(_SINCE))
    return since, {line for line in lines if not line.startswith(_SINCE)}


def _name_seen_file(session: str) -> Path:
    return _file("sessions", session, ".seen")


def _name_done_file(session: str) -> Path:
    return _file("sessions", session, ".done")


def _file(folder: str, name: str, suffix: str) -> Path:
    place = make_private_folder(make_private_folder(notes_folder()) / folder)
    return place / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}{suffix}"
