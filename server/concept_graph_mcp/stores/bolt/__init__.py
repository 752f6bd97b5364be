"""Memgraph over the neo4j driver."""
