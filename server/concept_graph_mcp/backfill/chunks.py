"""Cut a history into chunks of local days, counted from the user's first message."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path
from zoneinfo import ZoneInfo

from . import transcript
from .errors import HistoryError
from .history import Message, read


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
    line = transcript.line(message)
    amount.add(Amount(1, len(line), transcript.estimated_tokens(line)))
