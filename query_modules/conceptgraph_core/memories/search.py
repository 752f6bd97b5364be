"""Find memories by their text: by words, and by vectors where texts are embedded."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import text, validators
from ..concepts import names
from ..concepts import node as concepts
from ..embeddings import remembered
from ..entities import node as entities
from ..entities.names import list_terms
from ..entities.narration import widening as merged
from ..errors import InvalidNumber
from ..graph.primitives import Lookup
from ..ranks import cosine_to
from ..retrieval.question import Further, asks_of_the_past, shorten
from ..retrieval.ranking import Associated
from ..retrieval.schema import checked_limit
from ..retrieval.searching import Search, list_matched
from . import lookups, near_duplicates, schema, standing
from .fade import EXPIRED
from .filters import Wanted
from .meaning import read_meant
from .view import AllMemories, DeletedMemories, ExpiredMemories, Graph, Node

Row = dict[str, Any]
_ANY = Wanted()


@dataclass(slots=True)
class Found:
    """A memory that matches a query; `match` is None without a query.

    `also` has the other memories with the same words. `by` found it, and `others` are the same
    memory as other wordings of the query found it, with lower scores.
    """

    node: Node
    score: float
    match: Associated[int] | None = None
    by: "Finder | None" = None
    also: tuple[Node, ...] = ()
    others: "tuple[Found, ...]" = ()

    @property
    def similarity(self) -> float | None:
        """The cosine to the query, computed on demand: few results need it."""
        return None if self.by is None else self.by.similarity(self.node)

    @property
    def is_heard(self) -> bool:
        """Whether only words that were heard when it was told lead to the memory, none of its own.

        Nearness in meaning does not count.
        """
        words = [word for one in self._list_matches() for word in one.words if word.term]
        return bool(words) and all(word.is_heard for word in words)

    @property
    def renews(self) -> tuple[int, ...]:
        """The texts of older memories on the same matter, by their ids in the index."""
        return tuple(text for one in self._list_matches() for text in one.renews)

    @property
    def matched(self) -> list[str]:
        """The words of the query that led to the memory, those of its best wording first."""
        found = (list_matched(one.words) for one in self._list_matches())
        return list(dict.fromkeys(word for words in found for word in words))

    @property
    def terms(self) -> dict[str, float]:
        """The terms of the query that the memory itself has, each with what its best one gave."""
        return {
            term: word.gave
            for one in reversed(self._list_matches())
            for word in one.words
            for (offset, _), term in zip(word.sources, word.terms, strict=True)
            if term and not offset
        }

    @property
    def in_period(self) -> bool:
        """Whether the memory is from a period that the query names."""
        return self.match is not None and self.match.factors.period > 1.0

    def _list_matches(self) -> list[Associated[int]]:
        return [one.match for one in (self, *self.others) if one.match is not None]


class Finder(Search):
    """A query to the memories of the call's user, by one wording (see `Wordings`).

    *vector* is the query's embedding by *model*, and *spelt* has rows of `spelling.correct`. The
    first one pulls what it reads for all wordings, of the nearest memories *depth* that are
    *wanted*, and what the caller reads *beside*. After *others*, finders of the same graph, it is
    another wording of the first one's query. The wordings but the first share one vector. Raises
    InvalidText, InvalidNumber, LibraryMissing, and EmbeddingMismatch if another model made the
    store's vectors.
    """

    def __init__(
        self,
        graph: AllMemories,
        query: str,
        vector: Sequence[float] = (),
        model: str | None = None,
        others: "Sequence[Finder]" = (),
        *,
        wanted: Wanted = _ANY,
        depth: int = schema.SEARCH_DEPTH,
        spelt: Sequence[Mapping[str, str]] = (),
        beside: Iterable[Lookup] = (),
    ) -> None:
        query = shorten(text.summary(query, "query"))
        self._memories = graph
        of = graph, schema.KIND, graph.context.user_id, query, "query"
        self._led: Sequence[Sequence[Row]]
        if others:
            self._led = others[0]._led
            super().__init__(*of, _read_further(self._led[len(others)]), others[0])
        else:
            self._led = pull_led_to(graph, query)
            vectors = [vector, *([graph.context.also_vector] if len(vector) else [])]
            scope = graph.context.user_id
            near = (look for one in vectors for look in lookups.near(scope, one, depth, wanted))
            own, related = _list_terms(graph, self._led, wanted, spelt)
            super().__init__(
                *(*of, _read_further(self._led[0])),
                wordings=graph.context.also,
                beside=own,
                related=related,
                spelt=spelt,
                pulled=[*beside, *near],
            )
        self._like = others[1] if len(others) > 1 else None
        if self._like is None:
            self._vector = comparable(graph, vector, model)
            self._similarities: dict[int, float | None] = {}
        else:
            self._vector, self._similarities = self._like._vector, self._like._similarities
        self._cosine = cosine_to(self._vector)

    def best(self, depth: int, wanted: Wanted) -> list[Found]:
        """Return the best *depth* memories that are *wanted*, by words and vectors; the best first.

        `retrieval.ranking` computes the score. Duplicates (the same words) are one result: the
        latest of them, with the best score. They do not use up places of other results.
        """
        wide = depth
        while True:
            ranked = self.ranked(wide, wanted)
            found = _once(ranked)
            if len(found) >= depth or len(ranked) < wide or wide >= schema.MAX_FILTERED:
                return found[:depth]
            wide *= 4

    def ranked(self, depth: int, wanted: Wanted) -> list[Found]:
        """Return the best *depth* memories that are *wanted*, each of several duplicates too."""
        if self._like is not None:
            self.expect_as(self._like)
        elif self._vector:
            near = self._similarities_of(wanted)
            first = max(depth, schema.NEAREST)
            others = [cosine for _, cosine in near[first:]] if len(near) >= first else None
            self.expect_near(dict(near[:first]), others)
        about, spoken = wanted.about, self._memories.context.languages
        self.narrow(
            wanted.within,
            None if about is None else [list(list_terms(one, spoken)) for one in about.names],
        )
        admits = functools.partial(wanted.admits, self._memories)
        return [Found(*hit, self) for hit in self.rank(depth, admits)]

    def _similarities_of(self, wanted: Wanted) -> list[tuple[str, float]]:
        """Return the memory ids and the cosines of what was looked up, the nearest first.

        These are the nearest memories, and some others (`schema.SAMPLED`).
        """
        graph = self._memories
        nodes = list(graph.nodes())
        self._similarities |= graph.cosines(nodes, "embedding", self._vector)
        others = [node for node in nodes if node.id not in self._similarities]
        graph.expect_vectors(others, "embedding")
        near = [
            (-similarity, node.memory_id)
            for node in nodes
            if (similarity := self.similarity(node)) is not None and wanted.admits(graph, node)
        ]
        return [(memory_id, -further) for further, memory_id in sorted(near)]

    def similarity(self, node: Node) -> float | None:
        """Return the cosine of *node* to the query; None without vectors."""
        if not self._vector:
            return None
        if node.id not in self._similarities:
            kept = node.raw.get_property("embedding")
            is_vector = isinstance(kept, (list, tuple))
            self._similarities[node.id] = self._cosine(kept) if is_vector else None
        return self._similarities[node.id]


class Wordings:
    """The finders of a query and of its other wordings, the context's `also`.

    A caller's model knows words that the query lacks: "allergy" for "what may I not cook for
    Clara?". Each wording is a query of its own, so none can make a memory weaker that another one
    finds. They share the look-up and the bound of mentions, of which the query itself takes its
    part first. Raises what `Finder` raises.

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


