"""Which concepts a text may speak of, by its words. Imports nothing of Memgraph: the shell looks
them up.
"""

from collections.abc import Sequence
from typing import Final

from ..words import phrases

# Names that are looked for, and how many words one has.
MOST_NAMES: Final = 64
LONGEST: Final = 3


def names(said: str, languages: Sequence[str]) -> list[str]:
    """Return the case-folded names of concepts that *said* may speak of, the single words first.

    Its words, also without their endings, and its runs of up to three words. Raises LibraryMissing.
    """
    return phrases(said, languages, LONGEST)[:MOST_NAMES]
