"""Define what a module of tools registers, and what its tools share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..calls.verb import AnyVerb
from ..session import Session
from .adapter import ConceptTool

Row = Mapping[str, Any]
_NONE: Mapping[str, str] = {}


class Tools:
    """Tools over one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def _run(self, verb: AnyVerb[Any], given: Mapping[str, Any]) -> list[dict[str, Any]]:
        return await self._session.run(self._session.call(verb, **given))

    def _redact_texts(self, given: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
        """Return the arguments *given*, with secrets replaced in those of these *names*."""
        texts = {one: given[one] for one in names if one in given}
        return {**given, **self._session.redacted(texts)}


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
