"""CALL memorygraph.*: texts that an agent keeps, their links, and how they fade.

The last argument of every procedure is an optional map, the context (see
conceptgraph_core/verbs/context.py); its user_id says whose memories these are. Times are unix
milliseconds. `CALL mg.procedures() YIELD name, signature;` shows all arguments and fields.
"memory_id of create" stands for the id that `create` has yielded.

One memory:

CALL memorygraph.create("Daniele moved to Turin") YIELD memory_id, state;
    Store a text once, with its concepts; returns similar memories.
CALL memorygraph.get("memory_id of create") YIELD content, state;
    Return a memory in full; counts as an access.
CALL memorygraph.peek("memory_id of create") YIELD content, state;
    Return a memory in full; counts as no access.
CALL memorygraph.update("memory_id of create", null, "Tea, green", ["drinks"]) YIELD summary, tags;
    Change fields of a memory, without an access; null leaves a field, "" removes it.
CALL memorygraph.forget("2", "It was coffee") YIELD deleted_at;
    Hide a memory; `restore` brings it back.
CALL memorygraph.touch(["memory_id of create"]) YIELD access_count, state;
    Count an access of each memory, as `get` does.
CALL memorygraph.decay_status("memory_id of create") YIELD state, next_state, next_state_at;
    Return the current score and state of a memory, and its next state and when that comes.
CALL memorygraph.preserve("memory_id of create", "favorite") YIELD state, preserved;
    Keep a memory from fading: by a tag, or without one until a time.

Values of programs:

CALL memorygraph.items([{do: "put", path: "notes/tea", text: "Green tea at four"}]) YIELD id;
    Get, find, put and remove values under paths, in one transaction; each is a memory.
CALL memorygraph.peek_items([{do: "find", under: "notes"}]) YIELD path, value;
    Do the steps of `items` that only read: get and find.

Finding them:

CALL memorygraph.recent(5) YIELD text, state;
    Return the memories created or accessed last, the latest first; counts no access.
CALL memorygraph.search("Where does Daniele live?") YIELD text, score, matched;
    Return the memories that match a question, the best first; without one, the latest.
CALL memorygraph.context("Where does Daniele live?", 500) YIELD text, tokens;
    Return matching memories and linked ones as one text, and count an access of each.
CALL memorygraph.peek_context("Where does Daniele live?", 500) YIELD text, tokens;
    Return the text of `context` without counting any access.
CALL memorygraph.link("memory_id of create", "1", "supports") YIELD strength, created;
    Link two memories, strengthen their link by *amount*, or set it to *strength*; 0 unlinks.
CALL memorygraph.relink("memory_id of create", "1", "supports") YIELD strength, restored;
    Restore a removed link with its strength at that time.
CALL memorygraph.connected("memory_id of create") YIELD text, relation, strength;
    Return the memories linked to one, each once, by its strongest link; the strongest first.
CALL memorygraph.explore("memory_id of create", 2) YIELD distance, text;
    Return the memories around one, breadth first, itself first.
CALL memorygraph.traverse("memory_id of create", "bfs", 3, 100, "outgoing") YIELD depth, text, link;
    Return the memories reachable along links, "bfs" or "dfs", the start first.
CALL memorygraph.stats() YIELD nodes, edges, isolated;
    Count memories and links by state, source and type.
CALL memorygraph.analysis(5) YIELD top_connectors;
    Return the distribution of links, and the memories with the most links.

For the owner, and for the worker on their behalf:

CALL memorygraph.ingest([{id: "1", text: "Hello", thread: "a", said_at: 0},
        {id: "2", text: "Tea at four", thread: "a", said_at: 1}]) YIELD created;
    Store messages, {id, text, thread, speaker, said_at, tags}, each once, in a thread's order.
    Stored messages stay; `differing` are the ids of those whose stored text differs.
CALL memorygraph.ingested([{id: "1", text: "Hello", thread: "a", said_at: 0}]) YIELD existing;
    Return the ids of the messages that `ingest` would leave unchanged, and of those that differ.
CALL memorygraph.retract("notes-1a2b3c", ["1"]) YIELD removed, kept;
    Remove for ever the given memories that this import alone brought, with what rests on them.
CALL memorygraph.revise("memory_id of create", {importance: 0.7}, {importance: 0.9})
YIELD importance;
    Change content, summary or importance of a memory if it is still as seen; keep its old version.
CALL memorygraph.list(["archived", "expired"]) YIELD memory_id, text, deleted_at;
    List memories with any of some states and any of some tags, hidden ones included.
CALL memorygraph.show("2") YIELD content, state, deleted_at;
    Return a memory in full, even a hidden one, and its next state; counts no access.
CALL memorygraph.expired("2") YIELD memory_id, text, deleted_at;
    Return the expired memories that match a query, or all; `restore` brings one back. With
    forgotten true, forgotten ones too.
CALL memorygraph.unindexed() YIELD memories;
    Return how many memories `search` cannot find by words; the command `index` helps.
CALL memorygraph.restore("2") YIELD restored, state;
    Restore a forgotten or expired memory in full.
CALL memorygraph.purge(7776000000, [], 500, true) YIELD memory_id, deleted_at;
    Remove for ever the memories deleted before the retention window; returns them.
CALL memorygraph.decay_batch(500, null, true) YIELD processed, transitioned, changes;
    Update scores and states of the next memories by id; pass `last` as `after` next time.
CALL memorygraph.scopes() YIELD user_id;
    Return the users who have memories.
CALL memorygraph.worker_status() YIELD paused, holder, processed;
    Return the lease, whether work is paused, and the counters of past runs.
CALL memorygraph.worker_lease("me", 60000) YIELD acquired, holder, lease_until;
    Lease the work to one worker for some time, if it is free; 0 gives the lease back.
CALL memorygraph.worker_pause(true) YIELD paused;
    Pause the worker, or let it continue.
CALL memorygraph.worker_report("me", {runs: 1, processed: 20}) YIELD runs, processed;
    Add a worker's report to its counters.
CALL memorygraph.record_backup("/backups/20260301-120000Z.jsonl.gz") YIELD finished_at;
    Record where a backup was just written.
CALL memorygraph.last_backup() YIELD file, finished_at;
    Return the last recorded backup.
"""

