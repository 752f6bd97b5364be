"""Define the argument and result types of the memory tools, from which their schemas are made."""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from conceptgraph_core.memories import schema

State = Annotated[
    Literal["active", "dormant", "archived", "expired"],
    Field(description="How present it is; archived: readable; expired: hidden until restored."),
]
MemoryId = Annotated[str, Field(description="The memory's id; use it unchanged.")]
Time = Annotated[str, Field(description="A time with its zone, e.g. 2025-06-15T17:06:40+02:00.")]
Score = Annotated[float, Field(description="How present it is, 0 to 1; fades unless accessed.")]


Speaker = Annotated[str, Field(description="The speaker, if it is a message.")]


Also = Annotated[int, Field(description="How many more say the same in the same words.")]
Against = Annotated[str, Field(description="The memory_id of a later one that contradicts it.")]


class Brief(TypedDict):
    """A memory in a list. `type` and `speaker` are present only if it has one."""

    memory_id: MemoryId
    text: Annotated[str, Field(description="Its summary, or else its content, cut where long.")]
    source: str
    speaker: NotRequired[Speaker]
    type: NotRequired[str]
    tags: list[str]
    state: State
    created_at: Time


class Listed(Brief):
    """A memory in a list that shows texts repeated in the same words once, by the latest."""

    also: NotRequired[Also]
    contradicted_by: NotRequired[Against]


class Alike(TypedDict):
    memory_id: MemoryId
    text: str
    together: NotRequired[
        Annotated[int, Field(description="In so many answers with it, without a link.")]
    ]
    contradicted_by: NotRequired[Against]


class MemoryCreated(TypedDict):
    """`existing` is present only if the text was stored already, the others only if not empty."""

    memory_id: MemoryId
    state: State
    decay_score: Score
    concepts: list[str]
    existing: NotRequired[
        Annotated[bool, Field(description="True: it was there; this counted as an access.")]
    ]
    kept: NotRequired[
        Annotated[
            dict[str, Any],
            Field(description="Its own, kept in place of yours; memory_node_update sets it."),
        ]
    ]
    similar: NotRequired[
        Annotated[
            list[Alike],
            Field(description="Memories that say nearly the same: link or correct them."),
        ]
    ]


class MemoryWhole(TypedDict):
    """All of a memory; `summary`, `speaker`, `type`, `parent_id`, `decay_rate` if it has one."""

    memory_id: MemoryId
    content: str
    summary: NotRequired[str]
    source: str
    speaker: NotRequired[Speaker]
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
    decay_rate: NotRequired[Annotated[float, Field(description="Its own, per day.")]]
    contradicted_by: NotRequired[Against]


class MemoryRead(MemoryWhole):
    """`advice` is present only if no access was counted."""

    advice: NotRequired[Annotated[str, Field(description="Why no access was counted.")]]


class MemoryForgotten(TypedDict):
    memory_id: MemoryId
    deleted_at: Time


Expired = Annotated[
    int,
    Field(description="How many more there are that expired, if any; the owner restores them."),
]


class MemoriesRecent(TypedDict):
    """`total` is present only if `limit` cut something."""

    memories: Annotated[list[Listed], Field(description="The latest first.")]
    total: NotRequired[
        Annotated[
            int,
            Field(
                description=f"How many there are; of each state {schema.MAX_COUNTED:,} are counted."
            ),
        ]
    ]
    expired: NotRequired[Expired]


class DecayStatus(TypedDict):
    """`next_state` and its time are present only if one comes, `preserved_until` only if set."""

    state: State
    decay_score: Score
    last_decay_update: Time
    next_state: NotRequired[State]
    next_state_at: NotRequired[Time]
    preserved: Annotated[bool, Field(description="Whether a tag or a date keeps it from fading.")]
    preserved_until: NotRequired[Time]


Strength = Annotated[
    float, Field(description="How firm the link is now, 0 to 1; fades to 0.1 unless used.")
]
Relation = Annotated[str, Field(description="The type of the link that leads there.")]
Direction = Annotated[
    Literal["outgoing", "incoming"],
    Field(description="Whether the link leads there, or comes from there."),
]
Truncated = Annotated[
    Literal["max_nodes", "time_budget"],
    Field(description="Why there is more than this; not there if this is all."),
]

MemoryLinked = TypedDict(
    "MemoryLinked",
    {
        "from": MemoryId,
        "to": MemoryId,
        "type": str,
        "strength": Strength,
        "created": Annotated[bool, Field(description="False: there was one already.")],
    },
)


class MemoryConnected(Brief):
    relation: Relation
    direction: Direction
    strength: Strength


class MemoriesConnected(TypedDict):
    """The strongest first. `total` is present only if `limit` cut something."""

    memories: list[MemoryConnected]
    total: NotRequired[int]


class MemoryExplored(Brief):
    distance: Annotated[int, Field(description="How many links away; the start is 0.")]


class MemoriesExplored(TypedDict):
    nodes: list[MemoryExplored]
    truncated: NotRequired[Truncated]


class MemoryReached(Brief):
    """The start has none of these fields except `depth`."""

    depth: Annotated[int, Field(description="How many links away; the start is 0.")]
    via: NotRequired[Annotated[str, Field(description="The memory_id that it was reached from.")]]
    relation: NotRequired[Relation]
    direction: NotRequired[Direction]
    strength: NotRequired[Strength]


class MemoriesReached(TypedDict):
    nodes: list[MemoryReached]
    truncated: NotRequired[Truncated]


class LinksOfType(TypedDict):
    count: int
    average_strength: float


class MemoryFigures(TypedDict):
    nodes: int
    edges: int
    average_connections: Annotated[float, Field(description="Links at a memory, either way.")]
    by_state: dict[str, int]
    by_source: dict[str, int]
    relations: dict[str, LinksOfType]
    isolated: Annotated[int, Field(description="Memories without any link.")]


class Degrees(TypedDict):
    """The number of memories by links, from least to most."""

    least: int
    most: int
    memories: int


class Connector(Brief):
    connections: int
    incoming: int
    outgoing: int


class MemoryAnalysis(TypedDict):
    in_degrees: list[Degrees]
    out_degrees: list[Degrees]
    top_connectors: list[Connector]
    relations: dict[str, LinksOfType]
    average_strength: float


Advice = Annotated[str, Field(description="Why meaning was left out, or no access counted.")]


class MemoryFound(Listed):
    """`similarity` is present only if texts have embeddings."""

    score: Annotated[float, Field(description="How well it fits, among what was found.")]
    matched: Annotated[list[str], Field(description="Words of the query, the most telling first.")]
    similarity: NotRequired[
        Annotated[float, Field(description="How near its meaning is, 1 at most.")]
    ]


class MemoriesFound(TypedDict):
    """The best first. `total` is present only if `limit` cut something."""

    memories: list[MemoryFound]
    total: NotRequired[
        Annotated[
            int, Field(description="How many there are; by words, and by meaning, 100 are counted.")
        ]
    ]
    expired: NotRequired[Expired]
    advice: NotRequired[Advice]


class MemoryContext(TypedDict):
    text: Annotated[
        str,
        Field(
            description="One a line, quoted, the most relevant first: [time memory_id] who: “…”."
        ),
    ]
    memory_ids: Annotated[list[str], Field(description="Those in the text, in its order.")]
    tokens: Annotated[int, Field(description="How many the text has, estimated: bytes / 4.")]
    expired: NotRequired[Expired]
    advice: NotRequired[Advice]
