"""Communities: who belongs together, by label propagation (Raghavan, Albert and Kumara, 2007).

Each entity takes the label that weighs most among its neighbours, ties to the smaller id, one after
the other in the order of their ids: so nothing is left to chance, and a batch is a piece of a pass.
Passes are taken over a draft, from scratch, until one changes nothing or ten were taken. So what is
shown is always whole, and a run that was killed is begun again.
"""

import math
from collections.abc import Callable
from typing import Final

from ...errors import InvalidText
from .. import edges, schema
from ..node import Graph, Node
from . import batches
from .batches import Batch, Row

MOST_PASSES: Final = 10
_BEGIN, _END = "begin", "end"
_WHY: Final = "its neighbours are"


def consolidate(graph: Graph, after: str | None, limit: int | None, dry_run: bool) -> Row:
    """Take the next batch of the present pass; as `batches.run`.

    A dry run takes all passes at once, over all that was found.
    """
    if dry_run:
        return _rehearsed(graph)
    stage, changed, begin = _where(after)
    most = batches.size(limit)
    made = Batch(graph, dry_run)
    nodes = batches.next_after(graph, begin, most)
    if stage == _BEGIN:
        for node in nodes:
            node.set(community_draft=node.key)
    elif stage == _END:
        for node in nodes:
            _settle(made, node)
    else:
        changed = sum(_take(graph, node) for node in nodes) > 0 or changed
    last = _cursor(stage, changed, nodes[-1].key) if len(nodes) == most else _next(stage, changed)
    told = {"processed": len(nodes), "changed": made.changed, "changes": made.changes}
    return {**told, "last": last}


def _where(after: str | None) -> tuple[str, bool, str]:
    """Return the stage, whether the pass has changed anything yet, and after which id to go on."""
    if after is None:
        return _BEGIN, False, ""
    stage, _, rest = after.partition("/")
    changed, _, begin = rest.partition("/")
    known = stage in (_BEGIN, _END) or (stage.isascii() and stage.isdigit())
    if not known or changed not in ("0", "1"):
        raise InvalidText("after: must be what the call before returned as last")
    return stage, changed == "1", begin


def _cursor(stage: str, changed: bool, begin: str) -> str:
    return f"{stage}/{changed:d}/{begin}"


def _next(stage: str, changed: bool) -> str | None:
    if stage == _BEGIN:
        return _cursor("1", False, "")
    if stage == _END:
        return None
    is_over = not changed or int(stage) >= MOST_PASSES
    return _cursor(_END if is_over else f"{int(stage) + 1}", False, "")


def _take(graph: Graph, node: Node) -> bool:
    """Let *node* take the label of its neighbours, in the draft; tell whether it has another."""
    was = node.get("community_draft") or node.key
    label = chosen(graph, node, lambda other: other.get("community_draft") or other.key)
    if label == was:
        return False
    node.set(community_draft=label)
    return True


def chosen(graph: Graph, node: Node, label_of: Callable[[Node], str]) -> str:
    """Return the label that weighs most among the neighbours of *node*; alone it keeps its own."""
    weights: dict[str, list[float]] = {}
    for tie in graph.ties(node, *schema.CONNECTING, schema.SAME_AS):
        merged = tie.type == schema.SAME_AS and tie.get("status") == schema.MERGED
        if merged or (tie.connects and tie.get("weight") >= edges.MIN_WEIGHT):
            weight = 1.0 if merged else tie.get("weight")
            weights.setdefault(label_of(tie.other), []).append(weight)
    # Rounded, for sums that are equal differ by how often their parts have faded.
    heaviest = min(
        ((-round(math.fsum(parts), 9), label) for label, parts in weights.items()), default=None
    )
    return label_of(node) if heaviest is None else heaviest[1]


def _settle(made: Batch, node: Node) -> None:
    """Make the draft of *node* what is shown."""
    label = node.get("community_draft") or node.key
    was = node.get("community")
    if label != was and made.count():
        node.set(community=label)
    node.set(community_draft=None)


def _rehearsed(graph: Graph) -> Row:
    nodes = sorted(graph.of(schema.ENTITY), key=lambda node: node.key)
    labels = {node.key: node.key for node in nodes}
    for _ in range(MOST_PASSES):
        before = dict(labels)
        for node in nodes:
            labels[node.key] = chosen(graph, node, lambda other: labels.get(other.key, other.key))
        if labels == before:
            break
    made = Batch(graph, dry_run=True)
    called = {node.key: node.name for node in nodes}
    for node in nodes:
        label = labels[node.key]
        if label != node.get("community"):
            why = f"{_WHY} with {called.get(label, label)}" if label != node.key else "on its own"
            made.change(node, node.get("community") or "none", label, why)
    told = {"processed": len(nodes), "changed": made.changed, "changes": made.changes}
    return {**told, "last": None}
