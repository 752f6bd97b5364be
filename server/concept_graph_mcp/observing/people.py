"""Observe whom messages mention while `ingest` stores them, by the rules and without a model."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from conceptgraph_core import limits
from conceptgraph_core.entities import rule_extractor, schema

from .. import calls
from ..calls.call import spoken
from ..errors import Refused
from ..session import Clock, Session
from .sessions import Open, Sessions, Speakers

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
