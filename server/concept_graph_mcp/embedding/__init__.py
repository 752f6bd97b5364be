"""Compute vectors of texts with a local model or an endpoint, if one is configured."""
