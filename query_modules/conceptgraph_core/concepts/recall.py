"""Recall the propositions that seeds evoke, by spreading activation along the relations.

score = arousal · 0.5^(hop − 1) · (0.5 against the edge's direction) · weight

The weight counts between concepts only. The reasons are in docs/design.md, Score of a proposition.
"""

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from ..texts import text
from . import affect, names, schema
from .node import Graph, Node

# An edge read from one end; the best reading of a text is its proposition: score, hop, reverse, the
# far end, its earlier arousal, the weight that counted, the edge, the near end. A plain tuple,
# because a recall makes one for every edge it reads.
Reading = tuple[float, int, bool, Node, float, float, Any, Node]
Proposition = tuple[str, Reading]
# An edge as `graph.edges` yields it.
Edge = tuple[Any, str, Node, bool]
# Names of nodes, each with the level that a recall raises it to.
Levels = Mapping[str, float]

# Below this a float has lost the digits that scores differ in; soon after, it is 0. With the usual
# time constant that is after two years: then scores are compared by their logarithms.
_TINY: Final = 1e-290


# The fields of the rows of `peek` that a model does not get.
_NOT_SAID: Final = frozenset(("relative", "relation", "total", "end"))


class _Walk(NamedTuple):
    best: dict[str, Reading]
    # The ends of further edges that say the text of another: two episodes may have one summary.
    also: dict[str, set[Node]]
    reached: list[tuple[Node, int, float]]  # each node but the seeds: distance, arousal before
    seen: set[int]  # the ids of those and of the seeds


def recall(
    graph: Graph,
    seeds: Sequence[Any],
    max_hop: int = schema.DEFAULT_MAX_HOP,
    limit: int | None = schema.DEFAULT_ROWS,
) -> list[dict[str, Any]]:
    """Return the rows of `peek`, then raise the arousal of every node that one of them mentions.

    Seeds are not raised, and neither are nodes that only rows beyond *limit* mention. Otherwise a
    node too weak to be recalled would become as strong as the recalled ones.
    """
    walk = _walk(graph, names.find_seeds(graph, seeds)[0], max_hop)
    chosen = _strongest(graph, walk.best, schema.checked_limit(limit, schema.DEFAULT_ROWS))
    return _list_recalled(graph, walk, chosen, len(walk.best))[0]


def query(
    graph: Graph,
    seeds: Sequence[Any],
    max_hop: int = schema.DEFAULT_MAX_HOP,
    limit: int | None = schema.DEFAULT_ROWS,
    each_episode_once: bool = False,
) -> dict[str, Any]:
    """Recall, and return the whole answer as one row.

    It has propositions, the rows of `peek` without relative, relation, total and end; relations,
    those of the propositions, in their order; total; unknown, the rows of `names.unknown`; and
    accessed, the arguments of `everyday.access`. With *each_episode_once* an episode has only its
    strongest proposition.
    """
    known, missing = names.find_seeds(graph, seeds)
    unknown = names.similar(graph, missing)
    walk = _walk(graph, known, max_hop)
    best, most = walk.best, schema.checked_limit(limit, schema.DEFAULT_ROWS)
    if each_episode_once:
        best = _best_of_each_episode(_strongest(graph, best, len(best)))
    rows, levels = _list_recalled(graph, walk, _strongest(graph, best, most), len(best))
    return {
        "propositions": [
            {key: value for key, value in row.items() if key not in _NOT_SAID} for row in rows
        ],
        "relations": [row["relation"] for row in rows],
        "total": len(best),
        "unknown": unknown,
        "accessed": {"concepts": levels},
    }


def recall_cheaply(
    graph: Graph, seeds: Sequence[Any], limit: int, most_edges: Sequence[int]
) -> tuple[list[dict[str, Any]], Levels]:
    """Recall at little cost: each episode once, and nothing through well-connected nodes.

    *most_edges* has for each hop the most relations of a node that is still walked from. Returns
    the rows of `peek`, and the levels for `raise_levels`.
    """
    known, _ = names.find_seeds(graph, seeds)
    walk = _walk(graph, known, len(most_edges), most_edges)
    best = _best_of_each_episode(_strongest(graph, walk.best, len(walk.best)))
    return _list_recalled(graph, walk, _strongest(graph, best, limit), len(best))


