"""Read facts as of two times, and find those that contradict one another.

*valid* is when a fact was true in the world, *known* when the memory believed it. Two pairs of
times let a correction keep the history: "What did we believe in May?" has an answer after it.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from ..dates import overlap
from . import names, schema
from .node import Graph, Node

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


def ending(fact: Node, known_at: int) -> int | None:
    """Return the end of *fact*, as believed at *known_at*; None: open."""
    ended_at = fact.get("ended_at")
    is_ended = ended_at is None or ended_at <= known_at
    until: int | None = fact.get("valid_until" if is_ended else "believed_until")
    return until


def is_valid(fact: Node, valid_at: int, known_at: int) -> bool:
    """Tell whether *fact*, as believed at *known_at*, was true at *valid_at*."""
    since, until = fact.get("valid_from"), ending(fact, known_at)
    return (since is None or since <= valid_at) and (until is None or valid_at < until)


def current(graph: Graph, entities: Iterable[Node]) -> list[Node]:
    """Return the facts of *entities* that are believed and have not ended."""
    now_ms = graph.now_ms
    known = (one for one in facts(graph, entities) if is_known(one, now_ms))
    return [one for one in known if (until := ending(one, now_ms)) is None or now_ms < until]


def since(graph: Graph, entity: Node) -> int | None:
    """Return the earliest beginning of the believed facts of *entity*; None: no fact has one."""
    known = (one for one in facts(graph, [entity]) if is_known(one, graph.now_ms))
    times = (one.get("valid_from") for one in known)
    return min((time for time in times if time is not None), default=None)


def is_single(fact: Node) -> bool:
    """Tell whether the predicate of *fact* has only one value at a time."""
    return bool(fact.get("single")) or names.canonical(fact.get("predicate")) in schema.SINGLE


def about(graph: Graph, fact: Node) -> Node | None:
    """Return the entity that is the value of *fact*, if it is one."""
    return next((tie.other for tie in graph.leaving(fact, schema.OBJECT)), None)


def find_sentence(graph: Graph, fact: Node) -> str | None:
    """Return the sentence that told *fact* first; if that is out of sight, of the next mention."""
    said: str | None = fact.get("context")
    ids: list[str] = fact.get("mention_ids") or []
    entities = [tie.other for tie in graph.arriving(fact, schema.HAS_FACT)]
    seen = {tie.other.key: tie.other for one in entities for tie in graph.arriving(one, schema.OF)}
    told = [seen[key] for key in ids if key in seen]
    return said if not told or ids[0] in seen else told[0].words


def row(graph: Graph, fact: Node, known_at: int) -> Row:
    """Return *fact* as tools show it: fact_id, predicate, value or object_id, its times, origin."""
    entity = about(graph, fact)
    shown: Row = {"fact_id": fact.key, "predicate": fact.get("predicate")}
    if entity is not None:
        shown["object_id"] = entity.key
    shown["value"] = fact.get("value") if entity is None else entity.name
    times = {"valid_from": fact.get("valid_from"), "valid_until": ending(fact, known_at)}
    return {**shown, **times, "origin": fact.get("origin")}


def conflicts(graph: Graph, facts: Sequence[Node], known_at: int) -> list[tuple[Node, Node]]:
    """Return each pair of *facts* that cannot both be true, the one known earlier first.

    Two facts conflict if they have one single-valued predicate, overlapping times and different
    values. The caller passes only believed facts.
    """
    ordered = sorted(facts, key=lambda one: (one.get("known_from"), one.key))
    # The facts' places by predicate, because an entity with a thousand facts has too many pairs.
    places: dict[str, list[int]] = {}
    for place, fact in enumerate(ordered):
        places.setdefault(names.canonical(fact.get("predicate")), []).append(place)
    found = [
        pair
        for of_one in places.values()
        if len(of_one) > 1
        for pair in _against(graph, [(place, ordered[place]) for place in of_one], known_at)
    ]
    return [(ordered[one], ordered[other]) for one, other in sorted(found)]


def conflict(one: Node, other: Node) -> Row:
    """Return two conflicting facts as tools show them: predicate, fact_ids, values."""
    return {
        "predicate": one.get("predicate"),
        "fact_ids": [one.key, other.key],
        "values": [one.get("value"), other.get("value")],
    }


def _against(
    graph: Graph, placed: Sequence[tuple[int, Node]], known_at: int
) -> Iterator[tuple[int, int]]:
    """Yield the places of each conflicting pair of *placed*, facts of one predicate."""
    single = [is_single(fact) for _, fact in placed]
    if not any(single):
        return
    times = [_times(fact, known_at) for _, fact in placed]
    values = [_value(graph, fact) for _, fact in placed]
    for one, other in combinations(range(len(placed)), 2):
        graph.step()
        differ = (single[one] or single[other]) and values[one] != values[other]
        if differ and overlap(times[one], times[other]):
            yield placed[one][0], placed[other][0]


def _times(fact: Node, known_at: int) -> tuple[int, int | None]:
    since = fact.get("valid_from")
    return schema.BEGINNING if since is None else since, ending(fact, known_at)


def _value(graph: Graph, fact: Node) -> str:
    entity = about(graph, fact)
    return names.canonical(fact.get("value")) if entity is None else entity.key
