"""Find the entities that a message names: by a whole label, by a part of a name, or as "my sister".

A whole label always counts, whatever its accents and case. A part of a name ("Anna" of Anna Smith)
counts if it is written as a name. Its capital must not be due to the beginning of a sentence or to
another word (will, Mark, May). The look-up and the procedure that judges its results both use this
module; it imports nothing of Memgraph.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from ... import language
from ...retrieval.calendar import MONTHS, WEEKDAYS
from ...retrieval.question import asking
from ...texts import folding
from ...texts.words import readings
from ...texts.words.languages import STOP_WORDS
from ...texts.words.splitting import in_words, is_unspaced, split
from .. import names, schema
from ..language import kin

# Only so many words of the message are read, and a label has at most so many.
MOST_WORDS: Final = 400
MOST_WORDS_A_NAME: Final = 5
# The same for a script without blanks, in characters.
_MOST_UNSPACED: Final = 200
_MOST_LETTERS_A_NAME: Final = 8
# Only so many words are looked up as parts of names.
MOST_PARTS: Final = 40
# A part of a name, or a kind, that more entities share identifies none of them.
MOST_SHARING: Final = 8
# "My kids" may be many, and all of a large family still are.
_MOST_IN_A_GROUP: Final = 40
# So many words after a name may tell which entity is meant: from the office in Bonn.
_MOST_BEHIND: Final = 5
_SHORTEST: Final = 2
# Only so many words of a question are read as kinds and predicates, and so many forms looked up.
_MOST_ASKED: Final = 12
_MOST_FORMS: Final = 48
_SHORTEST_MATTER: Final = 3
# These are sometimes names: in small letters, or at the start of a sentence, they are not.
_ORDINARY: Final = language.words("ordinary", "ordinary", ("en",))
_GERMAN: Final = language.words("ordinary", "german", ("en",))
_ARTICLES: Final = language.words("ordinary", "articles", ("en",))
_DATING: Final = language.words("ordinary", "dating", ("en",))
_ENDS: Final = frozenset('.!?…。！？\n:;•*"“”„»«(')
_PUNCTUATION: Final = ".,;:!?…'\"()[]“”„«»‘’*"
_APOSTROPHES: Final = ("'s", "’s")

# From the first word of the message to before the last.
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the message as it is written, without the punctuation around it."""

    text: str
    # With the punctuation.
    raw: str
    begins: bool
    # Whether only blanks separate it from the next word.
    goes_on: bool

    @property
    def folded(self) -> str:
        return self.text.casefold()

    @property
    def bare(self) -> str:
        """The word without a possessive 's."""
        return next((self.text[:-2] for end in _APOSTROPHES if self.text.endswith(end)), self.text)

    @property
    def is_capitalised(self) -> bool:
        return self.text[0].isupper()


@dataclass(frozen=True, slots=True)
class Meant:
    """The places that name an entity: by its label, whole or in part, and by its kind."""

    places: tuple[Place, ...]
    is_whole: bool
    kinds: tuple[Place, ...] = ()


