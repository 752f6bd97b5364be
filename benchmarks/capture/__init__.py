"""Lives with the hooks of a coding agent, and measures what they keep and what they cost."""
