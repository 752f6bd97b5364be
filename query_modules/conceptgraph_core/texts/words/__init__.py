"""Turn texts into terms: the words by which the index finds a text, each with its count."""

from .languages import stop_words
from .libraries import missing
from .terms import first_name, phrases, readings, stems, terms

__all__ = [
    "first_name",
    "missing",
    "phrases",
    "readings",
    "stems",
    "stop_words",
    "terms",
]
