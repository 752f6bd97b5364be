"""Tell that somebody is no longer the user's partner, or has died, by what was said of them."""

from collections.abc import Iterable
from typing import Final

from ... import language
from ...words.splitting import split
from .. import kinds, schema
from ..language import endings, kin
from ..node import Node
from .wholes import Whole

# "Ruth has sadly died": so many words may stand between a name and its end.
_BETWEEN, _BETWEEN_PAIR, _BETWEEN_BEING = 2, 4, 6
# "Knopf ist heute eingeschlafen"
_MOST_ASLEEP: Final = 4
# "Did not have to put Ruth to sleep": a denial stands within so many words.
_BEFORE: Final = 6
_AGAIN: Final = language.words("change", "again")
_BEING: Final = [one.split() for one in language.words("oneself", "is")]
_COUPLE: Final = frozenset(kin.members("couple"))
# "Mein Freund" may be a partner: with a friend of the user's alone it is not over.
_FRIENDS: Final = frozenset(kin.kinds("friend"))
# One of these who moves out is no longer one.
_UNDER_ONE_ROOF: Final = frozenset(("roommate",))
_JOINS: Final = frozenset(
    one for each in language.LANGUAGES for one in language.load(each, "whose")["joins"]
)
_WITH: Final = language.words("whose", "with")
_JOINED: Final = [[one] for one in _JOINS]
# "Malte und die Nutzerin", "the user and Tom"
_NEAR_NAME: Final = 3


def since(whole: Whole, texts: Iterable[tuple[int, str]] = ()) -> int | None:
    """Return the time at which it was told that it is over with a partner; None: it is not.

    The mentions say it, and *texts* about the user, with their times, that have the name. The
    latest word counts: two may be together again.
    """
    # It is over with a "former partner" since then too, not since there is another one.
    kind = endings.drop_former(whole.described.casefold())
    if kind not in _COUPLE | _FRIENDS:
        return None
    over: int | None = None
    for at, said, name in _told(whole, texts):
        is_left = _follows(said, name, "left user") or _is_over_with(said, name)
        is_left = is_left or (kind in _COUPLE and _follows(said, name, "left home"))
        if is_left or (_is_parted(said, name) and (kind in _COUPLE or _is_with_user(said, name))):
            over = at if over is None else over
        elif endings.has_phrase(said, "together"):
            over = None
    return over


def since_no_longer(whole: Whole, texts: Iterable[tuple[int, str]] = ()) -> int | None:
    """Return the time at which it was told that somebody is no longer what the kind says.

    That is over with a partner, or "Dana is no longer my boss"; the latest word counts.
    """
    over = since(whole, texts)
    kind = whole.described.casefold()
    words = frozenset(split(" ".join((kind, *kin.kinds(kin.relation(kind) or kind)))))
    name = split(whole.name)[:1]
    told = _list_told(whole, texts)
    for at, said in ((at, said) for at, _, text, _ in told for said in endings.list_clauses(text)):
        if not {*name} <= {*said.split()}:
            continue
        if kin.relation(kind) in _UNDER_ONE_ROOF and _follows(said, name, "moved out"):
            over = at if over is None else over
        if words.isdisjoint(said.split()):
            continue
        if endings.has_phrase(said, "ceased") or _is_former(said, name):
            over = at if over is None else over
        elif over is not None and over < at and _is_so_again(said):
            over = None
    return over


def _is_so_again(said: str) -> bool:
    """Tell whether a clause that names somebody's kind says that it is so: "is my boss again"."""
    return not _AGAIN.isdisjoint(said.split()) and endings.HARDLY.isdisjoint(said.split())


def dead_since(whole: Whole, texts: Iterable[tuple[int, str]] = ()) -> int | None:
    """Return the time at which a mention, or one of *texts*, told that somebody died.

    None: nobody told it, or the latest word is that the one is alive.
    """
    dead: int | None = None
    is_animal = (kinds.path(whole.described) or "").startswith("animal")
    most = _BETWEEN_BEING if is_animal else _BETWEEN
    for at, said, name in _told(whole, texts):
        is_asleep = is_animal and _ends_with(said, name, "dead animal")
        if endings.has_phrase(said, "alive"):
            dead = None
        elif is_asleep or _is_dead(said, name, most):
            dead = at if dead is None else dead
    return dead


def since_apart(whole: Whole) -> int | None:
    """Return the time at which it was told that it is over between *whole* and another's partner.

    "Svenja is divorced" tells it, "Svenja and Holger have split up" too.
    """
    told = [at for at, said, name in _told(whole, ()) if _follows(said, name, "parted")]
    return told[-1] if told else None


def _told(whole: Whole, texts: Iterable[tuple[int, str]]) -> list[tuple[int, str, list[str]]]:
    """Return what was said, as words, with its time and the name in it; the earliest first.

    The user's own words come last of one time, because they outrank a model's. The name may be a
    word for a relative: "Mum died".
    """
    found = []
    for at, is_users, text, names in _list_told(whole, texts):
        said = endings.pad_words(text)
        name = next((one for one in names if one in said.split()), None)
        if name is not None:
            found.append((at, is_users, said, name))
    return [(at, said, [name]) for at, _, said, name in sorted(set(found))]