def search(
    graph: Graph,
    query: str | None = None,
    limit: int | None = schema.FOUND,
    source_filter: str | None = None,
    types: Sequence[str] = (),
    tags: Sequence[str] = (),
    states: Sequence[str] = (),
    vector: Sequence[float] = (),
    model: str | None = None,
) -> list[Row]:
    """Return the memories that match *query*, the best first, without counting an access.

    Those that another one replaced are left out, unless *query* asks for the past.

    Without a query, return the memories that pass the filters, the latest created or accessed
    first, without scores and matches.

    A row has the brief of a memory and:
    * score, matched, words and factors, see `Search.explain`;
    * similarity, the cosine, None without vectors;
    * memory, the node;
    * total, the number of results, counted up to 100 or the limit;
    * also, the number of duplicates (the same words), of which only the latest is a row;
    * contradicted_by, the id of a later memory that contradicts it and comes before it.

    Raises the errors of `Wanted` and `Finder`.
    """
    most = checked_limit(limit)
    wanted = Wanted.of(source_filter, types, tags, states)
    wanted = replace(wanted, ended=bool(query and asks_of_the_past(query)))
    depth = max(most, schema.SEARCH_DEPTH)
    if not query:
        graph.pull(lookups.listed_by(graph.context.user_id, wanted, depth))
        nodes = [node for node in graph.nodes() if wanted.admits(graph, node)]
        nodes.sort(key=lambda node: (-node.last, node.memory_id))
        found = _once([Found(node, 0.0) for node in nodes])
    else:
        query = shorten(text.summary(query, "query"))
        meant = read_meant(graph, query, vector)
        given = meant.vector, model
        finder = Finder(graph, query, *given, wanted=wanted, depth=depth, spelt=meant.spelt)
        found = finder.best(depth, wanted)
    shown, against = _later_first(graph, found, most)
    return [
        {
            **graph.brief(one.node),
            "score": round(one.score, schema.DECIMALS),
            "similarity": _round(one.similarity),
            "total": len(found),
            "also": len(one.also),
            **standing.mark(graph, one.node, against),
            "memory": graph.yielded(one.node),
            **_explain(one),
        }
        for one in shown
    ]


