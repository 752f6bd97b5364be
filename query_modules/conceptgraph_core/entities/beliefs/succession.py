"""Let an ended or corrected fact be so again when what ended or corrected it is forgotten.

A fact keeps the id of what came after it: of the fact that ended or corrected it, or of the mention
that told so without a new value. If that is out of sight, or not believed, the next one counts.
"""

from collections.abc import Mapping
from typing import Final

from .. import bitemporal, names, schema
from ..identity import components
from ..language import kin
from ..node import All, Graph, Node

_FORMER: Final = "former "
# The predicate of a fact on one of this kind, where it is another word.
_TIES: Final = {"wife": "spouse", "husband": "spouse"}


def settle(graph: Graph, entity: Node) -> None:
    """Set the ends of the facts of *entity*'s component by what is in sight and believed."""
    every = graph.another(All)
    members = components.members(every, entity)
    facts = {
        tie.other.key: tie.other for one in members for tie in every.leaving(one, schema.HAS_FACT)
    }
    after = [one for one in facts.values() if one.get("ended_by") or one.get("corrected_by")]
    if not after:
        return
    told = {tie.other.key: tie.other for one in members for tie in every.arriving(one, schema.OF)}
    known = {**told, **facts}
    for fact in after:
        if fact.get("corrected_by") in known:
            by = _correcting(known, fact)
            fact.set(known_until=None if by is None else _told_at(by))
    for fact in after:
        if fact.get("ended_by") in known:
            _end(fact, _ending(known, fact))
            follow_tie(graph, fact)


def follow_tie(graph: Graph, fact: Node) -> None:
    """Let the kind of the one whom a *fact* names follow it: boss, and former boss once it is over.

    The fact keeps the time.
    """
    about = bitemporal.about(graph, fact)
    kind = None if about is None else about.get("entity_kind")
    if about is None or kind is None:
        return
    base = kind.removeprefix(_FORMER)
    relation = kin.relation(base) or base
    if names.canonical(fact.get("predicate")) not in (relation, _TIES.get(relation)):
        return
    # A later word, which is known already, may have ended it.
    at = max(graph.now_ms, fact.get("ended_at") or graph.now_ms)
    told = base if bitemporal.is_valid(fact, at, at) else f"{_FORMER}{base}"
    if told != kind:
        about.set(entity_kind=told)


def _correcting(known: Mapping[str, Node], fact: Node) -> Node | None:
    """Return what is in sight and corrected *fact*, or corrected a hidden fact that did."""
    seen: set[str] = set()
    by = known.get(fact.get("corrected_by") or "")
    while by is not None and by.get("forgotten_at") is not None and by.key not in seen:
        seen.add(by.key)
        by = known.get(by.get("corrected_by") or "") if by.label == schema.FACT else None
    return by if by is not None and by.get("forgotten_at") is None else None


def _ending(known: Mapping[str, Node], fact: Node) -> Node | None:
    """Return what ends *fact*: what ended it, or what came after that if that stands no more."""
    seen = {fact.key}
    waiting = [fact.get("ended_by")]
    while waiting:
        by = known.get(waiting.pop() or "")
        if by is None or by.key in seen:
            continue
        if _stands(by):
            return by
        seen.add(by.key)
        if by.label == schema.FACT:
            waiting.append(by.get("ended_by"))
            # A mention may only have told that it never was so.
            instead = known.get(by.get("corrected_by") or "")
            if instead is not None and instead.label == schema.FACT:
                waiting.append(instead.key)
    return None


def _stands(one: Node) -> bool:
    is_believed = one.label != schema.FACT or one.get("known_until") is None
    return is_believed and one.get("forgotten_at") is None


def _end(fact: Node, by: Node | None) -> None:
    """End *fact* where what stands after it begins, or let it go on."""
    is_ended = fact.get("ended_at") is not None
    if by is None:
        if is_ended:
            until = fact.get("believed_until")
            fact.set(ended_at=None, valid_until=until, believed_until=None)
        return
    told_at = _told_at(by)
    since = by.get("valid_from") if by.label == schema.FACT else told_at
    if not is_ended:
        fact.set(believed_until=fact.get("valid_until"))
    fact.set(ended_at=told_at, valid_until=told_at if since is None else since)


def _told_at(one: Node) -> int:
    told_at: int = one.get("known_from") if one.label == schema.FACT else one.created_at
    return told_at
