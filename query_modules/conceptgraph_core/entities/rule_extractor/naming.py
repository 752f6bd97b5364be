"""Find proper names by their writing and by the words around them.

In English a capital within a sentence marks a name. German capitalises every noun. There a name
needs a first name, a title, a kin word or a preposition of places, or frequent use without an
article.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from ... import language
from .. import kinds
from ..language import kin
from ..language.dated import is_calendar
from ..language.endings import FORMER
from ..language.ordinary import ORDINARY
from . import name_words, people
from .written import Word

PERSON: Final = "person"
PLACE: Final = "place"
_MOST_PARTS: Final = 4
_NEAR: Final = 12
# A shorter word may be anything.
_SHORTEST: Final = 3
# Before a capital, these make a common noun of it; and pronouns are nobody's name.
_BEFORE_COMMON: Final = name_words.DETERMINERS | name_words.BEFORE_NOUNS
_NO_SUBJECTS: Final = (
    name_words.NO_NAMES
    | _BEFORE_COMMON
    | language.words("asking", "function")
    | language.words("asking", "pronouns")
    | language.words("statements", "subjects")
    | language.words("statements", "supposed")
    | language.words("statements", "fillers")
)
# Between "my boss" and the name.
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
_ADJECTIVES: Final = people.ADJECTIVES | _OLD | FORMER
_COUPLE: Final = tuple(tuple(one.split()) for one in sorted(language.words("change", "couple")))
_SELVES: Final = frozenset(("i", "ich", "eu", "yo", "moi"))
_JOINS: Final = language.words("whose", "joins")
# "Aunt Beatrix": these stand before a name as a title does.
_TITLING: Final = frozenset(("aunt", "uncle", "cousin", "grandmother", "grandfather"))
# "Lindqvist" is a name.
_NO_ENDINGS: Final = tuple(one for one in name_words.NO_ENDINGS if not one.startswith("ist"))
_ACTING: Final = language.words("whose", "acting")
# Things do these too; only a first name before them is a person.
_BEING: Final = language.words("whose", "being")
_SAYING: Final = language.words("whose", "saying")
_DONE: Final = frozenset(one for one in language.load("en", "whose")["acting"]) - _BEING
_MOST_COUPLE: Final = 6
_SINCE: Final = [[one] for one in ("since", "for", "seit", "desde", "há", "hace", "depuis")]
_ONLY_NAMES: Final = frozenset(("en", "de"))
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


def named(written: Sequence[Word], idle: frozenset[str], german: bool) -> Iterator[Named]:
    """Iterate over the names in *written*; *idle* are the words that say nothing."""
    yield from _kin(written)
    yield from _find_titled(written)
    yield from _find_partners(written)
    yield from _find_acting(written, idle, german)
    yield from _numbered(written)
    if not any(word.is_capitalised and not word.begins for word in written):
        yield from _lower_case(written)
    lower = frozenset(word.text for word in written if word.text.islower())
    counts = Counter(word.text for word in written)
    only_names = _ONLY_NAMES.isdisjoint(language.likely(word.folded for word in written))
    place = 0
    while place < len(written):
        end = _run(written, place)
        if end == place:
            place += 1
            continue
        name = _Name(written, *_trimmed(written, place, end, idle), idle | lower, only_names)
        if name.first < name.end and (found := name.told(german, counts)):
            yield found
        place = end


def find_subject(written: Sequence[Word], place: int) -> Named | None:
    """Return the name that begins at *place*, by its capitals alone; a statement follows it."""
    word, before = written[place], written[place - 1] if place else None
    is_part = before is not None and word.follows and before.folded in _BEFORE_COMMON
    end = place + find_name_end(written[place : place + 2 * _MOST_PARTS])
    first_is_name = not (
        word.folded in _NO_SUBJECTS
        or word.is_acronym
        or (is_calendar(word.folded) and word.folded not in people.FIRST_NAMES)
        or _is_identifier(word)
        or _is_ordinary(word)
    )
    if end == place or is_part or not first_is_name or len(word.text) < _SHORTEST:
        return None
    return Named(word.start, written[end - 1].end)


def list_possible(written: Sequence[Word], idle: frozenset[str]) -> Iterator[Named]:
    """Iterate over words that are names if they are known: any capitals, and "Mum"."""
    relatives = dict(kin.named([word.folded for word in written]))
    for place, word in enumerate(written):
        if place in relatives:
            yield Named(word.start, word.end)
        elif word.is_capitalised and not (
            word.folded in idle or word.folded in _NO_SUBJECTS or len(word.text) < _SHORTEST
        ):
            size = find_name_end(written[place : place + 2 * _MOST_PARTS])
            yield Named(word.start, word.end)
            if size > 1:
                yield Named(word.start, written[place + size - 1].end)


def find_name_end(written: Sequence[Word]) -> int:
    """Return how many of the words at the start of *written* are a name: "Bank of America"."""
    end = 0
    while end < min(len(written), _MOST_PARTS) and written[end].is_capitalised:
        if end and not written[end].follows:
            break
        end += 1
        is_link = end + 1 < len(written) and written[end].text in name_words.LINKS
        if is_link and written[end].follows and written[end + 1].is_capitalised:
            end += 1
    return end


def _kin(written: Sequence[Word]) -> Iterator[Named]:
    """Iterate over "my sister Clara", "my dog is called Max", and "my sister" and "Mum" alone."""
    for place, said in kin.named([word.folded for word in written]):
        relation = kin.relation(said)
        ahead = (one.folded for one in written[max(0, place - _MOST_CALLING) : place])
        if relation in people.CLOSE and kin.OWN.isdisjoint(ahead):
            word, first = written[place], _called(written, place + 1)
            end = _name_after(written, place + 1)
            # "Dad's name is Alan"
            if place + 1 < first < end:
                yield _name_kin(written[first:end], relation)
            else:
                yield Named(word.start, word.end, relation, is_own=True, is_sure=True)
    for place, word in enumerate(written[:-1]):
        is_own = word.folded in kin.OWN or _is_had(written, place)
        if not (is_own or word.folded in kin.OTHERS):
            continue
        at = place + 1
        while at < len(written) - 1 and written[at].folded in _ADJECTIVES:
            at += 1
        ex, _, whose = written[at].folded.partition("-")
        kind = kin.of(word.folded, whose if ex in FORMER else written[at].folded)
        if kind is None or not all(one.follows for one in written[place + 1 : at + 1]):
            continue
        before = {ex, *(one.folded for one in written[place + 1 : at])}
        is_past = not before.isdisjoint(FORMER | (_OLD if kind in _FOLLOWED else frozenset()))
        while at < len(written) - 1 and written[at + 1].folded in _ADJECTIVES:
            at += 1
        # "Her son Teo" is no son of the user's.
        shown = kind if is_own else (kinds.path(kind) or PERSON).partition("/")[0]
        first, end = _find_name(written, place, at + 1)
        if end > first:
            one = _name_kin(written[first:end], shown)
            yield replace(one, is_own=is_own, is_past=is_past and is_own)
        elif word.folded in kin.OWN and kind in people.CLOSE and not is_past:
            start, last = written[place].start, written[at].end
            yield Named(start, last, kind, is_own=True, is_sure=True)


def _name_kin(words: Sequence[Word], kind: str | None) -> Named:
    """Return the name that *words* are, of the user's kin of that *kind*."""
    label = _cased(words[0].text)
    label += "".join(one.gap + _cased(one.text) for one in words[1:])
    return Named(words[0].start, words[-1].end, kind, label, is_own=True, is_sure=True)


