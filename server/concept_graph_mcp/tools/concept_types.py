"""Define the argument and result types of the concept tools, from which their schemas are made."""

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

Valence = Annotated[
    float, Field(description="How it feels, by all feelings added up: -1 bad, 0 neither, 1 good.")
]
Arousal = Annotated[
    float, Field(description="How present it is now, 0 to 1; fades unless recalled or felt again.")
]
EpisodeId = Annotated[str, Field(description="The episode's id; use it unchanged.")]


class ConceptUpserted(TypedDict):
    concept_id: str
    created: bool


class AffectUpdated(TypedDict):
    """The one of the two ids that the target has, and its feeling now."""

    concept_id: NotRequired[str]
    episode_id: NotRequired[EpisodeId]
    valence: Valence
    arousal: Arousal
    accessed_at: Annotated[int, Field(description="When it was last aroused, unix milliseconds.")]


class EpisodeAdded(TypedDict):
    episode_id: EpisodeId
    linked_concepts: list[str]
    valence: Valence


RelationAdded = TypedDict("RelationAdded", {"from": str, "to": str, "type": str})


class ConceptsFound(TypedDict):
    concepts: Annotated[
        list[str], Field(description="Matches, the closest first; then the most aroused others.")
    ]
    matched: Annotated[
        int,
        Field(description="How many of them, from the first on, match a keyword; 0: none does."),
    ]


class Proposition(TypedDict):
    """`episode_id` is present only if the proposition is about an episode."""

    text: str
    score: Annotated[
        float,
        Field(
            description="How strongly it comes to mind, 0 to 1: arousal × 0.5 for each further hop"
            " × 0.5 against the relation × weight between concepts. Compare, do not threshold."
        ),
    ]
    valence: Annotated[
        float | None,
        Field(description="How what it leads to feels: -1 bad, 0 neither, 1 good; null: unknown."),
    ]
    episode_id: NotRequired[EpisodeId]


class UnknownSeed(TypedDict):
    seed: str
    similar: Annotated[
        list[str],
        Field(
            description="Concepts of the same name but for case, accents or blanks, or with more"
        ),
    ]


class Recalled(TypedDict):
    """`total`, `unknown` and `advice` are present only if there is something to report."""

    propositions: list[Proposition]
    total: NotRequired[
        Annotated[int, Field(description="The number without limit; present if limit cut some.")]
    ]
    unknown: NotRequired[
        Annotated[list[UnknownSeed], Field(description="Seeds that match no name.")]
    ]
    advice: NotRequired[Annotated[str, Field(description="Why nothing was aroused by this.")]]


class EpisodeFound(TypedDict):
    """`date` is present only if it is known."""

    episode_id: EpisodeId
    summary: str
    date: NotRequired[Annotated[str, Field(description="When it was told, e.g. 2025-06-15.")]]
    score: Annotated[float, Field(description="How well it fits. Compare, do not threshold.")]
    matched: Annotated[
        list[str], Field(description="The words it was found by, the most telling first.")
    ]


class EpisodesFound(TypedDict):
    """`unindexed` and `advice` are present only if some episodes are not indexed."""

    episodes: Annotated[list[EpisodeFound], Field(description="The best first; may be none.")]
    unindexed: NotRequired[
        Annotated[int, Field(description="The number of episodes that no search finds yet.")]
    ]
    advice: NotRequired[Annotated[str, Field(description="The owner's remedy.")]]


class ClockSet(TypedDict):
    now_ms: int | None
    reset: bool


RelationType = Literal["is-a", "part-of", "evokes"]
