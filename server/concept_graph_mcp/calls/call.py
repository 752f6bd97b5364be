"""A call of a query-module procedure, complete but for its context."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, ParamSpec

from conceptgraph_core.errors import ConceptGraphError
from conceptgraph_core.procedures import Procedure

from ..errors import Refused
from .lookups import Lookup

P = ParamSpec("P")
_NOTHING: Mapping[str, Any] = {}


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
