"""A person's year with this memory, its nights one by one, and what came of it, point by point."""
