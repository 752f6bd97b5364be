"""The entity layer: it records who said it, who it is, and how far to trust it."""