def _find_titled(written: Sequence[Word]) -> Iterator[Named]:
    """Iterate over "Aunt Beatrix", "Oma Traudl": the user's, unless another's is named."""
    for before, word, named in zip((None, *written), written, written[1:], strict=False):
        relation = kin.relation(word.folded)
        if relation not in _TITLING or not _is_name_word(named, False):
            continue
        ahead = "" if before is None else before.folded
        if ahead in kin.OWN or not _is_whole_name((named,), 0):
            continue
        one = _name_kin((named,), relation)
        yield one if ahead not in kin.OTHERS else replace(one, kind=PERSON, is_own=False)


def _find_partners(written: Sequence[Word]) -> Iterator[Named]:
    """Iterate over who has become the user's partner: "Julien and I are together now"."""
    for place in range(1, len(written) - 2):
        is_pair = written[place].folded in _JOINS and written[place + 1].folded in _SELVES
        if not (is_pair and _is_whole_name(written, place - 1)):
            continue
        start = place - 1
        if start and written[start].follows and _is_whole_name(written, start - 1):
            start -= 1
        behind = written[place + 2 : place + 2 + _MOST_COUPLE]
        said = [one.folded for one in behind if one.folded not in _FILLERS]
        for phrase in _COUPLE:
            size = len(phrase)
            # "We are together in Porto" tells of a journey.
            is_end = said[size : size + 1] in ([], *_SINCE) or _is_apart(behind, phrase)
            if tuple(said[:size]) == phrase and is_end:
                yield _name_kin(written[start:place], "partner")
                break


