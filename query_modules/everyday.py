"""CALL everyday.*: one memory of what was said, who and what it was about, and what that evokes.

Declarations only; the rules are in conceptgraph_core. The last argument of every procedure is an
optional map, the context (see conceptgraph_core/context.py); its user_id says whose memory it is.
Concepts are everybody's. Times are unix milliseconds.
"""

import mgp

from conceptgraph_core.concepts import relations
from conceptgraph_core.concepts.node import Graph as Concepts
from conceptgraph_core.entities.node import Graph as Entities
from conceptgraph_core.everyday import (
    identifying,
    recalling,
    remembering,
    schema,
    searching,
    telling,
)
from conceptgraph_core.memories import crud
from conceptgraph_core.memories.view import Graph

RECALLED = mgp.Record(text=str, lines=mgp.List[mgp.Map], sources=mgp.List[mgp.Map], tokens=int)


@mgp.write_proc
def recall(
    ctx: mgp.ProcCtx,
    message: str,
    before: mgp.Nullable[str] = None,
    token_budget: mgp.Nullable[int] = schema.DEFAULT_BUDGET,
    vector: mgp.List[mgp.Number] = [],
    model: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> RECALLED:
    """Put together what belongs to a message: who and what, what was said, what comes to mind.

    Example:
        CALL everyday.recall("What is Lena allergic to?") YIELD text;
    """
    answer = recalling.recall(Graph(ctx, context), message, before, token_budget, vector, model)
    return [mgp.Record(**answer)]


@mgp.read_proc
def peek(
    ctx: mgp.ProcCtx,
    message: str,
    before: mgp.Nullable[str] = None,
    token_budget: mgp.Nullable[int] = schema.DEFAULT_BUDGET,
    vector: mgp.List[mgp.Number] = [],
    model: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> RECALLED:
    """Return what `recall` would, and count no access.

    Example:
        CALL everyday.peek("What is Lena allergic to?") YIELD text;
    """
    answer = recalling.recall(Graph(ctx, context), message, before, token_budget, vector, model)
    return [mgp.Record(**answer)]


@mgp.write_proc
def remember(
    ctx: mgp.ProcCtx,
    text: str,
    about: mgp.List[mgp.Any] = [],
    keep: str = schema.DEFAULT_KEEP,
    said: mgp.Nullable[str] = None,
    replaces: mgp.Nullable[str] = None,
    happened_at: mgp.Nullable[int] = None,
    vector: mgp.List[mgp.Number] = [],
    model: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> mgp.Record(id=str, existing=bool, similar=mgp.List[mgp.Map]):
    """Keep a text once, with who and what it is about, as long as "days", "years" or "always".

    Example:
        CALL everyday.remember("Lena is allergic to hazelnuts", ["Lena", "hazelnuts"], "years")
        YIELD id, existing;
    """
    answer = remembering.remember(
        Graph(ctx, context),
        text,
        about,
        keep,
        said,
        replaces,
        happened_at,
        vector,
        model,
    )
    return [mgp.Record(**answer)]


@mgp.read_proc
def search(
    ctx: mgp.ProcCtx,
    query: str,
    since: mgp.Nullable[int] = None,
    until: mgp.Nullable[int] = None,
    about: mgp.Nullable[str] = None,
    kinds: mgp.List[str] = [],
    limit: mgp.Nullable[int] = schema.DEFAULT_LIMIT,
    vector: mgp.List[mgp.Number] = [],
    model: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> mgp.Record(
    kind=str,
    id=str,
    text=str,
    at=int,
    who=mgp.Nullable[str],
    matched=mgp.List[str],
    total=int,
):
    """Find memories, episodes and entities by what they say or are called, and access none.

    Example:
        CALL everyday.search("hazelnuts", null, null, null, ["memory"]) YIELD id, text;
    """
    rows = searching.search(
        Graph(ctx, context), query, since, until, about, kinds, limit, vector, model
    )
    return [mgp.Record(**row) for row in rows]


@mgp.read_proc
def about(
    ctx: mgp.ProcCtx,
    name: str,
    limit: mgp.Nullable[int] = schema.DEFAULT_LIMIT,
    entity_id: mgp.Nullable[str] = None,
    vector: mgp.List[mgp.Number] = [],
    model: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> mgp.Record(
    id=mgp.Nullable[str],
    name=str,
    kind=mgp.Nullable[str],
    also=mgp.List[str],
    facts=mgp.List[mgp.Map],
    doubts=mgp.List[str],
    feeling=mgp.Nullable[float],
    relations=mgp.List[str],
    said=mgp.List[mgp.Map],
    more=mgp.Map,
):
    """Tell all that is kept about one name, what was so too; nothing is accessed.

    Example:
        CALL everyday.about("Lena") YIELD facts, said;
    """
    answer = telling.about(Graph(ctx, context), name, limit, entity_id, vector, model)
    return [mgp.Record(**answer)]


@mgp.write_proc
def forget(
    ctx: mgp.ProcCtx,
    id: str,
    reason: mgp.Nullable[str] = None,
    context: mgp.Map = {},
) -> mgp.Record(id=str, forgotten_at=int):
    """Take a memory out of sight; its owner can restore it, whole.

    Example:
        CALL everyday.forget("01J…", "it was a joke") YIELD forgotten_at;
    """
    row = crud.forget(Graph(ctx, context), id, reason)
    return [mgp.Record(id=row["memory_id"], forgotten_at=row["deleted_at"])]


@mgp.write_proc
def relate(
    ctx: mgp.ProcCtx, source: str, target: str, type: str, context: mgp.Map = {}
) -> mgp.Record(**{"from": str, "to": str, "type": str}):
    """State that a concept "is-a", is "part-of" or "evokes" another; everybody shares these.

    Example:
        CALL everyday.relate("hazelnut", "nut", "is-a") YIELD `from`, `to`;
    """
    row = relations.add(Concepts(ctx, context), source, target, type)
    return [mgp.Record(**{name: row[name] for name in ("from", "to", "type")})]


@mgp.write_proc
def identify(
    ctx: mgp.ProcCtx,
    a: str,
    b: mgp.Nullable[str],
    same: bool,
    said: str,
    context: mgp.Map = {},
) -> mgp.Record(verdict=str, undo=mgp.Nullable[str]):
    """Settle by the user's words whether two are the same; without b, a name is another's now.

    Example:
        CALL everyday.identify("Mike", "Michael", true, "Mike is Michael") YIELD verdict, undo;
    """
    answer = identifying.identify(Entities(ctx, context), a, b, same, said)
    return [mgp.Record(**answer)]
