"""Tell that somebody is no longer the user's partner, or has died, by what was said of them."""

from collections.abc import Iterable, Sequence
from typing import Final

from ... import language
from ...words.splitting import split
from .. import schema
from ..language import endings, kin
from ..node import Node
from .wholes import Whole

# "Ruth has sadly died": so many words may stand between a name and its end.
_BETWEEN, _BETWEEN_BEING = 2, 6
# "Did not have to put Ruth to sleep": a denial stands within so many words.
_BEFORE: Final = 6
_BEING: Final = [one.split() for one in language.words("oneself", "is")]
_COUPLE: Final = frozenset(kin.members("couple"))
# "The user and Tom", "Tom and I", "we".
_OWN: Final = language.words("asking", "own") | frozenset(
    split(one)[-1] for one in language.words("oneself", "kinds")
)
Texts = Iterable[tuple[int, str]]


def since_no_longer(whole: Whole, texts: Texts = ()) -> int | None:
    """Return the time at which it was told that somebody is no longer what the kind says.

    That is over with a partner, or "Dana is no longer my boss". The mentions say it, and *texts*
    about the user, with their times, that have the name. The latest word counts: two may be
    together again. None: it is not over.
    """
    kind = whole.described.casefold()
    # It is over with a "former partner" since then too, not since there is another one.
    is_couple = endings.drop_former(kind) in _COUPLE
    words = frozenset(split(" ".join((kind, *kin.kinds(kin.relation(kind) or kind)))))
    over: int | None = None
    for at, text, name in _list_told(whole, texts):
        said = endings.pad_words(text)
        # "Dana isn't my boss, Ravi is" says so of one of the two.
        clauses = [
            one
            for one in endings.list_clauses(text)
            if name in (read := one.split()) and not words.isdisjoint(read)
        ]
        if (is_couple and _is_parted(said, name)) or any(
            endings.has_phrase(one, "ceased") or _is_former(one, name) for one in clauses
        ):
            over = at if over is None else over
        elif (is_couple and endings.has_phrase(said, "together")) or any(
            endings.has_phrase(one, "again") and endings.HARDLY.isdisjoint(one.split())
            for one in clauses
        ):
            over = None
    return over


def since_apart(whole: Whole) -> int | None:
    """Return the time at which it was told that it is over between *whole* and another's partner.

    "Svenja is divorced" tells it, "Svenja and Holger have split up" too.
    """
    told = [
        at
        for at, text, name in _list_told(whole, ())
        for said in endings.list_clauses(text)
        if name in (read := said.split())
        and endings.has_phrase(said, "parted")
        and _OWN.isdisjoint(read)
    ]
    return told[-1] if told else None


def dead_since(whole: Whole, texts: Texts = ()) -> int | None:
    """Return the time at which a mention, or one of *texts*, told that somebody died.

    None: nobody told it, or the latest word is that the one is alive.
    """
    dead: int | None = None
    for at, text, name in _list_told(whole, texts):
        said = endings.pad_words(text)
        if endings.has_phrase(said, "alive"):
            dead = None
        elif _is_dead(said, name):
            dead = at if dead is None else dead
    return dead


def _is_parted(said: str, name: str) -> bool:
    """Tell whether *said* is of the user and the one of that *name*: "Tom and I broke up".

    A partner who moves out is one no more.
    """
    is_of_user = not _OWN.isdisjoint(said.split())
    if _is_former(said, name) or (is_of_user and endings.has_phrase(said, "parted")):
        return True
    behind = said.partition(f" {name} ")[2]
    for phrase in endings.list_phrases("left home") if behind else ():
        ahead, is_said, _ = f" {behind}".partition(phrase)
        between = ahead.split()
        if is_said and len(between) <= _BETWEEN and _OWN.union(endings.HARDLY).isdisjoint(between):
            return True
    return False


def _is_former(said: str, name: str) -> bool:
    """Tell whether "ex" or "former" stands before the *name*: "my ex-husband Tom"."""
    return any(f" {ex} {name} " in said for ex in endings.list_phrases("former"))


def _list_told(whole: Whole, texts: Texts) -> list[tuple[int, str, str]]:
    """Return what was said, with its time, and the name in it; the earliest first.

    Dreams, fears and wishes have not happened. The name may be a word for a relative, as in
    "Mum died". The user's own words come last of one time, because they outrank a model's.
    """
    first = split(whole.name)[:1]
    relation = kin.relation(whole.described.casefold())
    told = [
        (one.created_at, one.get("origin") == schema.USER, one.get("mention_context") or "", names)
        for one in whole.mentions
        for names in ((*first, *_list_names(one, relation)),)
    ]
    told += [(at, False, text, tuple(first)) for at, text in texts]
    found = []
    for at, is_users, text, names in told:
        real = endings.drop_unreal(text)
        read = split(real)
        name = next((one for one in names if one in read), None)
        if name is not None:
            found.append((at, is_users, real, name))
    return [(at, text, name) for at, _, text, name in sorted(set(found))]


def _list_names(mention: Node, relation: str | None) -> Sequence[str]:
    """Return the words that may mean the one of a *mention*: "Dan", and "mum" of "my mum".

    "Dad died", said of the user's father Alan, means him.
    """
    words = split(mention.get("label"))
    first = [word for word in words[:1] if word not in kin.OWN]
    said = mention.get("mention_context") or "" if mention.get("origin") == schema.USER else ""
    alone = [word for word, kind in kin.list_single(said) if kind == relation]
    return (*first, *(word for word in words[-1:] if kin.kinds(word)), *alone)


def _is_dead(said: str, name: str) -> bool:
    """Tell whether "died" follows the *name* itself, after a few words at most.

    "Ruth's husband died" tells nothing of Ruth.
    """
    before, _, behind = said.partition(f" {name} ")
    if any(f"{dead}{name} " in said for dead in endings.list_phrases("dead before")):
        return endings.HARDLY.isdisjoint(before.split()[-_BEFORE:])
    for dead in endings.list_phrases("dead"):
        ahead, is_said, rest = f" {behind}".partition(dead)
        between = ahead.split()
        # "Mama ist gestern Nacht gestorben": the verb begins beside the name.
        most = _BETWEEN_BEING if between[:1] in _BEING else _BETWEEN
        is_near = len(between) <= most and endings.HARDLY.isdisjoint(between)
        # "Anna passed last night's exam"
        if is_said and is_near and "s" not in between[:1] and not rest.startswith("s "):
            return True
    return False
