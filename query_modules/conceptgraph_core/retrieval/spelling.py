"""Take a word that no text has for one that is spelt nearly alike: alergic for allergic.

Two neighbouring letters may be swapped; in a word of five letters and more, one may be missing, be
too many or be another, though not the first. These spellings are looked up like other terms, so no
term of the scope is scanned. A word that is right in a language of the question is left alone, and
so is anything with a digit. Words that a question may have though no text has them, such as those
for kin, are taken as well.

Take a German compound that no text has for its parts, and a word for compounds that begin so.
"Anatomieprüfung" finds texts on a Prüfung in Anatomie, and "Rente" finds the Rentenbescheid. Parts
are looked up by name, and compounds by their beginning: a few of them.

A search of a few words takes each for the beginning of others too: "bake" finds the bakery.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple, Protocol

from .. import language
from ..texts.words import families, given_names, readings
from ..texts.words.languages import language as stemmed
from ..texts.words.splitting import split
from .index import Index

# Not imported: a reload would drop it.
re: Final[Any] = __import__("re")

_WORD: Final = re.compile(r"[^\W\d_]+")
# The most compounds that begin with one word.
MOST_COMPOUNDS: Final = 5
_LINKS: Final = ("", "s", "es", "n", "en", "e", "er")
_SHORTEST_COMPOUND: Final = 9
_SHORTEST_PART: Final = 4
_SHORTEST_FIRST: Final = 5


class Terms(Index[int], Protocol):
    """An index whose terms are found by their beginning."""

    def beginning(self, start: str) -> Sequence[str]:
        """Return the terms that begin with *start*, as far as the look-up found them."""


def is_german(text: str) -> bool:
    """Tell whether the function words of *text* are German."""
    spoken = language.likely(split(text))
    return "de" in spoken and "en" not in spoken


def split_compound(word: str, languages: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the terms of two parts that *word* may be made of, each with the part."""
    if len(word) < _SHORTEST_COMPOUND:
        return
    for at in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        firsts = (word[:at].removesuffix(one) for one in _LINKS)
        for first in dict.fromkeys(one for one in firsts if len(one) >= _SHORTEST_PART):
            for one in map(stemmed, languages):
                yield {one.stem(first): first, one.stem(word[at:]): word[at:]}


def find_beginning(word: str, term: str) -> str | None:
    """Return how compounds with *word*, of that *term*, begin; None for a short word."""
    return next((one for one in (term, word) if len(one) >= _SHORTEST_FIRST), None)


def find_compounds(
    index: Terms, word: str, term: str, languages: Sequence[str]
) -> list[dict[str, str]]:
    """Return rows as of `spelling.corrected`, without `meant`: the parts or compounds of *word*."""
    pairs = (pair for pair in split_compound(word, languages) if all(map(index.count, pair)))
    found = next(pairs, {})
    begun = find_beginning(word, term)
    if not found and begun is not None:
        longer = index.beginning(begun)
        long = [one for one in longer if len(one) >= len(begun) + _SHORTEST_PART]
        found = {one: one for one in long[:MOST_COMPOUNDS]}
    return [{"asked": term, "said": word, "term": one, "word": part} for one, part in found.items()]


def list_starts(text: str, languages: Sequence[str]) -> dict[str, str]:
    """Return the words of a short *text* that may be the beginning of another, with their terms."""
    if len(split(text)) > _MOST:
        return {}
    right = language.read_spoken(split(text), "asking", "asking", "function", "telling", "what")
    return {
        word: stems[0]
        for word, stems in readings(text, languages).items()
        if len(word) >= _SHORTEST and word.isalpha() and word not in right
    }


def find_longer(index: Terms, starts: Mapping[str, str]) -> list[dict[str, str]]:
    """Return rows as of `find_compounds`, of the terms that begin as one of *starts* does."""
    return [
        {"asked": term, "said": word, "term": one, "word": f"{word}…"}
        for word, term in starts.items()
        for one in [one for one in index.beginning(word) if one != term][:MOST_COMPOUNDS]
    ]