def peek(
    graph: Graph,
    seeds: Sequence[Any],
    max_hop: int = schema.DEFAULT_MAX_HOP,
    limit: int | None = schema.DEFAULT_ROWS,
) -> list[dict[str, Any]]:
    """Return the propositions that *seeds* (names or nodes; unknown ones are skipped) evoke.

    The best come first. An edge is read from both ends, as they are reached: the reading of the
    highest score counts, so the far end may be a seed. A row has:

    * text;
    * score, rounded to 6 decimals. The order is that of the unrounded score, then of the episode's
      date, the latest first, then of the text;
    * relative, the unrounded score divided by that of the first row, which does not fade;
    * end, the name of the node at the far end, and its valence;
    * hop, its arousal, weight and reverse, the parts of the score;
    * the relation itself, and episode_id if it is about an episode;
    * total, the number of rows before *limit* cut (None: 1,000).

    Raises InvalidNumber for max_hop outside 0…10 or a limit below 1, TooMuch beyond 1,000,000
    edges.
    """
    best = _walk(graph, names.find_seeds(graph, seeds)[0], max_hop).best
    return _rows(
        graph, _strongest(graph, best, schema.checked_limit(limit, schema.DEFAULT_ROWS)), len(best)
    )


def raise_levels(graph: Graph, levels: Levels) -> int:
    """Arouse the nodes of these names to the *levels*; return how many were less aroused."""
    count = 0
    for name, nodes in graph.find_named(levels).items():
        level = text.number(levels[name], "concepts", 0.0, 1.0)
        count += _raise(graph, nodes[0], level, nodes[0].arousal)
    return count


def _raise(graph: Graph, node: Node, level: float, before: float) -> bool:
    """Arouse *node* to *level* if that is a gain; tell whether it is."""
    is_gain = level - before >= schema.MIN_AROUSAL_GAIN
    if is_gain and graph.may_write:
        graph.arouse(node, level)
    return is_gain


def _list_recalled(
    graph: Graph, walk: _Walk, chosen: list[Proposition], total: int
) -> tuple[list[dict[str, Any]], Levels]:
    """Return the rows of the *chosen* readings, and the levels that their nodes rise to.

    If the call may write, they rise.
    """
    rows = _rows(graph, chosen, total)
    # The ends of every edge with one of the chosen texts.
    ends = ((reading[3], reading[7], *walk.also.get(said, ())) for said, reading in chosen)
    mentioned = {node for nodes in ends for node in nodes}
    levels: dict[str, float] = {}
    for node, distance, before in walk.reached:
        graph.step()
        level = schema.HOP_DECAY ** (distance - 1)
        if node in mentioned and _raise(graph, node, level, before):
            levels[node.name] = level
    return rows, levels


def _walk(graph: Graph, seeds: list[Node], max_hop: int, most_edges: Sequence[int] = ()) -> _Walk:
    """Spread out from *seeds*: every node nearer than *max_hop* reads each of its edges."""
    text.integer(max_hop, "max_hop", 0, schema.MAX_HOP)
    graph.bound_edges(schema.MAX_EDGES_READ, "lower max_hop, or name fewer seeds")
    frontier = seeds
    walk = _Walk({}, {}, [], {node.id for node in frontier})
    for hop in range(1, max_hop + 1):
        known = len(walk.reached)
        most = most_edges[hop - 1] if most_edges else None
        for node in frontier:
            edges = graph.edges(node) if most is None else _few_edges(graph, node, most)
            _read_edges(graph, walk, node, hop, edges)
        frontier = [node for node, *_ in walk.reached[known:]]
    return walk


def _few_edges(graph: Graph, node: Node, most: int) -> list[Edge]:
    """Return every edge of *node*, but none if there are more than *most*."""
    edges = list(islice(graph.edges(node), most + 1))
    return [] if len(edges) > most else edges


def _read_edges(graph: Graph, walk: _Walk, node: Node, hop: int, edges: Iterable[Edge]) -> None:
    """Read the *edges* of *node* at *hop*; keep each text unless a better reading has the same."""
    best, seen = walk.best, walk.seen
    own, is_episode = node.text, node.is_episode
    decay = schema.HOP_DECAY ** (hop - 1)
    for edge, relation, other, outgoing in edges:
        arousal = other.arousal
        if other.id not in seen:
            seen.add(other.id)
            walk.reached.append((other, hop, arousal))
        weight = 1.0
        if not (is_episode or other.is_episode):
            weight = edge.get_property("weight")
            if weight.__class__ is not float:
                weight = graph.weight(edge)
        score = arousal * decay * weight
        if outgoing:
            said = f"{own} {relation} {other.text}"
        else:
            said = f"{other.text} {relation} {own}"
            score *= schema.REVERSE_PENALTY
        reading = (score, hop, not outgoing, other, arousal, weight, edge, node)
        old = best.get(said)
        if old is None:
            best[said] = reading
            continue
        far, near = old[3], old[7]
        # Most often it is the same edge, read from its other end.
        if not ((far is node and near is other) or (far is other and near is node)):
            walk.also.setdefault(said, set()).update((node, other, far, near))
        if score < _TINY and old[0] < _TINY:
            stronger, weaker = _faintness(graph, reading), _faintness(graph, old)
            if stronger < weaker or (stronger == weaker and _precedes(reading, old)):
                best[said] = reading
        elif score > old[0] or (score == old[0] and _precedes(reading, old)):
            best[said] = reading


