"""Memgraph over the neo4j driver."""

from . import driver as driver  # Before anything imports it otherwise.
