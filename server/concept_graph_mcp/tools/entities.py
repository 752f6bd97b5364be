"""The tools of the entity layer: who said it, who it is, how far to trust it."""

from typing import Annotated, Any, Literal, NotRequired, cast

from pydantic import ConfigDict, Field, Strict, with_config
from typing_extensions import TypedDict

from conceptgraph_core.entities import schema

from .. import calls
from ..session import Session
from .adapter import ConceptTool, Hints, tool
from .toolset import Toolset

Text = Annotated[str, Strict()]
Speaker = Literal["user", "model"]
NodeType = Literal["entity", "topic", "preference", "event", "emotion"]
RelationType = Literal["causal", "temporal", "semantic", "contradicts"]
EntityId = Annotated[str, Field(description="What the entity is called by: use it as it is.")]
Trust = Annotated[
    float,
    Field(description="How far to trust it, from 0; compare, do not threshold. Not yours to set."),
]


@with_config(ConfigDict(extra="forbid"))
class Observation(TypedDict):
    """Something that the message mentions."""

    label: Annotated[Text, Field(description="What it is called: Max, Project Phoenix.")]
    type: NodeType
    kind: NotRequired[Annotated[Text, Field(description="Of an entity: pet, person, company …")]]
    span: NotRequired[
        Annotated[Text, Field(description="The exact words of the message that speak of it.")]
    ]
    valence: NotRequired[
        Annotated[float, Strict(), Field(ge=-1, le=1, description="How it felt: -1 bad, 1 good.")]
    ]
    intensity: NotRequired[
        Annotated[float, Strict(), Field(ge=0, le=1, description="How strong the feeling was.")]
    ]
    same_as: NotRequired[
        Annotated[Text, Field(description="The entity_id that you believe it is: kept as a doubt.")]
    ]
    rationale: NotRequired[Annotated[Text, Field(description="Why you believe that.")]]


# What Python reserves cannot be a field of a class.
Relation = TypedDict(
    "Relation",
    {
        "from": Annotated[Text, Field(description="A label that is observed, or known.")],
        "to": Annotated[Text, Field(description="Another one.")],
        "type": RelationType,
        "span": NotRequired[
            Annotated[Text, Field(description="The exact words that state the relation.")]
        ],
    },
)
Relation.__pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[attr-defined]


class Candidate(TypedDict):
    entity_id: EntityId
    label: str
    confidence: Annotated[float, Field(description="How alike, 0 to 1.")]


class Observed(TypedDict):
    """`candidates` and `refused_span` are there only when there is something to tell."""

    entity_id: EntityId
    label: str
    type: str
    created: bool
    origin: Annotated[str, Field(description="user: it stands in the user's own words.")]
    identity_status: Annotated[
        str, Field(description="distinct, provisional, ambiguous (may be a candidate) or merged.")
    ]
    trust: Trust
    candidates: NotRequired[
        Annotated[list[Candidate], Field(description="Who it may be, the likeliest first.")]
    ]
    refused_span: NotRequired[
        Annotated[str, Field(description="Does not stand in the text, so the mention is yours.")]
    ]


ObservedRelation = TypedDict(
    "ObservedRelation",
    {
        "from": EntityId,
        "to": EntityId,
        "type": str,
        "origin": Annotated[str, Field(description="explicit: in the user's words; or inferred.")],
        "created": bool,
        "is_active": NotRequired[bool],
        "refused": NotRequired[Annotated[str, Field(description="Why there is none.")]],
    },
)


class EntitiesObserved(TypedDict):
    entities: list[Observed]
    edges: list[ObservedRelation]


_INSTRUCTIONS = """\
A memory of who and what the user speaks of, which knows who said it.
After each message: entity_observe with what it mentions, quoting the exact words as span; what \
does not stand in the user's words counts as your own guess."""


class EntityTools:
    """The toolset over one session, within the scope of its user."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def entity_observe(
        self,
        *,
        session_id: Annotated[Text, Field(description="The conversation that it is said in.")],
        message_id: Annotated[
            Text, Field(description="Which message of it: observed again, it counts no more.")
        ],
        speaker: Annotated[Speaker, Field(description="Who wrote the message.")],
        text: Annotated[Text, Field(description="The whole message, as it was written.")],
        observations: Annotated[
            list[Observation],
            Field(max_length=schema.MAX_OBSERVATIONS, description="What it mentions; may be none."),
        ],
        relations: Annotated[
            list[Relation],
            Field(max_length=schema.MAX_OBSERVATIONS, description="What it says of two of these."),
        ] = [],  # noqa: B006
    ) -> EntitiesObserved:
        """Record what a message mentions. Quote spans: what does not stand there is your guess."""
        call = calls.entities.observe(
            *(session_id, message_id, speaker, text, _given(observations)),
            relations=_given(relations),
            user_id=self._session.user_id,
        )
        rows = await self._session.run(call)
        return cast(EntitiesObserved, rows[0])


def _given(rows: list[Any]) -> list[dict[str, Any]]:
    return [dict(row) for row in rows]


def _tools(session: Session) -> list[ConceptTool]:
    tools = EntityTools(session)
    adding = Hints(read_only=False, destructive=False, idempotent=False)
    return [tool(tools.entity_observe, "Observe a message", adding.repeatable())]


TOOLSET = Toolset(_tools, _INSTRUCTIONS)
