"""Select the believed facts of an entity that a narrative reports."""

from collections.abc import Collection, Sequence
from datetime import date
from typing import Final

from ... import dates
from ...retrieval.question import Past
from .. import bitemporal, names, schema
from ..identity import components
from ..language import dated, kin
from ..node import Graph, Node
from . import parted
from .sentences import INFERRED, Part, stated
from .wholes import Whole

_TIES: Final = frozenset(("spouse", "partner", "boss", *kin.CLOSE))
# These change without a word of the user's.
_CHANGING: Final = frozenset(("age", "rent", "salary", "price", "weight"))
# These end with a life.
_OF_LIVING: Final = frozenset(("age", "home", "employer", "occupation", "diet"))
# Another's tie of these is over once the two have parted.
_COUPLES: Final = frozenset(("spouse", "partner", "husband", "wife", "girlfriend", "boyfriend"))


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
    known = [one for one in bitemporal.facts(graph, members) if bitemporal.is_known(one, now_ms)]
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
        for one in bitemporal.facts(graph, members)
        if bitemporal.is_known(one, now_ms)
        and (until := find_end(graph, one, bitemporal.ending(one, now_ms))) is not None
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
        return parted.dead_since(Whole(graph, owner))
    if predicate not in _TIES and kin.relation(predicate) is None:
        return None
    other, owner = bitemporal.about(graph, fact), _find_owner(graph, fact)
    if owner is not None and not components.is_self(owner):
        is_couple = predicate in _COUPLES
        over = parted.since_apart(Whole(graph, owner)) if is_couple else None
    elif other is None:
        return None
    else:
        whole = Whole(graph, components.canonical(graph, other))
        told = parted.since_no_longer(whole), parted.dead_since(whole)
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
    about = bitemporal.about(graph, fact)
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
        for one in bitemporal.current(graph, members):
            if names.canonical(one.get("predicate")) == "birthday":
                found = dated.whole(one.get("value"))
                if found is not None and found.month is not None and found.day is not None:
                    return found.month, found.day
    return None


def _count_years(day: date, born: tuple[int, int]) -> int:
    """Return the year of the last birthday up to *day*."""
    return day.year - ((day.month, day.day) < born)
