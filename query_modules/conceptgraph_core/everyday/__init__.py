"""The three layers as one memory: what to recall for a message, and what to store of it."""
