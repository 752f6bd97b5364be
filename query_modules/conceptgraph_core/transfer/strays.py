"""Find what no layer reads: nodes without a label, relations from outside, odd records of work."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..embeddings.schema import HOLD, HOLDS, PARTS
from ..graph import raw as raws
from ..graph.adapter import Node
from ..jobs.schema import COUNTERS, JOURNALS, KEPT, WORKER
from ..jobs.schema import LAYER as WORK
from ..retrieval.schema import LAYER as WORDS
from .odd_values import removing_edge
from .view import Everything

Row = dict[str, Any]

OUTSIDE: Final = ("relation out of its layer", "remove the relation")
UNLABELLED: Final = ("lost label", "SET the label, or remove the node")
WORKERS: Final = ("odd record of the worker", "remove the node")
HOLDERS: Final = ("odd lock of the embedding", "remove the node")
_OWN: Final = frozenset(
    one for layer in (WORDS, WORK, JOURNALS, KEPT, HOLDS) for one in layer.labels
)
_NUMBERS: Final = ("lease_until", "started_at", "finished_at", "duration_ms", *COUNTERS)
_OF_WORKERS: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("name", "holder", "last_error", "file"), str),
    **dict.fromkeys(_NUMBERS, int),
    "paused": bool,
    "counts": dict,
}


def find_strays(graph: Everything) -> Iterator[Row]:
    """Yield a row for each odd node of no layer, and for its relations into one."""
    keys: set[tuple[str, Any]] = set()
    for vertex in graph.all_vertices():
        raw = raws.raw_vertex(vertex)
        if graph.raw_node(raw) is not None:
            continue
        labels = raws.labels(raw)
        if _OWN.isdisjoint(labels):
            yield from _find_unlabelled(graph, raw, labels)
            yield from _entering(graph, raw)
        elif WORKER in labels or HOLD in labels:
            yield from _odd_record(raw, WORKER if WORKER in labels else HOLD, keys)


def name_outside(raw: Any) -> str:
    return f"node with id {raw.get_id()}"


def end_outside(graph: Everything, raw: Any) -> Node:
    return Node(raw, raw.get_id(), "", graph.context)


def _find_unlabelled(graph: Everything, raw: Any, labels: list[str]) -> Iterator[Row]:
    """Yield a row if a node without a label has all that the nodes of one kind have."""
    if labels:
        return
    kinds = [
        kind
        for layer in graph.layers
        for kind in layer.nodes
        if all(
            raw.get_property(name) is not None
            for name in {*kind.key, *(one.name for one in kind.expected)}
        )
    ]
    if not kinds:
        return
    kind = max(kinds, key=lambda one: len(one.expected))
    vectors = [
        one.vector
        for one in graph.layer_of(kind.label).vectors
        if one.label == kind.label and raw.get_property(one.vector) is not None
    ]
    # Memgraph 3.12 cannot replay a log in which a node with a vector gets the label of its index.
    gone = f"REMOVE {', '.join(f'n.{one}' for one in vectors)} " if vectors else ""
    statement = f"MATCH (n) WHERE id(n) = {raw.get_id()} {gone}SET n:{kind.label};"
    yield _row(UNLABELLED, name_outside(raw), statement)


def _entering(graph: Everything, raw: Any) -> Iterator[Row]:
    edges = raw.iter_out_edges()
    edge = edges.get()
    while edge is not None:
        graph.step()
        other = graph.raw_node(edge.to_vertex())
        kinds = () if other is None else graph.layer_of(other.label).edges
        for kind in kinds:
            if other is not None and kind.type == edge.get_type_name():
                subject = f"{name_outside(raw)} {kind.name} {graph.show_place(other)}"
                ends = end_outside(graph, raw), other
                yield _row(OUTSIDE, subject, removing_edge(edge, ends))
        edge = edges.next()


def _odd_record(raw: Any, label: str, keys: set[tuple[str, Any]]) -> Iterator[Row]:
    """Yield a row if the node cannot be read, or has the key of one before."""
    get = raw.get_property
    key = get("name" if label == WORKER else "part")
    if label == WORKER:
        is_odd = type(key) is not str or any(
            get(name) is not None and type(get(name)) is not kind
            for name, kind in _OF_WORKERS.items()
        )
    else:
        is_odd = type(key) is not int or not 0 <= key < PARTS
    if is_odd or (label, key) in keys:
        statement = f"MATCH (n:{label}) WHERE id(n) = {raw.get_id()} DETACH DELETE n;"
        yield _row(WORKERS if label == WORKER else HOLDERS, name_outside(raw), statement)
    elif not is_odd:
        keys.add((label, key))


def _row(problem: tuple[str, str], subject: str, statement: str) -> Row:
    name, advice = problem
    return {"problem": name, "subject": subject, "advice": advice, "statement": statement}
