"""What a store finds by index before it calls a procedure: data, made of a few primitives.

Each store translates each primitive once; neither knows a procedure, and what a primitive asks of
one comes with its declaration. What a look-up finds is handed
over in the context's `found` and is authoritative: what it was asked for and did not find is not
there. Properties that a primitive compares or orders by are indexed by their layer's declaration.
"""

from typing import Any, Final, NamedTuple

from conceptgraph_core import limits, text
from conceptgraph_core.folding import Keywords
from conceptgraph_core.layers import Columns
from conceptgraph_core.procedures import Procedure

# What every text comes before.
BEYOND: Final = "\U0010ffff" * 2

# Only nodes that have each of these properties with that value; a scope is one of them.
Where = tuple[tuple[str, Any], ...]


class Equal(NamedTuple):
    """Nodes of *labels* whose *properties* are, in that order, one of the *values*."""

    labels: tuple[str, ...]
    properties: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]


class Range(NamedTuple):
    """Nodes of *labels* with *where* whose *property* is at least *first* and below *beyond*.

    At most *limit*, the least first, and equal ones by *then*, a text, the least first.
    """

    labels: tuple[str, ...]
    property: str
    first: Any
    beyond: Any
    where: Where = ()
    limit: int | None = None
    then: str | None = None


class Ranges(NamedTuple):
    """For each of *ranges*, *limit* nodes of *label* with *where* whose *property* is in it.

    A range is a first text and one that it is below. Of more than *limit* it is open which.
    """

    label: str
    property: str
    ranges: tuple[tuple[str, str], ...]
    limit: int
    where: Where = ()


class Referring(NamedTuple):
    """Nodes of *label* with *where* that have *by*, and those whose *property* it names there."""

    label: str
    by: str
    property: str
    where: Where = ()


class Ordered(NamedTuple):
    """The *limit* nodes of *label* with *where* that have the highest *by*.

    Of equal ones those that were made last, so that a limit leaves the same on both hosts.
    With *level*, another property, they are ranked by `by + tau_ms · ln(level)`, as arousal orders
    them at any time; nodes of equal rank come by *then*, the least first.
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

    Of those whose *property* is that value; of equal ones as Ordered has it. The order of what is
    found says nothing.
    """

    label: str
    property: str
    values: tuple[Any, ...]
    by: str
    limit: int
    where: Where = ()


class Text(NamedTuple):
    """The first *limit* nodes of *label* whose indexed text contains a keyword.

    In the order of `folding.Keywords.place`, and equally placed ones by the text itself. Nodes
    without the forms that the layer's text index is of are found all, over and above *limit*. Of
    texts that are in lists *listed*, which only reads, tells by *keywords* and a limit the first
    ones that have a keyword, as its one field.
    """

    label: str
    keywords: Keywords
    limit: int
    listed: Procedure


class Listing(NamedTuple):
    """The lists that have *texts*, the indexed texts of nodes of *label*; maybe others too."""

    label: str
    texts: tuple[str, ...]


class Similar(NamedTuple):
    """What *equal* finds and, for the first *most* of its values that it does not find, what is
    like them.

    *keys* are its values, squeezed as `folding` does it. Found are, for each, the first *limit*
    nodes of *label* whose indexed text, squeezed, contains the key: those that are the key, then
    those that begin with it, then the others, each by the text itself. An empty key is not looked
    for.
    """

    equal: Equal
    keys: tuple[str, ...]
    label: str
    most: int
    limit: int


class Nearest(NamedTuple):
    """The *limit* nodes of *label* whose *property* is nearest to *vector* (cosine), nearest first.

    Filtered first, limited then: only nodes with *where*; that have for each of *among* one of its
    values, None standing for none at all; and in the list that each of *having* names, one of its
    values. Vectors of another dimension or without a length are near nothing.
    """

    label: str
    property: str
    vector: tuple[float, ...]
    limit: int
    where: Where = ()
    among: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    having: tuple[tuple[str, tuple[Any, ...]], ...] = ()


class Joined(NamedTuple):
    """What *lookup* finds, and the nodes of *label* with *where* that are of it.

    Those whose *property* is the property *by* of a node that *lookup* finds.
    """

    lookup: Nearest
    by: str
    label: str
    property: str
    where: Where = ()


class Vectored(NamedTuple):
    """At most *limit* nodes of *label* that have a vector as their *property*, or that have none.

    With *by*, a key, in its order: those whose key is greater than *after*.
    """

    label: str
    property: str
    has_one: bool
    limit: int
    by: tuple[str, ...] = ()
    after: tuple[Any, ...] | None = None


class Union(NamedTuple):
    """What any of *parts* finds."""

    parts: "tuple[Lookup, ...]"


class Filled(NamedTuple):
    """What *first* finds and, only where that is fewer than *limit*, *then* for the room left."""

    first: Text
    then: Ordered
    limit: int


class Answered(NamedTuple):
    """Nodes of *label* with *where* whose *property* is among what a procedure answers.

    The *procedure*, which only reads, is called with *arguments*, and *context* with what *lookup*
    finds; it is not called where that is nothing. Its rows, which have *property*'s values as their
    first field, come along as what the context calls *key*.
    """

    procedure: Procedure
    arguments: tuple[Any, ...]
    context: tuple[tuple[str, Any], ...]
    lookup: "Lookup"
    key: str
    label: str
    property: str
    where: Where = ()


class Incoming(NamedTuple):
    """What *lookup* finds, and what leads to some of it: the context's `degrees` and `incoming`.

    Looked at are the nodes of *label* without the property *unless*, or all of them if each has it:
    those to which the fewest edges lead first, then by *by*, until *most* edges have been read. A
    node's edges are read all or not at all; those of the first that has any are always. There is a
    list for each node that was read: its id, and columns: the ids of the nodes that the edges of
    the types *edges* come from, the property *weight* of each edge, and of each such node the
    properties *columns*, as its layer declares them.

    What *then* finds comes after all that, if no more than *few* edges lead to it.

    The degrees of those that were not read may be less than there are, but not so few that they
    would have been read.
    """

    lookup: "Lookup"
    label: str
    edges: tuple[str, ...]
    weight: str
    columns: Columns
    by: str
    unless: str
    most: int
    then: Answered | None = None
    few: int = 0


class Sized(NamedTuple):
    """What *lookup* finds, and the `size`: how many nodes of *label* with *where* there are.

    All of them have *property*, which is indexed: they are counted, none is read. So are those with
    each of *others*, of each no more than *most*.
    """

    lookup: "Lookup"
    label: str
    property: str
    where: Where = ()
    others: tuple[Where, ...] = ()
    most: int | None = None


class WithEdges(NamedTuple):
    """What *lookup* finds, whose edges the call goes through: those that leave it or enter it.

    A store that would read them node by node may read them together.
    """

    lookup: "Lookup"
    leaving: bool = True
    entering: bool = False


Lookup = (
    Incoming | Equal | Range | Ranges | Referring | Ordered | Last | Text | Listing | Similar
    | Nearest | Joined | Vectored | Union | Filled | Sized | WithEdges
)  # fmt: skip


def following(after: str | None) -> str:
    """Return the first text that comes after *after*, or of all. Raises InvalidText."""
    # No NUL may follow a text.
    return "" if after is None else text.name(after, "after") + "\x01"
