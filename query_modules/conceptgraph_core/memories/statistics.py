"""Compute statistics of the memories of one scope and their links, as of now."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from ..texts import text
from . import fade, lookups, schema
from .traversal import age
from .view import ExpiredMemories, Graph, Node

Row = dict[str, Any]

# Sources are unbounded, so the statistics have only the most frequent ones.
MAX_SOURCES: Final = 100
_ADVICE: Final = "export the memories and count them elsewhere"


@dataclass(slots=True)
class _Counts:
    """The results of one scan over all memories and links of the scope."""

    states: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    # The memories that have links, by their id in the database, with their numbers of links.
    linked: dict[int, Node] = field(default_factory=dict)
    incoming: Counter[int] = field(default_factory=Counter)
    outgoing: Counter[int] = field(default_factory=Counter)
    # The links of each type, and the sum of their current strengths.
    links: Counter[str] = field(default_factory=Counter)
    strengths: dict[str, float] = field(default_factory=dict)

    @property
    def edges(self) -> int:
        return self.links.total()

    @property
    def memories(self) -> int:
        return self.states.total()

    def degree(self, node: Node) -> int:
        return self.incoming[node.id] + self.outgoing[node.id]

    @property
    def relations(self) -> dict[str, Row]:
        """The number of links of each type and their mean strength, the most frequent first."""
        ordered = sorted(self.links, key=lambda name: (-self.links[name], name))
        return {
            name: {
                "count": self.links[name],
                "average_strength": _average(self.strengths[name], self.links[name]),
            }
            for name in ordered
        }


def stats(graph: Graph) -> Row:
    """Count the memories and links of the scope by state, source and type.

    Expired memories count in by_state alone; forgotten ones do not count. average_connections
    counts a link at both ends; isolated memories have none. by_source has the hundred most frequent
    sources. Raises TooMuch beyond 10,000,000 links.
    """
    counts = _count(graph)
    by_state = {state: counts.states[state] for state in fade.STATES if state != fade.EXPIRED}
    if expired := sum(1 for _ in graph.another(ExpiredMemories).nodes()):
        by_state[fade.EXPIRED] = expired
    ordered = sorted(counts.sources.items(), key=lambda item: (-item[1], item[0]))
    return {
        "nodes": counts.memories,
        "edges": counts.edges,
        "average_connections": _average(2 * counts.edges, counts.memories),
        "by_state": by_state,
        "by_source": dict(ordered[:MAX_SOURCES]),
        "relations": counts.relations,
        "isolated": counts.memories - len(counts.linked),
    }


def analysis(graph: Graph, top: int = schema.DEFAULT_TOP) -> Row:
    """Return the distribution of links in the scope, and the *top* memories by their number.

    in_degrees and out_degrees are lists of {least, most, memories}: the number of memories with
    least to most incoming or outgoing links; least doubles from row to row. Connectors are briefs
    with connections, incoming and outgoing. Raises InvalidNumber, and TooMuch beyond 10,000,000
    links.
    """
    most = text.integer(top, "top", 1, schema.MAX_TOP)
    counts = _count(graph)
    connected = sorted(
        counts.linked.values(), key=lambda node: (-counts.degree(node), *age(node.raw))
    )
    return {
        "in_degrees": _distribution(counts, counts.incoming),
        "out_degrees": _distribution(counts, counts.outgoing),
        "top_connectors": [
            {
                **graph.brief(node),
                "connections": counts.degree(node),
                "incoming": counts.incoming[node.id],
                "outgoing": counts.outgoing[node.id],
            }
            for node in connected[:most]
        ],
        "relations": counts.relations,
        "average_strength": _average(sum(counts.strengths.values()), counts.edges),
    }


def _count(graph: Graph) -> _Counts:
    graph.bound_edges(schema.MAX_LINKS_COUNTED, _ADVICE)
    graph.pull(lookups.counted(graph.context.user_id))
    counts = _Counts()
    for node in list(graph.nodes()):
        counts.states[graph.state(node)] += 1
        counts.sources[str(node.get("source"))] += 1
        for edge, relation, other, _ in graph.edges(node, (True,)):
            counts.linked[node.id], counts.linked[other.id] = node, other
            counts.outgoing[node.id] += 1
            counts.incoming[other.id] += 1
            counts.links[relation] += 1
            counts.strengths[relation] = counts.strengths.get(relation, 0.0) + graph.strength(edge)
    return counts


def _distribution(counts: _Counts, degrees: Counter[int]) -> list[Row]:
    """Return how many memories have 0, 1, 2 to 3, 4 to 7 … links, without empty rows."""
    found = Counter(degree.bit_length() for degree in degrees.values())
    found += Counter({0: counts.memories - len(degrees)})
    return [
        {"least": 1 << bits >> 1, "most": (1 << bits) - 1, "memories": found[bits]}
        for bits in sorted(found)
    ]


def _average(total: float, count: int) -> float:
    return round(total / count, schema.DECIMALS) if count else 0.0
