"""Whether two labels are one name written in two ways, for what merges by itself.

That two names are alike by their letters says little: "creative" and "create" are, "ROS" and
"RpoS", "Vice Monitor" and the "Vice Monitor WBS". What a person takes for one name differs in how
it is written, in number, or by a slip of the pen; never by a whole word.
"""

import unicodedata
from typing import Final

from ..language.folded import word_set

# Before a name, these tell nothing of what it stands for. (Who is "my" boss for one of two who talk
# is "your" boss for the other; his and hers may be two.)
DETERMINERS: Final = word_set("""
a an the my your our der die das el la le los las mein meine meinen meinem meiner unser unsere
""")
# In a word of so many letters one may be wrong; of fewer, where another word of the name is right.
_SURE: Final = 6
_SHORTEST: Final = 5


def is_one_name(one: str, other: str) -> bool:
    """Tell whether two labels have the same words, in the same order.

    Not counted are blanks, hyphens and such, capitals, and determiners. A word may be the other's
    plural. One may have a letter that is wrong, missing or too much, or two that changed places;
    but the first and the last, which tell Daniel from Daniela, must be right, and it must be
    written as a name is: of other words, and of acronyms, one letter makes another word.
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
    """Return the words of *label* as written, without determiners unless there are no more."""
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
    """Tell whether a letter is another or too much, or two that are neighbours changed places."""
    short, long = sorted((one, other), key=len)
    same = next((place for place, letter in enumerate(short) if letter != long[place]), len(short))
    left, right = short[same:], long[same:]
    if len(left) < len(right):
        return left == right[1:]
    return left[1:] == right[1:] or (left[1::-1] == right[:2] and left[2:] == right[2:])
