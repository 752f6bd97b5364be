"""Describe what a rule asks of the graph by index, as a few primitives: see `Graph.pull`.

Each host translates each primitive once. The results are authoritative: a value that was looked up
and not found does not exist. The layers' declarations index the properties that a primitive
compares or sorts by.
"""

from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple
from zlib import compress, decompress

from ..texts import text
from ..texts.folding import Keywords
from ..verbs import limits
from ..verbs.errors import ConceptGraphError
from .layers import Columns

# Sorts before every text.
BEYOND: Final = "\U0010ffff" * 2

# A filter: only nodes whose properties have these values; a scope is one of them.
Where = tuple[tuple[str, Any], ...]


class Equal(NamedTuple):
    """Nodes of *labels* whose *properties* equal, in this order, one of the *values*."""

    labels: tuple[str, ...]
    properties: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]


class Range(NamedTuple):
    """Nodes of *labels* with *where* whose *property* is at least *first* and below *beyond*.

    At most *limit* nodes in ascending order; ties are ordered by *then*, a text. With *descending*,
    those with the greatest values.
    """

    labels: tuple[str, ...]
    property: str
    first: Any
    beyond: Any
    where: Where = ()
    limit: int | None = None
    then: str | None = None
    descending: bool = False


class Ranges(NamedTuple):
    """For each of *ranges*, *limit* nodes of *label* with *where* whose *property* is in it.

    A range has a first text and an exclusive end. If more than *limit* match, any of them.
    """

    label: str
    property: str
    ranges: tuple[tuple[str, str], ...]
    limit: int
    where: Where = ()


class Referring(NamedTuple):
    """Nodes of *label* with *where* that have *by*, and nodes whose *property* they name there."""

    label: str
    by: str
    property: str
    where: Where = ()


class Ordered(NamedTuple):
    """The *limit* nodes of *label* with *where* that have the highest *by*.

    Ties go to the nodes created last, so that a limit selects the same nodes on both hosts. With
    *level*, another property, nodes are ranked by `by + tau_ms · ln(level)`, the order of arousal
    at any time; ties are ordered by *then*, ascending.
    """

    label: str
    by: str
    limit: int
    level: str | None = None
    tau_ms: float = limits.DEFAULT_TAU_MS
    then: str | None = None
    where: Where = ()


class Last(NamedTuple):
    """For each of *values*, the *limit* nodes of *label* with *where* that have the highest *by*.

    Only nodes whose *property* has that value; ties as in Ordered. The results have no order.
    """

    label: str
    property: str
    values: tuple[Any, ...]
    by: str
    limit: int
    where: Where = ()


class Text(NamedTuple):
    """The first *limit* shared nodes of *label* whose indexed text contains a keyword.

    They come in the order of `folding.Keywords.place`, ties in the order of the text. Nodes without
    the forms of the layer's text index are all returned, in addition to *limit*.
    """

    label: str
    keywords: Keywords
    limit: int


class Similar(NamedTuple):
    """For each of *keys*, the first *limit* shared nodes of *label* whose text contains it.

    The indexed texts and the keys are squeezed as `folding` does it. Equal ones come first, then
    those that begin with the key, then the others, each group by the text itself. Nodes without the
    forms of the layer's text index are all returned besides.
    """

    label: str
    keys: tuple[str, ...]
    limit: int


class Nearest(NamedTuple):
    """The *limit* nodes of *label* whose *property* is nearest to *vector* (cosine), nearest first.

    The filters apply before the limit: *where*; for each of *among*, one of its values, where None
    stands for a missing property; and in the list that each of *having* names, one of its values.
    Vectors of another dimension or of length zero are never found.
    """

    label: str
    property: str
    vector: tuple[float, ...]
    limit: int
    where: Where = ()
    among: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    having: tuple[tuple[str, tuple[Any, ...]], ...] = ()


class Joined(NamedTuple):
    """The results of *lookup*, and the nodes of *label* with *where* that refer to them.

    These nodes have as their *property* the value of *by* of a node that *lookup* finds; with
    *each*, a value of the list that *by* is. With *same*, both have the same value of that property
    too, which the index of the nodes has first.
    """

    lookup: "Lookup"
    by: str
    label: str
    property: str
    where: Where = ()
    each: bool = False
    same: str | None = None


class Reached(NamedTuple):
    """The results of *lookup*, and what *edges* reach from them in *most* steps.

    The edges are outgoing ones, and with *entering* incoming ones too.
    """

    lookup: "Lookup"
    edges: tuple[str, ...]
    most: int
    entering: bool = False


class Vectored(NamedTuple):
    """At most *limit* nodes of *label* that have a vector as their *property*, or that have none.

    With *by*, a key: in its order, only those whose key is greater than *after*. With *newest*, a
    time: of those with *where* the ones that have the greatest, the greatest first.
    """

    label: str
    property: str
    has_one: bool
    limit: int
    by: tuple[str, ...] = ()
    after: tuple[Any, ...] | None = None
    where: Where = ()
    newest: str | None = None


class Union(NamedTuple):
    """The results of all *parts*."""

    parts: "tuple[Lookup, ...]"


