"""One self-contained page for MCP hosts, put together from the same files as the viewer's."""

import re
from functools import cache

from .static_files import STATIC

_STYLE = re.compile(r'<link rel="stylesheet" href="([^"]+)">')
_LIBRARY = re.compile(r'<script src="([^"]+)" defer></script>')
_MODULE = re.compile(r'<script type="module" src="([^"]+)"></script>')
# The form in which the page's modules import and export; anything else does not run in a browser,
# which its test would notice.
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


@cache
def page() -> str:
    """Return `mcp_app.html` with its style, the library and its modules inside."""
    html = _text("mcp_app.html")
    html = _STYLE.sub(lambda found: f"<style>\n{_text(found[1])}</style>", html)
    html = _LIBRARY.sub(lambda found: f"<script>\n{_text(found[1])}</script>", html)
    return _MODULE.sub(lambda found: f'<script type="module">\n{_joined(found[1])}</script>', html)


def _joined(name: str) -> str:
    """Return the module *name* after all that it imports, each once, as one module."""
    order: list[str] = []
    _visit(name, order)
    return "".join(_EXPORT.sub("", _IMPORT.sub("", _text(one))) for one in order)


def _visit(name: str, order: list[str]) -> None:
    for imported in _IMPORT.findall(_text(name)):
        if imported not in order:
            _visit(imported, order)
    order.append(name)


def _text(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
