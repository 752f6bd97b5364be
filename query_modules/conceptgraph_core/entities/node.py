"""Wrap entities, mentions, sessions, merges and facts as one call sees them, within its scope."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..graph import adapter
from ..graph.layers import NodeKind
from ..verbs.context import Context
from . import edges, schema


class Planned:
    """The steps that a rehearsal has taken, and the semantic edges and merges they would make.

    The context holds them as `planned`, for its later steps. So a rehearsal reports what the run
    would do, step by step, and writes nothing.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        steps = given.get("steps", ())
        self.has_decayed = schema.DECAY in steps
        self.has_deactivated = schema.DEACTIVATE in steps
        # By entity id: the weights of its edges, and the entity that it would count as.
        self.weights: defaultdict[str, list[float]] = defaultdict(list)
        self.merged: dict[str, str] = dict(given.get(schema.MERGE_STEP, ()))
        for one, other, weight in given.get(schema.SEMANTIC_STEP, ()):
            self.join(one, other, weight)

    def join(self, one: str, other: str, weight: float) -> None:
        for key in (one, other):
            self.weights[key].append(weight)

    def merges(self, one: str, other: str) -> bool:
        """Tell whether the rehearsal would have merged one of the two into the other."""
        return self.merged.get(one) == other or self.merged.get(other) == one


_DECLARED: Final = schema.LAYER.declared
_CONNECTING: Final = {one: one for one in schema.CONNECTING}


