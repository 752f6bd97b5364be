"""CALL entitygraph.*: who said it, who it is, how far to trust it.

The last argument of every procedure is an optional map, the context (see
conceptgraph_core/verbs/context.py); all of them read and write for its user_id alone. Times are
unix milliseconds. `CALL mg.procedures() YIELD name, signature;` shows all arguments and fields.
"merge_id of merge" stands for the id that `merge` has yielded.

Recording:

CALL entitygraph.observe("s1", "m1", "user", "Max and the puppy chewed my shoe",
        [{label: "Max", type: "entity"}, {label: "puppy", type: "entity"}]) YIELD entities;
    Record the mentions of a message by the "user" or the "model"; each counts once.
CALL entitygraph.end_session("s1") YIELD edges_created, promoted;
    Consolidate a session: connect the entities it mentioned, once.
CALL entitygraph.fact("c71f368e-4492-8b3e-81a5-d360e3bf6d8f", "home", "Berlin")
YIELD fact_id, conflicts;
    State, correct or end a fact of an entity; contradictions are reported, never resolved.

Reading:

CALL entitygraph.search("Max") YIELD label, kind, trust;
    Search entities by name; those that only a model mentioned come last.
CALL entitygraph.get("c71f368e-4492-8b3e-81a5-d360e3bf6d8f") YIELD labels, trust, edges;
    Return an entity with all entities merged with it, and its facts.
CALL entitygraph.history("c71f368e-4492-8b3e-81a5-d360e3bf6d8f")
YIELD predicate, value, valid_until, known_until;
    List the facts of an entity, ended and corrected ones too, with the sentence of each.
CALL entitygraph.presence(["c71f368e-4492-8b3e-81a5-d360e3bf6d8f"], [1746057600000, 1750000000000])
YIELD label, user, feelings, returns;
    Count the mentions of entities between given times, the feelings, and returns after a silence.
CALL entitygraph.context("Is Max well?", 500) YIELD text, sources;
    Narrate the entities that a message names, in at most so many tokens.
CALL entitygraph.explain("c71f368e-4492-8b3e-81a5-d360e3bf6d8f") YIELD text, node, relation;
    Explain an entity, or the edge of a type between two; one reason a row.
CALL entitygraph.stats() YIELD measure, value, note;
    Count a user's entities by status, their edges by type, and open questions.

Identity:

CALL entitygraph.link("62b34f29-853a-81f2-9159-7aeed2f67ded",
        "c71f368e-4492-8b3e-81a5-d360e3bf6d8f", null, "one dog", "model") YIELD verdict;
    Judge the claim that two entities are the same; its confidence is ignored.
CALL entitygraph.questions() YIELD one, other, similarity, reason;
    List the open questions whether two entities are the same, the most similar first.
CALL entitygraph.answer("62b34f29-853a-81f2-9159-7aeed2f67ded",
        "c71f368e-4492-8b3e-81a5-d360e3bf6d8f", false, "two dogs") YIELD merge_id;
    Answer, as the owner, whether two entities are the same; unmerge undoes the answer.
CALL entitygraph.merge("62b34f29-853a-81f2-9159-7aeed2f67ded",
        "c71f368e-4492-8b3e-81a5-d360e3bf6d8f", "one dog", "user_correction",
        "The puppy is Max") YIELD verdict, merge_id;
    Merge one entity into another; unmerge undoes it.
CALL entitygraph.unmerge("merge_id of merge", "two dogs") YIELD separate, undo;
    Undo a merge, a split or an end; the pair of an undone merge is not proposed again.
CALL entitygraph.split("c71f368e-4492-8b3e-81a5-d360e3bf6d8f", ["id of a mention"], null,
        "Max at work is another Max", "two") YIELD entity_id, merge_id;
    Move mentions and facts, whose ids `get` tells, to a new entity of that name; unmerge undoes it.
CALL entitygraph.end("c71f368e-4492-8b3e-81a5-d360e3bf6d8f", "Max died in May", "he died")
YIELD verdict, merge_id;
    End an entity, so that its name may mean another one; unmerge undoes it.
CALL entitygraph.forget("c71f368e-4492-8b3e-81a5-d360e3bf6d8f", "a private matter")
YIELD forgotten_at;
    Hide a fact, a mention or an entity, with all that rests on it alone.
CALL entitygraph.restore("c71f368e-4492-8b3e-81a5-d360e3bf6d8f") YIELD restored;
    Bring back what was forgotten with that id.
CALL entitygraph.purge(2592000000) YIELD id, text;
    Remove for ever what was forgotten longer ago, with all that was hidden with it.
CALL entitygraph.list(["ambiguous"]) YIELD entity_id, label, status;
    List entities by status, the ones activated last first, forgotten ones included.
CALL entitygraph.merges() YIELD merge_id, source, target, reason, is_active;
    Return the ledger, the latest entry first, undone ones included; or one entry.

For the nightly runs:

CALL entitygraph.consolidate_daily("decay", null, 500, true) YIELD changes, last;
    Run a daily step for the next entities; pass *last* as *after* next time.
CALL entitygraph.consolidate_weekly("prune", null, 500, true) YIELD changes, last;
    Run a weekly step for the next entities; pass *last* as *after* next time.
CALL entitygraph.connections(null, 10) YIELD label, community, others, weights;
    Return the next entities by id, with the weights of their outgoing edges.
CALL entitygraph.settle_communities({a: "a", b: "a"}) YIELD changed;
    Set the communities of entities, {entity_id: community}.
CALL entitygraph.silent_sessions() YIELD session_id;
    Return the sessions that nobody ended, and that have been silent for an hour.
CALL entitygraph.scopes() YIELD user_id;
    Return the users who have entities, by name, those that come after *after*.
"""

