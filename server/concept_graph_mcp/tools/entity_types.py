"""Define the argument and result types of the entity tools, from which their schemas are made."""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, Strict, with_config
from typing_extensions import TypedDict

from ..calls.entities import NodeType
from .arguments import Text

RelationType = Literal["causal", "temporal", "semantic", "contradicts"]
Status = Annotated[
    str,
    Field(description="distinct, provisional, ambiguous (it may be another one) or merged."),
]
Time = Annotated[str, Field(description="A time with its zone, e.g. 2025-06-15T17:06:40+02:00.")]
Inferred = Annotated[
    bool, Field(description="The user never mentioned it: say so, and trust it last.")
]
_MERGE_ID = Field(description="The id with which entity_unmerge undoes it.")
_LACKING = Field(description="The missing evidence, if it is only a claim.")
EntityId = Annotated[str, Field(description="The entity's id; use it unchanged.")]
Trust = Annotated[
    float,
    Field(description="How far to trust it, from 0; compare, do not threshold. Not yours to set."),
]


@with_config(ConfigDict(extra="forbid"))
class Observation(TypedDict):
    """Something that the message mentions."""

    label: Annotated[
        Text,
        Field(description="The name in the message: Max, bored. Your own word is your guess."),
    ]
    type: NodeType
    kind: NotRequired[
        Annotated[Text, Field(description="An entity's kind: pet, person, company …")]
    ]
    span: NotRequired[
        Annotated[Text, Field(description="Exact words of the message, with the label in them.")]
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
    new: NotRequired[
        Annotated[bool, Strict(), Field(description="True: another one than those of its name.")]
    ]
    qualifier: NotRequired[
        Annotated[Text, Field(description="Words that tell it from these: from the office.")]
    ]


# A class cannot have fields with names that Python reserves.
Relation = TypedDict(
    "Relation",
    {
        "from": Annotated[Text, Field(description="A label of this message or session.")],
        "to": Annotated[Text, Field(description="Another one.")],
        "type": RelationType,
        "span": NotRequired[
            Annotated[Text, Field(description="The exact words that state it, both ends in them.")]
        ],
    },
)
Relation.__pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[attr-defined]


class Candidate(TypedDict):
    entity_id: EntityId
    label: str
    confidence: Annotated[float, Field(description="How alike, 0 to 1.")]


class Observed(TypedDict):
    """`candidates` and refusals are present only if there is something to report."""

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
        Annotated[
            list[Candidate], Field(description="Entities that it may be, the likeliest first.")
        ]
    ]
    facts: NotRequired[
        Annotated[
            list[dict[str, Any]], Field(description="Facts that the message states about it.")
        ]
    ]
    refused_span: NotRequired[
        Annotated[str, Field(description="Not found in the text, so the mention counts as yours.")]
    ]
    inferred_from: NotRequired[
        Annotated[
            str,
            Field(description="These words do not say the label: it is yours. Use their words."),
        ]
    ]
    refused_same_as: NotRequired[
        Annotated[str, Field(description="Not an entity_id, so it was ignored.")]
    ]
    observed_in: NotRequired[
        Annotated[
            str,
            Field(
                description="This message_id had other words: these. Nothing new was taken of this"
                " one; give the changed text a message_id of its own."
            ),
        ]
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
        "refused_span": NotRequired[
            Annotated[str, Field(description="Does not stand in the text.")]
        ],
        "inferred_from": NotRequired[
            Annotated[str, Field(description="These words do not name both ends.")]
        ],
    },
)


class EntitiesObserved(TypedDict):
    entities: list[Observed]
    edges: list[ObservedRelation]


class Promoted(TypedDict):
    entity_id: EntityId
    label: str
    reason: str


Causal = TypedDict("Causal", {"from": EntityId, "to": EntityId})


class SessionEnded(TypedDict):
    entities: Annotated[int, Field(description="How many were mentioned in it.")]
    edges_created: int
    edges_reinforced: int
    promoted: Annotated[
        list[Promoted], Field(description="Entities that are now distinct, and why.")
    ]
    activated_causal: Annotated[
        list[Causal], Field(description="Causal relations that now count: three sessions did.")
    ]


class EntityFound(TypedDict):
    """`kind` is present only if it is known."""

    entity_id: EntityId
    label: str
    type: str
    kind: NotRequired[str]
    status: Status
    trust: Trust
    last_activated: Time
    score: Annotated[float, Field(description="How well the name fits, 0 to 1.")]
    inferred: Inferred


