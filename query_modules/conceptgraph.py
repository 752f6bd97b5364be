"""CALL conceptgraph.*: concepts, episodes, relations, affect and recall.

The last argument of every procedure but `version` is an optional map, the context: the clock, whose
memories, what was looked up and so on (see conceptgraph_core/verbs/context.py). Times are unix
milliseconds. `CALL mg.procedures() YIELD name, signature;` shows all arguments and fields.

Storing:

CALL conceptgraph.concept_upsert("apple") YIELD concept_id, created;
    Create a concept if nothing has that name yet.
CALL conceptgraph.update_affect("apple", 0.7) YIELD valence, arousal;
    Add a feeling between -1 and 1 to an episode or a concept, creating the concept if missing.
CALL conceptgraph.episode_add("Bought apples at the market", ["apple"]) YIELD episode_id;
    Record an episode and link it from the concepts it is about; the first one names it.
CALL conceptgraph.relation_add("apple", "fruit", "is-a") YIELD from, to, type, weight;
    Add or strengthen an "is-a", "part-of" or "evokes" relation.

Recalling:

CALL conceptgraph.concept_search(["app"], 10) YIELD concept, arousal;
    Find concepts by any part of their name, then fill up with the most aroused ones.
CALL conceptgraph.recall(["apple"], 2) YIELD text, score;
    Return the propositions that seeds (names or nodes) evoke, strongest first, and arouse them.
CALL conceptgraph.peek(["apple"], 2) YIELD text, score;
    Return the propositions that seeds (names or nodes) evoke, without changing anything.
CALL conceptgraph.recall_query(["apple", "Frut"], 2) YIELD propositions, unknown;
    Recall, and return one row: the propositions, and unknown seeds with similar names.
CALL conceptgraph.peek_query(["apple", "Frut"], 2) YIELD propositions, unknown;
    Return the result of `recall_query` without changing anything.
CALL conceptgraph.unknown(["aple", "Apple"]) YIELD seed, similar;
    Return the seeds that no node has as its name, each with similar names of concepts.
CALL conceptgraph.associate("Where did we buy apples?") YIELD summary, score, matched;
    Return the episodes that match the words of a question or a sentence, the best first.

For the owner:

CALL conceptgraph.rename("fruit", "fruits", true) YIELD kind, text;
    Rename a concept; returns the changed elements (with dry_run: those that would change).
CALL conceptgraph.remove("apple", true) YIELD kind, text;
    Remove a concept or an episode with its relations; returns the removed elements.
CALL conceptgraph.remove_relation("apple", "fruit", "is-a", true) YIELD kind, text;
    Remove a relation; returns the removed element.
CALL conceptgraph.unindexed() YIELD episodes;
    Return how many episodes `associate` cannot find until they are indexed.

Over all layers:

CALL conceptgraph.stats() YIELD measure, kind, value;
    Count concepts, episodes and relations.
CALL conceptgraph.check() YIELD problem, subject, advice;
    List unexpected elements: parallel edges, missing properties, shared names.
CALL conceptgraph.mend() YIELD subject, done;
    Fill in missing values of nodes and relations made by hand, and merge nodes of one name.
CALL conceptgraph.index() YIELD indexed;
    Index nodes that were written by hand in Cypher; with again, index all nodes anew.
CALL conceptgraph.export("nodes") YIELD record;
    Return "nodes" or "relations" as records that import_rows takes.
CALL conceptgraph.import_rows([{kind: "concept", name: "apple", valence: 0.7}]) YIELD *;
    Import records as export returns them, with their weights, arousal and times. With import_id in
    the context, `take_back` can undo it.
CALL conceptgraph.imports() YIELD import_id, batch, records, made_at;
    List what calls of import_rows with an import_id created for the user, the earliest first.
CALL conceptgraph.take_back("notes-1a2b3c 1750000000000 9f86d081") YIELD removed, kept;
    Remove what the import of that batch created, unless something else rests on it.
CALL conceptgraph.users() YIELD user_id;
    List the users who own anything, by name; at most 1,000.
CALL conceptgraph.user_count("ada") YIELD measure, value;
    Count all that belongs to a user, kind by kind.
CALL conceptgraph.user_remove("ada") YIELD measure, value;
    Remove at most 1,000 nodes of a user for ever; repeat it until it returns no row.
CALL conceptgraph.user_adopt("ada") YIELD nodes, relations;
    Give all shared concepts and episodes, with their relations, to one user.
CALL conceptgraph.embedding() YIELD model, dimension;
    Return the embedding of all vectors; no row if there is none yet.
CALL conceptgraph.embedding_choose("openai:text-embedding-3-small", 1536) YIELD *;
    Choose the embedding of all vectors; with again, remove vectors of another one first.
CALL conceptgraph.embedding_lacking() YIELD kind, key, text;
    List the texts that lack a vector.
CALL conceptgraph.embedding_set("openai:text-embedding-3-small", []) YIELD embedded;
    Store vectors of that model: rows of {kind, key, text, vector}.
CALL conceptgraph.group_scopes() YIELD scope, texts, grouped;
    List the scopes of the index of words, and how many texts their groups were computed from.
CALL conceptgraph.group_texts("default", "Memory") YIELD key, text, thread, position;
    List the texts of a scope, to compute the groups of its words.
CALL conceptgraph.group_terms("default", {car: [["automobil", "automobile", 0.71]]}) YIELD changed;
    Store the neighbours of terms; all other terms lose theirs.
"""

