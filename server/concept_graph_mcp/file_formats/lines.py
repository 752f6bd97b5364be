"""Share the formats' lines, JSON parsing, and records.

Count the parts of a file that are converted or skipped, to report them.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Any, TextIO

from conceptgraph_core.texts.text import kind
from conceptgraph_core.verbs import limits
from conceptgraph_core.verbs.context import DEFAULT_USER
from conceptgraph_core.verbs.decaying import RULES, Rules

# The kind of a row with a text to `remember`; messages have no kind, and records theirs.
NOTE = "note"
_EXAMPLES = 5


class Tally:
    """Counts conversions and omissions, each kind with a few examples."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._examples: dict[tuple[str, str], dict[str, None]] = {}
        self.advice: dict[str, None] = {}

    def advise(self, line: str) -> None:
        """Note a line to print at the end, once."""
        self.advice[line] = None

    def count_changed(self, what: str, example: str = "") -> None:
        self._add("changed", what, example)

    def count_other(self, what: str) -> None:
        self._add("of others", what, "")

    def left_out(self, what: str, example: str = "") -> None:
        self._add("left out", what, example)

    def there_already(self, what: str, example: str) -> None:
        self._add("there already", what, example)

    def count_taken(self, what: str) -> None:
        self._add("taken as they are", what, "")

    def lines(self) -> Iterator[str]:
        """Iterate over the report's lines, one for each kind, in the order of their occurrence."""
        for key, count in self._counts.items():
            examples = list(self._examples[key])
            more = ["…"] if len(examples) > _EXAMPLES else []
            shown = f" ({', '.join(examples[:_EXAMPLES] + more)})" if examples else ""
            yield f"{': '.join(key)}: {count:,}{shown}"

    def counts(self) -> dict[str, int]:
        """Return the counts of the report, by the names in its lines."""
        return {": ".join(key): count for key, count in self._counts.items()}

    def _add(self, verb: str, what: str, example: str) -> None:
        self._counts[verb, what] += 1
        examples = self._examples.setdefault((verb, what), {})
        if example and len(examples) <= _EXAMPLES:
            examples[example] = None


# A line and its number, counted from 1.
Lines = Iterator[tuple[int, str]]
Record = dict[str, Any]

# Longer than any integer that can be stored; longer ones become this one, because parsing them
# takes long.
_INTEGER_CHARACTERS = 20
ALL_LONGER = 10**_INTEGER_CHARACTERS
# In characters. One line may hold a document of many memories, but must fit into memory.
_LONGEST = 2**26
# A nesting depth that drivers and hosts accept without exhausting their stack.
_DEEPEST = 50


class FormatError(Exception):
    """A line cannot be understood; the message begins with its number."""


@dataclass(frozen=True, slots=True)
class Row:
    """A record and its line number, counted from 1, or another position in *unit*."""

    line: int
    record: Record
    unit: str = "line"

    @property
    def place(self) -> str:
        return f"{self.unit} {self.line}"


@dataclass(frozen=True, slots=True)
class Naming:
    """Values for records whose file does not state them.

    *date* ("YYYYMMDD") begins the names of new episodes; *known* has names from an earlier import,
    by the part after their date. Memories belong to *user_id*. Their scores are computed from
    *now_ms* (unix ms) and *decay*. *embedding* (name, dimension) is that of the store's vectors.
    The user may be *called* by other names, and days are those of *zone*. With *with_notes*
    each thing said of an entity is a note too.
    """

    date: str = ""
    known: Mapping[str, str] = field(default_factory=dict)
    user_id: str = DEFAULT_USER
    now_ms: int = 0
    decay: Rules = RULES
    embedding: tuple[str, int] | None = None
    called: tuple[str, ...] = ()
    zone: tzinfo = UTC
    with_notes: bool = True

    def episode(self, concept: str, said: str, at: int | None = None) -> str:
        """Return the name of the episode in which *said* was said of *concept*, *at* a time.

        The name is derived from the two, so that reading a file twice does not store it twice.
        """
        key = self._key(concept, said)
        day = None if at is None else datetime.fromtimestamp(at / 1_000, self.zone)
        return self.known.get(key, f"{self.date if day is None else f'{day:%Y%m%d}'}/{key}")

    def knows(self, concept: str, said: str) -> bool:
        """Return whether an earlier import has stored it."""
        return self._key(concept, said) in self.known

    def _key(self, concept: str, said: str) -> str:
        digest = hashlib.sha256(f"{concept}\0{said}".encode(errors="replace")).digest()
        number = f"-{int.from_bytes(digest[:5])}"
        room = limits.MAX_EPISODE_NAME - len("YYYYMMDD/") - len(number)
        return concept[:room] + number


