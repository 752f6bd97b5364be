"""Declare a procedure: its name, its fields and whether it writes. Imports nothing of Memgraph.

Each layer declares its own once, in its `procedures.py`. The query module registers them (see
`graph/registering.py`), and the server calls them. A procedure has the arguments of the function
that it is registered with.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Vertex:
    """The type of a field that holds a node of the graph."""


class Edge:
    """The type of a field that holds a relationship of the graph."""


TEXTS = list[str]
MAP = dict[str, Any]
MAPS = list[MAP]
# Lab draws fields of these types; over the wire they would cost more than the rest.
_DRAWN = (Vertex, Edge, Vertex | None, Edge | None, list[Edge])
NOTHING: Mapping[str, Any] = {}
# The field with what a call accessed, or its read-only twin would have: see `everyday.access`.
ACCESSED = "accessed"


class Procedure(NamedTuple):
    """A procedure; `fields` are those of its results that the server requests.

    `peeking` is the name of its read-only twin, and `told` are the keys of its context that
    surfaces have (`arguments.Told`).
    """

    name: str
    fields: tuple[str, ...]
    writes: bool
    takes_context: bool = True
    peeking: str | None = None
    returns: Mapping[str, Any] = NOTHING
    told: tuple[str, ...] = ()

    def peek(self) -> "Procedure":
        """Return the read-only twin, or the procedure itself if it has none."""
        if self.peeking is None:
            return self
        return self._replace(name=self.peeking, writes=False, peeking=None)

    @property
    def counts(self) -> bool:
        """Whether its only writes are accesses, which its read-only twin leaves out."""
        return self.writes and self.peeking is not None

    def peeking_as(self, name: str) -> "Procedure":
        """Declare a read-only twin with the same results."""
        return self._replace(peeking=name)

    def taking(self, *told: str) -> "Procedure":
        """Let surfaces pass these keys of the context."""
        return self._replace(told=told)

    def with_accessed(self) -> "Procedure":
        """Return the procedure with the field `ACCESSED`, for readers of a replica."""
        return self._replace(fields=(*self.fields, ACCESSED))

    def without(self, *fields: str) -> "Procedure":
        """Return the procedure without *fields*, for calls of the server that do not need them."""
        return self._replace(fields=tuple(one for one in self.fields if one not in fields))


def reads(name: str, /, **returns: Any) -> Procedure:
    """Declare a procedure that only reads, with the type of each field of its rows."""
    return _declare(name, returns, writes=False)


def writes(name: str, /, **returns: Any) -> Procedure:
    """Declare a procedure that writes, with the type of each field of its rows."""
    return _declare(name, returns, writes=True)


def _declare(name: str, returns: Mapping[str, Any], *, writes: bool) -> Procedure:
    fields = tuple(
        field for field, kind in returns.items() if kind not in _DRAWN and field != ACCESSED
    )
    return Procedure(name, fields, writes, returns=returns)


def list_procedures(names: Mapping[str, Any]) -> tuple[Procedure, ...]:
    """Return all procedures among *names*, those of a module, and their read-only twins."""
    found = [one for one in names.values() if isinstance(one, Procedure)]
    return tuple({twin.name: twin for one in found for twin in (one, one.peek())}.values())
