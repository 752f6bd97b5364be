"""Find the names that a kin word tells: "my sister Clara", "Aunt Beatrix", "Dana is my boss".

Kin words stand for all whom one calls one's own: the boss and the dog too. A name stands right
behind its kin word, behind "is called", before "is my boss", or before ", my boss,".
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ... import language
from .. import kinds
from ..language import kin
from ..language.dated import is_calendar
from ..language.endings import FORMER
from . import naming
from .naming import JOINS, NO_SUBJECTS, PERSON, Named, is_ordinary
from .prose import Word

# Between "my boss" and the name, the longest first.
_CALLING: Final = tuple(
    sorted(language.words("oneself", "called") | {"named", "called"}, key=len, reverse=True)
)
_IS: Final = tuple(sorted(language.words("oneself", "is"), key=len, reverse=True))
_MOST_CALLING: Final = 3
_FILLERS: Final = language.words("statements", "fillers")
# "My old boss" is no boss any more; "my old dog" is a dog.
_OLD: Final = language.words("change", "old")
_FOLLOWED: Final = frozenset(
    ("boss", "colleague", "roommate", "neighbour", "teacher", "landlord", "therapist", "doctor")
)
_NEW: Final = language.words("change", "new")
# One has one of these at a time.
_SUCCEEDED: Final = frozenset(("teacher", "landlord", "therapist", "doctor", "dentist"))
_ADJECTIVES: Final = naming.ADJECTIVES | _OLD | FORMER
# "Aunt Beatrix": these stand before a name as a title does.
_TITLING: Final = frozenset(
    ("aunt", "uncle", "cousin", "grandmother", "grandfather", "great-aunt", "great-uncle")
)
_ARTICLES: Final = frozenset(("a", "an", "ein", "eine", "einen", "un", "una", "um", "uma", "une"))
_COUNTS: Final = frozenset(
    ("two", "three", "four", "zwei", "drei", "vier", "dos", "tres", "dois", "duas", "três", "deux")
)
# The animal or the one just named, in the clause that tells the name.
_WHO: Final = language.words("statements", "subjects") | frozenset(("it", "that", "der", "die"))
_THE: Final = language.words("whose", "definite")
_PRONOUNS: Final = language.words("statements", "pronouns")
_GENITIVES: Final = ("' ", "’ ", "'s ", "’s ")
_ANYBODYS: Final = "their"


def find_kin_names(written: Sequence[Word]) -> Iterator[Named]:
    """Iterate over the names that a kin word tells, and over "my sister" and "Mum"."""
    yield from _find_lone_kin(written)
    yield from _find_owned_kin(written)
    yield from _find_several(written)
    yield from _find_titled(written)


def _find_lone_kin(written: Sequence[Word]) -> Iterator[Named]:
    """Iterate over kin words without "my": "Mum", "Dad's name is Alan"."""
    for place, said in kin.named([word.folded for word in written]):
        relation = kin.relation(said)
        ahead = (one.folded for one in written[max(0, place - _MOST_CALLING) : place])
        if relation not in naming.CLOSE or not kin.OWN.isdisjoint(ahead):
            continue
        first, end = _read_name(written, place + 1)
        if place + 1 < first < end:
            yield _name_kin(written[first:end], relation)
        else:
            word = written[place]
            yield Named(word.start, word.end, relation, is_own=True, is_sure=True)


def _find_owned_kin(written: Sequence[Word]) -> Iterator[Named]:
    """Iterate over "my sister Clara", "my dog is called Max", "her son Teo", and "my sister"."""
    for place, word in enumerate(written[:-1]):
        had = " ".join(one.folded for one in written[max(0, place - 2) : place])
        is_had = word.folded in _ARTICLES and f" {had}".endswith(_HAVING)
        is_own = word.folded in kin.OWN or is_had
        # "The neighbours' dog Oskar"
        is_genitive = written[place + 1].gap in _GENITIVES and word.folded not in _PRONOUNS
        if not (is_own or is_genitive or word.folded in kin.OTHERS):
            continue
        at = _skip(written, place + 1, _ADJECTIVES)
        ex, _, whose = written[at].folded.partition("-")
        owner = _ANYBODYS if is_genitive and not is_own else word.folded
        kind = kin.of(owner, whose if ex in FORMER else written[at].folded)
        if kind is None:
            # "A greyhound", "our border collie"
            near = range(at, min(at + 2, len(written)))
            at, kind = next(
                ((one, found) for one in near if (found := kin.ANIMALS.get(written[one].folded))),
                (at, None),
            )
        rest = written[place + 1 + is_genitive : at + 1]
        if kind is None or not all(one.follows for one in rest):
            continue
        before = {ex, *(one.folded for one in written[place + 1 : at])}
        is_past = not before.isdisjoint(FORMER | (_OLD if kind in _FOLLOWED else frozenset()))
        at = _skip(written, at + 1, _ADJECTIVES) - 1
        first, end = _find_name(written, place, at + 1)
        if end > first:
            # "Her son Teo" is no son of the user's.
            shown = kind if is_own else (kinds.path(kind) or PERSON).partition("/")[0]
            is_new = kind in _SUCCEEDED and not before.isdisjoint(_NEW)
            one = _name_kin(written[first:end], shown)
            yield replace(one, is_own=is_own, is_past=is_past and is_own, is_new=is_new)
        elif (
            word.folded in kin.OWN
            and kind in naming.CLOSE
            and not (
                # "He's my boss"
                is_past or word.gap in _GENITIVES or (place and written[place - 1].folded in _IS)
            )
        ):
            yield Named(word.start, written[at].end, kind, is_own=True, is_sure=True)


_HAVING: Final = tuple(f" {one}" for one in naming.HAVING)


def _skip(written: Sequence[Word], place: int, words: frozenset[str]) -> int:
    while place < len(written) - 1 and written[place].folded in words:
        place += 1
    return place


def _find_several(written: Sequence[Word]) -> Iterator[Named]:
    """Iterate over the names of "our two cats, Pickle and Mabel", "unsere Kinder Emil und Ida"."""
    for place, word in enumerate(written[:-1]):
        at = _skip(written, place + 1, _ADJECTIVES | _COUNTS)
        kind = kin.find_one_of(written[at].folded)
        if kind is None or word.folded not in kin.OWN:
            continue
        at += 1
        while at < len(written) and _is_whole_name(written, at) and not written[at].begins:
            yield _name_kin(written[at : at + 1], kind)
            at += 1
            at += at < len(written) and written[at].folded in JOINS


def _find_titled(written: Sequence[Word]) -> Iterator[Named]:
    """Iterate over "Aunt Beatrix", "Oma Traudl": the user's, unless another's is named."""
    for place, word in enumerate(written[:-1]):
        relation = kin.relation(word.folded)
        if relation not in _TITLING or not _is_name_part(written, place + 1, place + 1):
            continue
        ahead = written[place - 1].folded if place else ""
        if ahead in kin.OWN or not _is_whole_name(written[place + 1 : place + 2], 0):
            continue
        one = _name_kin(written[place + 1 : place + 2], relation)
        yield one if ahead not in kin.OTHERS else replace(one, kind=PERSON, is_own=False)


def _name_kin(words: Sequence[Word], kind: str | None) -> Named:
    """Return the name that *words* are, of the user's kin of that *kind*."""
    label = "".join(
        (one.gap if number else "")
        + (one.text if any(map(str.isupper, one.text)) else one.text.capitalize())
        for number, one in enumerate(words)
    )
    return Named(words[0].start, words[-1].end, kind, label, is_own=True, is_sure=True)


