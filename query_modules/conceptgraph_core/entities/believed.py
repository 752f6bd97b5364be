"""What is believed of entities: facts as of two times, and where they contradict one another.

*valid* is when something was so in the world, *known* when we believed it (seed 004, bi-temporal).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from . import names, schema
from .node import Graph, Node
from .sieve import overlap

Row = dict[str, Any]


def facts(graph: Graph, entities: Iterable[Node]) -> Iterator[Node]:
    """Iterate over all facts of *entities*, believed or not."""
    for entity in entities:
        for tie in graph.leaving(entity, schema.HAS_FACT):
            yield tie.other


def is_known(fact: Node, known_at: int) -> bool:
    """Tell whether *fact* was believed at *known_at*."""
    until = fact.get("known_until")
    return bool(fact.get("known_from") <= known_at) and (until is None or known_at < until)


def is_valid(fact: Node, valid_at: int) -> bool:
    """Tell whether *fact* says that it was so at *valid_at*; a missing end is open."""
    since, until = fact.get("valid_from"), fact.get("valid_until")
    return (since is None or since <= valid_at) and (until is None or valid_at < until)


def is_single(fact: Node) -> bool:
    """Tell whether there can be but one value of the predicate of *fact* at a time."""
    return bool(fact.get("single")) or names.canonical(fact.get("predicate")) in schema.SINGLE


def about(graph: Graph, fact: Node) -> Node | None:
    """Return the entity that the value of *fact* is, if it is one."""
    return next((tie.other for tie in graph.leaving(fact, schema.OBJECT)), None)


def row(graph: Graph, fact: Node) -> Row:
    """Return *fact* as tools show it: fact_id, predicate, value or object_id, its times, origin."""
    entity = about(graph, fact)
    shown: Row = {"fact_id": fact.key, "predicate": fact.get("predicate")}
    if entity is not None:
        shown["object_id"] = entity.key
    shown["value"] = fact.get("value") if entity is None else entity.name
    times = {name: fact.get(name) for name in ("valid_from", "valid_until")}
    return {**shown, **times, "origin": fact.get("origin")}


def conflicts(graph: Graph, facts: Sequence[Node]) -> list[tuple[Node, Node]]:
    """Return each two of *facts* that cannot both be so.

    Of one predicate that has a single value, valid at a time in common, with different values.
    Which of them are believed the caller sees to.
    """
    return [
        (one, other)
        for one, other in combinations(facts, 2)
        if names.canonical(one.get("predicate")) == names.canonical(other.get("predicate"))
        and (is_single(one) or is_single(other))
        and overlap(_times(one), _times(other))
        and _value(graph, one) != _value(graph, other)
    ]


def _times(fact: Node) -> tuple[int, int | None]:
    since = fact.get("valid_from")
    return schema.BEGINNING if since is None else since, fact.get("valid_until")


def _value(graph: Graph, fact: Node) -> str:
    entity = about(graph, fact)
    return names.canonical(fact.get("value")) if entity is None else entity.key
