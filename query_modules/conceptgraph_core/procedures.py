"""What a procedure is: its name, its fields and whether it writes. Imports nothing of Memgraph.

Each layer declares its own in its `procedures.py`, once: the query module registers them (see
`graph/registering.py`), and the server calls them. Their arguments are those of the functions that
they are registered with.
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
# Fields of these types are for Lab, to be drawn; over the wire they would cost more than the rest.
_DRAWN = (Vertex, Edge, Vertex | None, Edge | None, list[Edge])
NOTHING: Mapping[str, Any] = {}


class Procedure(NamedTuple):
    """A procedure; `fields` are those of what it `returns` that the server asks for.

    `peeking` is the name of one that returns the same and only reads.
    """

    name: str
    fields: tuple[str, ...]
    writes: bool
    takes_context: bool = True
    peeking: str | None = None
    returns: Mapping[str, Any] = NOTHING

    def peek(self) -> "Procedure":
        """Return the procedure that returns the same and only reads: itself, if there is none."""
        if self.peeking is None:
            return self
        return self._replace(name=self.peeking, writes=False, peeking=None)

    def peeking_as(self, name: str) -> "Procedure":
        """Declare one too that returns the same and only reads."""
        return self._replace(peeking=name)

    def without(self, *fields: str) -> "Procedure":
        """Return the procedure as the server calls it where it has no use for *fields*."""
        return self._replace(fields=tuple(one for one in self.fields if one not in fields))


def reads(name: str, /, **returns: Any) -> Procedure:
    """Declare a procedure that only reads, with the type of each field of its rows."""
    return _declared(name, returns, writes=False)


def writes(name: str, /, **returns: Any) -> Procedure:
    """Declare a procedure that writes, with the type of each field of its rows."""
    return _declared(name, returns, writes=True)


def _declared(name: str, returns: Mapping[str, Any], *, writes: bool) -> Procedure:
    fields = tuple(field for field, kind in returns.items() if kind not in _DRAWN)
    return Procedure(name, fields, writes, returns=returns)


def declared(names: Mapping[str, Any]) -> tuple[Procedure, ...]:
    """Return all procedures among *names*, those of a module, and those that peek for them."""
    found = [one for one in names.values() if isinstance(one, Procedure)]
    return tuple({twin.name: twin for one in found for twin in (one, one.peek())}.values())
