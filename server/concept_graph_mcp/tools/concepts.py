"""The tools of the concept graph: seed 000's names, arguments and result shapes."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, cast

from pydantic import BeforeValidator, Field, Strict
from typing_extensions import TypedDict

from conceptgraph_core import limits
from conceptgraph_core.concepts import schema

from .. import calls
from ..session import Session
from ..view import mcp_app, picture
from .adapter import ConceptTool, tool
from .toolset import Toolset


def _whole(value: Any) -> Any:
    """Let 2.0 pass as 2, as JSON Schema does; a bool or a text is still no integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Text = Annotated[str, Strict()]
# After the range in every annotation, or the range does not show in the schema.
WHOLE = BeforeValidator(_whole)


class ConceptUpserted(TypedDict):
    concept_id: str
    created: bool


class AffectUpdated(TypedDict):
    """The one of the two ids that the target has, and how it feels now."""

    concept_id: NotRequired[str]
    episode_id: NotRequired[str]
    valence: float
    arousal: float
    accessed_at: int


class EpisodeAdded(TypedDict):
    episode_id: str
    linked_concepts: list[str]
    valence: float


RelationAdded = TypedDict("RelationAdded", {"from": str, "to": str, "type": str})


class ConceptsFound(TypedDict):
    concepts: list[str]


class Proposition(TypedDict):
    """`episode_id` is there only when the proposition is about an episode."""

    text: str
    score: float
    valence: float | None
    episode_id: NotRequired[str]


class Recalled(TypedDict):
    """`total` is there only when something was cut: how many propositions there would be."""

    propositions: list[Proposition]
    total: NotRequired[int]


class ClockSet(TypedDict):
    now_ms: int | None
    reset: bool


RelationType = Literal["is-a", "part-of", "evokes"]


_INSTRUCTIONS = """\
An associative memory of concepts, episodes and feelings that outlives this conversation.
Before answering from experience: recall_query with the concepts at hand as seeds (concept_search \
finds how they are called).
After something worth keeping: concept_search for existing names, relation_add for what is a kind \
of, a part of, or brings to mind something else, episode_add for what happened (say when), and \
update_affect for how it felt.
What is recalled, repeated and felt stays strong; the rest fades within days but is never lost."""


