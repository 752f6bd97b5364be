"""The layers that there are, in the order in which their records are exported."""

from typing import Final

from .concepts.schema import LAYER as CONCEPTS
from .layers import Layer, TextIndex

LAYERS: Final[tuple[Layer, ...]] = (CONCEPTS,)


def text_index(label: str) -> TextIndex:
    """Return the text index of the nodes of *label*."""
    return next(index for layer in LAYERS for index in layer.texts if index.label == label)
