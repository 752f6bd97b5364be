"""Format log records as one line each, with their fields, for people or as JSON."""

import json
import logging
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
