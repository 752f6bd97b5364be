"""Let a recall on Memgraph last until it is ended: one query recalls again and again.

As a program this is `concept-graph-mcp` with such recalls.
"""

import sys
from typing import Any

from concept_graph_mcp import __main__, serving
from concept_graph_mcp.hosts.memgraph import caller, pulling
from conceptgraph_core.graph.cypher.translating import Statement

_CALL = "CALL conceptgraph.recall"
_AGAIN = "UNWIND range(1, 100001) AS once UNWIND range(1, 100001) AS again "
_written = pulling.calling
# Seconds for ending a call; the server's own are too few on a machine that is busy.
PATIENCE_S = 120.0


def written(*arguments: Any) -> Statement:
    """Return the statement of a call, as `pulling.calling` does."""
    text, known = _written(*arguments)
    return text.replace(_CALL, _AGAIN + _CALL), known


if __name__ == "__main__":
    pulling.calling = written
    serving._PATIENCE_S = caller._PATIENCE_S = PATIENCE_S
    sys.exit(__main__.run())
