"""Format log records as one line each, and write them to a stderr that nobody may read."""

import json
import logging
import os
import select
import sys
from datetime import UTC, datetime
from typing import Any

from .printable import printable

_FIELDS = "fields"


def tell(logger: logging.Logger, event: str, level: int = logging.INFO, /, **fields: Any) -> None:
    """Log *event*, a few words, with *fields*."""
    logger.log(level, event, extra={_FIELDS: fields})


class Lines(logging.Formatter):
    """Formats `TIME LEVEL event field=value …`, or one JSON object a line."""

    def __init__(self, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        level, event = record.levelname.lower(), record.getMessage()
        fields: dict[str, Any] = getattr(record, _FIELDS, {})
        if record.exc_info:
            fields = {**fields, "error": repr(record.exc_info[1])}
        if self._as_json:
            said = {"time": moment, "level": level, "event": event, **fields}
            return json.dumps(said, ensure_ascii=False, default=str)
        told = [f"{name}={_value(value)}" for name, value in fields.items()]
        return printable(" ".join([moment, level, event, *told]))


def _value(value: Any) -> str:
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if not text or " " in text else text


_NAME = "concept-graph-mcp"
# A pipe that reports room accepts at least this many bytes.
_AT_ONCE = 4_096


def log_there(form: logging.Formatter | None = None) -> None:
    """Send the log to stderr, a line for each message, as *form* says; for a serving process."""
    if sys.stderr is None:
        # Otherwise the next file to be opened would become stderr.
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    handler = _Lines()
    handler.setFormatter(form or logging.Formatter("%(levelname)s: %(message)s"))
    # The MCP library's handler would end the process with the reader, and breaks lines.
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def say(line: str) -> None:
    """Print a line after the program's name, as its last messages are."""
    _write(f"{_NAME}: {line}\n")


class _Lines(logging.Handler):
    """Writes log lines as long as a reader takes them."""

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
        return  # The reader has gone.


def _takes_more(stream: int) -> bool:
    """Return whether writing will not block on a reader that has stopped reading."""
    # Windows can report this for sockets only.
    return sys.platform == "win32" or bool(select.select([], [stream], [], 0)[1])
