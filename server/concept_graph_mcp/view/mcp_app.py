"""Show the pictures of what is recalled in hosts that support it; other hosts see no difference.

MCP Apps (`io.modelcontextprotocol/ui`): a tool names a `ui://` page, and the host shows the tool's
result in it. The text for the model stays the same.

Serve the page's files by name, from a list that is made once.
"""

from pathlib import Path
from typing import Any

from mcp.server.apps import APP_MIME_TYPE, Apps, client_supports_apps
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.resources import Resource
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

STATIC = Path(__file__).with_name("static")

# `mimetypes` is not used, because its type for scripts depends on the machine.
_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


class StaticFiles:
    """The files below `static/`; names that are not listed are never looked up."""

    def __init__(self) -> None:
        self._files = {
            path.relative_to(STATIC).as_posix(): path
            for path in STATIC.rglob("*")
            if path.suffix in _TYPES
        }

    async def file(self, request: Request) -> Response:
        name = request.path_params["name"] or "index.html"
        if name not in self._files:
            raise HTTPException(404, "no such page")
        path = self._files[name]
        return Response(path.read_bytes(), media_type=_TYPES[path.suffix])


URI = "ui://concept-graph-mcp/recall.html"
# The tool's metadata for hosts that can show the page.
TOOL_META = {"ui": {"resourceUri": URI}}


class _Page(Resource):
    """The page in one file, read when a host first asks for it."""

    async def read(self) -> str:
        return (STATIC / "mcp_app.html").read_text(encoding="utf-8")


def extension() -> Apps:
    """Return the extension with the page; the tool's metadata binds the tool to it."""
    apps = Apps()
    apps.add_resource(
        _Page(
            uri=URI,
            name="recall",
            title="What is remembered",
            description="Draws what recall_query, recall and about return.",
            mime_type=APP_MIME_TYPE,
            meta={"ui": {"prefersBorder": True}},
        )
    )
    return apps


async def told_to_hosts_that_show_it(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """Remove the page from the tool list of clients that cannot show it."""
    result = await call_next(ctx)
    if ctx.method == "tools/list" and not client_supports_apps(ctx):
        listed = result if isinstance(result, dict) else {}
        for tool in listed.get("tools", ()):
            tool.pop("_meta", None)
    return result
