"""Note when a client last called a tool, and with what result, for `doctor`."""

import time
from collections.abc import Mapping
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext

from ..hooks import journal

_PAUSE_S = 60.0


def note_calls(client: str) -> ServerMiddleware[Any]:
    """Return the middleware that notes the calls of *client*, one a minute, and each failure."""
    last = -_PAUSE_S

    async def note(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        nonlocal last
        result = await call_next(ctx)
        if ctx.method == "tools/call":
            failed = isinstance(result, Mapping) and bool(result.get("isError"))
            if failed or time.monotonic() - last >= _PAUSE_S:
                last = time.monotonic()
                journal.note_result(client, "tool", "an error" if failed else "answered")
        return result

    return note
