"""List the toolsets, and write the instructions of a server that offers some of them."""

from collections.abc import Callable, Sequence

from ..session import Session
from .adapter import ConceptTool
from .toolset import Toolset, together

# Imported on demand, because each of them delays every start.


def _everyday() -> Toolset:
    from . import everyday

    return everyday.TOOLSET


def _concept() -> Toolset:
    from . import concepts

    return concepts.TOOLSET


def _memory() -> Toolset:
    from . import memories, memory_links, memory_search

    return together(memory_search.TOOLSET, memories.TOOLSET, memory_links.TOOLSET)


def _entity() -> Toolset:
    from . import entities

    return entities.TOOLSET


def _chatgpt() -> Toolset:
    from . import chatgpt

    return chatgpt.TOOLSET


# In the order in which their tools are listed. The settings' messages name them too.
TOOLSETS: dict[str, Callable[[], Toolset]] = {
    "concept": _concept,
    "memory": _memory,
    "entity": _entity,
    "everyday": _everyday,
    "chatgpt": _chatgpt,
}


def tools(session: Session, names: Sequence[str], with_set_time: bool) -> list[ConceptTool]:
    """Return the tools of the toolsets *names* over *session*, always in the same order.

    The first one of a name is returned; settings refuse toolsets that share a name.
    """
    named: dict[str, ConceptTool] = {}
    for toolset in _chosen(names):
        for tool in toolset.tools(session):
            named.setdefault(tool.name, tool)
    made = [*named.values()]
    if with_set_time:
        from . import concepts

        made.append(concepts.set_time_tool(session))
    return made


def instructions(names: Sequence[str], concepts: str) -> str:
    """Return the instructions of the toolsets *names*; *concepts* are "shared" or "own"."""
    return "\n".join(toolset.told(concepts) for toolset in _chosen(names))


def aliases(names: Sequence[str]) -> dict[str, str]:
    """Return the aliases of tools of the toolsets *names*."""
    return {alias: name for toolset in _chosen(names) for alias, name in toolset.aliases.items()}


def _chosen(names: Sequence[str]) -> list[Toolset]:
    return [toolset() for name, toolset in TOOLSETS.items() if name in names]
