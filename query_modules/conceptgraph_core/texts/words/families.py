"""Find the family of a word: allergy, allergic and allergies.

A stemmer unites the forms of a word. It does not unite what is derived from it, nor "taught" with
"teach". English families come from WordNet (`language/en/derived.txt`); common words of each
language have lists of their own (`families.txt` beside it).
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from ... import language
from .languages import language as stemmed

# Each member of a family: its term, and a word of it.
Family = Mapping[str, str]


def find_families(
    terms: Iterable[str], spoken: Sequence[str], languages: Sequence[str]
) -> dict[str, str]:
    """Return the terms of the families of *terms*, without these, each with a word.

    *spoken* are the languages that the text of *terms* may be of ("en"), and *languages* those in
    which texts are stemmed. Raises LibraryMissing.
    """
    terms, found = list(terms), dict[str, str]()
    for one in spoken:
        families = _families(one, tuple(languages))
        for term in terms:
            for family in families.get(term, ()):
                found = {**family, **found}
            if _is_english(one, languages):
                found = {**_derive_family(term), **found}
    return {term: word for term, word in found.items() if term not in terms}


def knows(terms: Iterable[str], spoken: Sequence[str], languages: Sequence[str]) -> bool:
    """Tell whether any of *terms* is in a list of words of the languages *spoken*."""
    terms = list(terms)
    return any(
        term in _families(one, tuple(languages))
        or (_is_english(one, languages) and _line(term) is not None)
        for one in spoken
        for term in terms
    )


# The files are constants and no state: a reload that empties the cache changes nothing.
@cache
def _families(spoken: str, languages: tuple[str, ...]) -> Mapping[str, Sequence[Family]]:
    every = [stemmed(name) for name in languages]
    found: dict[str, list[Family]] = {}
    for first, others in language.load(spoken, "families").items():
        family = {
            term: word for word in (first, *others) for one in every if (term := one.term(word))
        }
        for term in family:
            found.setdefault(term, []).append(family)
    return found


def _is_english(spoken: str, languages: Sequence[str]) -> bool:
    return spoken == "en" and "english" in languages


@lru_cache(2_048)
def _derive_family(term: str) -> Family:
    """Return the families of *term* that WordNet has, as one."""
    words = (_line(term) or "").split()[1:]
    return {stemmed("english").term(word): word for word in words}


def _line(term: str) -> str | None:
    """Return the line of WordNet's families that begins with *term*."""
    lines = _lines()
    place = bisect_left(lines, term)
    found = lines[place : place + 1]
    return found[0] if found and found[0].partition(" ")[0] == term else None


# Thousands of lines, of which a question needs a few: they are looked up as they are.
@cache
def _lines() -> list[str]:
    return language.raw_lines("en", "derived")
