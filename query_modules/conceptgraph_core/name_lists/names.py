"""Put names into packed lists, take them out, and find them there by substring."""

import heapq
from collections.abc import Iterator, Sequence
from typing import Any

from .. import folding, limits, text
from ..graph import adapter
from ..graph.adapter import Node
from ..layers import TextIndex
from . import schema


class Lists(adapter.Graph[Node]):
    """One call's view of the lists."""

    layer = schema.LAYER


def put(graph: adapter.Graph[Any], index: TextIndex, number: int) -> dict[str, int]:
    """Put the unlisted texts of *index* into new lists.

    The lists are numbered from *number* on; no other list may have such a number. The nodes get
    their forms, and the number in place of the mark for unlisted nodes. Returns listed, the number
    of names. Raises InvalidNumber.
    """
    number = text.integer(number, "number", 0, limits.MAX_INTEGER)
    lists = graph.another(Lists)
    entries: list[str] = []
    size = 0
    for node in graph.nodes():
        get = node.raw.get_property
        name = get(index.source)
        if node.label != index.label or get(index.listed) is not None or not schema.listable(name):
            continue
        entries.append(schema.entry(name))
        forms = {
            index.folded: folding.folded(name),
            index.other: folding.folded_if_other(name),
            index.plain: folding.plain_if_other(name),
            index.unlisted: None,
        }
        for key, value in forms.items():
            if get(key) != value:
                node.raw.set_property(key, value)
        node.raw.set_property(index.listed, number)
        size += 1
        if len(entries) == schema.SIZE:
            lists.create_node(schema.LIST, number=number, label=index.label, **schema.kept(entries))
            number, entries = number + 1, []
    if entries:
        lists.create_node(schema.LIST, number=number, label=index.label, **schema.kept(entries))
    return {"listed": size}


def take_out(graph: adapter.Graph[Any], index: TextIndex, node: Node) -> dict[str, None]:
    """Take the text of *node* out of its list, if it has one.

    Returns the properties that mark *node* as unlisted.
    """
    number, name = (node.raw.get_property(key) for key in (index.listed, index.source))
    if number is None:
        return {}
    entry = schema.entry(name)
    lists = graph.another(Lists)
    for one in lists.nodes():
        if one.raw.get_property("number") == number:
            entries = one.raw.get_property("names").strip(schema.AROUND).split(schema.AROUND)
            lists.update(one, **schema.kept(other for other in entries if other not in ("", entry)))
    return {index.listed: None}


def matching(
    graph: adapter.Graph[Any], index: TextIndex, keywords: Sequence[str], limit: int
) -> list[dict[str, str]]:
    """Return a row for each of the first *limit* listed texts of *index* that contain a keyword.

    They have the order of `folding.Keywords.place`, then that of the names. A text that no node has
    any more may be among them. Raises TooMuch beyond 100 keywords, InvalidNumber.
    """
    wanted = folding.keywords(text.keywords(keywords))
    most = text.integer(limit, "limit", 0, limits.MAX_INTEGER)
    names = [
        one.raw.get_property("names")
        for one in graph.another(Lists).nodes()
        if one.raw.get_property("label") == index.label
    ]
    places = []
    for entry in set(_having(graph, names, wanted.parts)):
        folded, plain, name = entry.split(schema.WITHIN)
        place = wanted.place_of(folded, plain) if plain else wanted.place_of(folded)
        if place != folding.ELSEWHERE:
            places.append((place, name or folded))
    return [{"name": name} for _, name in heapq.nsmallest(most, places)]


def _having(graph: adapter.Graph[Any], names: Sequence[str], parts: Sequence[str]) -> Iterator[str]:
    """Iterate over the entries that contain one of *parts*, once for each different part.

    A part that begins with the mark around entries belongs to the entry after that mark.
    """
    around = schema.AROUND
    for standing in names:
        graph.check_abort()
        find, before = standing.find, standing.rfind
        for part in parts:
            at = find(part)
            while at >= 0:
                start = before(around, 0, at + 1) + 1
                end = find(around, start)
                yield standing[start:end]
                at = find(part, end)
