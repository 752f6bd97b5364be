"""Labels, relation types, properties, constraints, indexes and limits: the one source of each.

Imports nothing of Memgraph, so that the shell can read it without a host.
"""

from typing import Final

CONCEPT: Final = "Concept"
EPISODE: Final = "Episode"
LABELS: Final = (CONCEPT, EPISODE)

# The name a caller uses -> the edge type in the database (hyphens need quoting in Cypher).
RELATION_TYPES: Final = {"is-a": "IS_A", "part-of": "PART_OF", "evokes": "EVOKES"}
RELATION_NAMES: Final = {edge_type: name for name, edge_type in RELATION_TYPES.items()}
EVOKES: Final = RELATION_TYPES["evokes"]

NODE_PROPERTIES: Final = {
    CONCEPT: ("name", "search_name", "valence", "arousal_level", "accessed_at"),
    EPISODE: ("name", "summary", "valence", "arousal_level", "accessed_at"),
}
EDGE_PROPERTIES: Final = ("weight",)

# (label, property). A unique constraint is no index in Memgraph, so names appear in both.
UNIQUE: Final = ((CONCEPT, "name"), (EPISODE, "name"))
INDEXES: Final = ((CONCEPT, "name"), (EPISODE, "name"))

# What a search ranks by: the text that keywords are looked for in, and the two numbers from which
# the arousal order follows (see `affect.rank`).
SEARCH: Final = (CONCEPT, "search_name", ("arousal_level", "accessed_at"))

# Seed 000: a relation starts at 0.25; each repetition takes a fifth of what is missing to 1.
INITIAL_WEIGHT: Final = 0.25
STRENGTHENING: Final = 0.2

AROUSAL_UPSERTED: Final = 0.5
AROUSAL_INDIRECT: Final = 0.25
AROUSAL_EPISODE: Final = 0.5

DEFAULT_TAU_MS: Final = 86_400_000

DEFAULT_MAX_HOP: Final = 2
MAX_HOP: Final = 10
DEFAULT_ROWS: Final = 1_000
DEFAULT_NEIGHBOURS: Final = 100
HOP_DECAY: Final = 0.5
REVERSE_PENALTY: Final = 0.5
SCORE_DECIMALS: Final = 6
# A recall writes only what it would raise by this much; else recalls repeated at once would
# rewrite a whole region and conflict with one another for nothing.
MIN_AROUSAL_GAIN: Final = 0.01

# What one recall may read, an edge counting from each end that it is read from: about ten seconds.
MAX_EDGES_READ: Final = 1_000_000

DEFAULT_SEARCH_LIMIT: Final = 50
MAX_SEARCH_LIMIT: Final = 200
MAX_KEYWORDS: Final = 100

MAX_INTEGER: Final = 2**63 - 1

# In characters. An episode's name is a date, a slash, a concept's name and a number.
MAX_NAME: Final = 1_000
MAX_EPISODE_NAME: Final = MAX_NAME + 20
MAX_SUMMARY: Final = 20_000
# 9999-12-31T00:00:00Z: not all later times have a local date.
MAX_TIME_MS: Final = 253_402_214_400_000


def search_name(name: str) -> str:
    """Return the form of *name* that keywords are looked for in.

    Cypher's and SQLite's own lower-casing leave everything outside ASCII alone.
    """
    return name.casefold()
