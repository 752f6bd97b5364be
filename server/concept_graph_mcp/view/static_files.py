"""Serve the page's files by name, from a list that is made once."""

from pathlib import Path

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
