"""The stores that a graph is kept in."""
