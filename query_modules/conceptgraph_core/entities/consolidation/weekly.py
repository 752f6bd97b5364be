"""The weekly run: who may be one, what is forgotten, what belongs together (seed 004).

Forgetting only marks, and a merge can be taken back.
"""

from typing import Final

from ... import validators
from .. import edges, names, schema
from ..identity import components, merging, resolution, spelling
from ..narration import reading
from ..node import Graph, Node
from . import batches, communities
from .batches import Batch, Row, Step
from .daily import renew_centrality

# What meets all of these is pruned.
FEW_EDGES: Final = 2
FEW_MENTIONS: Final = 2
LITTLE_FEELING: Final = 0.3
FORGOTTEN_DAYS: Final = 30
ARCHIVED_DAYS: Final = 90


def consolidate(
    graph: Graph,
    step: str,
    after: str | None = None,
    limit: int | None = None,
    dry_run: bool = False,
) -> Row:
    """Take one of `schema.WEEKLY` for a batch of entities; see `batches.run`.

    The step `communities` is taken for all entities at once.
    """
    if validators.one_of(schema.WEEKLY)(step, "step") == schema.COMMUNITIES:
        return communities.consolidate(graph, after, limit, dry_run)
    return batches.run(graph, STEPS, step, after, limit, dry_run)


def _merge(batch: Batch, node: Node) -> None:
    """Merge *node*, if it is in doubt, with whom all conditions say that it is; see `missing`.

    All else stays ambiguous. The younger of two goes by the older.
    """
    graph = batch.graph
    if node.status != schema.AMBIGUOUS or node.key in graph.planned.merged:
        return
    for other, confidence in components.questions(graph, node):
        # What only something else of its component raised is no question about these two.
        asked = graph.between(node, other, schema.SAME_AS)
        if asked is None or lacking(graph, node, other):
            continue
        older, younger = graph.ordered(node, other)
        why = f"alike by {confidence:.2f}, of one type, mentioned together, and nothing conflicts"
        more = {"other_id": older.key}
        if batch.change(younger, younger.status, f"merged into {older.name}", why, **more):
            merging.merged(graph, younger, older, why, schema.SYSTEM)
        else:
            graph.planned.merged[younger.key] = older.key
        if younger.id == node.id:
            return


def lacking(graph: Graph, node: Node, other: Node) -> list[str]:
    """Return what is missing for the analysis to merge two: of `merging.missing`, and of names.

    Embeddings are one signal, and one is never enough (seed 004, "single-signal resolution"): "my
    boss" and "my manager" mean alike, are spoken of together, and are two. So are chapter 1 and
    chapter 2, a thing and one whose name has a word more, and whom one message names side by side.
    """
    reasons = merging.missing(graph, node, other)
    one, two = (names.canonical(each.bare) for each in (node, other))
    near = names.ratio(one, two)
    if near < resolution.SIMILAR:
        reasons.append(f"their names are alike by {near:.2f} only")
    elif not spelling.is_one_name(node.bare, other.bare):
        reasons.append("their names have different words")
    if names.numbers(one) != names.numbers(two):
        reasons.append("their names have different numbers")
    if not reasons and _messages(graph, node) & _messages(graph, other):
        reasons.append("one message names both")
    return reasons


def _messages(graph: Graph, node: Node) -> set[tuple[str, str]]:
    """Return the messages in which anything of the component of *node* was mentioned."""
    return {
        (mention.get("session_id"), mention.get("message_id"))
        for one in components.members(graph, node)
        for mention in reading.mentions_of(graph, one)
    }


def _prune(batch: Batch, node: Node) -> None:
    """Set *node* aside if its component meets all of the seed's criteria; a mention revives it."""
    if not node.get("is_active"):
        return
    why = forgotten(batch.graph, node)
    if why is not None and batch.change(node, "active", "inactive", why):
        node.set(is_active=False)


def forgotten(graph: Graph, node: Node) -> str | None:
    """Return why *node*, with all that it was merged with, counts as forgotten; None: it is not."""
    members = components.members(graph, node)
    last = max(one.get("last_activated") for one in members)
    days = edges.days_between(last, graph.now_ms)
    if days <= FORGOTTEN_DAYS:
        return None
    said = components.said(graph, node)
    if said.active >= FEW_EDGES or said.user >= FEW_MENTIONS or said.intensity >= LITTLE_FEELING:
        return None
    return (
        f"{said.active} edges, {said.user} mentions by the user, intensity {said.intensity:g},"
        f" {days:.0f} days since its last activation"
    )


def _archive(batch: Batch, node: Node) -> None:
    """Mark the mentions of *node* that are older than 90 days."""
    now_ms = batch.graph.now_ms
    for mention in reading.mentions_of(batch.graph, node):
        days = edges.days_between(mention.created_at, now_ms)
        if days <= ARCHIVED_DAYS or mention.get("archived"):
            continue
        why = f"{days:.0f} days old"
        if batch.change(node, "mentioned", "archived", why, mention_id=mention.key):
            mention.set(archived=True)


def _press(batch: Batch, node: Node) -> None:
    """Lessen the centrality of what has more than 20 edges: times 1 − ln(edges)/10 (seed 004).

    Kept as a factor of its own, for the daily run renews the centrality; so pressing twice is
    pressing once.
    """
    degree = node.get("edge_count")
    crowded = degree > edges.CROWDED
    if not crowded and node.get("pressure") is None:
        return
    pressure = max(edges.pressed(1.0, degree), 0.0) if crowded else None
    why = f"{degree} edges: times {pressure:.3f}" if crowded else "no longer crowded"
    renew_centrality(batch, node, pressure, why if pressure != node.get("pressure") else "")


STEPS: Final[dict[str, Step]] = {
    schema.MERGE_STEP: _merge,
    "prune": _prune,
    "archive": _archive,
    "pressure": _press,
}
