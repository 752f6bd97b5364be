"""Turning a message history into a graph: chunk by chunk, five steps each, with any model."""
