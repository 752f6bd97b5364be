"""CALL conceptgraph.*: concepts, episodes, relations, affect and recall.

Declarations only; the rules are in conceptgraph_core. The last argument of every procedure is an
optional map, the context: the clock, whose memories, what was looked up and so on (see
conceptgraph_core/context.py).
"""

import mgp

from conceptgraph_core import __version__
from conceptgraph_core import context as contexts
from conceptgraph_core.concepts import (
    affect,
    corrections,
    episodes,
    names,
    relations,
    schema,
    widening,
)
from conceptgraph_core.concepts import neighbourhood as neighbourhoods
from conceptgraph_core.concepts import recall as recalling
from conceptgraph_core.concepts.node import Graph
from conceptgraph_core.graph.raw import records
from conceptgraph_core.name_lists import names as lists
from conceptgraph_core.retrieval.schema import DEFAULT_LIMIT
from conceptgraph_core.transfer import audit, importing, indexing, statistics
from conceptgraph_core.transfer import embedding as embeddings
from conceptgraph_core.transfer import export as exporting
from conceptgraph_core.transfer.view import Everything

# What both `recall` and `peek` yield.
RECALLED = mgp.Record(
    text=str,
    score=float,
    relative=float,
    valence=mgp.Nullable[float],
    hop=int,
    arousal=float,
    weight=float,
    reverse=bool,
    relation=mgp.Edge,
    total=int,
    episode_id=mgp.Nullable[str],
)


@mgp.write_proc
def concept_upsert(ctx: mgp.ProcCtx, concept: str, context: mgp.Map = {}) -> mgp.Record(
    concept_id=str, created=bool
):
    """Create a concept if nothing has that name yet.

    Example:
        CALL conceptgraph.concept_upsert("apple") YIELD concept_id, created;
    """
    return [mgp.Record(**names.upsert(Graph(ctx, context), concept))]


@mgp.write_proc
def update_affect(
    ctx: mgp.ProcCtx, target: str, valence_delta: mgp.Number, context: mgp.Map = {}
) -> mgp.Record(
    concept_id=mgp.Nullable[str],
    episode_id=mgp.Nullable[str],
    valence=float,
    arousal=float,
    accessed_at=int,
):
    """Add a feeling between -1 and 1 to an episode or a concept, creating the concept if missing.

    Example:
        CALL conceptgraph.update_affect("apple", 0.7) YIELD valence, arousal;
    """
    return [mgp.Record(**affect.update_affect(Graph(ctx, context), target, valence_delta))]


@mgp.write_proc
def episode_add(
    ctx: mgp.ProcCtx, summary: str, concepts: mgp.List[str], context: mgp.Map = {}
) -> mgp.Record(episode_id=str, linked_concepts=mgp.List[str], valence=float):
    """Record what happened and link it from the concepts it is about; the first one names it.

    Example:
        CALL conceptgraph.episode_add("Bought apples at the market", ["apple"]) YIELD episode_id;
    """
    return [mgp.Record(**episodes.add(Graph(ctx, context), summary, concepts))]


@mgp.write_proc
def relation_add(
    ctx: mgp.ProcCtx, source: str, target: str, type: str, context: mgp.Map = {}
) -> mgp.Record(**{"from": str, "to": str, "type": str, "weight": float}):
    """Add or strengthen an "is-a", "part-of" or "evokes" relation.

    Example:
        CALL conceptgraph.relation_add("apple", "fruit", "is-a") YIELD from, to, type, weight;
    """
    return [mgp.Record(**relations.add(Graph(ctx, context), source, target, type))]


@mgp.read_proc
def concept_search(
    ctx: mgp.ProcCtx,
    keywords: mgp.List[str],
    limit: mgp.Nullable[int] = schema.DEFAULT_SEARCH_LIMIT,
    context: mgp.Map = {},
) -> mgp.Record(concept=str, arousal=float, relative=float, matched=bool):
    """Find concepts by any part of their name, then fill up with the most aroused ones.

    Example:
        CALL conceptgraph.concept_search(["app"], 10) YIELD concept, arousal;
    """
    return [mgp.Record(**row) for row in names.search(Graph(ctx, context), keywords, limit)]


