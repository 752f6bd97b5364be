"""Declare the verbs on memories: of agents, of their owner and of the worker.

Build the calls that take many.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from conceptgraph_core.graph.layers import SHARED
from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.jobs.schema import BATCH
from conceptgraph_core.memories import lookups, procedures, schema
from conceptgraph_core.memories.fade import EXPIRED, STATES
from conceptgraph_core.memories.filters import Wanted
from conceptgraph_core.memories.lookups import ids, latest, listed_by, near
from conceptgraph_core.recall import budgets
from conceptgraph_core.retrieval.schema import DEFAULT_LIMIT, MAX_LIMIT
from conceptgraph_core.texts import text
from conceptgraph_core.texts.text import limit as read_limit
from conceptgraph_core.verbs.arguments import (
    INNER,
    UNTIL,
    AskedAt,
    Asker,
    Between,
    MemoryId,
    Most,
    OneOf,
    Query,
    SourceFilter,
    TextBudget,
    Unit,
    When,
)
from conceptgraph_core.verbs.procedures import NOTHING

from .call import Call, checked, spoken, spoken_context, whose
from .verb import verb

# The name of an embedding, and a vector computed with it.
Embedded = tuple[str, Sequence[float]]
# The steps of `items` that write.
WRITING = frozenset({"put", "use", "forget", "remove"})
PreservingTag = Literal["permanent", "important", "bookmark", "favorite", "pinned", "preserved"]


def of_memory(memory_id: MemoryId) -> list[Lookup]:
    """Take one memory."""
    return [ids(memory_id)]


get = verb(procedures.GET)(of_memory)
decay_status = verb(procedures.DECAY_STATUS)(of_memory)
# All of a memory, for the owner, forgotten or not; it accesses nothing.
show = verb(procedures.SHOW)(of_memory)
restore = verb(procedures.RESTORE)(of_memory)


@verb(procedures.CREATE, is_of_user=True, is_worded=True)
def create(
    scope: str,
    content: Annotated[str, "The text to keep, in plain words."],
    source: Annotated[
        str, "Its origin: conversation, research, reflection …"
    ] = schema.DEFAULT_SOURCE,
    summary: Annotated[str | None, "A sentence that stands for a long content in lists."] = None,
    tags: Annotated[Sequence[str], "important, pinned and the like keep it from fading."] = (),
    type: Annotated[str | None, "The kind of memory: fact, preference, task …"] = None,
    importance: Annotated[Unit, "How much it matters, 0 to 1."] = schema.DEFAULT_IMPORTANCE,
    confidence: Annotated[Unit, "How sure it is, 0 to 1."] = schema.DEFAULT_CONFIDENCE,
    concepts: Annotated[
        Sequence[str], "Its subjects; a search by these finds it, even if its text lacks them."
    ] = (),
    parent_id: Annotated[str | None, "The memory_id of what it is a part of."] = None,
    metadata: Annotated[Mapping[str, Any], "Anything else, as a map."] = NOTHING,
    decay_rate: Annotated[
        Annotated[float, Between(0)] | None,
        "How fast it fades, per day; else importance says so (0.7: 0.01).",
    ] = None,
    embedded: Embedded | None = None,
) -> list[Lookup]:
    """Store *content*."""
    texts = {"content": content, "summary": summary, "concepts": list(concepts)}
    given = {"source": source, "type": type, "tags": list(tags), "metadata": dict(metadata or {})}
    _storable(texts | given)
    vector = () if embedded is None else embedded[1]
    found = lookups.similar(scope, texts, vector, spoken())
    return [found] if parent_id is None else [ids(parent_id, field="parent_id"), found]


@verb(procedures.UPDATE, is_of_user=True, is_worded=True)
def update(
    scope: str,
    memory_id: MemoryId,
    content: Annotated[str | None, "The new text."] = None,
    summary: Annotated[str | None, 'A sentence for lists; "" for none.'] = None,
    tags: Annotated[Sequence[str] | None, "All that it is to have, in place of the others."] = None,
    type: Annotated[str | None, 'Its kind; "" for none.'] = None,
    importance: Annotated[Unit | None, "How much it matters."] = None,
    confidence: Annotated[Unit | None, "How sure it is."] = None,
    metadata: Annotated[Mapping[str, Any] | None, "All of it, in place of what was there."] = None,
    concepts: Annotated[
        Sequence[str] | None, "All that it is about, in place of the others."
    ] = None,
    source: Annotated[str | None, "Its origin."] = None,
    parent_id: Annotated[str | None, 'The memory_id of its whole; "" for none.'] = None,
    decay_rate: Annotated[
        Annotated[float, Between()] | None,
        "How fast it fades, per day; -1: as its importance says.",
    ] = None,
) -> list[Lookup]:
    """Set all arguments but None; "" removes a summary, type or parent."""
    given = {"content": content, "summary": summary or None, "type": type or None}
    _storable({**given, "tags": tags, "concepts": concepts, "metadata": metadata, "source": source})
    found: list[Lookup] = [ids(one) for one in (memory_id, parent_id) if one]
    told = {"content": content, "summary": summary, "concepts": concepts}
    if any(one is not None for one in told.values()):
        found += lookups.indexed(scope, memory_id, told, spoken())
    return found


@verb(procedures.REVISE, is_of_user=True, is_worded=True)
def revise(
    scope: str,
    memory_id: str,
    seen: Mapping[str, Any],
    changes: Mapping[str, Any],
    takes_back: int | None = None,
) -> list[Lookup]:
    """Set *changes*, for the owner, where the memory still is as *seen*."""
    given = {name: changes.get(name) for name in ("content", "summary", "importance")}
    return [*update.make_call(scope=scope, memory_id=memory_id, **given).wanted]


@verb(procedures.FORGET)
def forget(
    memory_id: MemoryId, reason: Annotated[str | None, "Why, for whoever asks later."] = None
) -> list[Lookup]:
    """Hide a memory; only the owner can restore it."""
    return [lookups.resting(memory_id)]


@verb(procedures.RECENT, is_of_user=True)
def recent(
    scope: str,
    limit: Annotated[
        int, Between(1, schema.MAX_ROWS, clamps=True), "At most this many."
    ] = schema.RECENT,
    source_filter: SourceFilter = None,
) -> list[Lookup]:
    """List the latest memories."""
    return [lookups.recent(scope, limit, source_filter)]


# Counts an access of each memory.
touch = verb(procedures.TOUCH)(lambda memory_ids: [ids(*memory_ids)])


@verb(procedures.PRESERVE)
def preserve(
    memory_id: MemoryId,
    tag: Annotated[PreservingTag | None, "The tag that keeps it."] = None,
    until: Annotated[
        When | None, UNTIL, "A date or time, e.g. 2026-01-31: keeps it until then, no tag."
    ] = None,
) -> list[Lookup]:
    """Keep a memory by *tag*, or until a time without one."""
    return [ids(memory_id)]


def _storable(given: Mapping[str, Any]) -> None:
    """Check the arguments early, because some values must not even reach a database."""
    for name, value in given.items():
        if value is not None:
            schema.KIND.declared(name).check(value, name)


@checked
def ingest(scope: str, messages: Sequence[Mapping[str, Any]]) -> Call:
    """Return the call that stores the new ones of *messages*, in one transaction."""
    found = lookups.ingested(scope, messages, spoken())
    return Call(procedures.INGEST, (list(messages),), spoken_context(), [found])


@checked
def ingested(messages: Sequence[Mapping[str, Any]]) -> Call:
    """Return the call that finds those of *messages* that are stored."""
    found = ids(*dict.fromkeys(message["id"] for message in messages))
    return Call(procedures.INGESTED, (list(messages),), wanted=[found])


# Removes those of the memories that rest on the import alone.
retract = verb(procedures.RETRACT)(lambda import_id, memory_ids: None)


@checked
def items(
    scope: str,
    steps: Sequence[Mapping[str, Any]],
    embedded: Embedded | None = None,
    concept_scope: str = SHARED,
) -> Call:
    """Return the call that does *steps*, as `memories.items` says, in one transaction.

    A step with a query is a call of its own; *embedded* is its vector, if there is one.
    """
    model, vector = embedded or (None, ())
    arguments = (list(steps), list(vector), model)
    writes = any(step.get("do") in WRITING for step in steps)
    procedure = procedures.ITEMS if writes else procedures.PEEK_ITEMS
    context = spoken_context()
    # Checked early, because some texts must not even reach a database.
    checks = dict.fromkeys(("path", "under"), schema.checked_path)
    checks |= dict.fromkeys(("value", "text"), schema.checked_value)
    for step in steps:
        for name, check in checks.items():
            if step.get(name) is not None:
                check(step[name], name)
        if step.get("query"):
            context |= whose(concept_scope)
    return Call(procedure, arguments, context=context)


AnyQuery = Annotated[str | None, 'A question or a sentence; dates are read. "" lists the latest.']
PresentState = Literal["active", "dormant", "archived"]
# The text is rendered again with days in the session's zone.
_CONTEXT = procedures.CONTEXT.without("text")


@verb(procedures.SEARCH, is_of_user=True, is_worded=True)
def search(
    scope: str,
    query: AnyQuery,
    limit: Annotated[Most, "At most this many."] = schema.FOUND,
    source_filter: SourceFilter = None,
    types: Annotated[Sequence[str], "Only those of one of these types; none: of any."] = (),
    tags: Annotated[Sequence[str], "Only those with one of these tags."] = (),
    states: Annotated[Sequence[PresentState], "Only those in one of these states."] = (),
    embedded: Embedded | None = None,
    *,
    asker: Asker = None,
    asked_at: AskedAt = None,
    explained: Annotated[bool, INNER] = False,
    concept_scope: str = SHARED,
) -> list[Lookup]:
    """Find the memories for *query*; without one, list the latest that pass the filters."""
    wanted = Wanted.of(source_filter, types, tags, states)
    depth = max(read_limit(limit, DEFAULT_LIMIT, MAX_LIMIT), schema.SEARCH_DEPTH)
    if query:
        return [] if embedded is None else near(scope, embedded[1], depth, wanted)
    return [listed_by(scope, wanted, depth)]


@verb(_CONTEXT, is_of_user=True, is_worded=True)
def context(
    scope: str,
    query: Query,
    token_budget: TextBudget = budgets.DEFAULT_BUDGET,
    embedded: Embedded | None = None,
    concept_scope: str = SHARED,
    *,
    asker: Asker = None,
    asked_at: AskedAt = None,
) -> list[Lookup]:
    """Assemble the context of *query*, and access it."""
    return [] if embedded is None else near(scope, embedded[1], schema.SEARCH_DEPTH)


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


@verb(procedures.TRAVERSE, is_of_user=True)
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


@verb(procedures.STATS, is_of_user=True)
def stats(scope: str) -> list[Lookup]:
    """Count memories and links."""
    return [lookups.counted(scope)]


@verb(procedures.ANALYSIS, is_of_user=True)
def analysis(
    scope: str,
    top: Annotated[
        int, Between(1, schema.MAX_TOP, clamps=True), "How many of the most linked memories."
    ] = schema.DEFAULT_TOP,
) -> None:
    """Return how links are distributed, and which memories have most of them."""


@verb(procedures.LIST, is_of_user=True)
def listed(
    scope: str,
    states: Annotated[Sequence[Annotated[str, OneOf(STATES)]], "Only those in these states."] = (),
    limit: Annotated[int, Between(1, schema.MAX_ROWS), "At most this many."] = schema.LISTED,
    tags: Sequence[str] = (),
) -> None:
    """List, for the owner, all memories in *states* that have any of *tags*; none: any."""


@verb(procedures.EXPIRED, is_of_user=True, is_worded=True)
def expired(
    scope: str,
    query: str | None = None,
    limit: Annotated[Most, "At most this many."] = schema.FOUND,
    source_filter: str | None = None,
    types: Sequence[str] = (),
    tags: Sequence[str] = (),
    forgotten: bool = False,
) -> list[Lookup]:
    """Find expired memories, or without *query* list them; with *forgotten*, forgotten ones too."""
    return [latest(scope, [EXPIRED], schema.MAX_COUNTED)] if query is None else []


@checked
def purgeable(retention_ms: int, limit: int = BATCH) -> Call:
    """Return the call for the memories that `purge` would remove now; it writes nothing."""
    return Call(procedures.PURGE, (retention_ms, [], limit, True, None))


@checked
def purge(retention_ms: int, memory_ids: Sequence[str], holder: str | None = None) -> Call:
    """Return the call that permanently removes those of *memory_ids* that are `purgeable`.

    *holder* is the worker that runs it, if any.
    """
    arguments = (retention_ms, list(memory_ids), len(memory_ids) or 1, False, holder)
    return Call(procedures.PURGE, arguments)


# The verbs of the owner and the worker.
unindexed = verb(procedures.UNINDEXED, is_of_user=True)(lambda scope: None)
decay_batch = verb(procedures.DECAY_BATCH, is_of_user=True)(
    lambda scope, limit=BATCH, after=None, dry_run=False, holder=None: None
)
# The first scope after one that has memories.
next_scope = verb(procedures.SCOPES)(lambda after=None, limit=1: None)
worker_status = verb(procedures.WORKER_STATUS)(lambda: None)
last_backup = verb(procedures.LAST_BACKUP)(lambda: None)
worker_lease = verb(procedures.WORKER_LEASE)(lambda holder, lease_ms: None)
worker_pause = verb(procedures.WORKER_PAUSE)(lambda paused: None)
worker_report = verb(procedures.WORKER_REPORT)(lambda holder, done: None)
record_backup = verb(procedures.RECORD_BACKUP)(lambda file: None)
