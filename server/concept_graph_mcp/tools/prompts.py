"""The prompt that a host can offer its user: how a model is to use the memory."""

from importlib import resources

from mcp.server.mcpserver.prompts import Prompt


def use_memory() -> str:
    """Tell a model when to recall and what to keep."""
    return resources.files(__package__).joinpath("use_memory.md").read_text(encoding="utf-8")


def prompts() -> list[Prompt]:
    """Return the prompts, in the order in which they are listed."""
    return [Prompt.from_function(use_memory, title="Use the memory")]