def _find_acting(written: Sequence[Word], idle: frozenset[str], german: bool) -> Iterator[Named]:
    """Iterate over the names at the start of a sentence: "Waffles chewed", "Consuelo y Ramón"."""
    for word, after, last in zip(written, written[1:], (*written[2:], None), strict=False):
        is_known = word.folded in people.FIRST_NAMES
        if not (word.begins and word.is_capitalised and after.follows) or word.is_acronym:
            continue
        if (word.folded in idle or _is_no_name(word)) and not (is_known and after.folded in _DONE):
            continue
        is_pair = (
            after.folded in _JOINS
            and last is not None
            and last.follows
            and (last.folded in _SELVES or last.folded in people.FIRST_NAMES)
        )
        is_verb = after.folded in _ACTING and (is_known or after.folded not in _BEING)
        # In German any noun may act: "Besuch kommt".
        if is_pair or (is_verb and (is_known or not german or after.folded in _SAYING)):
            yield Named(word.start, word.end)


def _is_no_name(word: Word) -> bool:
    is_date = is_calendar(word.folded) and word.folded not in people.FIRST_NAMES
    is_plain = word.folded in _NO_SUBJECTS or word.folded.endswith(_NO_ENDINGS)
    return is_date or is_plain or _is_ordinary(word) or len(word.text) < _SHORTEST


def _is_apart(words: Sequence[Word], phrase: Sequence[str]) -> bool:
    """Tell whether the clause ends behind *phrase*, or behind the "now" after it."""
    last = next((at for at, one in enumerate(words) if one.folded == phrase[-1]), len(words))
    rest = list(words[last + 1 :])
    while rest and rest[0].follows and rest[0].folded in _FILLERS:
        rest.pop(0)
    return bool(rest) and not rest[0].follows


def _find_name(written: Sequence[Word], place: int, behind: int) -> tuple[int, int]:
    """Return where the name of "my boss" begins and ends: *behind*, or before "is my boss"."""
    for place_of_call in range(behind, min(behind + _MOST_CALLING + 1, len(written))):
        end, first = _name_after(written, place_of_call), _called(written, place_of_call)
        # "My boss at the clinic is called Ana"
        if end > first and (place_of_call == behind or first > place_of_call):
            return first, end
        if not written[place_of_call].follows:
            break
    for said in _IS:
        size = said.count(" ") + 1
        ahead = [one.folded for one in written[max(0, place - size) : place]]
        if " ".join(ahead) != said or not all(one.follows for one in written[place - size : place]):
            continue
        last = place - size
        start = last
        while start > 0 and last - start < 2 and _is_whole_name(written, start - 1):
            start -= 1
            if written[start].begins or not written[start].follows:
                break
        return start, last
    return behind, behind


