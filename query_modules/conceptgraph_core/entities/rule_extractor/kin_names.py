"""Find the names that a kin word tells: "my sister Clara", "Aunt Beatrix", "Julien and I".

Kin words stand for all whom one calls one's own: the boss and the dog too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from ... import language
from .. import kinds
from ..language import endings, kin
from ..language.dated import is_calendar
from ..language.endings import FORMER
from . import name_words, people
from .naming import JOINS, NO_SUBJECTS, PERSON, SELVES, Named, is_ordinary
from .written import Word

# Not by an import statement: a reload of the modules would drop the names it defines.
re: Final[Any] = __import__("re")

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
_NEW: Final = language.words("change", "new")
# One has one of these at a time.
_SUCCEEDED: Final = frozenset(("teacher", "landlord", "therapist", "doctor", "dentist"))
_ADJECTIVES: Final = people.ADJECTIVES | _OLD | FORMER
# The words by which two become a couple, and what the other one is then.
_BECOMING: Final = tuple(
    (tuple(one.split()), kind)
    for name, kind in (("couple", "partner"), ("wed", "spouse"), ("engaged", "fiance"))
    for one in sorted(language.words("change", name))
)
# "Aunt Beatrix": these stand before a name as a title does.
_TITLING: Final = frozenset(
    ("aunt", "uncle", "cousin", "grandmother", "grandfather", "great-aunt", "great-uncle")
)
# "Me and Theo"
_SELVES: Final = SELVES | {"me"}
_SEEING: Final = tuple(tuple(one.split()) for one in sorted(language.words("change", "seeing")))
_ARTICLES: Final = frozenset(("a", "an", "ein", "eine", "einen", "un", "una", "um", "uma", "une"))
_COUNTS: Final = frozenset(
    ("two", "three", "four", "zwei", "drei", "vier", "dos", "tres", "dois", "duas", "três", "deux")
)
# The animal or the one just named, in the clause that tells the name.
_WHO: Final = frozenset(
    (
        *("he", "she", "it", "who", "which", "that", "der", "die", "das", "er", "sie", "es"),
        *("que", "qui", "il", "elle", "ele", "ela", "él", "ella"),
    )
)
_THE: Final = language.words("whose", "definite")
_PRONOUNS: Final = language.words("statements", "pronouns")
_ENGLISH: Final = language.words("statements", "pronouns", ("en",))
_SUPPOSED: Final = language.words("statements", "supposed")
# Beside one of these a pronoun may mean somebody without a name.
_OTHER_PEOPLE: Final = kin.OTHERS | language.words("statements", "occupations")
# The kin of one's kin.
_RELATIVES: Final = {
    (of, kind): relative
    for owners, kind, relative in (
        (("brother", "sister"), "daughter", "niece"),
        (("brother", "sister"), "son", "nephew"),
        (("brother", "sister"), "wife", "sister-in-law"),
        (("brother", "sister"), "husband", "brother-in-law"),
        (("mother", "father"), "sister", "aunt"),
        (("mother", "father"), "brother", "uncle"),
        (("mother", "father"), "mother", "grandmother"),
        (("mother", "father"), "father", "grandfather"),
        (("wife", "husband", "spouse"), "mother", "mother-in-law"),
        (("wife", "husband", "spouse"), "father", "father-in-law"),
        (("son", "daughter"), "daughter", "granddaughter"),
        (("son", "daughter"), "son", "grandson"),
    )
    for of in owners
}
_GENITIVES: Final = ("' ", "’ ", "'s ", "’s ")
_ANYBODYS: Final = "their"
_MOST_COUPLE: Final = 6
_SINCE: Final = frozenset(("since", "for", "seit", "desde", "há", "hace", "depuis"))
_TIMES: Final = frozenset(
    (
        *("last", "this", "yesterday", "today", "letzten", "letztes", "letzte", "gestern"),
        *("heute", "ayer", "hoy", "ontem", "hoje", "hier"),
    )
)
_YEAR: Final = re.compile(r"(?:19|20)\d\d")


def find_kin_names(written: Sequence[Word], text: str) -> Iterator[Named]:
    """Iterate over the names that a kin word tells, and over "my sister" and "Mum".

    *written* are the words of *text*.
    """
    yield from _find_lone_kin(written)
    yield from _find_owned_kin(written)
    yield from _find_several(written)
    yield from _find_titled(written)
    yield from _find_partners(written, text)
    yield from _find_someone(written)


def _find_lone_kin(written: Sequence[Word]) -> Iterator[Named]:
    """Iterate over kin words without "my": "Mum", "Dad's name is Alan"."""
    for place, said in kin.named([word.folded for word in written]):
        relation = kin.relation(said)
        ahead = (one.folded for one in written[max(0, place - _MOST_CALLING) : place])
        if relation not in people.CLOSE or not kin.OWN.isdisjoint(ahead):
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
        is_own = word.folded in kin.OWN or _is_had(written, place)
        # "The neighbours' dog Oskar"
        is_genitive = written[place + 1].gap in _GENITIVES and word.folded not in _PRONOUNS
        if not (is_own or is_genitive or word.folded in kin.OTHERS):
            continue
        at = place + 1
        while at < len(written) - 1 and written[at].folded in _ADJECTIVES:
            at += 1
        ex, _, whose = written[at].folded.partition("-")
        owner = _ANYBODYS if is_genitive and not is_own else word.folded
        kind = kin.of(owner, whose if ex in FORMER else written[at].folded)
        if kind is None:
            at, kind = _find_animal(written, at)
        rest = written[place + 1 + is_genitive : at + 1]
        if kind is None or not all(one.follows for one in rest):
            continue
        before = {ex, *(one.folded for one in written[place + 1 : at])}
        is_past = not before.isdisjoint(FORMER | (_OLD if kind in _FOLLOWED else frozenset()))
        while at < len(written) - 1 and written[at + 1].folded in _ADJECTIVES:
            at += 1
        # "Her son Teo" is no son of the user's.
        shown = kind if is_own else (kinds.path(kind) or PERSON).partition("/")[0]
        if is_genitive and (relative := _find_relative(written, place, kind)) is not None:
            shown, is_own = relative, True
        first, end = _find_name(written, place, at + 1)
        if end > first:
            one = _name_kin(written[first:end], shown)
            is_new = kind in _SUCCEEDED and not before.isdisjoint(_NEW)
            yield replace(one, is_own=is_own, is_past=is_past and is_own, is_new=is_new)
        elif (subject := _find_pronoun(written, place)) is not None:
            if (name := _find_meant(written, subject)) and word.folded in kin.OWN:
                yield replace(_name_kin(name, kind), is_past=is_past)
        elif word.folded in kin.OWN and kind in people.CLOSE and not is_past:
            yield Named(word.start, written[at].end, kind, is_own=True, is_sure=True)


def _find_pronoun(written: Sequence[Word], place: int) -> int | None:
    """Return the place of the "she" of "she's officially my boss"; *place* is that of "my"."""
    at = place
    while at > 0 and written[at].follows and _is_adverb(written[at - 1]):
        at -= 1
    if at and written[at].gap in _GENITIVES and written[at - 1].folded in _PRONOUNS:
        return at - 1
    is_said = at > 1 and written[at].follows and written[at - 1].folded in _IS
    return at - 2 if is_said and written[at - 2].folded in _PRONOUNS else None


def _is_adverb(word: Word) -> bool:
    return word.folded in _FILLERS or (word.folded.endswith("ly") and not word.is_capitalised)


def _find_meant(written: Sequence[Word], place: int) -> Sequence[Word]:
    """Return the name that the pronoun at *place* means: the only one of a person before it.

    It is in the same sentence or the one before, and nobody is told of between: "Marcus and his
    wife came. She's my boss" is not of Marcus.
    """
    begun = next((at for at in range(place, -1, -1) if written[at].begins), 0)
    if not _SUPPOSED.isdisjoint(one.folded for one in written[begun:place]):
        return ()
    if written[place].gap == ", " and place and _is_whole_name(written, place - 1):
        return (written[place - 1],)
    is_english = written[place].folded in _ENGLISH
    first = next((at for at in range(begun - 1, -1, -1) if written[at].begins), 0)
    near = written[first:place]
    if any(one.folded in _OTHER_PEOPLE or kin.relation(one.folded) for one in near):
        return ()
    found = {
        word.folded: word
        for before, word, at in zip((None, *near), near, range(first, place), strict=False)
        if _is_whole_name(written, at)
        and (word.folded in people.FIRST_NAMES or (is_english and not word.begins))
        and (before is None or before.folded not in name_words.AT_PLACES)
    }
    return tuple(found.values()) if len(found) == 1 else ()


def _find_relative(written: Sequence[Word], place: int, kind: str) -> str | None:
    """Return what the *kind* of the user's kin at *place* is: "my brother's daughter", a niece."""
    near = written[max(0, place - 2) : place]
    is_users = any(one.folded in kin.OWN for one in near)
    of = kin.relation(written[place].folded)
    return _RELATIVES.get((of, kind)) if is_users and of is not None else None


