"""The layers that there are, in the order in which their records are exported."""

from dataclasses import dataclass
from typing import Final

from .concepts.schema import LAYER as CONCEPTS
from .layers import Layer, TextIndex


@dataclass(frozen=True, slots=True)
class Model:
    """What a store holds: its layers, in the order in which their records are exported, and the
    query modules. The first of these has the procedures that go over all layers.
    """

    layers: tuple[Layer, ...]
    modules: tuple[str, ...]


MODEL: Final = Model((CONCEPTS,), ("conceptgraph",))
LAYERS: Final = MODEL.layers


def text_index(label: str) -> TextIndex:
    """Return the text index of the nodes of *label*."""
    return next(index for layer in LAYERS for index in layer.texts if index.label == label)
