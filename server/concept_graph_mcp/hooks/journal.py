"""Note what hooks did: a line in `hooks.log`, and the last result of each client and event.

A result is noted as begun first. So one that stays begun was ended at its deadline.
"""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from .. import settings
from ..printable import printable

LOG = "hooks.log"
BEGUN = "no answer in time"
_LONGEST_LOG = 1_000_000


class Last(NamedTuple):
    """The last call of an event by a client, at a time (unix ms), and what came of it."""

    client: str
    event: str
    at: int
    result: str


def notes_folder() -> Path:
    """Return the folder in which the hooks keep their notes."""
    return settings.data_directory() / "hooks"


def make_private_folder(place: Path) -> Path:
    """Return the folder *place*, made for its owner alone."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


def note_result(client: str, event: str, result: str) -> None:
    """Note *result* as the last one of *event*. A disk that takes no notes is no reason to fail."""
    with suppress(OSError):
        said = Last(_safe(client), _safe(event), int(time.time() * 1_000), printable(result))
        place = make_private_folder(make_private_folder(notes_folder()) / "last")
        file = place / f"{said.client}.{said.event}.json"
        written = file.with_suffix(".new")
        written.write_text(json.dumps(said._asdict()), encoding="utf-8")
        written.replace(file)


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
    found = []
    for file in (notes_folder() / "last").glob("*.json"):
        with suppress(OSError, ValueError, TypeError):
            found.append(Last(**json.loads(file.read_text(encoding="utf-8"))))
    return iter(sorted(found, key=lambda one: -one.at))


def _safe(name: str) -> str:
    """Return *name* as a part of a file's name."""
    return "".join(one if one.isalnum() or one in "-_" else "_" for one in name)[:60] or "unknown"
