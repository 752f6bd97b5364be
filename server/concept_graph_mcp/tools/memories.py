"""Define the tools of the memory layer."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

from pydantic import Field, Strict

from conceptgraph_core.memories import procedures, schema

from .. import calls
from ..session import Session
from ..times import iso, time_given, without_none
from .adapter import ConceptTool, Hints, tool
from .arguments import Text, clamped
from .consent import of_many
from .memory_types import (
    DecayStatus,
    GivenId,
    Listed,
    MemoriesRecent,
    MemoryCreated,
    MemoryForgotten,
    MemoryRead,
    MemoryWhole,
    PreservingTag,
    Rate,
    Unit,
)
from .toolset import Toolset

TIMES = (
    *("created_at", "accessed_at", "deleted_at", "last_decay_update", "next_state_at"),
    "preserved_until",
)

_INSTRUCTIONS = """\
Memories are texts that outlive this conversation, for this user alone.
Keep what matters with memory_node_create: one fact each, with the concepts it is about. \
memory_node_get returns all of one, which keeps it present; what is never used fades and is \
archived, and nothing is lost by that. memory_preserve keeps what must not fade; \
memory_node_update corrects, memory_node_forget takes out of sight what is wrong."""


class MemoryTools:
    """The toolset over one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def memory_node_create(
        self,
        content: Annotated[Text, Field(description="The text to keep, in plain words.")],
        *,
        source: Annotated[
            Text, Field(description="Its origin: conversation, research, reflection …")
        ] = schema.DEFAULT_SOURCE,
        summary: Annotated[
            Text | None, Field(description="A sentence that stands for a long content in lists.")
        ] = None,
        tags: Annotated[
            list[Text], Field(description="important, pinned and the like keep it from fading.")
        ] = [],  # noqa: B006 - the schema shows it, and nobody keeps it
        type: Annotated[
            Text | None, Field(description="The kind of memory: fact, preference, task …")
        ] = None,
        importance: Annotated[Unit, Field(description="How much it matters, 0 to 1.")] = (
            schema.DEFAULT_IMPORTANCE
        ),
        confidence: Annotated[Unit, Field(description="How sure it is, 0 to 1.")] = (
            schema.DEFAULT_CONFIDENCE
        ),
        concepts: Annotated[
            list[Text],
            Field(
                description="Its subjects; a search by these finds it, even if its text lacks them."
            ),
        ] = [],  # noqa: B006
        parent_id: Annotated[
            Text | None, Field(description="The memory_id of what it is a part of.")
        ] = None,
        metadata: Annotated[dict[str, Any], Field(description="Anything else, as a map.")] = {},  # noqa: B006
        decay_rate: Annotated[
            Rate | None,
            Field(description="How fast it fades, per day; else importance says so (0.7: 0.01)."),
        ] = None,
    ) -> MemoryCreated:
        """Keep a text for later, once: the same text again is the memory that is there."""
        content, summary, concepts, metadata = self._session.redacted(
            (content, summary, concepts, metadata)
        )
        [row], _ = await self._session.answered(
            content,
            lambda embedded: calls.memories.create(
                self._session.user_id,
                content,
                source=source,
                summary=summary,
                tags=tags,
                type_=type,
                importance=importance,
                confidence=confidence,
                concepts=concepts,
                parent_id=parent_id,
                metadata=metadata,
                decay_rate=decay_rate,
                embedded=embedded,
            ),
            is_statement=True,
        )
        similar = [dict(one) for one in row["similar"]]
        made = row | {"concepts": list(row["concepts"]), "existing": row["existing"] or None}
        given = {"similar": similar or None, "kept": dict(row["kept"]) or None}
        return cast(MemoryCreated, without_none({**made, **given}))

    async def memory_node_get(self, memory_id: GivenId) -> MemoryRead:
        """Return all of a memory. This counts as an access, which keeps it present."""
        [row], advice = await self._session.accessed(calls.memories.get(memory_id))
        return cast(MemoryRead, self._timed(row | {"advice": advice}))

    async def memory_node_update(
        self,
        memory_id: GivenId,
        *,
        content: Annotated[Text | None, Field(description="The new text.")] = None,
        summary: Annotated[
            Text | None, Field(description='A sentence for lists; "" for none.')
        ] = None,
        tags: Annotated[
            list[Text] | None, Field(description="All that it is to have, in place of the others.")
        ] = None,
        type: Annotated[Text | None, Field(description='Its kind; "" for none.')] = None,
        importance: Annotated[Unit | None, Field(description="How much it matters.")] = None,
        confidence: Annotated[Unit | None, Field(description="How sure it is.")] = None,
        metadata: Annotated[
            dict[str, Any] | None, Field(description="All of it, in place of what was there.")
        ] = None,
        concepts: Annotated[
            list[Text] | None, Field(description="All that it is about, in place of the others.")
        ] = None,
        source: Annotated[Text | None, Field(description="Its origin.")] = None,
        parent_id: Annotated[
            Text | None, Field(description='The memory_id of its whole; "" for none.')
        ] = None,
        decay_rate: Annotated[
            float | None,
            Strict(),
            Field(
                allow_inf_nan=False,
                description="How fast it fades, per day; -1: as its importance says.",
            ),
        ] = None,
    ) -> MemoryWhole:
        """Correct a memory: what is given is changed, all else stays. No access."""
        content, summary, concepts, metadata = self._session.redacted(
            (content, summary, concepts, metadata)
        )
        call = calls.memories.update(
            self._session.user_id,
            memory_id,
            content=content,
            summary=summary,
            tags=tags,
            type_=type,
            importance=importance,
            confidence=confidence,
            metadata=metadata,
            concepts=concepts,
            source=source,
            parent_id=parent_id,
            decay_rate=decay_rate,
        )
        [row] = await self._session.run(call)
        return cast(MemoryWhole, self._timed(row))

    async def memory_node_forget(
        self,
        memory_id: GivenId,
        reason: Annotated[Text | None, Field(description="Why, for whoever asks later.")] = None,
    ) -> MemoryForgotten:
        """Take a memory out of sight. Only the owner can bring it back."""
        [row] = await self._session.run(calls.memories.forget(memory_id, reason))
        return cast(MemoryForgotten, self._timed(row))

    async def memory_node_recent(
        self,
        limit: Annotated[
            int,
            Strict(),
            Field(ge=1, le=schema.MAX_ROWS, description="At most this many."),
            clamped(1, schema.MAX_ROWS),
        ] = schema.RECENT,
        source_filter: Annotated[
            Text | None, Field(description="Only those from this source, e.g. conversation.")
        ] = None,
    ) -> MemoriesRecent:
        """List the memories that were created or accessed last. Accesses none."""
        user_id = self._session.user_id
        rows = await self._session.run(calls.memories.recent(user_id, limit, source_filter))
        if len(rows) < limit and _is_cut(rows):
            # Copies of a text took the places of other memories.
            call = calls.memories.recent(user_id, limit, source_filter, schema.MAX_ROWS)
            rows = await self._session.run(call)
        recent = MemoriesRecent(memories=[self._listed(row) for row in rows])
        if _is_cut(rows):
            recent["total"] = rows[0]["total"]
        if len(rows) < limit:
            call = calls.memory_admin.expired(
                self._session.user_id, None, 1, source_filter=source_filter
            )
            for row in await self._session.run(call):
                recent["expired"] = row["total"]
        return recent

    async def memory_decay_status(self, memory_id: GivenId) -> DecayStatus:
        """Tell how present a memory is now, and when it will be less so. No access."""
        [row] = await self._session.run(calls.memories.decay_status(memory_id))
        return cast(DecayStatus, self._timed(row))

    async def memory_preserve(
        self,
        memory_id: GivenId,
        tag: Annotated[PreservingTag, Field(description="The tag that keeps it.")] = "preserved",
        until: Annotated[
            Text | None,
            Field(description="A date or time, e.g. 2026-01-31: keeps it until then, no tag."),
        ] = None,
    ) -> DecayStatus:
        """Keep a memory from fading, for good or until a day has passed."""
        moment = None if until is None else time_given(until, "until", self._session.zone)
        [row] = await self._session.run(calls.memories.preserve(memory_id, tag, moment))
        return cast(DecayStatus, self._timed(row))

    def _listed(self, row: Mapping[str, Any]) -> Listed:
        shown = {name: row[name] for name in (*procedures.BRIEF, "contradicted_by")}
        return cast(Listed, self._timed({**shown, "also": row["also"] or None}))

    def _timed(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a memory's row in the form of results: times with a zone, and no nulls."""
        times = {
            name: iso(row[name], self._session.zone) for name in TIMES if row.get(name) is not None
        }
        return without_none({**row, **times})


def _is_cut(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether more memories exist than *rows* stand for."""
    return bool(rows) and rows[0]["total"] > sum(1 + row["also"] for row in rows)


def _tools(session: Session) -> list[ConceptTool]:
    """Return the tools over *session*, in the order of the list."""
    tools = MemoryTools(session)
    adding = Hints(read_only=False, destructive=False, idempotent=False)
    replacing = Hints(read_only=False, destructive=True, idempotent=False)
    reading = Hints(read_only=True, destructive=False, idempotent=True)
    return [
        tool(tools.memory_node_create, "Keep a memory", adding),
        tool(tools.memory_node_get, "Read a memory", adding),
        tool(tools.memory_node_update, "Correct a memory", replacing),
        tool(
            tools.memory_node_forget, "Forget a memory", replacing, asks=of_many("forget a memory")
        ),
        tool(tools.memory_node_recent, "Latest memories", reading),
        tool(tools.memory_decay_status, "How present a memory is", reading),
        tool(tools.memory_preserve, "Keep a memory from fading", adding.repeatable()),
    ]


TOOLSET = Toolset(_tools, _INSTRUCTIONS)
