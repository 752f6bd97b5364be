"""Look up the entities of a call by their names, in the form that `resolution` compares."""

from collections.abc import Iterable

from .. import kinds, names, schema
from ..inputs import Observation
from ..node import All, Graph, Node
from . import components
from .resolution import Known


class Registered:
    """The entities that were found for a call, and those that it makes."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._by_name: dict[str, Node] = {}
        self._by_key: dict[str, Node] = {}
        self._called: dict[str, list[Node]] = {}
        # The compared form is read once a call, because messages are short.
        self._seen: dict[int, Known] = {}
        for node in graph.of(schema.ENTITY):
            self.add(node)
        # Those out of sight hold their names, and are nobody's candidates.
        self._forgotten = {
            node.get("canonical_name"): node
            for node in graph.another(All).of(schema.ENTITY)
            if node.get("forgotten_at") is not None
        }

    def add(self, node: Node) -> None:
        self._by_name[node.get("canonical_name")] = node
        self._by_key[node.key] = node
        self._called.setdefault(names.key(node.bare), []).append(node)

    def entity(self, key: str) -> Node | None:
        return self._by_key.get(key)

    def node_of(self, known: Known) -> Node:
        return self._by_key[known.id]

    def named(self, name: str) -> list[Node]:
        """Return the entities of this name: the first one, and "name #2" …"""
        return list(self._called.get(name, ()))

    def of_kinds(self, kinds: frozenset[str]) -> list[Node]:
        """Return the entities of one of *kinds*, canonical."""
        return [
            node
            for node in self._by_key.values()
            if names.canonical(node.get("entity_kind") or "") in kinds
        ]

    def own(self, name: str) -> Node | None:
        """Return the entity that has exactly that canonical name."""
        return self._by_name.get(name)

    def free_name(self, name: str) -> str:
        return names.free(name, self._by_name | self._forgotten)

    def forgotten(self, sought: Observation) -> Node | None:
        """Return the entity out of sight that has the name of *sought*, its type and its kind."""
        node = self._forgotten.get(sought.name)
        if node is None or node.node_type != sought.node_type:
            return None
        return node if kinds.agree(node.get("entity_kind"), sought.kind) else None

    def known(self, nodes: Iterable[Node]) -> list[Known]:
        """Return *nodes* in the form that `resolution` compares."""
        known = []
        for node in nodes:
            if node.id not in self._seen:
                self._seen[node.id] = self._known(node)
            known.append(self._seen[node.id])
        return known

    def everyone(self) -> list[Known]:
        """Return all possible candidates: each component by its canonical entity alone."""
        return [one for one in self.known(self._by_key.values()) if not one.is_merged]

    def _known(self, node: Node) -> Known:
        embedding = node.get("embedding")
        return Known(
            id=node.key,
            label=node.name,
            name=names.key(node.bare),
            qualifier=node.get("qualifier"),
            canonical_name=node.get("canonical_name"),
            node_type=node.node_type,
            kind=node.get("entity_kind"),
            valid_from=node.get("valid_from"),
            valid_until=node.get("valid_until"),
            last_activated=node.get("last_activated"),
            canonical_id=components.canonical(self._graph, node).key,
            is_merged=node.status == schema.MERGED,
            embedding=None if embedding is None else tuple(embedding),
        )
