"""Tell the value of a fact as it is now: an age grows with each birthday, if one is known."""

from datetime import date

from ... import dates
from .. import bitemporal, names, schema
from ..identity import components
from ..language import dated
from ..node import Graph, Node

_AGE, _BIRTHDAY = "age", "birthday"


def tell_value(graph: Graph, fact: Node) -> str:
    """Return the value of *fact*, or the name of the entity that is its value."""
    about = bitemporal.about(graph, fact)
    if about is not None:
        return about.name
    value: str = fact.get("value")
    if names.canonical(fact.get("predicate")) != _AGE or not value.isdigit():
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
            if names.canonical(one.get("predicate")) == _BIRTHDAY:
                found = dated.whole(one.get("value"))
                if found is not None and found.month is not None and found.day is not None:
                    return found.month, found.day
    return None


def _count_years(day: date, born: tuple[int, int]) -> int:
    """Return the year of the last birthday up to *day*."""
    return day.year - ((day.month, day.day) < born)
