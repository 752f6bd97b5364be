"""Find reasons why two names that are written differently may mean one thing, or are one name.

A reason only raises a question: Liz may be Elizabeth, NYC New York City, Smith Anna Smith, Mom my
mother, the puppy Max. Each reason has a fixed similarity, below the bound of automatic merges.
"""

import unicodedata
from typing import Final

from ... import language
from ...texts.words import given_names
from .. import kinds, names, schema
from ..language import kin
from . import resolution
from .resolution import Known, Sought

# These words before a name do not change its meaning. (Of two speakers, one's "my" boss is the
# other's "your" boss, but "his" and "her" may be two.)
DETERMINERS: Final = language.words("people", "before labels", ("en",))
# A word of so many letters may have one wrong letter. A shorter one may if another word agrees.
_SURE: Final = 6
_SHORTEST: Final = 5


SAID: Final = 0.84
# The evidence for two of one name that the text tells apart: no doubt to report.
SETTLED: Final = "of one name, and said to be another"
# They share the name, but something says that they are two.
_SAME_NAME: Final = 0.84
_SYNONYM: Final = 0.8
_SHORT: Final = 0.8
_INITIALS: Final = 0.8
_PART: Final = 0.75
_KIND: Final = 0.7
# The least agreement of two spellings: Klara and Clara, Mark and Marc. Below this, short words
# share letters by chance: Berlin and Ben, Mark and Maria.
_SPELLED: Final = 0.75
# Letters that replace each other: Sophia and Sofia, Meyer and Maier.
_SOUNDS: Final = (("ph", "f"), ("th", "t"), ("ck", "k"), ("c", "k"), ("y", "i"), ("z", "s"))
# The length of an acronym.
_LETTERS: Final = range(2, 7)
_MOST_WORDS: Final = 3
_LINKS: Final = frozenset(("of", "and", "the", "for", "für", "und", "der", "die", "das", "de"))
# Synonyms of home and everyday life (kin, pets, possessions), English and German.
_SYNONYMS: Final = language.load("en", "synonyms")
_GROUP: Final = {word: first for first, each in _SYNONYMS.items() for word in each}


def is_one_name(one: str, other: str) -> bool:
    """Tell whether two labels have the same words, in the same order.

    * Blanks, hyphens, capitals and determiners do not count.
    * A word may be the other's plural.
    * One word may have a letter that is wrong, missing or added, or two that changed places.
    * The first and the last letter must agree, because they tell Daniel from Daniela.
    * The word must be written like a name: elsewhere, one letter makes another word.
    """
    if _join_letters(one) == _join_letters(other):
        return True
    first, second = _split_label(one), _split_label(other)
    if len(first) != len(second):
        return False
    pairs = [pair for pair in zip(first, second, strict=True) if not _is_one_word(*pair)]
    is_short = len(first) == 1
    return not pairs or (len(pairs) == 1 and _is_slip(*pairs[0], _SURE if is_short else _SHORTEST))


def _join_letters(label: str) -> str:
    return "".join(one for one in _normal(label).casefold() if one.isalnum())


def _normal(label: str) -> str:
    return unicodedata.normalize("NFKC", label)


def _split_label(label: str) -> list[str]:
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


def likeness(one: Known, sought: Sought) -> float:
    """Return the similarity of *one* and the entity sought, by the meaning or spelling of names."""
    if names.are_numbered_apart(one.name, sought.name):
        return 0.0
    near, _ = alike(one, sought)
    if one.name == sought.name or (one.embedding is None and _differ_in_a_word(one, sought)):
        return near
    return max(near, resolution.likeness(one, sought))


def _differ_in_a_word(one: Known, sought: Sought) -> bool:
    """Tell whether two names of equal length differ in a whole word: Gary Klein, Gary Halbert.

    A common word, or common letters, make them similar by their letters, and mean little.
    """
    first, second = _sounding(one.name), _sounding(sought.name)
    return len(first) == len(second) and any(
        names.ratio(*pair, _SPELLED) < _SPELLED for pair in zip(first, second, strict=True)
    )


def _sounding(name: str) -> list[str]:
    """Return the words of a name without accents, in one spelling for equal sounds."""
    plain = names.searched(name)
    for written, sound in _SOUNDS:
        plain = plain.replace(written, sound)
    return plain.split()


def is_near(one: Known, sought: Sought) -> bool:
    """Tell whether *one* is near at all: see `alike` and `resolution.is_near`."""
    return resolution.is_near(one, sought) or alike(one, sought)[0] > 0


def evidence(one: Known, sought: Sought) -> str:
    """Return the reason for the question whether *one* is the entity sought."""
    near, why = alike(one, sought)
    is_why = one.name == sought.name or near >= resolution.likeness(one, sought)
    return why if is_why else "alike by name"


def alike(one: Known, sought: Sought) -> tuple[float, str]:
    """Return the similarity of two names and its reason; 0: there is none."""
    if one.name in sought.also:
        return SAID, f"the text says that {one.label} is {sought.label}"
    if one.name == sought.name:
        return _SAME_NAME, SETTLED if sought.is_new else "of one name"
    return _by_words(one, sought, _bare(one.name), _bare(sought.name))