class Spelling(NamedTuple):
    """A word that a misspelt one may be meant for, and how likely it is: the least comes first.

    The `word` of a term in the family of `said`, which the question should have, is another one.
    """

    rank: int
    word: str
    said: str


# By term.
Meant = Mapping[str, Spelling]

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_MORE_LETTERS: Final = "äöüßáéíóúãõçêñ"
_SHORTEST: Final = 4
_SHORTEST_CHANGED: Final = 5
_LONGEST: Final = 30
# The most words of a question, the longest ones.
_MOST: Final = 3
# A swap is likelier than another slip, and a word of the family of a swapped one comes last.
_SWAPPED, _CHANGED, _FAMILY = range(3)


def doubtful(text: str, languages: Sequence[str]) -> Mapping[str, str]:
    """Return the words of *text* that may be misspelt, each with its term.

    No caller may change them. Raises LibraryMissing.
    """
    return _doubtful(text, tuple(languages))


# A call asks for those of its message three times.
@lru_cache(32)
def _doubtful(text: str, languages: tuple[str, ...]) -> Mapping[str, str]:
    spoken = language.likely(split(text))
    right = language.read_spoken(
        split(text), "asking", "asking", "function", "telling", "what", "past"
    )
    found = {
        word: stems[0]
        for word, stems in readings(text, languages).items()
        if _SHORTEST <= len(word) <= _LONGEST
        and word.isalpha()
        and word not in right
        and word not in _list_words(spoken)
        and not families.knows(stems, spoken, languages)
    }
    return dict(sorted(found.items(), key=lambda one: (-len(one[0]), one[0]))[:_MOST])


def spellings(text: str, languages: Sequence[str]) -> Mapping[str, Meant]:
    """Return the terms that each doubtful word of *text* may be meant for, by this word.

    No caller may change them.
    """
    return _spellings(text, tuple(languages))


# A call makes them for the look-up, and again for the answer.
@lru_cache(8)
def _spellings(text: str, languages: tuple[str, ...]) -> Mapping[str, Meant]:
    spoken = language.likely(split(text))
    # A foreign name is another one, not a misspelt one: Marta and Maria. German has more capitals.
    has_names = "de" not in spoken
    return {
        word: _find_meant(word, term, spoken, languages, has_names and _is_name(word, text))
        for word, term in doubtful(text, languages).items()
    }


def unknown(index: Index[int], text: str, languages: Sequence[str]) -> dict[str, str]:
    """Return those doubtful words of *text* that no text has, each with its term."""
    asked = doubtful(text, languages)
    # Not how many, because a name has an edge for each of its texts.
    counts = index.counts(set(asked.values()), 1)
    return {said: term for said, term in asked.items() if not counts[term]}


def correct(
    index: Terms, text: str, asked: Mapping[str, str], languages: Sequence[str]
) -> list[dict[str, str]]:
    """Return the misspelt words of *text*, each `said` with its `asked` term that no text has.

    *asked* are the `unknown` ones.

    `term` and `word` are the likeliest that a text has, and `meant` is the right spelling: if no
    text has any, the one word of the language with two letters swapped, by which texts are near in
    meaning. A word that is right may have `compounds`.
    """
    found: list[dict[str, str]] = []
    if not asked:
        # The spellings take longer than all else, and most questions have no such word.
        return found
    every = spellings(text, languages)
    spoken = language.likely(split(text))
    listed = _list_words(spoken)
    for said, meant in ((said, every[said]) for said in asked):
        known = [one for one in meant if index.count(one) or meant[one].said in listed]
        is_name, has_forms = _is_name(said, text), given_names.count_forms(said) > 0
        if known and not (is_name and has_forms):
            best = min(known, key=lambda one: (meant[one].rank, -index.count(one), one))
            right = meant[best].said
            of_it = [one for one in meant if meant[one].said == right and index.count(one)]
            term = best if index.count(best) or not of_it else of_it[0]
            row = {"asked": asked[said], "said": said, "term": term, "word": meant[term].word}
            found.append({**row, "meant": right})
        elif not (is_name or has_forms) and (evident := _evident(meant, spoken, languages)):
            [(term, one)] = evident
            row = {"asked": asked[said], "said": said, "term": term, "word": one.word}
            found.append({**row, "meant": one.said})
        elif is_german(text):
            found += find_compounds(index, said, asked[said], languages)
    return found


