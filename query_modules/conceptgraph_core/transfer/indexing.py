"""Index nodes that Cypher written by hand, or an older version, left without index entries."""

import math

from .. import limits, text
from ..registry import indexed_kinds
from ..retrieval.indexer import Writer
from .view import Everything


def index(graph: Everything, again: bool = False, limit: int | None = None) -> dict[str, int]:
    """Add the derived properties and the index entries that nodes lack.

    It covers the nodes of the context's `found`, or the whole graph. *again* compares all existing
    entries with their texts, as a change of the languages needs. Entries of removed texts are
    deleted. *limit* ends it after so many nodes, to keep transactions small. Returns indexed, the
    number of nodes. Raises InvalidNumber, LibraryMissing.
    """
    most = math.inf if limit is None else text.integer(limit, "limit", 1, limits.MAX_INTEGER)
    indexed = 0
    writer = Writer(graph)
    for node in graph.nodes():
        if indexed >= most:
            break
        kind = graph.kind_of(node)
        lacking = graph.lacking(node)
        if lacking:
            graph.update(node, **lacking)
        changed = bool(lacking)
        if kind.indexed is not None:
            writer.require_libraries()
            changed |= writer.put(kind, node, again, afresh=again)
        indexed += changed
    indexed += writer.remove_strays(indexed_kinds(), most - indexed)
    writer.finish()
    return {"indexed": indexed}
