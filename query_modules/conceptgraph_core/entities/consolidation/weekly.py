"""Run the weekly steps: merge certain duplicates, archive forgotten entities, find communities.

Forgetting only marks, and a merge can be undone.
"""

from typing import Final

from ...verbs import validators
from .. import edges, names, schema
from ..identity import components, likenesses, merging, resolution
from ..node import Graph, Node
from . import batches
from .batches import Batch, Row, Step
from .daily import renew_centrality

# An entity that meets all of these criteria is archived.
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
        return batches.find_communities(graph, after, limit, dry_run)
    return batches.run(graph, STEPS, step, after, limit, dry_run)


def _merge(batch: Batch, node: Node) -> None:
    """Merge *node*, if it is ambiguous, into the entity that meets all conditions; see `missing`.

    All others stay ambiguous. The younger entity takes the name of the older one.
    """
    graph = batch.graph
    if node.status != schema.AMBIGUOUS or node.key in graph.planned.merged:
        return
    for other, confidence in components.questions(graph, node):
        # A doubt that another member of its component raised says nothing about these two.
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
    """Return what a merge by the analysis lacks: conditions of `merging.missing`, and of the names.

    Embeddings are one signal, and one is never enough: "my boss" and "my manager" have similar
    vectors and common sessions, and are two. So are chapter 1 and chapter 2, a name and one with a
    further word, and two entities that one message names side by side.
    """
    reasons = merging.missing(graph, node, other)
    one, two = (names.canonical(each.bare) for each in (node, other))
    near = names.ratio(one, two)
    if near < resolution.SIMILAR:
        reasons.append(f"their names are alike by {near:.2f} only")
    elif not likenesses.is_one_name(node.bare, other.bare):
        reasons.append("their names have different words")
    if names.numbers(one) != names.numbers(two):
        reasons.append("their names have different numbers")
    if not reasons and _messages(graph, node) & _messages(graph, other):
        reasons.append("one message names both")
    return reasons


def _messages(graph: Graph, node: Node) -> set[tuple[str, str]]:
    """Return the messages that mention any entity of the component of *node*."""
    return {
        (mention.get("session_id"), mention.get("message_id"))
        for mention in components.mentions_of(graph, components.members(graph, node))
    }


def _prune(batch: Batch, node: Node) -> None:
    """Archive *node* if its component meets all criteria of `forgotten`; a mention revives it."""
    if not node.get("is_active"):
        return
    why = forgotten(batch.graph, node)
    if why is not None and batch.change(node, "active", "inactive", why):
        node.set(is_active=False)


def forgotten(graph: Graph, node: Node) -> str | None:
    """Return why *node*, with all merged entities, counts as forgotten; None: it does not."""
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
    """Archive the mentions of *node* that are older than 90 days."""
    now_ms = batch.graph.now_ms
    for mention in components.mentions_of(batch.graph, [node]):
        days = edges.days_between(mention.created_at, now_ms)
        if days <= ARCHIVED_DAYS or mention.get("archived"):
            continue
        why = f"{days:.0f} days old"
        if batch.change(node, "mentioned", "archived", why, mention_id=mention.key):
            mention.set(archived=True)


def _press(batch: Batch, node: Node) -> None:
    """Lower the centrality of an entity with more than 20 edges: times 1 − ln(edges)/10.

    Without this pressure a node such as "work" would attract everything. The factor is stored
    apart, because the daily run renews the centrality. So pressing twice has the effect of pressing
    once.
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
