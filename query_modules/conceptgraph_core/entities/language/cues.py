"""Find cues beside a name that tell who is meant: another Max, Lena from the office, my sister.

Only the words right beside the name count. A cue makes no merge: it makes a second entity of the
name, or a question, and fills in the gaps of an observation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from ... import language
from ...texts.words.languages import STOP_WORDS
from .. import kinds, names
from ..inputs import Observation
from .beside import ARTICLE, MINE, REACH, find_places, kind, match_before, match_behind

# Not by an import statement: see `beside`.
re: Final[Any] = __import__("re")

# No repetition without a bound may match one text in several ways, so that the time is linear in
# the length of the text.
_NAME: Final = r"(?<!\w)[A-ZÄÖÜ][\w'’.-]{0,40}\w(?: [A-ZÄÖÜ][\w'’-]{1,40}){0,2}(?!\w)"
_NEW: Final = (
    r"(?:another|different|second|third|other|new|andere[rnsm]?|zweite[rnsm]?|dritte[rnsm]?"
    r"|weitere[rnsm]?|neue[rnsm]?|noch ein(?:e|en|em|er)?)"
)
_CALLED: Final = (
    r"(?:(?:who|that|which|is|who's|was|we|also) ){0,4}"
    r"(?:called|named|heißt|heisst|hieß|namens|genannt)(?: (?:him|her|it|ihn|sie|es))?"
    r"(?: also| auch)? "
)
# The most words between "new" and a name: "my other sister Anna".
_MOST_BETWEEN: Final = 2
# More aliases than this say nothing about the subject of a message.
_MOST_PAIRS: Final = 30
_NO_NAMES: Final = language.words("asking", "pronouns") | (
    STOP_WORDS - language.words("ordinary", "ordinary", ("en",))
)
# Patterns of the words before a name end where it begins, those behind it begin where it ends. So
# they are compiled once, not for each name.
_NEW_BEFORE: Final = re.compile(rf"\b{_NEW} ((?:[\w-]+ ){{0,{_MOST_BETWEEN}}})\Z", re.IGNORECASE)
_NEW_ALONE: Final = re.compile(r"\b(?:new|neue[rnsm]?) \Z", re.IGNORECASE)
_CALLED_BEFORE: Final = re.compile(rf"\b{_NEW} (?:\w+ )??([\w-]+),? ?{_CALLED}\Z", re.IGNORECASE)
_ALSO_BEFORE: Final = re.compile(
    r"(?:(?:also|auch|too|again) (?:called|named|heißt|heisst|namens)"
    r"|\b(?:called|named|heißt|heisst|hieß|namens) (?:also|auch)) \Z",
    re.IGNORECASE,
)
_NAMED_BEFORE: Final = re.compile(
    r"\b(?:called|named|genannt|namens)(?: (?:him|her|it))? \Z", re.IGNORECASE
)
_TOO_BEHIND: Final = re.compile(r",? (?:too|as well|again)\b", re.IGNORECASE)
_ALSO_BEHIND: Final = re.compile(r" heißt auch\b", re.IGNORECASE)
_THE: Final = r"(?:(?:the|my|our|der|dem|meiner|meinem|unserer|unserem|la|el) )?(?:\w+ )?"
_ANY_PLACE, _ANY_TEAM = (
    rf"{_THE}(?:{'|'.join(language.load('en', 'people')[one])})" for one in ("meeting", "teams")
)
_FROM_BEHIND: Final = re.compile(
    rf" ((?:from|of|aus|vom|von|d[oae]s?|del) {_ANY_PLACE}|(?:in|im|beim?) {_ANY_TEAM}"
    r"|next door)\b",
    re.IGNORECASE,
)
# Where anybody may be met: it tells only "another Lena at work" from others.
_AT_BEHIND: Final = re.compile(rf" ((?:at|in|im|beim?) {_ANY_PLACE})\b", re.IGNORECASE)
# A place after these words is where the user meets somebody, and no description of a person.
_FETCHING: Final = re.compile(
    r"\b(?:pick\w*|get|got|fetch\w*|dr[io]ve\w*|took|take\w*|bring\w*|brought|b[ou]\w*ght|buy"
    r"|adopt\w*|collect\w*|hol\w*|bring\w*|ab(?:ge)?holt?\w*|nahm)\b",
    re.IGNORECASE,
)
# "Alexandra, we call her Sasha"
_ALIAS: Final = "|".join(sorted(map(re.escape, language.words("whose", "alias"))))
_IS: Final = (
    r"that is|that's|i\.e\.|aka|a\.k\.a\.|also called|also known as|better known as|known as"
    r"|short for|nickname for|is short for|is called|is really|whose real name is|real name is"
    rf"|{_ALIAS}"
    r"|das heißt|d\. ?h\.|genannt|eigentlich|heißt eigentlich|kurz für|alias|sprich"
)
_SAME: Final = re.compile(rf"({_NAME})(?:,| –| -)? ?\(?(?:{_IS}),? ({_NAME})")
_FOR_SHORT: Final = re.compile(rf"({_NAME}),? (?:or )?({_NAME}),? for short\b")
_IN_BRACKETS: Final = re.compile(rf"({_NAME}) \(({_NAME})\)")
# In English these words say less.
_SAME_IN_GERMAN: Final = re.compile(rf"({_NAME}), (?:also|auch) ({_NAME})")
_GERMAN: Final = re.compile(r"\b(?:ist|und|der|die|das|nicht|war|hat|mit|heute|ich|wir|kommt)\b")
_BEING: Final = re.compile(
    rf"\b(?:(?:{MINE}|{ARTICLE}) (\w+)(?: is called| is named| is| heißt| heisst|'s name is)"
    rf"|{MINE} (\w+),?) ({_NAME})"
)
_BEING_BEHIND: Final = re.compile(
    rf"({_NAME})(?:,? {MINE}| (?:is|ist) (?:{MINE}|{ARTICLE})) (\w+)\b"
)


def noticed(text: str, observations: Sequence[Observation]) -> list[Observation]:
    """Return *observations*, with gaps filled by the cues in *text*."""
    pairs = aliases(text)
    return [_noticed(text, one, pairs) for one in observations]


def paired(text: str) -> Iterator[tuple[int, int]]:
    """Iterate over the places of two names that *text* gives to one entity."""
    for pattern in (_SAME, _IN_BRACKETS, _FOR_SHORT):
        for match in pattern.finditer(text):
            for number in (1, 2):
                if not (match[number].casefold() in _NO_NAMES or kinds.path(match[number])):
                    yield match.span(number)


def aliases(text: str) -> list[tuple[str, str]]:
    """Return pairs of canonical names that *text* gives to one: "Mike, that is Michael"."""
    pairs = dict.fromkeys(
        (names.canonical(one), names.canonical(other)) for one, other in _aliases(text)
    )
    return list(pairs)[:_MOST_PAIRS]


def _aliases(text: str) -> Iterator[tuple[str, str]]:
    patterns = [_SAME, _IN_BRACKETS, _FOR_SHORT]
    if _GERMAN.search(text):
        patterns.append(_SAME_IN_GERMAN)
    for pattern in patterns:
        for match in pattern.finditer(text):
            # "She is called Noor", "Well, that is Noor"
            if match[1].casefold() not in _NO_NAMES:
                yield match[1], match[2]
    being = [(one[1] or one[2], one[3]) for one in _BEING.finditer(text)]
    being += [(one[2], one[1]) for one in _BEING_BEHIND.finditer(text)]
    yield from ((kind, name) for kind, name in being if kinds.path(kind) and not kinds.path(name))


def introduces(text: str, label: str) -> bool:
    """Tell whether *text* introduces *label* as another one: "another Max", "our new dog Max"."""
    places = find_places(text, label, re.IGNORECASE)
    between = match_before(_NEW_BEFORE, text, places)
    # "My other sister Anna"
    if between is not None and all(
        _is_somebody(word) or re.fullmatch(_NEW, word, re.IGNORECASE) for word in between[1].split()
    ):
        return True
    called = match_before(_CALLED_BEFORE, text, places)
    if called is not None and _is_somebody(called[1]):
        return True
    return bool(
        match_before(_ALSO_BEFORE, text, places)
        or match_behind(_ALSO_BEHIND, text, places)
        or any(
            _TOO_BEHIND.match(text, end)
            and _NAMED_BEFORE.search(text, max(0, start - REACH), start)
            for start, end in places
        )
    )


def _is_somebody(word: str) -> bool:
    return (kinds.path(word) or "").startswith(("person", "animal"))


def _noticed(text: str, one: Observation, pairs: Sequence[tuple[str, str]]) -> Observation:
    is_introduced = introduces(text, one.label)
    if one.is_new is False and match_before(_NEW_ALONE, text, find_places(text, one.label)):
        is_introduced = False
    also = {other for pair in pairs if one.name in pair for other in pair}
    said = kind(text, one.label)
    return replace(
        one,
        # "person" says less than the "my daughter" of the text.
        kind=said if said and kinds.is_closer(said, one.kind) else one.kind,
        qualifier=one.qualifier or _find_qualifier(text, one.label, is_introduced),
        is_introduced=is_introduced,
        also=frozenset(also - {one.name}),
    )


def _find_qualifier(text: str, label: str, is_introduced: bool) -> str | None:
    places = find_places(text, label, re.IGNORECASE)
    match = match_behind(_FROM_BEHIND, text, places)
    if match is None:
        at = match_behind(_AT_BEHIND, text, places) if is_introduced else None
        return None if at is None else at[1]
    before = re.split(r"[.!?;\n]", text[: match.start() - len(label)])[-1]
    return None if _FETCHING.search(before) else match[1]
