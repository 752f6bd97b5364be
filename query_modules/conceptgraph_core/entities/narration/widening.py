"""Widen a query by the names of the entities it means.

No edge joins memories and entities: they meet by name. Once Liz and Elisabeth are merged, a query
for Liz is one for Elisabeth too; and a query for my son is one for Jan.
"""

from collections.abc import Iterator
from typing import Any, Final

from ...retrieval.question import asked_terms
from .. import names, schema
from ..identity import components
from ..node import Graph, Node
from . import named, narrative

Row = dict[str, Any]

# Another name of the same entity counts as much as the name in the query.
SHARE: Final = 1.0
# The most terms of a query; one entity may have hundreds of names.
MOST_TERMS: Final = 12


def widened(graph: Graph, asked: str) -> list[Row]:
    """Return the terms of the entities' names that *asked* means but does not contain.

    The rows are those of `concepts.widening.widened`: the other names of merged entities that a
    whole label names, and the names that a kind means in the query, "my son". Raises
    LibraryMissing.
    """
    languages = graph.context.languages
    own = set(asked_terms(asked, languages))
    rows: dict[str, Row] = {}
    for said, to, why in (*_merged(graph, asked), *_of_kinds(graph, asked)):
        for term in asked_terms(to, languages):
            if term not in own:
                told = {"said": said, "to": to, "why": why}
                rows.setdefault(term, {"term": term, "share": SHARE, **told})
    return list(rows.values())[:MOST_TERMS]


def _merged(graph: Graph, asked: str) -> Iterator[tuple[str, str, str]]:
    """Yield the name in the query, the other names of its entity, and the reason."""
    merged = [node for node in graph.of(schema.ENTITY) if node.get("merge_count")]
    wanted = set(names.asked_for(asked, graph.context.languages)) if merged else set()
    for node in sorted(merged, key=lambda one: one.age):
        if names.searched(names.canonical(node.bare)) in wanted:
            others = (one.bare for one in components.members(graph, node) if one is not node)
            yield from ((node.bare, to, f"{node.bare} and {to} are merged") for to in others)


def _of_kinds(graph: Graph, asked: str) -> Iterator[tuple[str, str, str]]:
    """Yield the words for a kind in *asked*, the names they mean, and the reason."""
    read = named.read(asked)
    places = {place for each in read.kinds.values() for place in each}
    if not places:
        return
    for node, place in narrative.named_by(graph, asked):
        if place in places:
            said = read.words[place[0]].bare.casefold()
            members: list[Node] = components.members(graph, node)
            for to in dict.fromkeys(one.bare for one in members):
                yield said, to, f"{to} is the {said}"