def _is_had(written: Sequence[Word], place: int) -> bool:
    """Tell whether *place* is the article of "I have a dog"."""
    if place < 2 or written[place].folded not in ("a", "an", "ein", "eine", "einen"):
        return False
    had = " ".join(one.folded for one in written[max(0, place - 2) : place])
    return had in name_words.HAVING


def _called(written: Sequence[Word], place: int) -> int:
    """Return the place of the name in "sister Clara", "sister is called Clara", "boss is Ana"."""
    ahead = " ".join(one.folded for one in written[place : place + _MOST_CALLING])
    for said in _CALLING:
        if f"{ahead} ".startswith(f"{said} "):
            at = place + said.count(" ") + 1
            # "Heißt übrigens Gernot"
            return at + (at < len(written) and written[at].folded in _FILLERS)
    for said in _IS:
        at = place + said.count(" ") + 1
        if f"{ahead} ".startswith(f"{said} ") and _is_whole_name(written, at):
            return at
    return place


def _is_whole_name(written: Sequence[Word], place: int) -> bool:
    """Tell whether a name, and nobody's possession, is at *place*: no "is German"."""
    if place >= len(written) or not written[place].is_capitalised:
        return False
    behind = written[place + 1].gap if place + 1 < len(written) else ""
    is_other = written[place].folded in _NO_SUBJECTS or _is_ordinary(written[place])
    return not is_other and not behind.startswith(("'", "’"))


def _name_after(written: Sequence[Word], place: int) -> int:
    """Return the word at which a name after a kin word ends."""
    first = _called(written, place)
    is_titled = first < len(written) and written[first].folded in people.TITLES
    end, most = first, first + 2 + is_titled
    while end < len(written) and end < most and _is_name_part(written, end, first):
        end += 1
    # "My colleague Dr." alone names nobody.
    return first if is_titled and end == first + 1 else end


def _is_name_part(written: Sequence[Word], place: int, first: int) -> bool:
    word, is_second = written[place], place > first
    if is_second and written[place - 1].folded in people.TITLES and word.gap in (" ", ". "):
        return word.is_capitalised
    return _is_name_word(word, is_second)


def _is_name_word(word: Word, is_second: bool) -> bool:
    if word.gap not in (" ", ", ") or (is_second and word.gap != " ") or is_calendar(word.folded):
        return False
    # "My dog has", "my sister, I": only a word that is like a name counts.
    is_known = word.folded in (people.SAFE_NAMES if is_second else people.SMALL_NAMES)
    is_known |= word.is_capitalised and not word.is_acronym and word.gap == " "
    return is_known and word.folded not in kin.ENGLISH and not word.begins


def _cased(word: str) -> str:
    return word if any(map(str.isupper, word)) else word.capitalize()


def _numbered(written: Sequence[Word]) -> Iterator[Named]:
    for one, other in pairwise(written):
        if one.folded in name_words.NUMBERED and other.text.isdigit() and other.follows:
            label = f"{one.text.capitalize()} {other.text}"
            yield Named(one.start, other.end, None, label, is_sure=True)


def _lower_case(written: Sequence[Word]) -> Iterator[Named]:
    """Iterate over first names in a text without capitals."""
    for word in written:
        if word.text.islower() and word.text in people.SAFE_NAMES:
            yield Named(word.start, word.end, None, word.text.capitalize(), is_sure=True)


def _run(written: Sequence[Word], place: int) -> int:
    """Return the end of the run of capitalised words at *place*; or there if none begins."""
    end = place
    while end < len(written):
        word = written[end]
        # "Dr. Smith"
        is_titled = end > place and written[end - 1].folded in people.TITLES and word.gap == ". "
        is_first = end == place
        if not is_first and not is_titled and (word.begins or not word.follows):
            break
        if not (word.is_capitalised or (not is_first and word.text in name_words.LINKS)):
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
    if end - place > 1 and written[place].begins and not _is_of_person(written[place]):
        place += _is_of_person(written[place + 1])
    while place < end and _ends_nothing(written[end - 1], idle):
        end -= 1
    # "First Aid", "Six Senses Laamu": the rest of such a name is no name.
    is_rest = written[begun].folded in name_words.COUNTING and place > begun
    return (end, end) if is_rest else (place, end)


