"""Find the family of a word: allergy, allergic and allergies.

A stemmer unites the forms of a word. It does not unite what is derived from it, nor "taught" with
"teach". English families come from WordNet (`language/en/derived.txt`); common words of each
language have lists of their own (`families.txt` beside it).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from .. import language
from .languages import language as stemmed

# Each member of a family: its term, and a word of it.
Family = Mapping[str, str]


def of(terms: Iterable[str], spoken: Sequence[str], languages: Sequence[str]) -> dict[str, str]:
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
    return {term: word for term, word in found.items() if term not in terms}


def knows(terms: Iterable[str], spoken: Sequence[str], languages: Sequence[str]) -> bool:
    """Tell whether any of *terms* is in a list of families of the languages *spoken*."""
    known = [_families(one, tuple(languages)) for one in spoken]
    return any(term in families for term in terms for families in known)


# The files are constants and no state: a reload that empties the cache changes nothing.
@cache
def _families(spoken: str, languages: tuple[str, ...]) -> Mapping[str, Sequence[Family]]:
    found: dict[str, list[Family]] = {}
    for family in _listed(spoken, languages):
        for term in family:
            found.setdefault(term, []).append(family)
    return found


def _listed(spoken: str, languages: tuple[str, ...]) -> Iterator[Family]:
    every = [stemmed(name) for name in languages]
    for first, others in language.load(spoken, "families").items():
        words = (first, *others)
        yield {term: word for word in words for one in every if (term := one.term(word))}
    if spoken == "en" and "english" in languages:
        for line in language.lines(spoken, "derived"):
            members = (member.partition("/") for member in line.split())
            yield {term: word or term for term, _, word in members}
