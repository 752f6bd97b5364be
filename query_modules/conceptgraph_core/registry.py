"""The layers that there are, in the order in which their records are exported."""

from typing import Final

from .concepts.schema import LAYER as CONCEPTS
from .layers import Layer

LAYERS: Final[tuple[Layer, ...]] = (CONCEPTS,)
