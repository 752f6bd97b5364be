"""The schema of the index of words: a node for each term, and one for each indexed text.

The mentions of a text are edges of a separate `Text` node. A walk reads all edges of a node, so
mentions on the memory's own node would slow every recall. A `Text` refers to its memory by key and
id; no edge joins them. This module imports nothing of Memgraph.
"""

from typing import Any, Final

from .. import text
from ..layers import Columns, EdgeKind, Index, Layer, NodeKind, Property

# The factors of a score, as explanations name them.
FACTORS: Final = ("age", "named", "asker", "period")

TERM: Final = "Term"
TEXT: Final = "Text"
SPEAKER: Final = "Speaker"
CORPUS: Final = "Corpus"
MENTIONS: Final = "MENTIONS"
# A mention too; the caller named the term as a subject of the text.
ABOUT: Final = "ABOUT"
# A mention too; not the text has the term, but what was said when it was told.
HEARD: Final = "HEARD"
# Its count, by which it weighs half of a mention; no other count is as low. And the share of a
# question's word that it covers: "Let's start" does not ask for what was said with "start".
HEARD_COUNT: Final = 0.25
HEARD_COVERS: Final = 0.4
MENTIONING: Final = (MENTIONS, ABOUT, HEARD)
NEXT: Final = "NEXT"
SAID: Final = "SAID"
NAMES: Final = "NAMES"

# The neighbours of a term.
NEAR: Final = "near"

# This many nodes count the texts of a scope, so that concurrent writers seldom conflict.
PARTS: Final = 16

# `count` says how often a text mentions a term. A mention also reads these properties of the text,
# in the order of `index.Mentions`.
COUNT: Final = "count"
OF_MENTIONED: Final = ("length", "thread", "position", "said_at")
# The place of a text in its scope.
PLACE: Final = ("thread", "position")

# A cue is read whole or not at all, so that results do not depend on a store's order.
MOST_MENTIONS: Final = 9_500
# A term that the question only leads to, such as a neighbour, is read if at most this many texts
# mention it.
FEW_MENTIONS: Final = 1_000
# A word in fewer texts is also looked for by its family.
FEW_TEXTS: Final = 8
# This many mentions are read for terms that the best texts pass on: with the cues' 10,000.
MOST_PASSED: Final = 500

DEFAULT_LIMIT: Final = 10
MAX_LIMIT: Final = 1_000


def checked_limit(limit: int | None) -> int:
    """Return *limit*, checked, or its default. Raises InvalidNumber."""
    most = DEFAULT_LIMIT if limit is None else limit
    return text.integer(most, "limit", 1, MAX_LIMIT)


def _accept_any(value: Any, _: str) -> Any:
    return value


def _kind(label: str, key: tuple[str, ...], others: tuple[str, ...]) -> NodeKind:
    return NodeKind(
        label,
        kind=label.lower(),
        measure=label.lower(),
        key=key,
        properties=tuple(Property(name, _accept_any) for name in (*key, *others)),
        text=key[-1],
        scope="scope",
        exported=False,
    )


LAYER: Final = Layer(
    name="words",
    nodes=(
        # `speakers`: the full names of the speakers with this first name.
        # `near`: lists of the term, the word and the cosine of its neighbours (see `groups`).
        _kind(TERM, ("scope", "name"), ("speakers", NEAR)),
        # `label`, `key` and `node` (an id) identify the memory; `length` is the sum of the counts.
        # `told_at` is set if that was before `said_at`: the text is of a day to come.
        _kind(
            TEXT,
            ("scope", "label", "key"),
            ("node", "length", "thread", "position", "speaker", "said_at", "told_at"),
        ),
        # A speaker of texts.
        _kind(SPEAKER, ("scope", "name"), ()),
        # The parts of a scope add up to its number of texts and the sum of their lengths.
        # `grouped`: its number of texts when the groups were computed last, unless they are stale.
        _kind(CORPUS, ("scope", "part"), ("texts", "length", "grouped")),
    ),
    edges=(
        EdgeKind(
            MENTIONS, "mentions", (Property(COUNT, _accept_any),), (TEXT,), (TERM,), None, False
        ),
        EdgeKind(ABOUT, "about", (Property(COUNT, _accept_any),), (TEXT,), (TERM,), None, False),
        EdgeKind(HEARD, "heard", (Property(COUNT, _accept_any),), (TEXT,), (TERM,), None, False),
        # From a text to the next one in its thread, if that is at most three positions further.
        EdgeKind(NEXT, "next", (), (TEXT,), (TEXT,), None, False),
        EdgeKind(SAID, "said", (), (SPEAKER,), (TEXT,), None, False),
        # From a first name. Only mentions may lead to a term: the edge index counts them.
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

# The problem that a check reports for texts missing from the index, and its advice.
UNINDEXED = ("not found by words", "run concept-graph-mcp index")


def lacking(count: int, measure: str) -> str:
    """Return the line that reports *count* unindexed texts, called *measure*."""
    problem, advice = UNINDEXED
    return f"{problem}: {count:,} {measure}; {advice}"
