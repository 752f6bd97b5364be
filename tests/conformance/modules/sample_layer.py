# ruff: noqa: B006
"""CALL sample_layer.*: what goes over all layers, over the layer of `sample_schema` alone.

CALL sample_layer.stats() YIELD *;
CALL sample_layer.check() YIELD *;
CALL sample_layer.export("nodes") YIELD *;
CALL sample_layer.import_rows([]) YIELD *;
CALL sample_layer.embedding() YIELD *;
CALL sample_layer.embedding_choose("a", 3) YIELD *;
CALL sample_layer.embedding_lacking() YIELD *;
CALL sample_layer.embedding_set("a", []) YIELD *;
"""

import mgp
from sample_schema import MODEL

from conceptgraph_core.graph import primitives
from conceptgraph_core.graph.layers import join_layers
from conceptgraph_core.graph.registering import Module
from conceptgraph_core.transfer import audit, export_import, procedures, view
from conceptgraph_core.transfer import export_import as exporting
from conceptgraph_core.transfer import search_data as embeddings
from conceptgraph_core.transfer.view import Everything


class Samples(Everything):
    layers = MODEL.layers
    layer = join_layers(MODEL.layers)


register = Module(__doc__).register

register(procedures.STATS, Samples, view.stats)
register(procedures.CHECK, Samples, audit.check)
register(procedures.EXPORT, Samples, exporting.export)
register(procedures.IMPORT_ROWS, Samples, export_import.import_rows)
register(procedures.EMBEDDING, Samples, embeddings.read_embedding)
register(procedures.EMBEDDING_CHOOSE, Samples, embeddings.choose)
register(procedures.EMBEDDING_LACKING, Samples, embeddings.lacking)
register(procedures.EMBEDDING_SET, Samples, embeddings.embed)


@mgp.read_proc
def found(ctx: mgp.ProcCtx, lookups: str, context: mgp.Map = {}) -> mgp.Record(key=str):
    """Return the keys of what look-ups find, in its order."""
    graph = pulled(ctx, lookups, context)
    return [mgp.Record(key="/".join(map(str, graph.key(node)))) for node in graph.nodes()]


@mgp.read_proc
def derived(ctx: mgp.ProcCtx, lookups: str, context: mgp.Map = {}) -> mgp.Record(
    length=int, dear=bool
):
    """Return what follows from the other properties of the notes that look-ups find."""
    return [
        mgp.Record(**{name: node.raw.get_property(name) for name in ("length", "dear")})
        for node in pulled(ctx, lookups, context).nodes()
    ]


@mgp.write_proc
def set_place(
    ctx: mgp.ProcCtx, place: mgp.List[mgp.Any], lookups: str, context: mgp.Map = {}
) -> mgp.Record(place=mgp.Nullable[mgp.List[float]]):
    """Set the vector of what look-ups find; return it as it then reads."""
    rows = []
    for node in pulled(ctx, lookups, context).nodes():
        node.raw.set_property("place", list(place))
        rows.append(mgp.Record(place=node.raw.get_property("place")))
    return rows


def pulled(ctx, lookups, context):
    graph = Samples(ctx, context)
    graph.pull(*map(hashable, primitives.decode(lookups)))
    return graph


def hashable(given):
    """Return what was decoded with tuples for lists."""
    if hasattr(given, "_fields"):
        return type(given)(*map(hashable, given))
    return tuple(map(hashable, given)) if isinstance(given, (list, tuple)) else given
