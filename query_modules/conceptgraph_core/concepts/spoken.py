"""Extract from a text the names of concepts that it may mention.

Imports nothing of Memgraph: the shell looks the names up.
"""

from collections.abc import Sequence
from typing import Final

from .. import folding
from ..words import phrases

# The most names to look up, and the most words of a name.
MOST_NAMES: Final = 64
LONGEST: Final = 3


def names(said: str, languages: Sequence[str]) -> list[str]:
    """Return the case-folded names of concepts that *said* may mention, the single words first.

    They are its words, also without their endings, and its runs of up to three words. A text of so
    few words may itself be a name with marks in it, which no run has: "Dr. Lang", "Node.js". Raises
    LibraryMissing.
    """
    found, words = [*phrases(said, languages, LONGEST)], said.split()
    if len(words) <= LONGEST:
        found.append(folding.fold(" ".join(words)))
    return list(dict.fromkeys(found))[:MOST_NAMES]
