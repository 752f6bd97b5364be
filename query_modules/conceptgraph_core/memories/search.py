"""Find memories by their text: by words, and by vectors where texts are embedded."""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import text, validators
from ..concepts import node as concepts
from ..concepts import widening
from ..embeddings import remembered
from ..entities import node as entities
from ..entities import subjects
from ..entities.narration import widening as merged
from ..errors import InvalidNumber
from ..graph.primitives import Lookup
from ..ranks import cosine_to
from ..retrieval.question import Cue, Further, asks_of_the_past, shorten
from ..retrieval.schema import checked_limit
from ..retrieval.searching import Hit, Reading, Search
from . import lookups, near_duplicates, schema, standing
from .fade import EXPIRED
from .filters import Wanted
from .lookups import near
from .meaning import read_meant
from .view import AllMemories, DeletedMemories, ExpiredMemories, Graph, Node

Row = dict[str, Any]
_ANY = Wanted()


@dataclass(slots=True)
class Found:
    """A memory that matches a query; `hit` is None without a query.

    `also` has the other memories with the same words. `by` found it, and `others` are the same
    memory as other wordings of the query found it, with lower scores.
    """

    node: Node
    score: float
    hit: Hit | None
    also: tuple[Node, ...] = ()
    by: "Finder | None" = None
    others: "tuple[Found, ...]" = ()
    _similarity: Callable[[Node], float | None] = lambda _: None

    @property
    def similarity(self) -> float | None:
        """The cosine to the query, computed on demand: few results need it."""
        return self._similarity(self.node)

    @property
    def is_heard(self) -> bool:
        """Whether only words that were heard when it was told lead to the memory, none of its own.

        Nearness in meaning does not count.
        """
        hits = (one.hit for one in (self, *self.others))
        words = [word for hit in hits if hit is not None for word in hit.found.words if word.term]
        return bool(words) and all(word.is_heard for word in words)

    @property
    def renews(self) -> tuple[int, ...]:
        """The texts of older memories on the same matter, by their ids in the index."""
        hits = (one.hit for one in (self, *self.others))
        return tuple(text for hit in hits if hit is not None for text in hit.found.renews)

    @property
    def matched(self) -> list[str]:
        """The words of the query that led to the memory, those of its best wording first."""
        found = (one.by.matched(one) for one in (self, *self.others) if one.by is not None)
        return list(dict.fromkeys(word for words in found for word in words))

    @property
    def terms(self) -> dict[str, float]:
        """The terms of the query that the memory itself has, each with what it gave."""
        hits = (one.hit for one in (*self.others, self))
        return {
            term: word.gave
            for hit in hits
            if hit is not None
            for word in hit.found.words
            for (offset, _), term in zip(word.sources, word.terms, strict=True)
            if term and not offset
        }

    @property
    def in_period(self) -> bool:
        """Whether the memory is from a period that the query names."""
        return self.hit is not None and self.hit.found.factors.period > 1.0


