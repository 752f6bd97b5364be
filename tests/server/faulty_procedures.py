"""A query module whose procedures change much and then fail."""

import mgp


def _named(ctx, name):
    return next(v for v in ctx.graph.vertices if v.properties.get("name") == name)


def _concept(ctx, name):
    vertex = ctx.graph.create_vertex()
    vertex.add_label("Concept")
    vertex.properties.set("name", name)
    vertex.properties.set("search_name", name)
    return vertex


@mgp.write_proc
def create(ctx: mgp.ProcCtx) -> mgp.Record():
    """Create nodes, an edge between them and edges to what is there."""
    plum, quince = _concept(ctx, "plum"), _concept(ctx, "quince")
    ctx.graph.create_edge(plum, quince, mgp.EdgeType("IS_A"))
    ctx.graph.create_edge(plum, _named(ctx, "apple"), mgp.EdgeType("IS_A"))
    edge = ctx.graph.create_edge(
        _named(ctx, "apple"), _named(ctx, "fruit"), mgp.EdgeType("PART_OF")
    )
    edge.properties.set("weight", 0.9)
    raise RuntimeError("failed")


@mgp.write_proc
def delete(ctx: mgp.ProcCtx) -> mgp.Record():
    """Delete an edge, and a node with all of its edges."""
    fruit = _named(ctx, "fruit")
    ctx.graph.delete_edge(next(iter(fruit.in_edges)))
    ctx.graph.detach_delete_vertex(_named(ctx, "apple"))
    raise RuntimeError("failed")


@mgp.write_proc
def change(ctx: mgp.ProcCtx) -> mgp.Record():
    """Change properties and labels of nodes and edges."""
    apple = _named(ctx, "apple")
    apple.properties.set("name", "pear")
    apple.properties.set("valence", None)
    apple.properties.set("tags", ["a", "b"])
    apple.add_label("Fruit")
    apple.remove_label("Concept")
    for edge in apple.out_edges:
        edge.properties.set("weight", 0.75)
    raise RuntimeError("failed")


@mgp.write_proc
def mix(ctx: mgp.ProcCtx) -> mgp.Record():
    """Delete what was created and changed in the same call, and create in place of it."""
    plum, apple, fruit = _concept(ctx, "plum"), _named(ctx, "apple"), _named(ctx, "fruit")
    edge = ctx.graph.create_edge(plum, apple, mgp.EdgeType("IS_A"))
    ctx.graph.delete_edge(edge)
    ctx.graph.create_edge(fruit, plum, mgp.EdgeType("EVOKES"))
    ctx.graph.detach_delete_vertex(plum)
    apple.properties.set("valence", 0.5)
    for edge in list(apple.out_edges):
        edge.properties.set("weight", 0.5)
        ctx.graph.delete_edge(edge)
    ctx.graph.create_edge(apple, fruit, mgp.EdgeType("IS_A"))
    ctx.graph.detach_delete_vertex(fruit)
    _concept(ctx, "fruit")
    raise RuntimeError("failed")


@mgp.write_proc
def interrupt(ctx: mgp.ProcCtx) -> mgp.Record():
    """Change something and be interrupted."""
    _named(ctx, "apple").properties.set("valence", 0.5)
    raise KeyboardInterrupt


@mgp.write_proc
def unstorable(ctx: mgp.ProcCtx) -> mgp.Record():
    """Change something, then set what no property can hold."""
    apple = _named(ctx, "apple")
    apple.properties.set("valence", 0.5)
    apple.properties.set("tags", {1, 2})
    return []


@mgp.write_proc
def same_name(ctx: mgp.ProcCtx) -> mgp.Record():
    """Give two nodes one unique name, which shows only at the end."""
    ctx.graph.detach_delete_vertex(_named(ctx, "fruit"))
    _concept(ctx, "plum")
    _concept(ctx, "apple")
    return []
