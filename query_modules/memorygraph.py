"""CALL memorygraph.*: texts that an agent keeps, their links, and how they fade.

Declarations only; the rules are in conceptgraph_core. The last argument of every procedure is an
optional map, the context (see conceptgraph_core/context.py); its user_id says whose memories these
are. Times are unix milliseconds.
"""

import mgp

from conceptgraph_core import budgets
from conceptgraph_core.graph.raw import records
from conceptgraph_core.jobs import worker
from conceptgraph_core.jobs.schema import BATCH
from conceptgraph_core.jobs.worker import Work
from conceptgraph_core.memories import (
    admin,
    crud,
    ingesting,
    lifecycle,
    links,
    schema,
    statistics,
    traversal,
)
from conceptgraph_core.memories import (
    context as contexts,
)
from conceptgraph_core.memories import (
    neighbourhood as neighbourhoods,
)
from conceptgraph_core.memories import (
    search as searching,
)
from conceptgraph_core.memories.view import Expired, Gone, Graph, Kept

# All that is told of one memory.
ALL = {
    "memory_id": str,
    "content": str,
    "summary": mgp.Nullable[str],
    "source": str,
    "speaker": mgp.Nullable[str],
    "type": mgp.Nullable[str],
    "tags": mgp.List[str],
    "importance": float,
    "confidence": float,
    "access_count": int,
    "created_at": int,
    "accessed_at": int,
    "state": str,
    "decay_score": float,
    "preserved": bool,
    "parent_id": mgp.Nullable[str],
    "concepts": mgp.List[str],
    "metadata": mgp.Map,
    "decay_rate": mgp.Nullable[float],
    "contradicted_by": mgp.Nullable[str],
}
WHOLE = mgp.Record(**ALL)

# What a list tells of each memory.
BRIEF = {
    "memory_id": str,
    "text": str,
    "source": str,
    "speaker": mgp.Nullable[str],
    "type": mgp.Nullable[str],
    "tags": mgp.List[str],
    "state": str,
    "created_at": int,
}
# How many others say the same, and the id of a later one that contradicts it.
STANDING = {"also": int, "contradicted_by": mgp.Nullable[str]}
STATUS = mgp.Record(
    state=str,
    decay_score=float,
    last_decay_update=int,
    next_state=mgp.Nullable[str],
    next_state_at=mgp.Nullable[int],
    preserved=bool,
    preserved_until=mgp.Nullable[int],
)
CONTEXT = mgp.Record(
    text=str, memory_ids=mgp.List[str], tokens=int, entries=mgp.List[mgp.Map], left_out=int
)
WORKER = {
    "paused": bool,
    "holder": mgp.Nullable[str],
    "lease_until": mgp.Nullable[int],
    "started_at": mgp.Nullable[int],
    "finished_at": mgp.Nullable[int],
    "duration_ms": mgp.Nullable[int],
    "last_error": mgp.Nullable[str],
    "runs": int,
    "processed": int,
    "transitioned": int,
    "embedded": int,
    "purged": int,
    "errors": int,
    "jobs": mgp.List[mgp.Map],
}


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
    decay_rate: mgp.Nullable[mgp.Number] = None,
    vector: mgp.List[mgp.Number] = [],
    model: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> mgp.Record(
    memory_id=str,
    state=str,
    decay_score=float,
    concepts=mgp.List[str],
    existing=bool,
    similar=mgp.List[mgp.Map],
):
    """Keep a text once, with what it is about; returns what is similar.

    Example:
        CALL memorygraph.create("Daniele moved to Turin") YIELD memory_id, state;
    """
    made = crud.create(
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
        decay_rate,
        vector,
        model,
    )
    return [mgp.Record(**made)]


@mgp.write_proc
def get(ctx: mgp.ProcCtx, memory_id: str, context: mgp.Map = {}) -> WHOLE:
    """Return all of a memory, which counts as an access.

    Example:
        CALL memorygraph.get("tea") YIELD content, state;
    """
    return [mgp.Record(**crud.get(Graph(ctx, context), memory_id))]


