"""Define the tools of the memory layer."""

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

from conceptgraph_core.memories import procedures, schema

from ..calls import memories, memory_admin
from ..session import Session
from ..times import iso, without_none
from .adapter import ADDING, READING, REPLACING, ConceptTool, tool
from .consent import of_many
from .memory_types import (
    DecayStatus,
    Listed,
    MemoriesRecent,
    MemoryCreated,
    MemoryForgotten,
    MemoryRead,
    MemoryWhole,
)
from .toolset import Row, Tools, Toolset
from .verbs import run_verb, take_arguments

TIMES = (
    *("created_at", "accessed_at", "deleted_at", "last_decay_update", "next_state_at"),
    "preserved_until",
)

_TAG = memories.PreservingTag
# The arguments that may hold secrets.
_TOLD = ("content", "summary", "concepts", "metadata")
_INSTRUCTIONS = """\
Memories are texts that outlive this conversation, for this user alone.
Keep what matters with memory_node_create: one fact each, with the concepts it is about. \
memory_node_get returns all of one, which keeps it present; what is never used fades and is \
archived, and nothing is lost by that. memory_preserve keeps what must not fade; \
memory_node_update corrects, memory_node_forget takes out of sight what is wrong."""


class MemoryTools(Tools):
    """The tools over one session."""

    @take_arguments(memories.create)
    async def memory_node_create(self, **given: Any) -> MemoryCreated:
        """Keep a text for later, once: the same text again is the memory that is there."""
        given = self._redact_texts(given, _TOLD)
        by = partial(self._session.call, memories.create, **given)
        [row], _ = await self._session.answered(given["content"], by, is_statement=True)
        similar = [dict(one) for one in row["similar"]]
        made = row | {"concepts": list(row["concepts"]), "existing": row["existing"] or None}
        told = {"similar": similar or None, "kept": dict(row["kept"]) or None}
        return cast(MemoryCreated, without_none({**made, **told}))

    @take_arguments(memories.get)
    async def memory_node_get(self, **given: Any) -> MemoryRead:
        """Return all of a memory. This counts as an access, which keeps it present."""
        [row], advice = await self._session.accessed(memories.get(**given))
        return cast(MemoryRead, self._timed(row | {"advice": advice}))

    @take_arguments(memories.update)
    async def memory_node_update(self, **given: Any) -> MemoryWhole:
        """Correct a memory: what is given is changed, all else stays. No access."""
        [row] = await self._run(memories.update, self._redact_texts(given, _TOLD))
        return cast(MemoryWhole, self._timed(row))

    @run_verb(memories.forget)
    def memory_node_forget(self, row: Row) -> MemoryForgotten:
        """Take a memory out of sight. Only the owner can bring it back."""
        return cast(MemoryForgotten, self._timed(row))

    @take_arguments(memories.recent)
    async def memory_node_recent(self, **given: Any) -> MemoriesRecent:
        """List the memories that were created or accessed last. Accesses none."""
        session, limit = self._session, given.get("limit", schema.RECENT)
        rows = await session.run(session.call(memories.recent, **given))
        recent = MemoriesRecent(memories=[self._listed(row) for row in rows])
        if _is_cut(rows):
            recent["total"] = rows[0]["total"]
        if len(rows) < limit:
            given["limit"] = 1
            for row in await session.run(session.call(memory_admin.expired, **given)):
                recent["expired"] = row["total"]
        return recent

    @run_verb(memories.decay_status)
    def memory_decay_status(self, row: Row) -> DecayStatus:
        """Tell how present a memory is now, and when it will be less so. No access."""
        return cast(DecayStatus, self._timed(row))

    @run_verb(memories.preserve, defaults={"tag": "preserved"}, types={_TAG | None: _TAG})
    def memory_preserve(self, row: Row) -> DecayStatus:
        """Keep a memory from fading, for good or until a day has passed."""
        return cast(DecayStatus, self._timed(row))

    def _listed(self, row: Row) -> Listed:
        shown = {name: row[name] for name in (*procedures.BRIEF, "contradicted_by")}
        return cast(Listed, self._timed({**shown, "also": row["also"] or None}))

    def _timed(self, row: Row) -> Any:
        """Return a memory's row in the form of results: times with a zone, and no nulls."""
        times = {
            name: iso(row[name], self._session.zone) for name in TIMES if row.get(name) is not None
        }
        return without_none({**row, **times})


def _is_cut(rows: Sequence[Row]) -> bool:
    """Return whether more memories exist than *rows* stand for."""
    return bool(rows) and rows[0]["total"] > sum(1 + row["also"] for row in rows)


def _tools(session: Session) -> list[ConceptTool]:
    """Return the tools over *session*, in the order of the list."""
    tools, asks = MemoryTools(session), of_many("forget a memory")
    return [
        tool(tools.memory_node_create, "Keep a memory", ADDING),
        tool(tools.memory_node_get, "Read a memory", ADDING),
        tool(tools.memory_node_update, "Correct a memory", REPLACING),
        tool(tools.memory_node_forget, "Forget a memory", REPLACING, asks=asks),
        tool(tools.memory_node_recent, "Latest memories", READING),
        tool(tools.memory_decay_status, "How present a memory is", READING),
        tool(tools.memory_preserve, "Keep a memory from fading", ADDING.repeatable()),
    ]


TOOLSET = Toolset(_tools, _INSTRUCTIONS)
