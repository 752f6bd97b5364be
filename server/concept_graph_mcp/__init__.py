"""Provide the MCP server and the command line of the concept graph, its stores, and `Memory`."""

from .core import make_importable

# Imported first, because every part of this package may import `conceptgraph_core`.
make_importable()

# Not that of `typing`, whose import takes as long as a hook's whole work.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .memory import AsyncMemory as AsyncMemory
    from .memory import Memory as Memory

if not TYPE_CHECKING:  # Otherwise type checkers would accept any name.

    def __getattr__(name: str) -> object:
        # Imported on demand, because a server and most commands do not need them.
        if name in ("AsyncMemory", "Memory"):
            from . import memory

            return getattr(memory, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
