"""The tools of the memory layer: seeds 002's and 003's names, arguments and results."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, cast

from pydantic import Field, Strict
from typing_extensions import TypedDict

from conceptgraph_core.memories import schema

from .. import calls
from ..session import Session
from .adapter import ConceptTool, Hints, tool
from .arguments import Text, iso, without_none
from .toolset import Toolset

State = Annotated[
    Literal["active", "dormant", "archived", "expired"],
    Field(description="How present it is; archived is still whole, expired is seen nowhere."),
]
MemoryId = Annotated[str, Field(description="What the memory is called: use it as it is.")]
Time = Annotated[str, Field(description="A time with its zone, e.g. 2025-06-15T17:06:40+02:00.")]
Score = Annotated[float, Field(description="How present it is, 0 to 1; fades unless accessed.")]
GivenId = Annotated[Text, Field(description="A memory_id.")]
Unit = Annotated[float, Strict(), Field(ge=0, le=1, allow_inf_nan=False)]
TIMES = ("created_at", "accessed_at")


class Brief(TypedDict):
    """A memory in a list. `type` is there only when it has one."""

    memory_id: MemoryId
    text: Annotated[str, Field(description="Its summary, or else its content, cut where long.")]
    source: str
    type: NotRequired[str]
    tags: list[str]
    state: State
    created_at: Time


class MemoryCreated(TypedDict):
    memory_id: MemoryId
    state: State
    decay_score: Score
    concepts: list[str]


class MemoryWhole(TypedDict):
    """All of a memory; `summary`, `type` and `parent_id` are there only when it has one."""

    memory_id: MemoryId
    content: str
    summary: NotRequired[str]
    source: str
    type: NotRequired[str]
    tags: list[str]
    importance: float
    confidence: float
    access_count: int
    created_at: Time
    accessed_at: Time
    state: State
    decay_score: Score
    preserved: Annotated[bool, Field(description="Whether a tag or a date keeps it from fading.")]
    parent_id: NotRequired[str]
    concepts: list[str]
    metadata: dict[str, Any]


_INSTRUCTIONS = """\
Memories are texts that outlive this conversation, for this user alone.
Keep what matters with memory_node_create: one fact each, with the concepts it is about. \
memory_node_get returns all of one, which keeps it present; what is never used fades and is \
archived, and nothing is lost by that."""


class MemoryTools:
    """The toolset over one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def memory_node_create(
        self,
        content: Annotated[Text, Field(description="What to keep, in plain words.")],
        *,
        source: Annotated[
            Text, Field(description="Where it comes from: conversation, research, reflection …")
        ] = schema.DEFAULT_SOURCE,
        summary: Annotated[
            Text | None, Field(description="A sentence that stands for a long content in lists.")
        ] = None,
        tags: Annotated[
            list[Text], Field(description="important, pinned and the like keep it from fading.")
        ] = [],  # noqa: B006 - the schema shows it, and nobody keeps it
        type: Annotated[
            Text | None, Field(description="What kind of memory: fact, preference, task …")
        ] = None,
        importance: Annotated[Unit, Field(description="How much it matters, 0 to 1.")] = (
            schema.DEFAULT_IMPORTANCE
        ),
        confidence: Annotated[Unit, Field(description="How sure it is, 0 to 1.")] = (
            schema.DEFAULT_CONFIDENCE
        ),
        concepts: Annotated[
            list[Text], Field(description="What it is about, found by even if no word says so.")
        ] = [],  # noqa: B006
        parent_id: Annotated[
            Text | None, Field(description="The memory_id of what it is a part of.")
        ] = None,
        metadata: Annotated[dict[str, Any], Field(description="Anything else, as a map.")] = {},  # noqa: B006
    ) -> MemoryCreated:
        """Keep a text for later."""
        call = calls.memories.create(
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
        )
        [row] = await self._session.run(call)
        return cast(MemoryCreated, row | {"concepts": list(row["concepts"])})

    async def memory_node_get(self, memory_id: GivenId) -> MemoryWhole:
        """Return all of a memory. This counts as an access, which keeps it present."""
        [row] = await self._session.run(calls.memories.get(memory_id))
        return cast(MemoryWhole, self._timed(row))

    def _timed(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a memory's row as results have it: times with a zone, and no nulls."""
        times = {name: iso(row[name], self._session.zone) for name in TIMES if name in row}
        return without_none({**row, **times})


def _tools(session: Session) -> list[ConceptTool]:
    """Return the tools over *session*, in the order in which they are listed."""
    tools = MemoryTools(session)
    adding = Hints(read_only=False, destructive=False, idempotent=False)
    return [
        tool(tools.memory_node_create, "Keep a memory", adding),
        tool(tools.memory_node_get, "Read a memory", adding),
    ]


TOOLSET = Toolset(_tools, _INSTRUCTIONS)
