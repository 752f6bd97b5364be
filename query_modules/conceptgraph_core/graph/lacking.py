"""Say which look-ups a call lacks, as text that a host reads from the call's failure.

Memgraph gives a query module no index. So a call that needs a look-up fails with `Lacking`, which
rolls it back; the server makes the look-up in Cypher and calls again, with the answer in the
context. The text is ASCII and says nothing of what is stored to who reads a log: it is JSON,
compressed, in base64.
"""

from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final
from zlib import compress, decompress

from ..errors import ConceptGraphError
from ..folding import Keywords
from ..layers import Columns
from . import primitives
from .primitives import Lookup

# Not imported: a reload would drop it.
json: Final[Any] = __import__("json")
_KINDS: Final[Mapping[str, Any]] = {
    kind.__name__: kind
    for kind in (*vars(primitives).values(), Keywords, Columns)
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")
}
_KEY_BYTES: Final = 12
_SIMPLE: Final = frozenset({str, int, float, bool, type(None)})


class Lacking(ConceptGraphError):
    """A call needs the answers of look-ups; nothing was written. It is for the server alone."""

    def __init__(self, lookups: Sequence[Lookup]) -> None:
        super().__init__(encode(lookups))


def key(lookup: Lookup) -> str:
    """Return the name of *lookup* among the answers of a context: the same for equal ones."""
    # Each call makes some of these, so the kinds of what a look-up holds are left out: no two kinds
    # that can stand in one place have the same fields.
    told = f"{type(lookup).__name__}{json.dumps(lookup, separators=(',', ':'))}"
    return "k" + blake2b(told.encode(), digest_size=_KEY_BYTES).hexdigest()


def encode(lookups: Sequence[Lookup]) -> str:
    """Return *lookups* as a line of ASCII."""
    plain = json.dumps(_plain(tuple(lookups)), separators=(",", ":"))
    return b2a_base64(compress(plain.encode(), 1), newline=False).decode("ascii")


def decode(line: str) -> tuple[Lookup, ...]:
    """Return the look-ups of `encode`."""
    # The parser calls back for each kind, the inner ones first; all else are lists.
    return tuple(json.loads(decompress(a2b_base64(line)), object_hook=_make))


def _plain(value: Any) -> Any:
    """Return *value* of lists and maps; a tuple with names is a map of its kind's name."""
    if hasattr(value, "_fields"):
        return {value.__class__.__name__: [_plain(one) for one in value]}
    if isinstance(value, Mapping):
        return {"": [[key, _plain(one)] for key, one in value.items()]}
    if not isinstance(value, (tuple, list)):
        return value
    # Most look-ups hold long lists of texts or numbers.
    return [one if one.__class__ in _SIMPLE else _plain(one) for one in value]


def _make(given: Mapping[str, Any]) -> Any:
    [(name, fields)] = given.items()
    if not name:
        return dict(fields)
    return _KINDS[name](*[tuple(one) if isinstance(one, list) else one for one in fields])
