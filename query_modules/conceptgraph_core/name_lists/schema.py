"""Declare the packed name lists: the properties of a list, and the form of names in it.

Memgraph has no index of substrings, and reading 100,000 nodes and their names takes a tenth of a
second. In a hundred lists of a thousand names each, the same search takes some milliseconds. Names
that are in no list yet are searched one by one. So a call that creates a name writes no list, and
concurrent writers never meet in one. Imports nothing of Memgraph.
"""

from collections.abc import Iterable
from typing import Any, Final

from .. import folding
from ..layers import Index, Layer, NodeKind, Property

LIST: Final = "NameList"
# One mark separates the forms and the name of an entry, another one surrounds entries. These
# control characters exist for that purpose, and texts with them are not listed.
WITHIN: Final = "\x1f"
AROUND: Final = "\x1e"
# The number of names in a list.
SIZE: Final = 1_000
# A call that creates fewer texts leaves them unlisted: short lists cost searches as much to read.
MANY: Final = 100


def _accept_any(value: Any, _: str) -> Any:
    return value


# No export has a record of it.
LAYER: Final = Layer(
    name="lists",
    nodes=(
        NodeKind(
            LIST,
            kind="name list",
            measure="name lists",
            key=("number",),
            # `label` is the label of the listed nodes, `size` their number.
            properties=tuple(
                Property(name, _accept_any) for name in ("number", "label", "names", "size")
            ),
            text="number",
            exported=False,
        ),
    ),
    edges=(),
    walked=(LIST,),
    indexes=(Index(LIST, ("number",), unique=True), Index(LIST, ("label",))),
)


def entry(name: str) -> str:
    """Return the entry of *name*, between two marks.

    It has the folded form, the plain one and the name. The last two are "" if they equal the folded
    form.
    """
    folded = folding.fold(name)
    return WITHIN.join((folded, folding.plain_if_other(name) or "", "" if name == folded else name))


def make_properties(entries: Iterable[str]) -> dict[str, str | int]:
    """Return the properties of a list of *entries*; `names` has all of them, with marks around."""
    entries = list(entries)
    return {"names": AROUND + "".join(one + AROUND for one in entries), "size": len(entries)}


def listable(name: Any) -> bool:
    """Tell whether *name* may stand in a list: it is a text without the marks."""
    return isinstance(name, str) and name != "" and WITHIN not in name and AROUND not in name
