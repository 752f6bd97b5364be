"""Read and write graph files in several formats.

Each format is imported on first use, because a command needs one or two.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .lines import NAMES as NAMES
    from .lines import FormatError as FormatError
    from .lines import Naming as Naming
    from .lines import Row as Row
    from .lines import Tally as Tally
    from .messages import Messages as Messages
    from .native import NATIVE as NATIVE
    from .native import header as header
    from .native import line as line
    from .reading import FOREIGN_MEMORIES as FOREIGN_MEMORIES
    from .reading import Reader as Reader
    from .reading import native_rows as native_rows
    from .server_memory import SERVER_MEMORY as SERVER_MEMORY

_MODULES = {
    **dict.fromkeys(("FormatError", "NAMES", "Naming", "Row", "Tally"), "lines"),
    "Messages": "messages",
    **dict.fromkeys(("NATIVE", "header", "line"), "native"),
    **dict.fromkeys(("FOREIGN_MEMORIES", "Reader", "native_rows"), "reading"),
    "SERVER_MEMORY": "server_memory",
}

if not TYPE_CHECKING:  # Otherwise type checkers would accept any name.

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
        globals()[name] = found
        return found
