"""CALL entitygraph.*: who said it, who it is, how far to trust it.

The last argument of every procedure is an optional map, the context (see
conceptgraph_core/context.py); all of them read and write for its user_id alone. Times are unix
milliseconds. `CALL mg.procedures() YIELD name, signature;` shows all arguments and fields.

What was said:

CALL entitygraph.observe("s1", "m1", "user", "Max chewed my shoe",
        [{label: "Max", type: "entity", kind: "pet"}]) YIELD entities;
    Record what a message of the "user" or the "model" mentions; each message counts once.
CALL entitygraph.end_session("s1") YIELD edges_created, promoted;
    Consolidate a session: what was mentioned in it belongs together, once.
CALL entitygraph.fact("c71f368e-4492-8b3e-81a5-d360e3bf6d8f", "home", "Berlin")
YIELD fact_id, conflicts;
    State, correct or end a fact of an entity; what contradicts it is shown, never resolved.

What is known:

CALL entitygraph.search("Max") YIELD label, kind, trust;
    Find entities by what they are called; what only a model mentioned comes last.
CALL entitygraph.get("c71f368e-4492-8b3e-81a5-d360e3bf6d8f") YIELD labels, trust, edges;
    Return all that is known of an entity and of those merged with it, as of both times.
CALL entitygraph.neighbourhood(["c71f368e-4492-8b3e-81a5-d360e3bf6d8f"], 1)
YIELD labels, hop, trust, ties;
    Return the entities around some, nearest first, each with all that it was merged with.
CALL entitygraph.context("Is Max well?", 500) YIELD text, sources;
    Tell what is known of whom a message speaks, as a text of at most so many tokens.
CALL entitygraph.explain("c71f368e-4492-8b3e-81a5-d360e3bf6d8f") YIELD text, node, relation;
    Explain why an entity, or the edge of a type between two, is what it is; a row a reason.
CALL entitygraph.stats() YIELD measure, value, note;
    Count the entities of a user by status, their edges by type, and what is in question.

Who is who:

CALL entitygraph.link("id of puppy", "id of Max", null, "one dog", "model") YIELD verdict;
    Judge the claim that two entities are the same; its confidence counts for nothing.
CALL entitygraph.merge("id of puppy", "id of Max", "one dog", "user_correction",
        "My puppy is Max") YIELD verdict, merge_id;
    Let one entity count as another from now on; unmerge takes it back.
CALL entitygraph.split("id of Anna", [], 1750000000000, "My boss is another Anna", "two")
YIELD entity_id, merge_id;
    Let mentions and facts be of another entity of that name; unmerge takes it back.
CALL entitygraph.end("id of Max", "Max died in May", "he died") YIELD verdict, merge_id;
    Let an entity be over: who is called so later is another one; unmerge takes it back.
CALL entitygraph.unmerge("id of the merge", "two dogs") YIELD separate;
    Take a merge, a split or an end back; what was merged is not thought to be one again.
CALL entitygraph.list(["ambiguous"]) YIELD entity_id, label, status;
    List entities of any of some statuses, those activated last first; forgotten ones too.
CALL entitygraph.merges() YIELD merge_id, source, target, reason, is_active;
    Return the ledger of merges, the latest first, those that were taken back too; or one.

For the nightly runs:

CALL entitygraph.consolidate_daily("decay", null, 500, true) YIELD changes, last;
    Take a step of the daily run for the next entities; *last* is where to go on, if anywhere.
CALL entitygraph.consolidate_weekly("prune", null, 500, true) YIELD changes, last;
    Take a step of the weekly run for the next entities; *last* is where to go on, if anywhere.
CALL entitygraph.connections(null, 10) YIELD label, community, others, weights;
    Return the next entities by id with what counts of the edges that leave them.
CALL entitygraph.settle_communities({a: "a", b: "a"}) YIELD changed;
    Set the communities of entities, {entity_id: community}.
CALL entitygraph.silent_sessions() YIELD session_id;
    Return the sessions that nobody ended, though nothing was said in them for an hour.
CALL entitygraph.scopes() YIELD user_id;
    Return the users who have entities, by name, those that come after *after*.
"""

from conceptgraph_core.entities import admin, procedures, searching, statistics
from conceptgraph_core.entities import neighbourhood as neighbourhoods
from conceptgraph_core.entities.beliefs import facts
from conceptgraph_core.entities.consolidation import communities, daily, due, weekly
from conceptgraph_core.entities.identity import ending, linking, merging, splitting, undoing
from conceptgraph_core.entities.narration import explaining, narrative, reading
from conceptgraph_core.entities.node import Graph
from conceptgraph_core.entities.observation import observing, session_end
from conceptgraph_core.graph.registering import Module

register = Module(__doc__).register

register(procedures.OBSERVE, Graph, observing.observe)
register(procedures.END_SESSION, Graph, session_end.end)
register(procedures.FACT, Graph, facts.state)

register(procedures.SEARCH, Graph, searching.search)
register(procedures.GET, Graph, reading.get)
register(procedures.NEIGHBOURHOOD, Graph, neighbourhoods.neighbourhood)
register(procedures.CONTEXT, Graph, narrative.context)
register(procedures.EXPLAIN, Graph, explaining.explain)
register(procedures.STATS, Graph, statistics.stats)

register(procedures.LINK, Graph, linking.link)
register(procedures.MERGE, Graph, merging.merge)
register(procedures.SPLIT, Graph, splitting.split)
register(procedures.END, Graph, ending.end)
register(procedures.UNMERGE, Graph, undoing.unmerge)
register(procedures.LIST, Graph, admin.listed)
register(procedures.MERGES, Graph, admin.merges)

register(procedures.CONSOLIDATE_DAILY, Graph, daily.consolidate)
register(procedures.CONSOLIDATE_WEEKLY, Graph, weekly.consolidate)
register(procedures.CONNECTIONS, Graph, communities.connections)
register(procedures.SETTLE_COMMUNITIES, Graph, communities.settle)
register(procedures.SILENT_SESSIONS, Graph, due.silent)
register(procedures.SCOPES, Graph, due.scopes)
