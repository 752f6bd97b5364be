"""Tell whether two words are forms of one: "moving" and "moved", but never by their stem.

A stem joins too much: "depressing" would be "depression". So only inflectional endings count. The
German ones count only in a German text, because there "worker" is no form of "work".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ...words.splitting import in_words
from .folded import folded, word_set

# Each of these proves that a text is German; none is an English word.
_GERMAN: Final = word_set("""
ich und der das ist nicht ein eine einen einem einer mein meine meinen meinem meiner mit für von bei
wir sie auf auch aber dem den zu im zum zur bin habe hat sind mir mich nach sich noch wie wenn dass
gegen über
""")
_ENGLISH: Final = word_set("""
the and is of to my a i it that this with for we you have are be not on at but what do me
""")
_GERMAN_ENDINGS: Final = ("e", "en", "n", "er", "ern", "em", "es", "s")
_UMLAUTS: Final = str.maketrans("äöü", "aou")
_VOWELS: Final = frozenset("aeiouyäöü")
# A word without its ending has at least so many letters.
_SHORTEST: Final = 3
_NUMBERS: Final = (
    {
        word: str(number)
        for number, words in enumerate(
            (
                *("one eins", "two zwei", "three drei", "four vier", "five fünf", "six sechs"),
                *(
                    "seven sieben",
                    "eight acht",
                    "nine neun",
                    "ten zehn",
                    "eleven elf",
                    "twelve zwölf",
                ),
                *("thirteen dreizehn", "fourteen vierzehn", "fifteen fünfzehn", "sixteen sechzehn"),
                *("seventeen siebzehn", "eighteen achtzehn", "nineteen neunzehn", "twenty zwanzig"),
            ),
            1,
        )
        for word in words.split()
    }
    | {
        word: str(number)
        for number, words in (
            *((2, "dois duas deux"), (3, "três tres trois"), (4, "quatro cuatro quatre")),
            *((5, "cinco cinq"), (6, "seis"), (7, "sete siete sept"), (8, "oito ocho huit")),
            *((9, "nove nueve neuf"), (10, "dez diez"), (11, "onze"), (12, "doze doce douze")),
            *((13, "treze trece treize"), (14, "catorze catorce"), (15, "quinze")),
        )
        for word in words.split()
    }
    | {
        "thirty": "30",
        "forty": "40",
        "fifty": "50",
        "sixty": "60",
        "dreissig": "30",
        "vierzig": "40",
    }
)


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
        while end < len(text) and (in_words(text[end]) or _is_in_number(text, end)):
            end += 1
        form = folded(text[place:end])
        found.append(Token(_NUMBERS.get(form) or _number(form), place, end))
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


def _is_in_number(text: str, place: int) -> bool:
    around = text[place - 1 : place] + text[place + 1 : place + 2]
    return text[place] in ",." and len(around) == 2 and around.isdigit()


def _number(form: str) -> str:
    """Return *form* without digit separators: 1,200 and 1200 are one number."""
    groups = form.split(",")
    is_grouped = len(groups) > 1 and all(len(one) == 3 for one in groups[1:])
    return "".join(groups) if is_grouped and form[:1].isdigit() else form
