"""Facts as of two times, where they contradict one another, and how far an entity is trusted."""