@mgp.write_proc
def recall(
    ctx: mgp.ProcCtx,
    seeds: mgp.List[mgp.Any],
    max_hop: int = schema.DEFAULT_MAX_HOP,
    limit: mgp.Nullable[int] = schema.DEFAULT_ROWS,
    context: mgp.Map = {},
) -> RECALLED:
    """Return what seeds (names or nodes) bring to mind, strongest first, and arouse it.

    Example:
        CALL conceptgraph.recall(["apple"], 2) YIELD text, score;
    """
    return records(recalling.recall(Graph(ctx, context), seeds, max_hop, limit))


@mgp.read_proc
def peek(
    ctx: mgp.ProcCtx,
    seeds: mgp.List[mgp.Any],
    max_hop: int = schema.DEFAULT_MAX_HOP,
    limit: mgp.Nullable[int] = schema.DEFAULT_ROWS,
    context: mgp.Map = {},
) -> RECALLED:
    """Return what seeds (names or nodes) bring to mind, strongest first, changing nothing.

    Example:
        CALL conceptgraph.peek(["apple"], 2) YIELD text, score;
    """
    return records(recalling.peek(Graph(ctx, context), seeds, max_hop, limit))


@mgp.write_proc
def recall_query(
    ctx: mgp.ProcCtx,
    seeds: mgp.List[mgp.Any],
    max_hop: int = schema.DEFAULT_MAX_HOP,
    limit: mgp.Nullable[int] = schema.DEFAULT_ROWS,
    each_episode_once: bool = False,
    context: mgp.Map = {},
) -> mgp.Record(
    propositions=mgp.List[mgp.Map],
    relations=mgp.List[mgp.Edge],
    total=int,
    unknown=mgp.List[mgp.Map],
):
    """Recall, and return the whole answer in one row, with what is unknown and names like it.

    Example:
        CALL conceptgraph.recall_query(["apple", "Frut"], 2) YIELD propositions, unknown;
    """
    answer = recalling.query(Graph(ctx, context), seeds, max_hop, limit, each_episode_once)
    return [mgp.Record(**answer)]


@mgp.read_proc
def peek_query(
    ctx: mgp.ProcCtx,
    seeds: mgp.List[mgp.Any],
    max_hop: int = schema.DEFAULT_MAX_HOP,
    limit: mgp.Nullable[int] = schema.DEFAULT_ROWS,
    each_episode_once: bool = False,
    context: mgp.Map = {},
) -> mgp.Record(
    propositions=mgp.List[mgp.Map],
    relations=mgp.List[mgp.Edge],
    total=int,
    unknown=mgp.List[mgp.Map],
):
    """Return what `recall_query` does, changing nothing.

    Example:
        CALL conceptgraph.peek_query(["apple", "Frut"], 2) YIELD propositions, unknown;
    """
    answer = recalling.query(Graph(ctx, context), seeds, max_hop, limit, each_episode_once)
    return [mgp.Record(**answer)]


@mgp.read_proc
def unknown(ctx: mgp.ProcCtx, seeds: mgp.List[mgp.Any], context: mgp.Map = {}) -> mgp.Record(
    seed=str, similar=mgp.List[str]
):
    """Return those seeds that nothing is called, each with the names of concepts like it.

    Example:
        CALL conceptgraph.unknown(["aple", "Apple"]) YIELD seed, similar;
    """
    return [mgp.Record(**row) for row in names.unknown(Graph(ctx, context), seeds)]


@mgp.read_proc
def associate(
    ctx: mgp.ProcCtx,
    text: str,
    limit: mgp.Nullable[int] = DEFAULT_LIMIT,
    context: mgp.Map = {},
) -> mgp.Record(
    episode_id=str,
    summary=str,
    date=mgp.Nullable[str],
    score=float,
    matched=mgp.List[str],
    words=mgp.List[mgp.Map],
    factors=mgp.Map,
    episode=mgp.Vertex,
):
    """Return the episodes that a question or a sentence belongs to by its words, the best first.

    Example:
        CALL conceptgraph.associate("Where did we buy apples?") YIELD summary, score, matched;
    """
    return [mgp.Record(**row) for row in episodes.search(Graph(ctx, context), text, limit)]


@mgp.read_proc
def widened(ctx: mgp.ProcCtx, text: str, context: mgp.Map = {}) -> mgp.Record(
    term=str, share=float, said=str, to=str, why=str
):
    """Return the terms that a question leads to by the concepts that it names, strongest first.

    Example:
        CALL conceptgraph.widened("What does the dog eat?") YIELD term, share, why;
    """
    return [mgp.Record(**row) for row in widening.widened(Graph(ctx, context), text)]


