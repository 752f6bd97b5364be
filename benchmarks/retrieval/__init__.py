"""Does `associate` find the messages that answer a question, and what does it cost?"""

# Before anything else of this package: it makes `conceptgraph_core` importable.
import concept_graph_mcp  # noqa: F401
