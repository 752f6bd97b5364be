"""What a store remembers of its embedding, and that it is the one that a vector is of."""

from typing import Any

from ..errors import EmbeddingMismatch
from ..graph.adapter import Graph, Node
from .schema import EMBEDDING, LAYER, TEXTS


class _Embeddings(Graph[Node]):
    layer = LAYER._replace(walked=(EMBEDDING,))


def chosen(graph: Graph[Any]) -> dict[str, Any] | None:
    """Return {model, dimension} of the embedding that the vectors are of; None: of none yet."""
    for node in graph.another(_Embeddings).nodes():
        if node.raw.get_property("use") == TEXTS:
            return {name: node.raw.get_property(name) for name in ("model", "dimension")}
    return None


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
