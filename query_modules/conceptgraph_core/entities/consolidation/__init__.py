"""What the nights do to entities: each step in batches, repeatable, and only marking (seed 004)."""
