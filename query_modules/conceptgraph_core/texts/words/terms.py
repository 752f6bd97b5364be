"""Compute the terms of a text with their counts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from .languages import DEFAULT, MAX_LENGTH, Language, detect_languages, language
from .splitting import names, split

# A text is cut for the look-up of its terms, and again when they are written.
_REMEMBERED_TEXTS: Final = 2_048
# The terms of a long text take 20 kB.
_REMEMBERED_LONG: Final = 256
# The questions of the calls at work, and what these lead to.
_REMEMBERED_QUESTIONS: Final = 32
_SHORT, _LONG = 1_000, 5_000
# A word may be longer than its stem by so many letters for the forms between to be words too.
_LONGEST_ENDING: Final = 4


def terms(text: str, languages: Sequence[str] = DEFAULT) -> dict[str, int]:
    """Return each term of *text* with its count.

    A term is a word's stem, a pair of characters of a script without blanks, or a run of two or
    more capitalised words. *languages* are as `languages.named` returns them; the text is stemmed
    in the one with the most stop words in it. Raises LibraryMissing.
    """
    of = _remembered if len(text) <= _SHORT else _remembered_long if len(text) <= _LONG else _terms
    return dict(of(text, tuple(languages)))


def _terms(text: str, languages: Sequence[str]) -> dict[str, int]:
    words = split(text)
    spoken_languages = detect_languages(words, languages)
    found = _stems(words, spoken_languages[0])
    for one in spoken_languages[1:]:
        other = _stems(words, one)
        found = {term: max(found.get(term, 0), other.get(term, 0)) for term in found | other}
    for name in names(text):
        if len(name) <= MAX_LENGTH:
            found[name] = found.get(name, 0) + 1
    return found


_remembered = lru_cache(_REMEMBERED_TEXTS)(_terms)
_remembered_long = lru_cache(_REMEMBERED_LONG)(_terms)


def first_name(speaker: str) -> str:
    """Return the first word of a speaker's name, case-folded; "" if it has none.

    Questions use it for the speaker, so the term of that word is indexed for the speaker's texts.
    """
    words = split(speaker)
    return words[0] if words else ""


def readings(text: str, languages: Sequence[str] = DEFAULT) -> Mapping[str, tuple[str, ...]]:
    """Return the stems of each word of a question, in every one of *languages*, by the word.

    Those in the language of *text* come first.

    A text has one language, but a text in any may answer the question: "Party" in a German question
    is "party" in German texts and "parti" in English ones. Stop words of the question's own
    language are left out. A run of capitalised words stands for itself. Raises LibraryMissing.
    """
    return _readings(text, tuple(languages))


# A call reads its message ten times.
@lru_cache(_REMEMBERED_QUESTIONS)
def _readings(text: str, languages: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    words = split(text)
    spoken_languages = detect_languages(words, languages)
    others = [one for one in map(language, languages) if one not in spoken_languages]
    found: dict[str, tuple[str, ...]] = {}
    for word in dict.fromkeys(words):
        own = dict.fromkeys(one.term(word) for one in spoken_languages)
        if "" not in own:
            found[word] = tuple(filter(None, own | dict.fromkeys(one.term(word) for one in others)))
    # "Do I live there?" names nobody.
    runs = (one for one in names(text) if not found.keys().isdisjoint(split(one)))
    return found | {name: (name,) for name in runs if len(name) <= MAX_LENGTH}


def stems(text: str, languages: Sequence[str] = DEFAULT) -> set[str]:
    """Return all stems of `readings`, without runs of words. Raises LibraryMissing."""
    if len(languages) > 1:
        read = readings(text, languages).values()
        return {stem for one in read for stem in one if " " not in stem}
    found = set(map(language(languages[0]).term, split(text)))
    found.discard("")
    return found


def phrases(text: str, languages: Sequence[str], longest: int) -> Sequence[str]:
    """Return the words of *text*, case-folded, their possible forms without an ending, and runs.

    A run has up to *longest* words. Each occurs once, the single words first. No run begins or ends
    with a stop word, unless it is capitalised ("New York"). None begins with a single character; a
    digit may end one ("oxygen tank 2"). Raises LibraryMissing.
    """
    return _phrases(text, tuple(languages), longest)


@lru_cache(_REMEMBERED_QUESTIONS)
def _phrases(text: str, languages: Sequence[str], longest: int) -> Sequence[str]:
    words, read = split(text), readings(text, languages)
    found = dict.fromkeys(word for word in words if word in read)
    for word in list(found):
        for stem in sorted(read[word]):
            found |= dict.fromkeys(_list_between(stem, word))
    found |= dict.fromkeys(names(text))
    for length in range(2, longest + 1):
        for start in range(len(words) - length + 1):
            last = words[start + length - 1]
            if words[start] in read and (last in read or last.isdigit()):
                found[" ".join(words[start : start + length])] = None
    return tuple(found)


def _list_between(stem: str, word: str) -> list[str]:
    """Return the forms between a stem and its word: for "appl" and "apples", "apple" too."""
    if not word.startswith(stem) or len(word) - len(stem) > _LONGEST_ENDING:
        return [stem]
    return [word[:end] for end in range(len(stem), len(word))]


def _stems(words: Sequence[str], language: Language) -> dict[str, int]:
    found = dict(Counter(map(language.term, words)))
    # Stop words have an empty stem, and so have the marks that only lengthen an Arabic line.
    found.pop("", None)
    return found
