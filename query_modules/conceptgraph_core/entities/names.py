"""Normalise entity names, so that all spellings have one form, compare them, and make ids.

Ids follow from the identity of a thing: the same parts give the same id. So a retried call, or two
concurrent ones, create the same thing, and a unique constraint rejects the second.
"""

import hashlib
import unicodedata
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import chain, count
from typing import Final, NamedTuple

from ..concepts import schema
from ..retrieval.question import asked_terms
from ..texts import folding
from ..texts.folding import plain
from ..texts.words.splitting import is_unspaced, split
from .language import dated
from .language.inflection import is_german, is_one_word

# Without embeddings, names are near if they share so many first letters.
KIN_LETTERS: Final = 3
# A suffix that sorts after all continuations of a name.
LAST: Final = chr(0x10FFFF)
# The entities of one name are numbered up to here. A label such as "Task #10" may be in use, but no
# entity's number looks like that.
_NUMBERED: Final = 9
_FAR: Final = 1_000_000_000
# Titles before a name, and the gender they tell.
TITLES: Final = {
    **dict.fromkeys(("dr", "prof", "professor", "doctor", "doktor"), ""),
    **dict.fromkeys(("mr", "mister", "sir", "herr", "hr", "sr", "señor", "senhor"), "m"),
    "monsieur": "m",
    **dict.fromkeys(("mrs", "ms", "miss", "frau", "fr", "sra", "dra", "señora"), "f"),
    **dict.fromkeys(("senhora", "dona", "doña", "madame", "mme"), "f"),
}
# Straight and curly ones, and the modifier letter.
_APOSTROPHES: Final = "'\u2019\u2018\u02bc"


def canonical(label: str) -> str:
    """Return *label* NFKC-normalised, case-folded, its blanks collapsed: " Ｍａｘ " → "max"."""
    folded = unicodedata.normalize("NFKC", label).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def key(label: str) -> str:
    """Return the form that all spellings of the name *label* share.

    It is the canonical form without a title, and one form for all spellings of a date: "Dr. Smith"
    gives smith, "May 3rd" 3 may.
    """
    date = dated.whole(label)
    return untitled(canonical(label)) if date is None else canonical(date.label)


def untitled(name: str) -> str:
    """Return a canonical name without its title, if more than the title remains."""
    words = name.split()
    while len(words) > 1 and words[0].rstrip(".") in TITLES:
        words.pop(0)
    return " ".join(words)


def are_titled_apart(one: str, other: str) -> bool:
    """Tell whether two names have titles that exclude each other: Mr. Smith and Mrs. Smith."""
    return _sexes(one) | _sexes(other) == {"f", "m"}


def _sexes(name: str) -> set[str]:
    titles = {word.rstrip(".") for word in canonical(name).split()}
    return {TITLES[one] for one in titles if one in TITLES} - {""}


def searched(name: str) -> str:
    """Return a canonical name without accents, apostrophes and invisible characters: "obrien"."""
    return _joined(folding.plain(name)) or name


def words(name: str) -> list[str]:
    """Return the words of a canonical name as they are searched for, without accents.

    The parts of a word with an apostrophe or an invisible character follow: "o'brien" gives obrien,
    o, brien.
    """
    plain = folding.plain(name)
    joined = _joined(plain)
    found = split(joined)
    if joined != plain:
        found += [part for part in split(plain) if part not in found]
    return found


def inner_words(name: str) -> list[str]:
    """Return the words of a canonical name, without the one that its searched form begins with.

    "max and moritz" gives moritz, and so does "“moritz”", because its quote precedes the word.
    """
    found = words(name)
    return found[1:] if found and searched(name).startswith(found[0]) else found


def _joined(name: str) -> str:
    for mark in _APOSTROPHES:
        name = name.replace(mark, "")
    if name.isascii():
        return name
    # Pasted text brings invisible characters: zero-width blanks, marks of direction.
    return "".join(letter for letter in name if unicodedata.category(letter) != "Cf")


def free(name: str, taken: Container[str]) -> str:
    """Return the first of *name*, "name #2", "name #3" … that is not *taken*."""
    further = (f"{name} #{number}" for number in count(_FAR))
    return next(one for one in chain((name,), numbered(name), further) if one not in taken)