def _later_first(
    graph: Graph, found: Sequence[Found], most: int
) -> tuple[list[Found], dict[Node, Node]]:
    """Return *most* of *found*, contradicting memories first, and the contradictions."""
    by_node = {one.node: one for one in found}
    groups = [(one.node, *one.also) for one in found]
    first = list(by_node)[:most]
    against = standing.find_contradicting(graph, first, groups)
    later = [node for node in against.values() if node in by_node and node not in first]
    against |= standing.find_contradicting(graph, later, groups)
    ordered = near_duplicates.later_first([*first, *later], against)
    return [by_node[node] for node in ordered[:most]], against


def _once(ranked: Sequence[Found]) -> list[Found]:
    """Return the duplicates of *ranked* as one result each, the latest, at the best place.

    If the query names a period, the latest from that period is returned.
    """
    made = []
    by_node = {one.node: one for one in ranked}
    for group in near_duplicates.group_nodes(by_node):
        if len(group) == 1:
            made.append(by_node[group[0]])
            continue
        latest = max(group, key=lambda node: (by_node[node].in_period, near_duplicates.age(node)))
        others = tuple(node for node in group if node is not latest)
        made.append(replace(by_node[group[0]], node=latest, also=others))
    return made


def search_expired(
    gone: DeletedMemories,
    query: str | None = None,
    limit: int | None = schema.FOUND,
    source_filter: str | None = None,
    types: Sequence[str] = (),
    tags: Sequence[str] = (),
    forgotten: bool = False,
) -> list[Row]:
    """Return the hidden memories that match *query*; without one all of them, the latest first.

    Expired memories are hidden; with *forgotten*, forgotten memories are included too. A row has
    the brief of a memory and:
    * deleted_at (unix ms);
    * forgotten, whether somebody forgot it;
    * total, the number of results, for a query counted up to 100 or the limit.

    Raises the errors of `search`.
    """
    graph: AllMemories = gone if forgotten else gone.another(ExpiredMemories)
    most = checked_limit(limit)
    wanted = Wanted.of(source_filter, types, tags)
    if query is None:
        graph.pull(lookups.latest(graph.context.user_id, [EXPIRED], schema.MAX_COUNTED))
        found = [node for node in graph.nodes() if wanted.admits(graph, node)]
        found.sort(key=lambda node: (-node.last, node.memory_id))
    else:
        best = Finder(graph, query).best(max(most, schema.SEARCH_DEPTH), wanted)
        found = [one.node for one in best]
    return [
        {
            **graph.brief(node),
            "deleted_at": node.get("deleted_at"),
            "forgotten": node.is_forgotten,
            "total": len(found),
        }
        for node in found[:most]
    ]


def pull_led_to(graph: AllMemories, query: str) -> list[list[Row]]:
    """Return the rows of terms that *query* and each other wording, the context's `also`, lead to.

    Terms of the other names of merged entities precede terms of the neighbours of concepts.
    """
    wordings = (query, *graph.context.also)
    named, called = graph.another(concepts.Graph), graph.another(entities.Graph)
    spoken = graph.context.languages
    graph.pull(*lookups.leading(wordings, graph.context.user_id, named.scope, spoken))
    has_names, has_concepts = any(called.nodes()), any(named.nodes())
    led: list[list[Row]] = []
    for one in wordings:
        rows = merged.widened(called, one) if has_names else []
        if has_concepts:
            rows += ({**row, "covers": 1.0} for row in names.widen(named, one))
        # Keep the first row of each term.
        led.append(list({row["term"]: row for row in reversed(rows)}.values())[::-1])
    return led


def _list_terms(
    graph: AllMemories,
    led: Sequence[Sequence[Row]],
    wanted: Wanted,
    spelt: Sequence[Mapping[str, str]],
) -> tuple[list[str], list[str]]:
    """Return the terms that a query reads beside its own, and those that it and others lead to."""
    beside, related = [], [row["term"] for rows in led for row in rows]
    if wanted.about is not None:
        spoken = graph.context.languages
        called, *others = (list_terms(one, spoken) for one in wanted.about.names)
        beside = [term for word in called for term in word]
        named = others[: merged.MOST_NAMES_SOUGHT]
        related += (term for words in named for word in words for term in word)
    related += (term for _, term, _, _ in graph.context.neighbours)
    return beside, [*related, *(one["term"] for one in spelt)]


def _read_further(rows: Sequence[Row]) -> list[Further]:
    fields = (*names.FIELDS, "covers")
    return [Further(*(row[name] for name in fields)) for row in rows]


def comparable(graph: AllMemories, vector: Sequence[float], model: str | None) -> tuple[float, ...]:
    """Return *vector*, or an empty one if the store has no vectors to compare it with yet."""
    if not len(vector) or remembered.read_embedding(graph) is None:
        return ()
    if model is None:
        raise InvalidNumber("model: must say by which embedding the vector is")
    made = tuple(validators.vector(vector, "vector"))
    remembered.check(graph, text.name(model, "model"), len(made))
    return made


def _explain(found: Found) -> Row:
    if found.by is None or found.match is None:
        return {"matched": [], "words": [], "factors": {}}
    return found.by.explain(found.match)


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, schema.DECIMALS)
