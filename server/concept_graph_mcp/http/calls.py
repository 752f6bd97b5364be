"""Answer the messages of all users: each as its user, within the limits, counted and logged."""

import logging
import math
from collections.abc import Collection
from time import perf_counter
from typing import Any

import anyio
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_REQUEST, CallToolResult, TextContent
from starlette.requests import Request

from ..logs import tell
from ..session import Session
from .asking import FORBIDDEN, WRITE, Gate, asked_by
from .limits import FairQueue, Limits, Rate, TooManyWaiting
from .metrics import Metrics
from .room import Room

logger = logging.getLogger(__name__)


class Calls:
    """Middleware of the MCP server, around every message of every user."""

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
        with asked_by(user.access_token, self._session, self._room) as gate:
            if ctx.method != "tools/call":
                return await call_next(ctx)
            result = await self._called(ctx, call_next, gate, str(user.access_token.subject))
            if gate.refused == FORBIDDEN:
                # The web application answers with 403, so that the client can ask for the scope.
                request.state.missing_scope = WRITE
                raise MCPError(INVALID_REQUEST, f"this token may only read; it lacks {WRITE}")
            return result

    async def _called(
        self,
        ctx: ServerRequestContext[Any, Any],
        call_next: CallNext,
        gate: Gate,
        user_id: str,
    ) -> HandlerResult:
        named = (ctx.params or {}).get("name")
        tool = named if isinstance(named, str) and named in self._tools else "unknown"
        begun, outcome = perf_counter(), "ended"
        try:
            result, outcome = await self._limited(ctx, call_next, user_id)
            outcome = gate.refused or outcome
            return result
        finally:
            seconds = perf_counter() - begun
            self._metrics.calls.labels(tool, outcome).inc()
            self._metrics.seconds.labels(tool).observe(seconds)
            ms = round(seconds * 1_000, 1)
            tell(logger, "call", user=user_id, tool=tool, outcome=outcome, ms=ms)

    async def _limited(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext, user_id: str
    ) -> tuple[HandlerResult, str]:
        """Return the answer of a call and its outcome: ok, error, or the limit that it met."""
        limits = self._limits
        if wait := self._rate.wait(user_id):
            return _refusal(
                f"too many calls: {limits.per_second:g} a second are allowed; call again in"
                f" {math.ceil(wait * 10) / 10:g} s"
            ), "rate"
        with anyio.move_on_after(limits.timeout_s):
            try:
                async with self.queue.turn(user_id):
                    result = await call_next(ctx)
                    return result, "error" if _is_error(result) else "ok"
            except TooManyWaiting:
                return _refusal(
                    f"too many calls at once: {limits.at_once_each} run and"
                    f" {limits.waiting_each} wait; call again when one has been answered"
                ), "busy"
        return _refusal(
            f"the call was ended after {limits.timeout_s:g} s; ask for less, and before you repeat"
            " a call that writes, look whether it is there"
        ), "timeout"


def _refusal(line: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=line)], is_error=True)


def _is_error(result: HandlerResult) -> bool:
    if isinstance(result, dict):
        return bool(result.get("isError"))
    return bool(getattr(result, "is_error", False))