def _precedes(reading: Reading, other: Reading) -> bool:
    """Tell which of two readings of one text and score represents it.

    The lower hop, then the forward one, then that of the later episode.
    """
    return _place(reading) < _place(other)


def _place(reading: Reading) -> tuple[int, bool, int, str]:
    _, hop, reverse, end, *_ = reading
    return hop, reverse, -_day(reading), end.name


def _episode(reading: Reading) -> Node | None:
    """Return the episode that a reading is about: the far end, or else the near one."""
    end, near = reading[3], reading[7]
    return end if end.is_episode else near if near.is_episode else None


def _day(reading: Reading) -> int:
    """Return the date of a reading's episode as a number; 0 if it is about none."""
    episode = _episode(reading)
    return 0 if episode is None else schema.episode_day(episode.name)


def _strongest(graph: Graph, best: dict[str, Reading], most: int) -> list[Proposition]:
    """Return the *most* strongest texts in order; ties by the latest episode.

    Only possible members are sorted, a small part of the results of a long walk.
    """
    ordered = list(best.items())
    if most < len(ordered):
        least = heapq.nlargest(most, (reading[0] for reading in best.values()))[-1]
        if least >= _TINY:
            # Not ">=": Cypher written by hand may have made a score that is no number.
            ordered = [item for item in ordered if not item[1][0] < least]
    ordered.sort(key=lambda item: _order(graph, item))
    return ordered[:most]


def _order(graph: Graph, item: Proposition) -> tuple[float, float, int, str]:
    said, reading = item
    score = reading[0]
    # Most are about no episode, and have no date.
    is_dated = reading[3].is_episode or reading[7].is_episode
    day = -_day(reading) if is_dated else 0
    if score < _TINY:
        return 0.0, _faintness(graph, reading), day, said
    return -score, 0.0, day, said


def _best_of_each_episode(ordered: list[Proposition]) -> dict[str, Reading]:
    seen: set[Node] = set()
    kept = {}
    for said, reading in ordered:
        episode = _episode(reading)
        if episode is None or episode not in seen:
            kept[said] = reading
        if episode is not None:
            seen.add(episode)
    return kept


def _rows(graph: Graph, chosen: list[Proposition], total: int) -> list[dict[str, Any]]:
    rows = []
    best = _faintness(graph, chosen[0][1]) if chosen else 0.0
    relations = graph.relations(reading[6] for _, reading in chosen)
    for (said, reading), relation in zip(chosen, relations, strict=True):
        score, hop, reverse, end, arousal, weight, _, near = reading
        episode = end if end.is_episode else near if near.is_episode else None
        # Inlined from `Node.valence`, because of the many rows.
        valence = end.raw.get_property("valence")
        rows.append(
            {
                "text": said,
                "score": round(score, schema.SCORE_DECIMALS),
                "relative": affect.relative(
                    -_faintness(graph, reading), -best, graph.context.tau_ms
                ),
                "valence": valence if valence.__class__ is float else end.valence,
                "hop": hop,
                "arousal": arousal,
                "weight": weight,
                "reverse": reverse,
                "relation": relation,
                "total": total,
                "episode_id": None if episode is None else episode.name,
                "end": end.name,
            }
        )
    return rows


def _faintness(graph: Graph, reading: Reading) -> float:
    """Return −ln(score) in units of tau_ms, without the common part; infinite if it is 0.

    It orders scores that are too small for floats.
    """
    _, hop, reverse, end, _, weight, *_ = reading
    factors = schema.HOP_DECAY ** (hop - 1) * weight
    if reverse:
        factors *= schema.REVERSE_PENALTY
    if factors <= 0:
        return math.inf
    context = graph.context
    accessed_at = min(end.accessed_at, context.now_ms)
    rank = affect.rank(end.arousal_level, accessed_at, context.tau_ms)
    # Digits beyond a hundredth of a millisecond depend on the order of the factors.
    return -round(rank + context.tau_ms * math.log(factors), 2)


def keep_stronger_ways(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return propositions, of two that evoke one another only the stronger way."""
    evokes = f" {schema.RELATION_NAMES[schema.EVOKES]} "
    ways = {frozenset(row["text"].split(evokes, 1)): row for row in reversed(rows)}
    return list(reversed(ways.values()))
