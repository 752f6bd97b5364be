"""The only place that touches mgp vertices and edges."""
