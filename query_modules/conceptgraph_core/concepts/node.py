"""View concepts and episodes as one call sees them: their current arousal, and their text."""

import math
from collections.abc import Collection, Mapping
from typing import Any

from ..graph import adapter
from ..graph import raw as raws
from ..graph.layers import SHARED
from ..graph.primitives import Lookup
from ..verbs.context import OWN, Context
from . import lookups, schema


class Node(adapter.Node):
    """A concept or an episode as read when the call first met it, kept up with its writes.

    `arousal`, in [0, 1], is that of the call's time: level · exp(−(now − accessed_at)/tau). An
    access in the future counts as now. `arousal_level`, in [0, 1], is that of `accessed_at`, unix
    ms; a node made by hand may lack either, which counts as never aroused.
    """

    __slots__ = ("accessed_at", "arousal", "arousal_level", "is_episode", "name", "text")

    def __init__(self, raw: Any, node_id: int, label: str, context: Context) -> None:
        # A recall builds thousands of these, so it reads no property without need.
        get = raw.get_property
        name, level, accessed_at = get("name"), get("arousal_level"), get("accessed_at")
        if level.__class__ is not float or accessed_at.__class__ is not int:
            level, accessed_at = _real(level) or 0.0, int(_real(accessed_at) or 0)
        self.raw = raw
        self.id = node_id
        self.label = label
        self.name: str = name if name.__class__ is str else ""
        self.is_episode = label == schema.EPISODE
        self.text: str = (self.summary or self.name) if self.is_episode else self.name
        self.arousal_level: float = level
        self.accessed_at: int = accessed_at
        age = context.now_ms - accessed_at
        self.arousal: float = level * math.exp(-age / context.tau_ms) if age > 0 else level

    @property
    def summary(self) -> str | None:
        """The text of an episode in a proposition; a concept's is its name."""
        summary = self.raw.get_property("summary")
        return summary if isinstance(summary, str) else None

    @property
    def valence(self) -> float | None:
        valence = self.raw.get_property("valence")
        return valence if valence.__class__ is float else _real(valence)


class Graph(adapter.Graph[Node]):
    """One call's view of the concepts and episodes of one scope, and of their relations."""

    layer = schema.LAYER
    node_class = Node

    def __init__(self, ctx: Any, context: Mapping[str, Any] | Context) -> None:
        super().__init__(ctx, context)
        own = self.context.concepts == OWN
        self.scope: str = self.context.user_id if own else SHARED
        self.owner = {schema.SCOPE: self.scope}

    def _new_node(self, raw: Any, node_id: int) -> Node | None:
        # Here, so that no look-up, scan or walk can meet another scope. A node without a scope,
        # made by Cypher written by hand, is shared.
        if (raw.get_property(schema.SCOPE) or SHARED) != self.scope:
            self._nodes[node_id] = None
            return None
        return super()._new_node(raw, node_id)

    def find_named(self, names: Collection[str], *also: Lookup) -> dict[str, list[Node]]:
        """Return the nodes of each of *names*, episodes first; unknown names are absent.

        They are pulled, as `pull` does it, and what *also* looks up with them.
        """
        self.pull(lookups.named(self.scope, *names), *also)
        found: dict[str, list[Node]] = {}
        asked = frozenset(names)
        for node in self.nodes():
            if node.name in asked:
                found.setdefault(node.name, []).append(node)
        for nodes in found.values():
            nodes.sort(key=lambda node: (not node.is_episode, node.id))
        return found

    def is_later(self, node: Node) -> bool:
        """Tell whether *node* is an episode of a later date, or one of that date aroused later.

        The graph keeps no times of day, so the second may still have happened before. Concepts have
        no date.
        """
        until_ms = self.context.until_ms
        if until_ms is None or not node.is_episode:
            return False
        day = int(self.context.until_date)
        happened = schema.episode_day(node.name) or day
        return happened > day or (happened == day and node.accessed_at > until_ms)

    def weight(self, edge: Any) -> float:
        """Return an edge's weight; one made by hand without any counts as new."""
        weight = edge.get_property("weight")
        if weight.__class__ is float:
            return weight
        return schema.INITIAL_WEIGHT if _real(weight) is None else float(weight)

    def arouse(self, node: Node, level: float) -> None:
        """Set the arousal of *node* to *level*, now."""
        node.raw.set_property("arousal_level", level)
        node.raw.set_property("accessed_at", self.context.now_ms)
        node.arousal = node.arousal_level = level
        node.accessed_at = self.context.now_ms


def arousal_of(vertex: Any, context: Context) -> float | None:
    """Return the arousal of a vertex outside of any call's view; None if it is foreign."""
    raw = raws.raw_vertex(vertex)
    label = Graph.label(raw)
    return None if label is None else Node(raw, raw.get_id(), label, context).arousal


def _real(value: Any) -> float | None:
    """Return a property as a float; a value of another type, written by hand, counts as absent."""
    # A finite one: NaN and infinity are no times, and no levels either.
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None
