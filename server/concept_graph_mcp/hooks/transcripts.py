"""Remember which transcripts are still to be ingested, and what of them a session still sees.

A hook only notes the transcript and starts a process that ingests all that are noted. So a hook
answers at once, and what a killed process has left is done by the next one.
"""

import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from . import journal

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
    """Yield the noted transcripts, while no other process does. Raises filelock.Timeout."""
    # Imported here, because no hook that answers needs it.
    import filelock

    with filelock.FileLock(_file("pending", "lock", ".lock"), timeout=_LONGEST_WAIT_S):
        yield list_pending()


def list_pending() -> Iterator[Pending]:
    """Iterate over the noted transcripts."""
    for file in sorted((journal.notes_folder() / "pending").glob("*.json")):
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
    here = journal.notes_folder()
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
    place = journal.make_private_folder(
        journal.make_private_folder(journal.notes_folder()) / folder
    )
    return place / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}{suffix}"
