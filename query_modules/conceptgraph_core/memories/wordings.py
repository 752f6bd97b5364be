"""Find memories by several wordings of one query: the query itself, and the context's `also`.

A caller's model knows words that the query lacks: "allergy" for "what may I not cook for Clara?".
Each wording is a query of its own, so none can make a memory weaker that another one finds. They
share the look-up and the bound of mentions, of which the query itself takes its part first.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from .filters import Wanted
from .search import Finder, Found
from .view import AllMemories

_ANY: Final = Wanted()


class Wordings:
    """The finders of a query and of its other wordings; raises what `Finder` raises.

    *vector* is the query's; the context has one of the other wordings together, which counts if the
    query has one too. Vectors find what is *wanted*; *spelt* has rows of `spelling.correct`.
    """

    def __init__(
        self,
        graph: AllMemories,
        query: str,
        vector: Sequence[float] = (),
        model: str | None = None,
        *,
        wanted: Wanted = _ANY,
        spelt: Sequence[Mapping[str, str]] = (),
    ) -> None:
        self._finders = [Finder(graph, query, vector, model, wanted=wanted, spelt=spelt)]
        also = graph.context.also_vector if len(vector) else (), model
        for wording in graph.context.also:
            self._finders.append(Finder(graph, wording, *also, others=self._finders))

    def each(self, depth: int, wanted: Wanted) -> list[tuple[Finder, list[Found]]]:
        """Return, for each wording, what finds by it, and the best *depth* memories it finds."""
        return [(finder, _set_apart(finder.best(depth, wanted))) for finder in self._finders]

    def best(self, depth: int, wanted: Wanted) -> list[Found]:
        """Return the best *depth* memories of each wording, the best first."""
        return merge_found([found for _, found in self.each(depth, wanted)])


def merge_found(lists: Iterable[Sequence[Found]]) -> list[Found]:
    """Return the memories of all *lists*, each once, with its best score, the best first.

    A list may put a memory before a better one, a later text before the one that it renews. It
    counts as much as that one here, so that the order within a list stays.
    """
    given = [found for found in lists if found]
    if len(given) == 1:
        return list(given[0])
    ranks: dict[int, float] = {}
    best: dict[int, Found] = {}
    for found in given:
        rank = 0.0
        for one in reversed(found):
            rank = max(rank, one.score)
            ranks[one.node.id] = max(rank, ranks.get(one.node.id, 0.0))
        for one in found:
            known = best.get(one.node.id)
            best[one.node.id] = one if known is None else _join_found(known, one)
    return sorted(best.values(), key=lambda one: -ranks[one.node.id])


def _set_apart(found: Sequence[Found]) -> list[Found]:
    """Return *found* without texts that only what the user said leads to, if that led to others.

    Several texts may be made from the same words. The one that has a word of the query itself is
    the one that is asked for.
    """
    if all(one.node.raw.get_property("said") is None for one in found):
        return list(found)
    heard = [one for one in found if one.node.get("said") is not None and one.is_heard]
    others = {one.node.get("said") for one in found if one not in heard}
    return [one for one in found if one not in heard or one.node.get("said") not in others]


def _join_found(one: Found, other: Found) -> Found:
    if one.score < other.score:
        one, other = other, one
    also = tuple(dict.fromkeys((*one.also, *other.also)))
    others = (*one.others, replace(other, others=()), *other.others)
    return replace(one, also=also, others=others)
