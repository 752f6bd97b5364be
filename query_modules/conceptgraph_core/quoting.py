"""Recalled text as a quotation: on one line, between quotes that nothing in it can close.

Memory brings back what anybody may have written. Quoted so, no part of it can pass for a line of
the server's, and what a reader does not see is shown as an escape. Both hosts and the shell write
quotations with this; `re` is not for modules that a reload drops.
"""

import unicodedata
from typing import Final

OPEN, CLOSE = "“", "”"
CUT: Final = "…"
# What could be taken for our quotes.
_QUOTES: Final = str.maketrans(dict.fromkeys("“”„‟❝❞〝〞〟＂", "'"))
# Control and format characters (bidi, zero width, tags), surrogates, line and paragraph separators.
_UNSEEN: Final = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
# Persian words and families of emoji are written with these.
_JOINERS: Final = "\u200c\u200d"
# Selectors of variants that no font has; they can carry a text that nobody sees.
_SELECTORS: Final = ("\U000e0100", "\U000e01ef")
_MOST_PLAIN, _MOST_WORDS = 40, 4
_IN_NAMES: Final = str.maketrans(dict.fromkeys(" -_'’&/+#"))
_IN_IDS: Final = str.maketrans(dict.fromkeys("-_.:/@#+"))


def quoted(said: str, most: int | None = None) -> str:
    """Return *said* as a quotation, cut to *most* characters."""
    line = inside(said)
    if most is not None and len(line) > most:
        line = line[: most - 1].rstrip() + CUT
    return f"{OPEN}{line}{CLOSE}"


def inside(said: str) -> str:
    r"""Return *said* as it stands between our quotes: "\n" and "\u202e" are escapes, “ is '."""
    if said.isascii() and said.isprintable():
        return said
    return "".join(map(_shown, said.translate(_QUOTES)))


def named(name: str) -> str:
    """Return what somebody called something: a few plain words as they are, else quoted.

    What is quoted may be mistaken for what was said, and what is not for what we say.
    """
    is_plain = all(one.isalnum() for one in name.translate(_IN_NAMES))
    is_short = len(name) <= _MOST_PLAIN and len(name.split(" ")) <= _MOST_WORDS
    return name if is_plain and is_short and name else quoted(name)


def identified(name: str) -> str:
    """Return an id as it is, or quoted if it could be taken for anything else."""
    return name if name.translate(_IN_IDS).isalnum() else quoted(name)


def _shown(character: str) -> str:
    is_unseen = unicodedata.category(character) in _UNSEEN and character not in _JOINERS
    is_selector = _SELECTORS[0] <= character <= _SELECTORS[1]
    return ascii(character)[1:-1] if is_unseen or is_selector else character
