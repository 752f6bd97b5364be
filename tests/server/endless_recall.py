"""Let a recall on Memgraph last until it is ended: one query recalls again and again.

As a program this is `concept-graph-mcp` with such recalls.
"""

import sys
from typing import Any

from concept_graph_mcp import __main__, serving
from concept_graph_mcp.hosts.memgraph import cancellation, cypher

_CALL = "CALL conceptgraph.recall"
_AGAIN = "UNWIND range(1, 100001) AS once UNWIND range(1, 100001) AS again "
_written = cypher.call
# Seconds for ending a call; the server's own are too few on a machine that is busy.
PATIENCE_S = 120.0


def written(*arguments: Any, **options: Any) -> list[cypher.Statement]:
    """Return the statements of a call, as `cypher.call` does."""
    statements = _written(*arguments, **options)
    return [(text.replace(_CALL, _AGAIN + _CALL), known) for text, known in statements]


if __name__ == "__main__":
    cypher.call = written
    serving._PATIENCE_S = cancellation._PATIENCE_S = PATIENCE_S
    sys.exit(__main__.run())
