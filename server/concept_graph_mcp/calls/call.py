"""A call of a query-module procedure, complete but for its context."""

from dataclasses import dataclass
from typing import Any

from .lookups import Lookup


@dataclass(frozen=True, slots=True)
class Procedure:
    """A query-module procedure and those of its result fields that the shell asks for."""

    name: str
    fields: tuple[str, ...]
    writes: bool
    takes_context: bool = True


@dataclass(frozen=True, slots=True)
class Call:
    """A procedure, its leading arguments, and the look-up that spares it a scan."""

    procedure: Procedure
    arguments: tuple[Any, ...]
    lookup: Lookup | None = None
