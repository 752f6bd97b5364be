"""Look up by index what a call reads that came without a look-up: one of a person in Lab.

`nested_query` runs what the rule asks for. Where that cannot be, a bare call reads all nodes.

A look-up does not see what the calling transaction wrote (see `nested_query`). So there is none
if anything else may have been written in it: today's way, slower, sees that.
"""

import functools
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

from .primitives import Lookup

re: Final[Any] = __import__("re")

# It stands above the layers, whose declarations it reads.
_PLANNING: Final = "conceptgraph_core.cypher.planning"
_ELSEWHERE: Final = "only Memgraph runs a query within a call"
_MODULES: Final = "conceptgraph|memorygraph|entitygraph|everyday"
_LITERAL: Final = re.compile(
    r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`]*`|//[^\n]*|/\*.*?\*/""", re.DOTALL
)
_WRITING: Final = re.compile(
    r"(?<!\.)\b(CREATE|MERGE|SET|DELETE|REMOVE|FOREACH|LOAD|DROP)\b", re.IGNORECASE
)
_CALLED: Final = re.compile(r"\bCALL\s+([\w.]+)\s*\(", re.IGNORECASE)
# How many transactions are remembered; two statements of one are never this far apart.
_REMEMBERED: Final = 1_000


class BareCalls:
    """The look-ups of bare calls in this server; `problem` says why there are none."""

    def __init__(self) -> None:
        self._queries: Any = None
        self.problem: str | None = None
        # The transactions in which a bare call wrote: the one thing that outlives a call here.
        self._wrote: deque[int] = deque(maxlen=_REMEMBERED)

    def check(self, graph: Any) -> str:
        """Return why no look-up can run on *graph*, the one below `mgp.Graph`; "" if it can."""
        if self.problem is None:
            self.problem = self._load(graph)
        return self.problem

    def _load(self, graph: Any) -> str:
        # The embedded host has look-ups of its own, and a later `mgp` may hide what lies below.
        if graph is None or hasattr(graph, "look_up"):
            return _ELSEWHERE
        from .nested_query import NestedQueries

        self._queries = NestedQueries(type(graph))
        return str(self._queries.problem)

    def look_ups(
        self, ctx: Any, name: str, writes: bool, now_ms: int
    ) -> Callable[[Lookup], Mapping[str, Any] | None] | None:
        """Return what runs the look-ups of the procedure *name*; None if nothing can."""
        graph = getattr(ctx.graph, "_graph", None)
        if self.check(graph):
            return None
        try:
            if not self._queries.has_room(graph) or not self._is_first(graph, name, writes):
                return None
        except self._queries.failed:
            # It may have been ended together with the call.
            ctx.check_must_abort()
            return None
        run = functools.partial(self._queries.rows, graph)
        planning = __import__(_PLANNING, fromlist=["*"])

        def answer(lookup: Lookup) -> Mapping[str, Any] | None:
            try:
                told: Mapping[str, Any] = planning.answer(run, lookup, now_ms)
            except self._queries.failed:
                ctx.check_must_abort()
                return None
            return told

        return answer

    def _is_first(self, graph: Any, name: str, writes: bool) -> bool:
        """Tell whether nothing else can have been written in the transaction of this call."""
        transaction = self._queries.timestamp(graph)
        if transaction in self._wrote:
            return False
        mine = [
            row["query"]
            for row in self._queries.rows(graph, "SHOW TRANSACTIONS", {})
            if row["query"] and name in row["query"][-1]
        ]
        # Another's cannot be told from one's own, so all of them must be alone.
        if not mine or not all(len(one) == 1 and is_alone(one[0]) for one in mine):
            return False
        if writes:
            self._wrote.append(transaction)
        return True


def is_alone(query: str) -> bool:
    """Tell whether *query* writes by nothing but one procedure of these modules."""
    text = _LITERAL.sub(" ", query)
    called = _CALLED.findall(text)
    ours = [one for one in called if re.fullmatch(rf"(?:{_MODULES})\.\w+", one)]
    return not _WRITING.search(text) and len(called) == len(ours) == 1


BARE: Final = BareCalls()
