"""Run the daily steps: fade edges, join similar entities, and renew the numbers of entities.

Each step depends only on what is stored. So a repeated step, or one that continues after a kill,
has the same result.
"""

import math
from typing import Any, Final

from ...retrieval.ranks import cosine
from .. import bitemporal, edges, schema
from ..identity import components
from ..narration.sentences import called, quoted, stated
from ..node import Edge, Graph, Node, Tie
from ..observation import relating
from . import batches
from .batches import Batch, Row, Step

# A higher bound or more edges would join mere synonyms (set; docs/design.md, Weight of an edge).
ALIKE: Final = 0.85
MOST_SEMANTIC: Final = 5
_FADING: Final = {one: one for one, days in edges.TAU_DAYS.items() if not math.isinf(days)}
# A doubt about who is who does not fade.
_SWITCHED_OFF: Final = {one: one for one in schema.BETWEEN if one != schema.SAME_AS}
# Smaller differences come from seconds, or from the order of a sum, so they are not reported.
_SHOWN: Final = 1e-4


def consolidate(
    graph: Graph,
    step: str,
    after: str | None = None,
    limit: int | None = None,
    dry_run: bool = False,
) -> Row:
    """Take one of `STEPS` for a batch of entities; see `batches.run`."""
    return batches.run(graph, STEPS, step, after, limit, dry_run)


def _decay(batch: Batch, node: Node) -> None:
    """Let every edge that leaves *node* fade: the moving average towards 0 since `weight_at`.

    An edge stays as it is if it is below its floor, or if the change is too small to report. So a
    night costs only as much as still moves. The next fading counts the whole time since
    `weight_at`.
    """
    now_ms = batch.graph.now_ms
    for edge, far in batch.graph.bare(node, _FADING, (True,)):
        was, since = edge.get("weight"), edge.weight_at
        if was < edges.MIN_WEIGHT:
            continue
        if since is None and batch.graph.raw_node(far) is None:
            continue
        days = 0.0 if since is None else edges.days_between(since, now_ms)
        if since is not None and days <= 0:
            continue
        weight = edges.ema(edge.type, was, 0.0, days)
        if since is not None and was - weight < _SHOWN:
            continue
        if not batch.dry_run:
            batch.count()
            edge.set(weight=weight, weight_at=now_ms)
            continue
        tie = batch.graph.tie(edge, far, leaves=True)
        if tie is not None:
            why = f"{days:.2f} days, tau {edges.TAU_DAYS[edge.type]:g}"
            batch.change_edge(node, tie, f"{was:.4f}", f"{weight:.4f}", why)


def _join_alike(batch: Batch, node: Node) -> None:
    """Join *node* to similar entities of its type that the user mentioned together with it.

    Similarity alone never joins two entities, or synonyms would drift into one. The most similar
    come first, until either end has five edges. Each pair is visited from the end that its
    co-occurrence leaves.
    """
    if node.get("embedding") is None or not node.get("is_active"):
        return
    now_ms = batch.graph.now_ms
    alike = _alike(batch.graph, node)
    for tie, near in sorted(alike, key=lambda pair: (-pair[1], pair[0].other.key)):
        ends = node, tie.other
        if any(_semantic(batch, end) >= MOST_SEMANTIC for end in ends):
            continue
        # As of their last common mention, so that an old history adds nothing new.
        since = min(tie.get("last_activated"), now_ms)
        days = edges.days_between(since, now_ms)
        weight = near * edges.DEFAULT_WEIGHTS[schema.SEMANTIC]
        weight = edges.ema(schema.SEMANTIC, weight, 0.0, days)
        if weight < edges.MIN_WEIGHT:
            continue
        why = f"alike by {near:.2f}, and mentioned together"
        more = {
            "text": f"{node.name} – {tie.other.name} (semantic)",
            "other_id": tie.other.key,
            "type": "semantic",
            "weight": weight,
        }
        if batch.change(node, "none", f"{weight:.4f}", why, **more):
            batch.graph.join(
                *batch.graph.ordered(*ends),
                schema.SEMANTIC,
                origin=schema.INFERRED,
                evidence=why,
                weight=weight,
                last_activated=since,
            )
            relating.connect(ends)
        else:
            batch.graph.planned.join(node.key, tie.other.key, weight)


def _alike(graph: Graph, node: Node) -> list[tuple[Tie, float]]:
    """Return the candidates of *node*: its co-occurrences by the user, with a similarity."""
    mine, found = node.get("embedding"), []
    for tie in graph.leaving(node, schema.CO_OCCURRENCE):
        other = tie.other
        if not tie.get("user_reinforcement_count") or node.node_type != other.node_type:
            continue
        theirs = other.get("embedding") if other.get("is_active") else None
        near = None if theirs is None else cosine(mine, theirs)
        if near is None or near <= ALIKE:
            continue
        if graph.between(node, other, schema.SEMANTIC) is None and not components.are_one(
            graph, node, other
        ):
            found.append((tie, min(near, 1.0)))
    return found


def _semantic(batch: Batch, node: Node) -> int:
    """Return how many active semantic edges *node* has, or would have by now."""
    known = sum(tie.is_active for tie in batch.graph.ties(node, schema.SEMANTIC))
    return known + len(batch.graph.planned.weights.get(node.key, ()))


