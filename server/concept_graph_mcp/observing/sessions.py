"""Split a history into sessions: after an hour of silence a thread begins a new one.

Tell the user from other speakers, who count as the model and raise no trust.

Look up known entities that a message may mean, to show them to a model.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conceptgraph_core.entities import names, rule_extractor, schema
from conceptgraph_core.retrieval.question import USERS
from conceptgraph_core.verbs import limits

from .. import calls
from ..calls.call import spoken
from ..calls.entities import HOUR_MS
from ..errors import Refused
from ..printable import printable
from ..session import Clock, Session


@dataclass(slots=True)
class Open:
    """An open session, and the time of its last message (unix ms)."""

    session_id: str
    last_ms: int


class Sessions:
    """Assigns each message to a session; messages must come in the file's order.

    A thread's first session has the thread's name, the next ones have a number: "thread #2". So the
    same file has the same sessions each time, also after it has grown.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[str, Open] = OrderedDict()
        self._numbers: dict[str, int] = {}

    def assign_session(self, thread: str, at_ms: int) -> tuple[str, list[Open]]:
        """Return the session of a message in *thread*, and the sessions that ended before it."""
        ended = self._silent(at_ms)
        now = self._open.get(thread)
        if now is None:
            number = self._numbers[thread] = self._numbers.get(thread, 0) + 1
            now = Open(thread if number == 1 else f"{thread} #{number}", at_ms)
            self._open[thread] = now
        # A late message does not turn the clock back.
        now.last_ms = max(now.last_ms, at_ms)
        self._open.move_to_end(thread)
        return now.session_id, ended

    def rest(self) -> list[Open]:
        """Return the sessions that end with the file."""
        rest = list(self._open.values())
        self._open.clear()
        return rest

    def _silent(self, at_ms: int) -> list[Open]:
        """Remove and return the sessions silent for an hour, the longest silent first.

        In a file out of time order a session ends somewhat later than that.
        """
        ended = []
        while self._open:
            thread, first = next(iter(self._open.items()))
            if at_ms - first.last_ms < HOUR_MS:
                break
            ended.append(self._open.pop(thread))
        return ended


_USERS = frozenset(USERS)


class Speakers:
    """Tells the user from all others by name; the user's names can be given."""

    def __init__(self, user_id: str, said: Iterable[str] = ()) -> None:
        named = frozenset(names.canonical(one) for one in said)
        self._users = named or _USERS | {names.canonical(user_id)}
        self._others: dict[str, None] = {}
        self.user_spoke = False

    def find_role(self, speaker: str) -> str:
        """Return "user" or "model"."""
        name = names.canonical(speaker)
        # The form in which `Messages` joins a role and a user_id.
        if name in self._users or name.partition(" ")[0] in self._users & _USERS:
            self.user_spoke = True
            return schema.USER
        self._others.setdefault(speaker)
        return schema.MODEL

    @property
    def other_speakers(self) -> list[str]:
        return list(self._others)


Row = dict[str, Any]

# The most entities shown to a model: those that names mean, for each name, and those of late.
MOST = 10
_EACH = 3
_LATEST = 10
# More are read, because merged ones and emotions are among them.
_READ = 3 * _LATEST
_MOST_NAMES = 8
_MOST_OF_A_LINE = 160


@dataclass(frozen=True, slots=True)
class Candidate:
    """A known entity: its id, label, kind (or type), and a line about it."""

    entity_id: str
    label: str
    kind: str
    line: str = ""

    def __str__(self) -> str:
        line = f": {self.line}" if self.line else ""
        return f"{self.entity_id} | {self.label} ({self.kind}){line}"[: _MOST_OF_A_LINE + 40]


async def candidates(session: Session, text: str) -> list[Candidate]:
    """Return the entities that *text* may mean: by the names in it, and those active lately.

    "The puppy chewed my shoe again" has no name. Entities that are connected most are not shown,
    because a model would link everything to them.
    """
    found: dict[str, Row] = {}
    for name in _names(text):
        call = calls.entities.search(name, limit=_EACH, user_id=session.user_id)
        for row in await session.run(call):
            found.setdefault(row["entity_id"], row)
    named = list(found.values())[:MOST]
    latest = [row for row in await _find_latest(session) if row["entity_id"] not in found]
    return [await _candidate(session, row) for row in [*named, *latest]]


async def _find_latest(session: Session) -> list[Row]:
    """Return the entities that were activated last, each component by its canonical one."""
    rows = await session.run(calls.entities.listed((), _READ))
    shown = (row for row in rows if row["is_active"] and row["merged_into"] is None)
    return [row for row in shown if row["type"] != "emotion"][:_LATEST]


