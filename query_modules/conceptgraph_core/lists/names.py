"""Putting names into lists, taking them out again, and finding them there by a part of them."""

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
    """Put the texts of *index* that are in no list yet into new ones.

    The lists are numbered from *number* on; no other has such a number. The nodes keep their folded
    forms and the number; their plain form is kept in the list alone. Returns listed, how many names
    it were. Raises InvalidNumber.
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
        folded = folding.folded(name)
        entries.append(schema.entry(folded, folding.plain_if_other(name), name))
        other = folding.folded_if_other(name)
        for key, value in ((index.folded, folded), (index.other, other)):
            if get(key) != value:
                node.raw.set_property(key, value)
        node.raw.set_property(index.plain, None)
        node.raw.set_property(index.listed, number)
        size += 1
        if len(entries) == schema.SIZE:
            lists.create_node(schema.LIST, number=number, of=index.label, **schema.kept(entries))
            number, entries = number + 1, []
    if entries:
        lists.create_node(schema.LIST, number=number, of=index.label, **schema.kept(entries))
    return {"listed": size}


def take_out(graph: adapter.Graph[Any], index: TextIndex, node: Node) -> dict[str, None]:
    """Take the text of *node* out of the list that has it, if one does.

    Returns the properties with which *node* is in no list.
    """
    number, name = (node.raw.get_property(key) for key in (index.listed, index.source))
    if number is None:
        return {}
    entry = schema.entry(folding.folded(name), folding.plain_if_other(name), name)
    lists = graph.another(Lists)
    for one in lists.nodes():
        if one.raw.get_property("number") == number:
            entries = one.raw.get_property("names").strip(schema.AROUND).split(schema.AROUND)
            lists.update(one, **schema.kept(other for other in entries if other not in ("", entry)))
    return {index.listed: None}


def matching(
    graph: adapter.Graph[Any], index: TextIndex, keywords: Sequence[str], limit: int
) -> list[dict[str, str]]:
    """Return a row for each of the first *limit* texts of *index* in lists that have a keyword.

    In the order of `folding.Keywords.place`, equally placed ones by the name. One that nobody has
    any more may be among them. Raises TooMuch beyond 100 keywords, InvalidNumber.
    """
    wanted = folding.keywords(text.keywords(keywords))
    most = text.integer(limit, "limit", 0, limits.MAX_INTEGER)
    names = [
        one.raw.get_property("names")
        for one in graph.another(Lists).nodes()
        if one.raw.get_property("of") == index.label
    ]
    # What begins with a keyword is looked for first: where that is enough, nothing else need be.
    begins = [mark + part for mark in (schema.AROUND, schema.WITHIN) for part in wanted.parts]
    found: dict[str, int] = {}
    for parts in (begins, wanted.parts):
        for entry in _having(graph, names, parts):
            if entry not in found:
                folded, plain, _ = entry.split(schema.WITHIN)
                found[entry] = wanted.place_of(folded, plain) if plain else wanted.place_of(folded)
        if len(found) >= most:
            break
    places = ((place, schema.read(entry)[2]) for entry, place in found.items())
    first = heapq.nsmallest(most, (one for one in places if one[0] != folding.ELSEWHERE))
    return [{"name": name} for _, name in first]


def _having(graph: adapter.Graph[Any], names: Sequence[str], parts: Sequence[str]) -> Iterator[str]:
    """Iterate over the entries that have one of *parts*, as often as they have different ones.

    A part that begins with the mark around entries is in the entry after that mark.
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
