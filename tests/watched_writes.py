"""Who writes outside the tests' own directory: noticed as it is tried, whoever calls the system.

Only what this process does is seen, not what it starts.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# What pytest, Hypothesis and the interpreter keep for themselves.
_CACHES = frozenset({"__pycache__", ".pytest_cache", ".hypothesis"})
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# A file without a name, of which nothing is left.
_NAMELESS = getattr(os, "O_TMPFILE", 0)
# Event of the interpreter -> which of its arguments are paths that it changes.
_PATHS = {
    "os.mkdir": (0,), "os.remove": (0,), "os.rmdir": (0,), "os.truncate": (0,), "os.chmod": (0,),
    "os.chown": (0,), "os.rename": (0, 1), "os.link": (1,), "os.symlink": (1,),
    "shutil.rmtree": (0,), "sqlite3.connect": (0,),
}  # fmt: skip


class Watch:
    """Notes whatever would be written to a place that is not below *allowed*."""

    def __init__(self, *allowed: Path) -> None:
        self._allowed = [path.resolve() for path in allowed]
        self._found: list[str] = []
        self._machines_own = tempfile.gettempdir()

    def strays(self) -> list[str]:
        """Return what was noticed since the last time."""
        found, self._found = self._found, []
        return found

    @contextmanager
    def elsewhere(self) -> Iterator[Path]:
        """A directory that other users can reach, as they cannot those of pytest."""
        before = self.strays()
        with tempfile.TemporaryDirectory(dir=self._machines_own) as name:
            directory = Path(name).resolve()
            self._allowed.append(directory)
            directory.chmod(0o755)
            self._found = before
            yield directory
            before = self.strays()
        self._found = before
        self._allowed.remove(directory)

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Be told of an event, as `sys.addaudithook` has it."""
        paths = _written(event, arguments)
        self._found += [f"{event} {os.fsdecode(path)}" for path in paths if not self._may(path)]

    def _may(self, given: Any) -> bool:
        name = os.fsdecode(given)
        if name in ("", ":memory:") or (name.startswith("file:") and "mode=ro" in name):
            return True
        path = Path(os.path.realpath(name.removeprefix("file:").partition("?")[0]))
        if path.is_relative_to("/dev") or not _CACHES.isdisjoint(path.parts):
            return True
        return any(path.is_relative_to(allowed) for allowed in self._allowed)


def _written(event: str, arguments: tuple[Any, ...]) -> list[Any]:
    if event == "open":
        path, mode, flags = arguments
        writes = not {"w", "a", "x", "+"}.isdisjoint(mode or "") or flags & _WRITING
        nameless = _NAMELESS and flags & _NAMELESS == _NAMELESS
        paths = [path] if writes and not nameless else []
    elif event in ("os.remove", "os.rmdir") and arguments[1] != -1:
        # Within a directory that is open: `shutil.rmtree` has said which.
        paths = []
    else:
        paths = [arguments[index] for index in _PATHS.get(event, ())]
    # A number is a file that was opened before.
    return [path for path in paths if not isinstance(path, int)]
