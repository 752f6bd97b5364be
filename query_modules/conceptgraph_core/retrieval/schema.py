"""The index of words: terms, and for each text that is found by them a node of its own.

A text's mentions do not hang on the text's own node: a walk reads all edges of a node, so that
every recall would pay for the words of what it passes. They hang on a `Text`, which knows its text
by key and by id and is joined to it by no edge. Imports nothing of Memgraph.
"""

from typing import Any, Final

from .. import text
from ..layers import Columns, EdgeKind, Index, Layer, NodeKind, Property

# What a score is multiplied by, as explanations tell it.
FACTORS: Final = ("age", "named", "asker", "period")

TERM: Final = "Term"
TEXT: Final = "Text"
SPEAKER: Final = "Speaker"
CORPUS: Final = "Corpus"
MENTIONS: Final = "MENTIONS"
# A mention too, of a term that the caller named the text to be about.
ABOUT: Final = "ABOUT"
MENTIONING: Final = (MENTIONS, ABOUT)
NEXT: Final = "NEXT"
SAID: Final = "SAID"
NAMES: Final = "NAMES"

# How many texts a scope has is kept in so many nodes, so that writers seldom meet in one.
PARTS: Final = 16

# How often a text mentions a term; and what of the text each mention counts by, in the order of
# `index.Mentions`.
COUNT: Final = "count"
OF_MENTIONED: Final = ("length", "thread", "position", "said_at")
# Where a text stands, in its scope.
PLACE: Final = ("thread", "position")

# A cue is read whole or not at all, so that it does not matter in which order a store reads.
MOST_MENTIONS: Final = 9_500
# What a question only leads to is read after its cues, if no more than so many texts mention it.
FEW_MENTIONS: Final = 1_000
# And so many are read of what the best texts pass on: with those of the question 10,000.
MOST_PASSED: Final = 500

DEFAULT_LIMIT: Final = 10
MAX_LIMIT: Final = 1_000


def checked_limit(limit: int | None) -> int:
    """Return how many texts are wanted at most. Raises InvalidNumber."""
    most = DEFAULT_LIMIT if limit is None else limit
    return text.integer(most, "limit", 1, MAX_LIMIT)


def _any(value: Any, _: str) -> Any:
    return value


def _kind(label: str, key: tuple[str, ...], others: tuple[str, ...]) -> NodeKind:
    return NodeKind(
        label,
        kind=label.lower(),
        measure=label.lower(),
        key=key,
        properties=tuple(Property(name, _any) for name in (*key, *others)),
        text=key[-1],
        scope="scope",
        exported=False,
    )


LAYER: Final = Layer(
    name="words",
    nodes=(
        # `speakers`: the whole names of those whose first name it is.
        _kind(TERM, ("scope", "name"), ("speakers",)),
        # `label`, `key` and `node`, an id, say which text it is of; `length` is the sum of its
        # counts.
        _kind(
            TEXT,
            ("scope", "label", "key"),
            ("node", "length", "thread", "position", "speaker", "said_at"),
        ),
        # Whoever said a text.
        _kind(SPEAKER, ("scope", "name"), ()),
        # All parts of a scope together: how many texts it has, and the sum of their lengths.
        _kind(CORPUS, ("scope", "part"), ("texts", "length")),
    ),
    edges=(
        EdgeKind(MENTIONS, "mentions", (Property(COUNT, _any),), (TEXT,), (TERM,), None, False),
        EdgeKind(ABOUT, "about", (Property(COUNT, _any),), (TEXT,), (TERM,), None, False),
        # From a text to the one after it in its thread, if no more than three positions further.
        EdgeKind(NEXT, "next", (), (TEXT,), (TEXT,), None, False),
        EdgeKind(SAID, "said", (), (SPEAKER,), (TEXT,), None, False),
        # From a first name. None leads to a term but a mention: these are counted by index.
        EdgeKind(NAMES, "names", (), (TERM,), (SPEAKER,), None, False),
    ),
    walked=(TERM, TEXT, SPEAKER, CORPUS),
    indexes=(
        Index(TERM, ("scope", "name"), unique=True),
        Index(TEXT, ("scope", "label", "key"), unique=True),
        Index(TEXT, ("scope", *PLACE)),
        Index(SPEAKER, ("scope", "name"), unique=True),
        Index(CORPUS, ("scope", "part"), unique=True),
    ),
    columns=(Columns(TEXT, OF_MENTIONED),),
)

# What a check says of texts that lack what they are found by, and its advice.
UNINDEXED = ("not found by words", "run concept-graph-mcp index")


def lacking(count: int, measure: str) -> str:
    """Return the line that says so of *count* texts, called *measure*."""
    problem, advice = UNINDEXED
    return f"{problem}: {count:,} {measure}; {advice}"
