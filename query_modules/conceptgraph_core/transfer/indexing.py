"""Giving nodes what they are found by, where a hand or an older version left it out."""

import math

from .. import limits, text
from ..registry import indexed_kinds
from ..retrieval.indexer import Writer
from .view import Everything


def index(graph: Everything, again: bool = False, limit: int | None = None) -> dict[str, int]:
    """Give nodes what follows from their properties, and texts their words, where it is missing.

    Goes through the nodes of the context's `found`, or through the whole graph. With *again* what
    texts have is compared with what they say, which a change of the languages needs. What the index
    has of texts that are gone is removed. With *limit* it ends after so many nodes, for a
    transaction that is not too large. Returns indexed, how many nodes it was. Raises InvalidNumber,
    LibraryMissing.
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
