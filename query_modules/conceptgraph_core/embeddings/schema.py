"""Declare the embedding of a store's vectors, kept in the graph so that copies have it too.

Vectors of two models cannot be compared, even with equal dimensions. Imports nothing of Memgraph.
"""

from typing import Final

from ..graph.layers import Index, Layer, NodeKind, Property, VectorIndex
from ..graph.primitives import Equal
from ..texts import text
from ..verbs import validators

EMBEDDING: Final = "Embedding"
# The use of the vectors; each use has one embedding.
TEXTS: Final = "texts"

LAYER: Final = Layer(
    name="embeddings",
    nodes=(
        NodeKind(
            EMBEDDING,
            kind="embedding",
            measure="embeddings",
            key=("use",),
            properties=(
                Property("use", text.name, absent=""),
                Property("model", text.name, absent=""),
                Property("dimension", validators.dimension, absent=0),
            ),
            text="model",
            fixed=("model", "dimension"),
        ),
    ),
    edges=(),
    indexes=(Index(EMBEDDING, ("use",), unique=True),),
)

HOLD: Final = "EmbeddingHold"
# A writer of vectors locks one of these, a change of the embedding all. So these two conflict, and
# concurrent writers of vectors hardly ever do.
PARTS: Final = 64

# No export has a record of it.
HOLDS: Final = Layer(
    name="holds",
    nodes=(
        NodeKind(
            HOLD,
            kind="hold",
            measure="holds",
            key=("part",),
            properties=(Property("part", validators.count, absent=0),),
            text="part",
            exported=False,
        ),
    ),
    edges=(),
    walked=(HOLD,),
    indexes=(Index(HOLD, ("part",), unique=True),),
)


def part(holder: str) -> int:
    """Return the part that the holder of this name locks."""
    return text.part(holder, PARTS)


def remembered() -> Equal:
    """Look up the embedding of the store's vectors."""
    return Equal((EMBEDDING,), ("use",), ((TEXTS,),))


def held(*holders: str) -> Equal:
    """Look up the nodes that *holders* lock while they write vectors."""
    return Equal((HOLD,), ("part",), tuple((part(one),) for one in holders))


def embedded_kinds(layers: tuple[Layer, ...]) -> list[tuple[NodeKind, VectorIndex]]:
    """Return the kinds of nodes whose texts have vectors, each with its vector index."""
    return [
        (layer.kind(index.label), index)
        for layer in layers
        for index in layer.vectors
        if index.texts
    ]
