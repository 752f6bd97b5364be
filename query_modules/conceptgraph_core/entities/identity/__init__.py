"""Decide identity: resolve names to entities; merge, split and end entities; keep the ledger."""