class Incoming(NamedTuple):
    """The results of *lookup*, and their incoming edges as the context's `degrees` and `incoming`.

    Only nodes of *label* without the property *unless* are read, or all if every one has it. Nodes
    with the fewest edges come first, then by *by*, until *most* edges have been read. A node's
    edges are read all or not at all; those of the first node with any are always read. `incoming`
    has a list for each node read: its id, and columns. The columns hold the ids of the nodes at the
    start of the edges of the types *edges*, the property *weight* of each edge, and the properties
    *columns* of these nodes, as their layer declares them.

    The results of *also*, which has the same label, come last, if at most *few* edges lead to them.
    So do the nodes that *related* names: a property of the results that has lists, each beginning
    with a value of *by*. These nodes have the same *scope*, another property, and lack *unless*.

    Nodes whose *by* is among *last* come after all others, and what they name as related is left
    out. They have what is left of *most*, and *few* in any case.

    The degree of a node that was not read may be too low, but is always high enough to exclude it.
    """

    lookup: "Lookup"
    label: str
    edges: tuple[str, ...]
    weight: str
    columns: Columns
    by: str
    unless: str
    most: int
    few: int = 0
    also: Equal | None = None
    related: str | None = None
    scope: str = ""
    last: tuple[str, ...] = ()


class Sized(NamedTuple):
    """The results of *lookup*, and `size`: the number of nodes of *label* with *where*.

    All of them have the indexed *property*, so they are counted without being read. Nodes with each
    of *others* are counted too, each at most up to *most*.
    """

    lookup: "Lookup"
    label: str
    property: str
    where: Where = ()
    others: tuple[Where, ...] = ()
    most: int | None = None


class Tally(NamedTuple):
    """The numbers of nodes of *label* with *where* between each two of *bounds* of *property*.

    The property is indexed, so that no node is read.
    """

    label: str
    property: str
    bounds: tuple[int, ...] | tuple[str, ...]
    where: Where = ()


class Tallied(NamedTuple):
    """The results of *lookup*, and the context's `tallies`: a list of numbers for each of *of*."""

    lookup: "Lookup"
    of: tuple[Tally, ...]


class WithEdges(NamedTuple):
    """The results of *lookup*, whose incoming or outgoing edges the call will read.

    A store that would read them node by node may read them together.
    """

    lookup: "Lookup"
    leaving: bool = True
    entering: bool = False


class Embedded(NamedTuple):
    """The vector of *text* by the embedding of who calls: no store can look it up.

    It tells `vector`, which is empty for a text without a known word.
    """

    text: str


Lookup = (
    Incoming | Equal | Range | Ranges | Referring | Ordered | Last | Text | Similar
    | Nearest | Joined | Reached | Vectored | Union | Sized | Tallied | WithEdges
    | Embedded
)  # fmt: skip


def following(after: str | None) -> str:
    """Return the first text after *after*, or the first of all. Raises InvalidText."""
    return "" if after is None else next_text(text.name(after, "after"))


def next_text(one: str) -> str:
    """Return the first text after *one*: a NUL would sort next, but no text may have one."""
    return one + "\x01"


# Not imported: a reload would drop it.
json: Final[Any] = __import__("json")
_KINDS: Final[Mapping[str, Any]] = {
    kind.__name__: kind
    for kind in (*globals().values(), Keywords, Columns)
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")
}
_KEY_BYTES: Final = 12
_SIMPLE: Final = frozenset({str, int, float, bool, type(None)})


class Lacking(ConceptGraphError):
    """A call needs the answers of look-ups; nothing was written. It is for the server alone."""

    def __init__(self, lookups: Sequence[Lookup]) -> None:
        super().__init__(encode(lookups))


def key(lookup: Lookup) -> str:
    """Return the name of *lookup* among the answers of a context: the same for equal ones."""
    # Each call makes some of these, so the kinds of what a look-up holds are left out: no two kinds
    # that can stand in one place have the same fields.
    told = f"{type(lookup).__name__}{json.dumps(lookup, separators=(',', ':'))}"
    return "k" + blake2b(told.encode(), digest_size=_KEY_BYTES).hexdigest()


def encode(lookups: Sequence[Lookup]) -> str:
    """Return *lookups* as a line of ASCII."""
    plain = json.dumps(_plain(tuple(lookups)), separators=(",", ":"))
    return b2a_base64(compress(plain.encode(), 1), newline=False).decode("ascii")


def decode(line: str) -> tuple[Lookup, ...]:
    """Return the look-ups of `encode`."""
    # The parser calls back for each kind, the inner ones first; all else are lists.
    return tuple(json.loads(decompress(a2b_base64(line)), object_hook=_make))


def _plain(value: Any) -> Any:
    """Return *value* of lists and maps; a tuple with names is a map of its kind's name."""
    if hasattr(value, "_fields"):
        return {value.__class__.__name__: [_plain(one) for one in value]}
    if isinstance(value, Mapping):
        return {"": [[key, _plain(one)] for key, one in value.items()]}
    if not isinstance(value, (tuple, list)):
        return value
    # Most look-ups hold long lists of texts or numbers.
    return [one if one.__class__ in _SIMPLE else _plain(one) for one in value]


def _make(given: Mapping[str, Any]) -> Any:
    [(name, fields)] = given.items()
    if not name:
        return dict(fields)
    return _KINDS[name](*[tuple(one) if isinstance(one, list) else one for one in fields])
