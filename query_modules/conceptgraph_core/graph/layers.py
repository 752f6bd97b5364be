"""Declare layers: the one source of their labels, edge types, keys and indexes.

Both hosts make constraints and indexes from these declarations. Export, import, restore, clean,
statistics and checks use them, and a walk knows by them which nodes it may enter. Imports nothing
of Memgraph, so that the shell can read it without a host.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

from ..texts.text import BEHIND_SCOPE
from ..verbs.errors import ConceptGraphError
from ..verbs.validators import Check, accepting, never

# The scope of what belongs to nobody, and so to everybody; no user is called that.
SHARED: Final = ""
# The default of a property that every new record must have.
REQUIRED: Final = object()
# The default of a property that is the time of the call.
NOW: Final = object()
_NOTHING: Final[Mapping[str, Any]] = {}


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Property:
    """A property of records: its check, and its default.

    * `check(value, field)` returns the value to store, or raises an error.
    * `default` is the value in a new record without it: a value, REQUIRED, NOW, or None.
    * `absent` is its value if Cypher written by hand left it out, or stored a wrong one.
    * `optional` ones may be missing, and are then in no record.
    * `stored` converts a checked value to the stored one, and `read` converts it back.
    """

    name: str
    check: Check
    default: Any = REQUIRED
    absent: Any = None
    optional: bool = False
    stored: Callable[[Any], Any] = _same
    read: Callable[[Any], Any] = _same
    # Tells at sight that a value in the graph is one that `check` let in.
    accepts: Callable[[Any], bool] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        accepts = accepting(self.check) if self.read is _same else never
        object.__setattr__(self, "accepts", accepts)

    def of(self, get: Callable[[str], Any]) -> Any:
        """Return its value in the element whose properties *get* returns; a wrong one is absent."""
        value = get(self.name)
        return value if self.accepts(value) else self.checked(value)

    def checked(self, value: Any) -> Any:
        """Return *value*, as the graph has it, if it is right, and else that of an absent one."""
        if value is not None:
            try:
                return self.check(self.read(value), self.name)
            except ConceptGraphError:
                pass
        # A copy, because the caller may extend the list, and the default is shared.
        return list(self.absent) if isinstance(self.absent, list) else self.absent


def optional(name: str, check: Check, default: Any = None) -> Property:
    """Return a property that may be missing, and is then in no record."""
    return Property(name, check, default, optional=True)


def starting(name: str, check: Check, value: Any) -> Property:
    """Return a property with the default *value*, also if Cypher written by hand left it out."""
    return Property(name, check, value, absent=value)


class IndexedText(NamedTuple):
    """The text property by whose words the nodes of a kind are found.

    * `also` are further texts, whose words count equally.
    * `about` is a property with names that find the node even if its texts lack them.
    * `heard` is a property with what was said when the text was told: its words count less.
    * `thread`, `position` in it, `speaker` and `said_at` (unix ms) are optional properties.
    * A missing `said_at` is replaced by the property `otherwise_at`, or by *when* of the key.
    """

    property: str
    when: Callable[[Any], int | None] = lambda _: None
    also: tuple[str, ...] = ()
    about: str | None = None
    otherwise_at: str | None = None
    heard: str | None = None

    def texts(self) -> tuple[str, ...]:
        """Return the properties that contain text."""
        return (self.property, *self.also)

    def told(self) -> tuple[str, ...]:
        """Return the properties that the words come from."""
        others = (name for name in (self.about, self.heard) if name is not None)
        return (*self.texts(), *others)


class NodeKind(NamedTuple):
    """A label and the records of its nodes.

    * `key`: the properties that identify a node, equal for all kinds that share a name space.
    * `kind`: its name in records and rows; `measure`: its name in statistics.
    * `text`: the property that people read; `derived` properties follow from others, in no record.
    * `scope`: the property with the user that a scoped node belongs to.
    * `indexed`: the text property by whose words its nodes are found.
    * `fixed`: properties that no import may change; the scope is always fixed.
    * `refers`: properties that are keys of nodes of another label in the same scope.
    * `counted`: separate counts of statistics: the measure, and a predicate on a node's properties.
    * `told_apart`: returns why a node and a record with its key differ; None: they may be one.
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
        """The properties that never change while a node exists."""
        return self.fixed if self.scope is None else (self.scope, *self.fixed)

    @property
    def expected(self) -> list[Property]:
        """The properties of every node, except those made by hand."""
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
        return (
            f"{scope}{BEHIND_SCOPE}{self.kind}" if scope != SHARED and self.may_be_shared else scope
        )

    def declared(self, name: str) -> Property:
        for one in self.properties:
            if one.name == name:
                return one
        raise LookupError(f"{self.label} has no property {name}")


