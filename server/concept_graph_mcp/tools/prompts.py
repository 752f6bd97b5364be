"""Define the prompt with which a host's user explains the memory to a model."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from mcp.server.mcpserver.prompts import Prompt

# The instructions on when to use a toolset's tools. The entity tools' descriptions suffice.
_TEXTS = {
    "concept": "use_memory.md",
    "memory": "use_memories.md",
    "everyday": "use_everyday.md",
}


def prompts(
    toolsets: Sequence[str], profile: Callable[[], Awaitable[str]] | None = None
) -> list[Prompt]:
    """Return the prompts of a server that offers *toolsets*: one, or none if it would be empty.

    The prompt names only tools that are offered. It ends with the *profile* of the user.
    """
    if not _TEXTS.keys() & set(toolsets):
        return []

    async def use_memory() -> str:
        """Tell a model when to recall and what to remember."""
        told = "" if profile is None else await profile()
        return "\n".join(filter(None, (text(toolsets), told)))

    return [Prompt.from_function(use_memory, title="Use the memory")]


def text(toolsets: Sequence[str]) -> str:
    """Return the prompt's text for *toolsets*."""
    files = [file for toolset, file in _TEXTS.items() if toolset in toolsets]
    return "\n".join(Path(__file__).with_name(file).read_text(encoding="utf-8") for file in files)
