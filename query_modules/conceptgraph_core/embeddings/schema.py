"""Which embedding the vectors of a store are of: kept in the graph, so that it goes where they go.

Vectors of two models have nothing to do with each other, even if both have as many numbers.
Imports nothing of Memgraph.
"""

from typing import Final

from .. import text, validators
from ..layers import Index, Layer, NodeKind, Property, VectorIndex

EMBEDDING: Final = "Embedding"
# What the vectors are of; there is one embedding of it.
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
# Who writes vectors holds one of these, who chooses another embedding all: so that these two
# conflict, and hardly ever those who write vectors at once.
PARTS: Final = 64

# In no record of an export.
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
    """Return which part is held by who is called so."""
    return text.part(holder, PARTS)


def embedded_kinds(layers: tuple[Layer, ...]) -> list[tuple[NodeKind, VectorIndex]]:
    """Return the kinds of nodes whose texts have vectors, each with where these are."""
    return [
        (layer.kind(index.label), index)
        for layer in layers
        for index in layer.vectors
        if index.texts
    ]
