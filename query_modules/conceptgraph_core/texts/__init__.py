"""Texts as they are stored and shown: checked, folded, quoted, dated."""
