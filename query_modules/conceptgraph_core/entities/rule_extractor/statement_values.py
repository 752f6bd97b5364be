"""Read the value behind the words of a statement: a name, things, a date, an age, a listed word."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, Final

from ..language import dated
from ..language.inflection import tokens
from . import patterns
from .naming import find_name_end
from .patterns import Pattern
from .written import Word

# Not by an import statement: a reload of the modules would drop the names it defines.
re: Final[Any] = __import__("re")

_GOING_ON: Final = (*'"“„(`/', "'s", "’s")
# "The" adds nothing to these.
_WIDE: Final = frozenset(("sea", "ocean", "beach", "rain", "snow", "outdoors", "mountains", "sun"))
_MOST_WORDS: Final = 3
_OLDEST: Final = 120
_YEAR_OLD: Final = ("-year-old", "-jähriger", "-jährige")
# The number of a telephone.
_CALLED_BY: Final = re.compile(
    r"(?!\d{4}-\d\d-\d\d\b|\d{1,2}[/-]\d{1,2}[/-]\d{4}\b)\+?\d(?:[ ()/-]{0,2}\d){4,14}"
)
_BEHIND_AGE: Final = (*" .,;!)\n", "")


def read_values(text: str, rest: Sequence[Word], pattern: Pattern) -> Iterator[tuple[str, int]]:
    """Yield each value at the start of *rest*, with the place in the text where it ends."""
    if not rest:
        return
    spoken = pattern.spoken
    if pattern.slot == patterns.NAME:
        yield from _read_name(text, rest, spoken)
    elif pattern.slot == patterns.PHRASE:
        yield from _read_phrases(text, rest, spoken)
    elif pattern.slot == patterns.DATE:
        part = text[rest[0].start : rest[-1].end]
        found = next(dated.dates(part), None)
        if found is not None:
            yield found.label, rest[0].start + found.end
    elif pattern.slot == patterns.AGE:
        is_one = not spoken.articles.isdisjoint(pattern.words[-1])
        yield from _read_age(text, rest, spoken, is_one=is_one)
    elif pattern.slot == patterns.NUMBER:
        found = _CALLED_BY.match(text, rest[0].start - rest[0].gap.count("+"))
        if found is not None:
            yield found[0], found.end()
    else:
        no_words = spoken.stops | spoken.no_phrases | spoken.articles
        yield from _read_listed(text, rest, pattern.listed, no_words)


def _read_name(
    text: str, rest: Sequence[Word], spoken: patterns.Words
) -> Iterator[tuple[str, int]]:
    is_the = rest[0].folded in spoken.before_names and len(rest) > 1
    rest = rest[is_the:]
    end = find_name_end(rest)
    if end and rest[0].folded not in spoken.no_phrases:
        yield text[rest[0].start : rest[end - 1].end], rest[end - 1].end
    elif spoken.nowhere and not is_the and not any(one.is_capitalised for one in rest):
        # In a text without capitals the first word is the name.
        word, behind = rest[0], rest[1:2]
        no_names = spoken.stops | spoken.no_phrases | spoken.no_places
        ends = [one.folded in spoken.stops | spoken.joins or not one.follows for one in behind]
        if word.text.islower() and word.folded not in no_names and len(word.text) > 3 and all(ends):
            yield word.text.capitalize(), word.end


def _read_phrases(
    text: str, rest: Sequence[Word], spoken: patterns.Words
) -> Iterator[tuple[str, int]]:
    """Yield the things at the start of *rest*; "cats and dogs, but …" has two."""
    group: list[Word] = []
    for word in (*rest, None):
        joins = word is not None and word.folded in spoken.joins and bool(group)
        stops = word is None or joins or _stops(word, bool(group), spoken)
        if not stops and word is not None:
            if group or word.folded not in spoken.articles | spoken.none:
                group.append(word)
            continue
        if _is_thing(text, group, word, spoken):
            yield text[group[0].start : group[-1].end], group[-1].end
        if not joins or _begins_statement(rest, word):
            return
        group = []


def _begins_statement(rest: Sequence[Word], join: Word | None) -> bool:
    """Tell whether a statement of its own follows a *join*: "French, and I study law"."""
    behind = (word.folded for word in rest if join is not None and word.start > join.start)
    first = next(behind, "")
    return first in patterns.BY_FIRST or first in patterns.VERBS


def _stops(word: Word, is_inside: bool, spoken: patterns.Words) -> bool:
    if word.gap.strip() not in ("", "-") and (is_inside or "," not in word.gap):
        return True
    return is_inside and word.folded in spoken.stops


def _is_thing(text: str, group: Sequence[Word], after: Word | None, spoken: patterns.Words) -> bool:
    if not 0 < len(group) <= _MOST_WORDS:
        return False
    if group[0].folded == "the":
        return len(group) == 2 and group[1].folded in _WIDE
    # "I like being asked", "I like Tom's idea": the phrase goes on, and names no thing.
    end = group[-1].end
    goes_on = text[end : end + 4].lstrip(" ").startswith(_GOING_ON)
    if after is not None and "," not in after.gap:
        goes_on |= after.folded in spoken.goes_on
    is_word = group[0].folded not in spoken.no_phrases | spoken.stops and len(group[-1].text) > 2
    return is_word and not goes_on


def _read_age(
    text: str, rest: Sequence[Word], spoken: patterns.Words, *, is_one: bool
) -> Iterator[tuple[str, int]]:
    """Yield "33" of "33", "33 years old" or "33 last week"; of "33 minutes" nothing.

    Behind an article, it *is_one* with "year old" alone: "Max is a 10".
    """
    number = tokens(rest[0].text)[0].form if tokens(rest[0].text) else ""
    if rest[0].folded.endswith(_YEAR_OLD):
        # "A 36-year-old teacher"
        yield number, rest[0].end
        return
    is_part = text[rest[0].end : rest[0].end + 1] not in _BEHIND_AGE
    if is_part or not number.isdigit() or not 0 < int(number) <= _OLDEST:
        return
    behind = [word.folded for word in takewhile(lambda word: word.follows, rest[1:3])]
    said = {" ".join(behind), *behind[:1]}
    if is_one and (len(behind) < 2 or " ".join(behind) not in spoken.behind_age):
        return
    # "41 and a carpenter", "91 in May"
    is_dated = len(behind) > 1 and dated.is_calendar(behind[1])
    if not behind or is_dated or not (spoken.behind_age | spoken.joins).isdisjoint(said):
        yield number, rest[0].end


def _read_listed(
    text: str, rest: Sequence[Word], listed: frozenset[str], no_words: frozenset[str]
) -> Iterator[tuple[str, int]]:
    """Yield one of the words *listed* from the start of *rest*, with what stands before it.

    "Teacher" and "primary school teacher" are such ones.
    """
    if rest[0].is_number and [one.folded for one in rest[1:3]] == ["year", "old"]:
        rest = rest[3:]
    for first in range(min(len(rest), _MOST_WORDS)):
        is_apart = first > 0 and not rest[first].follows
        if is_apart or rest[first].folded in no_words:
            return
        for size in range(_MOST_WORDS, 0, -1):
            words = rest[first : first + size]
            if " ".join(word.folded for word in words) not in listed:
                continue
            end = words[-1].end
            if not text[end : end + 4].lstrip(" ").startswith(_GOING_ON):
                start = rest[rest[0].folded.endswith(_YEAR_OLD)].start
                yield text[start:end], end
            return
