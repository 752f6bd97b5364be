"""Cut a text into words, or into pairs of characters in a script without blanks."""

import unicodedata
from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import Final

# A reload would drop `re`, and everything that begins with it ("requests" …) too.
_SEPARATORS: Final = {code: " " for code in range(128) if not chr(code).isalnum()}
_PHRASE_ENDS: Final = {code: "\n" for code in _SEPARATORS if code != ord(" ")}

# First and last code points. Korean has blanks, but its particles stick to the noun.
_UNSPACED: Final = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1100, 0x11FF),  # Korean letters
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3040, 0x30FF),  # Japanese syllables
    (0x31F0, 0x31FF),
    (0x3400, 0x9FFF),  # Chinese characters
    (0xAC00, 0xD7A3),  # Korean syllables
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_FIRST_UNSPACED: Final = chr(_UNSPACED[0][0])


def split(text: str) -> list[str]:
    """Return the runs of letters and digits of *text*, case-folded, in their order.

    A run in a script without blanks is cut into overlapping pairs: 東京都 is 東京 and 京都. A run
    of one character is among the result too.
    """
    if text.isascii():
        return text.lower().translate(_SEPARATORS).split()
    folded = _normal(text).casefold()
    # A Turkish capital İ folds to an i and a dot above it, and that dot is no letter's mark.
    words = _separate(folded.replace("i\u0307", "i"), " ", " \n").split()
    if max(folded) < _FIRST_UNSPACED:
        return words
    return [piece for word in words for piece in _pieces(word)]


def names(text: str) -> Iterator[str]:
    """Yield each run of two or more capitalised words of *text*, case-folded: "new york".

    Only blanks separate the words of a run.
    """
    if text.isascii():
        phrases = text.translate(_PHRASE_ENDS)
    else:
        phrases = _separate(_normal(text), "\n", kept=" \n")
    for phrase in phrases.split("\n"):
        # Most have only one capital, at the start.
        rest = phrase.strip()[1:]
        if rest.islower() or len(rest) < 2:
            continue
        words = phrase.split()
        if sum([word[0].isupper() for word in words]) < 2:
            continue
        run: list[str] = []
        for word in words:
            if word[0].isupper():
                run.append(word)
            elif run:
                if len(run) > 1:
                    yield " ".join(run).casefold()
                run = []
        if len(run) > 1:
            yield " ".join(run).casefold()


def _normal(text: str) -> str:
    """Return *text* in one form for each character: full-width letters, ligatures and the like."""
    return unicodedata.normalize("NFKC", text)


def _separate(text: str, separator: str, kept: str) -> str:
    # Replacing the few characters present is four times as fast as translating each one.
    for character in set(text):
        if character not in kept and not in_words(character):
            text = text.replace(character, separator)
    return text


def in_words(character: str) -> bool:
    """Tell whether *character* is a letter, a digit, or a mark on one (a vowel in Hindi, Thai)."""
    if character.isalnum():
        return True
    is_mark = unicodedata.category(character) in {"Mn", "Mc"}
    # Variation selectors follow emoji.
    return is_mark and not "\ufe00" <= character <= "\ufe0f" and character < "\U000e0100"


def _pieces(word: str) -> Iterator[str]:
    if max(word) < _FIRST_UNSPACED:
        yield word
        return
    for unspaced, run in groupby(word, key=is_unspaced):
        piece = "".join(run)
        if unspaced and len(piece) > 1:
            yield from map("".join, pairwise(piece))
        else:
            yield piece


def is_unspaced(character: str) -> bool:
    """Tell whether *character* belongs to a script without blanks, or with few of them."""
    code = ord(character)
    return any(first <= code <= last for first, last in _UNSPACED)