def _name_kin(words: Sequence[Word], kind: str | None) -> Named:
    """Return the name that *words* are, of the user's kin of that *kind*."""
    label = _capitalise(words[0].text)
    label += "".join(one.gap + _capitalise(one.text) for one in words[1:])
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


def _find_partners(written: Sequence[Word], text: str) -> Iterator[Named]:
    """Iterate over who has become the user's partner or spouse: "Julien and I are together"."""
    for first, end, place in _find_pairs(written):
        # "If Tom and I got married"
        start = next((at for at in range(first, -1, -1) if written[at].begins), 0)
        ahead = " ".join(one.text for one in written[start:first])
        last = next((one.start for one in written[place:] if one.begins), len(text))
        is_asked = "?" in text[written[first].start : last]
        if is_asked or endings.has_phrase(endings.pad_words(ahead), "unreal"):
            continue
        behind = written[place : place + _MOST_COUPLE]
        said = [one.folded for one in behind if one.folded not in _FILLERS]
        for phrase, kind in _BECOMING:
            if _begins_with(said, phrase) and _is_end(behind, phrase, kind):
                yield _name_kin(written[first:end], kind)
                break


def _find_someone(written: Sequence[Word]) -> Iterator[Named]:
    """Iterate over the partner of "I'm seeing someone, her name is Josie"."""
    said = [one.folded for one in written]
    for place in range(len(written)):
        phrase = next((one for one in _SEEING if tuple(said[place : place + len(one)]) == one), ())
        for at in range(place + len(phrase), min(place + len(phrase) + 4, len(written))):
            first, end = _read_name(written, at)
            if phrase and at < first < end:
                yield _name_kin(written[first:end], "partner")
                break


