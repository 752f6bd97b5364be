"""CALL entitygraph.*: who said it, who it is, how far to trust it.

Declarations only; the rules are in conceptgraph_core. The last argument of every procedure is an
optional map with now_ms, user_id, found and so on (see conceptgraph_core/context.py): all of them
read and write within that user_id alone.
"""

import mgp

from conceptgraph_core.entities import admin, schema, searching, statistics
from conceptgraph_core.entities import (
    neighbourhood as neighbourhoods,
)
from conceptgraph_core.entities.beliefs import facts
from conceptgraph_core.entities.consolidation import communities, daily, due, weekly
from conceptgraph_core.entities.identity import ending, linking, merging, splitting, undoing
from conceptgraph_core.entities.narration import explaining, narrative, reading
from conceptgraph_core.entities.node import Graph
from conceptgraph_core.entities.observation import observing, session_end, stated_facts

# What is told of a component, but for its edges.
COMPONENT = {
    "entity_id": str,
    "labels": mgp.List[str],
    "type": str,
    "kind": mgp.Nullable[str],
    "identity_status": str,
    "valid_until": mgp.Nullable[int],
    "origin": str,
    "origin_confidence": float,
    "inferred": bool,
    "trust": float,
    "trust_parts": mgp.Map,
    "activation": float,
    "is_active": bool,
    "facts": mgp.List[mgp.Map],
    "mentions": mgp.List[mgp.Map],
    "conflicts": mgp.List[mgp.Map],
    "merges": mgp.List[mgp.Map],
}


@mgp.write_proc
def observe(
    ctx: mgp.ProcCtx,
    session_id: str,
    message_id: str,
    speaker: str,
    text: str,
    observations: mgp.List[mgp.Map] = [],
    relations: mgp.List[mgp.Map] = [],
    context: mgp.Map = {},
) -> mgp.Record(entities=mgp.List[mgp.Map], edges=mgp.List[mgp.Map]):
    """Record what a message of the "user" or the "model" mentions; each message counts once.

    Example:
        CALL entitygraph.observe("s1", "m1", "user", "Max chewed my shoe",
                                 [{label: "Max", type: "entity", kind: "pet"}]) YIELD entities;
    """
    answer = observing.observe(
        Graph(ctx, context), session_id, message_id, speaker, text, observations, relations
    )
    return [mgp.Record(**answer)]


@mgp.write_proc
def end_session(ctx: mgp.ProcCtx, session_id: str, context: mgp.Map = {}) -> mgp.Record(
    entities=int,
    edges_created=int,
    edges_reinforced=int,
    promoted=mgp.List[mgp.Map],
    activated_causal=mgp.List[mgp.Map],
):
    """Consolidate a session: what was mentioned in it belongs together, once.

    Example:
        CALL entitygraph.end_session("s1") YIELD edges_created, promoted;
    """
    return [mgp.Record(**session_end.end(Graph(ctx, context), session_id))]


@mgp.read_proc
def search(
    ctx: mgp.ProcCtx,
    query: str,
    types: mgp.List[str] = [],
    limit: mgp.Nullable[int] = schema.DEFAULT_LIMIT,
    include_inactive: bool = False,
    context: mgp.Map = {},
) -> mgp.Record(
    entity_id=str,
    label=str,
    type=str,
    kind=mgp.Nullable[str],
    status=str,
    trust=float,
    last_activated=int,
    score=float,
    inferred=bool,
):
    """Find entities by what they are called; what only a model mentioned comes last.

    Example:
        CALL entitygraph.search("Max") YIELD label, kind, trust;
    """
    rows = searching.search(Graph(ctx, context), query, types, limit, include_inactive)
    return [mgp.Record(**row) for row in rows]


@mgp.read_proc
def get(
    ctx: mgp.ProcCtx,
    entity_id: str,
    valid_at: mgp.Nullable[int] = None,
    known_at: mgp.Nullable[int] = None,
    limit: mgp.Nullable[int] = schema.DEFAULT_ROWS,
    context: mgp.Map = {},
) -> mgp.Record(**COMPONENT, edges=mgp.List[mgp.Map]):
    """Return all that is known of an entity and of those merged with it, as of both times.

    Example:
        CALL entitygraph.get("c71f368e-4492-8b3e-81a5-d360e3bf6d8f") YIELD labels, trust, edges;
    """
    row = reading.get(Graph(ctx, context), entity_id, valid_at, known_at, limit)
    return [mgp.Record(**row)]


