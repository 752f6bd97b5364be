"""Nightly runs over entities: each step runs in batches, is repeatable and deletes nothing."""
