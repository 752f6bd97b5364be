"""Write the Cypher of an export."""

from collections.abc import Iterator, Sequence
from typing import Any

from conceptgraph_core.cypher.translating import write_lookup
from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.registry import MODEL, Model

from ...calls import transfer

Statement = tuple[str, dict[str, Any]]


def select_exported(model: Model = MODEL, only: Sequence[Lookup] = ()) -> Iterator[Statement]:
    """Return the statements for the `ids` of the nodes of each label in an export.

    With *only*, they are for those that each look-up finds.
    """
    for lookup in only:
        text, parameters = write_lookup(lookup)
        yield f"{text}RETURN [one IN found | id(one)] AS ids", parameters
    if only:
        return
    for kind in (kind for layer in model.layers for kind in layer.nodes if kind.exported):
        yield f"MATCH (n:{kind.label}) RETURN collect(id(n)) AS ids", {}


def export(
    labels: Sequence[Sequence[int]], batch: int, model: Model = MODEL
) -> Iterator[Statement]:
    """Return the statements that stream all nodes, then all relations, *batch* nodes each.

    *labels* has the ids of each label. Between two statements the database serves other callers; a
    call of a procedure for each node would take twice the time.
    """
    procedure = transfer.exports(model).name
    text = f"CALL {procedure}($part, {{found: $ids}}) YIELD record RETURN record"
    for part in ("nodes", "relations"):
        # In the order of creation, so that unchanged graphs have identical exports.
        for ids in map(sorted, labels):
            for start in range(0, len(ids), batch):
                yield text, {"part": part, "ids": ids[start : start + batch]}
