"""Tell that somebody is no longer the user's partner, or has died, by what was said of them."""

from collections.abc import Iterable
from functools import cache
from typing import Final

from ... import language
from ...words.splitting import split
from ..language import kin
from .wholes import Whole

# "Ruth has sadly died": so many words may stand between a name and its end.
_BETWEEN: Final = 2
_COUPLE: Final = frozenset(kin.members("couple"))


def since(whole: Whole, texts: Iterable[tuple[int, str]] = ()) -> int | None:
    """Return the time at which it was told that it is over with a partner; None: it is not.

    The mentions say it, and *texts* about the user, with their times, that have the name. The
    latest word counts: two may be together again.
    """
    if whole.described.casefold() not in _COUPLE:
        return None
    over: int | None = None
    name, told = _told(whole, texts)
    for at, said in told:
        if _is_parted(said, name):
            over = at
        elif _has(said, "together"):
            over = None
    return over


def is_dead(whole: Whole, texts: Iterable[tuple[int, str]] = ()) -> bool:
    """Tell whether a mention, or one of *texts*, says that somebody died."""
    name, told = _told(whole, texts)
    return any(_is_dead(said, name) for _, said in told)


def _told(
    whole: Whole, texts: Iterable[tuple[int, str]]
) -> tuple[list[str], list[tuple[int, str]]]:
    """Return the first name, and what was said with it, the earliest first, as words."""
    name = split(whole.name)[:1]
    mentions = [(one.created_at, one.get("mention_context") or "") for one in whole.mentions]
    words = ((at, f" {' '.join(split(text))} ") for at, text in (*mentions, *texts))
    return name, sorted({(at, said) for at, said in words if {*name} <= {*said.split()}})


def _is_parted(said: str, name: list[str]) -> bool:
    """Tell whether *said* is of the user and the one of that *name*: "Tom and I broke up"."""
    if any(f" {ex} {one} " in said for ex in _phrases("former") for one in name):
        return True
    return _has(said, "parted") and not _OWN.isdisjoint(said.split())


def _is_dead(said: str, name: list[str]) -> bool:
    """Tell whether "died" follows the *name* itself: not "Ruth's husband died"."""
    for one in name:
        _, found, behind = said.partition(f" {one} ")
        after = f" {behind}"
        for dead in _phrases("dead") if found else ():
            before, is_said, _ = after.partition(dead)
            between = before.split()
            if is_said and len(between) <= _BETWEEN and "s" not in between[:1]:
                return True
    return False


def _has(said: str, name: str) -> bool:
    return any(one in said for one in _phrases(name))


@cache
def _phrases(name: str) -> tuple[str, ...]:
    said = (" ".join(split(one)) for one in language.words("change", name))
    return tuple(sorted(one if name == "former" else f" {one} " for one in said))


# "The user and Tom", "Tom and I", "we".
_OWN: Final = frozenset(
    word
    for one in (*language.words("asking", "own"), *language.words("oneself", "kinds"))
    for word in split(one)
)
