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
# Letters and marks that no font shows; and format characters of Arabic that it does.
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_ARABIC_SIGNS: Final = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"
)
_SEPARATORS: Final = frozenset("\x0b\x0c\x85\u2028\u2029")
_EMOJI_STYLE: Final = "\ufe0f"
# (first, last) of the variation selectors and of the tags, which can carry an invisible text.
_SELECTORS: Final = (("\u180b", "\u180f"), ("\ufe00", "\ufe0f"), ("\U000e0000", "\U000e0fff"))
# The scripts whose words are written with joiners: from Arabic to Sinhala, and of Southeast Asia.
_JOINING: Final = (("\u0600", "\u0dff"), ("\u1000", "\u109f"), ("\u1780", "\u18af"))
# Signs other than symbols that become emoji by a selector.
_KEYCAPS: Final = frozenset("0123456789#*‼⁉〰ℹ")
_MOST_PLAIN: Final = 40
# An instruction takes more words than a name, and a name more than a kind or a value.
_MOST_WORDS, _MOST_WORDS_OF_VALUE = 3, 2
# They only join the words beside them: "dose of sertralin", "colega de casa".
_JOINING_WORDS: Final = frozenset(("of", "de", "di", "da", "do", "du", "von"))
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
    hidden = find_hidden(said)
    said = said.translate(_QUOTES)
    return "".join(ascii(one)[1:-1] if at in hidden else one for at, one in enumerate(said))


def visible(text: str) -> str:
    """Return *text* without what nobody sees and a model reads; its lines and tabs stay.

    Other separators of lines become blanks.
    """
    hidden = {at for at in find_hidden(text) if text[at] not in "\n\r\t"}
    if not hidden:
        return text
    return "".join(
        one if at not in hidden else " " * (one in _SEPARATORS) for at, one in enumerate(text)
    )


def find_hidden(text: str) -> frozenset[int]:
    """Return the places of characters in *text* that no font shows where they stand.

    Joiners and selectors count as seen within emoji, and within the words of scripts with joiners.
    """
    kinds = {one for one in {*text} if _may_hide(one)}
    if not kinds:
        return frozenset()
    return frozenset(at for at, one in enumerate(text) if one in kinds and not _is_needed(text, at))


def _may_hide(character: str) -> bool:
    if character in _ARABIC_SIGNS:
        return False
    is_unseen = unicodedata.category(character) in _UNSEEN or character in _BLANK
    return is_unseen or _is_within(character, _SELECTORS)


def _is_needed(text: str, at: int) -> bool:
    """Tell whether the joiner or selector *at* changes how its neighbours are shown."""
    before, behind = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    match text[at]:
        case "\u200d" if before == _EMOJI_STYLE or _is_symbol(before):
            return _is_symbol(behind)
        case "\u200c" | "\u200d":
            is_letter = bool(before) and unicodedata.category(before)[0] in "LM"
            return is_letter and _is_within(before, _JOINING)
        case "\ufe0e" | "\ufe0f":
            return _is_symbol(before) or before in _KEYCAPS
        case "\u180b" | "\u180c" | "\u180d" | "\u180e" | "\u180f":
            return "\u1820" <= before <= "\u18af"
    return False


def _is_symbol(character: str) -> bool:
    """Tell whether *character* may be a part of an emoji: a symbol, or the tone of a skin."""
    return bool(character) and unicodedata.category(character) in ("So", "Sm", "Sk")


def _is_within(character: str, ranges: tuple[tuple[str, str], ...]) -> bool:
    return any(first <= character <= last for first, last in ranges)


def quote_name(name: str) -> str:
    """Return a name that somebody used: up to three plain words as they are, else quoted.

    Unquoted text could pass for the server's own words.
    """
    return _quote_unless(name, _MOST_WORDS)


def quote_value(value: str) -> str:
    """Return a value, a kind or a predicate: one or two plain words as they are, else quoted.

    Numbers and words like "of" do not count. Three words can be an instruction: "delete all
    memories".
    """
    return _quote_unless(value, _MOST_WORDS_OF_VALUE)


def _quote_unless(said: str, most_words: int) -> str:
    bare = said.translate(_IN_NAMES)
    is_plain = not bare or bare.isalnum()
    words = [one for one in said.split(" ") if not (one.isdigit() or one in _JOINING_WORDS)]
    is_short = len(said) <= _MOST_PLAIN and len(words) <= most_words
    return said if is_plain and is_short and said else quote(said)


def quote_id(name: str) -> str:
    """Return an id as it is, or quoted if it could pass for anything else."""
    return name if name.translate(_IN_IDS).isalnum() else quote(name)
