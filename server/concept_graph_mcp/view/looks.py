"""What each kind of node and relation looks like: the one source, which the page gets as data.

Every kind that a layer which the page draws declares for walks has one here; a kind that is added
is drawn, coloured and explained in the legend without a line of the page.
"""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Scale:
    """The colours of a node's property from −1 over 0 to 1, by day and by night ("#rrggbb")."""

    label: str
    light: tuple[str, str, str]
    dark: tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of node as its layer calls it; its shape, and the property whose scale colours it.

    Shapes are circle, diamond, square and hexagon.
    """

    kind: str
    shape: str
    colour: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A type of relation as its layer names it; its line is solid, dashed or dotted."""

    type: str
    line: str


# Blue to orange through grey is told apart with every common kind of colour blindness, by its
# lightness too; the sign is written on the node as well.
COLOURS = {
    "valence": Scale(
        "valence − to +",
        ("#c85500", "#8b929b", "#1565c0"),
        ("#ff9d4d", "#7d8590", "#58a6ff"),
    )
}
KINDS = (
    Kind("concept", "circle", "valence"),
    Kind("episode", "diamond", "valence"),
)
RELATIONS = (
    Relation("is-a", "solid"),
    Relation("part-of", "dashed"),
    Relation("evokes", "dotted"),
)


def looks() -> dict[str, Any]:
    """Return all of it as the page takes it."""
    return {
        "kinds": [asdict(kind) for kind in KINDS],
        "relations": [asdict(relation) for relation in RELATIONS],
        "colours": {name: asdict(scale) for name, scale in COLOURS.items()},
    }