class Finder:
    """A query to the memories of the call's user, by one wording (see `wordings.Wordings`).

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
        scope = graph.context.user_id
        self._search: Search
        self._led: Sequence[Sequence[Row]]
        if others:
            self._led, first = others[0]._led, others[0]._search
            further = _read_further(self._led[len(others)])
            self._search = Search(graph, schema.KIND, scope, query, "query", further, first)
        else:
            self._led = pull_led_to(graph, query)
            self._search = _pull_search(
                graph, query, self._led, vector, wanted, depth, spelt, beside
            )
        self._graph = graph
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
            self._search.expect_as(self._like._search)
        elif self._vector:
            near = self._similarities_of(wanted)
            first = max(depth, schema.NEAREST)
            others = [cosine for _, cosine in near[first:]] if len(near) >= first else None
            self._search.expect_near(dict(near[:first]), others)
        about, spoken = wanted.about, self._graph.context.languages
        self._search.narrow(
            wanted.within,
            None if about is None else [list(subjects.terms(one, spoken)) for one in about.names],
        )
        admits = functools.partial(wanted.admits, self._graph)
        return [
            Found(hit.node, hit.score, hit, (), self, _similarity=self.similarity)
            for hit in self._search.best(depth, admits)
        ]

    @property
    def reading(self) -> Reading:
        """How the query compares with all texts, once `best` was called."""
        return self._search.read()

    def covered(self, found: Found) -> float:
        """Return the share of the words of the query that *found* has (`Search.covered`)."""
        return 0.0 if found.hit is None else self._search.covered(found.hit)

    def covering(self, found: Found) -> Sequence[tuple[Cue, float, bool]]:
        """Return the cues that lead to *found* (`Search.covering`)."""
        return () if found.hit is None else self._search.covering(found.hit)

    def evidence(self, found: Found) -> dict[str, float]:
        """Return the words of the query that *found* has, with weights (`Search.evidence`)."""
        return {} if found.hit is None else self._search.evidence(found.hit)

    @property
    def content(self) -> frozenset[str]:
        """The words of the query that neither only ask nor say little."""
        return self._search.content

    def explained(self, found: Found) -> Row:
        """Return `matched`, `words` and `factors`, as in `retrieval.searching.search`."""
        if found.hit is None:
            return {"matched": [], "words": [], "factors": {}}
        return self._search.explained(found.hit)

    def matched(self, found: Found) -> list[str]:
        """Return `matched` alone."""
        return [] if found.hit is None else self._search.matched(found.hit)

    def _similarities_of(self, wanted: Wanted) -> list[tuple[str, float]]:
        """Return the memory ids and the cosines of what was looked up, the nearest first.

        These are the nearest memories, and some others (`schema.SAMPLED`).
        """
        nodes = list(self._graph.nodes())
        self._similarities |= self._graph.cosines(nodes, "embedding", self._vector)
        others = [node for node in nodes if node.id not in self._similarities]
        self._graph.expect_vectors(others, "embedding")
        near = [
            (-similarity, node.memory_id)
            for node in nodes
            if (similarity := self.similarity(node)) is not None
            and wanted.admits(self._graph, node)
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


class _Latest:
    """Finds the latest memories, for a search without a query."""

    def __init__(self, graph: AllMemories) -> None:
        self._graph = graph

    def best(self, _: int, wanted: Wanted) -> list[Found]:
        """Return all memories that are *wanted*, the latest created or accessed first."""
        nodes = [node for node in self._graph.nodes() if wanted.admits(self._graph, node)]
        nodes.sort(key=lambda node: (-node.last, node.memory_id))
        return _once([Found(node, 0.0, None) for node in nodes])

    def explained(self, _: Found) -> Row:
        return {"matched": [], "words": [], "factors": {}}


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
    * score, matched, words and factors, see `retrieval.searching.search`;
    * similarity, the cosine, None without vectors;
    * memory, the node;
    * total, the number of results, counted up to 100 or the limit;
    * also, the number of duplicates (the same words), of which only the latest is a row;
    * contradicted_by, the id of a later memory that contradicts it and comes before it.

    Raises the errors of `Wanted` and `Finder`.
    """
    most = checked_limit(limit)
    wanted = Wanted.of(source_filter, types, tags, states)
    wanted = replace(wanted, ended=query is not None and asks_of_the_past(query))
    depth = max(most, schema.SEARCH_DEPTH)
    if query is None:
        graph.pull(lookups.listed_by(graph.context.user_id, wanted, depth))
        finder: Finder | _Latest = _Latest(graph)
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
            **finder.explained(one),
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
            rows += ({**row, "covers": 1.0} for row in widening.widen(named, one))
        # Keep the first row of each term.
        led.append(list({row["term"]: row for row in reversed(rows)}.values())[::-1])
    return led


def _pull_search(
    graph: AllMemories,
    query: str,
    led: Sequence[Sequence[Row]],
    vector: Sequence[float],
    wanted: Wanted,
    depth: int,
    spelt: Sequence[Mapping[str, str]],
    pulled: Iterable[Lookup],
) -> Search:
    """Return the search for *query*, which has *pulled* that and what each wording needs."""
    context, scope = graph.context, graph.context.user_id
    beside, related = [], [row["term"] for rows in led for row in rows]
    if wanted.about is not None:
        called, *others = (subjects.terms(one, context.languages) for one in wanted.about.names)
        beside = [term for word in called for term in word]
        named = others[: merged.MOST_NAMES_SOUGHT]
        related += (term for words in named for word in words for term in word)
    related += (term for _, term, _, _ in context.neighbours)
    related += (one["term"] for one in spelt)
    vectors = [vector, *([context.also_vector] if len(vector) else [])]
    return Search(
        *(graph, schema.KIND, scope, query, "query", _read_further(led[0])),
        wordings=context.also,
        beside=beside,
        related=related,
        spelt=spelt,
        pulled=[*pulled, *(look for one in vectors for look in near(scope, one, depth, wanted))],
    )


def _read_further(rows: Sequence[Row]) -> list[Further]:
    fields = (*widening.FIELDS, "covers")
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


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, schema.DECIMALS)
