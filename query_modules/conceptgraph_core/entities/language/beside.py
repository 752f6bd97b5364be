"""Find the words right beside a name, and the kind that they say: the sister of "my sister Clara".

Apart from the other cues, because every recall reads kinds, and compiles no further patterns.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from ... import language
from ...texts.words.languages import STOP_WORDS
from .. import kinds
from .endings import FORMER

# Not by an import statement: when the modules are reloaded, Memgraph drops the names such a
# statement defines, and with them all names that begin with "re".
re: Final[Any] = __import__("re")

# No pattern reads further back, and cues beside further mentions of a name do not count.
REACH: Final = 200
_MOST_PLACES: Final = 50
_EDGE: Final = re.compile(r"\b")
MINE: Final = r"(?i:my|our|mein\w*|unser\w*)"
ARTICLE: Final = r"(?i:a|an|the|ein|eine|der|die|das)"
_OWN_BEFORE: Final = re.compile(rf"\b{MINE} (?:(\w+) )?(\w[\w-]*) \Z")
# "Our product manager" manages no user: the word between belongs to such a kind.
_COMPOSED: Final = frozenset(("manager", "coach", "teacher", "doctor", "trainer"))
_SAYING_WHICH: Final = language.words("change", "new") | language.words("change", "old") | FORMER
# A kind behind a name is of it if the clause ends there: "Ghent, my boss left" has no boss of that
# name, and "Milo is a cat person" no cat.
_CLOSED: Final = r"(?=\s*(?:[,.;:!?)]|\Z|\n))"
_GOES_ON: Final = rf"(?:{_CLOSED}| (?=(?:{'|'.join(sorted(map(re.escape, STOP_WORDS)))})\b))"
_APPOSED_BEHIND: Final = (
    re.compile(rf", (?:{MINE}|a|an|ein|eine) (?:(\w+) )??(\w[\w-]*){_CLOSED}"),
    re.compile(rf" (?:is|ist) (?:{MINE}|{ARTICLE}) (?:(\w+) )??(\w[\w-]*){_GOES_ON}"),
)
_PLACED: Final = re.compile(r"\b(?:in|at|from|near|bei|aus|nach|em|en)\Z", re.IGNORECASE)


def kind(text: str, label: str) -> str | None:
    """Return the kind that the user names: the sister of "my sister Clara"."""
    places = find_places(text, label)
    own = match_before(_OWN_BEFORE, text, places)
    # "In Ghent, my boss, …" is of a place.
    others = [one for one in places if not _PLACED.search(text[: one[0]].rstrip())]
    found = (own, *(match_behind(pattern, text, others) for pattern in _APPOSED_BEHIND))
    for between, kind in (match.groups() for match in found if match is not None):
        if kind in _COMPOSED and between and between not in _SAYING_WHICH:
            return f"{between} {kind}".casefold()
        if kinds.path(kind) is not None:
            return str(kind).casefold()
    return None


def find_places(text: str, label: str, flags: int = 0) -> list[tuple[int, int]]:
    """Return where *label* stands in *text*, also within words."""
    found = re.finditer(re.escape(label), text, flags)
    return [match.span() for match in islice(found, _MOST_PLACES)]


def match_before(pattern: Any, text: str, places: Sequence[tuple[int, int]]) -> Any:
    """Return the first match of *pattern* right before one of *places* where a word ends."""
    matches = (
        pattern.search(text, max(0, start - REACH), start)
        for start, end in places
        if text[start - 1 : start] == " " and _EDGE.match(text, end)
    )
    return next(filter(None, matches), None)


def match_behind(pattern: Any, text: str, places: Sequence[tuple[int, int]]) -> Any:
    """Return the first match of *pattern* right behind one of *places* where a word begins."""
    matches = (pattern.match(text, end) for start, end in places if _EDGE.match(text, start))
    return next(filter(None, matches), None)
