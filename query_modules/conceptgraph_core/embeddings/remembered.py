"""Store the embedding that all vectors come from, and check vectors against it."""

from collections.abc import Iterable
from typing import Any

from ..graph.adapter import Graph, Node
from ..verbs.errors import EmbeddingMismatch
from .schema import EMBEDDING, HOLD, HOLDS, LAYER, PARTS, TEXTS, part


class _Embeddings(Graph[Node]):
    layer = LAYER._replace(walked=(EMBEDDING,))


class _Holds(Graph[Node]):
    layer = HOLDS


def read_embedding(graph: Graph[Any]) -> dict[str, Any] | None:
    """Return {model, dimension} of the vectors' embedding; None if there is none yet."""
    node = _node(graph)
    if node is None:
        return None
    return {name: node.raw.get_property(name) for name in ("model", "dimension")}


def hold(graph: Graph[Any], holder: str) -> None:
    """Make this call, which writes vectors, conflict with a concurrent change of the embedding.

    Otherwise both would be stored: vectors of one embedding, and the choice of another. Calls of
    the same *holder* conflict with each other too.
    """
    _hold(graph, (part(holder),))


def hold_all(graph: Graph[Any]) -> None:
    """Make this call, which changes the embedding, conflict with concurrent writers of vectors."""
    _hold(graph, range(PARTS))


def _hold(graph: Graph[Any], parts: Iterable[int]) -> None:
    holds = graph.another(_Holds)
    known = {node.raw.get_property("part"): node for node in holds.nodes()}
    for one in parts:
        if one in known:
            # A write of the same value, which conflicts all the same.
            known[one].raw.set_property("part", one)
        else:
            # A concurrent call that creates the same one conflicts, too.
            holds.create_node(HOLD, part=one)


def _node(graph: Graph[Any]) -> Node | None:
    view = graph.another(_Embeddings)
    # Nothing is asked for twice.
    known = () if view.found.by_id is None else view.nodes()
    found = next((node for node in known if node.raw.get_property("use") == TEXTS), None)
    return found or next(iter(view.find(EMBEDDING, ("use",), [(TEXTS,)])), None)


def check(graph: Graph[Any], model: str, dimension: int) -> None:
    """Raise EmbeddingMismatch unless the vectors of the store are of this embedding."""
    known = read_embedding(graph)
    if known is None:
        raise EmbeddingMismatch(
            f"embedding: this store has none yet; run concept-graph-mcp embed with {model}"
        )
    if known != {"model": model, "dimension": dimension}:
        # The folder of a model does not matter, so its name identifies it.
        path = "" if model.startswith("openai:") else ", with the path of a folder if it is in one"
        raise EmbeddingMismatch(
            f"embedding: the vectors of this store are of {known['model']}"
            f" ({known['dimension']} numbers), not of {model} ({dimension});"
            f" to embed all texts anew: concept-graph-mcp embed --again {model}{path}"
        )