@mgp.read_proc
def unindexed(ctx: mgp.ProcCtx, context: mgp.Map = {}) -> mgp.Record(episodes=int):
    """Return how many episodes `associate` cannot find until they are indexed.

    Example:
        CALL conceptgraph.unindexed() YIELD episodes;
    """
    return [mgp.Record(**episodes.unindexed(Graph(ctx, context)))]


@mgp.read_proc
def neighbourhood(
    ctx: mgp.ProcCtx,
    seeds: mgp.List[mgp.Any],
    max_hop: int = schema.DEFAULT_MAX_HOP,
    limit: mgp.Nullable[int] = schema.DEFAULT_NEIGHBOURS,
    context: mgp.Map = {},
) -> mgp.Record(
    id=int,
    kind=str,
    name=str,
    text=str,
    valence=mgp.Nullable[float],
    arousal_level=float,
    accessed_at=int,
    hop=int,
    degree=int,
    relations=mgp.List[mgp.Map],
):
    """Return the nodes around seeds (names or nodes), nearest and most aroused first.

    Example:
        CALL conceptgraph.neighbourhood(["apple"], 2) YIELD name, hop, relations;
    """
    rows = neighbourhoods.neighbourhood(Graph(ctx, context), seeds, max_hop, limit)
    return [mgp.Record(**row) for row in rows]


@mgp.function
def arousal(
    node: mgp.Nullable[mgp.Vertex],
    now_ms: mgp.Nullable[int] = None,
    tau_ms: mgp.Nullable[mgp.Number] = None,
):
    """Return how aroused a node is at now_ms (default: now), for use in any expression.

    Example:
        MATCH (c:Concept) RETURN c.name, conceptgraph.arousal(c) AS arousal ORDER BY arousal DESC;
    """
    return affect.arousal(node, contexts.parse({"now_ms": now_ms, "tau_ms": tau_ms}))


@mgp.read_proc
def version() -> mgp.Record(version=str):
    """Return the version of the modules that are deployed.

    Example:
        CALL conceptgraph.version() YIELD version;
    """
    return [mgp.Record(version=__version__)]


@mgp.read_proc
def stats(ctx: mgp.ProcCtx, context: mgp.Map = {}) -> mgp.Record(measure=str, kind=str, value=int):
    """Count concepts, episodes and relations.

    Example:
        CALL conceptgraph.stats() YIELD measure, kind, value;
    """
    return [mgp.Record(**row) for row in statistics.stats(Everything(ctx, context))]


@mgp.read_proc
def check(ctx: mgp.ProcCtx, context: mgp.Map = {}) -> mgp.Record(
    problem=str, subject=str, advice=str
):
    """List what the model does not expect: parallel edges, missing properties, shared names.

    Example:
        CALL conceptgraph.check() YIELD problem, subject, advice;
    """
    return [mgp.Record(**row) for row in audit.check(Everything(ctx, context))]


@mgp.write_proc
def index(
    ctx: mgp.ProcCtx,
    again: bool = False,
    limit: mgp.Nullable[int] = None,
    context: mgp.Map = {},
) -> mgp.Record(indexed=int):
    """Give what was made by hand or by an older version what it is found by; again: to everything.

    Example:
        CALL conceptgraph.index() YIELD indexed;
    """
    return [mgp.Record(**indexing.index(Everything(ctx, context), again, limit))]


@mgp.write_proc
def list_names(ctx: mgp.ProcCtx, number: int, context: mgp.Map = {}) -> mgp.Record(listed=int):
    """Put the names of concepts that are in no list yet into a new list, of that number.

    Example:
        CALL conceptgraph.list_names(1) YIELD listed;
    """
    return [mgp.Record(**lists.put(Graph(ctx, context), schema.NAMES, number))]


@mgp.read_proc
def listed_names(
    ctx: mgp.ProcCtx,
    keywords: mgp.List[str],
    limit: int = schema.DEFAULT_SEARCH_LIMIT,
    context: mgp.Map = {},
) -> mgp.Record(name=str):
    """Find the names in lists by any part of them.

    Example:
        CALL conceptgraph.listed_names(["app"], 10) YIELD name;
    """
    rows = lists.matching(Graph(ctx, context), schema.NAMES, keywords, limit)
    return [mgp.Record(**row) for row in rows]


