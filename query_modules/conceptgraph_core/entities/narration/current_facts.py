"""Select the facts of an entity that a narrative reports: those that are so now, or were then.

Also by what was said of people: that somebody is no longer the user's partner, or has died.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import Final

from ... import language
from ...retrieval.question import Past
from ...texts import dates
from ...texts.words.splitting import split
from .. import bitemporal, kinds, names, schema
from ..identity import components
from ..language import dated, endings, kin
from ..node import Graph, Node
from .describing import Whole
from .sentences import INFERRED, Part, stated

# "Ruth has sadly died": so many words may stand between a name and its end.
_BETWEEN, _BETWEEN_BEING = 2, 6
# "Did not have to put Ruth to sleep": a denial stands within so many words.
_BEFORE: Final = 6
_BEING: Final = [one.split() for one in language.words("oneself", "is")]
# "Knopf ist heute eingeschlafen"
_MOST_ASLEEP: Final = 4
_COUPLE: Final = frozenset(kin.members("couple"))
_FRIENDS: Final = frozenset(kin.kinds("friend"))
# "The user and Tom", "Tom and I", "we".
_OWN: Final = language.words("asking", "own") | frozenset(
    split(one)[-1] for one in language.words("oneself", "kinds")
)
_TIES: Final = frozenset(("spouse", "partner", "boss", *kin.CLOSE))
# These change without a word of the user's.
_CHANGING: Final = frozenset(("age", "rent", "salary", "price", "weight"))
# These end with a life.
_OF_LIVING: Final = frozenset(("age", "home", "employer", "occupation", "diet"))
# Another's tie of these is over once the two have parted.
_COUPLES: Final = frozenset(("spouse", "partner", "husband", "wife", "girlfriend", "boyfriend"))
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
    # "Mein Freund" may be a partner.
    may_part = is_couple or kind in _FRIENDS
    has_home = is_couple or kin.relation(kind) == "roommate"
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
        is_over = (is_couple and _is_parted(said, name)) or (
            (may_part and _follows(said, name, "left user"))
            or (has_home and _follows(said, name, "left home"))
        )
        if is_over or any(
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
    is_animal = (kinds.path(whole.described) or "").startswith("animal")
    for at, text, name in _list_told(whole, texts):
        said = endings.pad_words(text)
        if endings.has_phrase(said, "alive"):
            dead = None
        elif _is_dead(said, name) or (is_animal and _is_asleep(said, name)):
            dead = at if dead is None else dead
    return dead


def _is_parted(said: str, name: str) -> bool:
    """Tell whether *said* is of the user and the one of that *name*: "Tom and I broke up"."""
    is_of_user = not _OWN.isdisjoint(said.split())
    return _is_former(said, name) or (is_of_user and endings.has_phrase(said, "parted"))


def _follows(said: str, name: str, phrases: str) -> bool:
    """Tell whether the one of that *name* alone, without the user, does one of *phrases*."""
    behind = said.partition(f" {name} ")[2]
    for phrase in endings.list_phrases(phrases) if behind else ():
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
    for at, is_users, text, words in told:
        real = endings.drop_unreal(text)
        read = split(real)
        name = next((one for one in words if one in read), None)
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


def _is_asleep(said: str, name: str) -> bool:
    """Tell whether *said* is the *name*, a word or two, and an end: no "on the sofa"."""
    is_brief = said.startswith(f" {name} ") and len(said.split()) <= _MOST_ASLEEP
    return is_brief and said.endswith(endings.list_phrases("dead animal"))


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


def value_briefly(graph: Graph, fact: Node) -> list[Part]:
    """Return the value of *fact*, with the day on which what changes was told."""
    since, value = fact.get("valid_from"), stated(tell_value(graph, fact))
    mark = "" if fact.get("origin") == schema.USER else f" ({INFERRED})"
    if since is None and changes_of_itself(fact) and value == stated(fact.get("value")):
        return [f"{value}{mark}", ", as told on ", fact.get("known_from")]
    return [f"{value}{mark}", *([] if since is None else [", so since ", since])]


def changes_of_itself(fact: Node) -> bool:
    """Tell whether *fact* is an age or a price, which nobody tells anew when it is another one."""
    return names.canonical(fact.get("predicate")) in _CHANGING


def tell_facts(
    graph: Graph,
    members: Sequence[Node],
    past: Past | None = None,
    words: Collection[str] | None = None,
    most: int | None = None,
) -> list[Part]:
    """Return the parts of a line on the facts of an entity: those of the *past*, doubts, *most*.

    With *words*, only facts that have one of them.
    """
    parts: list[Part] = []
    for one, until in () if past is None else facts_over(graph, members, past):
        if words is None or has_word(one, words):
            value = value_briefly(graph, one)
            parts += [f"; {stated(one.get('predicate'))}: ", *value, ", until ", until]
    contested, valid = facts_now(graph, members, words)
    for one, other in contested:
        start = f"; uncertain: {stated(one.get('predicate'))} is "
        parts += [start, *value_briefly(graph, one), " or ", *value_briefly(graph, other)]
    for one in valid[:most]:
        parts += [f"; {stated(one.get('predicate'))}: ", *value_briefly(graph, one)]
    return parts


def facts_now(
    graph: Graph, members: Sequence[Node], words: Collection[str] | None = None
) -> tuple[list[tuple[Node, Node]], list[Node]]:
    """Return the facts believed and valid now: each pair that contradicts, and the others.

    The user's own come first, then the latest. With *words*, only facts that have one of them.
    """
    now_ms = graph.now_ms
    known = bitemporal.list_known(graph, members, now_ms)
    valid = [one for one in known if is_so_now(graph, one)]
    if words is not None:
        valid = [one for one in valid if has_word(one, words)]
    contested = bitemporal.conflicts(graph, valid, now_ms)
    doubtful = {one.id for pair in contested for one in pair}
    valid.sort(key=lambda one: (one.get("origin") != schema.USER, -one.get("known_from"), one.key))
    return contested, [one for one in valid if one.id not in doubtful]


def has_word(fact: Node, words: Collection[str]) -> bool:
    """Tell whether the predicate of *fact*, or its value, has one of *words*."""
    said: Sequence[str] = fact.get("predicate").replace("_", " ").casefold().split()
    return not set(words).isdisjoint((*said, *fact.get("value").casefold().split()))


def facts_over(graph: Graph, members: Sequence[Node], past: Past) -> list[tuple[Node, int]]:
    """Return the facts of the *past* that are over, each with its end, the latest first."""
    now_ms = graph.now_ms
    over = [
        (one, until)
        for one in bitemporal.list_known(graph, members, now_ms)
        if (until := find_end(graph, one, bitemporal.ending(one, now_ms))) is not None
        and until <= now_ms
        and past.had(_began(one), until)
    ]
    return sorted(over, key=lambda pair: (-_began(pair[0]), pair[0].key))


def _began(fact: Node) -> int:
    since = fact.get("valid_from")
    return int(fact.get("known_from") if since is None else since)


def is_so_now(graph: Graph, fact: Node) -> bool:
    """Tell whether *fact* is valid now, and not over by what was said of the one it names."""
    return (
        bitemporal.is_valid(fact, graph.now_ms, graph.now_ms) and ended_since(graph, fact) is None
    )


def find_end(graph: Graph, fact: Node, until: int | None) -> int | None:
    """Return when a *fact* ended, which is noted to end at *until*: a tie may be told over before.

    "Theo and I broke up" in May ends him as the partner, not the next one in August.
    """
    ends = until, ended_since(graph, fact)
    return min((one for one in ends if one is not None), default=None)


def ended_since(graph: Graph, fact: Node) -> int | None:
    """Return when it was told that a tie is over: "spouse: Sander", after "Sander and I parted".

    A death ends all such facts of the one who died.
    """
    predicate = fact.get("predicate").casefold()
    if predicate in _OF_LIVING:
        owner = _find_owner(graph, fact)
        if owner is None or components.is_self(owner):
            return None
        return dead_since(Whole(graph, owner))
    if predicate not in _TIES and kin.relation(predicate) is None:
        return None
    other, owner = bitemporal.find_object(graph, fact), _find_owner(graph, fact)
    if owner is not None and not components.is_self(owner):
        is_couple = predicate in _COUPLES
        over = since_apart(Whole(graph, owner)) if is_couple else None
    elif other is None:
        return None
    else:
        whole = Whole(graph, components.canonical(graph, other))
        told = since_no_longer(whole), dead_since(whole)
        over = min((one for one in told if one is not None), default=None)
    began = fact.get("valid_from") or fact.get("known_from")
    return over if over is not None and over >= began else None


def _find_owner(graph: Graph, fact: Node) -> Node | None:
    owners = (tie.other for tie in graph.arriving(fact, schema.HAS_FACT))
    return next((components.canonical(graph, one) for one in owners), None)


def value_in_full(graph: Graph, fact: Node) -> list[Part]:
    since, value = fact.get("valid_from"), stated(tell_value(graph, fact))
    by = "the user said so" if fact.get("origin") == schema.USER else INFERRED
    parts: list[Part] = [f"{value} ({by} on ", fact.get("known_from")]
    return [*parts, ")"] if since is None else [*parts, ", so since ", since, ")"]


def tell_value(graph: Graph, fact: Node) -> str:
    """Return the value of *fact*, or the name of the entity that is its value."""
    about = bitemporal.find_object(graph, fact)
    if about is not None:
        return about.name
    value: str = fact.get("value")
    if names.canonical(fact.get("predicate")) != "age" or not value.isdigit():
        return value
    born = _find_birthday(graph, fact)
    if born is None:
        return value
    until = bitemporal.ending(fact, graph.now_ms) or graph.now_ms
    told, last = (
        dates.moment(at).date() for at in (fact.get("known_from"), min(until, graph.now_ms))
    )
    return str(int(value) + _count_years(last, born) - _count_years(told, born))


def _find_birthday(graph: Graph, fact: Node) -> tuple[int, int] | None:
    """Return the month and the day of the birthday of the one whose age *fact* is."""
    for tie in graph.arriving(fact, schema.HAS_FACT):
        members = components.members(graph, components.canonical(graph, tie.other))
        for one in bitemporal.list_current(graph, members):
            if names.canonical(one.get("predicate")) == "birthday":
                found = dated.whole(one.get("value"))
                if found is not None and found.month is not None and found.day is not None:
                    return found.month, found.day
    return None


def _count_years(day: date, born: tuple[int, int]) -> int:
    """Return the year of the last birthday up to *day*."""
    return day.year - ((day.month, day.day) < born)