def _find_pairs(written: Sequence[Word]) -> Iterator[tuple[int, int, int]]:
    """Yield where a name begins and ends, and the place behind it and the user: "Julien and I"."""
    for place in range(1, len(written) - 1):
        if written[place].folded not in JOINS:
            continue
        if written[place + 1].folded in SELVES and _is_whole_name(written, place - 1):
            is_two = place > 1 and written[place - 1].follows and _is_whole_name(written, place - 2)
            yield place - 1 - is_two, place, place + 2
        elif written[place - 1].folded in _SELVES:
            # "Eu e a Teresa"
            at = place + 1 + (written[place + 1].folded in _THE)
            if at < len(written) and _is_whole_name(written, at):
                yield at, at + 1, at + 1


def _begins_with(said: Sequence[str], phrase: Sequence[str]) -> bool:
    """Tell whether *said* begins with *phrase*; for "*" a few words: "haben * geheiratet"."""
    head, _, tail = " ".join(phrase).partition(" * ")
    words = f" {' '.join(said)} "
    return words.startswith(f" {head} ") and (not tail or f" {tail} " in words)


def _is_end(words: Sequence[Word], phrase: Sequence[str], kind: str) -> bool:
    """Tell whether the clause ends behind *phrase* or the "now" after it, or with a time.

    "We are together in Porto" tells of a journey, "engaged in the debate" of a debate.
    """
    last = next((at for at, one in enumerate(words) if one.folded == phrase[-1]), len(words))
    rest = list(words[last + 1 :])
    while rest and rest[0].follows and rest[0].folded in _FILLERS:
        rest.pop(0)
    if not rest or not rest[0].follows:
        return True
    said = [one.folded for one in rest[:2]]
    is_dated = any(is_calendar(one) or _YEAR.fullmatch(one) for one in said)
    is_dated |= said[0] in _TIMES or "ago" in [one.folded for one in rest[:_MOST_CALLING]]
    return said[0] in _SINCE or (kind != "partner" and is_dated)


def _find_name(written: Sequence[Word], place: int, behind: int) -> tuple[int, int]:
    """Return where the name of "my boss" begins and ends: *behind*, or before "is my boss"."""
    for place_of_call in range(behind, min(behind + _MOST_CALLING + 1, len(written))):
        first, end = _read_name(written, place_of_call)
        # "My boss at the clinic is called Ana"
        if end > first and (place_of_call == behind or first > place_of_call):
            return first, end
        if not written[place_of_call].follows:
            break
    for said in _IS:
        size = said.count(" ") + 1
        ahead = [one.folded for one in written[max(0, place - size) : place]]
        last = place - size
        # "The baker there, Tunde, is my boss"
        is_apposed = last > 1 and written[last].gap == ", " == written[last - 1].gap
        if " ".join(ahead) != said or not all(
            one.follows for one in written[last + is_apposed : place]
        ):
            continue
        start = last
        while start > 0 and last - start < 2 and _is_whole_name(written, start - 1):
            start -= 1
            if written[start].begins or not written[start].follows:
                break
        return start, last
    before = written[place].gap == ", " and place > 0 and _is_whole_name(written, place - 1)
    if before and behind < len(written) and _is_apposed(written, behind):
        # "Henrike, my neighbour, …"
        start = place - 1
        is_two = start and written[start].follows and _is_whole_name(written, start - 1)
        return start - is_two, place
    return behind, behind


