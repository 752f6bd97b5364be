"""Packed name lists for substring search in stores that have no index of substrings."""
