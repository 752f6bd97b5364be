"""Keep the vectors of texts consistent: their model, the texts that lack one, and setting them.

Embedding itself happens outside the modules.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from .. import text, validators
from ..embeddings.remembered import check, chosen, hold, hold_all
from ..embeddings.schema import EMBEDDING, TEXTS, embedded_kinds
from ..errors import InvalidRow
from ..graph.adapter import Node
from ..layers import VectorIndex
from .view import Everything, value_of

Row = dict[str, Any]


def choose(graph: Everything, model: str, dimension: int, again: bool = False) -> Row:
    """Choose the embedding of all vectors from now on, if the store allows it.

    It does if it has no other embedding. *again* removes the vectors that were found; once none is
    left, the new embedding is set. Returns {chosen, cleared}: whether it is set, and the number of
    removed vectors. Raises EmbeddingMismatch if the store has another and *again* is missing.
    """
    model = text.name(model, "model")
    dimension = validators.dimension(dimension, "dimension")
    known = chosen(graph)
    if known is not None and not again:
        check(graph, model, dimension)
        return {"chosen": True, "cleared": 0}
    cleared = sum(_clear(graph, node) for node in graph.nodes()) if again else 0
    if not cleared:
        _remember(graph, model, dimension)
    return {"chosen": not cleared, "cleared": cleared}


def lacking(graph: Everything) -> list[Row]:
    """Return {kind, key, text} of the found nodes that have a text but no vector."""
    vectors = _vectors(graph)
    rows = []
    for node in graph.nodes():
        index = vectors.get(node.label)
        if index is not None and node.raw.get_property(index.vector) is None:
            kind, key = graph.kind_of(node).kind, list(graph.key(node))
            rows.append({"kind": kind, "key": key, "text": text_of(graph, node, index)})
    return rows


def embed(graph: Everything, model: str, rows: Sequence[Mapping[str, Any]]) -> Row:
    """Store the vectors of *rows*, {kind, key, text, vector}, in their nodes.

    Returns embedded, the number of stored vectors. A row whose text is outdated is skipped.
    """
    made = [_vector(row.get("vector")) for row in rows]
    for size in {len(vector) for vector in made}:
        check(graph, model, size)
        hold(graph, model)
    vectors = _vectors(graph)
    nodes = {(graph.kind_of(node).kind, graph.key(node)): node for node in graph.nodes()}
    embedded = 0
    for row, vector in zip(rows, made, strict=True):
        key = row.get("key")
        node = nodes.get((str(row.get("kind")), tuple(key or ())))
        index = None if node is None else vectors.get(node.label)
        if node is None or index is None or text_of(graph, node, index) != row.get("text"):
            continue
        graph.update(node, **_read_vector(index, vector))
        embedded += 1
    return {"embedded": embedded}


def text_of(graph: Everything, node: Node, index: VectorIndex) -> str | None:
    """Return the text to embed for *node*: its texts, one per line, if it has any."""
    kind = graph.kind_of(node)
    values = (value_of(node.raw, kind.declared(name)) for name in index.texts)
    return "\n".join(value for value in values if isinstance(value, str) and value.strip()) or None


def _vectors(graph: Everything) -> dict[str, VectorIndex]:
    return {kind.label: index for kind, index in embedded_kinds(graph.layers)}


def _clear(graph: Everything, node: Node) -> int:
    index = _vectors(graph).get(node.label)
    if index is None or node.raw.get_property(index.vector) is None:
        return 0
    graph.update(node, **_read_vector(index, None))
    return 1


def _read_vector(index: VectorIndex, vector: list[float] | None) -> Row:
    size = None if vector is None else len(vector)
    return {index.vector: vector} | ({} if index.dimension is None else {index.dimension: size})


def _remember(graph: Everything, model: str, dimension: int) -> None:
    hold_all(graph)
    for node in graph.nodes():
        if node.label == EMBEDDING and graph.key(node) == (TEXTS,):
            graph.update(node, model=model, dimension=dimension)
            return
    graph.create_node(EMBEDDING, use=TEXTS, model=model, dimension=dimension)


def _vector(value: Any) -> list[float]:
    """Return *value* as a vector.

    Raises the errors of the check, and InvalidRow for zeros alone.
    """
    vector = validators.vector(value, "vector")
    if not any(vector):
        raise InvalidRow("vector: must not be all zeros; it points nowhere")
    return vector
