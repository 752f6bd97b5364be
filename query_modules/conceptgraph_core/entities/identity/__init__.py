"""Who is who: resolving names to entities; merging, splitting and ending them; the ledger of it."""
