"""The entity layer: who said it, who it is, how far to trust it (seed 004)."""
