"""Read and write graph files in several formats.

Each format is imported on first use, because a command needs one or two. `histories.formats` has
the table of all.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .lines import FormatError as FormatError
    from .lines import Naming as Naming
    from .lines import Row as Row
    from .lines import Tally as Tally
    from .messages import Messages as Messages
    from .native import NATIVE as NATIVE
    from .native import header as header
    from .native import line as line
    from .native import rows as rows

_MODULES = {
    **dict.fromkeys(("FormatError", "Naming", "Row", "Tally"), "lines"),
    "Messages": "messages",
    **dict.fromkeys(("NATIVE", "header", "line", "rows"), "native"),
}

if not TYPE_CHECKING:  # Otherwise type checkers would accept any name.

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
        globals()[name] = found
        return found
