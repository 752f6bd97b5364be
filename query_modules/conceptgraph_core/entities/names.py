"""What entities are called: one form for every way to write a name, and how alike names are."""

import unicodedata
from collections.abc import Container, Sequence
from itertools import chain, count
from typing import Final

from .. import folding
from ..concepts import spoken
from ..words.splitting import split
from .language import dated

# Without embeddings, near are names that begin alike, by so many letters.
KIN_LETTERS: Final = 3
# Behind all that begins with a name, if put behind it.
LAST: Final = chr(0x10FFFF)
# So far entities of one name are numbered one by one. "Task #10" may be what is talked of, but no
# task has a number like the others.
_NUMBERED: Final = 9
_FAR: Final = 1_000_000_000
# Titles that may stand before a name, and of whom.
_TITLES: Final = {
    **dict.fromkeys(("dr", "prof", "professor", "doctor", "doktor"), ""),
    **dict.fromkeys(("mr", "mister", "sir", "herr", "hr"), "m"),
    **dict.fromkeys(("mrs", "ms", "miss", "frau", "fr"), "f"),
}
# Typed and typeset ones, and the letter that stands for one.
_APOSTROPHES: Final = "'\u2019\u2018\u02bc"


def canonical(label: str) -> str:
    """Return *label* NFKC-normalised, case-folded, its blanks collapsed: " Ｍａｘ " → "max"."""
    folded = unicodedata.normalize("NFKC", label).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def key(label: str) -> str:
    """Return what all that mean the name *label* are found by.

    That is the canonical form, without a title before it, and of a date the same for every way to
    write it: of "Dr. Smith" smith, of "May 3rd" 3 may.
    """
    date = dated.whole(label)
    return untitled(canonical(label)) if date is None else canonical(date.label)


def untitled(name: str) -> str:
    """Return a canonical name without a title before it, if there is more to it."""
    words = name.split()
    while len(words) > 1 and words[0].rstrip(".") in _TITLES:
        words.pop(0)
    return " ".join(words)


def are_titled_apart(one: str, other: str) -> bool:
    """Tell whether two names have titles of which nobody has both: Mr. Smith and Mrs. Smith."""
    return _sexes(one) | _sexes(other) == {"f", "m"}


def _sexes(name: str) -> set[str]:
    titles = {word.rstrip(".") for word in canonical(name).split()}
    return {_TITLES[one] for one in titles if one in _TITLES} - {""}


def searched(name: str) -> str:
    """Return a canonical name without accents, apostrophes and what is not seen: "obrien"."""
    return _joined(folding.plain(name)) or name


def words(name: str) -> list[str]:
    """Return the words of a canonical name as they are searched for, without accents.

    Behind them the parts of those with an apostrophe, or something unseen, in them: of "o'brien"
    obrien, o, brien.
    """
    plain = folding.plain(name)
    joined = _joined(plain)
    found = split(joined)
    if joined != plain:
        found += [part for part in split(plain) if part not in found]
    return found


def inner_words(name: str) -> list[str]:
    """Return the words of a canonical name, without the one that its searched form begins with.

    Of "max and moritz" and, for quotes come before it, of "“moritz”" there is moritz.
    """
    found = words(name)
    return found[1:] if found and searched(name).startswith(found[0]) else found


def _joined(name: str) -> str:
    for mark in _APOSTROPHES:
        name = name.replace(mark, "")
    if name.isascii():
        return name
    # What comes along from a page or a telephone: zero-width blanks, marks of direction.
    return "".join(letter for letter in name if unicodedata.category(letter) != "Cf")


def free(name: str, taken: Container[str]) -> str:
    """Return the first of *name*, "name #2", "name #3" … that is not *taken*."""
    further = (f"{name} #{number}" for number in count(_FAR))
    return next(one for one in chain((name,), numbered(name), further) if one not in taken)


def numbered(name: str) -> list[str]:
    """Return what further entities of that name get, of which others may have the very label.

    Of any that come after these nobody looks up whether somebody has called an entity so.
    """
    return [f"{name} #{number}" for number in range(2, _NUMBERED + 1)]


def kin(name: str) -> tuple[str, str]:
    """Return from and below what those canonical names are that begin like *name*."""
    beginning = name[:KIN_LETTERS]
    return beginning, beginning + LAST


def numbers(name: str) -> list[str]:
    """Return the numbers in *name*, in an order of their own."""
    return sorted("".join(one if one.isdigit() else " " for one in name).split())


def are_numbered_apart(one: str, other: str) -> bool:
    """Tell whether each of two names has numbers, and not the same: 30,000 yen and 400,000 yen.

    However alike they are otherwise, these are two things. Of one that has none that is open.
    """
    first, second = numbers(one), numbers(other)
    return bool(first and second) and first != second


def ratio(one: str, other: str, least: float = 0.0) -> float:
    """Return how alike two canonical names are, 0 to 1 (Ratcliff and Obershelp, 1988).

    The same either way round, which difflib's is not by itself. What is soon seen to be below
    *least* counts as 0.
    """
    import difflib  # Which whoever only reads the layer's declaration has no use for.

    first, second = sorted((one, other))
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
        return 0.0
    return matcher.ratio()


def asked_for(text: str, languages: Sequence[str]) -> list[str]:
    """Return how whole labels that *text* may name are searched for. Raises LibraryMissing."""
    return list(dict.fromkeys(map(searched, spoken.names(text, languages))))
