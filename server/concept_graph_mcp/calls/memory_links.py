"""Build calls about links of memories: create, remove and follow them, and compute statistics."""

from collections.abc import Sequence

from conceptgraph_core import text
from conceptgraph_core.memories import procedures, schema
from conceptgraph_core.memories.rules import EXPIRED

from .call import Call, checked
from .lookups import Grouped, Lookup, Range, Referring, Union
from .memories import ids

# The most that a picture can show.
_NEIGHBOURHOOD = procedures.NEIGHBOURHOOD.without(
    "parent_id", "concepts", "decay_rate", "contradicted_by"
)


@checked
def link(
    source_id: str,
    target_id: str,
    type_: str = schema.DEFAULT_RELATION,
    strength: float | None = None,
    amount: float = schema.DEFAULT_AMOUNT,
) -> Call:
    """Return the call that links two memories or reinforces their link; strength 0 removes it."""
    for field, memory_id in (("source_id", source_id), ("target_id", target_id)):
        text.name(memory_id, field)
    arguments = (source_id, target_id, type_, strength, amount)
    return Call(procedures.LINK, arguments, ids(source_id, target_id))


@checked
def relink(source_id: str, target_id: str, type_: str = schema.DEFAULT_RELATION) -> Call:
    """Return the owner's call that restores a removed link."""
    return Call(procedures.RELINK, (source_id, target_id, type_), ids(source_id, target_id))


@checked
def connected(
    memory_id: str,
    direction: str = schema.BOTH,
    min_weight: float = schema.MIN_WEIGHT_CONNECTED,
    limit: int = schema.DEFAULT_CONNECTED,
) -> Call:
    return Call(procedures.CONNECTED, (memory_id, direction, min_weight, limit), ids(memory_id))


@checked
def explore(
    start_id: str,
    max_depth: int = schema.DEFAULT_DEPTH_EXPLORED,
    max_nodes: int = schema.DEFAULT_NODES_EXPLORED,
    min_weight: float = schema.MIN_WEIGHT_EXPLORED,
) -> Call:
    start = ids(start_id, field="start_node_id")
    return Call(procedures.EXPLORE, (start_id, max_depth, max_nodes, min_weight), start)


@checked
def traverse(
    scope: str,
    start_id: str,
    *,
    strategy: str = schema.BREADTH_FIRST,
    max_depth: int = schema.DEFAULT_DEPTH_TRAVERSED,
    max_nodes: int = schema.DEFAULT_NODES_TRAVERSED,
    direction: str = schema.BOTH,
    relation_types: Sequence[str] = (),
    types: Sequence[str] = (),
    tags: Sequence[str] = (),
    min_strength: float = 0.0,
    include_parent_links: bool = False,
    time_budget_ms: int | None = None,
) -> Call:
    arguments = (
        *(start_id, strategy, max_depth, max_nodes, direction, list(relation_types)),
        *(list(types), list(tags), min_strength, include_parent_links, time_budget_ms),
    )
    start: Lookup = ids(start_id, field="start_id")
    if include_parent_links:
        start = Union((start, Referring(schema.MEMORY, "parent_id", "id", (("user_id", scope),))))
    return Call(procedures.TRAVERSE, arguments, start)


@checked
def neighbourhood(
    memory_ids: Sequence[str], max_hop: int = schema.DEFAULT_HOPS, limit: int | None = None
) -> Call:
    """Return the call for a picture of the memories around *memory_ids*."""
    return Call(_NEIGHBOURHOOD, (list(memory_ids), max_hop, limit), ids(*memory_ids))


@checked
def stats(scope: str) -> Call:
    return Call(procedures.STATS, (), _counted(scope))


@checked
def analysis(scope: str, top: int = schema.DEFAULT_TOP) -> Call:
    return Call(procedures.ANALYSIS, (top,), _counted(scope))


def _counted(scope: str) -> Lookup:
    """Look up all memories of a scope in groups, and those that links leave."""
    # Ids are texts and not empty, and no text sorts after this one.
    every = Range((schema.MEMORY,), "id", "", "\U0010ffff", (("user_id", scope),))
    return Grouped(every, schema.COUNTED, "accessed_at", "deleted_at", (("state", EXPIRED),))
