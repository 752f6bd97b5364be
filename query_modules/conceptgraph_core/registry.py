"""The layers that there are, in the order in which their records are exported."""

from typing import Final, NamedTuple

from .concepts.schema import LAYER as CONCEPTS
from .embeddings.schema import HOLDS
from .embeddings.schema import LAYER as EMBEDDINGS
from .entities.schema import LAYER as ENTITIES
from .jobs.schema import LAYER as WORK
from .layers import Layer, NodeKind, TextIndex
from .memories.schema import LAYER as MEMORIES
from .name_lists.schema import LAYER as LISTS
from .retrieval.schema import LAYER as WORDS


class Model(NamedTuple):
    """What a store holds: its layers, in the order in which their records are exported, and the
    query modules. The first of these has the procedures that go over all layers.
    """

    layers: tuple[Layer, ...]
    modules: tuple[str, ...]

    @property
    def stored(self) -> tuple[Layer, ...]:
        """The layers, and the index of words, the lists of names, the worker's own and who holds an
        embedding, which are in no record and in no statistics.
        """
        return (*self.layers, WORDS, LISTS, WORK, HOLDS)


MODEL: Final = Model(
    (CONCEPTS, MEMORIES, EMBEDDINGS, ENTITIES),
    ("conceptgraph", "memorygraph", "entitygraph", "everyday"),
)
LAYERS: Final = MODEL.layers


def text_index(label: str) -> TextIndex:
    """Return the text index of the nodes of *label*."""
    return next(index for layer in LAYERS for index in layer.texts if index.label == label)


def indexed_kinds() -> list[NodeKind]:
    """Return the kinds of nodes that are found by their words."""
    return [kind for layer in LAYERS for kind in layer.nodes if kind.indexed is not None]