@dataclass(slots=True)
class Message:
    """The possible names in a message, by the form that is looked up."""

    # By the searched form of a label.
    wholes: dict[str, list[Place]] = field(default_factory=dict)
    # By a word of a name, in its searched form.
    parts: dict[str, list[int]] = field(default_factory=dict)
    # By a kind that an entity may have.
    kinds: dict[str, list[Place]] = field(default_factory=dict)
    # The places where a kind follows "the": the only one that there is.
    definite: set[Place] = field(default_factory=set)
    # The places that mean several, "my kids", with the name of the group.
    groups: dict[Place, str] = field(default_factory=dict)
    words: list[_Word] = field(default_factory=list)
    is_german: bool = False
    # Whether capitals mean anything: not if the text is all small, or all capitals.
    has_case: bool = True

    def meant(self, label: str, node_type: str, kind: str | None) -> Meant | None:
        """Return the places that name an entity called *label*; None if there are none."""
        known_as = tuple(self.kinds.get((kind or "").casefold(), ()))
        whole = self.wholes.get(_form(label))
        if whole and (places := [one for one in whole if self._is_name(one, label)]):
            return Meant(tuple(places), True, known_as)
        found: tuple[Place, ...] = ()
        if node_type == schema.NAMED:
            hits = sorted({hit for part in parts(label) for hit in self.parts.get(part, ())})
            found = tuple(run for run in _runs(hits) if not self._goes_on(run))
        return Meant(found, False, known_as) if found or known_as else None

    def behind(self, place: Place) -> set[str]:
        """Return the next words after *place*, up to a punctuation mark."""
        found: set[str] = set()
        for before, word in list(pairwise(self.words[place[1] - 1 :]))[:_MOST_BEHIND]:
            if place[0] < 0 or not before.goes_on:
                break
            found.add(_form(word.bare))
        return found

    def _is_name(self, place: Place, label: str) -> bool:
        """Tell whether the text at *place* may be *label*, not another word: "I may"."""
        first, beyond = place
        if beyond - first > 1 or not 0 <= first < len(self.words):
            return True
        word = self.words[first]
        is_other = _is_ordinary(word, names.searched(word.bare.casefold()))
        return not is_other or word.is_capitalised or not label[0].isupper()

    def _goes_on(self, run: Place) -> bool:
        """Tell whether the name continues with a foreign part: Anna Jones is not Anna Smith.

        German writes all nouns with a capital, so "Hat Anna Zeit?" does not continue it.
        """
        first, beyond = run
        if self.is_german or not self.has_case:
            return False
        behind = self.words[beyond] if beyond < len(self.words) else None
        if behind is not None and self.words[beyond - 1].goes_on and _continues(behind):
            is_owner = self.words[beyond - 1].bare != self.words[beyond - 1].text
            return not is_owner
        before = self.words[first - 1] if first else None
        return before is not None and before.goes_on and not before.begins and _continues(before)


def _is_long(form: str) -> bool:
    """Tell whether a word is long enough for a part of a name, and no number."""
    return len(form) >= _SHORTEST and form.replace("-", "").isalpha()


def narrowed(found: Iterable[tuple[Any, Meant]], read: Message) -> list[tuple[Any, Meant]]:
    """Return the entities with their places, without places that a longer name covers.

    "New York" is not York, and "my friend Anna" no other friend. A name that more than a few
    entities share identifies none: there are many a "Team", and of fourteen friends "my friend" is
    none in particular. At a definite place, "the plumber", there is one entity, or two of one name.
    *read* is the message.
    """
    all_found = list(found)
    every = {place for _, meant in all_found for place in (*meant.places, *meant.kinds)}
    most = dict.fromkeys(read.definite, 2) | dict.fromkeys(read.groups, _MOST_IN_A_GROUP)
    sharing = Counter(place for _, meant in all_found for place in _shared(meant))
    # The friend of "my friend Anna".
    named = {
        kind
        for _, meant in all_found
        for kind in meant.kinds
        if any(first == kind[1] for first, _ in meant.places)
    }
    kept = []
    for node, meant in all_found:
        kinds = [one for one in meant.kinds if one not in named]
        shared = _shared(meant)
        places = tuple(
            one
            for one in sorted({*meant.places, *kinds})
            if (one not in shared or sharing[one] <= most.get(one, MOST_SHARING))
            and not _is_within(one, every)
        )
        if places:
            kept.append((node, Meant(places, meant.is_whole)))
    return kept


def _shared(meant: Meant) -> set[Place]:
    """Return the places that name other entities as well: all but a whole label."""
    return {*meant.kinds} if meant.is_whole else {*meant.kinds, *meant.places}


def _is_within(place: Place, others: Iterable[Place]) -> bool:
    first, beyond = place
    return any(
        one[0] <= first and beyond <= one[1] and one != place and first >= 0 for one in others
    )


# A recall judges the same names for each message.
@lru_cache(1_024)
def parts(label: str) -> Sequence[str]:
    """Return the words of *label* that may name the entity alone, in their searched form.

    For "Bank of America (the one in town)" they are bank and america. Small words beside capitals
    are no names.
    """
    words = [word.text for word in _words(label)]
    if len(words) < 2:
        return ()
    if any(word[0].isupper() for word in words):
        words = [word for word in words if word[0].isupper()]
    searched = [_form(word) for word in words]
    return tuple(one for one in searched if _is_long(one))


