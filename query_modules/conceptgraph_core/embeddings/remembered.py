"""What a store remembers of its embedding, and that it is the one that a vector is of."""

from collections.abc import Iterable
from typing import Any

from ..errors import EmbeddingMismatch
from ..graph.adapter import Graph, Node
from .schema import EMBEDDING, HOLD, HOLDS, LAYER, PARTS, TEXTS, part


class _Embeddings(Graph[Node]):
    layer = LAYER._replace(walked=(EMBEDDING,))


class _Holds(Graph[Node]):
    layer = HOLDS


def chosen(graph: Graph[Any]) -> dict[str, Any] | None:
    """Return {model, dimension} of the embedding that the vectors are of; None: of none yet."""
    node = _node(graph)
    if node is None:
        return None
    return {name: node.raw.get_property(name) for name in ("model", "dimension")}


def hold(graph: Graph[Any], holder: str) -> None:
    """Let whoever chooses another embedding meanwhile conflict with this call, which has vectors.

    Else both would be kept, vectors of the one and the choice of the other. Calls of the same
    *holder* conflict with each other too.
    """
    _hold(graph, (part(holder),))


def hold_all(graph: Graph[Any]) -> None:
    """Let whoever has vectors conflict with this call, which chooses another embedding."""
    _hold(graph, range(PARTS))


def _hold(graph: Graph[Any], parts: Iterable[int]) -> None:
    holds = graph.another(_Holds)
    known = {node.raw.get_property("part"): node for node in holds.nodes()}
    for one in parts:
        if one in known:
            # Written as it is.
            known[one].raw.set_property("part", one)
        else:
            # Who makes the same one meanwhile conflicts, too.
            holds.create_node(HOLD, part=one)


def _node(graph: Graph[Any]) -> Node | None:
    nodes = graph.another(_Embeddings).nodes()
    return next((node for node in nodes if node.raw.get_property("use") == TEXTS), None)


def check(graph: Graph[Any], model: str, dimension: int) -> None:
    """Raise EmbeddingMismatch unless the vectors of the store are of this embedding."""
    known = chosen(graph)
    if known is None:
        raise EmbeddingMismatch(
            f"embedding: this store has none yet; run concept-graph-mcp embed with {model}"
        )
    if known != {"model": model, "dimension": dimension}:
        # A model is known by its name, wherever the folder that it was read from lies.
        path = "" if model.startswith("openai:") else ", with the path of a folder if it is in one"
        raise EmbeddingMismatch(
            f"embedding: the vectors of this store are of {known['model']}"
            f" ({known['dimension']} numbers), not of {model} ({dimension});"
            f" to embed all texts anew: concept-graph-mcp embed --again {model}{path}"
        )
