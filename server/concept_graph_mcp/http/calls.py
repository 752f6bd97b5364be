"""Answer the messages of all users: each as its user, within the limits, counted and logged.

Messages of every method wait for their turn, and are charged with the processor time they take.
"""

import logging
import math
from collections.abc import Awaitable, Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import anyio
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_REQUEST, CallToolResult, TextContent
from mcp_types.methods import SPEC_CLIENT_METHODS
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response

from ..hosts.store import SPENT
from ..logs import tell
from ..serving import STORED
from ..session import Session
from .access import FORBIDDEN, WRITE, Gate, Room, asked_by
from .limits import REQUESTS_A_CALL, FairQueue, Limits, Rate, TooManyWaiting, metered

logger = logging.getLogger(__name__)
T = TypeVar("T")


_PREFIX = "concept_graph_http"
# Seconds: from a call in memory to the usual timeout.
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The counters of one server."""

    def __init__(self) -> None:
        made: dict[str, Any] = {"registry": CollectorRegistry(auto_describe=False)}
        self._registry = made["registry"]
        self.calls = Counter(
            f"{_PREFIX}_calls", "Calls of a tool, by outcome", ["tool", "outcome"], **made
        )
        self.seconds = Histogram(
            f"{_PREFIX}_call_seconds",
            "Seconds from a call to its answer, waiting included",
            ["tool"],
            buckets=_BUCKETS,
            **made,
        )
        self.requests = Counter(
            f"{_PREFIX}_requests",
            "Answered requests to /mcp and /page, by status",
            ["status"],
            **made,
        )

    def show(self, name: str, says: str, value: Callable[[], float]) -> None:
        """Add the gauge *name*, which *value* returns whenever it is read."""
        gauge = Gauge(f"{_PREFIX}_{name}", says, registry=self._registry)
        gauge.set_function(value)

    async def page(self, _: Request) -> Response:
        return Response(generate_latest(self._registry), media_type=CONTENT_TYPE_LATEST)


class Limited(NamedTuple):
    """A call that met a limit: the limit, and what to do."""

    limit: str
    line: str


class Calls:
    """Middleware of the MCP server, around every message of every user.

    Requests of the page are calls too: `counted` limits, counts and logs both.
    """

    def __init__(
        self, session: Session, tools: Collection[str], limits: Limits, metrics: Metrics
    ) -> None:
        self._session = session
        self._tools = frozenset(tools)
        self._limits = limits
        self._metrics = metrics
        self._room = Room(limits.records)
        self._rate = Rate(limits.per_second)
        self.queue = FairQueue(limits.at_once, limits.at_once_each, limits.waiting_each)
        metrics.show("running", "Calls that run now", lambda: self.queue.running)
        metrics.show("waiting", "Calls that wait for their turn", lambda: self.queue.waiting)

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        request: Request | None = ctx.request
        user = request.user if request is not None else None
        if request is None or not isinstance(user, AuthenticatedUser):
            raise MCPError(INVALID_REQUEST, "the request has no user")
        with self.asked_by(user) as gate:
            label, price = self._describe(ctx)
            result = await self.count_call(
                label, user, gate, lambda: call_next(ctx), _is_error, price=price
            )
            if gate.refused == FORBIDDEN:
                # The web application answers with 403, so that the client can ask for the scope.
                request.state.missing_scope = WRITE
                raise MCPError(INVALID_REQUEST, f"this token may only read; it lacks {WRITE}")
            if not isinstance(result, Limited):
                return result
            if ctx.request_id is None:
                # Nobody waits for the answer to a notification.
                return None
            if ctx.method == "tools/call":
                line = TextContent(type="text", text=result.line)
                return CallToolResult(content=[line], is_error=True)
            raise MCPError(INVALID_REQUEST, result.line)

    def _describe(self, ctx: ServerRequestContext[Any, Any]) -> tuple[str, float]:
        """Return the name of a message in metrics and log, and as how many calls it counts."""
        if ctx.method == "tools/call":
            named = (ctx.params or {}).get("name")
            return (named if isinstance(named, str) and named in self._tools else "unknown"), 1.0
        price = 1.0 if ctx.method in STORED else 1 / REQUESTS_A_CALL
        return (ctx.method if ctx.method in SPEC_CLIENT_METHODS else "unknown"), price

    def asked_by(self, user: AuthenticatedUser, **changes: Any) -> AbstractContextManager[Gate]:
        """Answer as *user* meanwhile, with *changes* of the session; yield the store's gate."""
        return asked_by(user.access_token, replace(self._session, **changes), self._room)

    async def count_call(
        self,
        tool: str,
        user: AuthenticatedUser,
        gate: Gate,
        work: Callable[[], Awaitable[T]],
        is_error: Callable[[T], bool],
        *,
        price: float = 1.0,
    ) -> T | Limited:
        """Return what *work* for *user* returns, or the limit that it met; count and log it.

        It counts as *price* calls in the user's rate.
        """
        user_id = str(user.access_token.subject)
        begun, outcome = perf_counter(), "ended"
        try:
            result = await self._limit_call(user_id, work, price)
            if isinstance(result, Limited):
                outcome = result.limit
            else:
                outcome = gate.refused or ("error" if is_error(result) else "ok")
            return result
        except MCPError:
            # An unknown resource, for example.
            outcome = "error"
            raise
        finally:
            seconds = perf_counter() - begun
            self._metrics.calls.labels(tool, outcome).inc()
            self._metrics.seconds.labels(tool).observe(seconds)
            ms = round(seconds * 1_000, 1)
            tell(logger, "call", user=user_id, tool=tool, outcome=outcome, ms=ms)

    async def _limit_call(
        self, user_id: str, work: Callable[[], Awaitable[T]], price: float
    ) -> T | Limited:
        limits = self._limits
        if wait := self._rate.wait(user_id, price):
            return Limited(
                "rate",
                f"too many calls: {limits.per_second:g} a second are allowed; call again in"
                f" {math.ceil(wait * 10) / 10:g} s",
            )
        with anyio.move_on_after(limits.timeout_s):
            try:
                async with self.queue.turn(user_id) as spent:
                    token = SPENT.set(spent)
                    try:
                        return await metered(work(), spent)
                    finally:
                        SPENT.reset(token)
            except TooManyWaiting:
                return Limited(
                    "busy",
                    f"too many calls at once: {limits.at_once_each} run and"
                    f" {limits.waiting_each} wait; call again when one has been answered",
                )
        return Limited(
            "timeout",
            f"the call was ended after {limits.timeout_s:g} s; ask for less, and before you repeat"
            " a call that writes, look whether it is there",
        )


def _is_error(result: HandlerResult) -> bool:
    if isinstance(result, dict):
        return bool(result.get("isError"))
    return bool(getattr(result, "is_error", False))