def number_filled_lines(stream: TextIO, tally: Tally) -> Lines:
    """Number the lines of *stream*, and yield those that are neither blank nor a comment.

    A byte that is not UTF-8 arrives as a surrogate. Raises FormatError for one, and for a line that
    is too long.
    """
    for number, raw in enumerate(_lines(stream), 1):
        line = raw.rstrip("\r\n")
        if not line.isascii():
            try:
                line.encode()
            except UnicodeEncodeError:
                raise FormatError(f"line {number}: is not UTF-8 text") from None
        if line.lstrip().startswith("#"):
            tally.left_out("comments")
        elif line.strip():
            yield number, line


def _lines(stream: TextIO) -> Iterator[str]:
    number = 0
    while line := stream.readline(_LONGEST + 1):
        number += 1
        if len(line) > _LONGEST:
            raise FormatError(f"line {number}: is longer than {_LONGEST:,} characters")
        yield line


def json_objects(lines: Lines) -> Iterator[tuple[int, Record]]:
    """Iterate over the JSON objects in *lines*, with their numbers. Raises FormatError."""
    for number, line in lines:
        try:
            record = json.loads(line, parse_int=_integer)
        except ValueError:
            record = None
        except RecursionError:
            raise FormatError(f"line {number}: is nested too deeply") from None
        if not isinstance(record, dict):
            raise FormatError(f"line {number}: is not a JSON object")
        yield number, record


def plain(number: int, key: str, value: Any) -> None:
    """Raise FormatError if *value* is a list or a map, or cannot be sent to a store."""
    if isinstance(value, (list, dict)):
        raise FormatError(f"line {number}: {shorten_key(key)}: must not be {kind(value)}")
    sendable(number, key, value)


def sendable(number: int, key: str, value: Any, depth: int = 0) -> None:
    """Raise FormatError if no store accepts *value*: too large an integer, or nested too deeply."""
    if isinstance(value, int) and not -limits.MAX_INTEGER - 1 <= value <= limits.MAX_INTEGER:
        raise FormatError(f"line {number}: {shorten_key(key)}: is an integer of more than 64 bits")
    if isinstance(value, (list, dict)):
        if depth == _DEEPEST:
            raise FormatError(f"line {number}: {shorten_key(key)}: is nested too deeply")
        for item in value.values() if isinstance(value, dict) else value:
            sendable(number, key, item, depth + 1)


def text(number: int, record: Record, key: str) -> str:
    """Return the text that *record* has under *key*. Raises FormatError."""
    value = record.get(key)
    if not isinstance(value, str):
        raise FormatError(f"line {number}: {key}: must be text, not {kind(value)}")
    return value


def shorten_key(key: str) -> str:
    """Return *key* for an error or a count, shortened if it is long."""
    return key if len(key) <= 40 else key[:39] + "…"


def spell_relation(relation: str) -> str:
    """Return a relation type in our spelling: "IS_A" and "is a" become "is-a"."""
    return relation.strip().lower().replace("_", "-").replace(" ", "-")


def _integer(literal: str) -> int:
    return int(literal) if len(literal) <= _INTEGER_CHARACTERS else ALL_LONGER
