"""Put names into packed lists, take them out, and find them there by substring."""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .. import folding, limits, text
from ..graph import adapter
from ..graph.adapter import Node
from ..layers import TextIndex
from . import schema

# The place of texts that contain a key after their beginning.
_INSIDE: Final = 2


class Lists(adapter.Graph[Node]):
    """One call's view of the lists."""

    layer = schema.LAYER


class Created:
    """Lists of the texts of *index* that one call creates, *expected* at most.

    The importer then pays for its lists, and neither searches nor new connections do. A host with
    look-ups during a call searches without lists.
    """

    def __init__(self, graph: adapter.Graph[Any], index: TextIndex, expected: int) -> None:
        self.index = index
        self._lists = graph.another(Lists)
        has_look_ups = graph.looked_up(schema.LIST, ("number",), ()) is not None
        self._is_used = expected >= schema.MANY and not has_look_ups
        self._list: Node | None = None
        self._entries: list[str] = []

    def listed(self, derived: Mapping[str, Any], name: Any) -> dict[str, Any]:
        """Return *derived* for a new node called *name*, with its list in place of the mark."""
        index = self.index
        if not (self._is_used and derived.get(index.unlisted) and schema.listable(name)):
            return dict(derived)
        if self._list is None:
            self._list = self._lists.create_node(schema.LIST, label=index.label)
        self._entries.append(schema.entry(name))
        # No list of `put` has a number below 0, and no other list this one.
        placed = {**derived, index.unlisted: None, index.listed: -1 - self._list.id}
        if len(self._entries) == schema.SIZE:
            self.finish()
        return placed

    def finish(self) -> None:
        """Store the names of the last list."""
        if self._list is not None:
            number = -1 - self._list.id
            self._lists.update(self._list, number=number, **schema.make_properties(self._entries))
        self._list, self._entries = None, []


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
            index.folded: folding.fold(name),
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
            lists.create_node(
                schema.LIST, number=number, label=index.label, **schema.make_properties(entries)
            )
            number, entries = number + 1, []
    if entries:
        lists.create_node(
            schema.LIST, number=number, label=index.label, **schema.make_properties(entries)
        )
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
            lists.update(
                one,
                **schema.make_properties(other for other in entries if other not in ("", entry)),
            )
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


def similar(
    graph: adapter.Graph[Any], index: TextIndex, keys: Sequence[str], limit: int
) -> list[dict[str, str]]:
    """Return a row for the first *limit* listed texts of *index* that resemble each of *keys*.

    A key is squeezed as `folding` does it. Texts that equal it come first, then those that begin
    with it, then those that contain it, each group by the text. A text that no node has any more
    may be among them. Raises TooMuch beyond 100 keys, InvalidNumber.
    """
    wanted = text.keywords(keys)
    most = text.integer(limit, "limit", 0, limits.MAX_INTEGER)
    # Memgraph copies a list's names at each reading.
    standing = [
        one.raw.get_property("names")
        for one in graph.another(Lists).nodes()
        if one.raw.get_property("label") == index.label
    ]
    names = [(one.replace(" ", ""), one) for one in standing]
    found: list[tuple[int, str]] = []
    for key in wanted:
        # Texts that begin with the key are few beside those that contain it.
        begun = (schema.AROUND + key, schema.WITHIN + key)
        first = [one for one in _alike(graph, names, key, begun) if one[0] < _INSIDE]
        if len(first) < most:
            first = list(_alike(graph, names, key, (key,)))
        found += heapq.nsmallest(most, set(first))
    return [{"name": name} for _, name in found]


def _alike(
    graph: adapter.Graph[Any], names: Sequence[tuple[str, str]], key: str, parts: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """Iterate over (place, text) of the entries with one of *parts* that resemble *key*.

    *names* are those of each list, squeezed and as they are.
    """
    for squeezed, standing in names:
        graph.check_abort()
        entries: list[str] = []
        for part in parts:
            at, before, number = squeezed.find(part), 0, 0
            while at >= 0:
                entries = entries or standing.split(schema.AROUND)
                # An entry has the same number in both texts.
                number += squeezed.count(schema.AROUND, before, at + 1)
                before = at + 1
                folded, plain, name = entries[number].split(schema.WITHIN)
                alike = (plain or folded).replace(" ", "")
                if key in alike:
                    place = 0 if alike == key else 1 if alike.startswith(key) else _INSIDE
                    yield place, name or folded
                at = squeezed.find(part, before)


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
