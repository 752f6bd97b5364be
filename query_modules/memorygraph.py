"""CALL memorygraph.*: texts that an agent keeps, their links, and how they fade.

Declarations only; the rules are in conceptgraph_core. The last argument of every procedure is an
optional map, the context (see conceptgraph_core/context.py); its user_id says whose memories these
are. Times are unix milliseconds.
"""

import mgp

from conceptgraph_core.memories import nodes, schema
from conceptgraph_core.memories.node import Graph

# All that is told of one memory.
WHOLE = mgp.Record(
    memory_id=str,
    content=str,
    summary=mgp.Nullable[str],
    source=str,
    type=mgp.Nullable[str],
    tags=mgp.List[str],
    importance=float,
    confidence=float,
    access_count=int,
    created_at=int,
    accessed_at=int,
    state=str,
    decay_score=float,
    preserved=bool,
    parent_id=mgp.Nullable[str],
    concepts=mgp.List[str],
    metadata=mgp.Map,
)


@mgp.write_proc
def create(
    ctx: mgp.ProcCtx,
    content: str,
    source: mgp.Nullable[str] = schema.DEFAULT_SOURCE,
    summary: mgp.Nullable[str] = None,
    tags: mgp.List[str] = [],
    type: mgp.Nullable[str] = None,
    importance: mgp.Nullable[mgp.Number] = schema.DEFAULT_IMPORTANCE,
    confidence: mgp.Nullable[mgp.Number] = schema.DEFAULT_CONFIDENCE,
    concepts: mgp.List[str] = [],
    parent_id: mgp.Nullable[str] = None,
    metadata: mgp.Map = {},
    context: mgp.Map = {},
) -> mgp.Record(memory_id=str, state=str, decay_score=float, concepts=mgp.List[str]):
    """Keep a text, with what it is about.

    Example:
        CALL memorygraph.create("Daniele moved to Turin") YIELD memory_id, state;
    """
    made = nodes.create(
        Graph(ctx, context),
        content,
        source,
        summary,
        tags,
        type,
        importance,
        confidence,
        concepts,
        parent_id,
        metadata,
    )
    return [mgp.Record(**made)]


@mgp.write_proc
def get(ctx: mgp.ProcCtx, memory_id: str, context: mgp.Map = {}) -> WHOLE:
    """Return all of a memory, which counts as an access.

    Example:
        CALL memorygraph.get("6f1d…") YIELD content, state;
    """
    return [mgp.Record(**nodes.get(Graph(ctx, context), memory_id))]
