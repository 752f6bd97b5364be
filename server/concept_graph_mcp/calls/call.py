"""Represent a call of a procedure, complete except for the clock and the scope in its context."""

import functools
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, ParamSpec

from conceptgraph_core.graph.layers import SHARED
from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.texts.words import languages
from conceptgraph_core.verbs.context import OWN, WHOSE
from conceptgraph_core.verbs.errors import ConceptGraphError
from conceptgraph_core.verbs.procedures import Procedure

from ..errors import Refused

P = ParamSpec("P")
# Returns what `primitives.Embedded` tells of a text.
Embed = Callable[[str], Awaitable[Mapping[str, Any]]]
# A term of the question, one near it, a word of that, and their cosine.
Neighbour = tuple[str, str, str, float]
_NOTHING: Mapping[str, Any] = {}


class Call(NamedTuple):
    """A procedure, its leading arguments, and its arguments by name: keys of the `context`.

    `wanted` are look-ups that the procedure is known to ask for: a server that makes them
    beforehand saves a round.
    """

    procedure: Procedure
    arguments: tuple[Any, ...]
    context: Mapping[str, Any] = _NOTHING
    wanted: Sequence[Lookup] = ()
    embed: "Embed | None" = None

    def with_fields(self, *names: str) -> "Call":
        """Return the call with fields in its rows that the procedure has besides."""
        fields = (*self.procedure.fields, *names)
        return self._replace(procedure=self.procedure._replace(fields=fields))


def whose(scope: str) -> dict[str, str]:
    """Return what a context says of the *scope* of concepts that its call is about."""
    return {"concepts": WHOSE[0]} if scope == SHARED else {"concepts": OWN, "user_id": scope}


def checked(make: Callable[P, Call]) -> Callable[P, Call]:
    """Wrap *make* so that the core's refusals are raised as Refused, as the store would."""

    @functools.wraps(make)
    def making(*arguments: P.args, **named: P.kwargs) -> Call:
        try:
            return make(*arguments, **named)
        except ConceptGraphError as error:
            raise Refused(str(error), type(error)) from error

    return making


def spoken() -> tuple[str, ...]:
    """Return the configured languages of texts. Raises UnknownLanguage."""
    return languages.read_configured(os.environ)


def spoken_context() -> dict[str, Any]:
    """Return the languages of texts, for the context of a call."""
    return {"languages": list(spoken())}