def _by_words(
    one: Known, sought: Sought, first: tuple[str, ...], second: tuple[str, ...]
) -> tuple[float, str]:
    if _are_synonyms(first, second):
        return _SYNONYM, "two words for one"
    if _is_its_kind(first, sought.name, sought.kind) or _is_its_kind(second, one.name, one.kind):
        return _KIND, "of that kind"
    if _is_acronym(one.label, second) or _is_acronym(sought.label, first):
        return _INITIALS, "the initials of the other"
    paths = {kinds.path(kind) or "" for kind in (one.kind, sought.kind) if kind is not None}
    if paths <= {"place"} and (
        # NYC of New York
        _is_acronym(one.label, (*second, "city")) or _is_acronym(sought.label, (*first, "city"))
    ):
        return _INITIALS, "the initials of the other, and of City"
    is_person = {one.node_type, sought.node_type} == {schema.THING}
    is_person &= _is_cased(one.label) and _is_cased(sought.label)
    if is_person and all(not path or path.startswith(("person", "animal")) for path in paths):
        return _by_parts(first, second)
    return 0.0, ""


def forms(name: str) -> list[str]:
    """Return other names that a canonical *name* may have, to be looked up by index.

    These are its parts, its short and long forms, its initials, and synonyms.
    """
    words = _bare(name)
    if not words or len(words) > _MOST_WORDS + 1:
        return []
    found = list(words) if len(words) > 1 else []
    others = given_names.short_forms(words[0]) | given_names.long_forms(words[0])
    for other in sorted(others):
        found += [other] if len(words) == 1 else [other, " ".join((other, *words[1:]))]
    if len(words) > 1:
        found += [" ".join((head, *words[1:])) for head in (words[0][0], f"{words[0][0]}.")]
    found += synonyms(name)
    found += [" ".join(words), _initials(words), _initials((*words, "city"))]
    return [one for one in dict.fromkeys(found) if one and one != name]


def kinds_named(name: str) -> tuple[str, ...]:
    """Return the kinds that a label may mean if it is only a word for one: the puppy, Mama."""
    words = _bare(name)
    return kin.kinds(words[0]) if len(words) == 1 else ()


def synonyms(name: str) -> list[str]:
    """Return the synonyms of a canonical *name*, with articles and without."""
    words = _bare(name)
    if len(words) != 1 or words[0] not in _GROUP:
        return []
    return [
        one for word in _SYNONYMS[_GROUP[words[0]]] for one in (word, f"my {word}", f"the {word}")
    ]


def beginnings(name: str) -> list[str]:
    """Return the prefixes of longer names that a single name may begin."""
    words = _bare(name)
    if len(words) != 1:
        return []
    longer = sorted(given_names.long_forms(words[0]), key=given_names.count_forms, reverse=True)
    return [words[0], *longer[:2]]


def surname(name: str) -> str | None:
    """Return the last word of a name that may be only a part of another one: Smith, J. Smith."""
    words = _bare(name)
    is_part = len(words) == 1 or (len(words) == 2 and len(words[0]) == 1)
    return words[-1] if is_part else None


def is_acronym(label: str) -> bool:
    """Tell whether *label* is written as one: NYC, IBM, N.Y.C."""
    letters = label.replace(".", "")
    return letters.isalpha() and letters.isupper() and len(letters) in _LETTERS


def _bare(name: str) -> tuple[str, ...]:
    """Return the words of a name without articles, and without a title at its start."""
    words = names.untitled(name).replace(".", " ").split()
    return tuple(word for word in words if word not in DETERMINERS) or tuple(words)


def _are_synonyms(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    if len(first) != 1 or len(second) != 1:
        return False
    group = _GROUP.get(first[0])
    return group is not None and group == _GROUP.get(second[0])


def _is_its_kind(words: tuple[str, ...], name: str, kind: str | None) -> bool:
    """Tell whether a label is only a word for the other's kind: "the puppy", Max the dog."""
    if kind is None or len(words) != 1 or kinds.path(words[0]) is None:
        return False
    if kinds.path(name) is not None:
        return False
    wanted, has = kinds.path(words[0]) or "", kinds.path(kind) or ""
    if wanted.startswith("animal"):
        return has.startswith("animal") and kinds.agree(words[0], kind)
    last = names.canonical(kind).split()[-1]
    return words[0] == last or _are_synonyms(words, (last,))


def _is_acronym(label: str, words: tuple[str, ...]) -> bool:
    if len(words) < min(_LETTERS) or not is_acronym(label):
        return False
    return label.replace(".", "").casefold() in (
        _initials(words),
        "".join(word[0] for word in words),
    )


def _initials(words: tuple[str, ...]) -> str:
    letters = "".join(word[0] for word in words if word not in _LINKS)
    return letters if len(letters) in _LETTERS else ""


def _is_cased(label: str) -> bool:
    """Tell whether *label* is written like a name, each word with a capital."""
    return all(word[0].isupper() for word in label.split() if word.casefold() not in DETERMINERS)


def _by_parts(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[float, str]:
    """Compare two names of persons by their words: Liz and Elizabeth Smith, J. Smith."""
    short, long = sorted((first, second), key=len)
    # A hotel's name has other words.
    is_named = _LINKS.isdisjoint(long) and all(
        (kinds.path(word) or "person").startswith("person") for word in long
    )
    if not short or len(long) > _MOST_WORDS or not is_named:
        return 0.0, ""
    if len(short) == len(long) and short[1:] == long[1:]:
        if given_names.are_forms(short[0], long[0]):
            return _SHORT, "one is short for the other"
        heads = {short[0], long[0]}
        if len(short) > 1 and min(map(len, heads)) == 1 and len({word[0] for word in heads}) == 1:
            return _INITIALS, "with an initial"
    if len(short) == 1 and len(long) > 1 and len(short[0]) > 1:
        if short[0] in (long[0], long[-1]):
            return _PART, "a part of the other's name"
        if given_names.are_forms(short[0], long[0]):
            return _PART, "short for a part of the other's name"
    return 0.0, ""
