"""Compare the wording of memories; find the later one that contradicts or replaces a memory.

End the one that is replaced.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from ..graph.raw import keep
from . import fade, lifecycle, schema
from .view import AllMemories, Node, read_content

# So many words tell most texts apart, and stand among the first of so many.
_COMPARED, _READ = 4, 8
_PUNCTUATION: Final = ".,;:!?\"()…“”„‚‘’'"

# The speaker and the words of a text: memories equal in both are shown once.
Saying = tuple[str | None, tuple[str, ...]]
_CONTRADICTING: Final = {schema.RELATION_TYPES["contradicts"]: "contradicts"}


def words(text: str) -> tuple[str, ...]:
    """Return the words of *text*, in whatever case, without the punctuation around them.

    Only equal words count: a different number or day makes another text.
    """
    # Lists do this for every row.
    folded = (text if text.isascii() else compose(text)).casefold()
    return tuple(filter(None, [word.strip(_PUNCTUATION) for word in folded.split()]))


def saying(node: Node) -> Saying:
    """Return the speaker and the words of *node*."""
    content, speaker = node.content, node.raw.get_property("speaker")
    # A text without words stands for itself.
    return None if speaker is None else node.get("speaker"), words(content) or (content,)


def compose(text: str) -> str:
    """Return *text* with each letter and its accents as one character (NFC)."""
    return unicodedata.normalize("NFC", text)


def age(node: Node) -> tuple[int, str]:
    """Return a sort key: the memory known later is greater, then the greater id."""
    return node.heard_at, node.memory_id


def group_nodes(nodes: Iterable[Node]) -> list[list[Node]]:
    """Group *nodes* with the same saying, at the place of the first one."""
    nodes = list(nodes)
    # Few texts begin alike, and only these are compared word by word.
    begun = [keep(node.raw, "beginning", _beginning_of) for node in nodes]
    alike = Counter(begun)
    groups: dict[Saying | Node, list[Node]] = {}
    for node, beginning in zip(nodes, begun, strict=True):
        groups.setdefault(saying(node) if alike[beginning] > 1 else node, []).append(node)
    return list(groups.values())


def _beginning_of(raw: Any) -> tuple[str, ...]:
    """Return the first words of a text, the same for all texts with the same words."""
    text = read_content(raw)
    pieces = text.split(None, _COMPARED)[:_COMPARED]
    first = " ".join(pieces)
    if len(pieces) == _COMPARED and first.isascii():
        # Nearly all begin so, and a recall compares hundreds.
        found = tuple([word.strip(_PUNCTUATION) for word in first.casefold().split()])
        if all(found):
            return found
    found = words(" ".join(text.split(None, _READ)[:_READ]))[:_COMPARED]
    return found if len(found) == _COMPARED else words(text)[:_COMPARED]


def shown_first(shown: Iterable[Node], groups: Iterable[Sequence[Node]]) -> list[list[Node]]:
    """Return *groups*, each with its *shown* member first."""
    pairs = zip(shown, groups, strict=True)
    return [[one, *(node for node in group if node is not one)] for one, group in pairs]


def later_first(nodes: Sequence[Node], against: dict[Node, Node]) -> list[Node]:
    """Return *nodes* in their order, but each after the one that contradicts it (*against*)."""
    among, ordered, seen = set(nodes), [], set()

    def put(node: Node) -> None:
        seen.add(node)
        later = against.get(node)
        if later in among and later not in seen:
            put(later)
        ordered.append(node)

    for node in nodes:
        if node not in seen:
            put(node)
    return ordered


def find_contradicting(
    graph: AllMemories, nodes: Sequence[Node], groups: Iterable[Sequence[Node]] = ()
) -> dict[Node, Node]:
    """Return those of *nodes* that a later memory contradicts, each with the latest of these.

    A link counts in both directions and however weak it is: of two that contradict each other, the
    later stands. At equal times, and if it replaced the other, the source of the link stands. Each
    of *groups* has memories of
    the same words, the shown one first. A link of any member counts for all, which are as late as
    the latest. So a text that is repeated after its contradiction stands again.
    """
    of_one = {node: group for group in groups for node in group}
    grouped = [one for node in nodes for one in of_one.get(node, (node,))]
    for outgoing in (True, False):
        graph.expect_edges(grouped, outgoing)
    found = {}
    for node in nodes:
        group = of_one.get(node, (node,))
        later: dict[Node, tuple[int, str]] = {}
        for one in group:
            for _, _, other, outgoing in graph.edges(one, relations=_CONTRADICTING):
                others = of_one.get(other, (other,))
                sides = (group, others) if outgoing else (others, group)
                if not other.is_deleted and _stands(*sides) is (not outgoing):
                    later[others[0]] = max(map(age, others))
        if later:
            found[node] = max(later, key=later.__getitem__)
    return found


def find_contradicted(graph: AllMemories, node: Node) -> Iterator[tuple[Node, int]]:
    """Iterate over the memories that *node* contradicts, each with the time of the link."""
    for edge, _, other, _ in graph.edges(node, (True,), _CONTRADICTING):
        at = edge.get_property("created_at")
        yield other, at if at.__class__ is int else node.get("created_at")


def find_replaced(graph: AllMemories, node: Node) -> list[Node]:
    """Return the memories that *node* replaced, and those that these did, the latest first."""
    found: set[Node] = set()
    ahead = [node]
    while ahead and len(found) < schema.MOST_REPLACED:
        edges = graph.edges(ahead.pop(), (True,), _CONTRADICTING)
        over = {other for _, _, other, _ in edges if other.get("valid_until") is not None}
        ahead += over - found
        found |= over
    return sorted(found, key=age, reverse=True)


def _stands(stating: Sequence[Node], contradicted: Sequence[Node]) -> bool | None:
    """Tell whether memories of one wording stand against those that they contradict.

    None if both are of the same wording.
    """
    if stating[0] is contradicted[0]:
        return None
    if all(_is_over(one) for one in contradicted):
        return True
    heard = [max(one.heard_at for one in group) for group in (stating, contradicted)]
    return heard[0] >= heard[1]


def _is_over(node: Node) -> bool:
    return node.get("valid_until") is not None


def end(graph: AllMemories, old: Node, node: Node, until: int) -> None:
    """Let *old* have been so *until* then (unix ms), because *node*, linked to it, replaces it.

    The earliest end counts, and none before the time at which it is said to have been so; but a
    plan, even for a day to come, ends no later than now.
    """
    until = min(max(until, old.get("said_at") or until), graph.context.now_ms)
    for edge in graph.edges_between(node, old, schema.RELATION_TYPES["contradicts"]):
        edge.set_property("until", until)
    ended = old.get("valid_until")
    graph.update(old, valid_until=until if ended is None else min(until, ended))


def outdate(graph: AllMemories, node: Node, since: int | None, later: Sequence[Node]) -> None:
    """Note that what *node* says is no longer so *since* then (unix ms), by the *later* ones.

    It is told, beside them. None: it is so.
    """
    if since != node.get("over_since"):
        graph.update(node, over_since=since)
    edge_type = schema.RELATION_TYPES["contradicts"]
    wanted = {one.id: one for one in later}
    for edge, _, other, _ in list(graph.edges(node, (False,), _CONTRADICTING)):
        if wanted.pop(other.id, None) is None and edge.get_property("stated"):
            graph.delete_edge(edge)
    for one in wanted.values():
        now_ms, strength = graph.context.now_ms, schema.DEFAULT_STRENGTH
        given = {"created_at": now_ms, "last_strengthened": now_ms, "stated": True}
        graph.create_edge(one, node, edge_type, strength=strength, **given)


def settle(graph: AllMemories, node: Node) -> list[Node]:
    """Let what *node* replaced be so again, or no longer, now that it was hidden or restored.

    Returns the memories that this changed.
    """
    changed = []
    for _, _, old, _ in graph.edges(node, (True,), _CONTRADICTING):
        until = min((at for at, _ in _replacing(graph, old)), default=None)
        if until != old.get("valid_until"):
            graph.update(old, valid_until=until)
            changed.append(old)
            if old.is_deleted:
                changed += settle(graph, old)
    return changed


def hide(graph: AllMemories, nodes: Sequence[Node], why: dict[str, Any]) -> list[Node]:
    """Hide *nodes*, and store *why*: a reason, what they were forgotten with.

    Things that rest on them stay. Returns them, and those that this lets be so again.
    """
    now_ms, every = graph.context.now_ms, graph.another(AllMemories)
    changed: list[Node] = []
    for node in nodes:
        score = graph.presence(node, may_expire=True)[0]
        changes = lifecycle.transition(node, fade.EXPIRED, now_ms, score)
        changes["metadata"] = {**changes["metadata"], schema.FORGOTTEN: {"at": now_ms, **why}}
        graph.update(node, **changes, decay_score=score)
        changed += [node, *settle(every, node)]
    return changed


def last(graph: AllMemories, node: Node) -> Node:
    """Return the memory that replaced *node*, or the one that replaced that; *node* if none did."""
    seen = {node}
    while _is_over(node):
        replacing = [one for _, one in _replacing(graph, node) if one not in seen]
        if not replacing:
            break
        node = max(replacing, key=age)
        seen.add(node)
    return node


def _replacing(graph: AllMemories, old: Node) -> list[tuple[int, Node]]:
    """Return the memories that replace *old*, each with the end that it sets.

    A forgotten one counts only if it was replaced too. Links of earlier versions have no end: then
    each contradiction of a replaced memory counts as one, with the end that the memory has.
    """
    links = [
        (edge.get_property("until"), other)
        for edge, _, other, _ in graph.edges(old, (False,), _CONTRADICTING)
    ]
    ended = [(at, other) for at, other in links if at.__class__ is int]
    if not ended and _is_over(old):
        ended = [(old.get("valid_until"), other) for _, other in links]
    return [(at, one) for at, one in ended if _is_over(one) or not one.is_forgotten]


def mark(graph: AllMemories, node: Node, found: dict[Node, Node] | None = None) -> dict[str, Any]:
    """Return the field with the memory that contradicts *node*, as lists and `get` have it."""
    other = (find_contradicting(graph, [node]) if found is None else found).get(node)
    return {"contradicted_by": None if other is None else other.memory_id}