def respell(text: str, spelt: Iterable[Mapping[str, str]]) -> str:
    """Return *text* with each word of *spelt*, rows of `correct`, as it was meant."""
    meant = {one["said"]: one["meant"] for one in spelt if "meant" in one}

    def right(found: Any) -> str:
        said = found[0]
        word = meant.get(said.casefold(), said)
        return str(word.capitalize() if said.istitle() else word)

    return str(_WORD.sub(right, text)) if meant else text


@cache
def _list_words(spoken: tuple[str, ...]) -> frozenset[str]:
    """Return the words for kin, and for what users ask of themselves."""
    lists = (language.load(one, topic) for one in spoken for topic in ("kin", "matters"))
    return frozenset(word for each in lists for words in each.values() for word in words)


def _evident(
    meant: Meant, spoken: Sequence[str], languages: Sequence[str]
) -> list[tuple[str, Spelling]]:
    """Return what is meant if it is the only word of the language that a swap makes."""
    swapped = [
        (term, one)
        for term, one in meant.items()
        if one.rank == _SWAPPED and families.knows([term], spoken, languages)
    ]
    return swapped if len(swapped) == 1 else []


def _is_name(word: str, text: str) -> bool:
    return word.capitalize() in text


def _find_meant(
    word: str, term: str, spoken: Sequence[str], languages: Sequence[str], is_name: bool
) -> Meant:
    found: dict[str, Spelling] = {}
    changes = len(word) >= _SHORTEST_CHANGED
    near = [one for one in _list_near(word, changes) if not is_name or one[-1] == word[-1]]
    swapped = set(islice(_list_near(word, changes), len(word) - 1))
    for one in map(stemmed, languages):
        stems = {meant: one.stem(meant) for meant in near}
        for meant, right in stems.items():
            rank = _SWAPPED if meant in swapped else _CHANGED
            found.setdefault(right, Spelling(rank, meant, meant))
        stem = one.stem(word)
        letters = _LETTERS if word.isascii() and spoken == ("en",) else _LETTERS + _MORE_LETTERS
        # Other letters of a short stem make other words: Frage, Frau.
        is_long = len(stem) >= _SHORTEST_CHANGED
        for changed in _list_changed(stem, letters, is_name) if is_long else ():
            whole = changed + word[len(stem) :]
            if not is_name or whole[-1] == word[-1]:
                found.setdefault(changed, Spelling(_CHANGED, whole, whole))
        for meant, right in stems.items():
            # A family and another slip, or an ending, are too far: Planeten, Plant-een, Plan.
            if meant in swapped and len(right) == len(stem):
                for member, other in families.find_families([right], spoken, languages).items():
                    found.setdefault(member, Spelling(_FAMILY, other, meant))
    found.pop(term, None)
    return found


def _list_near(word: str, changes: bool) -> Iterator[str]:
    """Yield *word* with two letters swapped; then with one left out, and with one doubled."""
    for at in range(len(word) - 1):
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    for at in range(1, len(word)) if changes else ():
        yield word[:at] + word[at + 1 :]
        yield word[:at] + word[at] + word[at:]


def _list_changed(stem: str, letters: str, is_name: bool) -> Iterator[str]:
    """Yield *stem* with one letter more, or unless it *is_name*, another one."""
    for at in range(1, len(stem) + 1):
        for letter in letters:
            yield stem[:at] + letter + stem[at:]
            if not is_name:
                yield stem[:at] + letter + stem[at + 1 :]
