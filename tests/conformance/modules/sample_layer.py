# ruff: noqa: B006
"""CALL sample_layer.*: what goes over all layers, over the layer of `sample_schema` alone."""

import mgp
from sample_schema import MODEL

from conceptgraph_core.layers import together
from conceptgraph_core.transfer import audit, importing, statistics
from conceptgraph_core.transfer import embedding as embeddings
from conceptgraph_core.transfer import export as exporting
from conceptgraph_core.transfer.view import Everything


class Samples(Everything):
    layers = MODEL.layers
    layer = together(MODEL.layers)


@mgp.read_proc
def stats(ctx: mgp.ProcCtx, context: mgp.Map = {}) -> mgp.Record(measure=str, kind=str, value=int):
    return [mgp.Record(**row) for row in statistics.stats(Samples(ctx, context))]


@mgp.read_proc
def check(ctx: mgp.ProcCtx, context: mgp.Map = {}) -> mgp.Record(
    problem=str, subject=str, advice=str
):
    return [mgp.Record(**row) for row in audit.check(Samples(ctx, context))]


@mgp.read_proc
def export(ctx: mgp.ProcCtx, part: str, context: mgp.Map = {}) -> mgp.Record(record=mgp.Map):
    return [mgp.Record(**row) for row in exporting.export(Samples(ctx, context), part)]


@mgp.write_proc
def import_rows(ctx: mgp.ProcCtx, rows: mgp.List[mgp.Map], context: mgp.Map = {}) -> mgp.Record(
    nodes_created=int, nodes_existing=int, relations_created=int, relations_existing=int
):
    return [mgp.Record(**importing.import_rows(Samples(ctx, context), rows))]


@mgp.read_proc
def embedding(ctx: mgp.ProcCtx, context: mgp.Map = {}) -> mgp.Record(model=str, dimension=int):
    known = embeddings.chosen(Samples(ctx, context))
    return [mgp.Record(**known)] if known else []


@mgp.write_proc
def embedding_choose(
    ctx: mgp.ProcCtx, model: str, dimension: int, again: bool = False, context: mgp.Map = {}
) -> mgp.Record(chosen=bool, cleared=int):
    graph = Samples(ctx, context)
    return [mgp.Record(**embeddings.choose(graph, model, dimension, again))]


@mgp.read_proc
def embedding_lacking(ctx: mgp.ProcCtx, context: mgp.Map = {}) -> mgp.Record(
    kind=str, key=mgp.List[mgp.Any], text=mgp.Nullable[str]
):
    return [mgp.Record(**row) for row in embeddings.lacking(Samples(ctx, context))]


@mgp.write_proc
def embedding_set(
    ctx: mgp.ProcCtx, model: str, rows: mgp.List[mgp.Map], context: mgp.Map = {}
) -> mgp.Record(embedded=int):
    return [mgp.Record(**embeddings.embed(Samples(ctx, context), model, rows))]


@mgp.read_proc
def found(ctx: mgp.ProcCtx, context: mgp.Map = {}) -> mgp.Record(key=str):
    """Return the keys of what a look-up found, in its order."""
    graph = Samples(ctx, context)
    return [mgp.Record(key="/".join(map(str, graph.key(node)))) for node in graph.nodes()]


@mgp.read_proc
def derived(ctx: mgp.ProcCtx, context: mgp.Map = {}) -> mgp.Record(length=int, dear=bool):
    """Return what follows from the other properties of the notes that a look-up found."""
    return [
        mgp.Record(**{name: node.raw.get_property(name) for name in ("length", "dear")})
        for node in Samples(ctx, context).nodes()
    ]


@mgp.write_proc
def set_place(ctx: mgp.ProcCtx, place: mgp.List[mgp.Any], context: mgp.Map = {}) -> mgp.Record(
    place=mgp.Nullable[mgp.List[float]]
):
    """Set the vector of what was found; return it as it then reads."""
    rows = []
    for node in Samples(ctx, context).nodes():
        node.raw.set_property("place", list(place))
        rows.append(mgp.Record(place=node.raw.get_property("place")))
    return rows
