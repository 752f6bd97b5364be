"""Export, import, statistics and audit of all layers."""
