"""Read a message history in JSON Lines, one line at a time.

Write messages as text for a model: by thread, in time order, in parts of bounded size.

Cut a history into chunks of local days, counted from the user's first message.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from conceptgraph_core import limits

from .steps import HistoryError

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


_MOST_OF_A_NAME = 100


def write_line(message: Message) -> str:
    """Return *message* as one paragraph with its time and speaker."""
    text = message.text.strip().replace("\n", "\n    ")
    return f"[{message.at:%Y-%m-%d %H:%M}] {message.speaker}: {text}\n"


def parts(messages: Sequence[Message], most: int) -> list[str]:
    """Return the transcript of *messages* in parts of at most *most* characters."""
    made: list[str] = []
    part = ""
    for thread, lines in _threads(messages):
        header = f"# Thread {thread[:_MOST_OF_A_NAME]}\n\n"
        part += f"\n{header}" if part else header
        for piece in _pieces(lines, most - len(header)):
            if len(part) + len(piece) > most:
                # A part with only this thread's header ends before the header.
                made.append(part.removesuffix(header).rstrip("\n"))
                part = header
            part += piece
    made.append(part.rstrip("\n"))
    return [part for part in made if part]


def split(text: str, most: int) -> list[str]:
    """Return *text* in parts of at most *most* characters, cut between lines where possible."""
    made = [""]
    for piece in _pieces(text.splitlines(keepends=True), most):
        if len(made[-1]) + len(piece) > most:
            made.append("")
        made[-1] += piece
    return [part for part in made if part.strip()]


def estimated_tokens(text: str) -> int:
    """Estimate the tokens of *text*: four ASCII characters count as one, any other as one."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    return -(-ascii_characters // 4) + len(text) - ascii_characters


def _threads(messages: Sequence[Message]) -> Iterator[tuple[str, list[str]]]:
    threads: dict[str, list[str]] = {}
    for message in messages:
        threads.setdefault(message.thread, []).append(write_line(message))
    yield from threads.items()


def _pieces(lines: Sequence[str], most: int) -> Iterator[str]:
    for text in lines:
        for start in range(0, len(text), most):
            yield text[start : start + most]


@dataclass(frozen=True, slots=True)
class Calendar:
    """Chunks of *days* local days from *first*, numbered from 1."""

    first: date
    days: int
    zone: ZoneInfo

    def number(self, day: date) -> int:
        """Return the number of the chunk that contains *day*; below 1 before the first chunk."""
        return (day - self.first).days // self.days + 1

    def first_day(self, number: int) -> date:
        return date.fromordinal(self.first.toordinal() + (number - 1) * self.days)

    def last_day(self, number: int) -> date:
        last = self.first.toordinal() + number * self.days - 1
        return date.fromordinal(min(last, date.max.toordinal() - 1))

    def end_ms(self, number: int) -> int:
        """Return the last millisecond of chunk *number*."""
        next_day = date.fromordinal(self.last_day(number).toordinal() + 1)
        midnight = datetime.combine(next_day, time(), self.zone)
        return int(midnight.timestamp()) * 1000 - 1


@dataclass(slots=True)
class Amount:
    """The size of a transcript."""

    messages: int = 0
    characters: int = 0
    tokens: int = 0

    def add(self, other: "Amount") -> None:
        self.messages += other.messages
        self.characters += other.characters
        self.tokens += other.tokens


@dataclass(frozen=True, slots=True)
class Survey:
    """The result of one pass over the history: `chunks` are those with messages, in order."""

    file: Path
    calendar: Calendar
    threads: frozenset[str]
    last_line: int
    chunks: dict[int, Amount]
    left_out: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """The messages of some local days in the user's threads, in time order."""

    number: int
    first_day: date
    last_day: date
    end_ms: int
    messages: list[Message] = field(repr=False)

    @property
    def dates(self) -> str:
        return dates(self.first_day, self.last_day)


def dates(first: date, last: date) -> str:
    """Return the range of days from *first* to *last* for people."""
    return f"{first}" if first == last else f"{first} to {last}"


def survey(file: Path, zone: ZoneInfo, user_id: str, days: int) -> Survey:
    """Read all of *file* once and check every line. Raises HistoryError.

    It counts the messages of every thread in which the user speaks anywhere in the file.
    """
    first: date | None = None
    threads: set[str] = set()
    amounts: dict[tuple[str, date], Amount] = {}
    last_line = 0
    for message in read(file, zone):
        last_line = message.line
        if message.user_id == user_id:
            first = first or message.day
            threads.add(message.thread)
        _add(amounts.setdefault((message.thread, message.day), Amount()), message)
    if first is None:
        raise HistoryError(f"{file}: no message has the user_id {user_id!r}")
    calendar = Calendar(first, days, zone)
    chunks: dict[int, Amount] = {}
    left_out = 0
    for (thread, day), amount in sorted(amounts.items(), key=lambda item: item[0][1]):
        if thread in threads and day >= first:
            chunks.setdefault(calendar.number(day), Amount()).add(amount)
        else:
            left_out += amount.messages
    return Survey(file, calendar, frozenset(threads), last_line, chunks, left_out)


def chunks(surveyed: Survey, wanted: Collection[int]) -> Iterator[Chunk]:
    """Iterate over the *wanted* chunks, with one in memory at a time. Raises HistoryError."""
    calendar = surveyed.calendar
    number = 0
    messages: list[Message] = []
    for message in read(surveyed.file, calendar.zone, surveyed.last_line):
        if message.thread not in surveyed.threads or message.day < calendar.first:
            continue
        its_number = calendar.number(message.day)
        if its_number != number:
            if messages:
                yield _chunk(calendar, number, messages)
            number, messages = its_number, []
            if number > max(wanted):
                return
        if number in wanted:
            messages.append(message)
    if messages:
        yield _chunk(calendar, number, messages)


def _chunk(calendar: Calendar, number: int, messages: list[Message]) -> Chunk:
    days = calendar.first_day(number), calendar.last_day(number)
    return Chunk(number, *days, calendar.end_ms(number), messages)


def _add(amount: Amount, message: Message) -> None:
    line = write_line(message)
    amount.add(Amount(1, len(line), estimated_tokens(line)))
