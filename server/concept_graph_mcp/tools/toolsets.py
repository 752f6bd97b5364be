"""The toolsets that there are, and what a server that offers some of them tells a model."""

from collections.abc import Sequence

from ..session import Session
from . import concepts, entities, memories, memory_links, remembering
from .adapter import ConceptTool
from .toolset import Toolset, together

# In the order in which their tools are listed. The names are also in the settings' messages.
TOOLSETS: dict[str, Toolset] = {
    "concept": concepts.TOOLSET,
    "memory": together(remembering.TOOLSET, memories.TOOLSET, memory_links.TOOLSET),
    "entity": entities.TOOLSET,
}


def tools(session: Session, names: Sequence[str], with_set_time: bool) -> list[ConceptTool]:
    """Return the tools of the toolsets *names* over *session*, always in the same order."""
    made = [tool for toolset in _chosen(names) for tool in toolset.tools(session)]
    return [*made, concepts.set_time_tool(session)] if with_set_time else made


def instructions(names: Sequence[str]) -> str:
    """Return what a model is told of the toolsets *names*."""
    return "\n".join(toolset.instructions for toolset in _chosen(names))


def aliases(names: Sequence[str]) -> dict[str, str]:
    """Return the other names that tools of the toolsets *names* answer to."""
    return {alias: name for toolset in _chosen(names) for alias, name in toolset.aliases.items()}


def _chosen(names: Sequence[str]) -> list[Toolset]:
    return [toolset for name, toolset in TOOLSETS.items() if name in names]
