"""Measurements: `python -m benchmarks [NAME ...]`."""

# Before anything else of this package: it makes `conceptgraph_core` importable.
import concept_graph_mcp  # noqa: F401
