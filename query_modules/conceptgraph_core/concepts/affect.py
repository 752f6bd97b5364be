"""Compute arousal and valence: the current arousal, its raises, and how a feeling is added.

The rules and their reasons are in docs/design.md, Arousal; the decay itself is `node.Node.arousal`.
"""

import math
from typing import Any

from ..texts import text
from ..texts.text import show_name
from ..verbs.context import Context
from ..verbs.errors import NotFound
from . import schema
from .node import Graph, Node, arousal_of


def arousal(vertex: Any, context: Context) -> float | None:
    """Return the arousal of an `mgp.Vertex`, or None for null and for other kinds of nodes."""
    return None if vertex is None else arousal_of(vertex, context)


def rank(level: float, accessed_at: int, tau_ms: float) -> float:
    """Return accessed_at + tau · ln(level), which orders nodes as arousal does at any time."""
    return accessed_at + tau_ms * math.log(level) if level > 0 else -math.inf


def relative(rank_: float, best: float, tau_ms: float) -> float:
    """Return the share, 0 to 1, of one arousal in the *best*, both given by their ranks.

    It stays constant while both fade, and is known when they are too small for a float.
    """
    if rank_ == -math.inf:
        return 0.0
    return math.exp(min(0.0, (rank_ - best) / tau_ms))


def touch(graph: Graph, node: Node, level: float) -> None:
    """Raise *node* to *level* now, unless it is already more aroused than that."""
    if level >= node.arousal:
        graph.arouse(node, level)


def update_affect(graph: Graph, target: str, valence_delta: float) -> dict[str, Any]:
    """Add *valence_delta* in [-1, 1] to the valence of *target* and touch it with |delta|.

    An episode of that name wins over a concept; a name that nothing has becomes a concept, unless
    it begins as an episode's does, which raises NotFound. Returns concept_id and episode_id (one of
    them None), valence, arousal, accessed_at (unix ms).
    """
    target = text.existing_name(target, "target")
    delta = text.number(valence_delta, "valence_delta", -1.0, 1.0)
    nodes = graph.find_named([target]).get(target)
    if nodes:
        node = nodes[0]
        valence = max(-1.0, min(1.0, (node.valence or 0.0) + delta))
        graph.update(node, valence=valence)
        touch(graph, node, abs(delta))
    elif schema.looks_like_an_episode(target):
        # Creating a concept of such a name would report success for a slip.
        raise NotFound(f"target: no episode is called {show_name(target)}")
    else:
        node = create_concept(graph, text.name(target, "target"), abs(delta), valence=delta)
    return {
        "concept_id": None if node.is_episode else node.name,
        "episode_id": node.name if node.is_episode else None,
        "valence": node.valence,
        "arousal": node.arousal,
        "accessed_at": node.accessed_at,
    }


def create_concept(graph: Graph, name: str, level: float, valence: float = 0.0) -> Node:
    """Create a concept, aroused to *level* now."""
    return graph.create_node(
        schema.CONCEPT,
        **graph.owner,
        name=name,
        **schema.derive_properties(schema.CONCEPT, {**graph.owner, "name": name}),
        valence=valence,
        arousal_level=level,
        accessed_at=graph.context.now_ms,
    )
