"""Find proper names by their writing and the words around them; `kin_names` has "my sister Clara".

In English a capital within a sentence marks a name. German capitalises every noun. There a name
needs a first name, a title or a kin word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ... import language
from ...language import oneself
from ..language import kin
from ..language.dated import is_calendar
from .prose import Word

_TOPIC: Final = "people"


def _said(name: str) -> frozenset[str]:
    return language.words(_TOPIC, name, ("en",))


# A person has one of these, so each is somebody even without a name.
CLOSE: Final = _said("close")
# A fact about one of these has this predicate, with a single value at a time.
SPOUSES: Final = frozenset(("wife", "husband"))
ADJECTIVES: Final = _said("adjectives")
TITLES: Final = _said("titles")
# A surely written first name; one that is a word or a place too needs a capital in a sentence.
SAFE_NAMES: Final = _said("sure")
FIRST_NAMES: Final = SAFE_NAMES | _said("alike")
_OF_PERSONS: Final = FIRST_NAMES | TITLES
SMALL_NAMES: Final = SAFE_NAMES | _said("small")
AT_PLACES: Final = _said("at places")
BEFORE_NOUNS: Final = _said("before nouns")
HAVING: Final = _said("having")
# These are sometimes names: in small letters, or at the start of a sentence, they are not.
ORDINARY: Final = language.words("ordinary", "ordinary", ("en",))
PERSON: Final = "person"
PLACE: Final = "place"
_LINKS: Final = _said("links")
_NO_NAMES: Final = oneself.PEOPLES | _said("no names")
_DETERMINERS: Final = _said("determiners").union(kin.OWN, kin.OTHERS)
_ENDINGS: Final = language.load("en", _TOPIC)["no endings"]
# "Lindqvist" is a name.
_NO_ENDINGS: Final = tuple(one for one in _ENDINGS if not one.startswith("ist"))
_PLACES: Final = _said("streets") | _said("places")
_MOST_PARTS: Final = 4
# A shorter word may be anything.
_SHORTEST: Final = 3
# Before a capital, these make a common noun of it; and pronouns are nobody's name.
_BEFORE_COMMON: Final = _DETERMINERS | BEFORE_NOUNS
NO_SUBJECTS: Final = (
    _NO_NAMES
    | _BEFORE_COMMON
    | language.words("asking", "function")
    | language.words("asking", "pronouns")
    | language.words("statements", "subjects")
    | language.words("statements", "supposed")
    | language.words("statements", "fillers")
)
SELVES: Final = frozenset(("i", "ich", "eu", "yo", "moi"))
JOINS: Final = language.words("whose", "joins")
_ACTING: Final = language.words("whose", "acting")
# Things do these too; only a first name before them is a person.
_BEING: Final = language.words("whose", "being")
_SAYING: Final = language.words("whose", "saying")
# "Vet says it's her teeth"
_TRADES: Final = language.words("statements", "occupations")
_DONE: Final = frozenset(one for one in language.load("en", "whose")["acting"]) - _BEING
_ONLY_NAMES: Final = frozenset(("en", "de"))
# "Loaf & Salt"
_AND: Final = " & "
_QUOTES: Final = tuple("'\"‘“„«*/(")


@dataclass(frozen=True, slots=True)
class Named:
    """A name in a text, from `start` to before `end`; `label` if it differs from the text."""

    start: int
    end: int
    kind: str | None = None
    label: str | None = None
    # The kin of "My sister Clara": her relation to the speaker.
    is_own: bool = False
    # Whether its own words or those around it mark it, not a capital alone.
    is_sure: bool = False
    # "My former boss Dana"
    is_past: bool = False
    # "My new boss Dana" takes the place of another.
    is_new: bool = False


def find_names(written: Sequence[Word], idle: frozenset[str], german: bool) -> Iterator[Named]:
    """Iterate over the names in *written*; *idle* are the words that say nothing."""
    yield from _find_acting(written, idle, german)
    if not any(word.is_capitalised and not word.begins for word in written):
        # In a text without capitals, first names are names.
        yield from (
            Named(word.start, word.end, None, word.text.capitalize(), is_sure=True)
            for word in written
            if word.text.islower() and word.text in SAFE_NAMES
        )
    lower = frozenset(word.text for word in written if word.text.islower())
    only_names = _ONLY_NAMES.isdisjoint(language.likely(word.folded for word in written))
    place = 0
    while place < len(written):
        end = _run(written, place)
        if end == place:
            place += 1
            continue
        first, last = _trimmed(written, place, end, idle)
        if first < last:
            found = _judge_run(written, (first, last), idle | lower, only_names, german)
            yield from () if found is None else (found,)
        place = end


def find_subject(written: Sequence[Word], place: int) -> Named | None:
    """Return the name that begins at *place*, by its capitals alone; a statement follows it."""
    word, before = written[place], written[place - 1] if place else None
    is_part = before is not None and word.follows and before.folded in _BEFORE_COMMON
    end = place + find_name_end(written[place : place + 2 * _MOST_PARTS])
    first_is_name = not (
        word.folded in NO_SUBJECTS
        or word.is_acronym
        or (is_calendar(word.folded) and word.folded not in FIRST_NAMES)
        or _is_identifier(word)
        or is_ordinary(word)
    )
    if end == place or is_part or not first_is_name or _is_too_short(word):
        return None
    return Named(word.start, written[end - 1].end)


def list_possible(written: Sequence[Word], idle: frozenset[str]) -> Iterator[Named]:
    """Iterate over words that are names if they are known: any capitals, and "Mum"."""
    relatives = dict(kin.named([word.folded for word in written]))
    for place, word in enumerate(written):
        if place in relatives:
            yield Named(word.start, word.end)
        elif word.is_capitalised and not (
            word.folded in idle or word.folded in NO_SUBJECTS or _is_too_short(word)
        ):
            size = find_name_end(written[place : place + 2 * _MOST_PARTS])
            yield Named(word.start, word.end)
            if size > 1:
                yield Named(word.start, written[place + size - 1].end)


def _is_too_short(word: Word) -> bool:
    return len(word.text) < _SHORTEST and word.folded not in _said("short")


def find_name_end(written: Sequence[Word]) -> int:
    """Return how many of the words at the start of *written* are a name: "Bank of America"."""
    end = 0
    while end < min(len(written), _MOST_PARTS) and written[end].is_capitalised:
        if end and not (written[end].follows or written[end].gap == _AND):
            break
        end += 1
        is_link = end + 1 < len(written) and written[end].text in _LINKS
        if is_link and written[end].follows and written[end + 1].is_capitalised:
            end += 1
    return end


def _find_acting(written: Sequence[Word], idle: frozenset[str], german: bool) -> Iterator[Named]:
    """Iterate over the names at the start of a sentence: "Waffles chewed", "Consuelo y Ramón"."""
    for word, after, last in zip(written, written[1:], (*written[2:], None), strict=False):
        is_known = word.folded in FIRST_NAMES
        if not (word.begins and word.is_capitalised and after.follows) or word.is_acronym:
            continue
        is_other = (
            any(word.folded in one for one in (idle, NO_SUBJECTS, _TRADES))
            or (is_calendar(word.folded) and not is_known)
            or word.folded.endswith(_NO_ENDINGS)
            or is_ordinary(word)
            or len(word.text) < _SHORTEST
        )
        if is_other and not (is_known and after.folded in _DONE):
            continue
        is_pair = (
            after.folded in JOINS
            and last is not None
            and last.follows
            and (last.folded in SELVES or last.folded in FIRST_NAMES)
        )
        is_verb = after.folded in _ACTING and (is_known or after.folded not in _BEING)
        # In German any noun may act: "Besuch kommt".
        if is_pair or (is_verb and (is_known or not german or after.folded in _SAYING)):
            yield Named(word.start, word.end)


def _run(written: Sequence[Word], place: int) -> int:
    """Return the end of the run of capitalised words at *place*; or there if none begins."""
    end = place
    while end < len(written):
        word = written[end]
        # "Dr. Smith"
        is_titled = end > place and written[end - 1].folded in TITLES and word.gap == ". "
        is_first = end == place
        if not is_first and not is_titled and (word.begins or not word.follows):
            break
        if not (word.is_capitalised or (not is_first and word.text in _LINKS)):
            break
        end += 1
    return end


def _trimmed(
    written: Sequence[Word], place: int, end: int, idle: frozenset[str]
) -> tuple[int, int]:
    """Return a run without idle words at its beginning and links at its end."""
    begun = place
    while place < end and _says_nothing(written[place], place + 1 == end, idle):
        place += 1
    # "Ask Tom", "When Anna"
    if end - place > 1 and written[place].begins and written[place].folded not in _OF_PERSONS:
        place += written[place + 1].folded in _OF_PERSONS
    while place < end and (
        not written[end - 1].is_capitalised
        or (written[end - 1].folded in idle and not written[end - 1].is_acronym)
    ):
        end -= 1
    # "First Aid", "Six Senses Laamu": the rest of such a name is no name.
    is_rest = written[begun].folded in _said("counting") and place > begun
    return (end, end) if is_rest else (place, end)


def _says_nothing(word: Word, is_alone: bool, idle: frozenset[str]) -> bool:
    if word.folded in TITLES and not is_alone:
        return False
    is_idle = word.folded in idle or word.folded in _DETERMINERS
    return is_idle and (word.begins or is_alone)


def _judge_run(
    written: Sequence[Word],
    place: tuple[int, int],
    idle: frozenset[str],
    only_names: bool,
    german: bool,
) -> Named | None:
    """Return the name that the run of capitalised words at *place* is; None: it is none.

    If *only_names* have capitals in the language of the text, "a Chile" is one.
    """
    first, end = place
    words = written[first:end]
    before = written[first - 1] if first else None
    after = written[end] if end < len(written) else None
    head, last, is_alone = words[0], words[-1], len(words) == 1
    forms = [form for one in words for form in (one.folded, one.folded.removesuffix("s"))]
    if len(words) > _MOST_PARTS or any(map(is_calendar, forms)):
        return None
    if head.folded in TITLES and not is_alone:
        return Named(head.start, last.end, PERSON, is_sure=True)
    safe = head.folded in SAFE_NAMES and head.text not in idle
    if safe or (head.folded in FIRST_NAMES and not head.begins and not is_alone):
        if german:
            # A noun may follow: "mit Anna Kaffee".
            return Named(head.start, words[len(words) == 2 and after is None].end, is_sure=True)
        # "Alma Vale Road"
        kind = PLACE if last.folded in _said("streets") else PERSON
        return Named(head.start, last.end, None if is_alone else kind, is_sure=True)
    is_subject = after is not None and after.follows and after.text in _said("telling")
    # Several plain words name a place, or a firm after "at": International Business Machines.
    is_place = before is not None and before.folded in _said("at") and head.follows
    is_place |= any(one.folded in _PLACES for one in words)
    is_plain = all(is_ordinary(one) or one.text in _LINKS for one in words)
    # Quoted words are a wording: 'Destination Account'.
    if (
        german
        or head.gap.endswith(_QUOTES)
        or any(map(_is_identifier, words))
        or last.folded in _said("roles")
        or last.folded.endswith(_ENDINGS)
        or (is_plain and (is_alone or not is_place))
    ):
        return None
    if not is_alone:
        # "English CV"
        rest = words[1:] if head.folded in _NO_NAMES else words
        is_plain = all(one.is_acronym for one in rest)
        # A title, or the beginning of a line: "Sharing Best Practices".
        is_name = (not head.begins or is_subject) and not is_plain
    elif last.begins and last.folded in FIRST_NAMES and after is not None:
        # "Sasha chewed", "Sasha sleeps"
        is_verb = after.follows and after.text.islower() and after.text.endswith(("ed", "s"))
        is_name = is_subject or (is_verb and not after.text.endswith(("ss", "us")))
    else:
        ahead = before.folded if before is not None and last.follows else ""
        is_name = _is_single(last, ahead, only_names, is_subject) and last.folded not in idle
    return Named(head.start, last.end) if is_name else None


def _is_single(word: Word, ahead: str, only_names: bool, is_subject: bool) -> bool:
    """Tell whether one *word* alone, behind the word *ahead*, is a name."""
    if word.folded in _NO_NAMES or len(word.text) < _SHORTEST:
        return False
    if _is_short(word):
        return ahead in _said("of")
    tail = word.text.rpartition("-")[2]
    if len(tail) < len(word.text) and tail.islower() and len(tail) > _SHORTEST:
        return False
    # "Tell Ravi that Pooja has the tickets"
    is_named = only_names or ahead not in BEFORE_NOUNS or (ahead == "that" and is_subject)
    return not word.begins and is_named


def _is_short(word: Word) -> bool:
    """Tell whether a word is an acronym, or several: GANs."""
    return word.is_acronym or word.text.removesuffix("s").isupper()


def is_ordinary(word: Word) -> bool:
    one = word.folded
    forms = {one, one.removesuffix("s"), one.removesuffix("es"), f"{one.removesuffix('ies')}y"}
    is_other = _is_short(word) or one in FIRST_NAMES
    return not (is_other or ORDINARY.isdisjoint(forms))


def _is_identifier(word: Word) -> bool:
    """Tell whether a word belongs to a program or a form: DS-921, L1, Style.Long."""
    text = word.text
    humps = sum(one.islower() and other.isupper() for one, other in pairwise(text))
    is_joined = any(len(part) > 2 and "." in text for part in text.split(".")[1:])
    return humps > 1 or is_joined or any(map(str.isdigit, text))
