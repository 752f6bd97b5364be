"""A call of a query-module procedure, complete but for its context."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, ParamSpec

from conceptgraph_core.errors import ConceptGraphError

from ..errors import Refused
from .lookups import Lookup

P = ParamSpec("P")
_NOTHING: Mapping[str, Any] = {}


class Procedure(NamedTuple):
    """A query-module procedure and those of its result fields that the shell asks for.

    `peeking` is the name of one that returns the same and only reads.
    """

    name: str
    fields: tuple[str, ...]
    writes: bool
    takes_context: bool = True
    peeking: str | None = None

    def peek(self) -> "Procedure":
        """Return the procedure that returns the same and only reads: itself, if there is none."""
        if self.peeking is None:
            return self
        return self._replace(name=self.peeking, writes=False, peeking=None)


class Call(NamedTuple):
    """A procedure, its leading arguments, and the look-up that spares it a scan.

    `context` is what the look-up took for granted; it goes into the context of the call.
    """

    procedure: Procedure
    arguments: tuple[Any, ...]
    lookup: Lookup | None = None
    context: Mapping[str, Any] = _NOTHING


def checked(make: Callable[P, Call]) -> Callable[P, Call]:
    """Let *make* raise what the core refuses as the store would raise it: Refused."""

    @functools.wraps(make)
    def making(*arguments: P.args, **named: P.kwargs) -> Call:
        try:
            return make(*arguments, **named)
        except ConceptGraphError as error:
            raise Refused(str(error), type(error)) from error

    return making
