"""The files that a graph can be read from and written to."""

from .lines import FormatError, Naming, Row
from .messages import Messages
from .native import NATIVE, header, line
from .reading import FOREIGN_MEMORIES, NAMES, Reader, native_rows
from .server_memory import SERVER_MEMORY
from .tally import Tally
from .to_server_memory import ServerMemory

__all__ = [
    "FOREIGN_MEMORIES",
    "NAMES",
    "NATIVE",
    "SERVER_MEMORY",
    "FormatError",
    "Messages",
    "Naming",
    "Reader",
    "Row",
    "ServerMemory",
    "Tally",
    "header",
    "line",
    "native_rows",
]
