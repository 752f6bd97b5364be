"""Look up by index what a call reads that came without a look-up: one of a person in Lab.

`nested_query` runs the look-up and the folder `shell`, which `install-modules` puts beside this
package, knows what each procedure reads. Where either is missing, a bare call reads all nodes.

A look-up does not see what the calling transaction wrote (see `nested_query`). So there is none
if anything else may have been written in it: today's way, slower, sees that.
"""

import functools
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .. import context as contexts
from .primitives import Lookup

re: Final[Any] = __import__("re")

_SHELL: Final = "conceptgraph_core.shell.hosts.memgraph.bare_calls"
_ELSEWHERE: Final = "only Memgraph runs a query within a call"
_NOT_DEPLOYED: Final = "the look-ups of calls are not deployed beside the modules"
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
        self._shell: Any = None
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
        if self._queries.problem:
            return str(self._queries.problem)
        try:
            self._shell = __import__(_SHELL, fromlist=["*"])
        except ImportError:
            return _NOT_DEPLOYED
        return ""

    def told(
        self,
        ctx: Any,
        name: str,
        writes: bool,
        given: Sequence[tuple[str, Any]],
        told: Mapping[str, Any],
    ) -> tuple[Mapping[str, Any], "Callable[[Lookup], Mapping[str, Any] | None] | None"]:
        """Return the context *told* to the procedure *name*, with what it reads if that is known.

        *given* are its other arguments, by name. The second result runs its further look-ups; None
        if nothing can.
        """
        graph = getattr(ctx.graph, "_graph", None)
        if self.check(graph):
            return told, None
        try:
            if not self._queries.has_room(graph) or not self._is_first(graph, name, writes):
                return told, None
            run = functools.partial(self._queries.rows, graph)
            context = contexts.parse(told)
            looked = self._shell.look_up(run, name, given, told, context)
        except self._queries.failed:
            # It may have been ended together with the call.
            ctx.check_must_abort()
            return told, None
        nested = functools.partial(self._answer, ctx, run, context)
        return told if looked is None else {**looked, **told}, nested

    def _answer(
        self, ctx: Any, run: Any, context: contexts.Context, lookup: Lookup
    ) -> Mapping[str, Any] | None:
        try:
            answer: Mapping[str, Any] = self._shell.answer(run, lookup, context)
        except self._queries.failed:
            ctx.check_must_abort()
            return None
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
