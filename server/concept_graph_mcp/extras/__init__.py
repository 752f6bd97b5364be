"""Use packages that are not installed by default."""