def renew_centrality(batch: Batch, node: Node, pressure: float | None, why: str = "") -> None:
    """Set the centrality of *node* to the sum of its active weights, times *pressure*.

    No rule chooses a candidate by centrality, which would favour what has many edges already. It is
    there for readers only.
    """
    graph = batch.graph
    weights = [_weight(graph, edge) for edge in graph.connections(node)]
    weights += graph.planned.weights.get(node.key, ())
    total = math.fsum(weight for weight in weights if weight >= edges.MIN_WEIGHT)
    score = total * (1.0 if pressure is None else pressure)
    was = node.get("centrality_score")
    if abs(score - was) < _SHOWN and pressure == node.get("pressure"):
        return
    told = why or "the weight of its active connections"
    if not batch.dry_run and not why:
        batch.count()
    elif not batch.change(node, f"{was:.4f}", f"{score:.4f}", told):
        return
    node.set(centrality_score=score, pressure=pressure)


def _weight(graph: Graph, edge: Edge) -> float:
    """Return the weight of an edge, or in a rehearsal the weight that it would have."""
    weight: float = edge.get("weight")
    return edge.weight_now(graph.now_ms) if graph.planned.has_decayed else weight


def _deactivate(batch: Batch, node: Node) -> None:
    """Switch off the edges of *node* below 0.1; a reinforcement switches them on again."""
    for edge, far in batch.graph.bare(node, _SWITCHED_OFF, (True,)):
        weight = _weight(batch.graph, edge)
        if weight >= edges.MIN_WEIGHT or not edge.is_active:
            continue
        tie = batch.graph.tie(edge, far, leaves=True)
        if tie is None:
            continue
        connects = tie.connects
        why = f"its weight {weight:.4f} is below {edges.MIN_WEIGHT:g}"
        if batch.change_edge(node, tie, "active", "inactive", why):
            tie.set(is_active=False)
            if connects:
                for end in (node, tie.other):
                    end.set(edge_count=max(end.get("edge_count") - 1, 0))


def _recount(batch: Batch, node: Node) -> None:
    """Count the connections of *node* again, whatever was counted before.

    It has two counts: active connections, and connections that the user ever reinforced.
    """
    graph = batch.graph
    was, count = node.get("edge_count"), len(graph.connections(node))
    if graph.planned.has_deactivated:
        gone, joined = _switched_off(batch, node), len(graph.planned.weights.get(node.key, ()))
        was, count = max(was + joined - gone, 0), count + joined - gone
    if was != count and batch.change(node, was, count, "counted again"):
        node.set(edge_count=count)
    known, by_user = node.get("user_edge_count"), components.count_by_user(graph, node)
    if known != by_user and batch.count():
        node.set(user_edge_count=by_user)


def _switched_off(batch: Batch, node: Node) -> int:
    """Return how many connections of *node* a run would have switched off by now.

    An edge is switched off with the entity that it leaves, and batches follow the order of the ids.
    """
    graph = batch.graph
    gone = [tie for tie in graph.ties(node, *schema.CONNECTING) if tie.is_active]
    return sum(
        _weight(graph, tie) < edges.MIN_WEIGHT and (tie.leaves or tie.other.key <= batch.until)
        for tie in gone
    )


def _contradict(batch: Batch, node: Node) -> None:
    """Report the contradictions in the component of *node*; resolve none."""
    for row in contradictions(batch.graph, node):
        batch.changed += 1
        batch.changes.append(row)


def contradictions(graph: Graph, node: Node) -> list[Row]:
    """Return the contradictions in the component of the canonical entity *node*, else nothing.

    These are conflicting current facts, and relations that were observed as contradictions.
    """
    if components.canonical(graph, node).id != node.id:
        return []
    members = components.members(graph, node)
    current = bitemporal.list_current(graph, members)
    found = bitemporal.conflicts(graph, current, graph.now_ms)
    rows = [_row(node, _said(one), _said(other), schema.BOTH_BELIEVED) for one, other in found]
    for member in members:
        for tie in graph.leaving(member, schema.CONTRADICTS):
            if tie.is_active:
                evidence = tie.get("evidence")
                why = quoted(evidence) if evidence else "observed as contradicting"
                ends = called(member.name), called(tie.other.name)
                rows.append(_row(node, *ends, why, other_id=tie.other.key))
    return rows


def _said(fact: Node) -> str:
    return f"{stated(fact.get('predicate'))}: {stated(fact.get('value'))} ({fact.get('origin')})"


def _row(node: Node, one: str, other: str, why: str, **more: Any) -> Row:
    told = {"entity_id": node.key, "text": node.name, "from": one, "to": other}
    return {**told, "why": why, "type": "contradiction", **more}


STEPS: Final[dict[str, Step]] = {
    schema.DECAY: _decay,
    schema.SEMANTIC_STEP: _join_alike,
    "centrality": lambda batch, node: renew_centrality(batch, node, node.get("pressure")),
    schema.DEACTIVATE: _deactivate,
    "edge_count": _recount,
    "contradictions": _contradict,
}
