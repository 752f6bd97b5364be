"""One recall statement on Memgraph against the same recall as one query a node.

The queries are what a client without our modules would send: a node's relations and their other
ends, then a SET for each node that was touched. It is checked that both sides return the same rows
and that the one leaves the other nothing to touch.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

import neo4j

from concept_graph_mcp import calls
from conceptgraph_core.concepts import schema

from . import wordnet
from .harness import Figure, Setup, interleaved
from .plain import TAU_MS, PlainGraph, rows
from .recall import seed_sets
from .stores import HOUR_MS, NOW_MS, Bolt, fill_memgraph

READ = (
    "MATCH (n:Concept {name: $name})-[e:IS_A|PART_OF|EVOKES]-(m:Concept)"
    " RETURN type(e), e.weight, startNode(e) <> n, m.name, m.valence, m.arousal_level,"
    " m.accessed_at"
)
WRITE = "MATCH (n:Concept {name: $name}) SET n.arousal_level = $level, n.accessed_at = $now_ms"


def run(setup: Setup) -> Iterator[Figure]:
    if setup.memgraph is None:
        return
    records = wordnet.records(NOW_MS)
    fill_memgraph(setup.memgraph, records)
    store = Bolt(setup.memgraph)
    # Later and later, so that what was touched has faded enough to be touched again.
    now = count(NOW_MS, 2 * HOUR_MS)
    with neo4j.GraphDatabase.driver(setup.memgraph) as driver, driver.session() as session:
        for title, seeds in seed_sets(PlainGraph(records)):
            at = next(now)
            expected = store.run(calls.concepts.peek(seeds), at)
            if by_hand(session, seeds, 2, at) != expected:
                raise AssertionError(f"{title}: the two sides differ")
            store.run(calls.concepts.recall(seeds), at + 1)
            if _touched(session, at + 1):
                raise AssertionError(f"{title}: the two sides touch differently")
            theirs, ours = interleaved(
                (
                    partial(_later, now, partial(by_hand, session, seeds, 2)),
                    partial(_later, now, partial(store.run, calls.concepts.recall(seeds))),
                ),
                setup.times(15),
                warm_up=1,
            )
            what = f"one query a node, {title}, 2 hops ({expected[0]['total']:,} rows)"
            yield Figure(what, theirs, "one recall", ours, "≥ 20")
    store.close()


def _touched(session: neo4j.Session, at: int) -> int:
    query = "MATCH (n:Concept) WHERE n.accessed_at = $at RETURN count(n) AS touched"
    return int(session.run(query, at=at).single(strict=True)["touched"])


def _later(now: Iterator[int], call: Callable[[int], Any]) -> Any:
    return call(next(now))


def by_hand(session: neo4j.Session, seeds: list[str], max_hop: int, now_ms: int) -> list[Any]:
    """Recall, node by node."""
    best: dict[str, Any] = {}
    frontier = list(seeds)
    seen = set(frontier)
    touched: list[tuple[str, int, float]] = []
    for hop in range(1, max_hop + 1):
        known = len(touched)
        decay = 0.5 ** (hop - 1)
        for name in frontier:
            for edge_type, weight, reverse, other, valence, level, accessed_at in session.run(
                READ, name=name
            ):
                arousal = level * math.exp(-max(0, now_ms - accessed_at) / TAU_MS)
                if other not in seen:
                    seen.add(other)
                    touched.append((other, hop, arousal))
                relation = schema.RELATION_NAMES[edge_type]
                score = arousal * decay * weight
                if reverse:
                    text = f"{other} {relation} {name}"
                    score *= 0.5
                else:
                    text = f"{name} {relation} {other}"
                key = (-score, hop, reverse)
                if text not in best or key < best[text][0]:
                    best[text] = (key, valence, arousal, weight)
        frontier = [name for name, *_ in touched[known:]]
    for name, hop, before in touched:
        level = 0.5 ** (hop - 1)
        if level - before >= schema.MIN_AROUSAL_GAIN:
            session.run(WRITE, name=name, level=level, now_ms=now_ms).consume()
    return rows(best)
