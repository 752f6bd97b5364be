"""Text into terms: the words that a text is found by, each with how often it stands there."""

from .languages import stop_words
from .libraries import missing
from .terms import first_name, phrases, terms, words_of

__all__ = ["first_name", "missing", "phrases", "stop_words", "terms", "words_of"]
