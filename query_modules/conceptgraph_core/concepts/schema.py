"""Declare the concept layer: its labels, relation types, properties, indexes and numbers.

Imports nothing of Memgraph, so that the shell can read it without a host.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from ..graph.layers import (
    NOW,
    SHARED,
    EdgeKind,
    Index,
    IndexedText,
    Layer,
    NodeKind,
    Property,
    Ranking,
    TextIndex,
    optional,
    starting,
)
from ..texts import folding, text
from ..texts.words import phrases
from ..verbs import limits, validators

CONCEPT: Final = "Concept"
EPISODE: Final = "Episode"
LABELS: Final = (CONCEPT, EPISODE)

# The name a caller uses -> the edge type in the database (hyphens need quoting in Cypher).
RELATION_TYPES: Final = {"is-a": "IS_A", "part-of": "PART_OF", "evokes": "EVOKES"}
RELATION_NAMES: Final = {edge_type: name for name, edge_type in RELATION_TYPES.items()}
EVOKES: Final = RELATION_TYPES["evokes"]

# An association that more memories make stands for itself.
MOST_MEMORIES: Final = 50

# A relation starts at 0.25; each repetition takes a fifth of the rest to 1 (set; docs/design.md).
INITIAL_WEIGHT: Final = 0.25
STRENGTHENING: Final = 0.2

AROUSAL_UPSERTED: Final = 0.5
AROUSAL_INDIRECT: Final = 0.25
AROUSAL_EPISODE: Final = 0.5

DEFAULT_MAX_HOP: Final = 2
MAX_HOP: Final = 10
DEFAULT_ROWS: Final = 1_000
# The most propositions that a model gets by default.
DEFAULT_PROPOSITIONS: Final = 30
HOP_DECAY: Final = 0.5
REVERSE_PENALTY: Final = 0.5
SCORE_DECIMALS: Final = 6
# A recall writes only raises of at least this much. Otherwise repeated recalls would rewrite a
# whole region and conflict with one another for nothing.
MIN_AROUSAL_GAIN: Final = 0.01

# The most edges that one recall may read, about ten seconds; an edge read from both ends counts
# twice.
MAX_EDGES_READ: Final = 1_000_000

DEFAULT_SEARCH_LIMIT: Final = 50
MAX_SEARCH_LIMIT: Final = 200

# The most unknown seeds with similar names, and the most names for each; every one costs a scan of
# all names.
EXPLAINED_SEEDS: Final = 10
SIMILAR_NAMES: Final = 5

# A question also looks for the words of the neighbours of the concepts in it: of each concept so
# many, and so many words in all. They count for this share of its own words, times the weight of
# the relation, and half of that against its direction, as in a recall. A concept with more
# relations is about everything, and says nothing in particular.
WIDENED_NEIGHBOURS: Final = 3
WIDENED_TERMS: Final = 12
WIDENED_SHARE: Final = 0.5
WIDENED_RELATIONS: Final = 2_000
WIDENED_RELATIONS_IN_ALL: Final = 5_000


# The property with the user of a concept or an episode, or SHARED.
SCOPE: Final = "user_id"


def _scope(value: Any, field: str) -> str:
    return SHARED if value == SHARED else text.user(value, field)


_SCOPE = Property(SCOPE, _scope, SHARED, absent=SHARED, optional=True)
_VALENCE = starting("valence", validators.valence, 0.0)
_ACCESSED_AT = Property("accessed_at", validators.time, NOW, absent=0)
# Set if the episode is one of several messages of a conversation.
_TOLD = (
    optional("thread", text.name),
    optional("position", validators.time),
    optional("speaker", text.name),
    optional("said_at", validators.time),
)
# The ids of the current memories on which it rests alone; absent if it stands for itself.
_MEMORIES = optional("memories", validators.texts)
_WEIGHT = starting("weight", validators.unit, INITIAL_WEIGHT)


def _day_ms(name: str) -> int | None:
    """Return the start of the day in an episode's name, in UTC (unix ms)."""
    try:
        day = datetime(int(name[:4]), int(name[4:6]), int(name[6:8]), tzinfo=UTC)
    except ValueError:
        return None
    return int(day.timestamp() * 1000) if looks_like_an_episode(name) else None


# A concept is found by any substring of its name.
NAMES: Final = TextIndex(
    CONCEPT,
    "name",
    folded="search_name",
    other="folded_name",
    plain="plain_name",
    scope=SCOPE,
    owned="owned_name",
)


def make_owned_key(scope: str, folded: str) -> str:
    """Return the search key of a user's own concept whose name is *folded*."""
    return f"{scope}{text.BEHIND_SCOPE}{folded}"