@mgp.read_proc
def peek(ctx: mgp.ProcCtx, memory_id: str, context: mgp.Map = {}) -> WHOLE:
    """Return all of a memory, which counts as no access.

    Example:
        CALL memorygraph.peek("tea") YIELD content, state;
    """
    return [mgp.Record(**crud.get(Graph(ctx, context), memory_id))]


@mgp.write_proc
def update(
    ctx: mgp.ProcCtx,
    memory_id: str,
    content: mgp.Nullable[str] = None,
    summary: mgp.Nullable[str] = None,
    tags: mgp.Nullable[mgp.List[str]] = None,
    type: mgp.Nullable[str] = None,
    importance: mgp.Nullable[mgp.Number] = None,
    confidence: mgp.Nullable[mgp.Number] = None,
    metadata: mgp.Nullable[mgp.Map] = None,
    concepts: mgp.Nullable[mgp.List[str]] = None,
    source: mgp.Nullable[str] = None,
    parent_id: mgp.Nullable[str] = None,
    decay_rate: mgp.Nullable[mgp.Number] = None,
    context: mgp.Map = {},
) -> WHOLE:
    """Change what is given of a memory, which is no access; null: stays, "": is taken away.

    Example:
        CALL memorygraph.update("tea", null, "Tea, green", ["drinks"]) YIELD summary, tags;
    """
    graph = Graph(ctx, context)
    changed = crud.update(
        graph,
        memory_id,
        content,
        summary,
        tags,
        type,
        importance,
        confidence,
        metadata,
        concepts,
        source,
        parent_id,
        decay_rate,
    )
    return [mgp.Record(**changed)]


