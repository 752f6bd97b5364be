"""Tell whether two labels are one name written in two ways, for automatic merges.

Similar letters say little: "creative" and "create" share them, as do "ROS" and "RpoS". A person
takes two labels for one name if they differ in style, in number, or by a slip of the pen; never by
a whole word.
"""

import unicodedata
from typing import Final

from ... import language

# These words before a name do not change its meaning. (Of two speakers, one's "my" boss is the
# other's "your" boss, but "his" and "her" may be two.)
DETERMINERS: Final = language.words("people", "before labels", ("en",))
# A word of so many letters may have one wrong letter. A shorter one may if another word agrees.
_SURE: Final = 6
_SHORTEST: Final = 5


def is_one_name(one: str, other: str) -> bool:
    """Tell whether two labels have the same words, in the same order.

    * Blanks, hyphens, capitals and determiners do not count.
    * A word may be the other's plural.
    * One word may have a letter that is wrong, missing or added, or two that changed places.
    * The first and the last letter must agree, because they tell Daniel from Daniela.
    * The word must be written like a name: elsewhere, one letter makes another word.
    """
    if _letters(one) == _letters(other):
        return True
    first, second = _words(one), _words(other)
    if len(first) != len(second):
        return False
    pairs = [pair for pair in zip(first, second, strict=True) if not _is_one_word(*pair)]
    is_short = len(first) == 1
    return not pairs or (len(pairs) == 1 and _is_slip(*pairs[0], _SURE if is_short else _SHORTEST))


def _letters(label: str) -> str:
    return "".join(one for one in _normal(label).casefold() if one.isalnum())


def _normal(label: str) -> str:
    return unicodedata.normalize("NFKC", label)


def _words(label: str) -> list[str]:
    """Return the words of *label* as written, without determiners unless nothing else is left."""
    cut = "".join(one if one.isalnum() else " " for one in _normal(label))
    words = cut.split()
    return [one for one in words if one.casefold() not in DETERMINERS] or words


def _is_one_word(one: str, other: str) -> bool:
    """Tell whether two words are the same, or one the plural of the other (in English)."""
    short, long = sorted((one.casefold(), other.casefold()), key=len)
    return long in (short, f"{short}s", f"{short}es") or (
        short.endswith("y") and long == f"{short[:-1]}ies"
    )


def _is_slip(one: str, other: str, least: int) -> bool:
    """Tell whether two words of a name, of *least* letters or more, differ by one slip inside."""
    if not (_is_of_a_name(one) and _is_of_a_name(other)) or min(len(one), len(other)) < least:
        return False
    return (one[0], one[-1]) == (other[0], other[-1]) and _is_one_off(one, other)


def _is_of_a_name(word: str) -> bool:
    return word[0].isupper() and sum(one.isupper() for one in word) == 1 and word.isalpha()


def _is_one_off(one: str, other: str) -> bool:
    """Tell whether one letter is changed or added, or two neighbours are swapped."""
    short, long = sorted((one, other), key=len)
    same = next((place for place, letter in enumerate(short) if letter != long[place]), len(short))
    left, right = short[same:], long[same:]
    if len(left) < len(right):
        return left == right[1:]
    return left[1:] == right[1:] or (left[1::-1] == right[:2] and left[2:] == right[2:])
