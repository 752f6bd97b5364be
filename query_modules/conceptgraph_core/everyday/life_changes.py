"""Tell the texts that say a change in a life, by the words of the languages.

Imports nothing of Memgraph.
"""

from functools import cache

from .. import language
from ..words.splitting import split


def says_change(text: str) -> bool:
    """Tell whether *text* has words for a change in a life: broke up, moved to, died."""
    said = f" {' '.join(split(text))} "
    return any(one in said for one in _changes())


@cache
def _changes() -> tuple[str, ...]:
    said = (" ".join(split(one)) for one in language.words("change", "change"))
    return tuple(sorted(f" {one} " for one in said))