def _is_of_person(word: Word) -> bool:
    return word.folded in people.FIRST_NAMES or word.folded in people.TITLES


def _ends_nothing(word: Word, idle: frozenset[str]) -> bool:
    return not word.is_capitalised or (word.folded in idle and not word.is_acronym)


def _says_nothing(word: Word, is_alone: bool, idle: frozenset[str]) -> bool:
    if word.folded in people.TITLES and not is_alone:
        return False
    is_idle = word.folded in idle or word.folded in name_words.DETERMINERS
    return is_idle and (word.begins or is_alone)


class _Name:
    """A run of capitalised words, which may be a name."""

    def __init__(
        self,
        written: Sequence[Word],
        first: int,
        end: int,
        idle: frozenset[str],
        only_names: bool,
    ) -> None:
        self.first, self.end = first, end
        # In the language of the text only names have capitals; so "a Chile" is one.
        self._only_names = only_names
        self._written, self._idle = written, idle
        self._words = written[first:end]

    def told(self, german: bool, counts: Counter[str]) -> Named | None:
        """Return the name, if it is one."""
        words, before, after = self._words, self._at(self.first - 1), self._at(self.end)
        titled = words[0].folded in people.TITLES and len(words) > 1
        known = words[0].folded in people.FIRST_NAMES
        if len(words) > _MOST_PARTS or any(map(_is_date, words)):
            return None
        if titled:
            return self._named(PERSON, is_sure=True)
        safe = words[0].folded in people.SAFE_NAMES and words[0].text not in self._idle
        if safe or (known and not words[0].begins and len(words) > 1):
            is_whole = len(words) > 1 and not german
            if german:
                # A noun may follow: "mit Anna Kaffee".
                self._words = words[: 1 + (len(words) == 2 and after is None)]
            return self._named(PERSON if is_whole else None, is_sure=True)
        if german:
            return self._german(before, counts)
        return self._english(before, after)

    def _english(self, before: Word | None, after: Word | None) -> Named | None:
        words, last = self._words, self._words[-1]
        # Quoted words are a wording: 'Destination Account'.
        if words[0].gap.endswith(_QUOTES) or any(map(_is_identifier, words)):
            return None
        is_subject = after is not None and after.follows and after.text in name_words.TELLING
        if (
            last.folded in name_words.ROLES
            or last.folded.endswith(name_words.NO_ENDINGS)
            or self._is_plain(before)
        ):
            return None
        if len(words) > 1:
            # "English CV"
            rest = words[1:] if words[0].folded in name_words.NO_NAMES else words
            is_plain = all(one.is_acronym for one in rest)
            # A title, or the beginning of a line: "Sharing Best Practices".
            return self._named() if (not words[0].begins or is_subject) and not is_plain else None
        if last.begins and last.folded in people.FIRST_NAMES and after is not None:
            return self._named() if is_subject or _is_done(after) else None
        return self._named() if self._is_single(last, before) else None

    def _is_single(self, word: Word, before: Word | None) -> bool:
        """Tell whether one word alone is a name."""
        if (
            word.folded in self._idle
            or word.folded in name_words.NO_NAMES
            or len(word.text) < _SHORTEST
        ):
            return False
        ahead = before.folded if before is not None and word.follows else ""
        if _is_short(word):
            return len(word.text) >= _SHORTEST and ahead in name_words.OF
        tail = word.text.rpartition("-")[2]
        is_joined = len(tail) < len(word.text) and tail.islower() and len(tail) > _SHORTEST
        if is_joined or self._is_listed():
            return False
        return not word.begins and (self._only_names or ahead not in name_words.BEFORE_NOUNS)

    def _is_plain(self, before: Word | None) -> bool:
        """Tell whether all words are plain ones with a capital: Resort, Final Topic.

        Several of them name a place, or a firm after "at": International Business Machines.
        """
        at_some = before is not None and before.folded in name_words.AT and self._words[0].follows
        is_place = at_some or any(one.folded in name_words.OF_PLACES for one in self._words)
        if len(self._words) > 1 and is_place:
            return False
        return all(_is_ordinary(one) or one.text in name_words.LINKS for one in self._words)

    def _is_listed(self) -> bool:
        """Tell whether it is one of several in brackets, or an alternative: "Search/Browse"."""
        after = self._at(self.end)
        opened = 0
        for word in self._written[max(0, self.first - _NEAR) : self.first + 1]:
            opened += word.gap.count("(") - word.gap.count(")")
        gaps = self._words[0].gap, "" if after is None else after.gap
        return opened > 0 or gaps[1].startswith("/") or any("&" in gap for gap in gaps)

    def _german(self, before: Word | None, counts: Counter[str]) -> Named | None:
        """Return the first word if a cue marks it as a name; the next may be a German noun."""
        if self._words[0].folded in name_words.NAMED and len(self._words) > 1:
            self._words = self._words[1:2]
            return self._named(is_sure=True)
        word = self._words[0]
        if word.folded in self._idle or word.folded in name_words.NO_PLACES or word.begins:
            return None
        self._words = self._words[:1]
        ahead = "" if before is None or not word.follows else before.folded
        living = any(one.folded in name_words.LIVING for one in self._written)
        if ahead in name_words.TO_PLACES | name_words.IN_PLACES and living:
            return self._named(PLACE if ahead != "bei" else None, is_sure=True)
        if ahead in name_words.NAMED:
            return self._named(is_sure=True)
        return self._named() if counts[word.text] > 1 and self._is_bare(word.text) else None

    def _is_bare(self, text: str) -> bool:
        """Tell whether a German word is used like a name: no article, and followed by a verb."""
        places = [place for place, one in enumerate(self._written) if one.text == text]
        before = [self._at(place - 1) for place in places]
        after = [self._at(place + 1) for place in places]
        if any(one is not None and one.folded in name_words.DETERMINERS for one in before):
            return False
        return any(one is not None and one.folded in name_words.GERMAN_VERBS for one in after)

    def _at(self, place: int) -> Word | None:
        return self._written[place] if 0 <= place < len(self._written) else None

    def _named(self, kind: str | None = None, *, is_sure: bool = False) -> Named:
        return Named(self._words[0].start, self._words[-1].end, kind, is_sure=is_sure)


