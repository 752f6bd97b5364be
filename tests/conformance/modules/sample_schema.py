"""A layer that no code but its tests names: two labels, one keyed by two properties within a scope,
a vector, and an index that gives an order. It stands for any further layer.
"""

from conceptgraph_core.embeddings.schema import LAYER as EMBEDDINGS
from conceptgraph_core.graph.layers import (
    NOW,
    EdgeKind,
    Index,
    Layer,
    NodeKind,
    Property,
    VectorIndex,
)
from conceptgraph_core.texts import text
from conceptgraph_core.transfer.registry import Model
from conceptgraph_core.verbs import validators

NOTE, SHELF = "SampleNote", "SampleShelf"


def _names(value, field):
    return text.names(value, field)


LAYER = Layer(
    name="samples",
    nodes=(
        NodeKind(
            NOTE,
            kind="note",
            measure="notes",
            key=("owner", "title"),
            properties=(
                Property("owner", text.name, absent=""),
                Property("title", text.name, absent=""),
                Property("worth", validators.unit, 0.5, absent=0.0),
                Property("made_at", validators.time, NOW, absent=0),
                Property("place", validators.vector, None, optional=True),
                Property("dimension", validators.time, None, optional=True),
                Property("mood", text.name, None, optional=True),
                Property("themes", _names, None, optional=True),
            ),
            text="title",
            derived={
                "length": lambda properties: len(properties["title"]),
                "dear": lambda properties: properties["worth"] >= 0.5,
            },
            scope="owner",
        ),
        NodeKind(
            SHELF,
            kind="shelf",
            measure="shelves",
            key=("label",),
            properties=(Property("label", text.name, absent=""),),
            text="label",
        ),
    ),
    edges=(
        EdgeKind(
            "STANDS_ON",
            "stands-on",
            properties=(Property("firmness", validators.unit, 0.25, absent=0.25),),
            sources=(NOTE,),
            targets=(SHELF,),
        ),
        # From what shares no name space.
        EdgeKind("IS_NEAR", "near", (), sources=(NOTE, SHELF), targets=(SHELF,)),
    ),
    edge_kind="standing",
    walked=(NOTE, SHELF),
    indexes=(
        Index(NOTE, ("owner", "title"), unique=True),
        Index(NOTE, ("owner", "made_at")),
        Index(SHELF, ("label",), unique=True),
    ),
    vectors=(VectorIndex(NOTE, "place", texts=("title", "mood"), dimension="dimension"),),
)

MODEL = Model((LAYER, EMBEDDINGS), ("sample_layer",))
