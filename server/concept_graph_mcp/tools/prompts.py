"""The prompt that a host can offer its user: how a model is to use the memory."""

from collections.abc import Sequence
from pathlib import Path

from mcp.server.mcpserver.prompts import Prompt

# Of a toolset, what tells when to use which of its tools. Of entities the tools tell that alone.
_TEXTS = {
    "concept": "use_memory.md",
    "memory": "use_memories.md",
    "everyday": "use_everyday.md",
}


def prompts(toolsets: Sequence[str]) -> list[Prompt]:
    """Return the prompts of a server that offers *toolsets*: one, or none that would tell nothing.

    It names only tools that are offered.
    """
    if not _TEXTS.keys() & set(toolsets):
        return []

    def use_memory() -> str:
        """Tell a model when to recall and what to keep."""
        return text(toolsets)

    return [Prompt.from_function(use_memory, title="Use the memory")]


def text(toolsets: Sequence[str]) -> str:
    """Return what the prompt tells of *toolsets*."""
    files = [file for toolset, file in _TEXTS.items() if toolset in toolsets]
    return "\n".join(Path(__file__).with_name(file).read_text(encoding="utf-8") for file in files)
