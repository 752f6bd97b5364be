"""What each kind of node and relation looks like: the one source, which the page gets as data.

Every kind that a layer which the page draws declares for walks has one here; a kind that is added
is drawn, coloured and explained in the legend without a line of the page.
"""

from dataclasses import asdict, dataclass
from typing import Any

from conceptgraph_core.concepts import schema as concepts
from conceptgraph_core.entities import schema as entities
from conceptgraph_core.memories import schema as memories
from conceptgraph_core.memories.rules import ACTIVE, ARCHIVED, DORMANT, EXPIRED


@dataclass(frozen=True, slots=True)
class Scale:
    """The colours of a node's property from −1 over 0 to 1, by day and by night ("#rrggbb").

    One that is not `signed` has nothing below 0, and no sign is written on its nodes.
    """

    label: str
    light: tuple[str, str, str]
    dark: tuple[str, str, str]
    signed: bool = True


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of node as its layer calls it; its shape, and the property whose scale colours it.

    Shapes are circle, diamond, square and hexagon. `size` says what its size shows; `opacity`
    names the property by whose words (see `OPACITIES`) it is seen through, `border` says what its
    border is as thick as; the nodes themselves have that as `border`, from 0 to 1.
    """

    kind: str
    shape: str
    colour: str
    layer: str
    size: str = "arousal"
    opacity: str = ""
    border: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """A type of relation as its layer names it; its line is solid, dashed or dotted.

    `weight` is what the width of its line shows. Of a type that is `thinned` only each node's
    strongest are drawn, until more are asked for.
    """

    type: str
    line: str
    layer: str
    weight: str = "weight"
    thinned: bool = False


# Blue to orange through grey is told apart with every common kind of colour blindness, by its
# lightness too; the sign is written on the node as well.
COLOURS = {
    "valence": Scale(
        "valence − to +",
        ("#c85500", "#8b929b", "#1565c0"),
        ("#ff9d4d", "#7d8590", "#58a6ff"),
    ),
    "decay_score": Scale(
        "presence",
        ("#5f9d8f", "#5f9d8f", "#00705a"),
        ("#4f8578", "#4f8578", "#3fc3a2"),
        signed=False,
    ),
    "activation": Scale(
        "activation",
        ("#9a8bd0", "#9a8bd0", "#5a3fc0"),
        ("#7768b0", "#7768b0", "#b09cff"),
        signed=False,
    ),
}
# How much of a node is seen, by the word that a property has.
OPACITIES = {"state": {ACTIVE: 1.0, DORMANT: 0.6, ARCHIVED: 0.3, EXPIRED: 0.12}}
KINDS = (
    Kind("concept", "circle", "valence", concepts.LAYER.name),
    Kind("episode", "diamond", "valence", concepts.LAYER.name),
    Kind("memory", "square", "decay_score", memories.LAYER.name, "presence", opacity="state"),
    Kind("entity", "hexagon", "activation", entities.LAYER.name, "activation", border="trust"),
)
# What says when is dotted, what says against is dashed.
_LINKS = {
    "contradicts": "dashed",
    **dict.fromkeys(("causes", "caused_by", "precedes", "follows"), "dotted"),
}
_TIES = {
    **dict.fromkeys((entities.SAME_AS, entities.CONTRADICTS), "dashed"),
    **dict.fromkeys((entities.TEMPORAL, entities.CAUSAL), "dotted"),
}
RELATIONS = (
    Relation("is-a", "solid", concepts.LAYER.name),
    Relation("part-of", "dashed", concepts.LAYER.name),
    Relation("evokes", "dotted", concepts.LAYER.name),
    *(
        Relation(name, _LINKS.get(name, "solid"), memories.LAYER.name, "strength now")
        for name in memories.RELATION_TYPES
    ),
    *(
        Relation(
            *(name.lower(), _TIES.get(name, "solid"), entities.LAYER.name, "strength"),
            thinned=name == entities.CO_OCCURRENCE,
        )
        for name in entities.BETWEEN
    ),
)
# Lines that the page draws by itself, and nothing stores: what is of one name, in whatever layer,
# and what was said next.
DRAWN = tuple(Relation(type_, "dotted", "", "") for type_ in ("same name", "said next"))


def looks() -> dict[str, Any]:
    """Return all of it as the page takes it."""
    return {
        "kinds": [asdict(kind) for kind in KINDS],
        "relations": [asdict(relation) for relation in (*RELATIONS, *DRAWN)],
        "opacities": OPACITIES,
        "colours": {name: asdict(scale) for name, scale in COLOURS.items()},
    }
