"""Tell what a text says by the phrases of the languages' data files.

Imports nothing of Memgraph.
"""

from typing import Final

from ..words.phrase_files import has_phrase

_CHANGES: Final = ("change", "parted", "dead")
# The words for an end or its opposite, by what ends.
_ENDS: Final = (("parted", "together", "former"), ("dead", "alive"))


def says_change(text: str) -> bool:
    """Tell whether *text* has words for a change in a life: broke up, moved to, died."""
    return any(has_phrase(text, "change", one) for one in _CHANGES)


def says_new_end(text: str, said: str) -> bool:
    """Tell whether *text* says that a couple or a life ended, or did not, and *said* neither."""
    return any(
        any(has_phrase(text, "change", one) for one in names)
        and not any(has_phrase(said, "change", one) for one in names)
        for names in _ENDS
    )


def asks_for_each(message: str) -> bool:
    """Tell whether *message* asks for a date, for a number, or for all there is."""
    return has_phrase(message, "listing", "listing")


def says_secret(text: str) -> bool:
    """Tell whether *text* says that somebody must not know of it."""
    return has_phrase(text, "secret", "secret")