@mgp.write_proc
def forget(
    ctx: mgp.ProcCtx,
    memory_id: str,
    reason: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> mgp.Record(memory_id=str, deleted_at=int):
    """Take a memory out of sight; `restore` brings it back.

    Example:
        CALL memorygraph.forget("tea", "It was coffee") YIELD deleted_at;
    """
    return [mgp.Record(**crud.forget(Graph(ctx, context), memory_id, reason))]


@mgp.read_proc
def recent(
    ctx: mgp.ProcCtx,
    limit: mgp.Nullable[int] = schema.RECENT,
    source_filter: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> mgp.Record(**BRIEF, accessed_at=int, total=int, **STANDING):
    """Return the memories created or accessed last, the latest first; no access itself.

    Example:
        CALL memorygraph.recent(5) YIELD text, state;
    """
    rows = crud.recent(Graph(ctx, context), limit, source_filter)
    return [mgp.Record(**row) for row in rows]


@mgp.read_proc
def search(
    ctx: mgp.ProcCtx,
    query: mgp.Nullable[str] = None,
    limit: mgp.Nullable[int] = schema.FOUND,
    source_filter: mgp.Nullable[str] = None,
    types: mgp.List[str] = [],
    tags: mgp.List[str] = [],
    states: mgp.List[str] = [],
    vector: mgp.List[mgp.Number] = [],
    model: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> mgp.Record(
    **BRIEF,
    score=float,
    matched=mgp.List[str],
    similarity=mgp.Nullable[float],
    total=int,
    **STANDING,
    words=mgp.List[mgp.Map],
    factors=mgp.Map,
    memory=mgp.Vertex,
):
    """Return the memories that a question belongs to, the best first, or without one the latest.

    Example:
        CALL memorygraph.search("Where does Daniele live?") YIELD text, score, matched;
    """
    graph = Graph(ctx, context)
    rows = searching.search(graph, query, limit, source_filter, types, tags, states, vector, model)
    return [mgp.Record(**row) for row in rows]


@mgp.write_proc
def context(
    ctx: mgp.ProcCtx,
    query: str,
    token_budget: mgp.Nullable[int] = budgets.DEFAULT_BUDGET,
    vector: mgp.List[mgp.Number] = [],
    model: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> CONTEXT:
    """Write down what belongs to a query, and what links lead to; each counts as accessed.

    Example:
        CALL memorygraph.context("Where does Daniele live?", 500) YIELD text, tokens;
    """
    made = contexts.context(Graph(ctx, context), query, token_budget, vector, model)
    return [mgp.Record(**made)]


@mgp.read_proc
def peek_context(
    ctx: mgp.ProcCtx,
    query: str,
    token_budget: mgp.Nullable[int] = budgets.DEFAULT_BUDGET,
    vector: mgp.List[mgp.Number] = [],
    model: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> CONTEXT:
    """Write down what `context` does, of which none counts as accessed.

    Example:
        CALL memorygraph.peek_context("Where does Daniele live?", 500) YIELD text, tokens;
    """
    made = contexts.context(Graph(ctx, context), query, token_budget, vector, model)
    return [mgp.Record(**made)]


@mgp.read_proc
def widened(ctx: mgp.ProcCtx, text: str, context: mgp.Map = {}) -> mgp.Record(
    term=str, share=float, said=str, to=str, why=str
):
    """Return the terms that a question leads to by the entities and the concepts that it names.

    Example:
        CALL memorygraph.widened("What does the dog eat?") YIELD term, share, why;
    """
    return [mgp.Record(**row) for row in searching.widened(Graph(ctx, context), text)]


@mgp.write_proc
def touch(ctx: mgp.ProcCtx, memory_ids: mgp.List[str], context: mgp.Map = {}) -> mgp.Record(
    memory_id=str, access_count=int, state=str, decay_score=float
):
    """Count an access of each memory, as `get` does.

    Example:
        CALL memorygraph.touch(["tea"]) YIELD access_count, state;
    """
    return [mgp.Record(**row) for row in lifecycle.touch(Graph(ctx, context), memory_ids)]


@mgp.read_proc
def decay_status(ctx: mgp.ProcCtx, memory_id: str, context: mgp.Map = {}) -> STATUS:
    """Return how present a memory is as of now, and which state comes next and when.

    Example:
        CALL memorygraph.decay_status("tea") YIELD state, next_state, next_state_at;
    """
    return [mgp.Record(**lifecycle.status(Graph(ctx, context), memory_id))]


@mgp.write_proc
def preserve(
    ctx: mgp.ProcCtx,
    memory_id: str,
    tag: mgp.Nullable[str] = "preserved",
    until: mgp.Nullable[int] = None,
    context: mgp.Map = {},
) -> STATUS:
    """Keep a memory from fading: by a tag, or without one until a time.

    Example:
        CALL memorygraph.preserve("tea", "favorite") YIELD state, preserved;
    """
    return [mgp.Record(**lifecycle.preserve(Graph(ctx, context), memory_id, tag, until))]


# For the owner, and for the worker on their behalf


@mgp.write_proc
def ingest(ctx: mgp.ProcCtx, messages: mgp.List[mgp.Map], context: mgp.Map = {}) -> mgp.Record(
    created=int, existing=int, differing=mgp.List[str]
):
    """Keep messages, {id, text, thread, speaker, said_at}, each once, in the order of its thread.

    What is there stays as it is; `differing` are the ids of what says something else there.

    Example:
        CALL memorygraph.ingest([{id: "1", text: "Hello", thread: "a", said_at: 0}]) YIELD created;
    """
    return [mgp.Record(**ingesting.ingest(Kept(ctx, context), messages))]


@mgp.read_proc
def list(
    ctx: mgp.ProcCtx,
    states: mgp.List[str] = [],
    limit: mgp.Nullable[int] = schema.LISTED,
    tags: mgp.List[str] = [],
    context: mgp.Map = {},
) -> mgp.Record(
    **BRIEF,
    decay_score=float,
    access_count=int,
    accessed_at=int,
    deleted_at=mgp.Nullable[int],
    forgotten=bool,
    preserved=bool,
    contradicted_by=mgp.Nullable[str],
):
    """List memories in any of some states, with any of some tags, those that are out of sight too.

    Example:
        CALL memorygraph.list(["archived", "expired"]) YIELD memory_id, text, deleted_at;
    """
    return [mgp.Record(**row) for row in admin.listed(Kept(ctx, context), states, limit, tags)]


@mgp.read_proc
def show(ctx: mgp.ProcCtx, memory_id: str, context: mgp.Map = {}) -> mgp.Record(
    **ALL,
    deleted_at=mgp.Nullable[int],
    embedding_dimension=mgp.Nullable[int],
    next_state=mgp.Nullable[str],
    next_state_at=mgp.Nullable[int],
):
    """Return all of a memory, one that is out of sight too, and what comes next; no access.

    Example:
        CALL memorygraph.show("tea") YIELD content, state, deleted_at;
    """
    return [mgp.Record(**admin.show(Kept(ctx, context), memory_id))]


@mgp.read_proc
def expired(
    ctx: mgp.ProcCtx,
    query: mgp.Nullable[str] = None,
    limit: mgp.Nullable[int] = schema.FOUND,
    source_filter: mgp.Nullable[str] = None,
    types: mgp.List[str] = [],
    tags: mgp.List[str] = [],
    forgotten: bool = False,
    context: mgp.Map = {},
) -> mgp.Record(**BRIEF, deleted_at=mgp.Nullable[int], forgotten=bool, total=int):
    """Return what has expired and a query belongs to, or all of it; `restore` brings it back.

    With forgotten true, also what somebody forgot.

    Example:
        CALL memorygraph.expired("tea") YIELD memory_id, text, deleted_at;
    """
    graph = (Gone if forgotten else Expired)(ctx, context)
    rows = searching.expired(graph, query, limit, source_filter, types, tags)
    return [mgp.Record(**row) for row in rows]


@mgp.read_proc
def unindexed(ctx: mgp.ProcCtx, context: mgp.Map = {}) -> mgp.Record(memories=int):
    """Return how many memories `search` cannot find by words; the command `index` helps.

    Example:
        CALL memorygraph.unindexed() YIELD memories;
    """
    return [mgp.Record(**admin.unindexed(Kept(ctx, context)))]


@mgp.write_proc
def restore(ctx: mgp.ProcCtx, memory_id: str, context: mgp.Map = {}) -> mgp.Record(
    memory_id=str, restored=bool, state=str, decay_score=float
):
    """Bring back, whole, what was forgotten or has expired.

    Example:
        CALL memorygraph.restore("tea") YIELD restored, state;
    """
    return [mgp.Record(**admin.restore(Kept(ctx, context), memory_id))]


@mgp.write_proc
def purge(
    ctx: mgp.ProcCtx,
    retention_ms: int,
    memory_ids: mgp.List[str] = [],
    limit: mgp.Nullable[int] = BATCH,
    dry_run: bool = False,
    holder: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> mgp.Record(memory_id=str, deleted_at=int, text=str):
    """Remove for ever what was deleted longer ago than the retention window; returns what that is.

    Example:
        CALL memorygraph.purge(7776000000, [], 500, true) YIELD memory_id, deleted_at;
    """
    rows = admin.purge(Kept(ctx, context), retention_ms, memory_ids, limit, dry_run, holder)
    return [mgp.Record(**row) for row in rows]


@mgp.write_proc
def decay_batch(
    ctx: mgp.ProcCtx,
    limit: mgp.Nullable[int] = BATCH,
    after: mgp.Nullable[str] = None,
    dry_run: bool = False,
    holder: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> mgp.Record(
    processed=int,
    transitioned=int,
    errors=int,
    changes=mgp.List[mgp.Map],
    last=mgp.Nullable[str],
):
    """Let time pass for the next memories by id; `last` is what comes next as `after`.

    Example:
        CALL memorygraph.decay_batch(500, null, true) YIELD processed, transitioned, changes;
    """
    graph = Kept(ctx, context)
    return [mgp.Record(**admin.decay_batch(graph, limit, after, dry_run, holder))]


@mgp.read_proc
def scopes(
    ctx: mgp.ProcCtx,
    after: mgp.Nullable[str] = None,
    limit: mgp.Nullable[int] = schema.MAX_ROWS,
    context: mgp.Map = {},
) -> mgp.Record(user_id=str):
    """Return whose memories there are.

    Example:
        CALL memorygraph.scopes() YIELD user_id;
    """
    return [mgp.Record(**row) for row in admin.scopes(Kept(ctx, context), after, limit)]


@mgp.read_proc
def worker_status(ctx: mgp.ProcCtx, context: mgp.Map = {}) -> mgp.Record(**WORKER):
    """Return who works, whether work is paused, and what was done.

    Example:
        CALL memorygraph.worker_status() YIELD paused, holder, processed;
    """
    return [mgp.Record(**worker.status(Work(ctx, context)))]


@mgp.write_proc
def worker_lease(ctx: mgp.ProcCtx, holder: str, lease_ms: int, context: mgp.Map = {}) -> mgp.Record(
    acquired=bool, **WORKER
):
    """Let one worker work for some time, if no other does; 0 gives it back.

    Example:
        CALL memorygraph.worker_lease("me", 60000) YIELD acquired, holder, lease_until;
    """
    return [mgp.Record(**worker.lease(Work(ctx, context), holder, lease_ms))]


@mgp.write_proc
def worker_pause(ctx: mgp.ProcCtx, paused: bool, context: mgp.Map = {}) -> mgp.Record(**WORKER):
    """Let no worker work, or let it work on.

    Example:
        CALL memorygraph.worker_pause(true) YIELD paused;
    """
    return [mgp.Record(**worker.pause(Work(ctx, context), paused))]


@mgp.write_proc
def worker_report(
    ctx: mgp.ProcCtx, holder: str, done: mgp.Map, context: mgp.Map = {}
) -> mgp.Record(**WORKER):
    """Add what a worker has done to its counters.

    Example:
        CALL memorygraph.worker_report("me", {runs: 1, processed: 20}) YIELD runs, processed;
    """
    return [mgp.Record(**worker.report(Work(ctx, context), holder, done))]


@mgp.write_proc
def link(
    ctx: mgp.ProcCtx,
    source: str,
    target: str,
    type: str = schema.DEFAULT_RELATION,
    strength: mgp.Nullable[mgp.Number] = None,
    amount: mgp.Number = schema.DEFAULT_AMOUNT,
    context: mgp.Map = {},
) -> mgp.Record(**{"from": str, "to": str, "type": str, "strength": float, "created": bool}):
    """Link two memories, strengthen their link by *amount*, or set it to *strength*; 0 unlinks.

    Example:
        CALL memorygraph.link("6f1d…", "0b52…", "supports") YIELD strength, created;
    """
    made = links.link(Graph(ctx, context), source, target, type, strength, amount)
    return [mgp.Record(**made)]


@mgp.write_proc
def relink(
    ctx: mgp.ProcCtx,
    source: str,
    target: str,
    type: str = schema.DEFAULT_RELATION,
    context: mgp.Map = {},
) -> mgp.Record(**{"from": str, "to": str, "type": str, "strength": float, "restored": bool}):
    """Bring back a link that was taken away, as strong as it was then.

    Example:
        CALL memorygraph.relink("6f1d…", "0b52…", "supports") YIELD strength, restored;
    """
    return [mgp.Record(**links.relink(Graph(ctx, context), source, target, type))]


@mgp.read_proc
def connected(
    ctx: mgp.ProcCtx,
    memory_id: str,
    direction: str = schema.BOTH,
    min_weight: mgp.Number = schema.MIN_WEIGHT_CONNECTED,
    limit: int = schema.DEFAULT_CONNECTED,
    context: mgp.Map = {},
) -> mgp.Record(
    **BRIEF,
    relation=str,
    direction=str,
    strength=float,
    link=mgp.Edge,
    total=int,
):
    """Return the memories linked to one, each once, by its strongest link; the strongest first.

    Example:
        CALL memorygraph.connected("6f1d…") YIELD text, relation, strength;
    """
    found = links.connected(Graph(ctx, context), memory_id, direction, min_weight, limit)
    return [mgp.Record(**row) for row in found]


@mgp.read_proc
def explore(
    ctx: mgp.ProcCtx,
    start_id: str,
    max_depth: int = schema.DEFAULT_DEPTH_EXPLORED,
    max_nodes: int = schema.DEFAULT_NODES_EXPLORED,
    min_weight: mgp.Number = schema.MIN_WEIGHT_EXPLORED,
    context: mgp.Map = {},
) -> mgp.Record(
    **BRIEF,
    distance=int,
    truncated=mgp.Nullable[str],
):
    """Return what lies around a memory, breadth first, itself first.

    Example:
        CALL memorygraph.explore("6f1d…", 2) YIELD distance, text;
    """
    found = traversal.explore(Graph(ctx, context), start_id, max_depth, max_nodes, min_weight)
    return records(found)


@mgp.read_proc
def traverse(
    ctx: mgp.ProcCtx,
    start_id: str,
    strategy: str = schema.BREADTH_FIRST,
    max_depth: int = schema.DEFAULT_DEPTH_TRAVERSED,
    max_nodes: int = schema.DEFAULT_NODES_TRAVERSED,
    direction: str = schema.BOTH,
    relation_types: mgp.List[str] = [],
    types: mgp.List[str] = [],
    tags: mgp.List[str] = [],
    min_strength: mgp.Number = 0,
    include_parent_links: bool = False,
    time_budget_ms: mgp.Nullable[int] = None,
    context: mgp.Map = {},
) -> mgp.Record(
    **BRIEF,
    depth=int,
    via=mgp.Nullable[str],
    relation=mgp.Nullable[str],
    direction=mgp.Nullable[str],
    strength=mgp.Nullable[float],
    link=mgp.Nullable[mgp.Edge],
    truncated=mgp.Nullable[str],
):
    """Return what can be reached from a memory along links, "bfs" or "dfs", itself first.

    Example:
        CALL memorygraph.traverse("6f1d…", "bfs", 3, 100, "outgoing") YIELD depth, text, link;
    """
    found = traversal.traverse(
        Graph(ctx, context),
        start_id,
        strategy,
        max_depth,
        max_nodes,
        direction,
        relation_types,
        types,
        tags,
        min_strength,
        include_parent_links,
        time_budget_ms,
    )
    return records(found)


@mgp.read_proc
def neighbourhood(
    ctx: mgp.ProcCtx,
    memory_ids: mgp.List[str],
    max_hop: int = schema.DEFAULT_HOPS,
    limit: mgp.Nullable[int] = schema.NEIGHBOURS,
    context: mgp.Map = {},
) -> mgp.Record(
    **ALL,
    next_state=mgp.Nullable[str],
    next_state_at=mgp.Nullable[int],
    hop=int,
    degree=int,
    links=mgp.List[mgp.Map],
):
    """Return the memories around some, nearest first, as they stand now, with their links.

    Example:
        CALL memorygraph.neighbourhood(["6f1d…"], 2) YIELD memory_id, hop, state, links;
    """
    rows = neighbourhoods.neighbourhood(Graph(ctx, context), memory_ids, max_hop, limit)
    return [mgp.Record(**row) for row in rows]


@mgp.read_proc
def stats(ctx: mgp.ProcCtx, context: mgp.Map = {}) -> mgp.Record(
    nodes=int,
    edges=int,
    average_connections=float,
    by_state=mgp.Map,
    by_source=mgp.Map,
    relations=mgp.Map,
    isolated=int,
):
    """Return how many memories and links there are, of which states, sources and types.

    Example:
        CALL memorygraph.stats() YIELD nodes, edges, isolated;
    """
    return [mgp.Record(**statistics.stats(Graph(ctx, context)))]


@mgp.read_proc
def analysis(ctx: mgp.ProcCtx, top: int = schema.DEFAULT_TOP, context: mgp.Map = {}) -> mgp.Record(
    in_degrees=mgp.List[mgp.Map],
    out_degrees=mgp.List[mgp.Map],
    top_connectors=mgp.List[mgp.Map],
    relations=mgp.Map,
    average_strength=float,
):
    """Return how links are distributed, and the memories that have most of them.

    Example:
        CALL memorygraph.analysis(5) YIELD top_connectors;
    """
    return [mgp.Record(**statistics.analysis(Graph(ctx, context), top))]
