"""The prompt that a host can offer its user: how a model is to use the memory."""

from pathlib import Path

from mcp.server.mcpserver.prompts import Prompt


def use_memory() -> str:
    """Tell a model when to recall and what to keep."""
    return Path(__file__).with_name("use_memory.md").read_text(encoding="utf-8")


def prompts() -> list[Prompt]:
    """Return the prompts, in the order in which they are listed."""
    return [Prompt.from_function(use_memory, title="Use the memory")]
