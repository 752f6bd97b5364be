"""Background jobs: the worker's lease, its pauses, and the records of its runs."""
