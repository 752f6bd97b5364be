"""Give a word that arrives late its place in time: many histories begin with the latest words.

The rules are those of words in time, seen from the later word: it ends the earlier value, and
begins where it was told.
"""

from typing import NamedTuple

from .. import bitemporal, schema
from ..identity import components
from ..inputs import Given
from ..node import Graph, Node
from . import comparing


class Next(NamedTuple):
    """The user's next word on what one has once: a fact of another value, told at *at*."""

    fact: Node
    at: int


def find_next(graph: Graph, entity: Node, given: Given, about: Node | None) -> Next | None:
    """Return the next word after now that takes the place of the *given* fact."""
    found = [
        Next(one, at)
        for one in comparing.list_rivals(graph, entity, given, about)
        if (at := _told_next(graph, entity, one)) is not None
    ]
    return min(found, key=lambda one: (one.at, one.fact.key), default=None)


def end_at(made: Node, following: Next) -> None:
    """End *made*, which is told only now, where the next word took its place."""
    fact, at = following
    if fact.get("known_from") == at and fact.get("valid_from") is None:
        fact.set(valid_from=at)
    made.set(ended_at=at, valid_until=at, ended_by=fact.key)


def begin_earlier(graph: Graph, entity: Node, given: Given, about: Node | None) -> Node | None:
    """Return the fact that later words state too, which is known from now on; None if none does."""
    now_ms = graph.now_ms
    facts = list(bitemporal.facts(graph, components.members(graph, entity)))
    same = [
        one
        for one in facts
        if one.get("known_from") > now_ms
        and one.get("known_until") is None
        and (one.get("valid_from") or now_ms) in (now_ms, one.get("known_from"))
        and comparing.says_same(graph, one, given, about)
    ]
    made = min(same, key=lambda one: (one.get("known_from"), one.key), default=None)
    following = find_next(graph, entity, given, about)
    if made is None or (following is not None and following.at < made.get("known_from")):
        return None
    if made.get("valid_from") is not None:
        made.set(valid_from=now_ms)
    made.set(known_from=now_ms)
    for one in facts:
        if is_ended_by(one, made, now_ms):
            one.set(ended_at=now_ms, valid_until=now_ms)
    return made


def is_ended_by(one: Node, by: Node, now_ms: int) -> bool:
    """Tell whether *by* ended *one*, which was known before now, and only later than now."""
    until = one.get("valid_until")
    is_later = until is not None and until > now_ms > one.get("known_from")
    return is_later and one.get("ended_by") == by.key


def _told_next(graph: Graph, entity: Node, one: Node) -> int | None:
    """Return when the user told *one* next after now; None if it is over before, or never."""
    now_ms, since, until = graph.now_ms, one.get("known_from"), one.get("valid_until")
    is_over = until is not None and until <= now_ms
    if is_over or one.get("known_until") is not None or one.get("origin") != schema.USER:
        return None
    if since > now_ms:
        return int(since)
    ids = one.get("mention_ids") or ()
    if len(ids) < 2:
        return None
    told = (
        tie.other.created_at
        for member in components.members(graph, entity)
        for tie in graph.arriving(member, schema.OF)
        if tie.other.key in ids
    )
    return min((at for at in told if at > now_ms), default=None)
