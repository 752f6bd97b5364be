"""What a store remembers of its embedding, and that it is the one that a vector is of."""

from typing import Any

from ..errors import EmbeddingMismatch
from ..graph.adapter import Graph, Node
from .schema import EMBEDDING, LAYER, TEXTS


class _Embeddings(Graph[Node]):
    layer = LAYER._replace(walked=(EMBEDDING,))


def chosen(graph: Graph[Any]) -> dict[str, Any] | None:
    """Return {model, dimension} of the embedding that the vectors are of; None: of none yet."""
    node = _node(graph)
    if node is None:
        return None
    return {name: node.raw.get_property(name) for name in ("model", "dimension")}


def hold(graph: Graph[Any]) -> None:
    """Let whoever chooses another embedding meanwhile conflict with this call, which has vectors.

    Else both would be kept, vectors of the one and the choice of the other.
    """
    node = _node(graph)
    if node is not None:
        # Written as it is.
        node.raw.set_property("use", TEXTS)


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
