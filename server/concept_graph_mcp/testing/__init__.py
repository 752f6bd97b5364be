"""Tests that other projects may run on theirs; they need pytest."""
