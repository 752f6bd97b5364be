"""A query module that shows how its host treats procedures. It is only deployed for tests.

Memgraph loads it from a query-modules directory, the embedded host by name; `test_host.py` then
asks both the same questions.
"""

import datetime

import mgp

# Graph objects that a call leaves behind, to be looked at by a later one.
_KEPT = {}

# Values that no caller can pass, by a name that one can.
_VALUES = {
    "bytes": b"apple",
    "set": {1},
    "2**63": 2**63,
    "2**70": 2**70,
    "-2**63": -(2**63),
    "object": object(),
    "tuple": (1, "two", 3.0),
    "list": [1, [2, [3]]],
    "map": {"a": {"b": [1, None]}},
    "keys": {1: "one"},
    "none": None,
    "nan": float("nan"),
    "inf": float("inf"),
    "bool": True,
    "date": datetime.date(2025, 6, 15),
    "int": 1,
    "float": 1.0,
    "text": "日本 🍎",
    "list of none": [None],
    "list of bytes": [b"apple"],
}


def _outcome(action):
    """Return what *action* returns, or the name of the exception that it raises."""
    try:
        return repr(action())
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__module__}.{type(error).__name__}: {error}"


# What a person makes by hand, without any of the rules.


@mgp.write_proc
def make_node(ctx: mgp.ProcCtx, labels: mgp.List[str], properties: mgp.Map) -> mgp.Record(
    node=mgp.Vertex, id=int
):
    vertex = ctx.graph.create_vertex()
    for label in labels:
        vertex.add_label(label)
    for key, value in properties.items():
        vertex.properties.set(key, value)
    return mgp.Record(node=vertex, id=vertex.id)


@mgp.write_proc
def make_edge(
    ctx: mgp.ProcCtx, source: int, target: int, type: str, properties: mgp.Map
) -> mgp.Record(edge=mgp.Edge):
    ends = ctx.graph.get_vertex_by_id(source), ctx.graph.get_vertex_by_id(target)
    edge = ctx.graph.create_edge(*ends, mgp.EdgeType(type))
    for key, value in properties.items():
        edge.properties.set(key, value)
    return mgp.Record(edge=edge)


@mgp.read_proc
def find(ctx: mgp.ProcCtx, name: str) -> mgp.Record(node=mgp.Vertex, id=int):
    return [
        mgp.Record(node=vertex, id=vertex.id)
        for vertex in ctx.graph.vertices
        if vertex.properties.get("name") == name
    ]


@mgp.write_proc
def make_nodes(ctx: mgp.ProcCtx, label: str, rows: mgp.List[mgp.Map]) -> mgp.Record(made=int):
    for row in rows:
        vertex = ctx.graph.create_vertex()
        vertex.add_label(label)
        for key, value in row.items():
            vertex.properties.set(key, value)
    return mgp.Record(made=len(rows))


@mgp.write_proc
def set_property(
    ctx: mgp.ProcCtx, node: int, name: str, value: mgp.Nullable[mgp.Any]
) -> mgp.Record(id=int):
    ctx.graph.get_vertex_by_id(node).properties.set(name, value)
    return mgp.Record(id=node)


@mgp.write_proc
def delete_node(ctx: mgp.ProcCtx, name: str) -> mgp.Record(deleted=int):
    found = [vertex for vertex in ctx.graph.vertices if vertex.properties.get("name") == name]
    for vertex in found:
        ctx.graph.detach_delete_vertex(vertex)
    return mgp.Record(deleted=len(found))


@mgp.read_proc
def everything(ctx: mgp.ProcCtx) -> mgp.Record(nodes=mgp.List[mgp.Map], edges=mgp.List[mgp.Map]):
    vertices = list(ctx.graph.vertices)
    return mgp.Record(
        nodes=[
            {"id": one.id, "labels": [label.name for label in one.labels]} | dict(one.properties)
            for one in vertices
        ],
        edges=[
            {"type": edge.type.name, "from": edge.from_vertex.id, "to": edge.to_vertex.id}
            | dict(edge.properties)
            for one in vertices
            for edge in one.out_edges
        ],
    )


# Arguments.


@mgp.read_proc
def of_label(ctx: mgp.ProcCtx, label: str) -> mgp.Record(node=mgp.Vertex):
    """Return the nodes with that label."""
    return [
        mgp.Record(node=vertex)
        for vertex in ctx.graph.vertices
        if label in [one.name for one in vertex.labels]
    ]


@mgp.read_proc
def nothing() -> mgp.Record(got=str):
    return mgp.Record(got="")


@mgp.read_proc
def any_value(value: mgp.Any) -> mgp.Record(got=str):
    return mgp.Record(got=repr(value))


@mgp.read_proc
def any_or_null(value: mgp.Nullable[mgp.Any]) -> mgp.Record(got=str):
    return mgp.Record(got=repr(value))