import mgp

from conceptgraph_core import __version__
from conceptgraph_core.concepts import affect, episodes, names, procedures, relations
from conceptgraph_core.concepts import recall as recalling
from conceptgraph_core.concepts.node import Graph
from conceptgraph_core.graph.nested_query import BARE
from conceptgraph_core.graph.registering import Module
from conceptgraph_core.transfer import (
    audit,
    export_import,
    journal,
    search_data,
    users,
    view,
)
from conceptgraph_core.transfer import export_import as exporting
from conceptgraph_core.transfer import procedures as over_all
from conceptgraph_core.transfer import search_data as embeddings
from conceptgraph_core.transfer.users import Owned
from conceptgraph_core.transfer.view import Everything
from conceptgraph_core.verbs import context as contexts

register = Module(__doc__).register

register(procedures.CONCEPT_UPSERT, Graph, names.upsert)
register(procedures.UPDATE_AFFECT, Graph, affect.update_affect)
register(procedures.EPISODE_ADD, Graph, episodes.add)
register(procedures.RELATION_ADD, Graph, relations.add)

register(procedures.CONCEPT_SEARCH, Graph, names.search)
register(procedures.RECALL, Graph, recalling.recall)
register(procedures.PEEK, Graph, recalling.peek)
register(procedures.RECALL_QUERY, Graph, recalling.query)
register(procedures.UNKNOWN, Graph, names.unknown)
register(procedures.ASSOCIATE, Graph, episodes.search)

register(procedures.RENAME, Graph, relations.rename)
register(procedures.REMOVE, Graph, relations.remove)
register(procedures.REMOVE_RELATION, Graph, relations.remove_relation)
register(procedures.UNINDEXED, Graph, episodes.count_unindexed)

register(over_all.STATS, Everything, view.stats)
register(over_all.CHECK, Everything, audit.check)
register(over_all.MEND, Everything, users.mend)
register(over_all.INDEX, Everything, search_data.index)
register(over_all.EXPORT, Everything, exporting.export)
register(over_all.IMPORT_ROWS, Everything, export_import.import_rows)
register(over_all.IMPORTS, journal.Journals, journal.list_imports)
register(over_all.TAKE_BACK, Everything, journal.take_back)
register(over_all.USERS, Owned, users.users)
register(over_all.USER_COUNT, Owned, users.count)
register(over_all.USER_REMOVE, Owned, users.remove)
register(over_all.USER_ADOPT, Everything, users.adopt_shared)
register(over_all.EMBEDDING, Everything, embeddings.read_embedding)
register(over_all.EMBEDDING_CHOOSE, Everything, embeddings.choose)
register(over_all.EMBEDDING_LACKING, Everything, embeddings.lacking)
register(over_all.EMBEDDING_SET, Everything, embeddings.embed)

register(over_all.GROUP_SCOPES, Everything, search_data.scopes)
register(over_all.GROUP_TEXTS, Everything, search_data.texts)
register(over_all.GROUP_TERMS, Everything, search_data.group)


@mgp.function
def arousal(
    node: mgp.Nullable[mgp.Vertex],
    now_ms: mgp.Nullable[int] = None,
    tau_ms: mgp.Nullable[mgp.Number] = None,
):
    """Return the arousal of a node at now_ms (default: now), for use in any expression.

    Example:
        MATCH (c:Concept) RETURN c.name, conceptgraph.arousal(c) AS arousal ORDER BY arousal DESC;
    """
    return affect.arousal(node, contexts.parse({"now_ms": now_ms, "tau_ms": tau_ms}))


@mgp.read_proc
def version(ctx: mgp.ProcCtx) -> mgp.Record(version=str, look_ups=str):
    """Return the version of the deployed modules, and how calls find nodes without `found`.

    Example:
        CALL conceptgraph.version() YIELD version, look_ups;
    """
    problem = BARE.check(getattr(ctx.graph, "_graph", None))
    look_ups = f"none: {problem}" if problem else "by index"
    return [mgp.Record(version=__version__, look_ups=look_ups)]
