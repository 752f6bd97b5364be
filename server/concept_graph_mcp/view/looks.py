"""Define the look of each kind of node and relation, the one source for the page.

Every kind that a drawn layer declares for walks has an entry here; the page draws, colours and
explains a new kind from its entry alone.
"""

from dataclasses import asdict, dataclass
from typing import Any

from conceptgraph_core.concepts import schema as concepts
from conceptgraph_core.entities import schema as entities
from conceptgraph_core.memories import schema as memories
from conceptgraph_core.memories.fade import ACTIVE, ARCHIVED, DORMANT, EXPIRED


@dataclass(frozen=True, slots=True)
class Scale:
    """The colours of a node's property from −1 over 0 to 1, for light and dark mode ("#rrggbb").

    A scale that is not `signed` has no values below 0, and its nodes show no sign.
    """

    label: str
    light: tuple[str, str, str]
    dark: tuple[str, str, str]
    signed: bool = True


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of node as its layer names it; its shape, and the property that colours it.

    Shapes are circle, diamond, square and hexagon. `size` explains its size. `opacity` names the
    property whose words (see `OPACITIES`) set its opacity. `border` explains the width of its
    border; nodes have the value, from 0 to 1, as their `border`.
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

    `weight` explains the width of its line. The page draws only each node's
    strongest relations of a `thinned` type, until the user asks for more.
    """

    type: str
    line: str
    layer: str
    weight: str = "weight"
    thinned: bool = False


# Blue, grey and orange remain distinct with every common kind of colour blindness, by their
# lightness too; the node shows the sign as well.
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
# The opacity of a node by the word in a property.
OPACITIES = {"state": {ACTIVE: 1.0, DORMANT: 0.6, ARCHIVED: 0.3, EXPIRED: 0.12}}
KINDS = (
    Kind("concept", "circle", "valence", concepts.LAYER.name),
    Kind("episode", "diamond", "valence", concepts.LAYER.name),
    Kind("memory", "square", "decay_score", memories.LAYER.name, "presence", opacity="state"),
    Kind("entity", "hexagon", "activation", entities.LAYER.name, "activation", border="trust"),
)
# Relations of time are dotted, contradictions are dashed.
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
# Lines that the page draws and nothing stores: between nodes of one name in different layers, and
# from a message to the next.
DRAWN = tuple(Relation(type_, "dotted", "", "") for type_ in ("same name", "said next"))


# An area of a map stands for many entities, and opens.
AREAS = (Kind("area", "circle", "activation", "", "its entities"),)
# Two areas are joined if members of both were mentioned together.
TOGETHER = Relation("mentioned together", "solid", "", "how often")


def looks() -> dict[str, Any]:
    """Return the looks as data for the page."""
    return {
        "kinds": [asdict(kind) for kind in (*KINDS, *AREAS)],
        "relations": [asdict(relation) for relation in (*RELATIONS, *DRAWN, TOGETHER)],
        "opacities": OPACITIES,
        "colours": {name: asdict(scale) for name, scale in COLOURS.items()},
    }
