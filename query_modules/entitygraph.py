"""CALL entitygraph.*: who said it, who it is, how far to trust it.

Declarations only; the rules are in conceptgraph_core. The last argument of every procedure is an
optional map with now_ms, user_id, found and so on (see conceptgraph_core/context.py): all of them
read and write within that user_id alone.
"""

import mgp

from conceptgraph_core.entities import observing
from conceptgraph_core.entities.node import Graph


@mgp.write_proc
def observe(
    ctx: mgp.ProcCtx,
    session_id: str,
    message_id: str,
    speaker: str,
    text: str,
    observations: mgp.List[mgp.Map],
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
