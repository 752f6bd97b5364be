"""Texts as vectors, by a model of one's own or behind an endpoint; none unless one is named."""
