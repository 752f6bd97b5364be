"""Answer hooks that a host sends as a call of a tool, with no process at all.

Claude Code (since 2.1.118) and Codex (since 0.160.0 at the latest) call a tool of a connected
server for a hook of the type `mcp_tool`, and add its text to the context as if a command had
printed it. They call tools that are not listed, so that no model sees this one.

`setup` of 0.3.0 wrote such hooks. It writes commands now, because a session's first prompt comes
before the server is connected, and the host then shows an error.
"""

import json
from collections.abc import Mapping
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.types import CallToolResult, TextContent

from ..errors import one_line
from ..session import Session
from ..settings import Settings
from . import answering, hosts, journal, listening, options
from .hosts import HookError


def answer_hook_calls(session: Session, settings: Settings, client: str) -> ServerMiddleware[Any]:
    """Return the middleware that answers calls of the tool for hooks by *client*.

    *settings* are those of the server.
    """
    caller = name_caller(settings, client)

    async def answer(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        params = ctx.params
        if ctx.method != "tools/call" or not isinstance(params, Mapping):
            return await call_next(ctx)
        if params.get("name") != hosts.TOOL:
            return await call_next(ctx)
        text = await _answer_arguments(session, caller, params.get("arguments"))
        return CallToolResult(content=[TextContent(type="text", text=text)])

    return answer


def name_caller(settings: Settings, client: str) -> answering.Caller:
    """Return *client* as a caller of hooks on the store of *settings*."""
    embedded = None if settings.embedded is None else str(settings.embedded)
    return answering.Caller(client, embedded)


async def _answer_arguments(session: Session, caller: answering.Caller, arguments: object) -> str:
    event = arguments.get("event") if isinstance(arguments, Mapping) else None
    try:
        event = hosts.find_event(event if isinstance(event, str) else "")
        given = json.dumps(arguments).encode()
        call = listening.Call(0.0, caller.embedded, event, caller.client, {}, given)
        return await listening.answer_call(session, options.read_options(), call)
    except HookError as error:
        journal.log_result(caller.client, str(event), f"failed: {one_line(error)}")
        return ""
