"""Make what all users share one user's own."""

from .. import text
from ..graph.adapter import Node
from ..layers import SHARED
from ..retrieval.indexer import Writer
from .export_import import Record, describe_edges, describe_node, import_rows
from .view import Everything


def adopt_shared(graph: Everything, user_id: str) -> list[dict[str, int]]:
    """Make all shared concepts and episodes, with their relations, those of *user_id*.

    They are merged with the user's own as an import merges them. Returns one row {nodes,
    relations}. Raises InvalidText.
    """
    user = text.user(user_id, "user_id")
    graph.read_all()
    shared = [
        node
        for node in graph.nodes()
        if graph.kind_of(node).may_be_shared and graph.scope(node) == SHARED
    ]
    nodes = [describe_node(graph, node) for node in shared]
    relations = [one for node in shared for one in describe_edges(graph, node)]
    scopes = {graph.kind_of(node).scope or "" for node in shared}
    own: Record = dict.fromkeys(scopes, user)
    import_rows(graph, [one | own for one in (*nodes, *relations)])
    writer = Writer(graph)
    for node in shared:
        _remove_node(graph, writer, node)
    writer.finish()
    return [{"nodes": len(nodes), "relations": len(relations)}]


def _remove_node(graph: Everything, writer: Writer, node: Node) -> None:
    writer.remove(graph.kind_of(node), node)
    graph.delete_node(node)
