"""A memory service of Google's Agent Development Kit: `MemoryService(memory)`.

The texts of a session become memories of its user. This needs the extra
`google-adk`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from .missing import name_extra

try:
    from google.adk.events.event import Event
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions.session import Session
    from google.genai.types import Content, Part
except ImportError as error:
    raise name_extra(error, "google-adk") from None

from ..memory import AsyncMemory, Memory
from . import kept
from .kept import Plan, Row, Step

_ROOT = "google-adk"
# As many memories as InMemoryMemoryService returns.
_FOUND = 10
_OWN = "memories"


class MemoryService(BaseMemoryService):
    """A memory service for all users of the store of *memory*, each with memories of their own.

    The user is the `user_id` of a call; the user of *memory* itself does not count. A search is
    within the `app_name`.
    """

    def __init__(self, memory: Memory | AsyncMemory) -> None:
        self._memory = memory

    async def add_session_to_memory(self, session: Session) -> None:
        """Store what was said in *session*; what is stored already stays as it is."""
        await self.add_events_to_memory(
            app_name=session.app_name,
            user_id=session.user_id,
            events=session.events,
            session_id=session.id,
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store what was said in *events*, each once. *custom_metadata* is not stored."""
        under = kept.path(_ROOT, app_name, "sessions", session_id or "")
        steps = [
            _step(under, _entry_of(event))
            for event in events
            if event.content is not None and not event.partial
        ]
        await self._do(user_id, _plan_storing(steps))

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store *memories*, those with an id once. *custom_metadata* is not stored."""
        under = kept.path(_ROOT, app_name, _OWN)
        await self._do(user_id, _plan_storing([_step(under, one) for one in memories]))

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """Return the memories that match *query*, the best first, ten at most."""
        found = await self._do(user_id, _plan_finding(app_name, query))
        return SearchMemoryResponse(memories=found)

    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        """Forget the memory of that id; its owner can restore it, and it is not added again."""
        if memory_id:
            path = f"{kept.path(_ROOT, app_name)}/{memory_id}"
            await self._do(user_id, _plan_storing([{"do": "forget", "path": path}]))

    async def _do(self, user_id: str, plan: Plan[Any]) -> Any:
        return await kept.arun(self._memory.of(user_id), plan)


def _plan_storing(steps: Sequence[Step | None]) -> Plan[None]:
    yield [step for step in steps if step is not None]


def _plan_finding(app_name: str, query: str) -> Plan[list[MemoryEntry]]:
    if not query.strip():
        return []
    under = kept.path(_ROOT, app_name)
    rows = yield [{"do": "find", "under": under, "query": query, "limit": _FOUND}]
    return [_entry(under, row) for row in rows if row["score"] is not None]


def _entry_of(event: Event) -> MemoryEntry:
    at = datetime.fromtimestamp(event.timestamp, UTC).isoformat()
    return MemoryEntry(content=event.content, id=event.id, author=event.author, timestamp=at)


def _step(under: str, entry: MemoryEntry) -> Step | None:
    """Return the step that stores what *entry* says, if it says anything."""
    said = kept.redact_text("\n".join(_texts(entry.content)))
    if not said.strip():
        return None
    value = {
        "text": said,
        "role": entry.content.role,
        "author": entry.author,
        "timestamp": entry.timestamp,
        "custom_metadata": entry.custom_metadata,
    }
    return {
        "do": "append",
        "under": under,
        "value": kept.encode_value(value),
        "text": kept.readable(said),
        "source": _ROOT,
        "name": kept.path(entry.id) if entry.id else None,
        "speaker": entry.author or None,
        "said_at": _parse_time(entry.timestamp),
    }


def _texts(content: Content) -> Iterator[str]:
    """Iterate over what was said: no thoughts, and no calls and results of tools."""
    for part in content.parts or ():
        if part.text and not part.thought:
            yield part.text


def _entry(under: str, row: Row) -> MemoryEntry:
    value = json.loads(row["value"])
    content = Content(role=value.pop("role"), parts=[Part(text=value.pop("text"))])
    return MemoryEntry(id=row["path"][len(under) + 1 :], content=content, **value)


def _parse_time(said: str | None) -> int | None:
    """Return the time of an entry in unix ms; None if it is none."""
    try:
        moment = datetime.fromisoformat(said or "")
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round(aware.timestamp() * 1000)
