"""A query module with a procedure that does not end by itself."""

import mgp

# The calls that have written and are waiting.
waiting = []


@mgp.write_proc
def write_and_wait(ctx: mgp.ProcCtx) -> mgp.Record():
    """Create a node, then look whether to go on until the answer is no."""
    vertex = ctx.graph.create_vertex()
    vertex.add_label("Concept")
    vertex.properties.set("name", "half-way")
    waiting.append(vertex)
    try:
        while True:
            ctx.check_must_abort()
    finally:
        waiting.pop()
