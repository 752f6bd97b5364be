"""What a server says on stderr, where perhaps nobody reads: that must neither end nor stop it."""

import logging
import os
import select
import sys

_NAME = "concept-graph-mcp"
# Of a pipe that is said to take something, so much is taken at once.
_AT_ONCE = 4_096


def log_there() -> None:
    """Send the log to stderr, a line a message; for a process that serves."""
    if sys.stderr is None:
        # Or the next file to be opened would be called stderr.
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    handler = _Lines()
    handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    # The MCP library's own would end the process with the reader, and breaks lines.
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def say(line: str) -> None:
    """Print a line under the program's name, which is how its last words begin."""
    _write(f"{_NAME}: {line}\n")


class _Lines(logging.Handler):
    """Writes what is logged for as long as somebody takes it."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            _write(self.format(record) + "\n")
        except Exception:  # noqa: BLE001
            self.handleError(record)


def _write(text: str) -> None:
    try:
        stream = sys.stderr.fileno()
        data = text.encode(errors="backslashreplace")
        for start in range(0, len(data), _AT_ONCE):
            if not _takes_more(stream):
                return
            os.write(stream, data[start : start + _AT_ONCE])
    except (OSError, ValueError):
        return  # Nobody is there any more.


def _takes_more(stream: int) -> bool:
    """Tell whether writing will not wait for a reader who has stopped reading."""
    # On Windows only sockets can be asked.
    return sys.platform == "win32" or bool(select.select([], [stream], [], 0)[1])
