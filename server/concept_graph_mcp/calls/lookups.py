"""What a store finds by index before it calls a procedure: data, made of five primitives.

Each store translates each primitive once; neither knows a procedure. What a look-up finds is handed
over in the context's `found` and is authoritative: what it was asked for and did not find is not
there. Properties that a primitive compares or orders by are indexed by their layer's declaration.
"""

from dataclasses import dataclass
from typing import Any

# Only nodes that have each of these properties with that value; a scope is one of them.
Where = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Equal:
    """Nodes of *labels* whose *properties* are, in that order, one of the *values*."""

    labels: tuple[str, ...]
    properties: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Range:
    """Nodes of *labels* with *where* whose *property* is at least *first* and below *beyond*.

    At most *limit*, the least first.
    """

    labels: tuple[str, ...]
    property: str
    first: Any
    beyond: Any
    where: Where = ()
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Ordered:
    """The *limit* nodes of *label* with *where* that have the highest *by*.

    With *level*, another property, they are ranked by `by + tau_ms · ln(level)`, as arousal orders
    them at any time; nodes of equal rank come by *then*, the least first.
    """

    label: str
    by: str
    limit: int
    level: str | None = None
    tau_ms: float = 0.0
    then: str | None = None
    where: Where = ()


@dataclass(frozen=True, slots=True)
class Text:
    """The first *limit* nodes of *label* whose folded text *property* contains a keyword.

    *keywords* are folded as the layer's text index folds. Those whose text is a keyword come
    first, then those that begin with one, then those with a word that does, then the rest, each by
    the text itself.
    """

    label: str
    property: str
    keywords: tuple[str, ...]
    limit: int


@dataclass(frozen=True, slots=True)
class Nearest:
    """The *limit* nodes of *label* with *where* whose *property* is nearest to *vector* (cosine).

    Exact within *where*: filtered first, limited then.
    """

    label: str
    property: str
    vector: tuple[float, ...]
    limit: int
    where: Where = ()


@dataclass(frozen=True, slots=True)
class Union:
    """What any of *parts* finds."""

    parts: "tuple[Lookup, ...]"


@dataclass(frozen=True, slots=True)
class Filled:
    """What *first* finds and, only where that is fewer than *limit*, *then* for the room left."""

    first: Text
    then: Ordered
    limit: int


@dataclass(frozen=True, slots=True)
class Search:
    """Look up concepts that contain a keyword and, if they do not fill *limit*, the most aroused.

    Keywords are case-folded as `schema.search_name` does it.
    """

    keywords: tuple[str, ...]
    limit: int


Lookup = Search | Equal | Range | Ordered | Text | Nearest | Union | Filled
