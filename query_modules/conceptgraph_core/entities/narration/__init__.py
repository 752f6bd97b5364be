"""Saying what is known of whom a message names, in sentences that can be traced."""
