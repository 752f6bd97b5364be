"""The schema of the index of words: a node for each term, and one for each indexed text.

The mentions of a text are edges of a separate `Text` node. A walk reads all edges of a node, so
mentions on the memory's own node would slow every recall. A `Text` refers to its memory by key and
id; no edge joins them. This module imports nothing of Memgraph.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from ..graph.layers import Columns, EdgeKind, Index, Layer, NodeKind, Property
from ..texts import text
from ..verbs import limits, validators
from ..verbs.errors import ConceptGraphError, InvalidNumber, InvalidText

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
# A text is spread along its thread to so many texts before it and after it.
NEIGHBOURS: Final = 3
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


_string = partial(text.long, most=limits.MAX_VALUE, blank=True)
_word = partial(text.long, most=limits.MAX_VALUE)


def _integer(value: Any, field: str) -> int:
    return text.integer(value, field, -limits.MAX_INTEGER - 1, limits.MAX_INTEGER)


def _part(value: Any, field: str) -> int:
    return text.integer(value, field, 0, PARTS - 1)


def _weight(value: Any, field: str) -> float:
    if not validators.amount(value, field):
        raise InvalidNumber(f"{field}: must be above 0")
    return float(value)


def _words(value: Any, field: str) -> Any:
    if not isinstance(value, (list, tuple)) or not value:
        raise InvalidText(f"{field}: must be a list of texts")
    return [_word(one, field) for one in value]


def _neighbours(value: Any, field: str) -> Any:
    if not isinstance(value, (list, tuple)) or not value:
        raise InvalidText(f"{field}: must be a list of lists")
    for one in value:
        if not isinstance(one, (list, tuple)) or len(one) != 3:
            raise InvalidText(f"{field}: must have lists of a term, a word and a cosine")
        _words(one[:2], field)
        validators.unit(one[2], field)
    return value


# The values that the index writes; `find_odd` finds others.
_CHECKS: Final[dict[str, Callable[[Any, str], Any]]] = {
    **dict.fromkeys(("scope", "key", "thread", "speaker"), _string),
    **dict.fromkeys(("name", "label"), _word),
    **dict.fromkeys(("grouped", "node"), validators.count),
    # A part may count less than nothing, if an entry of another part was removed there.
    **dict.fromkeys(("length", "texts", "position"), _integer),
    **dict.fromkeys(("said_at", "told_at"), validators.time),
    "part": _part,
    "speakers": _words,
    NEAR: _neighbours,
    COUNT: _weight,
}
# Besides the key, every node has these.
_ALWAYS: Final = ("length", "node", "texts")


def _kind(label: str, key: tuple[str, ...], others: tuple[str, ...]) -> NodeKind:
    return NodeKind(
        label,
        kind=label.lower(),
        measure=label.lower(),
        key=key,
        properties=tuple(
            Property(name, _CHECKS[name], optional=name not in (*key, *_ALWAYS))
            for name in (*key, *others)
        ),
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
        EdgeKind(MENTIONS, "mentions", (Property(COUNT, _weight),), (TEXT,), (TERM,), None, False),
        EdgeKind(ABOUT, "about", (Property(COUNT, _weight),), (TEXT,), (TERM,), None, False),
        EdgeKind(HEARD, "heard", (Property(COUNT, _weight),), (TEXT,), (TERM,), None, False),
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

_DECLARED: Final = {kind.label: kind.properties for kind in LAYER.nodes}
_COUNTED: Final = LAYER.edges[0].properties[0]
_BESIDE: Final = tuple(LAYER.kind(TEXT).declared(name) for name in OF_MENTIONED)


def find_odd(label: str, get: Callable[[str], Any]) -> list[str]:
    """Return the properties of an index node that are missing or that no index writes.

    Such a node counts as absent until the index is built again.
    """
    odd = [one.name for one in _DECLARED[label] if _is_odd(one, get(one.name))]
    is_half = label == TEXT and (get(PLACE[0]) is None) != (get(PLACE[1]) is None)
    return odd or (list(PLACE) if is_half else [])


def is_mention(count: Any, *about: Any) -> bool:
    """Tell whether an index writes such a mention: its count, and `OF_MENTIONED` of its text."""
    told = (_is_odd(one, value) for one, value in zip(_BESIDE, about, strict=True))
    if _is_odd(_COUNTED, count) or any(told) or about[0] <= 0:
        return False
    return (about[1] is None) == (about[2] is None)


def are_mentions(
    counts: Sequence[Any],
    lengths: Sequence[Any],
    threads: Sequence[Any],
    positions: Sequence[Any],
    said_at: Sequence[Any],
) -> bool:
    """Tell whether `is_mention` is so of all rows of these columns, without a look at each.

    Few values of a question's 10,000 mentions differ, except positions and times: an odd one of
    those makes their sum fail, or a float.
    """
    try:
        weights, named = set(counts) | set(lengths), set(threads)
        if not all(type(one) in (int, float) and 0 < one < math.inf for one in weights):
            return False
        if not {str, type(None)}.issuperset(map(type, named)):
            return False
        if (None in named or None in positions) and [one is None for one in threads] != [
            one is None for one in positions
        ]:
            return False
        return {type(_total(positions)), type(_total(said_at))} == {int}
    except TypeError:
        return False


def _total(column: Sequence[Any]) -> Any:
    try:
        return sum(column)
    except TypeError:
        return sum([one for one in column if one is not None])


def _is_odd(one: Property, value: Any) -> bool:
    if value is None:
        return not one.optional
    if one.accepts(value):
        return False
    try:
        one.check(value, one.name)
    except ConceptGraphError:
        return True
    return False


# The problem that a check reports for texts missing from the index, and its advice.
UNINDEXED = ("not found by words", "run concept-graph-mcp index")


def lacking(count: int, measure: str) -> str:
    """Return the line that reports *count* unindexed texts, called *measure*."""
    problem, advice = UNINDEXED
    return f"{problem}: {count:,} {measure}; {advice}"
