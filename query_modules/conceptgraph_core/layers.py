"""What a layer declares of itself: the one source of its labels, edge types, keys and indexes.

From these declarations both hosts make constraints and indexes, export and import know their
records, restore and clean know what is theirs, statistics and checks know what to count, and a walk
knows which nodes it may enter. Imports nothing of Memgraph, so that the shell can read it without a
host.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from .validators import Check

# The scope of what belongs to nobody, and so to everybody; no user is called that.
SHARED: Final = ""
# A property that every new record must bring.
REQUIRED: Final = object()
# A property that takes the time of the call where a record is silent.
NOW: Final = object()
_NOTHING: Final[Mapping[str, Any]] = {}


class Property(NamedTuple):
    """A property as records have it: how a value is checked, and what stands for a missing one.

    `check(value, field)` returns the value to store or raises a refusal. `default` is what a new
    record without it starts with: a value, REQUIRED, NOW, or None for none at all. `absent` is what
    it counts as where a hand left it out or put something there that is none. One that may be
    missing is `optional`, and then in no record where it is. `stored` makes of a checked value what
    the graph has, `read` makes the value of that again.
    """

    name: str
    check: Check
    default: Any = REQUIRED
    absent: Any = None
    optional: bool = False
    stored: Callable[[Any], Any] = lambda value: value
    read: Callable[[Any], Any] = lambda value: value


def optional(name: str, check: Check, default: Any = None) -> Property:
    """Return a property that may be missing, and then is in no record."""
    return Property(name, check, default, optional=True)


def starting(name: str, check: Check, value: Any) -> Property:
    """Return a property that starts with *value*, and counts as that where a hand left it out."""
    return Property(name, check, value, absent=value)


class IndexedText(NamedTuple):
    """That the nodes of a kind are found by the words of one of their properties.

    The words of `also`, further texts of theirs, count like those; `about` is a property that lists
    names, which a node is found by even where its texts do not have them. Besides it they may have
    `thread` and `position` in it, `speaker` and `said_at` (unix ms). Where `said_at` is missing,
    the property `otherwise_at` stands for it, or *when* tells it from the node's key, if it can.
    """

    property: str
    when: Callable[[Any], int | None] = lambda _: None
    also: tuple[str, ...] = ()
    about: str | None = None
    otherwise_at: str | None = None

    def texts(self) -> tuple[str, ...]:
        """Return the properties that are told in words."""
        return (self.property, *self.also)

    def told(self) -> tuple[str, ...]:
        """Return the properties that words come from."""
        return self.texts() if self.about is None else (*self.texts(), self.about)


class NodeKind(NamedTuple):
    """A label and its nodes' records.

    `key` are the properties that identify a node; all kinds of a layer that share a name space have
    the same. `kind` is what records and rows call it, `measure` what statistics do. `text` is the
    property that stands for a node where people read of it; `derived` properties follow from others
    and are in no record. Of a scoped kind, `scope` is the property that says whose a node is.
    `indexed` says by the words of which property its nodes are found. What is `fixed` no record of
    an import may change, nor the scope. `refers` names properties that are keys of nodes of another
    label in the same scope. `counted` says what statistics count apart, under which measure: it
    tells by a node's properties whether it is one. `told_apart` tells by the properties of a node
    and those of a record with its key how they cannot be of one thing; None: they may be.
    """

    label: str
    kind: str
    measure: str
    key: tuple[str, ...]
    properties: tuple[Property, ...]
    text: str
    derived: Mapping[str, Callable[[Mapping[str, Any]], Any]] = _NOTHING
    scope: str | None = None
    exported: bool = True
    indexed: IndexedText | None = None
    fixed: tuple[str, ...] = ()
    refers: Mapping[str, str] = _NOTHING
    counted: Mapping[str, Callable[[Callable[[str], Any]], bool]] = _NOTHING
    told_apart: Callable[[Callable[[str], Any], Mapping[str, Any]], str | None] | None = None

    @property
    def unchanging(self) -> tuple[str, ...]:
        """The properties that a node keeps for as long as it is there."""
        return self.fixed if self.scope is None else (self.scope, *self.fixed)

    @property
    def expected(self) -> list[Property]:
        """The properties that every node has that was not made by hand."""
        return [one for one in self.properties if not one.optional]

    @property
    def may_be_shared(self) -> bool:
        """Whether nodes without a scope belong to everybody; records then leave it out."""
        return self.scope is not None and self.declared(self.scope).optional

    def whose(self, get: Callable[[str], Any]) -> Any:
        """Return the scope of a node or record by its properties; None if it has none."""
        scope = None if self.scope is None else get(self.scope)
        return SHARED if scope is None and self.may_be_shared else scope

    def words_of(self, scope: str) -> str:
        """Return the scope that the words of its texts have, where *scope* is that of its nodes.

        Texts of a kind that may be shared are counted apart from what else is a user's.
        """
        return f"{scope}\x1f{self.kind}" if scope != SHARED and self.may_be_shared else scope

    def declared(self, name: str) -> Property:
        for one in self.properties:
            if one.name == name:
                return one
        raise LookupError(f"{self.label} has no property {name}")


class EdgeKind(NamedTuple):
    """An edge type: what callers call it, its properties, and the labels that it may join.

    An import makes a node of the label `creates` of an end that does not exist; None: refuses.
    """

    type: str
    name: str
    properties: tuple[Property, ...]
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    creates: str | None = None
    exported: bool = True

    @property
    def expected(self) -> list[Property]:
        """The properties that every edge has that was not made by hand."""
        return [one for one in self.properties if not one.optional]


class Index(NamedTuple):
    """Nodes of *label* by the values of *properties*, in that order; *unique*: one node each.

    A node without *scope*, one of these properties, counts as shared.
    """

    label: str
    properties: tuple[str, ...]
    unique: bool = False
    scope: str | None = None


class Ranking(NamedTuple):
    """Nodes of *label* by time + tau · ln(level), the highest first; equal ones by *then*.

    Only shared ones, where *scope* is the property that says whose a node is.
    """

    label: str
    level: str
    time: str
    then: str
    scope: str | None = None


class TextIndex(NamedTuple):
    """Nodes of *label* by any part of *source*, of which three properties have the forms.

    *folded* has it case-folded. *other* has it case-folded as well, but only where that is another
    than *source*, and *plain* has it without accents too, only where that is another than the
    folded form (see `folding`): what begins with a text is found by the indexes of *source* and of
    these two, which are small. What only contains one is looked for in lists (see `lists`):
    *listed*, a number, says which list has it, and *unlisted*, true, that none has it yet. A node
    that has neither, or no folded form, may lack others as well.

    All this is of shared nodes. *scope* is the property that says whose a node is, and those of a
    user have, in place of the forms, *owned*: whose they are and *source*, case-folded.
    """

    label: str
    source: str
    folded: str
    other: str
    plain: str
    unlisted: str
    listed: str
    scope: str
    owned: str


class VectorIndex(NamedTuple):
    """Nodes of *label* by nearness of *vector*, a list of floats (cosine).

    It is the vector of *texts*, properties; without them nobody here makes it. *dimension* is the
    property that says how many numbers it has.
    """

    label: str
    vector: str
    texts: tuple[str, ...] = ()
    dimension: str | None = None


class Columns(NamedTuple):
    """Properties of nodes of *label* that are read of many at once, along the edges that join them.

    A store that keeps a node's properties together may keep these apart too.
    """

    label: str
    properties: tuple[str, ...]


class Layer(NamedTuple):
    """One layer of the graph.

    These sets are not the same: all its `nodes` belong to it, those that are `exported` have
    records, those of the labels `names` share one name space, and a walk may enter those of the
    labels `walked`.
    """

    name: str
    nodes: tuple[NodeKind, ...]
    edges: tuple[EdgeKind, ...]
    names: tuple[str, ...] = ()
    walked: tuple[str, ...] = ()
    # What the records of its edges are called.
    edge_kind: str = "relation"
    indexes: tuple[Index, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    texts: tuple[TextIndex, ...] = ()
    vectors: tuple[VectorIndex, ...] = ()
    columns: tuple[Columns, ...] = ()
    # Whether it is about the store, and stays as it is where the graph is replaced by another.
    stays: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(kind.label for kind in self.nodes)

    def kind(self, label: str) -> NodeKind:
        """Return the kind of the nodes of *label*."""
        return next(kind for kind in self.nodes if kind.label == label)

    def edge(self, name: object) -> EdgeKind | None:
        """Return the kind of edge that callers call *name*."""
        return next((kind for kind in self.edges if kind.name == name), None)

    def joining(self, label: str) -> str:
        """Return what may join nodes of *label*, as a message names it: "evokes"."""
        allowed = [kind.name for kind in self.edges if label in (*kind.sources, *kind.targets)]
        return " or ".join(allowed)

    def sharing(self, label: str) -> tuple[str, ...]:
        """Return the labels in whose name space the keys of *label* are unique."""
        return self.names if label in self.names else (label,)

    def spaces(self, labels: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the name spaces of *labels*, each once: of more than one a key alone tells not."""
        return list(dict.fromkeys(self.sharing(label) for label in labels))


def together(layers: Sequence[Layer]) -> Layer:
    """Return a layer that has all nodes of *layers* and their vectors, for what goes through all.

    Without their edges: layers may use one edge type each in its own way.
    """
    nodes = tuple(kind for layer in layers for kind in layer.nodes)
    vectors = tuple(index for layer in layers for index in layer.vectors)
    return Layer("all", nodes, (), walked=tuple(kind.label for kind in nodes), vectors=vectors)
