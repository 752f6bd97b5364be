"""The MCP server and the command line of the concept graph, and the stores that it is kept in."""

from .core import make_importable

# Before anything else of this package: every part of it may import `conceptgraph_core`.
make_importable()
