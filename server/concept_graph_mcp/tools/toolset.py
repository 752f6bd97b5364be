"""What a file of tools registers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..session import Session
from .adapter import ConceptTool


@dataclass(frozen=True, slots=True)
class Toolset:
    """Tools that are switched on together, and what a model is told of when to use them."""

    tools: Callable[[Session], Sequence[ConceptTool]]
    instructions: str
