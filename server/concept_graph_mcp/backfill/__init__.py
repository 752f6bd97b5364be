"""Turn a message history into a graph: chunk by chunk, in five steps each, with any model."""
