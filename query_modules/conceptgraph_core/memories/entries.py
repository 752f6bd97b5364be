"""Make entries of memories, as texts and lines show them: each wording once, contradictions first.

A memory in such a text counts as accessed. The links between the memories in one text are
strengthened: memories that are useful together should be found together (Hebb, see
docs/design.md). How often two without a link are in one text is noted, to offer them one.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..retrieval.searching import Found
from . import lifecycle, links, schema, standing
from .view import Graph, Node

Row = dict[str, Any]
# Pairs of ids in the database.
Pairs = Collection[tuple[int, int]]
_NOTED = "together"
# The mark on an offered memory: in how many answers it was, at least.
TOGETHER = {"together": schema.OFTEN_TOGETHER}


class Told(NamedTuple):
    """A memory with its entry; `found` is None if a link or a time led to it."""

    node: Node
    entry: Row
    found: Found | None = None


def find_renewed(found: Sequence[Found]) -> dict[Node, Node]:
    """Return those of *found* that a later one is on the matter of, each with the latest of these.

    See `ranking.later_first`.
    """
    renewing = [(one.node, texts) for one in found if (texts := one.renews)]
    if not renewing:
        return {}
    by_text = {one.match.text: one.node for one in found if one.match is not None}
    renewing.sort(key=lambda one: standing.age(one[0]))
    return {by_text[text]: node for node, texts in renewing for text in texts if text in by_text}


def entries(
    graph: Graph,
    ordered: Sequence[Node],
    copies: Collection[Node],
    renewed: Mapping[Node, Node],
) -> list[Told]:
    """Return *ordered* without duplicates, with entries, contradicting memories first.

    *copies* has duplicates of some of them, and *renewed* the later ones on the same matter.
    """
    groups: dict[Node, list[Node]] = {}
    chosen = set(ordered)
    for group in standing.group_nodes([*ordered, *copies]):
        groups[max(chosen.intersection(group), key=standing.age)] = group
    sayings = standing.shown_first(groups, groups.values())
    # A found memory brings the memory that corrects it, even if their link has faded.
    against = standing.find_contradicting(graph, list(groups), sayings)
    later = dict.fromkeys(node for node in against.values() if node not in groups)
    against |= standing.find_contradicting(graph, list(later), sayings)
    shown = standing.later_first([*groups, *later], {**renewed, **against})
    return [Told(node, entry(graph, node, groups.get(node, [node]), against)) for node in shown]


def entry(graph: Graph, node: Node, group: Sequence[Node], against: dict[Node, Node]) -> Row:
    """Return the entry of *node*, which stands for all duplicates in *group*."""
    return {
        "memory_id": node.memory_id,
        "at": node.told_at,
        "speaker": node.get("speaker"),
        "source": node.get("source"),
        "text": node.told,
        "also": len(group) - 1,
        **standing.mark(graph, node, against),
    }


def count_access(graph: Graph, put: Sequence[Node]) -> None:
    """Count an access of the memories *put* into a text, and strengthen their links."""
    if graph.may_write:
        for node in put:
            lifecycle.access(graph, node)
        _count_together(graph, put, _strengthen(graph, put))


def _strengthen(graph: Graph, put: Sequence[Node]) -> set[tuple[int, int]]:
    """Strengthen the links between the memories *put*; return the pairs that have one."""
    among = {node.id for node in put}
    graph.expect_edges(put, outgoing=True)
    between: dict[tuple[int, int, str], list[Any]] = {}
    for node in put:
        for edge, relation, other, _ in graph.edges(node, (True,)):
            if other.id in among and other.id != node.id:
                between.setdefault((node.id, other.id, relation), []).append(edge)
    for edges in between.values():
        links.strengthen(graph, edges, schema.CONTEXT_AMOUNT)
    return {(source, target) for source, target, _ in between}


def _count_together(graph: Graph, put: Sequence[Node], linked: Pairs) -> None:
    """Count that the first of the memories *put* were in one answer; *linked* pairs are left out.

    The counts are notes on both memories, and no edges: only who knows what the two have to do with
    each other links them. A memory keeps a few of the others: those counted most, and of these the
    latest.
    """
    first = [(node, node.id, node.memory_id) for node in put[: schema.MOST_TOGETHER]]
    for node, node_id, _ in first:
        notes = before = _notes(node)
        for other, other_id, key in first:
            if other is node or (node_id, other_id) in linked or (other_id, node_id) in linked:
                continue
            known = next((one for one in notes if one[2] == key), (0, 0, ""))
            # It is not written again once it is offered.
            times = min(known[0] + 1, schema.OFTEN_TOGETHER)
            if times > known[0]:
                others = [one for one in notes if one is not known]
                notes = [(times, other_id, key), *others]
        if notes != before:
            notes = sorted(notes, key=lambda one: -one[0])[: schema.MOST_NOTED_TOGETHER]
            graph.update(node, **{_NOTED: [" ".join(map(str, one)) for one in notes]})


def find_together(graph: Graph, node: Node) -> list[Node]:
    """Return the memories that were often in one answer with *node*, and have no link with it."""
    linked = {other.id for _, _, other, _ in graph.edges(node)}
    found = []
    for times, vertex, memory_id in _notes(node):
        raw = graph.raw_vertex(vertex) if times >= schema.OFTEN_TOGETHER else None
        other = None if raw is None else graph.raw_node(raw)
        # The database may have given the number of a removed memory to another node.
        if other is None or other.memory_id != memory_id or other.id in linked:
            continue
        if graph.ended(other) is None:
            found.append(other)
    return found


def _notes(node: Node) -> list[tuple[int, int, str]]:
    """Return the notes on *node*: how often, the id in the database, and that of the memory."""
    noted: Any = node.raw.get_property(_NOTED)
    notes = []
    for one in noted if isinstance(noted, (list, tuple)) else ():
        parts = one.split(" ", 2) if isinstance(one, str) else ()
        if len(parts) == 3 and parts[0].isdecimal() and parts[1].isdecimal():
            notes.append((int(parts[0]), int(parts[1]), parts[2]))
    return notes
