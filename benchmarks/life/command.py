"""The command line at a time of the simulated clock: `python -m benchmarks.life.command MS …`."""

import sys
from unittest import mock

from concept_graph_mcp import session
from concept_graph_mcp.__main__ import main

if __name__ == "__main__":
    at_ns = int(sys.argv.pop(1)) * 1_000_000
    with mock.patch.object(session, "time_ns", return_value=at_ns):
        main()
