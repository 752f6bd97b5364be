"""The three layers as one memory: what belongs to a message, and what is worth keeping of it."""
