"""Store graphs in Memgraph, over the neo4j driver."""

from . import driver as driver  # First, because it changes how the driver is imported.