@mgp.read_proc
def embedding(ctx: mgp.ProcCtx, context: mgp.Map = {}) -> mgp.Record(model=str, dimension=int):
    """Return of which embedding the vectors of texts are; no row if there are none yet.

    Example:
        CALL conceptgraph.embedding() YIELD model, dimension;
    """
    known = embeddings.chosen(Everything(ctx, context))
    return [mgp.Record(**known)] if known else []


@mgp.write_proc
def embedding_choose(
    ctx: mgp.ProcCtx, model: str, dimension: int, again: bool = False, context: mgp.Map = {}
) -> mgp.Record(chosen=bool, cleared=int):
    """Let vectors of texts be of this embedding; again: first without those that there are.

    Example:
        CALL conceptgraph.embedding_choose("openai:text-embedding-3-small", 1536) YIELD *;
    """
    graph = Everything(ctx, context)
    return [mgp.Record(**embeddings.choose(graph, model, dimension, again))]


@mgp.read_proc
def embedding_lacking(ctx: mgp.ProcCtx, context: mgp.Map = {}) -> mgp.Record(
    kind=str, key=mgp.List[mgp.Any], text=mgp.Nullable[str]
):
    """List the texts that lack a vector.

    Example:
        CALL conceptgraph.embedding_lacking() YIELD kind, key, text;
    """
    return [mgp.Record(**row) for row in embeddings.lacking(Everything(ctx, context))]


@mgp.write_proc
def embedding_set(
    ctx: mgp.ProcCtx, model: str, rows: mgp.List[mgp.Map], context: mgp.Map = {}
) -> mgp.Record(embedded=int):
    """Give texts, {kind, key, text, vector}, their vectors, which are of that model.

    Example:
        CALL conceptgraph.embedding_set("openai:text-embedding-3-small", []) YIELD embedded;
    """
    return [mgp.Record(embedded=embeddings.embed(Everything(ctx, context), model, rows))]


@mgp.read_proc
def export(ctx: mgp.ProcCtx, part: str, context: mgp.Map = {}) -> mgp.Record(record=mgp.Map):
    """Return "nodes" or "relations" as records that import_rows takes.

    Example:
        CALL conceptgraph.export("nodes") YIELD record;
    """
    return [
        mgp.Record(record=record) for record in exporting.export(Everything(ctx, context), part)
    ]


@mgp.write_proc
def import_rows(ctx: mgp.ProcCtx, rows: mgp.List[mgp.Map], context: mgp.Map = {}) -> mgp.Record(
    nodes_created=int, nodes_existing=int, relations_created=int, relations_existing=int
):
    """Bring in records as export returns them, keeping weights, arousal and times.

    Example:
        CALL conceptgraph.import_rows([{kind: "concept", name: "apple", valence: 0.7}]) YIELD *;
    """
    return [mgp.Record(**importing.import_rows(Everything(ctx, context), rows))]


@mgp.write_proc
def rename(
    ctx: mgp.ProcCtx, concept: str, new_name: str, dry_run: bool = False, context: mgp.Map = {}
) -> mgp.Record(kind=str, text=str, id=str):
    """Rename a concept; returns what is touched (with dry_run: would be).

    Example:
        CALL conceptgraph.rename("aple", "apple", true) YIELD kind, text;
    """
    rows = corrections.rename(Graph(ctx, context), concept, new_name, dry_run)
    return [mgp.Record(**row) for row in rows]


@mgp.write_proc
def remove(ctx: mgp.ProcCtx, name: str, dry_run: bool = False, context: mgp.Map = {}) -> mgp.Record(
    kind=str, text=str, id=str
):
    """Remove a concept or an episode with its relations; returns what is touched.

    Example:
        CALL conceptgraph.remove("apple", true) YIELD kind, text;
    """
    return [mgp.Record(**row) for row in corrections.remove(Graph(ctx, context), name, dry_run)]


@mgp.write_proc
def remove_relation(
    ctx: mgp.ProcCtx,
    source: str,
    target: str,
    type: str,
    dry_run: bool = False,
    context: mgp.Map = {},
) -> mgp.Record(kind=str, text=str, id=str):
    """Remove a relation; returns what is touched.

    Example:
        CALL conceptgraph.remove_relation("apple", "fruit", "is-a", true) YIELD kind, text;
    """
    rows = corrections.remove_relation(Graph(ctx, context), source, target, type, dry_run)
    return [mgp.Record(**row) for row in rows]
