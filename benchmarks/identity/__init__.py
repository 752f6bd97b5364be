"""Who is who: conversations written by hand, with who is meant by each name."""