class ConceptTools:
    """The toolset over one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def concept_upsert(
        self, concept: Annotated[Text, Field(description="The concept's name, used as it is.")]
    ) -> ConceptUpserted:
        """Make sure a concept exists. Names are used as they are: search first to reuse one."""
        rows = await self._session.run(calls.concept_upsert(concept))
        return ConceptUpserted(concept_id=rows[0]["concept_id"], created=rows[0]["created"])

    async def update_affect(
        self,
        target: Annotated[Text, Field(description="A concept's name or an episode_id.")],
        valence_delta: Annotated[
            float,
            Strict(),
            Field(
                ge=-1, le=1, allow_inf_nan=False, description="How good (1) or bad (-1) it felt."
            ),
        ],
    ) -> AffectUpdated:
        """Add a feeling to a concept or an episode and arouse it; a missing concept is created."""
        rows = await self._session.run(calls.update_affect(target, valence_delta))
        return cast(AffectUpdated, _without_none(rows[0]))

    async def episode_add(
        self,
        summary: Annotated[
            Text, Field(description="What happened, in a sentence that says when it happened.")
        ],
        concepts: Annotated[
            list[Text],
            Field(min_length=1, description="What it is about, the most important first."),
        ],
    ) -> EpisodeAdded:
        """Remember something that happened, linked from the concepts that it is about."""
        row = await self._session.add_episode(summary, concepts)
        return cast(EpisodeAdded, row)

    async def relation_add(
        self,
        source: Annotated[Text, Field(alias="from", description="A concept, or an episode_id.")],
        target: Annotated[Text, Field(alias="to", description="A concept, or an episode_id.")],
        type: Annotated[
            RelationType,
            Field(
                description="is-a: a kind of; part-of: a component of; evokes: brings to mind"
                " (the only one that may join episodes)."
            ),
        ],
    ) -> RelationAdded:
        """State a relation; stating it again makes it stronger. Missing concepts are created."""
        rows = await self._session.run(calls.relation_add(source, target, type))
        return cast(RelationAdded, {key: rows[0][key] for key in ("from", "to", "type")})

    async def concept_search(
        self,
        keywords: Annotated[
            list[Text],
            Field(
                max_length=limits.MAX_KEYWORDS,
                description="Parts of names, in any case; none for what is on top.",
            ),
        ],
        limit: Annotated[
            int,
            Strict(),
            Field(
                ge=-limits.MAX_INTEGER,
                le=limits.MAX_INTEGER,
                description=f"At most this many, 1 to {schema.MAX_SEARCH_LIMIT}.",
            ),
            WHOLE,
        ] = schema.DEFAULT_SEARCH_LIMIT,
    ) -> ConceptsFound:
        """Find concepts by any part of their name, filled up with what is most on the mind."""
        rows = await self._session.run(calls.concept_search(keywords, limit))
        return ConceptsFound(concepts=[row["concept"] for row in rows])

    async def recall_query(
        self,
        seeds: Annotated[
            list[Text], Field(description="Concept names or episode_ids; unknown ones are skipped.")
        ],
        max_hop: Annotated[
            int,
            Strict(),
            Field(ge=0, le=schema.MAX_HOP, description="How far to go; 2 is a good start."),
            WHOLE,
        ],
        limit: Annotated[
            int,
            Strict(),
            Field(ge=1, le=limits.MAX_INTEGER, description="At most this many propositions."),
            WHOLE,
        ] = schema.DEFAULT_ROWS,
    ) -> Recalled:
        """Recall what the seeds bring to mind, strongest first. Recalling arouses it."""
        return _recalled(await self._session.run(calls.recall(seeds, max_hop, limit)))

    async def recall_pictured(
        self, seeds: list[str], max_hop: int, limit: int
    ) -> tuple[Recalled, dict[str, Any] | None]:
        """Recall as `recall_query` does, and return what a picture of it needs as well."""
        call = calls.with_relations(calls.recall(seeds, max_hop, limit))
        rows = await self._session.run(call)
        return _recalled(rows), await picture.of_recall(self._session, seeds, max_hop, rows)

    async def set_time(
        self,
        now_ms: Annotated[
            float,
            Strict(),
            Field(allow_inf_nan=False, description="Unix milliseconds; 0 or less: the real time."),
        ],
    ) -> ClockSet:
        """Stop this server's clock at a time, or let it run again."""
        clock = self._session.clock
        clock.set(int(now_ms))
        return ClockSet(now_ms=clock.frozen_ms, reset=clock.frozen_ms is None)


def _tools(session: Session) -> list[ConceptTool]:
    """Return the tools over *session*, in the order in which they are listed."""
    tools = ConceptTools(session)
    return [
        tool(tools.concept_search, read_only=True, destructive=False, idempotent=True),
        tool(
            tools.recall_query,
            read_only=False,
            destructive=False,
            idempotent=False,
            pictured=tools.recall_pictured,
            meta=mcp_app.TOOL_META,
        ),
        tool(tools.concept_upsert, read_only=False, destructive=False, idempotent=True),
        tool(tools.relation_add, read_only=False, destructive=False, idempotent=False),
        tool(tools.episode_add, read_only=False, destructive=False, idempotent=False),
        tool(tools.update_affect, read_only=False, destructive=True, idempotent=False),
    ]


def set_time_tool(session: Session) -> ConceptTool:
    """Return the tool that stops the clock of *session*."""
    set_time = ConceptTools(session).set_time
    return tool(set_time, read_only=False, destructive=False, idempotent=True)


TOOLSET = Toolset(_tools, _INSTRUCTIONS)


def _recalled(rows: list[dict[str, Any]]) -> Recalled:
    propositions = [_proposition(row) for row in rows]
    if rows and rows[0]["total"] > len(rows):
        return Recalled(propositions=propositions, total=rows[0]["total"])
    return Recalled(propositions=propositions)


def _proposition(row: dict[str, Any]) -> Proposition:
    said = Proposition(text=row["text"], score=row["score"], valence=row["valence"])
    if row["episode_id"] is not None:
        said["episode_id"] = row["episode_id"]
    return said


def _without_none(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if value is not None}
