"""List the layers, in the order in which their records are exported."""

from typing import Final, NamedTuple

from ..concepts.schema import LAYER as CONCEPTS
from ..embeddings.schema import HOLDS
from ..embeddings.schema import LAYER as EMBEDDINGS
from ..entities.schema import LAYER as ENTITIES
from ..graph.layers import Layer, NodeKind, TextIndex
from ..jobs.schema import JOURNALS, KEPT
from ..jobs.schema import LAYER as WORK
from ..memories.schema import LAYER as MEMORIES
from ..retrieval.schema import LAYER as WORDS


class Model(NamedTuple):
    """The layers of a store, in the order of their export, and the query modules.

    The first module has the procedures over all layers.
    """

    layers: tuple[Layer, ...]
    modules: tuple[str, ...]

    @property
    def stored(self) -> tuple[Layer, ...]:
        """All stored layers: the exported ones, and those in no record and no statistics.

        The latter are the index of words, the worker's, those of imports, kept questions, and the
        embedding's.
        """
        return (*self.layers, WORDS, WORK, JOURNALS, KEPT, HOLDS)


MODEL: Final = Model(
    (CONCEPTS, MEMORIES, EMBEDDINGS, ENTITIES),
    ("conceptgraph", "memorygraph", "entitygraph", "everyday"),
)
LAYERS: Final = MODEL.layers


def text_index(label: str) -> TextIndex:
    """Return the text index of the nodes of *label*."""
    return next(index for layer in LAYERS for index in layer.texts if index.label == label)


def indexed_kinds() -> list[NodeKind]:
    """Return the kinds of nodes that the index of words finds."""
    return [kind for layer in LAYERS for kind in layer.nodes if kind.indexed is not None]
