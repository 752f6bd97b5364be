"""Compare the wording of memories, and order those that contradict one another."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from ..graph.raw import keep
from .view import Node, read_content

# So many words tell most texts apart, and stand among the first of so many.
_COMPARED, _READ = 4, 8
_PUNCTUATION: Final = ".,;:!?\"()…“”„‚‘’'"

# The speaker and the words of a text: memories equal in both are shown once.
Saying = tuple[str | None, tuple[str, ...]]


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


def told_at(node: Node) -> int:
    """Return the time at which *node* happened or was said, or else was stored; unix ms."""
    return node.told_at


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
