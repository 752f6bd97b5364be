"""Run one batch of a step: take the next entities by id, change each, and report the changes.

Find pending work: users who have entities, and sessions that fell silent. And find communities:
groups of entities that belong together, computed by `propagation`. This needs all edges at once,
but only their ends and weights. So the worker reads them in batches with `connections`, computes
outside the database, and stores changes with `settle_communities`. A killed run starts again.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ...graph.primitives import BEYOND, Range, WithEdges, following
from ...jobs.schema import BATCH, MAX_BATCH
from ...texts import text as texts
from ...verbs import limits, validators
from ...verbs.errors import InvalidText
from .. import edges, lookups, schema
from ..identity import components
from ..node import Graph, Node, Tie
from .propagation import Propagation

Row = dict[str, Any]

HOUR_MS: Final = 3_600_000
_JOINING: Final = {one: one for one in (*schema.CONNECTING, schema.SAME_AS)}


@dataclass(slots=True)
class Batch:
    """The changes of one call; a dry run reports them and writes nothing."""

    graph: Graph
    dry_run: bool
    # The id of its last entity.
    until: str = ""
    changed: int = 0
    changes: list[Row] = field(default_factory=list)

    def change(self, entity: Node, was: object, becomes: object, why: str, **more: Any) -> bool:
        """Report a change of *entity*; return whether to make it."""
        self.changed += 1
        row = {"entity_id": entity.key, "text": entity.name, "from": f"{was}", "to": f"{becomes}"}
        self.changes.append({**row, "why": why, **more})
        return not self.dry_run

    def change_edge(self, entity: Node, tie: Tie, was: object, becomes: object, why: str) -> bool:
        """Report a change of an edge that leaves *entity*; return whether to make it."""
        kind = tie.type.lower()
        text = f"{entity.name} – {tie.other.name} ({kind})"
        more = {"text": text, "other_id": tie.other.key, "type": kind}
        return self.change(entity, was, becomes, why, **more)

    def count(self) -> bool:
        """Count a change that is too small to report; return whether to make it."""
        self.changed += 1
        return not self.dry_run


# The work on one entity.
Step = Callable[[Batch, Node], None]


def run(
    graph: Graph,
    steps: Mapping[str, Step],
    step: str,
    after: str | None,
    limit: int | None,
    dry_run: bool,
) -> Row:
    """Take *step* for the next entities, those whose ids come after *after*; at most *limit*.

    Returns processed and changed (counts), changes (a list of {entity_id, text, from, to, why},
    with other_id and type for an edge) and last. Pass last as *after* of the next call; it is None
    at the end. Repeated at the same time a step changes nothing.
    """
    take = steps[validators.one_of(tuple(steps))(step, "step")]
    most = size(limit)
    nodes = next_after(graph, after, most, step)
    batch = Batch(graph, dry_run, nodes[-1].key if nodes else "")
    for node in nodes:
        take(batch, node)
    return {
        "processed": len(nodes),
        "changed": batch.changed,
        "changes": batch.changes,
        "last": nodes[-1].key if len(nodes) == most else None,
    }


def size(limit: int | None) -> int:
    given = BATCH if limit is None else limit
    return texts.integer(given, "limit", 1, MAX_BATCH)


def next_after(
    graph: Graph, after: str | None, most: int, step: str = schema.COMMUNITIES
) -> list[Node]:
    """Return the *most* entities whose ids come after *after*, in their order, to take *step*."""
    graph.pull(lookups.batch(step, after, most, graph.user_id))
    nodes = [node for node in graph.of(schema.ENTITY) if node.key > (after or "")]
    return sorted(nodes, key=lambda node: node.key)[:most]


def list_scopes(graph: Graph, after: str | None = None, limit: int | None = None) -> list[Row]:
    """Return the users who have entities, by name, starting after *after*."""
    given = schema.MAX_LIMIT if limit is None else limit
    most = texts.integer(given, "limit", 1, MAX_BATCH)
    found = set()
    if most == 1:
        graph.pull(Range((schema.ENTITY,), "user_id", following(after), BEYOND, (), 1))
    for vertex in graph.vertices():
        if schema.ENTITY in [label.name for label in vertex.labels]:
            user_id = vertex.properties.get("user_id")
            if isinstance(user_id, str) and user_id > (after or ""):
                found.add(user_id)
    return [{"user_id": user_id} for user_id in sorted(found)[:most]]


def list_silent(graph: Graph, silent_ms: int = HOUR_MS, limit: int | None = None) -> list[Row]:
    """Return the sessions that nobody ended and that have been silent for *silent_ms*.

    The longest silence comes first. A row has session_id and last_mention_at (unix ms).
    """
    longest = graph.now_ms - texts.integer(silent_ms, "silent_ms", 0, limits.MAX_TIME_MS)
    given = schema.MAX_LIMIT if limit is None else limit
    most = texts.integer(given, "limit", 1, MAX_BATCH)
    graph.pull(lookups.silent_sessions(longest, most, graph.user_id))
    found = [
        (node.get("last_mention_at"), node.key)
        for node in graph.of(schema.SESSION)
        if node.get("is_open") and node.get("last_mention_at") <= longest
    ]
    return [{"session_id": key, "last_mention_at": at} for at, key in sorted(found)[:most]]


def connections(graph: Graph, after: str | None = None, limit: int | None = None) -> list[Row]:
    """Return the next entities by id, those after *after*, with their outgoing weighted edges.

    A row has entity_id, label, community, node (its id in the database), others and weights. The
    last two are lists: the database id of the other end of each edge, and the weight of that edge.
    """
    nodes = next_after(graph, after, size(limit))
    return [_connected(graph, node) for node in nodes]


def _connected(graph: Graph, node: Node) -> Row:
    found = [(far.get_id(), weight) for far, weight in _joined(graph, node)]
    return {
        "entity_id": node.key,
        "label": node.name,
        "community": node.get("community"),
        "node": node.id,
        "others": [other for other, _ in found],
        "weights": [weight for _, weight in found],
    }


def _joined(graph: Graph, node: Node) -> Iterator[tuple[Any, float]]:
    for edge, far in graph.bare(node, _JOINING, (True,)):
        own: float = edge.get("weight")
        weight = own if own >= edges.MIN_WEIGHT and edge.is_active else None
        if edge.type == schema.SAME_AS:
            # Merged entities belong to one community.
            tie = graph.tie(edge, far, leaves=True)
            weight = 1.0 if tie and components.is_merged(graph, node, tie) else None
        if weight is not None:
            yield far, weight


def settle_communities(graph: Graph, by_id: Mapping[str, Any]) -> Row:
    """Set the community of each entity that is a key of *by_id*. Returns how many are changed."""
    changed = 0
    values = [(graph.user_id, key) for key in by_id]
    for node in graph.find(schema.ENTITY, ("user_id", "id"), values):
        becomes = by_id.get(node.key)
        if becomes is not None and becomes != node.get("community"):
            # Communities that earlier versions prepared are obsolete.
            node.set(community=texts.name(becomes, "communities"), community_draft=None)
            changed += 1
    return {"changed": changed}


def find_communities(graph: Graph, after: str | None, limit: int | None, dry_run: bool) -> Row:
    """Find all communities in one call, as `run` does, but without a *limit*."""
    size(limit)
    if after is not None:
        raise InvalidText("after: must be null, for this step is taken in one call")
    graph.pull(WithEdges(Range((schema.ENTITY,), "id", "", BEYOND, lookups.mine(graph.user_id))))
    found = Propagation()
    found.add(_connected(graph, node) for node in graph.of(schema.ENTITY))
    while found.take_pass():
        graph.check_abort()
    changes = list(found.changes())
    if not dry_run:
        settle_communities(graph, {row["entity_id"]: row["to"] for row in changes})
    told = {"processed": found.size, "changed": len(changes), "last": None}
    return {**told, "changes": changes if dry_run else []}
