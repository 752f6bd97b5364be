"""Extract from a text the names of concepts that it may mention.

Imports nothing of Memgraph: the shell looks the names up.
"""

from collections.abc import Sequence
from typing import Final

from ..words import phrases

# The most names to look up, and the most words of a name.
MOST_NAMES: Final = 64
LONGEST: Final = 3


def names(said: str, languages: Sequence[str]) -> list[str]:
    """Return the case-folded names of concepts that *said* may mention, the single words first.

    They are its words, also without their endings, and its runs of up to three words. Raises
    LibraryMissing.
    """
    return phrases(said, languages, LONGEST)[:MOST_NAMES]
