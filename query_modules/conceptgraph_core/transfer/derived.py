"""Find what is wrong with what the program derives from the graph: words and name lists."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from ..graph import adapter
from ..graph.adapter import Node
from ..name_lists.schema import LAYER as LISTS
from ..name_lists.schema import LIST
from ..retrieval import schema
from ..retrieval.schema import LAYER as WORDS
from .view import Everything

_SCHEMA: Final = (
    *((name, str) for name in ("scope", "name", "label", "key", "thread", "speaker")),
    *((name, int) for name in ("node", "length", "position", "said_at", "told_at")),
    *((name, int) for name in ("texts", "part", "grouped")),
    *((name, (list, tuple)) for name in ("speakers", schema.NEAR)),
)
# Without them a node cannot be read.
_NEEDED: Final = {
    schema.TERM: ("scope", "name"),
    schema.TEXT: ("scope", "label", "key", "length", "node"),
    schema.SPEAKER: ("scope", "name"),
    schema.CORPUS: ("scope", "part", "texts", "length"),
}


class Words(adapter.Graph[Node]):
    """One call's view of the index of words, whatever was looked up."""

    layer = WORDS


class Lists(adapter.Graph[Node]):
    """One call's view of the lists of names."""

    layer = LISTS


def numbers_of_lists(graph: Everything) -> set[int]:
    """Return the numbers of the lists of names that can be read."""
    return {one.raw.get_property("number") for one in graph.another(Lists).nodes() if _is_list(one)}


def odd_lists(graph: Everything) -> list[Node]:
    return [one for one in graph.another(Lists).nodes() if not _is_list(one)]


def _is_list(node: Node) -> bool:
    get = node.raw.get_property
    given = (("number", int), ("label", str), ("names", str), ("size", int))
    return node.label == LIST and all(type(get(name)) is kind for name, kind in given)


def is_lost(graph: Everything, node: Node, lists: set[int]) -> bool:
    """Tell whether *node* is said to be in one of *lists*, and is in none."""
    get = node.raw.get_property
    of_label = (one for one in graph.layer_of(node.label).texts if one.label == node.label)
    return any(get(one.listed) is not None and get(one.listed) not in lists for one in of_label)


def are_words_damaged(words: Words) -> bool:
    """Tell whether a node of the index has a wrong value, or a text lacks words."""
    # By scope, the texts and their lengths: as they are, less as they are counted.
    sums: Counter[tuple[str, str]] = Counter()
    for node in words.nodes():
        get = node.raw.get_property
        if any(get(name) is None for name in _NEEDED[node.label]):
            return True
        values = ((get(name), kind) for name, kind in _SCHEMA)
        if any(value is not None and not _is_a(value, kind) for value, kind in values):
            return True
        scope = get("scope")
        if node.label == schema.CORPUS:
            sums["texts", scope] -= get("texts")
            sums["length", scope] -= get("length")
        elif node.label == schema.TEXT:
            sums["texts", scope] += 1
            sums["length", scope] += get("length")
            if not _has_its_words(words, node):
                return True
    return any(sums.values())


def _has_its_words(words: Words, text: Node) -> bool:
    counts = [
        edge.get_property(schema.COUNT)
        for edge, _, other, outgoing in words.edges(text, (True,))
        if outgoing and other.label == schema.TERM
    ]
    if any(type(count) not in (int, float) for count in counts):
        return False
    own = int(sum(count for count in counts if count != schema.HEARD_COUNT)) or len(counts)
    return bool(own == text.raw.get_property("length"))


def _is_a(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def in_order_of_removal(words: Words) -> Iterator[Node]:
    """Yield the nodes of the index; while texts are left, it counts as damaged."""
    nodes = list(words.nodes())
    order = (schema.TERM, schema.SPEAKER, schema.CORPUS, schema.TEXT)
    yield from sorted(nodes, key=lambda node: order.index(node.label))
