"""The lists of names: what a list has, and how names stand in it.

Memgraph has no index of the parts of a text, and finding 100,000 nodes and their names in memory
takes a tenth of a second. In a hundred lists of a thousand names each the same names are looked
through in some milliseconds. A name that is in no list yet is looked at itself; so nobody who makes
a name writes a list, and no two writers meet in one. Imports nothing of Memgraph.
"""

from typing import Any, Final

from ..layers import Index, Layer, NodeKind, Property

LIST: Final = "NameList"
# A name in a list: its forms and itself, with a mark between them, and another around each.
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
            # `of` is the label whose names it has, `size` how many these are.
            properties=tuple(
                Property(name, _any) for name in ("number", "of", "names", "squeezed", "size")
            ),
            text="number",
            exported=False,
        ),
    ),
    edges=(),
    walked=(LIST,),
    indexes=(Index(LIST, ("number",), unique=True), Index(LIST, ("of",))),
)


def entry(folded: str, plain: str, name: str) -> str:
    """Return how *name* stands in a list, between two marks; *plain* is "" where it is *folded*."""
    return WITHIN.join((folded, plain, name))


def forms(names: str) -> dict[str, str]:
    """Return what a list keeps of *names*, all of its entries with marks around: without blanks
    too, for what is like a name but for these.
    """
    return {"names": names, "squeezed": names.replace(" ", "")}


def listable(name: Any) -> bool:
    """Tell whether *name* can stand in a list: it is a text that has none of the marks."""
    return isinstance(name, str) and name != "" and WITHIN not in name and AROUND not in name