from conceptgraph_core.cascade import forgetting
from conceptgraph_core.graph.registering import Module
from conceptgraph_core.jobs import worker
from conceptgraph_core.jobs.worker import Work
from conceptgraph_core.memories import (
    crud,
    ingesting,
    items,
    lifecycle,
    links,
    procedures,
    statistics,
    traversal,
)
from conceptgraph_core.memories import search as searching
from conceptgraph_core.memories.view import AllMemories, DeletedMemories, Graph
from conceptgraph_core.recall import answering

register = Module(__doc__).register

register(procedures.CREATE, Graph, crud.create)
register(procedures.GET, Graph, crud.get)
register(procedures.UPDATE, Graph, crud.update)
register(procedures.REVISE, Graph, crud.revise)
register(procedures.FORGET, Graph, forgetting.forget_memory)
register(procedures.TOUCH, Graph, lifecycle.touch)
register(procedures.DECAY_STATUS, Graph, lifecycle.status)
register(procedures.PRESERVE, Graph, lifecycle.preserve)
register(procedures.ITEMS, AllMemories, items.items)
register(procedures.PEEK_ITEMS, AllMemories, items.items)

register(procedures.RECENT, Graph, crud.recent)
register(procedures.SEARCH, Graph, searching.search)
register(procedures.CONTEXT, Graph, answering.context)

register(procedures.LINK, Graph, links.link)
register(procedures.RELINK, Graph, links.relink)
register(procedures.CONNECTED, Graph, traversal.list_connected)
register(procedures.EXPLORE, Graph, traversal.explore)
register(procedures.TRAVERSE, Graph, traversal.traverse)
register(procedures.STATS, Graph, statistics.stats)
register(procedures.ANALYSIS, Graph, statistics.analysis)

register(procedures.INGEST, AllMemories, ingesting.ingest)
register(procedures.INGESTED, AllMemories, ingesting.find_ingested)
register(procedures.RETRACT, AllMemories, forgetting.retract)
register(procedures.LIST, AllMemories, crud.list_memories)
register(procedures.SHOW, AllMemories, crud.show)
register(procedures.EXPIRED, DeletedMemories, searching.search_expired)
register(procedures.UNINDEXED, AllMemories, crud.count_unindexed)
register(procedures.RESTORE, AllMemories, forgetting.restore_memory)
register(procedures.PURGE, AllMemories, forgetting.purge_memories)
register(procedures.DECAY_BATCH, AllMemories, lifecycle.batch)
register(procedures.SCOPES, AllMemories, crud.scopes)
register(procedures.WORKER_STATUS, Work, worker.status)
register(procedures.WORKER_LEASE, Work, worker.lease)
register(procedures.WORKER_PAUSE, Work, worker.pause)
register(procedures.WORKER_REPORT, Work, worker.report)
register(procedures.RECORD_BACKUP, Work, worker.record_backup)
register(procedures.LAST_BACKUP, Work, worker.last_backup)
