"""What a layer declares of itself: the one source of its labels, edge types, keys and indexes.

From these declarations both hosts make constraints and indexes, export and import know their
records, restore and clean know what is theirs, statistics and checks know what to count, and a walk
knows which nodes it may enter. Imports nothing of Memgraph, so that the shell can read it without a
host.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

# A property that every new record must bring.
REQUIRED: Final = object()
# A property that takes the time of the call where a record is silent.
NOW: Final = object()


@dataclass(frozen=True, slots=True)
class Property:
    """A property as records have it: how a value is checked, and what stands for a missing one.

    `check(value, field)` returns the value to store or raises a refusal. `default` is what a new
    record without it starts with: a value, REQUIRED, NOW, or None for none at all. A property that
    nodes made by hand need not have is `optional`.
    """

    name: str
    check: Callable[[Any, str], Any]
    default: Any = REQUIRED
    optional: bool = False


@dataclass(frozen=True, slots=True)
class NodeKind:
    """A label and its nodes' records.

    `key` are the properties that identify a node; all kinds of a layer that share a name space have
    the same. `kind` is what records and rows call it, `measure` what statistics do. `text` is the
    property that stands for a node where people read of it; `derived` properties follow from others
    and are in no record. Of a scoped kind, `scope` is the property that says whose a node is.
    """

    label: str
    kind: str
    measure: str
    key: tuple[str, ...]
    properties: tuple[Property, ...]
    text: str
    derived: Mapping[str, Callable[[Mapping[str, Any]], Any]] = field(default_factory=dict)
    scope: str | None = None
    exported: bool = True


@dataclass(frozen=True, slots=True)
class EdgeKind:
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


@dataclass(frozen=True, slots=True)
class Index:
    """Nodes of *label* by the values of *properties*, in that order; *unique*: one node each."""

    label: str
    properties: tuple[str, ...]
    unique: bool = False


@dataclass(frozen=True, slots=True)
class Ranking:
    """Nodes of *label* by time + tau · ln(level), the highest first; equal ones by *then*."""

    label: str
    level: str
    time: str
    then: str


@dataclass(frozen=True, slots=True)
class TextIndex:
    """Nodes of *label* by any part of *folded*; of a node without it, by `fold` of *source*."""

    label: str
    folded: str
    source: str
    fold: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """Nodes of *label* by nearness of *vector*, a list of floats (cosine)."""

    label: str
    vector: str


@dataclass(frozen=True, slots=True)
class Layer:
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

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(kind.label for kind in self.nodes)

    def node_kind(self, label: str) -> NodeKind:
        return next(kind for kind in self.nodes if kind.label == label)