def _names(text: str) -> Iterator[str]:
    rows = rule_extractor.observations(text, spoken(), with_known=True)
    named = [row["label"] for row in rows if row["label"] != schema.SELF]
    yield from dict.fromkeys([*named[: _MOST_NAMES - 1], schema.SELF])


async def _candidate(session: Session, row: Row) -> Candidate:
    [whole] = await session.run(calls.entities.get(row["entity_id"], limit=1))
    facts = [f"{one['predicate']} {one.get('value') or ''}" for one in whole["facts"]]
    said = [one.get("context") or one.get("label") or "" for one in whole["mentions"]]
    # Quoted text of a speaker, kept on one line.
    line = printable("; ".join([*facts[:_EACH], *said[:1]]))[:_MOST_OF_A_LINE]
    return Candidate(row["entity_id"], row["label"], row.get("kind") or row["type"], line)


Record = Mapping[str, Any]

# Its words are no person's: it names whoever a book or a page names.
_PROGRAM = "assistant"
_PLACE = "place"


class People:
    """Observes the people of messages, each message once, in one transaction.

    A thread of lines without a format is divided as `observe` does it. A session of a history is
    the part of its thread on one day: so it is the same wherever reading goes on.
    """

    def __init__(self, session: Session, me: Collection[str] = (), *, by_silence: bool) -> None:
        # The time of a message is no time of the other calls.
        self._session = replace(session, clock=Clock())
        # In a history, the user is called so already.
        self._speakers = Speakers(session.user_id, (*me, schema.USER) if me else ())
        self._sessions = Sessions() if by_silence else None
        self._open: dict[str, int] = {}
        self.mentions = self.entities = 0

    def name_sessions(self, records: Iterable[Record]) -> list[str]:
        """Return the session of each of *records*, which come in the order of their file."""
        if self._sessions is None:
            return [
                f"{one['thread']} #{self._session.local(one['said_at']):%Y-%m-%d}"
                for one in records
            ]
        return [self._sessions.assign_session(one["thread"], one["said_at"])[0] for one in records]

    async def observe(self, records: Iterable[tuple[Record, str]]) -> list[tuple[str, int]]:
        """Observe *records*, each in its session, and return the new entities with these times.

        Raises StoreError.
        """
        now: set[str] = set()
        found: list[tuple[str, int]] = []
        for record, session_id in records:
            now.add(session_id)
            rows = self._extract(record)
            if rows:
                made = await self._store(record, session_id, rows)
                found += ((entity_id, record["said_at"]) for entity_id in made)
        for session_id in [one for one in self._open if one not in now]:
            await self._end(Open(session_id, self._open.pop(session_id)))
        return found

    async def finish(self) -> None:
        """End the sessions that are open."""
        for session_id, last_ms in self._open.items():
            await self._end(Open(session_id, last_ms))
        self._open.clear()

    def _extract(self, record: Record) -> list[dict[str, Any]]:
        text = record["text"]
        if record["speaker"] == _PROGRAM or len(text) > limits.MAX_SUMMARY:
            return []
        role = self._speakers.find_role(record["speaker"])
        rows = rule_extractor.observations(text, spoken(), role, with_known=True)
        return rows if role == schema.USER else [_drop_claims(one) for one in rows]

    async def _store(
        self, record: Record, session_id: str, rows: list[dict[str, Any]]
    ) -> list[str]:
        """Store what *record* mentions, and return the ids of the new entities."""
        session = self._session
        session.clock.set(record["said_at"])
        own = record.get("metadata", {}).get("message_id")
        role = self._speakers.find_role(record["speaker"])
        call = calls.entities.observe(
            *(session_id, own or record["id"], role, record["text"]),
            rows,
        )
        [row] = await session.run(call)
        self.mentions += len(row["entities"])
        self.entities += sum(one["created"] for one in row["entities"])
        last_ms = self._open.get(session_id, record["said_at"])
        self._open[session_id] = max(last_ms, record["said_at"])
        return [one["entity_id"] for one in row["entities"] if one["created"]]

    async def _end(self, ended: Open) -> None:
        self._session.clock.set(ended.last_ms)
        call = calls.entities.end_session(ended.session_id, self._session.user_id)
        try:
            await self._session.run(call)
        except Refused as refused:
            if "nothing was observed" not in str(refused):
                raise


def _drop_claims(row: dict[str, Any]) -> dict[str, Any]:
    """Return *row* without what another's words say of it: their sister is not the user's."""
    kept = {key: value for key, value in row.items() if key != "facts"}
    if kept.get("kind") != _PLACE:
        kept.pop("kind", None)
    return kept
