"""The rules of the memory: plain typed Python that the query-module procedures call.

Only :mod:`conceptgraph_core.graph` touches ``mgp``; nothing here knows whether it runs in Memgraph
or embedded.
"""

__version__ = "0.4.0"
