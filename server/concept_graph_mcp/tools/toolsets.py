"""List the toolsets, and write the instructions and the prompt of a server that offers some."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.mcpserver.prompts import Prompt

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
    "files": "files",
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


def instructions(names: Sequence[str], concepts: str, has_notes: bool = False) -> str:
    """Return the instructions of the toolsets *names*; *concepts* are "shared" or "own".

    A client that *has_notes* gets those on each message by its hooks.
    """
    return "\n".join(toolset.told(concepts, has_notes) for toolset in _chosen(names))


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


# The instructions on when to use a toolset's tools. The entity tools' descriptions suffice.
_PROMPTS = {
    "concept": "use_memory.md",
    "memory": "use_memories.md",
    "everyday": "use_everyday.md",
}
# How a model fills the entity layer at the end of a conversation.
OBSERVING = {"everyday": "observe_everyday.md", "entity": "observe_entity.md"}


def list_prompts(
    toolsets: Sequence[str], profile: Callable[[], Awaitable[str]] | None = None
) -> list[Prompt]:
    """Return the prompts of a server that offers *toolsets*, without those that would be empty.

    A prompt names only tools that are offered. That on their use ends with the *profile* of the
    user.
    """

    async def use_memory() -> str:
        """Tell a model when to recall and what to remember."""
        told = "" if profile is None else await profile()
        return "\n".join(filter(None, (write_prompt(toolsets), told)))

    def observe() -> str:
        """Tell a model to note at the end of a conversation who and what it was about."""
        return write_prompt(toolsets, OBSERVING)

    made = []
    if _PROMPTS.keys() & set(toolsets):
        made.append(Prompt.from_function(use_memory, title="Use the memory"))
    if OBSERVING.keys() & set(toolsets):
        title = "Note who and what this conversation was about"
        made.append(Prompt.from_function(observe, name="memory-observe", title=title))
    return made


def write_prompt(toolsets: Sequence[str], prompts: Mapping[str, str] = _PROMPTS) -> str:
    """Return the text of one of the *prompts* for *toolsets*."""
    files = [file for toolset, file in prompts.items() if toolset in toolsets]
    return "\n".join(Path(__file__).with_name(file).read_text(encoding="utf-8") for file in files)
