"""List the toolsets, and write the instructions of a server that offers some of them."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext

from ..session import Session
from .adapter import ConceptTool
from .making import Toolset

# In the order in which their tools are listed. The settings' messages name them too.
TOOLSETS = {
    "concept": "concepts",
    "memory": "memories",
    "entity": "entities",
    "everyday": "everyday",
    "chatgpt": "chatgpt",
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
    # Imported on demand, because each of them delays every start.
    return [
        import_module(f"{__package__}.{module}").TOOLSET
        for name, module in TOOLSETS.items()
        if name in names
    ]


def copy_under_aliases(
    tools: Sequence[ConceptTool], aliases: Mapping[str, str]
) -> list[ConceptTool]:
    """Return those of *tools* that have *aliases* (other name -> name), under the other names."""
    named = {tool.name: tool for tool in tools}
    return [
        named[name].model_copy(update={"name": alias})
        for alias, name in aliases.items()
        if name in named
    ]


def hide_aliases(aliases: Mapping[str, str]) -> ServerMiddleware[Any]:
    """Return the middleware that removes *aliases* from the tool list."""

    async def leave_out(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method == "tools/list" and isinstance(result, dict):
            listed = [tool for tool in result.get("tools", ()) if tool["name"] not in aliases]
            result = {**result, "tools": listed}
        return result

    return leave_out