# A call reads its message for the look-up, and again for the answer.
@lru_cache(32)
def read(text: str) -> Message:
    """Return the possible names in *text*, which no caller may change."""
    message = Message(words=list(_words(text))[:MOST_WORDS])
    words = message.words
    letters = "".join(word.text for word in words)
    message.has_case = letters.upper() != letters and letters.lower() != letters
    said = {word.folded for word in words}
    message.is_german = len(said & _GERMAN) > len(said & STOP_WORDS)
    for form, at in _labels(words):
        message.wholes.setdefault(form, []).append(at)
    for form in _unspaced(text):
        message.wholes.setdefault(form, []).append((-1, -1))
    for place, form in _parts(message):
        if form in message.parts or len(message.parts) < MOST_PARTS:
            message.parts.setdefault(form, []).append(place)
    folded = [word.folded for word in words]
    for place, word in kin.named(folded):
        for kind in kin.kinds(word):
            message.kinds.setdefault(kind, []).append((place, place + 1))
    for place, word in kin.known(folded):
        if not kin.is_own(folded[place - 1]):
            message.definite.add((place, place + 1))
        for kind in kin.kinds(word) or (word,):
            message.kinds.setdefault(kind, []).append((place, place + 1))
    for place, group, kinds in kin.groups(folded):
        message.groups[place, place + 1] = group
        for kind in kinds:
            message.kinds.setdefault(kind, []).append((place, place + 1))
    return message


def _words(text: str) -> Iterator[_Word]:
    """Iterate over the words of *text*, which blanks separate, without punctuation."""
    for line in text.split("\n"):
        begins = True
        for raw in line.split():
            end = len(raw)
            inner = range(end) if raw.isalnum() else [at for at in range(end) if in_words(raw[at])]
            if inner:
                first, last = inner[0], inner[-1] + 1
                opened = any(one in _ENDS for one in raw[:first])
                yield _Word(raw[first:last], raw, begins or opened, last == end)
                # The point of "Dr." ends no sentence.
                ended = any(one in _ENDS for one in raw[last:])
                begins = ended and raw[first:last].casefold() not in _TITLES
            else:
                begins = begins or any(one in _ENDS or one == "-" for one in raw)


def _labels(words: list[_Word]) -> Iterator[tuple[str, Place]]:
    """Yield the searched forms of possible labels, and the place of each.

    The forms of each word are computed once, because a message may have hundreds of words.
    """
    insides = [_form(word.raw) for word in words]
    # Without the punctuation around, and with marks that may belong to a name: C++.
    starts = [
        (_form(word.raw[word.raw.index(word.text) :]), _form(word.raw.lstrip(_PUNCTUATION)))
        for word in words
    ]
    ends = [_ends(word) for word in words]
    for first, word in enumerate(words):
        alone = (word.text, word.bare, _genitive(word), word.raw.strip(_PUNCTUATION))
        for form in dict.fromkeys(map(_form, alone)):
            yield form, (first, first + 1)
        for beyond in range(first + 2, min(first + MOST_WORDS_A_NAME, len(words)) + 1):
            inner = insides[first + 1 : beyond - 1]
            for start, last in dict.fromkeys(
                (starts[first][number], end)
                for number, several in enumerate(ends[beyond - 1])
                for end in several
            ):
                yield " ".join((start, *inner, last)), (first, beyond)


