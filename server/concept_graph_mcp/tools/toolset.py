"""What a file of tools registers."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..session import Session
from .adapter import ConceptTool

_NONE: Mapping[str, str] = {}


class Toolset(NamedTuple):
    """Tools that are switched on together, and what a model is told of when to use them.

    `aliases` are names by which some of them are known elsewhere: accepted, and not listed. For
    "{whose}" in the instructions stands what `whose` says of shared and of own concepts.
    """

    tools: Callable[[Session], Sequence[ConceptTool]]
    instructions: str
    aliases: Mapping[str, str] = _NONE
    whose: Mapping[str, str] = _NONE

    def told(self, concepts: str) -> str:
        """Return the instructions of a server where *concepts* are "shared" or "own"."""
        return self.instructions.replace("{whose}", self.whose.get(concepts, ""))


def together(*parts: Toolset) -> Toolset:
    """Return the toolset that has the tools of all *parts*, in that order."""
    return Toolset(
        lambda session: [tool for part in parts for tool in part.tools(session)],
        "\n".join(part.instructions for part in parts),
        {alias: name for part in parts for alias, name in part.aliases.items()},
    )