from conceptgraph_core.cascade import forgetting, texts
from conceptgraph_core.entities import inspecting, procedures, reasons
from conceptgraph_core.entities.consolidation import batches, daily, weekly
from conceptgraph_core.entities.identity import judging, merging, splitting
from conceptgraph_core.entities.narration import describing, narrative
from conceptgraph_core.entities.node import Graph
from conceptgraph_core.entities.observation import session_end
from conceptgraph_core.graph.registering import Module
from conceptgraph_core.memories.view import AllMemories
from conceptgraph_core.memories.view import Graph as Memories

register = Module(__doc__).register

register(procedures.OBSERVE, AllMemories, texts.observe)
register(procedures.END_SESSION, Graph, session_end.end)
register(procedures.FACT, AllMemories, texts.state_fact)

register(procedures.SEARCH, Graph, inspecting.search)
register(procedures.GET, Graph, describing.get)
register(procedures.HISTORY, Graph, describing.history)
register(procedures.PRESENCE, Graph, inspecting.presence)
register(procedures.CONTEXT, Graph, narrative.context)
register(procedures.EXPLAIN, Graph, reasons.explain)
register(procedures.STATS, Graph, inspecting.stats)

register(procedures.LINK, Graph, judging.link)
register(procedures.MERGE, Graph, merging.merge)
register(procedures.SPLIT, Graph, splitting.split)
register(procedures.END, Graph, judging.end)
register(procedures.ANSWER, Graph, judging.answer)
register(procedures.QUESTIONS, Graph, judging.questions)
register(procedures.UNMERGE, Graph, judging.unmerge)
register(procedures.FORGET, Memories, forgetting.forget)
register(procedures.RESTORE, Memories, forgetting.restore)
register(procedures.PURGE, Graph, forgetting.purge)
register(procedures.LIST, Graph, inspecting.listed)
register(procedures.MERGES, Graph, inspecting.merges)

register(procedures.CONSOLIDATE_DAILY, Graph, daily.consolidate)
register(procedures.CONSOLIDATE_WEEKLY, Graph, weekly.consolidate)
register(procedures.CONNECTIONS, Graph, batches.connections)
register(procedures.SETTLE_COMMUNITIES, Graph, batches.settle_communities)
register(procedures.SILENT_SESSIONS, Graph, batches.list_silent)
register(procedures.SCOPES, Graph, batches.list_scopes)