def _ends(word: _Word) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the forms of *word* as the last of a label, with punctuation and without."""
    lead = word.raw[: word.raw.index(word.text)]
    bare = dict.fromkeys(_form(lead + one) for one in (word.text, word.bare, _genitive(word)))
    return tuple(bare), (_form(word.raw.rstrip(_PUNCTUATION)),)


# A message has each word in several forms, most of them alike.
@lru_cache(1_024)
def _form(said: str) -> str:
    return names.searched(names.canonical(said))


def _genitive(word: _Word) -> str:
    """Return a name without the -s of a German genitive: Annas Hund."""
    is_one = word.is_capitalised and word.text.endswith("s") and len(word.text) > _SHORTEST + 2
    return word.text[:-1] if is_one else word.text


def _parts(message: Message) -> Iterator[tuple[int, str]]:
    """Yield the places of words that may be a part of a name, and the searched form of each."""
    words, has_case = message.words, message.has_case
    for place, word in enumerate(words):
        form = _form(word.bare)
        if not _is_long(form):
            continue
        before = words[place - 1] if place else None
        if not _is_written_as_name(word, before, form, has_case) or _is_date(words, place, form):
            continue
        yield place, form
        if message.is_german and (short := _form(_genitive(word))) != form:
            yield place, short


def _is_written_as_name(word: _Word, before: _Word | None, form: str, has_case: bool) -> bool:
    is_ordinary = _is_ordinary(word, form)
    has_article = before is not None and before.folded in _ARTICLES
    if not has_case:
        return not is_ordinary and not has_article
    if not word.is_capitalised:
        return False
    return not is_ordinary or not (word.begins or has_article)


def _is_ordinary(word: _Word, form: str) -> bool:
    return form in _ORDINARY or form in STOP_WORDS or word.folded in _GERMAN


def _is_date(words: list[_Word], place: int, form: str) -> bool:
    """Tell whether a month or a day is meant: in May, 3 May, next April."""
    if form not in MONTHS and form not in WEEKDAYS:
        return False
    around = [words[one].folded for one in (place - 1, place + 1) if 0 <= one < len(words)]
    is_numbered = any(one[0].isdigit() for one in around)
    return is_numbered or (place > 0 and words[place - 1].folded in _DATING)


def _continues(word: _Word) -> bool:
    """Tell whether *word*, beside a name, makes it another name."""
    form = folding.plain(word.bare)
    is_other = form in STOP_WORDS or form in MONTHS or form in WEEKDAYS or form in _DATING
    is_kin = bool(kin.kinds(form)) or form in _TITLES
    is_long = len(word.bare) >= _SHORTEST
    return word.is_capitalised and is_long and not is_other and not is_kin and form.isalpha()


_TITLES: Final = frozenset((*names.TITLES, "st"))


def _runs(hits: list[int]) -> Iterator[Place]:
    """Iterate over the runs of neighbouring places among *hits*, which are in order."""
    start = None
    for number, hit in enumerate(hits):
        start = hit if start is None else start
        if number + 1 == len(hits) or hits[number + 1] != hit + 1:
            yield start, hit + 1
            start = None


def _unspaced(text: str) -> Iterable[str]:
    """Return the possible labels in a script without blanks: all runs of characters."""
    if text.isascii():
        return ()
    places = [place for place, one in enumerate(text) if is_unspaced(one)][:_MOST_UNSPACED]
    return {
        names.searched(names.canonical(text[first : first + length]))
        for first in places
        for length in range(1, _MOST_LETTERS_A_NAME + 1)
        if all(map(is_unspaced, text[first : first + length]))
    }


def list_matters(asked: str, languages: Sequence[str]) -> Mapping[str, str]:
    """Return the kinds and predicates that *asked* may name, each with its word in the question.

    They are its words, also without their endings, their translations if they are kin, and its
    pairs of words, which have the second as their word. Raises LibraryMissing.
    """
    return _list_matters(asked, tuple(languages))


@lru_cache(32)
def _list_matters(asked: str, languages: Sequence[str]) -> Mapping[str, str]:
    asks = asking(asked)
    read = {
        word: reading
        for word, reading in readings(asked, languages).items()
        if word not in asks and len(word) >= _SHORTEST_MATTER
    }
    found: dict[str, str] = {}
    for word in list(read)[:_MOST_ASKED]:
        stems = [stem for stem in read[word] if word.startswith(stem)]
        ends = {end for stem in stems for end in range(max(_SHORTEST_MATTER, len(stem)), len(word))}
        for form in (word, *kin.kinds(word), *(word[:end] for end in sorted(ends))):
            found.setdefault(form, word)
    for first, second in pairwise(split(asked)):
        if second in read:
            found.setdefault(f"{first} {second}", second)
    return dict(list(found.items())[:_MOST_FORMS])
