"""Text into terms: the words that a text is found by, each with how often it stands there."""

from .languages import stop_words
from .libraries import missing
from .terms import Reading, first_name, phrases, readings, terms

__all__ = ["Reading", "first_name", "missing", "phrases", "readings", "stop_words", "terms"]
