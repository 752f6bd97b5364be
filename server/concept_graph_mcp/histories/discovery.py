"""Find the histories that agents have left on this machine."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from . import claude_code, codex
from .formats import SUFFIXES, History, recognise_format

_PLACES = {claude_code.NAME: claude_code.FOLDERS, codex.NAME: codex.FOLDERS}


class Found(NamedTuple):
    """The histories of one agent in a folder: their files, bytes, and times (unix seconds)."""

    format: str
    folder: Path
    files: tuple[Path, ...]
    size: int
    first: float
    last: float


def discover_histories(home: Path | None = None) -> Iterator[Found]:
    """Iterate over the histories below *home*, by default the user's."""
    for name, folders in _PLACES.items():
        for folder in folders:
            path = Path(folder).expanduser() if home is None else home / folder[2:]
            files = tuple(one for one in sorted(path.rglob("*.jsonl")) if one.is_file())
            if files:
                stats = [one.stat() for one in files]
                times = [one.st_mtime for one in stats]
                size = sum(one.st_size for one in stats)
                yield Found(name, path, files, size, min(times), max(times))


def histories(
    path: Path, given: str | None = None
) -> Iterator[tuple[Path, History | OSError | None]]:
    """Iterate over the files of *path*, a file or a folder, each with its history if it is one.

    *given* is the format of all files; without it the content tells. A pipe, which can be read only
    once, is no history. An unreadable file of a folder comes with its error; alone it raises that.
    """
    if not path.is_dir():
        yield path, _history(path, given)
        return
    for file in sorted(_list_files_below(path)):
        try:
            yield file, _history(file, given)
        except OSError as error:
            yield file, error


def _history(file: Path, given: str | None) -> History | None:
    name = given or (recognise_format(file) if file.is_file() else None)
    return None if name is None else History(file, name)


def _list_files_below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix.lower() in SUFFIXES and path.is_file():
            yield path