def _list_told(
    whole: Whole, texts: Iterable[tuple[int, str]]
) -> list[tuple[int, bool, str, tuple[str, ...]]]:
    """Return what was said, with its time, whether the user did, and the names that may be in it.

    The earliest comes first.
    """
    name = tuple(split(whole.name)[:1])
    mentions = [
        (
            one.created_at,
            one.get("origin") == schema.USER,
            endings.drop_unreal(one.get("mention_context") or ""),
            name + _list_names(one, kin.relation(whole.described.casefold())),
        )
        for one in whole.mentions
    ]
    return sorted(
        {*mentions, *((at, False, endings.drop_unreal(text), name) for at, text in texts)}
    )


def _list_names(mention: Node, relation: str | None) -> tuple[str, ...]:
    """Return the words that may mean the one of a *mention*: "Dan", and "mum" of "my mum".

    "Dad died", said of the user's father Alan, means him.
    """
    words = split(mention.get("label"))
    first = [word for word in words[:1] if word not in kin.OWN]
    said = mention.get("mention_context") or "" if mention.get("origin") == schema.USER else ""
    alone = [word for word, kind in kin.list_single(said) if kind == relation]
    return (*first, *(word for word in words[-1:] if kin.kinds(word)), *alone)


def _follows(said: str, name: list[str], phrases: str) -> bool:
    """Tell whether one of *phrases* follows the *name* at once, and the user is not there too.

    "Rute has moved out", "Odette and Piers have split up"; not "Rute and I have moved out".
    """
    for one in name:
        before, found, behind = said.partition(f" {one} ")
        for phrase in endings.list_phrases(phrases) if found else ():
            ahead, is_said, _ = f" {behind}".partition(phrase)
            between = ahead.split()
            is_pair = between[:1] and between[0] in _JOINS
            is_near = len(between) <= (_BETWEEN_PAIR if is_pair else _BETWEEN)
            is_users = not _SELVES.isdisjoint(between) or before.split()[-1:] in _JOINED
            if is_said and is_near and not is_users and endings.HARDLY.isdisjoint(between):
                return True
    return False


def _is_over_with(said: str, name: list[str]) -> bool:
    """Tell whether *said* is "Mit Malte ist Schluss"; at or for him something else may end."""
    return any(
        f" {word} {one}{over}" in said
        for one in name
        for word in _WITH
        for over in endings.list_phrases("over with")
    )


def _ends_with(said: str, name: list[str], phrases: str) -> bool:
    """Tell whether *said* is a *name*, a word or two, and one of *phrases*: no "on the sofa"."""
    is_brief = len(said.split()) <= _MOST_ASLEEP
    is_of_it = is_brief and any(said.startswith(f" {one} ") for one in name)
    return is_of_it and said.endswith(endings.list_phrases(phrases))


def _is_parted(said: str, name: list[str]) -> bool:
    """Tell whether *said* is of the user and the one of that *name*: "Tom and I broke up"."""
    if _is_former(said, name):
        return True
    return endings.has_phrase(said, "parted") and not _OWN.isdisjoint(said.split())


def _is_with_user(said: str, name: list[str]) -> bool:
    """Tell whether the user and that one are named as two: "Malte und ich", "the user and Tom"."""
    words = said.split()
    for place, word in enumerate(words):
        if word in name and (
            (words[place + 1 : place + 2] and words[place + 1] in _JOINS)
            or (place and words[place - 1] in _JOINS)
        ):
            near = words[max(0, place - _NEAR_NAME) : place + _NEAR_NAME + 1]
            return not _OWN.isdisjoint(near)
    return False


def _is_former(said: str, name: list[str]) -> bool:
    """Tell whether "ex" or "former" stands before the *name*: "my ex-husband Tom"."""
    return any(f" {ex} {one} " in said for ex in endings.list_phrases("former") for one in name)


def _is_dead(said: str, name: list[str], near: int) -> bool:
    """Tell whether "died" follows the *name* itself, after *near* words at most.

    "Ruth's husband died" tells nothing of Ruth. "Rex mussten wir einschläfern lassen" has more
    words between, but it is of an animal.
    """
    # Hardly any text has such a word, and a recall reads hundreds.
    if not (endings.has_phrase(said, "dead") or endings.has_phrase(said, "dead before")):
        return False
    for one in name:
        if any(f"{dead}{one} " in said for dead in endings.list_phrases("dead before")):
            ahead = said.partition(f" {one} ")[0].split()
            return endings.HARDLY.isdisjoint(ahead[-_BEFORE:])
        _, found, behind = said.partition(f" {one} ")
        after = f" {behind}"
        for dead in endings.list_phrases("dead") if found else ():
            before, found_dead, rest = after.partition(dead)
            between = before.split()
            # "Anna passed last night's exam"
            is_said = bool(found_dead) and not rest.startswith("s ")
            # "Mama ist gestern Nacht gestorben": the verb begins beside the name.
            most = _BETWEEN_BEING if between[:1] in _BEING else near
            is_near = len(between) <= most and endings.HARDLY.isdisjoint(between)
            if is_said and is_near and "s" not in between[:1]:
                return True
    return False


# "The user and Tom", "Tom and I", "we".
_OWN: Final = frozenset(
    word
    for one in (*language.words("asking", "own"), *language.words("oneself", "kinds"))
    for word in split(one)
)
# The same without the article of "the user".
_SELVES: Final = language.words("asking", "own") | frozenset(
    split(one)[-1] for one in language.words("oneself", "kinds")
)
