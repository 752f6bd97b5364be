"""Accept other names of tools, which models learned elsewhere, without listing them."""

from collections.abc import Mapping, Sequence
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext

from .adapter import ConceptTool


def of(tools: Sequence[ConceptTool], aliases: Mapping[str, str]) -> list[ConceptTool]:
    """Return those of *tools* that have *aliases* (other name -> name), under the other names."""
    named = {tool.name: tool for tool in tools}
    return [
        named[name].model_copy(update={"name": alias})
        for alias, name in aliases.items()
        if name in named
    ]


def unlisted(aliases: Mapping[str, str]) -> ServerMiddleware[Any]:
    """Return the middleware that removes *aliases* from the tool list."""

    async def leave_out(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method == "tools/list" and isinstance(result, dict):
            listed = [tool for tool in result.get("tools", ()) if tool["name"] not in aliases]
            result = {**result, "tools": listed}
        return result

    return leave_out
