"""Provide the MCP server and the command line of the concept graph, and its stores."""

from .core import make_importable

# Imported first, because every part of this package may import `conceptgraph_core`.
make_importable()
