"""Check, fold, quote and date texts, and cut them into words."""