@mgp.read_proc
def list_value(xs: mgp.List[mgp.Any]) -> mgp.Record(got=str):
    return mgp.Record(got=repr(xs))


@mgp.read_proc
def nullable_list_value(xs: mgp.List[mgp.Nullable[mgp.Any]]) -> mgp.Record(got=str):
    return mgp.Record(got=repr(xs))


@mgp.read_proc
def texts(xs: mgp.List[str]) -> mgp.Record(got=str):
    return mgp.Record(got=repr(xs))


@mgp.read_proc
def map_value(value: mgp.Map) -> mgp.Record(got=str):
    return mgp.Record(got=repr(value))


@mgp.read_proc
def float_value(x: float) -> mgp.Record(got=str):
    return mgp.Record(got=repr(x))


@mgp.read_proc
def nullable_float_value(x: mgp.Nullable[float]) -> mgp.Record(got=str):
    return mgp.Record(got=repr(x))


@mgp.read_proc
def int_value(x: int) -> mgp.Record(got=str):
    return mgp.Record(got=repr(x))


@mgp.read_proc
def number_value(x: mgp.Number) -> mgp.Record(got=str):
    return mgp.Record(got=repr(x))


@mgp.read_proc
def bool_value(x: bool) -> mgp.Record(got=str):
    return mgp.Record(got=repr(x))


@mgp.read_proc
def text_value(x: str) -> mgp.Record(got=str):
    return mgp.Record(got=repr(x))


@mgp.read_proc
def node_value(x: mgp.Nullable[mgp.Vertex]) -> mgp.Record(got=str):
    return mgp.Record(got=type(x).__name__)


@mgp.read_proc
def two_to_four(a: int, b: int, c: int = 3, d: int = 4) -> mgp.Record(got=str):
    return mgp.Record(got=repr((a, b, c, d)))


@mgp.read_proc
def defaults(
    none: mgp.Nullable[int] = None,
    seven: int = 7,
    mapping: mgp.Map = {},  # noqa: B006
    xs: mgp.List[mgp.Any] = [],  # noqa: B006
) -> mgp.Record(got=str):
    got = repr((none, seven, mapping, xs))
    mapping["changed"] = True
    return mgp.Record(got=got)


@mgp.read_proc
def nodes_inside(ctx: mgp.ProcCtx, xs: mgp.List[mgp.Any], value: mgp.Map) -> mgp.Record(got=str):
    found = [*xs, *value.get("found", ())]
    return mgp.Record(got=" ".join(type(item).__name__ for item in found))


@mgp.read_proc
def same_nodes(ctx: mgp.ProcCtx, xs: mgp.List[mgp.Vertex]) -> mgp.Record(got=str):
    scanned = {vertex.id: vertex for vertex in ctx.graph.vertices}
    same = all(scanned[vertex.id] == vertex for vertex in xs)
    hashes = all(hash(scanned[vertex.id]) == hash(vertex) for vertex in xs)
    return mgp.Record(got=repr((len(xs), same, hashes)))


# Results.


@mgp.read_proc
def float_result(value: mgp.Any) -> mgp.Record(score=float):
    return mgp.Record(score=value)


@mgp.read_proc
def nullable_float_result(value: mgp.Nullable[mgp.Any]) -> mgp.Record(score=mgp.Nullable[float]):
    return mgp.Record(score=value)


@mgp.read_proc
def int_result(value: mgp.Nullable[mgp.Any]) -> mgp.Record(count=int):
    return mgp.Record(count=value)


@mgp.read_proc
def number_result(value: mgp.Any) -> mgp.Record(number=mgp.Number):
    return mgp.Record(number=value)


@mgp.read_proc
def list_result(value: mgp.Any) -> mgp.Record(xs=mgp.List[int]):
    return mgp.Record(xs=value)


@mgp.read_proc
def map_result(value: mgp.Any) -> mgp.Record(value=mgp.Map):
    return mgp.Record(value=value)


@mgp.read_proc
def special_result(kind: str) -> mgp.Record(value=mgp.Nullable[mgp.Any]):
    return mgp.Record(value=_VALUES[kind])


@mgp.read_proc
def missing_result() -> mgp.Record(there=int, missing=int):
    return mgp.Record(there=1)


@mgp.read_proc
def unknown_result() -> mgp.Record(there=int):
    return mgp.Record(there=1, unknown=2)


@mgp.read_proc
def generator_result() -> mgp.Record(there=int):
    return (mgp.Record(there=number) for number in range(3))


@mgp.read_proc
def none_result() -> mgp.Record(there=int):
    return None


@mgp.read_proc
def single_result() -> mgp.Record(there=int):
    return mgp.Record(there=1)


@mgp.read_proc
def dict_result() -> mgp.Record(there=int):
    return [{"there": 1}]