class EntitiesFound(TypedDict):
    entities: Annotated[
        list[EntityFound], Field(description="The user's mentions first, each group by closeness.")
    ]


class EntityWhole(TypedDict):
    """An entity and all that were merged with it, as one; `kind` only if it is known."""

    entity_id: EntityId
    labels: Annotated[list[str], Field(description="Its names, the main label first.")]
    type: str
    kind: NotRequired[str]
    identity_status: Status
    valid_until: NotRequired[Annotated[Time, Field(description="When it ended.")]]
    origin: Annotated[str, Field(description="Its mentions come from: user, model or mixed.")]
    origin_confidence: Annotated[float, Field(description="The user's share of its mentions.")]
    inferred: Inferred
    trust: Trust
    trust_parts: Annotated[
        dict[str, float],
        Field(
            description="The factors of trust. edge_count counts the edges that the user"
            " ever reinforced; active_edges those that are active now."
        ),
    ]
    activation: Annotated[float, Field(description="How present it is, 0 to 1.")]
    is_active: bool
    facts: Annotated[list[dict[str, Any]], Field(description="Facts believed, as of both times.")]
    edges: Annotated[
        list[dict[str, Any]],
        Field(description="The strongest: weight, strength, recency and trust stay apart."),
    ]
    mentions: Annotated[list[dict[str, Any]], Field(description="The latest, in their sentences.")]
    conflicts: Annotated[
        list[dict[str, Any]], Field(description="Contradictions: ask, do not resolve them.")
    ]
    merges: Annotated[
        list[dict[str, Any]], Field(description="Merges: entity_unmerge undoes them.")
    ]


class FactStated(TypedDict):
    fact_id: Annotated[
        str, Field(description="The id with which a later call corrects or ends it.")
    ]
    origin: Annotated[
        str, Field(description="user: the value stands in the user's own words; or model.")
    ]
    conflicts: Annotated[
        list[dict[str, Any]],
        Field(description="Contradicted facts, all kept: ask the user, do not resolve it."),
    ]
    inferred_from: NotRequired[
        Annotated[str, Field(description="These words do not say the value: it is your guess.")]
    ]
    refused_span: NotRequired[
        Annotated[str, Field(description="Not found in the text, so the fact counts as yours.")]
    ]


class Told(TypedDict):
    text: Annotated[
        str, Field(description="A line for each entity. inferred: only you have said it.")
    ]
    sources: Annotated[
        list[dict[str, list[str]]],
        Field(description="The source of each sentence, in order."),
    ]
    tokens: Annotated[int, Field(description="How many text and sources have, estimated.")]


class Because(TypedDict):
    text: str
    ids: dict[str, str]


class Explained(TypedDict):
    text: Annotated[str, Field(description="A line for each reason.")]
    rows: list[Because]


class LinkJudged(TypedDict):
    verdict: Annotated[str, Field(description="candidate: kept as a question; merged; rejected.")]
    reason: str
    merge_id: NotRequired[Annotated[str, _MERGE_ID]]


class EntitiesMerged(TypedDict):
    verdict: Annotated[str, Field(description="merged; or candidate: kept as a question.")]
    merge_id: NotRequired[Annotated[str, _MERGE_ID]]
    reason: NotRequired[Annotated[str, _LACKING]]


class EntitySplit(TypedDict):
    verdict: Annotated[str, Field(description="split; or candidate: nothing moved.")]
    entity_id: NotRequired[Annotated[str, Field(description="The other one of the name.")]]
    merge_id: NotRequired[Annotated[str, _MERGE_ID]]
    reason: NotRequired[Annotated[str, _LACKING]]


class EntityEnded(TypedDict):
    verdict: Annotated[str, Field(description="ended; or candidate: it goes on.")]
    valid_until: NotRequired[Time]
    merge_id: NotRequired[Annotated[str, _MERGE_ID]]
    reason: NotRequired[Annotated[str, _LACKING]]


class Separate(TypedDict):
    entity_id: EntityId
    labels: list[str]
    identity_status: Status


class EntitiesUnmerged(TypedDict):
    merge_id: str
    separate: Annotated[
        list[Separate], Field(description="The separated entities, as they are now.")
    ]
    undo: NotRequired[
        Annotated[str, Field(description="The id that undoes this again, if it merged two.")]
    ]