def _find_name(written: Sequence[Word], place: int, behind: int) -> tuple[int, int]:
    """Return where the name of "my boss" begins and ends: *behind*, or before "is my boss"."""
    for at in range(behind, min(behind + _MOST_CALLING + 1, len(written))):
        first, end = _read_name(written, at)
        # "My boss at the clinic is called Ana"
        if end > first and (at == behind or first > at):
            return first, end
        if not written[at].follows:
            break
    last = place
    for said in _IS:
        size = said.count(" ") + 1
        ahead = written[max(0, place - size) : place]
        follows = written[place].follows and all(one.follows for one in ahead[1:])
        if " ".join(one.folded for one in ahead) == said and follows:
            last = place - size
    # "The baker there, Tunde, is my boss", "Henrike, my neighbour, …"
    is_apart = written[last].gap == ", " and last < place
    if not (is_apart or (last < place and written[last].follows)):
        return behind, behind
    start = last
    while start > 0 and last - start < 2 and _is_whole_name(written, start - 1):
        start -= 1
        if written[start].begins or not written[start].follows:
            break
    # "In Ghent, my boss, …" is no boss of that name.
    is_place = start > 0 and written[start - 1].folded in naming.AT_PLACES
    return (start, last) if start < last and not is_place else (behind, behind)


