"""Build the calls of procedures: their arguments, result fields, and index look-ups.

There is a module for each layer, and one for calls over all layers: `calls.concepts.peek(…)`. Each
is imported on first use, because a server with one toolset does not need the others.
"""

from typing import TYPE_CHECKING, Any

from conceptgraph_core.verbs.procedures import Procedure as Procedure

from .call import Call as Call

if TYPE_CHECKING:
    from . import concepts as concepts
    from . import embedding as embedding
    from . import entities as entities
    from . import everyday as everyday
    from . import memories as memories
    from . import transfer as transfer

    # The procedures that a server must have loaded.
    ALL: tuple[Procedure, ...]

_LAYERS = ("concepts", "transfer", "embedding", "memories", "entities", "everyday")
_DECLARING = ("concepts", "transfer", "memories", "entities", "everyday")

if not TYPE_CHECKING:  # Otherwise type checkers would accept any name.

    def __getattr__(name: str) -> Any:
        if name in _LAYERS:
            return __import__(f"{__name__}.{name}", fromlist=["*"])
        if name == "ALL":
            modules = (f"conceptgraph_core.{layer}.procedures" for layer in _DECLARING)
            return tuple(
                one for name in modules for one in __import__(name, fromlist=["*"]).PROCEDURES
            )
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
