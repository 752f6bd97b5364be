"""The lists of names: what a list has, and how names stand in it.

Memgraph has no index of the parts of a text, and finding 100,000 nodes and their names in memory
takes a tenth of a second. In a hundred lists of a thousand names each the same names are looked
through in some milliseconds. A name that is in no list yet is looked at itself; so nobody who makes
a name writes a list, and no two writers meet in one. Imports nothing of Memgraph.
"""

from collections.abc import Iterable
from typing import Any, Final

from .. import folding
from ..layers import Index, Layer, NodeKind, Property

LIST: Final = "NameList"
# An entry, its forms and the name, has one mark between them and another around it.
# These are what such control characters are for, and texts with them no longer in memory.
WITHIN: Final = "\x1f"
AROUND: Final = "\x1e"
# So many names a list has.
SIZE: Final = 1_000


def _any(value: Any, _: str) -> Any:
    return value


# In no record of an export.
LAYER: Final = Layer(
    name="lists",
    nodes=(
        NodeKind(
            LIST,
            kind="name list",
            measure="name lists",
            key=("number",),
            # `label` is that of the nodes whose names it has, `size` how many these are.
            properties=tuple(Property(name, _any) for name in ("number", "label", "names", "size")),
            text="number",
            exported=False,
        ),
    ),
    edges=(),
    walked=(LIST,),
    indexes=(Index(LIST, ("number",), unique=True), Index(LIST, ("label",))),
)


def entry(name: str) -> str:
    """Return how *name* stands in a list, between two marks.

    That is its folded form, the plain one and the name, each of the two others "" where it is no
    other than the folded form.
    """
    folded = folding.folded(name)
    return WITHIN.join((folded, folding.plain_if_other(name) or "", "" if name == folded else name))


def kept(entries: Iterable[str]) -> dict[str, str | int]:
    """Return what a list has of *entries*: `names` are all of them, with marks around."""
    entries = list(entries)
    return {"names": AROUND + "".join(one + AROUND for one in entries), "size": len(entries)}


def listable(name: Any) -> bool:
    """Tell whether *name* can stand in a list: it is a text that has none of the marks."""
    return isinstance(name, str) and name != "" and WITHIN not in name and AROUND not in name
