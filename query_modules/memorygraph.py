"""CALL memorygraph.*: texts that an agent keeps, their links, and how they fade.

The last argument of every procedure is an optional map, the context (see
conceptgraph_core/context.py); its user_id says whose memories these are. Times are unix
milliseconds. `CALL mg.procedures() YIELD name, signature;` shows all arguments and fields.

One memory:

CALL memorygraph.create("Daniele moved to Turin") YIELD memory_id, state;
    Keep a text once, with what it is about; returns what is similar.
CALL memorygraph.get("tea") YIELD content, state;
    Return all of a memory, which counts as an access.
CALL memorygraph.peek("tea") YIELD content, state;
    Return all of a memory, which counts as no access.
CALL memorygraph.update("tea", null, "Tea, green", ["drinks"]) YIELD summary, tags;
    Change what is given of a memory, which is no access; null: stays, "": is taken away.
CALL memorygraph.forget("tea", "It was coffee") YIELD deleted_at;
    Take a memory out of sight; `restore` brings it back.
CALL memorygraph.touch(["tea"]) YIELD access_count, state;
    Count an access of each memory, as `get` does.
CALL memorygraph.decay_status("tea") YIELD state, next_state, next_state_at;
    Return how present a memory is as of now, and which state comes next and when.
CALL memorygraph.preserve("tea", "favorite") YIELD state, preserved;
    Keep a memory from fading: by a tag, or without one until a time.

Finding them:

CALL memorygraph.recent(5) YIELD text, state;
    Return the memories created or accessed last, the latest first; no access itself.
CALL memorygraph.search("Where does Daniele live?") YIELD text, score, matched;
    Return the memories that a question belongs to, the best first, or without one the latest.
CALL memorygraph.context("Where does Daniele live?", 500) YIELD text, tokens;
    Write down what belongs to a query, and what links lead to; each counts as accessed.
CALL memorygraph.peek_context("Where does Daniele live?", 500) YIELD text, tokens;
    Write down what `context` does, of which none counts as accessed.
CALL memorygraph.widened("What does the dog eat?") YIELD term, share, why;
    Return the terms that a question leads to by the entities and the concepts that it names.
CALL memorygraph.unnamed("What did Anna say about tea?") YIELD text;
    Return a query without the first names of speakers: the text to make its vector of.

Their links:

CALL memorygraph.link("6f1d…", "0b52…", "supports") YIELD strength, created;
    Link two memories, strengthen their link by *amount*, or set it to *strength*; 0 unlinks.
CALL memorygraph.relink("6f1d…", "0b52…", "supports") YIELD strength, restored;
    Bring back a link that was taken away, as strong as it was then.
CALL memorygraph.connected("6f1d…") YIELD text, relation, strength;
    Return the memories linked to one, each once, by its strongest link; the strongest first.
CALL memorygraph.explore("6f1d…", 2) YIELD distance, text;
    Return what lies around a memory, breadth first, itself first.
CALL memorygraph.traverse("6f1d…", "bfs", 3, 100, "outgoing") YIELD depth, text, link;
    Return what can be reached from a memory along links, "bfs" or "dfs", itself first.
CALL memorygraph.neighbourhood(["6f1d…"], 2) YIELD memory_id, hop, state, links;
    Return the memories around some, nearest first, as they stand now, with their links.
CALL memorygraph.stats() YIELD nodes, edges, isolated;
    Return how many memories and links there are, of which states, sources and types.
CALL memorygraph.analysis(5) YIELD top_connectors;
    Return how links are distributed, and the memories that have most of them.

For the owner, and for the worker on their behalf:

CALL memorygraph.ingest([{id: "1", text: "Hello", thread: "a", said_at: 0}]) YIELD created;
    Keep messages, {id, text, thread, speaker, said_at}, each once, in the order of its thread.
    What is there stays as it is; `differing` are the ids of what says something else there.
CALL memorygraph.list(["archived", "expired"]) YIELD memory_id, text, deleted_at;
    List memories in any of some states, with any of some tags, those that are out of sight too.
CALL memorygraph.show("tea") YIELD content, state, deleted_at;
    Return all of a memory, one that is out of sight too, and what comes next; no access.
CALL memorygraph.expired("tea") YIELD memory_id, text, deleted_at;
    Return what has expired and a query belongs to, or all of it; `restore` brings it back. With
    forgotten true, also what somebody forgot.
CALL memorygraph.unindexed() YIELD memories;
    Return how many memories `search` cannot find by words; the command `index` helps.
CALL memorygraph.restore("tea") YIELD restored, state;
    Bring back, whole, what was forgotten or has expired.
CALL memorygraph.purge(7776000000, [], 500, true) YIELD memory_id, deleted_at;
    Remove for ever what was deleted longer ago than the retention window; returns what that is.
CALL memorygraph.decay_batch(500, null, true) YIELD processed, transitioned, changes;
    Let time pass for the next memories by id; `last` is what comes next as `after`.
CALL memorygraph.scopes() YIELD user_id;
    Return whose memories there are.
CALL memorygraph.worker_status() YIELD paused, holder, processed;
    Return who works, whether work is paused, and what was done.
CALL memorygraph.worker_lease("me", 60000) YIELD acquired, holder, lease_until;
    Let one worker work for some time, if no other does; 0 gives it back.
CALL memorygraph.worker_pause(true) YIELD paused;
    Let no worker work, or let it work on.
CALL memorygraph.worker_report("me", {runs: 1, processed: 20}) YIELD runs, processed;
    Add what a worker has done to its counters.
"""