# Reading and writing the graph. Each returns one line a step, so that one call shows a sequence.


@mgp.write_proc
def property_of(ctx: mgp.ProcCtx, kind: str) -> mgp.Record(got=str):
    vertex = ctx.graph.create_vertex()
    _set = _outcome(lambda: vertex.properties.set("value", _VALUES[kind]))
    return mgp.Record(got=_set if _set != "None" else repr(vertex.properties.get("value")))


@mgp.write_proc
def property_given(ctx: mgp.ProcCtx, value: mgp.Nullable[mgp.Any]) -> mgp.Record(got=str):
    vertex = ctx.graph.create_vertex()
    vertex.properties.set("value", value)
    got = vertex.properties.get("value"), "value" in [key for key, _ in vertex.properties.items()]
    return mgp.Record(got=repr(got))


@mgp.write_proc
def property_removed(ctx: mgp.ProcCtx) -> mgp.Record(got=str):
    vertex = ctx.graph.create_vertex()
    vertex.properties.set("value", 1)
    vertex.properties.set("value", None)
    return mgp.Record(got=repr(sorted(vertex.properties.keys())))


@mgp.read_proc
def read_writes(ctx: mgp.ProcCtx, name: str) -> mgp.Record(got=str):
    (vertex,) = [v for v in ctx.graph.vertices if v.properties.get("name") == name]
    (edge,) = vertex.out_edges
    attempts = (
        lambda: vertex.properties.set("name", "other"),
        lambda: vertex.add_label("Other"),
        lambda: vertex.remove_label("Thing"),
        lambda: edge.properties.set("weight", 1.0),
        ctx.graph.create_vertex,
        lambda: ctx.graph.create_edge(vertex, vertex, mgp.EdgeType("LIKES")),
        lambda: ctx.graph.delete_edge(edge),
        lambda: ctx.graph.detach_delete_vertex(vertex),
        lambda: ctx.graph.delete_vertex(vertex),
    )
    return [mgp.Record(got=_outcome(attempt).partition(":")[0]) for attempt in attempts]


@mgp.write_proc
def write_and_fail(ctx: mgp.ProcCtx, name: str, message: str) -> mgp.Record(got=str):
    vertex = ctx.graph.create_vertex()
    vertex.add_label("Thing")
    vertex.properties.set("name", name)
    for other in ctx.graph.vertices:
        other.properties.set("name", "changed")
        for edge in list(other.out_edges):
            ctx.graph.delete_edge(edge)
    raise ValueError(message)


@mgp.write_proc
def write_and_answer_wrongly(ctx: mgp.ProcCtx, name: str) -> mgp.Record(score=float):
    vertex = ctx.graph.create_vertex()
    vertex.properties.set("name", name)
    return mgp.Record(score=0)


@mgp.read_proc
def vertex_by_id(ctx: mgp.ProcCtx, vertex_id: int) -> mgp.Record(got=str):
    return mgp.Record(got=_outcome(lambda: ctx.graph.get_vertex_by_id(vertex_id)))


@mgp.write_proc
def deletes(ctx: mgp.ProcCtx) -> mgp.Record(got=str):
    first, second = ctx.graph.create_vertex(), ctx.graph.create_vertex()
    first.properties.set("name", "first")
    edge = ctx.graph.create_edge(first, second, mgp.EdgeType("LIKES"))
    edge.properties.set("weight", 0.5)
    vertex_id = first.id
    steps = (
        lambda: ctx.graph.delete_vertex(first),
        lambda: len(list(first.out_edges)),
        lambda: ctx.graph.delete_edge(edge),
        lambda: edge.properties.get("weight"),
        lambda: (len(list(first.out_edges)), len(list(second.in_edges))),
        lambda: ctx.graph.create_edge(first, second, mgp.EdgeType("LIKES")).type.name,
        lambda: ctx.graph.detach_delete_vertex(first),
        lambda: first.properties.get("name"),
        lambda: first.properties.set("name", "again"),
        lambda: list(second.in_edges),
        lambda: ctx.graph.get_vertex_by_id(vertex_id),
        lambda: ctx.graph.create_edge(second, first, mgp.EdgeType("LIKES")),
        lambda: ctx.graph.delete_vertex(second),
        lambda: len(list(ctx.graph.vertices)),
    )
    return [mgp.Record(got=_outcome(step)) for step in steps]