def _is_done(word: Word) -> bool:
    """Tell whether a word after a name is like a verb: chewed, sleeps."""
    is_verb = word.text.islower() and word.text.endswith(("ed", "s"))
    return word.follows and is_verb and not word.text.endswith(("ss", "us"))


def _is_date(word: Word) -> bool:
    return is_calendar(word.folded) or is_calendar(word.folded.removesuffix("s"))


def _is_short(word: Word) -> bool:
    """Tell whether a word is an acronym, or several: GANs."""
    return word.is_acronym or word.text.removesuffix("s").isupper()


def _is_ordinary(word: Word) -> bool:
    one = word.folded
    forms = {one, one.removesuffix("s"), one.removesuffix("es"), f"{one.removesuffix('ies')}y"}
    is_other = _is_short(word) or one in people.FIRST_NAMES
    return not (is_other or ORDINARY.isdisjoint(forms))


def _is_identifier(word: Word) -> bool:
    """Tell whether a word belongs to a program or a form: DS-921, L1, Style.Long."""
    text = word.text
    humps = sum(one.islower() and other.isupper() for one, other in pairwise(text))
    is_joined = any(len(part) > 2 and "." in text for part in text.split(".")[1:])
    return humps > 1 or is_joined or any(map(str.isdigit, text))
