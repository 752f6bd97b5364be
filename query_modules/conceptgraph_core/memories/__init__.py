"""Texts that an agent keeps, the links between them, and how they fade without being lost."""
