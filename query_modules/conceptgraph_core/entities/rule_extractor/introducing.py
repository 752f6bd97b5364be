"""Find the name by which users introduce themselves: "I'm Nadia Okafor, …", "Call me Ada".

The words around a name are data (`oneself`). A word behind "I'm" may be anything ("I'm German"), so
it is a name only if it is a known first name, or something else says so: a surname, a greeting
before it, a comma behind it. German has a capital for every noun, and needs one of the first two.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from ... import language
from ...language import oneself
from ..language import dated
from .naming import FIRST_NAMES, ORDINARY, find_name_end
from .prose import Word

_PARTS: Final = ("being", "calling", "leading")
_BEING, _CALLING, _LEADING = _PARTS
_HERE: Final = language.words("oneself", "trailing")
_GREETINGS: Final = language.words("oneself", "greetings")
_JOINS: Final = language.words("whose", "joins")
_DENIALS: Final = (
    language.words("oneself", "negations")
    | language.words("change", "unreal")
    | {"don't", "didn't"}
)
_NO_NAMES: Final = (
    oneself.NOT_NAMES
    | language.words("statements", "occupations")
    | language.words("oneself", "trades")
)
_ENGLISH: Final = frozenset(
    tuple(one.split()) for one in language.words("oneself", "being", ("en",))
)
# "Please don't ever call me …", "Hi all, I'm …"
_MOST_DENYING: Final = 3
_FAR: Final = 3
_ENDS: Final = (",", ".", "!", ";", ":", ")", " (", " -", " –", " —", "\n")
Phrase = tuple[str, ...]


def find_own_names(text: str, written: Sequence[Word], german: bool) -> Iterator[tuple[int, int]]:
    """Iterate over the places in *text* of the name that its user tells."""
    forms = [one.folded.replace("’", "'") for one in written]
    size = find_name_end(written)
    # "Nadia here, a quick question"
    is_here = 0 < size < len(forms) and forms[size] in _HERE and _ends(text, written, size + 1)
    if is_here and _is_name(written[:size], is_sure=False):
        yield written[0].start, written[size - 1].end
    for place, form in enumerate(forms):
        for part, phrase in _BY_FIRST.get(form, ()):
            first = place + len(phrase)
            size = find_name_end(written[first:])
            if tuple(forms[place:first]) != phrase or not size:
                continue
            found, behind = written[first : first + size], first + size
            is_sure = part == _CALLING
            if is_sure:
                is_told = _DENIALS.isdisjoint(forms[max(0, place - _MOST_DENYING) : place])
                # "Ich heiße Sie willkommen"
                is_told &= not german or _ends(text, written, behind)
            else:
                is_greeted = not _GREETINGS.isdisjoint(forms[max(0, place - _FAR) : place])
                is_first = place == 0 or (part == _BEING and (written[place].begins or is_greeted))
                is_told = is_first and _ends(text, written, behind)
                # "Soy Madrileña, de Lavapiés"
                has_comma = phrase in _ENGLISH and any(
                    "," in one.gap for one in written[behind:][:1]
                )
                is_sure = not german and (is_greeted or has_comma)
            if is_told and _is_name(found, is_sure=is_sure):
                yield found[0].start, found[-1].end


def _ends(text: str, written: Sequence[Word], behind: int) -> bool:
    """Tell whether what is told ends before the word *behind*, and is no question."""
    if behind >= len(written):
        return not text[written[-1].end :].lstrip().startswith("?")
    word = written[behind]
    return word.folded in _JOINS or word.gap.startswith(_ENDS)


def _is_name(found: Sequence[Word], *, is_sure: bool) -> bool:
    """Tell whether *found* are the name of somebody, as the words around say if *is_sure*."""
    said = [one.folded for one in found]
    is_ordinary = any(one in ORDINARY for one in said)
    if said[0].partition("-")[0] in FIRST_NAMES:
        return is_sure or not is_ordinary
    if is_ordinary or any(one in _NO_NAMES or dated.is_calendar(one) for one in said):
        return False
    return (is_sure or len(said) > 1) and not any(one.is_acronym for one in found)


def _read_phrases() -> dict[str, list[tuple[str, Phrase]]]:
    found: dict[str, list[tuple[str, Phrase]]] = {}
    for part in _PARTS:
        for one in sorted(language.words("oneself", part), key=lambda one: (-len(one), one)):
            phrase = tuple(one.split())
            found.setdefault(phrase[0], []).append((part, phrase))
    return found


_BY_FIRST: Final = _read_phrases()