class EdgeKind(NamedTuple):
    """An edge type: its public name, its properties, and the labels that it may join.

    An import creates a missing end as a node of the label `creates`; None: it refuses the edge.
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
        """The properties of every edge, except those made by hand."""
        return [one for one in self.properties if not one.optional]


class Index(NamedTuple):
    """Nodes of *label* by the values of *properties*, in that order; *unique*: one node each.

    A node without *scope*, one of these properties, counts as shared.
    """

    label: str
    properties: tuple[str, ...]
    unique: bool = False
    scope: str | None = None


class Slots(NamedTuple):
    """Properties with the first values of *source*, a list, for no store indexes a list.

    *names* are these properties, and *more* is true where the list has further values. Nodes with
    the property *unless* have none of them.
    """

    label: str
    source: str
    names: tuple[str, ...]
    more: str
    unless: str

    def of(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Return these properties of a node with *properties*; None where it has none."""
        values = properties.get(self.source)
        if not isinstance(values, (list, tuple)) or properties.get(self.unless) is not None:
            values = ()
        made = [one if isinstance(one, str) else None for one in values[: len(self.names)]]
        made += [None] * (len(self.names) - len(made))
        more = True if len(values) > len(self.names) else None
        return {**dict(zip(self.names, made, strict=True)), self.more: more}

    def derived(self) -> dict[str, Callable[[Mapping[str, Any]], Any]]:
        """Return how each of these properties follows from the others of a node."""
        return {name: partial(self._one, name) for name in (*self.names, self.more)}

    def _one(self, name: str, properties: Mapping[str, Any]) -> Any:
        return self.of(properties)[name]


class Ranking(NamedTuple):
    """Nodes of *label* by time + tau · ln(level), the highest first; ties by *then*.

    It ranks only shared nodes if *scope* is the property with a node's user.
    """

    label: str
    level: str
    time: str
    then: str
    scope: str | None = None


class TextIndex(NamedTuple):
    """Nodes of *label* by any substring of *source*, which has three derived forms.

    * *folded*: case-folded.
    * *other*: case-folded, but only if that differs from *source*.
    * *plain*: also without accents, but only if that differs from the folded form (see `folding`).

    A node without a folded form may lack the others too.

    Only shared nodes have these. *scope* is the property with a node's user. A user's own nodes
    have *owned* instead: the user and *source*, case-folded.
    """

    label: str
    source: str
    folded: str
    other: str
    plain: str
    scope: str
    owned: str


class VectorIndex(NamedTuple):
    """Nodes of *label* by nearness of *vector*, a list of floats (cosine).

    It embeds the properties *texts*; without any, another program sets it. *dimension* is the
    property with its length. *newest* is a property with a time, indexed behind the scope: those
    with the greatest are embedded first.
    """

    label: str
    vector: str
    texts: tuple[str, ...] = ()
    dimension: str | None = None
    newest: str | None = None


class Columns(NamedTuple):
    """Properties of nodes of *label* that calls read for many at once, along their edges.

    A store that packs the properties of a node may keep these apart too.
    """

    label: str
    properties: tuple[str, ...]


class Layer(NamedTuple):
    """One layer of the graph.

    These sets differ: all its `nodes` belong to it, those that are `exported` have records, those
    of the labels `names` share one name space, and a walk may enter those of the labels `walked`.
    """

    name: str
    nodes: tuple[NodeKind, ...]
    edges: tuple[EdgeKind, ...]
    names: tuple[str, ...] = ()
    walked: tuple[str, ...] = ()
    # The kind of its edges in records.
    edge_kind: str = "relation"
    indexes: tuple[Index, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    slots: tuple[Slots, ...] = ()
    texts: tuple[TextIndex, ...] = ()
    vectors: tuple[VectorIndex, ...] = ()
    columns: tuple[Columns, ...] = ()
    # Whether it is about the store, and stays when a restore replaces the graph.
    stays: bool = False

    @property
    def declared(self) -> dict[str, dict[str, Property]]:
        """The properties of its nodes by label, and of its edges by type; both by their names."""
        kinds = [(kind.label, kind.properties) for kind in self.nodes]
        kinds += [(kind.type, kind.properties) for kind in self.edges]
        return {kind: {one.name: one for one in properties} for kind, properties in kinds}

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(kind.label for kind in self.nodes)

    def kind(self, label: str) -> NodeKind:
        """Return the kind of the nodes of *label*."""
        return next(kind for kind in self.nodes if kind.label == label)

    def edge(self, name: object) -> EdgeKind | None:
        """Return the kind of edge with the public name *name*."""
        return next((kind for kind in self.edges if kind.name == name), None)

    def joining(self, label: str) -> str:
        """Return the names of the edges that may join nodes of *label*, for a message: "evokes"."""
        allowed = [kind.name for kind in self.edges if label in (*kind.sources, *kind.targets)]
        return " or ".join(allowed)

    def sharing(self, label: str) -> tuple[str, ...]:
        """Return the labels that share the name space of *label*."""
        return self.names if label in self.names else (label,)

    def spaces(self, labels: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the name spaces of *labels*, each once: with several, a key alone is ambiguous."""
        return list(dict.fromkeys(self.sharing(label) for label in labels))


def join_layers(layers: Sequence[Layer]) -> Layer:
    """Return a layer with the nodes and vectors of all *layers*, for calls over all of them.

    It has no edges, because layers may use one edge type each in its own way.
    """
    nodes = tuple(kind for layer in layers for kind in layer.nodes)
    vectors = tuple(index for layer in layers for index in layer.vectors)
    return Layer("all", nodes, (), walked=tuple(kind.label for kind in nodes), vectors=vectors)