def _read_name(written: Sequence[Word], place: int) -> tuple[int, int]:
    """Return where the name after a kin word begins, and where it ends; there if it is none."""
    first = _skip_calling(written, place)
    is_titled = first < len(written) and written[first].folded in naming.TITLES
    end, most = first, first + 2 + is_titled
    while end < len(written) and end < most and _is_name_part(written, end, first):
        end += 1
    # "My colleague Dr." alone names nobody.
    return first, first if is_titled and end == first + 1 else end


def _skip_calling(written: Sequence[Word], place: int) -> int:
    """Return the place of the name in "sister Clara", "sister is called Clara", "boss is Ana"."""
    if place < len(written) and written[place].gap == ", " and written[place].folded in _WHO:
        # "A dachshund, he is called Moritz"
        at = _skip_calling(written, place + 1)
        return at if at > place + 1 else place
    ahead = " ".join(one.folded for one in written[place : place + _MOST_CALLING])
    for said in _CALLING:
        if f"{ahead} ".startswith(f"{said} "):
            # "Heißt übrigens Gernot"
            return _skip(written, place + said.count(" ") + 1, _FILLERS)
    for said in _IS:
        at = place + said.count(" ") + 1
        if not f"{ahead} ".startswith(f"{said} "):
            continue
        # "Mein Chef ist der Herr Petersen"
        behind = written[at + 1 : at + 2]
        is_the = behind and written[at].folded in _THE and behind[0].folded in naming.TITLES
        is_titled = behind and written[at].folded in naming.TITLES and behind[0].is_capitalised
        if is_the or is_titled or _is_whole_name(written, at):
            return at + bool(is_the)
    return place


def _is_whole_name(written: Sequence[Word], place: int) -> bool:
    """Tell whether a name, and nobody's possession, is at *place*: no "is German"."""
    if place >= len(written) or not written[place].is_capitalised:
        return False
    behind = written[place + 1].gap if place + 1 < len(written) else ""
    is_other = written[place].folded in NO_SUBJECTS or is_ordinary(written[place])
    return not is_other and not behind.startswith(("'", "’"))


def _is_name_part(written: Sequence[Word], place: int, first: int) -> bool:
    word, is_second = written[place], place > first
    if is_second and written[place - 1].folded in naming.TITLES and word.gap in (" ", ". "):
        return word.is_capitalised
    if word.gap not in (" ", ", ") or (is_second and word.gap != " "):
        return False
    if is_calendar(word.folded) and word.folded not in naming.FIRST_NAMES:
        return False
    # "My dog has", "my sister, I": only a word that is like a name counts.
    is_known = word.folded in (naming.SAFE_NAMES if is_second else naming.SMALL_NAMES)
    is_known |= word.is_capitalised and not word.is_acronym and word.gap == " "
    return is_known and word.folded not in kin.ENGLISH and not word.begins
