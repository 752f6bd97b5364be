"""Compare kinds, which are hints: a sister and a boss may be one person. Few exclude each other.

Callers name kinds freely. Only the classes in this closed table distinguish two entities of one
name: a mineral and a company, a dog and a cat, a daughter and a colleague.
"""

from typing import Final

from ..language import load
from . import names
from .language import endings, kin

# Word -> its class, with a part where parts exclude each other.
_CLASSES: Final = {word: path for path, words in load("en", "kinds").items() for word in words}
# A café is a place and a business.
_OVERLAPPING: Final = (frozenset(("venue", "place")), frozenset(("venue", "organisation")))
_KIN: Final = frozenset(("child", "parent", "grandparent", "sibling", "partner", "relative"))
# A sister may be the boss, but a daughter or mother is hardly a colleague or the dentist.
_AT_HOME: Final = frozenset(("child", "parent", "grandparent"))
_ELSEWHERE: Final = frozenset(("work", "service"))


def path(kind: str) -> str | None:
    """Return the class of *kind*, "person/sibling" of "older sister"; None: not in the table.

    A great-aunt and a half-sister are of the class of their last part.
    """
    whole = names.canonical(kind)
    for word in (whole, *reversed(whole.split()), whole.rpartition("-")[2]):
        for form in (word, word.removesuffix("s")):
            if form in _CLASSES:
                return _CLASSES[form]
    return None


def agree(one: str | None, other: str | None) -> bool:
    """Tell whether one entity may have both kinds: they do not exclude each other."""
    if one is None or other is None:
        return True
    first, second = _path(one), _path(other)
    if first is None or second is None or first == second:
        return True
    (whole, _, part), (other_whole, _, other_part) = first.partition("/"), second.partition("/")
    if whole != other_whole:
        return {whole, other_whole} in _OVERLAPPING
    parts = {part, other_part}
    if "" in parts:
        return True
    if whole != "person":
        return False
    return not (parts <= _KIN or (parts & _AT_HOME and parts & _ELSEWHERE))


def is_closer(kind: str, known: str | None) -> bool:
    """Tell whether *kind* says more than the *known* one: a sister, of a person."""
    if known is None:
        return True
    more, less = _path(kind), _path(known)
    return more is not None and less is not None and more.startswith(f"{less}/")


def is_former(kind: str, known: str | None) -> bool:
    """Tell whether *kind* is what one of the *known* kind is afterwards: an ex-wife, of a wife."""
    first, *rest = names.canonical(kind).replace("-", " ").split() or [""]
    if known is None or first not in endings.FORMER:
        return False
    return not rest or nearness(" ".join(rest), known) > 1


def is_next(kind: str, known: str | None) -> bool:
    """Tell whether *kind* may follow the *known* one: a CTO a CISO, a wife a girlfriend.

    Both are of one class, or of none. Two words for one relative are no change.
    """
    if known is None or names.canonical(kind) == names.canonical(known):
        return False
    relation = kin.relation(names.canonical(kind))
    is_same = relation is not None and relation == kin.relation(names.canonical(known))
    return not is_same and _path(kind) == _path(known)


def are_rarely_one(one: str, other: str) -> bool:
    """Tell whether one person rarely has both kinds, as a colleague and a cousin."""
    parts = {(_path(kind) or "").removeprefix("person/") for kind in (one, other)}
    return bool(parts & _KIN) and bool(parts & _ELSEWHERE)


def nearness(one: str | None, other: str | None) -> int:
    """Return the nearness of two kinds that agree: 2 in one part, 1 in one class, else 0."""
    if one is None or other is None:
        return 0
    first, second = _path(one), _path(other)
    if names.canonical(one) == names.canonical(other) or (first and first == second):
        return 2
    whole = first and second and first.partition("/")[0] == second.partition("/")[0]
    return 1 if whole else 0


def _path(kind: str) -> str | None:
    """Return the class of *kind*, which may be kin in another language: "mãe", "hija".

    `path` reads words of any text too, where "Nora" is a name.
    """
    found = path(kind)
    if found is not None:
        return found
    relation = kin.relation(names.canonical(kind))
    return None if relation is None else path(relation)
