"""Read messages of conversations, a JSON object a line: {id, thread, time_ms, speaker, text}.

The names of a backfill file work too: `created_at` for the time, and `role`, with `user_id`, for
the speaker.
"""

import hashlib
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, TextIO
from zoneinfo import ZoneInfo

from conceptgraph_core.texts import text as texts
from conceptgraph_core.texts.dates import unix_ms
from conceptgraph_core.texts.text import kind
from conceptgraph_core.verbs import limits
from conceptgraph_core.verbs.errors import ConceptGraphError

from .lines import ALL_LONGER, FormatError, Record, Row, Tally, json_objects, number_filled_lines

# Unix seconds up to the year 5138 are below this; milliseconds since 1973 are above.
_LEAST_MS = 100_000_000_000
# The name space of memory ids. It never changes: another one would import all messages again.
_IDS: Final = uuid.UUID("5ba7e2f5-6a2b-4bb4-8a3c-58a1f0f3c2d1")
# So many lines are remembered to compare others with, whatever the length of the file.
_COMPARED: Final = 100_000


class Messages:
    """The messages of a file, for *user_id*; *thread* is the thread of lines that name none.

    Messages longer than *longest* characters are left out and reported, like those without text:
    one pasted document must not block the messages after it.

    A message always becomes the same memory: its id is derived from its thread and its own id or,
    if it has none, from the whole line.
    """

    def __init__(
        self,
        user_id: str,
        zone: ZoneInfo,
        thread: str | None,
        longest: int = limits.MAX_CONTENT,
        tally: Tally | None = None,
    ) -> None:
        self.tally = tally or Tally()
        self._longest = longest
        self._user_id = user_id
        self._zone = zone
        self._thread = thread
        self._known: dict[str, tuple[int, int]] = {}
        self._alike: Counter[str] = Counter()

    def rows(self, stream: TextIO) -> Iterator[Row]:
        """Iterate over the messages in the lines of *stream*. Raises FormatError."""
        for number, record in json_objects(number_filled_lines(stream, self.tally)):
            try:
                message = self._message(number, record)
            except ConceptGraphError as error:
                raise FormatError(f"line {number}: {error}") from None
            if message is not None:
                yield Row(number, message)

    def _message(self, number: int, record: Record) -> Record | None:
        said = _said(record, "text")
        if not said.strip():
            self.tally.left_out("messages without text")
            return None
        if len(said) > self._longest:
            what = f"messages of more than {self._longest:,} characters"
            self.tally.left_out(what, f"line {number}")
            return None
        message: Record = {
            "text": texts.long(said, "text", self._longest),
            "thread": self._read_name(record, "thread"),
            "speaker": _speaker(record),
            "said_at": read_time(number, record, self._zone),
        }
        given = record.get("id")
        if given is None:
            return {**message, "id": self._id("of all", self._join_parts(message))}
        own = self._read_name(record, "id")
        self._check_again(number, own, message)
        made = self._id("of id", message["thread"], own)
        return {**message, "id": made, "metadata": {"message_id": own}}

    def of_history(self, records: Iterable[Record]) -> Iterator[Row]:
        """Iterate over the messages of a history, which has a `key` for each. Raises FormatError.

        It is the same message in whatever session it comes again, such as a resumed one.
        """
        for number, record in enumerate(records, 1):
            said = _encodable(record["text"])
            if len(said) > self._longest:
                self.tally.left_out(f"messages of more than {self._longest:,} characters")
                continue
            yield Row(
                number,
                {
                    "id": self._id("of history", record["key"]),
                    "text": said,
                    "thread": _encodable(record["thread"]),
                    "speaker": record["speaker"],
                    "said_at": record["time_ms"],
                    "tags": record.get("tags") or [],
                    "concepts": record.get("concepts") or [],
                    "metadata": {"message_id": record["key"]},
                },
                "message",
            )

    def _read_name(self, record: Record, key: str) -> str:
        """Return a name, which may also be written as a number."""
        value = record.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            if value == ALL_LONGER:
                raise ConceptGraphError(f"{key}: is too long a number; write it as text")
            return str(value)
        if value is None and key == "thread":
            return self._thread_of_all(record)
        return texts.name(_said(record, key), key)

    def _thread_of_all(self, record: Record) -> str:
        if self._thread is None:
            what = "must be text, not null" if "thread" in record else "is missing"
            raise ConceptGraphError(f"thread: {what}; --thread names one for all")
        return self._thread

    def _join_parts(self, message: Record) -> str:
        """Return the parts that identify *message*; equal messages at one time count as two."""
        said = "\0".join(str(message[key]) for key in ("thread", "said_at", "speaker", "text"))
        digest = hashlib.sha256(said.encode()).hexdigest()
        self._alike[digest] += 1
        _forget_first(self._alike)
        return f"{digest} {self._alike[digest]}"

    def _check_again(self, number: int, own: str, message: Record) -> None:
        """Raise FormatError if an earlier line has the same id and different content."""
        said = hash(tuple(message.values()))
        line, before = self._known.setdefault(f"{message['thread']}\0{own}", (number, said))
        _forget_first(self._known)
        if before != said:
            raise FormatError(
                f"line {number}: id: {texts.show_name(own)} is that of line {line} too,"
                " which says something else"
            )

    def _id(self, *parts: str) -> str:
        return str(uuid.uuid5(_IDS, "\0".join((self._user_id, *parts))))


def _forget_first(lines: dict[str, Any]) -> None:
    """Keep *lines* bounded. The store compares those that come again much later."""
    if len(lines) > _COMPARED:
        del lines[next(iter(lines))]


def _said(record: Record, key: str) -> str:
    """Return a text; an unpaired surrogate, which no encoding has, becomes a question mark."""
    value = record.get(key)
    if not isinstance(value, str):
        what = "is missing" if key not in record else f"must be text, not {kind(value)}"
        raise ConceptGraphError(f"{key}: {what}")
    return _encodable(value)


def _encodable(value: str) -> str:
    return value.encode(errors="replace").decode()


def _speaker(record: Record) -> str:
    if "speaker" in record or "role" not in record:
        return texts.name(_said(record, "speaker"), "speaker")
    user = record.get("user_id")
    role = _said(record, "role")
    return texts.name(role if user is None else f"{role} {user}", "role")


def read_time(number: int, record: Record, zone: ZoneInfo) -> int:
    """Return the time of a message (unix ms): milliseconds, or ISO 8601, local without an offset.

    Raises FormatError.
    """
    key = "time_ms" if "time_ms" in record else "created_at"
    value: Any = record.get(key)
    if key not in record:
        raise FormatError(f"line {number}: time_ms: is missing")
    try:
        if isinstance(value, str):
            if (time_ms := unix_ms(value, zone)) <= limits.MAX_TIME_MS:
                return time_ms
        elif isinstance(value, int | float) and not isinstance(value, bool):
            if _LEAST_MS <= value <= limits.MAX_TIME_MS:
                return int(value)
            if 0 <= value < _LEAST_MS:
                raise FormatError(f"line {number}: {key}: must be milliseconds, not seconds")
    except (ValueError, OverflowError):
        pass
    raise FormatError(f"line {number}: {key}: must be unix milliseconds or ISO 8601")
