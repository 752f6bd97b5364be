"""Read a message history in JSON Lines, one line at a time."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from conceptgraph_core import limits

from .errors import HistoryError

_EPOCH = datetime(1970, 1, 1, tzinfo=ZoneInfo("UTC"))
# Unix seconds up to the year 5138 are below this; milliseconds since 1973 are above.
_LEAST_MS = 100_000_000_000


@dataclass(frozen=True, slots=True)
class Message:
    """One line of the history. `at` is in local time; `day` never precedes an earlier line's."""

    line: int
    role: str
    text: str
    at: datetime
    day: date
    thread: str
    user_id: str | None

    @property
    def speaker(self) -> str:
        return f"{self.role} {self.user_id}" if self.user_id else self.role


def read(file: Path, zone: ZoneInfo, last_line: int | None = None) -> Iterator[Message]:
    """Iterate over the messages of *file* with a text, up to *last_line*, in time order.

    Raises HistoryError.
    """
    earlier: Message | None = None
    try:
        with file.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if last_line is not None and number > last_line:
                    return
                if line.strip():
                    message = _message(number, line, zone, earlier)
                    earlier = message
                    if message.text.strip():
                        yield message
    except OSError as error:
        raise HistoryError(f"{file}: {error.strerror or error}") from None


def _message(number: int, line: bytes, zone: ZoneInfo, earlier: Message | None) -> Message:
    record = _record(number, line)
    at = _time(number, record.get("created_at"), zone)
    day = at.date()
    if earlier is not None:
        # Compared as instants: within one zone Python compares wall-clock times.
        if at.timestamp() < earlier.at.timestamp():
            raise HistoryError(
                f"line {number}: created_at is earlier than in line {earlier.line};"
                " sort the file by created_at"
            )
        # Clocks set back over midnight must not lead back into a day that has ended.
        day = max(day, earlier.day)
    return Message(
        line=number,
        role=_text(number, record, "role"),
        # A character that no encoding has, such as half of a surrogate pair, becomes a question
        # mark.
        text=_text(number, record, "text", may_be_empty=True).encode(errors="replace").decode(),
        at=at,
        day=day,
        thread=_text(number, record, "thread"),
        user_id=None if record.get("user_id") is None else _text(number, record, "user_id"),
    )


def _record(number: int, line: bytes) -> Mapping[str, Any]:
    try:
        record = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError:
        raise HistoryError(f"line {number}: is not UTF-8 text") from None
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise HistoryError(f"line {number}: is not a JSON object")
    return record


def _text(number: int, record: Mapping[str, Any], key: str, may_be_empty: bool = False) -> str:
    value = record.get(key)
    if key in ("thread", "user_id") and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise HistoryError(f"line {number}: {key} must be a text")
    if not (value.strip() or may_be_empty):
        raise HistoryError(f"line {number}: {key} is empty")
    return value


def _time(number: int, value: Any, zone: ZoneInfo) -> datetime:
    """Return *value* in *zone*: unix milliseconds, or ISO 8601, local without an offset."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            moment = moment.replace(tzinfo=zone) if moment.tzinfo is None else moment
            return moment.astimezone(zone)
        if isinstance(value, int | float) and not isinstance(value, bool):
            if _LEAST_MS <= value <= limits.MAX_TIME_MS:
                return (_EPOCH + timedelta(milliseconds=value)).astimezone(zone)
            if 0 <= value < _LEAST_MS:
                raise HistoryError(f"line {number}: created_at must be milliseconds, not seconds")
    except (ValueError, OverflowError):
        pass
    raise HistoryError(f"line {number}: created_at must be unix milliseconds or ISO 8601")
