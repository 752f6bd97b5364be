"""Backup files: how they are called, which are to go, and what one holds when it is read back."""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from .. import formats
from ..errors import StoreError

_STAMP = "%Y%m%d-%H%M%S"


class BadBackup(StoreError):
    """A file that cannot be restored from: damaged, or of another kind."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a graph holds; `newest_accessed_at` is in unix ms, 0 for an empty one."""

    concepts: int
    episodes: int
    relations: int
    newest_accessed_at: int


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup file and the local time at which it was made."""

    file: Path
    made_at: datetime


def fresh_file(directory: Path, suffix: str, now: datetime) -> Path:
    """Return a name in *directory* that nothing has yet, for a backup made at *now*."""
    stamp = f"{now:{_STAMP}}"
    file, number = directory / f"{stamp}{suffix}", 1
    while file.exists():
        number += 1
        file = directory / f"{stamp}-{number}{suffix}"
    return file


def listed(directory: Path, suffix: str) -> list[Backup]:
    """Return the backups in *directory*, the oldest first; other files are not looked at."""
    pattern = re.compile(rf"(\d{{8}}-\d{{6}})(?:-(\d+))?{re.escape(suffix)}")
    found = []
    for file in directory.glob(f"*{suffix}") if directory.is_dir() else ():
        match = pattern.fullmatch(file.name)
        if match:
            made_at = datetime.strptime(match[1], _STAMP)
            found.append((made_at, int(match[2] or 1), file))
    return [Backup(file, made_at) for made_at, _, file in sorted(found)]


def outdated(
    backups: list[Backup], keep: int | None, max_age: timedelta | None, now: datetime
) -> list[Backup]:
    """Return what is beyond the newest *keep* or older than *max_age*; never the newest."""
    kept = len(backups) if keep is None else max(1, keep)
    gone = backups[: len(backups) - kept]
    if max_age is not None:
        gone += [one for one in backups[len(gone) : -1] if now - one.made_at > max_age]
    return gone


def records(file: Path) -> Iterator[dict[str, Any]]:
    """Iterate over the records of a backup that is a compressed export. Raises BadBackup."""
    try:
        with gzip.open(file, "rt", encoding="utf-8") as stream:
            head = json.loads(stream.readline() or "null")
            if not isinstance(head, dict) or head.get("kind") != formats.NATIVE:
                raise BadBackup(f"{file}: is not a backup of a concept graph")
            stream.seek(0)
            for row in formats.rows(stream, formats.NATIVE):
                yield row.record
    except (EOFError, OSError, ValueError, formats.FormatError) as error:
        raise BadBackup(f"{file}: is damaged or of another kind: {_line(error)}") from None


def contents(file: Path) -> Contents:
    """Read a compressed export through and return what it holds. Raises BadBackup."""
    counts: Counter[str] = Counter()
    newest = 0
    for record in records(file):
        counts[str(record.get("kind"))] += 1
        newest = max(newest, record.get("accessed_at") or 0)
    return Contents(counts["concept"], counts["episode"], counts["relation"], newest)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