def numbered(name: str) -> list[str]:
    """Return the numbered names of further entities of that name, which may be labels of others.

    Names beyond these are too rare to look up.
    """
    return [f"{name} #{number}" for number in range(2, _NUMBERED + 1)]


def kin(name: str) -> tuple[str, str]:
    """Return the bounds (from, and below) of canonical names that begin like *name*."""
    beginning = name[:KIN_LETTERS]
    return beginning, beginning + LAST


def numbers(name: str) -> list[str]:
    """Return the numbers in *name*, in an order of their own."""
    return sorted("".join(one if one.isdigit() else " " for one in name).split())


def are_numbered_apart(one: str, other: str) -> bool:
    """Tell whether both names have numbers that differ: 30,000 yen and 400,000 yen.

    Such names mean two things, however similar they are. If one has no number, the question is
    open.
    """
    first, second = numbers(one), numbers(other)
    return bool(first and second) and first != second


def ratio(one: str, other: str, least: float = 0.0) -> float:
    """Return the similarity of two canonical names, 0 to 1 (Ratcliff and Obershelp, 1988).

    It is symmetric, unlike difflib's. A result below *least* is returned as 0, which saves time.
    """
    import difflib  # Imported here, because readers of the layer's declaration have no use for it.

    first, second = sorted((one, other))
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
        return 0.0
    return matcher.ratio()


def asked_for(text: str, languages: Sequence[str]) -> list[str]:
    """Return the searched forms of the whole labels that *text* may name. Raises LibraryMissing."""
    return list(dict.fromkeys(map(searched, schema.find_names(text, languages))))


def make_id(*parts: str | int) -> str:
    """Return an id, shaped as a UUID (version 8, RFC 9562), of *parts* in their order."""
    spelled = "".join(f"{len(str(part))}:{part}" for part in parts)
    digits = hashlib.sha256(spelled.encode()).hexdigest()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


def make_mention_id(
    user_id: str, session_id: str, message_id: str, name: str, node_type: str
) -> str:
    """Return the id of the mention of *name*, a canonical one, in a message: it counts once."""
    return make_id("mention", user_id, session_id, message_id, name, node_type)


class _Name(NamedTuple):
    """A name in its plain form, and its words; no words if only the whole form is searched for."""

    form: str
    first: list[str]
    last: str
    is_proper: bool

    def is_in(self, text: str, words: list[str]) -> bool:
        """Tell whether the plain *text* with these *words* has the name."""
        if not self.last:
            return self.form in text
        ends = range(len(self.first), len(words))
        return any(
            self._is_form(words[end], words)
            for end in ends
            if words[end - len(self.first) : end] == self.first
        )

    def _is_form(self, word: str, words: Sequence[str]) -> bool:
        if word in (self.last, f"{self.last}s"):
            return True
        # Most words differ at once.
        is_near = not self.is_proper and word[:2] == self.last[:2]
        return is_near and is_one_word(self.last, word, is_german(words), verbs=False)


class Subject:
    """Something that texts are about, by all its *names*."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys(names))
        self._names = []
        for name in self.names:
            words = [] if any(map(is_unspaced, name)) else split(plain(name))
            *first, last = words or [""]
            is_proper = name.rsplit(maxsplit=1)[-1][:1].isupper()
            self._names.append(_Name(plain(name), first, last, is_proper))

    def is_in(self, texts: Iterable[str]) -> bool:
        """Tell whether any of *texts* has one of the names."""
        for text in map(plain, texts):
            words = split(text)
            if any(name.is_in(text, words) for name in self._names):
                return True
        return False


def list_terms(name: str, languages: Sequence[str]) -> Iterator[list[str]]:
    """Yield for each word of *name* the terms of which a text with that word has one.

    Words that the index leaves out or cuts otherwise are skipped. Raises LibraryMissing.
    """
    for word in dict.fromkeys(split(name)):
        stems = [] if is_unspaced(word[0]) else asked_terms(word, languages)
        if stems:
            yield list(dict.fromkeys((*stems, *asked_terms(f"{word}s", languages))))
