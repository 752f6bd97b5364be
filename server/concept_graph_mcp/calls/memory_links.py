"""Build calls about links of memories: create, remove and follow them, and compute statistics."""

from collections.abc import Sequence
from typing import Annotated, Literal

from conceptgraph_core import text
from conceptgraph_core.arguments import Between, MemoryId, Unit
from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.memories import lookups, procedures, schema
from conceptgraph_core.memories.lookups import ids

from .verb import verb, verb_of_user

# The most that a picture can show.


LinkType = Annotated[
    str,
    "references, contradicts, supports, extends, causes, caused_by, precedes, follows, part_of,"
    " contains or relates_to, read from source to target.",
]
Direction = Annotated[
    Literal["both", "outgoing", "incoming"], "The direction of the links to follow."
]
MostNodes = Annotated[int, Between(1, schema.MAX_NODES, clamps=True)]


@verb(procedures.LINK)
def link(
    source_id: MemoryId,
    target_id: MemoryId,
    type: LinkType = schema.DEFAULT_RELATION,
    strength: Annotated[
        Unit | None, "How firm it is from now on; 0 takes it away. A new one has 0.5."
    ] = None,
    amount: Annotated[
        Unit, "Added to an existing link if no strength is given."
    ] = schema.DEFAULT_AMOUNT,
) -> list[Lookup]:
    """Link two memories or reinforce their link; strength 0 removes it."""
    ends = (source_id, "source_id"), (target_id, "target_id")
    return [ids(*(text.name(one, field) for one, field in ends))]


@verb(procedures.RELINK)
def relink(
    source_id: MemoryId, target_id: MemoryId, type: LinkType = schema.DEFAULT_RELATION
) -> None:
    """Restore a removed link; only the owner can."""


@verb(procedures.CONNECTED)
def connected(
    memory_id: MemoryId,
    direction: Direction = "both",
    min_weight: Annotated[
        Unit, "Only links at least as firm as this now."
    ] = schema.MIN_WEIGHT_CONNECTED,
    limit: Annotated[MostNodes, "At most this many."] = schema.DEFAULT_CONNECTED,
) -> list[Lookup]:
    """Return the memories that are linked to one."""
    return [ids(memory_id)]


@verb(procedures.EXPLORE)
def explore(
    start_id: MemoryId,
    max_depth: Annotated[
        int, Between(0, schema.MAX_DEPTH_EXPLORED), "How many links away."
    ] = schema.DEFAULT_DEPTH_EXPLORED,
    max_nodes: Annotated[
        MostNodes, "At most this many, the start included."
    ] = schema.DEFAULT_NODES_EXPLORED,
    min_weight: Annotated[
        Unit, "Only along links at least as firm as this now."
    ] = schema.MIN_WEIGHT_EXPLORED,
) -> list[Lookup]:
    """Return what lies around a memory, nearest first."""
    return [ids(start_id, field="start_node_id")]


@verb_of_user(procedures.TRAVERSE)
def traverse(
    scope: str,
    start_id: MemoryId,
    strategy: Annotated[
        Literal["bfs", "dfs"], "Nearest first, or each link to its end before the next."
    ] = "bfs",
    max_depth: Annotated[
        int, Between(0, schema.MAX_DEPTH_TRAVERSED), "How many links away."
    ] = schema.DEFAULT_DEPTH_TRAVERSED,
    max_nodes: Annotated[
        MostNodes, "At most this many, the start included."
    ] = schema.DEFAULT_NODES_TRAVERSED,
    direction: Direction = "both",
    relation_types: Annotated[Sequence[str], "Only along links of these types; none: of any."] = (),
    types: Annotated[Sequence[str], "Only to and through memories of one of these types."] = (),
    tags: Annotated[Sequence[str], "Only to and through memories with one of these tags."] = (),
    min_strength: Annotated[Unit, "Only along links at least as firm as this now."] = 0.0,
    include_parent_links: Annotated[bool, "Also from parts to their parents, and back."] = False,
    time_budget_ms: Annotated[
        Annotated[int, Between(0, schema.MAX_BUDGET_MS, clamps=True)] | None,
        "Return what was found after this long.",
    ] = None,
) -> list[Lookup]:
    """Walk from a memory along its links."""
    start = ids(start_id, field="start_id")
    return [start, lookups.parents(scope)] if include_parent_links else [start]


@verb_of_user(procedures.STATS)
def stats(scope: str) -> list[Lookup]:
    """Count memories and links."""
    return [lookups.counted(scope)]


@verb_of_user(procedures.ANALYSIS)
def analysis(
    scope: str,
    top: Annotated[
        int, Between(1, schema.MAX_TOP, clamps=True), "How many of the most linked memories."
    ] = schema.DEFAULT_TOP,
) -> None:
    """Return how links are distributed, and which memories have most of them."""