def _shared_form(form: Callable[[str], Any]) -> Callable[[Mapping[str, Any]], Any]:
    """Return how to derive a form of the name of a shared concept; a user's own has none."""
    return lambda properties: None if properties.get(SCOPE) else form(properties["name"])


def _owned_form(properties: Mapping[str, Any]) -> str | None:
    scope = properties.get(SCOPE)
    return make_owned_key(scope, folding.fold(properties["name"])) if scope else None


LAYER: Final = Layer(
    name="concepts",
    nodes=(
        NodeKind(
            CONCEPT,
            kind="concept",
            measure="concepts",
            key=(SCOPE, "name"),
            properties=(
                _SCOPE,
                Property("name", text.name, absent=""),
                _VALENCE,
                Property("arousal_level", validators.unit, AROUSAL_INDIRECT, absent=0.0),
                _ACCESSED_AT,
                # The memories that alone name it; without any, somebody stated it.
                _MEMORIES,
            ),
            text="name",
            derived={
                NAMES.folded: _shared_form(folding.fold),
                NAMES.other: _shared_form(folding.folded_if_other),
                NAMES.plain: _shared_form(folding.plain_if_other),
                NAMES.owned: _owned_form,
            },
            scope=SCOPE,
        ),
        NodeKind(
            EPISODE,
            kind="episode",
            measure="episodes",
            key=(SCOPE, "name"),
            properties=(
                _SCOPE,
                Property("name", text.existing_name, absent=""),
                Property("summary", text.summary, absent=""),
                _VALENCE,
                Property("arousal_level", validators.unit, AROUSAL_EPISODE, absent=0.0),
                _ACCESSED_AT,
                *_TOLD,
            ),
            text="summary",
            scope=SCOPE,
            indexed=IndexedText("summary", when=_day_ms),
        ),
    ),
    edges=tuple(
        EdgeKind(
            edge_type,
            name,
            properties=(_WEIGHT, _MEMORIES) if edge_type == EVOKES else (_WEIGHT,),
            sources=LABELS if edge_type == EVOKES else (CONCEPT,),
            targets=LABELS if edge_type == EVOKES else (CONCEPT,),
            creates=CONCEPT,
        )
        for name, edge_type in RELATION_TYPES.items()
    ),
    names=LABELS,
    walked=LABELS,
    indexes=(
        *(Index(label, (SCOPE, "name"), unique=True, scope=SCOPE) for label in LABELS),
        *(Index(label, ("name",)) for label in LABELS),
        Index(CONCEPT, (NAMES.owned,)),
    ),
    rankings=(Ranking(CONCEPT, "arousal_level", "accessed_at", "name", SCOPE),),
    texts=(NAMES,),
)


def words_scope(scope: str) -> str:
    """Return the scope in which the words of the episodes of *scope* are indexed."""
    return LAYER.kind(EPISODE).words_of(scope)


def checked_limit(limit: int | None, default: int) -> int:
    """Return *limit*, *default* for None. Raises InvalidNumber below 1."""
    return default if limit is None else text.integer(limit, "limit", 1, limits.MAX_INTEGER)


def search_limit(limit: int | None) -> int:
    """Return the most rows of a search with this *limit*: 50 for None, from 1 to 200."""
    return max(1, min(MAX_SEARCH_LIMIT, DEFAULT_SEARCH_LIMIT if limit is None else limit))


def checked_ends(source: str, target: str) -> tuple[str, str]:
    """Return the names of the two ends of a relation. Raises InvalidText."""
    return text.existing_name(source, "from"), text.existing_name(target, "to")


def derive_properties(label: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of a node that follow from its others."""
    [kind] = [kind for kind in LAYER.nodes if kind.label == label]
    return {name: make(properties) for name, make in kind.derived.items()}


def episode_day(name: str) -> int:
    """Return the date at the start of an episode's name, 20250615 of "20250615/apple", else 0."""
    return int(name[:8]) if looks_like_an_episode(name) else 0


def looks_like_an_episode(name: str) -> bool:
    """Tell whether *name* begins like an episode's: eight digits and a slash."""
    return name[8:9] == "/" and name[:8].isdigit() and name[:8].isascii()


# The most names to look up, and the most words of a name.
MOST_NAMES: Final = 64
LONGEST: Final = 3


def find_names(said: str, languages: Sequence[str]) -> list[str]:
    """Return the case-folded names of concepts that *said* may mention, the single words first.

    They are its words, also without their endings, and its runs of up to three words. A text of so
    few words may itself be a name with marks in it, which no run has: "Dr. Lang", "Node.js". Raises
    LibraryMissing.
    """
    found, words = [*phrases(said, languages, LONGEST)], said.split()
    if len(words) <= LONGEST:
        found.append(folding.fold(" ".join(words)))
    return list(dict.fromkeys(found))[:MOST_NAMES]
