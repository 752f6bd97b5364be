"""Reading a file in whichever format it is in."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from conceptgraph_core.layers import Layer

from . import edges, native, server_memory
from .lines import Lines, Naming, Row, filled, json_object
from .tally import Tally

_Read = Callable[[Lines, Naming, Tally], Iterator[Row]]

FORMATS: dict[str, _Read] = {
    native.NATIVE: native.read,
    server_memory.SERVER_MEMORY: server_memory.read,
    edges.EDGES: edges.read,
}


class Reader:
    """The records of a file, and what they do not say of it in `tally`.

    `format` is the given one or that which the first line shows; None if there is no line. Raises
    FormatError.
    """

    def __init__(self, stream: Iterable[str], given: str | None = None) -> None:
        self.tally = Tally()
        lines = filled(stream, self.tally)
        first = next(lines, None)
        self.format = None if first is None else given or _detect(*first)
        self._lines = lines if first is None else itertools.chain([first], lines)

    def rows(self, naming: Naming) -> Iterator[Row]:
        """Iterate over the records, once; *naming* is for episodes without a name."""
        if self.format is not None:
            yield from FORMATS[self.format](self._lines, naming, self.tally)


def native_rows(stream: Iterable[str], layers: Sequence[Layer]) -> Iterator[Row]:
    """Iterate over the records of *layers* in *stream*, in our own format. Raises FormatError."""
    tally = Tally()
    return native.read(filled(stream, tally), Naming(), tally, native.Fields(layers))


def _detect(number: int, line: str) -> str:
    if not line.lstrip().startswith("{"):
        return edges.EDGES
    return native.NATIVE if "kind" in json_object(number, line) else server_memory.SERVER_MEMORY