class Node(adapter.Node):
    """A vertex of this layer; a property is read when it is used.

    `id` is the database's, `key` the entity's own.
    """

    __slots__ = ()
    declared = _DECLARED

    def set(self, **values: Any) -> None:
        for name, value in values.items():
            self.raw.set_property(name, value)

    def add(self, name: str, number: int) -> None:
        self.raw.set_property(name, self.get(name) + number)

    @property
    def key(self) -> str:
        """Its identity in its scope: its id, or the name of a session."""
        key: str = self.get("session_id" if self.label == schema.SESSION else "id")
        return key

    @property
    def name(self) -> str:
        """The name shown for an entity: its best spelt label, with its qualifier."""
        return self._qualified(self.get("shown_label") or self.bare)

    @property
    def own_name(self) -> str:
        """The name of an entity itself, whatever it was merged with."""
        return self._qualified(self.bare)

    def _qualified(self, label: str) -> str:
        qualifier = self.get("qualifier")
        return label if qualifier is None else f"{label} ({qualifier})"

    @property
    def bare(self) -> str:
        """The label of an entity as it was first written, by which look-ups find it."""
        label: str = self.get("node_label")
        return label

    @property
    def node_type(self) -> str:
        node_type: str = self.get("node_type")
        return node_type

    @property
    def status(self) -> str:
        status: str = self.get("identity_status")
        return status

    @property
    def words(self) -> str | None:
        """The sentence of a mention, unless a fact that it told was forgotten."""
        said: str | None = self.get("mention_context")
        return None if self.get("unquoted_with") else said

    @property
    def created_at(self) -> int:
        created_at: int = self.get("created_at")
        return created_at

    @property
    def told_at(self) -> int:
        """When a fact was known first, or a mention was made."""
        told_at: int = self.get("known_from" if self.label == schema.FACT else "created_at")
        return told_at

    def activation(self, now_ms: int) -> float:
        """Return the activation of an entity at *now_ms*, in [0, 1]."""
        return edges.faded(self.get("activation_strength"), self.get("last_activated"), now_ms)

    @property
    def turn(self) -> tuple[int, int, str]:
        """A sort key: smaller for the earlier of two mentions."""
        return self.created_at, self.get("sequence"), self.key

    @property
    def age(self) -> tuple[int, str]:
        """A sort key: smaller for the older of two entities."""
        return self.created_at, self.key


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two entities."""

    raw: Any
    type: str

    def get(self, name: str) -> Any:
        """Return a property; a wrong value, from Cypher written by hand, counts as absent."""
        declared = _DECLARED[self.type].get(name)
        return None if declared is None else declared.of(self.raw.get_property)

    def set(self, **values: Any) -> None:
        for name, value in values.items():
            self.raw.set_property(name, value)

    @property
    def weight_at(self) -> int | None:
        """The time of its weight (unix ms); None if Cypher written by hand left it out."""
        value = self.raw.get_property("weight_at")
        return value if value.__class__ is int else None

    def weighed_at(self, now_ms: int) -> int:
        """The time of its weight; without one, the time at which the layer first saw the edge."""
        return now_ms if self.weight_at is None else self.weight_at

    def weight_now(self, now_ms: int) -> float:
        """Return its weight as a nightly run at *now_ms* would store it."""
        days = edges.days_between(self.weighed_at(now_ms), now_ms)
        return edges.ema(self.type, self.get("weight"), 0.0, days)

    def idle_days(self, now_ms: int) -> float:
        """Return the days since its reinforcement, or else since the time of its weight."""
        at = self.raw.get_property("last_activated")
        since = at if at.__class__ is int else self.weighed_at(now_ms)
        return edges.days_between(since, now_ms)

    @property
    def is_active(self) -> bool:
        return bool(self.get("is_active"))

    def stays_on(self, now_ms: int) -> bool:
        """Tell whether a nightly run at *now_ms* would leave it active."""
        return self.is_active and self.weight_now(now_ms) >= edges.MIN_WEIGHT

    @property
    def origin(self) -> str:
        """Its origin. A causal edge is always inferred, whoever says it."""
        origin: str = self.get("origin")
        return schema.INFERRED if self.type == schema.CAUSAL else origin

    @property
    def by_user(self) -> bool:
        """Whether the user ever reinforced it."""
        return bool(self.get("user_reinforcement_count"))

    @property
    def connects(self) -> bool:
        """Whether it counts among the edges of its ends."""
        return self.type in schema.CONNECTING and self.is_active


@dataclass(frozen=True, slots=True)
class Tie(Edge):
    """An edge between two entities, seen from one of them; `other` is the far end."""

    other: Node
    leaves: bool

    def rank(self, now_ms: int) -> tuple[bool, float, str, str]:
        """Return the sort key for display at *now_ms*: active edges first, then by weight."""
        return not self.is_active, -self.weight_now(now_ms), self.other.key, self.type

    @property
    def strength(self) -> float:
        """The strength of its reinforcements, in [0, 1)."""
        return edges.strength(*self._reinforcements)

    def axes(self, now_ms: int) -> dict[str, float]:
        """Return weight, strength, recency and trust at *now_ms*, each apart."""
        return {
            "weight": self.weight_now(now_ms),
            "strength": self.strength,
            "recency": edges.recency(self.type, self.get("last_activated"), now_ms),
            "trust": edges.trust(*self._reinforcements),
        }

    @property
    def _reinforcements(self) -> tuple[float, float]:
        """The numbers of reinforcements by the user and by a model."""
        return self.get("user_reinforcement_count"), self.get("model_reinforcement_count")


class Graph(adapter.Graph[Node]):
    """One call's view of the entities of its `user_id`; those of other users are invisible."""

    layer = schema.LAYER
    node_class = Node

    def __init__(self, ctx: Any, context: Mapping[str, Any] | Context) -> None:
        super().__init__(ctx, context)
        self.planned = Planned(self.context.planned)

    @property
    def now_ms(self) -> int:
        return self.context.now_ms

    @property
    def user_id(self) -> str:
        return self.context.user_id

    def kind(self, label: str) -> NodeKind:
        return schema.LAYER.kind(label)

    def of(self, label: str) -> list[Node]:
        """Return the nodes of *label* that the look-up found, or all there are."""
        return [node for node in self.nodes() if node.label == label]

    def with_ids(self, label: str, keys: Iterable[str]) -> dict[str, Node]:
        """Return those of the nodes of *label* with these ids that exist, by their ids."""
        wanted = dict.fromkeys(keys)
        # Nothing is asked for twice.
        known = () if self.found.by_id is None else self.of(label)
        found = {node.key: node for node in known if node.key in wanted}
        if len(found) < len(wanted):
            for node in self.find(label, ("id",), ((one,) for one in wanted)):
                found.setdefault(node.key, node)
        return found

    def make(self, label: str, /, **values: Any) -> Node:
        """Create a node of this scope; missing *values* get the defaults of its kind."""
        now_ms = self.context.now_ms
        kind, given = self.kind(label), {"user_id": self.user_id, **values}
        complete = schema.complete(kind.properties, given, now_ms)
        derived = {name: derive(complete) for name, derive in kind.derived.items()}
        return self.create_node(label, **complete, **derived)

    def join(self, source: Node, target: Node, edge_type: str, **values: Any) -> Tie:
        """Create an edge between two entities, with the defaults of its kind."""
        given = schema.complete(schema.edge(edge_type).properties, values, self.now_ms)
        raw = self.create_edge(source, target, edge_type, **given)
        return Tie(raw, edge_type, target, True)

    def ties(self, node: Node, *types: str, ways: Sequence[bool] = (True, False)) -> Iterator[Tie]:
        """Iterate over the edges of *types*, or of any between entities, of a node."""
        wanted = {one: one for one in types or schema.BETWEEN}
        for edge, edge_type, other, leaves in self.edges(node, ways, wanted):
            yield Tie(edge, edge_type, other, leaves)

    def leaving(self, node: Node, *types: str) -> Iterator[Tie]:
        """Iterate over those that leave *node*; this skips an entity's mentions."""
        return self.ties(node, *types, ways=(True,))

    def arriving(self, node: Node, *types: str) -> Iterator[Tie]:
        """Iterate over those that lead to *node*."""
        return self.ties(node, *types, ways=(False,))

    def bare(
        self, node: Node, types: Mapping[str, str], ways: Sequence[bool] = (True, False)
    ) -> Iterator[tuple[Edge, Any]]:
        """Iterate over the edges of an entity of the given *types*, with their unwrapped far ends.

        It reads no properties, for walks over all edges; `tie` wraps one. Edges that Cypher written
        by hand drew to foreign nodes are included: see `is_active`.
        """
        for edge, edge_type, far, _ in self.ends(node, ways, types):
            yield Edge(edge, edge_type), far

    def connections(self, node: Node) -> list[Edge]:
        """Return the active edges that connect *node*."""
        return [edge for edge, far in self.bare(node, _CONNECTING) if self.is_active(edge, far)]

    def tie(self, edge: Edge, far: Any, leaves: bool) -> Tie | None:
        """Return an edge with its far end; None if that is not of this scope."""
        other = self.raw_node(far)
        return None if other is None else Tie(edge.raw, edge.type, other, leaves)

    def is_active(self, edge: Edge, far: Any) -> bool:
        """Tell whether *edge* is active; one without the property counts if it leads to an entity.

        The layer writes the property to all its edges, so their far ends need not be read.
        """
        active = edge.raw.get_property("is_active")
        if active.__class__ is bool:
            return bool(active)
        return edge.is_active and self.raw_node(far) is not None

    def between(self, one: Node, other: Node, edge_type: str) -> Tie | None:
        """Return the edge of that type from *one* to *other*, either way if it has no direction."""
        ways = [(one, other)]
        if edge_type in schema.UNDIRECTED:
            ways.append((other, one))
        for source, target in ways:
            found = self.edges_between(source, target, edge_type)
            if found:
                return Tie(found[0], edge_type, other, source is one)
        return None

    def ordered(self, one: Node, other: Node) -> tuple[Node, Node]:
        """Return two entities, the older first: undirected edges are stored in this order."""
        return (one, other) if one.age <= other.age else (other, one)

    def is_later(self, node: Node) -> bool:
        """Tell whether *node* was created after the context's `until_ms`."""
        since = {schema.SESSION: "started_at", schema.FACT: "known_from"}
        until_ms = self.context.until_ms
        return until_ms is not None and node.get(since.get(node.label, "created_at")) > until_ms

    def _new_node(self, raw: Any, node_id: int) -> Node | None:
        node = super()._new_node(raw, node_id)
        if node is not None and not self.sees(raw):
            node = self._nodes[node_id] = None
        return node

    def sees(self, raw: Any) -> bool:
        """Tell whether a vertex is of this call's scope, and not out of sight."""
        get = raw.get_property
        return get("user_id") == self.context.user_id and get("forgotten_at") is None

    def revive(self, node: Node) -> Node:
        """Bring a node back into sight; return it as this call sees it."""
        node.set(forgotten_at=None, forgotten_with=None, forgotten_because=None)
        self._nodes.pop(node.id, None)
        return self.raw_node(node.raw) or node


class All(Graph):
    """One call's view of all entities of its `user_id`, those out of sight too."""

    def sees(self, raw: Any) -> bool:
        return bool(raw.get_property("user_id") == self.context.user_id)