@mgp.write_proc
def seen_within(ctx: mgp.ProcCtx) -> mgp.Record(got=str):
    before = len(list(ctx.graph.vertices))
    first, second = ctx.graph.create_vertex(), ctx.graph.create_vertex()
    first.add_label("Thing")
    edge = ctx.graph.create_edge(first, second, mgp.EdgeType("LIKES"))
    steps = (
        lambda: len(list(ctx.graph.vertices)) - before,
        lambda: [label.name for label in first.labels],
        lambda: [other.type.name for other in first.out_edges],
        lambda: [other.from_vertex == first for other in second.in_edges],
        lambda: (edge.from_vertex == first, edge.to_vertex == second),
        lambda: ctx.graph.get_vertex_by_id(first.id) == first,
        lambda: (len(first.labels), first.remove_label("Thing"), len(first.labels)),
        lambda: (first.add_label("Thing"), first.add_label("Thing"), len(first.labels)),
        lambda: first.properties.get("name", "default"),
        lambda: first.properties["name"],
    )
    return [mgp.Record(got=_outcome(step)) for step in steps]


@mgp.write_proc
def loop(ctx: mgp.ProcCtx) -> mgp.Record(got=str):
    vertex = ctx.graph.create_vertex()
    ctx.graph.create_edge(vertex, vertex, mgp.EdgeType("LIKES"))
    return mgp.Record(got=repr((len(list(vertex.out_edges)), len(list(vertex.in_edges)))))


@mgp.read_proc
def keep(ctx: mgp.ProcCtx, name: str) -> mgp.Record(got=str):
    (vertex,) = [v for v in ctx.graph.vertices if v.properties.get("name") == name]
    (edge,) = vertex.out_edges
    _KEPT.update(graph=ctx.graph, vertex=vertex, edge=edge, properties=vertex.properties, ctx=ctx)
    return mgp.Record(got=repr((vertex.is_valid(), edge.is_valid(), ctx.graph.is_valid())))


@mgp.read_proc
def use_kept() -> mgp.Record(got=str):
    graph, vertex, edge = _KEPT["graph"], _KEPT["vertex"], _KEPT["edge"]
    steps = (
        lambda: (vertex.is_valid(), edge.is_valid(), graph.is_valid()),
        lambda: vertex.id,
        lambda: vertex.labels,
        lambda: vertex.properties.get("name"),
        lambda: _KEPT["properties"].get("name"),
        lambda: list(vertex.out_edges),
        lambda: edge.type,
        lambda: edge.from_vertex,
        lambda: edge.properties.get("weight"),
        lambda: list(graph.vertices),
        lambda: graph.get_vertex_by_id(0),
        lambda: vertex.properties.set("name", "other"),
        lambda: _KEPT["ctx"].graph,
    )
    return [mgp.Record(got=_outcome(step)) for step in steps]


@mgp.function
def doubled(x: mgp.Number, times: int = 2):
    return x * times


@mgp.write_proc
def use_public_api(ctx: mgp.ProcCtx, only: bool) -> mgp.Record(got=str):
    """Let the core work on the public interface of mgp only, or as it otherwise does."""
    import sys

    raws = sys.modules["conceptgraph_core.graph.raw"]
    public = {"raw_vertex": raws._PublicVertex, "raw_graph": raws._PublicGraph}
    for name, stand_in in public.items():
        if only:
            _KEPT.setdefault(name, getattr(raws, name))
            setattr(raws, name, stand_in)
        elif name in _KEPT:
            setattr(raws, name, _KEPT.pop(name))
    return mgp.Record(got=raws.raw_vertex.__name__)


@mgp.write_proc
def bound(ctx: mgp.ProcCtx, edges: int, nodes: int) -> mgp.Record(got=mgp.List[int]):
    """Let a recall read so many edges, and a call without `found` so many nodes; return both."""
    import sys

    schema = sys.modules["conceptgraph_core.concepts.schema"]
    graph = sys.modules["conceptgraph_core.graph.adapter"].Graph
    before = [schema.MAX_EDGES_READ, graph.most_scanned]
    schema.MAX_EDGES_READ, graph.most_scanned = edges, nodes
    return mgp.Record(got=before)


@mgp.write_proc
def bound_mentions(ctx: mgp.ProcCtx, most: int, few: int) -> mgp.Record(got=mgp.List[int]):
    """Let a question read so many mentions, and of a further term so few; return both as before."""
    import sys

    schema = sys.modules["conceptgraph_core.retrieval.schema"]
    before = [schema.MOST_MENTIONS, schema.FEW_MENTIONS]
    schema.MOST_MENTIONS, schema.FEW_MENTIONS = most, few
    return mgp.Record(got=before)


@mgp.read_proc
def led_to(ctx: mgp.ProcCtx, user: str, asked: str) -> mgp.Record(got=mgp.Any):
    """Return the terms that a question of *user* leads to by entities and shared concepts."""
    from conceptgraph_core.memories.search import pull_led_to
    from conceptgraph_core.memories.view import Graph

    [rows] = pull_led_to(Graph(ctx, {"user_id": user}), asked)
    return mgp.Record(got=[[row["term"], row["share"], row["why"]] for row in rows])
