"""Group entities with those merged into them, and with their mentions."""

from functools import cached_property

from .. import schema
from ..identity import components
from ..node import Graph, Node
from . import reading
from .sentences import called, stated


class Whole:
    """An entity with all entities merged with it, and its mentions."""

    def __init__(self, graph: Graph, node: Node) -> None:
        self._graph = graph
        self.node = node
        self.members = components.members(graph, node)
        self.said = components.said(graph, node)

    @property
    def name(self) -> str:
        return called(self.node.name)

    @cached_property
    def mentions(self) -> list[Node]:
        """All mentions of it, the latest first."""
        found = [one for member in self.members for one in reading.mentions_of(self._graph, member)]
        return sorted(found, key=time_of, reverse=True)

    @cached_property
    def users(self) -> list[Node]:
        """The user's mentions of it, the latest first."""
        return [one for one in self.mentions if one.get("origin") == schema.USER]

    @property
    def latest(self) -> Node | None:
        """The user's own last mention, or without one the model's."""
        return next(iter(self.users or self.mentions), None)

    @property
    def described(self) -> str:
        kinds = (kind for one in self.members if (kind := one.get("entity_kind")))
        return stated(next(kinds, self.node.node_type))


def time_of(mention: Node) -> tuple[int, int, str]:
    return mention.created_at, mention.get("sequence"), mention.key


class Wholes:
    """All entities of one narrative, each read once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._wholes: dict[int, Whole] = {}

    def whole(self, node: Node) -> Whole:
        canonical = components.canonical(self._graph, node)
        if canonical.id not in self._wholes:
            self._wholes[canonical.id] = Whole(self._graph, canonical)
        return self._wholes[canonical.id]
