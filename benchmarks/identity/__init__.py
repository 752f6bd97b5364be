"""Identity in conversations written by hand, which say who is meant by each name."""
