"""What a question leads to beyond its own words: the other names of whom it names.

Memories know of no entity, and no edge joins them: they meet by name. Once Liz and Elisabeth are
merged, a question for Liz is one for Elisabeth too.
"""

from typing import Any, Final

from ...retrieval.question import asked_terms
from .. import names, schema
from ..identity import components
from ..node import Graph

Row = dict[str, Any]

# Another name of the same one counts as much as the name that is asked for.
SHARE: Final = 1.0
# Terms of a question; one entity may have hundreds of names.
MOST_TERMS: Final = 12


def widened(graph: Graph, asked: str) -> list[Row]:
    """Return the terms of the other names of the merged entities that *asked* names.

    The rows are those of `concepts.widening.widened`. An entity is named by its whole label. Raises
    LibraryMissing.
    """
    merged = [node for node in graph.of(schema.ENTITY) if node.get("merge_count")]
    if not merged:
        return []
    languages = graph.context.languages
    wanted, own = set(names.asked_for(asked, languages)), set(asked_terms(asked, languages))
    rows: dict[str, Row] = {}
    for node in sorted(merged, key=lambda one: one.age):
        if names.searched(names.canonical(node.bare)) not in wanted:
            continue
        said = node.bare
        for to in (one.bare for one in components.members(graph, node) if one is not node):
            told = {"said": said, "to": to, "why": f"{said} and {to} are merged"}
            for term in asked_terms(to, languages):
                if term not in own:
                    rows.setdefault(term, {"term": term, "share": SHARE, **told})
    return list(rows.values())[:MOST_TERMS]
