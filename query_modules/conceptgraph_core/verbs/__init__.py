"""Declare verbs: their arguments, context, errors, and the checks of what they store."""
