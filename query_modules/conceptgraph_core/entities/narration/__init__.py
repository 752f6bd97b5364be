"""Describe the entities that a message names, in sentences that cite their sources."""
