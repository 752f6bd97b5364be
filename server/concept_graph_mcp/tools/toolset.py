"""Define what a module of tools registers."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..session import Session
from .adapter import ConceptTool

_NONE: Mapping[str, str] = {}


class Toolset(NamedTuple):
    """Tools that are enabled together, and the instructions for a model on their use.

    `aliases` are other names for some of them, which are accepted and not listed. The text of
    `whose` for shared or own concepts replaces "{whose}" in the instructions.
    """

    tools: Callable[[Session], Sequence[ConceptTool]]
    instructions: str
    aliases: Mapping[str, str] = _NONE
    whose: Mapping[str, str] = _NONE

    def told(self, concepts: str) -> str:
        """Return the instructions of a server where *concepts* are "shared" or "own"."""
        return self.instructions.replace("{whose}", self.whose.get(concepts, ""))


def together(*parts: Toolset) -> Toolset:
    """Return the toolset with the tools of all *parts*, in that order."""
    return Toolset(
        lambda session: [tool for part in parts for tool in part.tools(session)],
        "\n".join(part.instructions for part in parts),
        {alias: name for part in parts for alias, name in part.aliases.items()},
    )
