"""Giving nodes what they are found by, where a hand or an older version left it out."""

from ..associate.writing import Writer
from ..concepts import names
from ..concepts.node import Graph
from ..registry import indexed_kinds
from .view import Everything


def index(graph: Everything, again: bool) -> dict[str, int]:
    """Give concepts the forms of their names, and texts their words, where these are missing.

    Goes through the nodes of the context's `found`, or through the whole graph. With *again* what
    texts have is compared with what they say, which a change of the languages needs. What the index
    has of texts that are gone is removed. Returns indexed, how many nodes it was. Raises
    LibraryMissing.
    """
    indexed = names.index(graph.another(Graph))["indexed"]
    writer = Writer(graph)
    for node in graph.nodes():
        kind = graph.kind_of(node)
        if kind.indexed is not None:
            writer.require_libraries()
            indexed += writer.put(kind, node, again, afresh=again)
    indexed += writer.remove_strays(indexed_kinds())
    writer.finish()
    return {"indexed": indexed}
