"""Export, import, statistics and checks."""