@mgp.read_proc
def neighbourhood(
    ctx: mgp.ProcCtx,
    entity_ids: mgp.List[str],
    max_hop: int = schema.DEFAULT_HOPS,
    limit: mgp.Nullable[int] = schema.NEIGHBOURS,
    context: mgp.Map = {},
) -> mgp.Record(
    **COMPONENT,
    hop=int,
    degree=int,
    ties=mgp.List[mgp.Map],
):
    """Return the entities around some, nearest first, each with all that it was merged with.

    Example:
        CALL entitygraph.neighbourhood(["c71f368e-4492-8b3e-81a5-d360e3bf6d8f"], 1)
        YIELD labels, hop, trust, ties;
    """
    rows = neighbourhoods.neighbourhood(Graph(ctx, context), entity_ids, max_hop, limit)
    return [mgp.Record(**row) for row in rows]


@mgp.write_proc
def fact(
    ctx: mgp.ProcCtx,
    entity_id: str,
    predicate: str,
    value: mgp.Nullable[str] = None,
    object_id: mgp.Nullable[str] = None,
    valid_from: mgp.Nullable[int] = None,
    valid_until: mgp.Nullable[int] = None,
    single: bool = False,
    corrects: mgp.Nullable[str] = None,
    ends: mgp.Nullable[str] = None,
    speaker: str = schema.MODEL,
    text: str = "",
    span: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> mgp.Record(
    fact_id=str,
    origin=str,
    conflicts=mgp.List[mgp.Map],
    inferred_from=mgp.Nullable[str],
    refused_span=mgp.Nullable[str],
):
    """State, correct or end a fact of an entity; what contradicts it is shown, never resolved.

    Example:
        CALL entitygraph.fact("c71f368e-4492-8b3e-81a5-d360e3bf6d8f", "home", "Berlin")
        YIELD fact_id, conflicts;
    """
    said = speaker, text, span
    given = stated_facts.Given(
        predicate, value, object_id, valid_from, valid_until, single, corrects, ends, *said
    )
    return [mgp.Record(**facts.fact(Graph(ctx, context), entity_id, given))]


@mgp.read_proc
def context(
    ctx: mgp.ProcCtx,
    message: str,
    token_budget: mgp.Nullable[int] = None,
    context: mgp.Map = {},
) -> mgp.Record(text=str, paragraphs=mgp.List[mgp.Any], sources=mgp.List[mgp.Map], tokens=int):
    """Tell what is known of whom a message speaks, as a text of at most so many tokens.

    Example:
        CALL entitygraph.context("Is Max well?", 500) YIELD text, sources;
    """
    return [mgp.Record(**narrative.context(Graph(ctx, context), message, token_budget))]


@mgp.read_proc
def explain(
    ctx: mgp.ProcCtx,
    entity_id: mgp.Nullable[str] = None,
    source: mgp.Nullable[str] = None,
    target: mgp.Nullable[str] = None,
    type: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> mgp.Record(
    text=str,
    parts=mgp.List[mgp.Any],
    ids=mgp.Map,
    node=mgp.Nullable[mgp.Vertex],
    relation=mgp.Nullable[mgp.Edge],
):
    """Explain why an entity, or the edge of a type between two, is what it is; a row a reason.

    Example:
        CALL entitygraph.explain("c71f368e-4492-8b3e-81a5-d360e3bf6d8f") YIELD text, node, relation;
    """
    graph = Graph(ctx, context)
    told = explaining.explain(graph, entity_id, source, target, type)
    return [mgp.Record(**row) for row in explaining.rows(graph, told)]


@mgp.write_proc
def link(
    ctx: mgp.ProcCtx,
    entity_id: str,
    linked_entity_id: mgp.Nullable[str],
    link_confidence: mgp.Nullable[mgp.Number],
    link_rationale: str,
    origin: str,
    said: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> mgp.Record(verdict=str, reason=str, merge_id=mgp.Nullable[str]):
    """Judge the claim that two entities are the same; its confidence counts for nothing.

    Example:
        CALL entitygraph.link("id of puppy", "id of Max", null, "one dog", "model") YIELD verdict;
    """
    claim = entity_id, linked_entity_id, link_confidence, link_rationale, origin, said
    row = {"merge_id": None, **linking.link(Graph(ctx, context), *claim)}
    return [mgp.Record(**row)]


@mgp.write_proc
def merge(
    ctx: mgp.ProcCtx,
    source_id: str,
    target_id: str,
    reason: str,
    by: str = schema.SYSTEM,
    said: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> mgp.Record(verdict=str, merge_id=mgp.Nullable[str], reason=mgp.Nullable[str]):
    """Let one entity count as another from now on; unmerge takes it back.

    Example:
        CALL entitygraph.merge("id of puppy", "id of Max", "one dog", "user_correction",
                               "My puppy is Max") YIELD verdict, merge_id;
    """
    given = source_id, target_id, reason, by, said
    row = {"merge_id": None, "reason": None, **merging.merge(Graph(ctx, context), *given)}
    return [mgp.Record(**row)]


@mgp.write_proc
def split(
    ctx: mgp.ProcCtx,
    entity_id: str,
    mention_ids: mgp.List[str],
    since: mgp.Nullable[int],
    said: mgp.Nullable[str],
    reason: str,
    context: mgp.Map = {},
) -> mgp.Record(
    verdict=str,
    entity_id=mgp.Nullable[str],
    merge_id=mgp.Nullable[str],
    reason=mgp.Nullable[str],
):
    """Let mentions and facts be of another entity of that name; unmerge takes it back.

    Example:
        CALL entitygraph.split("id of Anna", [], 1750000000000, "My boss is another Anna", "two")
        YIELD entity_id, merge_id;
    """
    given = entity_id, mention_ids, since, said, reason
    made = splitting.split(Graph(ctx, context), *given)
    return [mgp.Record(**{"entity_id": None, "merge_id": None, "reason": None, **made})]


@mgp.write_proc
def end(
    ctx: mgp.ProcCtx,
    entity_id: str,
    said: mgp.Nullable[str],
    reason: str,
    valid_until: mgp.Nullable[int] = None,
    context: mgp.Map = {},
) -> mgp.Record(
    verdict=str,
    valid_until=mgp.Nullable[int],
    merge_id=mgp.Nullable[str],
    reason=mgp.Nullable[str],
):
    """Let an entity be over: who is called so later is another one; unmerge takes it back.

    Example:
        CALL entitygraph.end("id of Max", "Max died in May", "he died") YIELD verdict, merge_id;
    """
    made = ending.end(Graph(ctx, context), entity_id, said, reason, valid_until)
    return [mgp.Record(**{"valid_until": None, "merge_id": None, "reason": None, **made})]


@mgp.write_proc
def unmerge(ctx: mgp.ProcCtx, merge_id: str, reason: str, context: mgp.Map = {}) -> mgp.Record(
    merge_id=str, separate=mgp.List[mgp.Map]
):
    """Take a merge, a split or an end back; what was merged is not thought to be one again.

    Example:
        CALL entitygraph.unmerge("id of the merge", "two dogs") YIELD separate;
    """
    return [mgp.Record(**undoing.unmerge(Graph(ctx, context), merge_id, reason))]


@mgp.read_proc
def list(
    ctx: mgp.ProcCtx,
    statuses: mgp.List[str] = [],
    limit: mgp.Nullable[int] = schema.LISTED,
    context: mgp.Map = {},
) -> mgp.Record(
    entity_id=str,
    label=str,
    type=str,
    kind=mgp.Nullable[str],
    status=str,
    trust=float,
    edges=int,
    last_activated=int,
    is_active=bool,
    inferred=bool,
    merged_into=mgp.Nullable[str],
):
    """List entities of any of some statuses, those activated last first; forgotten ones too.

    Example:
        CALL entitygraph.list(["ambiguous"]) YIELD entity_id, label, status;
    """
    return [mgp.Record(**row) for row in admin.listed(Graph(ctx, context), statuses, limit)]


@mgp.read_proc
def merges(
    ctx: mgp.ProcCtx,
    merge_id: mgp.Nullable[str] = None,
    limit: mgp.Nullable[int] = schema.LISTED,
    context: mgp.Map = {},
) -> mgp.Record(
    merge_id=str,
    action=str,
    source_id=str,
    source=str,
    target_id=str,
    target=str,
    confidence=float,
    reason=mgp.Nullable[str],
    said=mgp.Nullable[str],
    by=str,
    is_active=bool,
    is_claim=bool,
    created_at=int,
    unmerged_at=mgp.Nullable[int],
    unmerge_reason=mgp.Nullable[str],
):
    """Return the ledger of merges, the latest first, those that were taken back too; or one.

    Example:
        CALL entitygraph.merges() YIELD merge_id, source, target, reason, is_active;
    """
    return [mgp.Record(**row) for row in admin.merges(Graph(ctx, context), merge_id, limit)]


@mgp.write_proc
def consolidate_daily(
    ctx: mgp.ProcCtx,
    step: str,
    after: mgp.Nullable[str] = None,
    limit: mgp.Nullable[int] = None,
    dry_run: bool = False,
    context: mgp.Map = {},
) -> mgp.Record(processed=int, changed=int, changes=mgp.List[mgp.Map], last=mgp.Nullable[str]):
    """Take a step of the daily run for the next entities; *last* is where to go on, if anywhere.

    Example:
        CALL entitygraph.consolidate_daily("decay", null, 500, true) YIELD changes, last;
    """
    return [mgp.Record(**daily.consolidate(Graph(ctx, context), step, after, limit, dry_run))]


@mgp.write_proc
def consolidate_weekly(
    ctx: mgp.ProcCtx,
    step: str,
    after: mgp.Nullable[str] = None,
    limit: mgp.Nullable[int] = None,
    dry_run: bool = False,
    context: mgp.Map = {},
) -> mgp.Record(processed=int, changed=int, changes=mgp.List[mgp.Map], last=mgp.Nullable[str]):
    """Take a step of the weekly run for the next entities; *last* is where to go on, if anywhere.

    Example:
        CALL entitygraph.consolidate_weekly("prune", null, 500, true) YIELD changes, last;
    """
    return [mgp.Record(**weekly.consolidate(Graph(ctx, context), step, after, limit, dry_run))]


@mgp.read_proc
def connections(
    ctx: mgp.ProcCtx,
    after: mgp.Nullable[str] = None,
    limit: mgp.Nullable[int] = None,
    context: mgp.Map = {},
) -> mgp.Record(
    entity_id=str,
    label=str,
    community=mgp.Nullable[str],
    node=int,
    others=mgp.List[int],
    weights=mgp.List[float],
):
    """Return the next entities by id with what counts of the edges that leave them.

    Example:
        CALL entitygraph.connections(null, 10) YIELD label, community, others, weights;
    """
    return [mgp.Record(**row) for row in communities.connections(Graph(ctx, context), after, limit)]


@mgp.write_proc
def settle_communities(ctx: mgp.ProcCtx, by_id: mgp.Map, context: mgp.Map = {}) -> mgp.Record(
    changed=int
):
    """Set the communities of entities, {entity_id: community}.

    Example:
        CALL entitygraph.settle_communities({a: "a", b: "a"}) YIELD changed;
    """
    return [mgp.Record(changed=communities.settle(Graph(ctx, context), by_id))]


@mgp.read_proc
def silent_sessions(
    ctx: mgp.ProcCtx,
    silent_ms: int = due.HOUR_MS,
    limit: mgp.Nullable[int] = None,
    context: mgp.Map = {},
) -> mgp.Record(session_id=str, last_mention_at=int):
    """Return the sessions that nobody ended, though nothing was said in them for an hour.

    Example:
        CALL entitygraph.silent_sessions() YIELD session_id;
    """
    rows = due.silent(Graph(ctx, context), silent_ms, limit)
    return [mgp.Record(**row) for row in rows]


@mgp.read_proc
def scopes(
    ctx: mgp.ProcCtx,
    after: mgp.Nullable[str] = None,
    limit: mgp.Nullable[int] = None,
    context: mgp.Map = {},
) -> mgp.Record(user_id=str):
    """Return the users who have entities, by name, those that come after *after*.

    Example:
        CALL entitygraph.scopes() YIELD user_id;
    """
    rows = due.scopes(Graph(ctx, context), after, limit)
    return [mgp.Record(**row) for row in rows]


@mgp.read_proc
def stats(ctx: mgp.ProcCtx, context: mgp.Map = {}) -> mgp.Record(
    measure=str, value=int, note=mgp.Nullable[str]
):
    """Count the entities of a user by status, their edges by type, and what is in question.

    Example:
        CALL entitygraph.stats() YIELD measure, value, note;
    """
    return [mgp.Record(**row) for row in statistics.stats(Graph(ctx, context))]
