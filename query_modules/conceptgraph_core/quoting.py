"""Quote recalled text on one line, between quotation marks that nothing in it can close.

Memory returns texts that anybody may have written. Quoted, no part of them can look like a line of
the server's, and invisible characters become escapes. Both hosts and the shell use this module. It
avoids `re`, which a reload drops.
"""

import unicodedata
from typing import Final

OPEN, CLOSE = "“", "”"
CUT: Final = "…"
# Characters that look like our quotation marks.
_QUOTES: Final = str.maketrans(dict.fromkeys("“”„‟❝❞〝〞〟＂", "'"))
# Control and format characters (bidi, zero width, tags), surrogates, line and paragraph separators.
_UNSEEN: Final = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
# Persian words and families of emoji are written with these.
_JOINERS: Final = "\u200c\u200d"
# Variation selectors that no font has; they can carry an invisible text.
_SELECTORS: Final = ("\U000e0100", "\U000e01ef")
_MOST_PLAIN, _MOST_WORDS = 40, 4
_IN_NAMES: Final = str.maketrans(dict.fromkeys(" -_'’&/+#"))
_IN_IDS: Final = str.maketrans(dict.fromkeys("-_.:/@#+"))


def quote(said: str, most: int | None = None) -> str:
    """Quote *said*, cut to *most* characters."""
    line = escape(said)
    if most is not None and len(line) > most:
        line = line[: most - 1].rstrip() + CUT
    return f"{OPEN}{line}{CLOSE}"


def escape(said: str) -> str:
    r"""Escape *said* for our quotes: "\n" and "\u202e" are escapes, “ becomes '."""
    if said.isascii() and said.isprintable():
        return said
    return "".join(map(_escape_character, said.translate(_QUOTES)))


def quote_name(name: str) -> str:
    """Return a name that somebody used: a few plain words as they are, else quoted.

    Unquoted text could pass for the server's own words.
    """
    bare = name.translate(_IN_NAMES)
    is_plain = not bare or bare.isalnum()
    is_short = len(name) <= _MOST_PLAIN and len(name.split(" ")) <= _MOST_WORDS
    return name if is_plain and is_short and name else quote(name)


def quote_id(name: str) -> str:
    """Return an id as it is, or quoted if it could pass for anything else."""
    return name if name.translate(_IN_IDS).isalnum() else quote(name)


def _escape_character(character: str) -> str:
    is_unseen = unicodedata.category(character) in _UNSEEN and character not in _JOINERS
    is_selector = _SELECTORS[0] <= character <= _SELECTORS[1]
    return ascii(character)[1:-1] if is_unseen or is_selector else character
