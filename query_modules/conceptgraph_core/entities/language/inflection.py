"""Tell whether two words are forms of one: "moving" and "moved", but never by their stem.

A stem joins too much: "depressing" would be "depression". So only inflectional endings count. The
German ones count only in a German text, because there "worker" is no form of "work".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ... import language
from ...texts.folding import fold_marks
from ...texts.words.splitting import in_words

_TOPIC: Final = "inflection"
# Each of these proves that a text is German; none is an English word.
_GERMAN: Final = language.words(_TOPIC, "german", ("en",))
_ENGLISH: Final = language.words(_TOPIC, "english", ("en",))
_GERMAN_ENDINGS: Final = ("e", "en", "n", "er", "ern", "em", "es", "s")
_UMLAUTS: Final = str.maketrans("äöü", "aou")
_VOWELS: Final = frozenset("aeiouyäöü")
# A word without its ending has at least so many letters.
_SHORTEST: Final = 3
_NUMBERS: Final = {
    word: number
    for number, words in language.load("en", _TOPIC).items()
    for word in words
    if number.isdigit()
}


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text in its folded form, a number as its digits, and its place."""

    form: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """Return the words and numbers of *text*; for "It's 1,200" these are it, s, 1200."""
    found, place = [], 0
    while place < len(text):
        if not in_words(text[place]):
            place += 1
            continue
        end = place
        while end < len(text) and (
            in_words(text[end])
            or (text[end] in ",." and text[end - 1].isdigit() and text[end + 1 : end + 2].isdigit())
        ):
            end += 1
        form = fold_marks(text[place:end])
        # 1,200 and 1200 are one number.
        groups = form.split(",")
        if len(groups) > 1 and form[:1].isdigit() and all(len(one) == 3 for one in groups[1:]):
            form = "".join(groups)
        found.append(Token(_NUMBERS.get(form, form), place, end))
        place = end
    return found


def is_german(words: Sequence[str]) -> bool:
    """Tell whether more of the folded *words* are German than English ones."""
    german = sum(word in _GERMAN for word in words)
    return german > sum(word in _ENGLISH for word in words)


def is_one_word(one: str, other: str, german: bool, *, verbs: bool = True) -> bool:
    """Tell whether two folded words are forms of one; without *verbs*, only singular and plural."""
    return one == other or not bases(one, german, verbs).isdisjoint(bases(other, german, verbs))


def bases(word: str, german: bool, verbs: bool = True) -> set[str]:
    """Return the possible base forms of *word*, itself included."""
    found = {word}
    if not word.isalpha():
        return found
    if german:
        found |= {word.removesuffix(one) for one in _GERMAN_ENDINGS}
        found |= {one.translate(_UMLAUTS) for one in found}
    else:
        found |= _plain(word) | (_of_verb(word) if verbs else set())
    return {one for one in found if one == word or _is_word(one)}


def _plain(word: str) -> set[str]:
    """Return the singulars that an English plural may have."""
    if word.endswith(("ss", "us", "is")):
        return set()
    found = {word.removesuffix("s"), word.removesuffix("es")}
    return found | ({f"{word[:-3]}y"} if word.endswith("ies") else set())


def _of_verb(word: str) -> set[str]:
    found = set()
    for ending in ("ed", "ing"):
        base = word.removesuffix(ending)
        if base != word and _is_word(base):
            found |= {base, f"{base}e"}
            if base[-1:] == base[-2:-1]:
                found.add(base[:-1])
            if base.endswith("i"):
                found.add(f"{base[:-1]}y")
    return found


def _is_word(base: str) -> bool:
    return len(base) >= _SHORTEST and not _VOWELS.isdisjoint(base)
