"""When two memories say the same, and in which order those are listed that do not agree."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from .view import Node

_PUNCTUATION: Final = ".,;:!?\"()…“”„‚‘’'"

# Who says it and in which words: what is equal in both is shown once.
Saying = tuple[str | None, tuple[str, ...]]


def words(text: str) -> tuple[str, ...]:
    """Return the words of *text*, in whatever case, without the punctuation around them.

    Only the same words are the same: what differs in one, be it a number or a day, is another text.
    """
    # Of every row of a list.
    folded = (text if text.isascii() else composed(text)).casefold()
    return tuple(filter(None, [word.strip(_PUNCTUATION) for word in folded.split()]))


def saying(node: Node) -> Saying:
    """Return who says what *node* does, and in which words."""
    content, speaker = node.content, node.raw.get_property("speaker")
    # Of what has no words, the text itself.
    return None if speaker is None else node.value("speaker"), words(content) or (content,)


def composed(text: str) -> str:
    """Return *text* with each letter and its accents as one character (NFC)."""
    return unicodedata.normalize("NFC", text)


def told_at(node: Node) -> int:
    """Return when what *node* says was said, or else when it was kept; unix ms."""
    said_at = node.value("said_at")
    return int(node.value("created_at") if said_at is None else said_at)


def age(node: Node) -> tuple[int, str]:
    """Return a key by which the later memory is the greater, of one time that of the greater id."""
    return told_at(node), node.memory_id


def grouped(nodes: Iterable[Node]) -> list[list[Node]]:
    """Return *nodes*, those that say the same together, where the first of them is."""
    groups: dict[Saying, list[Node]] = {}
    for node in nodes:
        groups.setdefault(saying(node), []).append(node)
    return list(groups.values())


def shown_first(shown: Iterable[Node], groups: Iterable[Sequence[Node]]) -> list[list[Node]]:
    """Return *groups*, in each the one of *shown* that stands for it before the others."""
    pairs = zip(shown, groups, strict=True)
    return [[one, *(node for node in group if node is not one)] for one, group in pairs]


def later_first(nodes: Sequence[Node], against: dict[Node, Node]) -> list[Node]:
    """Return *nodes* in their order, but each after the one that stands *against* it."""
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