from conceptgraph_core.graph.registering import Module
from conceptgraph_core.jobs import worker
from conceptgraph_core.jobs.worker import Work
from conceptgraph_core.memories import (
    admin,
    crud,
    decay,
    ingesting,
    lifecycle,
    links,
    procedures,
    statistics,
    traversal,
)
from conceptgraph_core.memories import context as contexts
from conceptgraph_core.memories import neighbourhood as neighbourhoods
from conceptgraph_core.memories import search as searching
from conceptgraph_core.memories.view import AllMemories, DeletedMemories, Graph

register = Module(__doc__).register

register(procedures.CREATE, Graph, crud.create)
register(procedures.GET, Graph, crud.get)
register(procedures.UPDATE, Graph, crud.update)
register(procedures.FORGET, Graph, crud.forget)
register(procedures.TOUCH, Graph, lifecycle.touch)
register(procedures.DECAY_STATUS, Graph, lifecycle.status)
register(procedures.PRESERVE, Graph, lifecycle.preserve)

register(procedures.RECENT, Graph, crud.recent)
register(procedures.SEARCH, Graph, searching.search)
register(procedures.CONTEXT, Graph, contexts.context)
register(procedures.WIDENED, Graph, searching.widened)
register(procedures.UNNAMED, Graph, searching.unnamed)

register(procedures.LINK, Graph, links.link)
register(procedures.RELINK, Graph, links.relink)
register(procedures.CONNECTED, Graph, links.connected)
register(procedures.EXPLORE, Graph, traversal.explore)
register(procedures.TRAVERSE, Graph, traversal.traverse)
register(procedures.NEIGHBOURHOOD, Graph, neighbourhoods.neighbourhood)
register(procedures.STATS, Graph, statistics.stats)
register(procedures.ANALYSIS, Graph, statistics.analysis)

register(procedures.INGEST, AllMemories, ingesting.ingest)
register(procedures.LIST, AllMemories, admin.listed)
register(procedures.SHOW, AllMemories, admin.show)
register(procedures.EXPIRED, DeletedMemories, searching.expired)
register(procedures.UNINDEXED, AllMemories, admin.unindexed)
register(procedures.RESTORE, AllMemories, admin.restore)
register(procedures.PURGE, AllMemories, admin.purge)
register(procedures.DECAY_BATCH, AllMemories, decay.batch)
register(procedures.SCOPES, AllMemories, admin.scopes)
register(procedures.WORKER_STATUS, Work, worker.status)
register(procedures.WORKER_LEASE, Work, worker.lease)
register(procedures.WORKER_PAUSE, Work, worker.pause)
register(procedures.WORKER_REPORT, Work, worker.report)