def _is_apposed(written: Sequence[Word], behind: int) -> bool:
    """Tell whether the clause goes on *behind* a comma: "Peter, my sister, and I" lists three."""
    word = written[behind]
    is_listed = word.folded in JOINS | kin.OWN or _is_whole_name(written, behind)
    return word.gap == ", " and not is_listed


def _is_had(written: Sequence[Word], place: int) -> bool:
    """Tell whether *place* is the article of "I have a dog"."""
    if not place or written[place].folded not in _ARTICLES:
        return False
    before = [one.folded for one in written[max(0, place - 2) : place]]
    return not name_words.HAVING.isdisjoint((" ".join(before), before[-1]))


def _find_animal(written: Sequence[Word], place: int) -> tuple[int, str | None]:
    """Return the place and kind of the animal at *place*, or behind it: "a border collie"."""
    for at in range(place, min(place + 2, len(written) - 1)):
        if (kind := kin.find_animal(written[at].folded)) is not None:
            return at, kind
        if not written[at + 1].follows:
            break
    return place, None


def _find_several(written: Sequence[Word]) -> Iterator[Named]:
    """Iterate over the names of "our two cats, Pickle and Mabel", "unsere Kinder Emil und Ida"."""
    for place, word in enumerate(written[:-1]):
        at = place + 1
        while at < len(written) - 1 and (
            written[at].folded in _ADJECTIVES | _COUNTS or written[at].text.isdigit()
        ):
            at += 1
        kind = kin.find_one_of(written[at].folded)
        if kind is None or word.folded not in kin.OWN:
            continue
        at += 1
        while at < len(written) and _is_whole_name(written, at) and not written[at].begins:
            yield _name_kin(written[at : at + 1], kind)
            at += 1
            at += at < len(written) and written[at].folded in JOINS


def _skip_calling(written: Sequence[Word], place: int) -> int:
    """Return the place of the name in "sister Clara", "sister is called Clara", "boss is Ana"."""
    if place < len(written) and written[place].gap == ", " and written[place].folded in _WHO:
        # "A dachshund, he is called Moritz"
        at = _skip_calling(written, place + 1)
        return at if at > place + 1 else place
    ahead = " ".join(one.folded for one in written[place : place + _MOST_CALLING])
    for said in _CALLING:
        if f"{ahead} ".startswith(f"{said} "):
            at = place + said.count(" ") + 1
            # "Heißt übrigens Gernot"
            return at + (at < len(written) and written[at].folded in _FILLERS)
    for said in _IS:
        at = place + said.count(" ") + 1
        if not f"{ahead} ".startswith(f"{said} "):
            continue
        # "Mein Chef ist der Herr Petersen"
        behind = written[at + 1 : at + 2]
        is_the = behind and written[at].folded in _THE and behind[0].folded in people.TITLES
        is_titled = behind and written[at].folded in people.TITLES and behind[0].is_capitalised
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


def _read_name(written: Sequence[Word], place: int) -> tuple[int, int]:
    """Return where the name after a kin word begins, and where it ends; there if it is none."""
    first = _skip_calling(written, place)
    is_titled = first < len(written) and written[first].folded in people.TITLES
    end, most = first, first + 2 + is_titled
    while end < len(written) and end < most and _is_name_part(written, end, first):
        end += 1
    # "My colleague Dr." alone names nobody.
    return first, first if is_titled and end == first + 1 else end


def _is_name_part(written: Sequence[Word], place: int, first: int) -> bool:
    word, is_second = written[place], place > first
    if is_second and written[place - 1].folded in people.TITLES and word.gap in (" ", ". "):
        return word.is_capitalised
    return _is_name_word(word, is_second)


def _is_name_word(word: Word, is_second: bool) -> bool:
    if word.gap not in (" ", ", ") or (is_second and word.gap != " "):
        return False
    if is_calendar(word.folded) and word.folded not in people.FIRST_NAMES:
        return False
    # "My dog has", "my sister, I": only a word that is like a name counts.
    is_known = word.folded in (people.SAFE_NAMES if is_second else people.SMALL_NAMES)
    is_known |= word.is_capitalised and not word.is_acronym and word.gap == " "
    return is_known and word.folded not in kin.ENGLISH and not word.begins


def _capitalise(word: str) -> str:
    return word if any(map(str.isupper, word)) else word.capitalize()
