"""What a file of tools registers."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..session import Session
from .adapter import ConceptTool

_NONE: Mapping[str, str] = {}


class Toolset(NamedTuple):
    """Tools that are switched on together, and what a model is told of when to use them.

    `aliases` are names by which some of them are known elsewhere: accepted, and not listed.
    """

    tools: Callable[[Session], Sequence[ConceptTool]]
    instructions: str
    aliases: Mapping[str, str] = _NONE


def together(*parts: Toolset) -> Toolset:
    """Return the toolset that has the tools of all *parts*, in that order."""
    return Toolset(
        lambda session: [tool for part in parts for tool in part.tools(session)],
        "\n".join(part.instructions for part in parts),
        {alias: name for part in parts for alias, name in part.aliases.items()},
    )
