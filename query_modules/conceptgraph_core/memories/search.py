"""Find memories by their text: by words, and by vectors where texts are embedded."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..concepts import names
from ..concepts import node as concepts
from ..embeddings import remembered
from ..entities import node as entities
from ..entities.names import list_terms
from ..entities.narration import widening as merged
from ..graph.primitives import Lookup
from ..retrieval import documents, spelling
from ..retrieval.graph_index import StoredIndex, leave_out_speakers
from ..retrieval.indexer import Words
from ..retrieval.question import Further, asks_of_the_past, shorten
from ..retrieval.ranks import cosine_to
from ..retrieval.schema import DEFAULT_LIMIT, MAX_LIMIT
from ..retrieval.searching import Found, Search, Texts, merge_found
from ..texts import text
from ..texts.words import missing
from ..verbs import validators
from ..verbs.errors import InvalidNumber
from ..verbs.limits import MAX_SUMMARY
from . import lookups, schema, standing
from .fade import EXPIRED
from .filters import Wanted
from .view import AllMemories, DeletedMemories, ExpiredMemories, Graph, Node

Row = dict[str, Any]
_ANY = Wanted()
_NO_MATCH: Row = {"matched": [], "words": [], "factors": {}}


class _Vector:
    """The vector of a question, and the cosines of memories to it, each computed once."""

    def __init__(self, graph: AllMemories, vector: Sequence[float], model: str | None) -> None:
        self._graph = graph
        self.numbers = comparable(graph, vector, model)
        self._cosine = cosine_to(self.numbers)
        self._known: dict[int, float | None] = {}
        self._near: tuple[Wanted, list[tuple[str, float]]] | None = None

    def similarity(self, node: Node) -> float | None:
        """Return the cosine of *node* to the question; None without vectors."""
        if not self.numbers:
            return None
        if node.id not in self._known:
            kept = node.raw.get_property("embedding")
            is_vector = isinstance(kept, (list, tuple))
            self._known[node.id] = self._cosine(kept) if is_vector else None
        return self._known[node.id]

    def list_near(self, wanted: Wanted) -> list[tuple[str, float]]:
        """Return the memory ids and the cosines of what was looked up, the nearest first.

        These are the nearest memories, and some others (`schema.SAMPLED`).
        """
        if self._near is not None and self._near[0] == wanted:
            return self._near[1]
        graph = self._graph
        nodes = list(graph.nodes())
        self._known |= graph.cosines(nodes, "embedding", self.numbers)
        graph.expect_vectors([one for one in nodes if one.id not in self._known], "embedding")
        near = [
            (-similarity, node.memory_id)
            for node in nodes
            if (similarity := self.similarity(node)) is not None and wanted.admits(graph, node)
        ]
        self._near = wanted, [(memory_id, -further) for further, memory_id in sorted(near)]
        return self._near[1]


class Finder(Search):
    """One wording of a query to the memories of the call's user; `find_each` asks them."""

    def __init__(
        self,
        texts: Texts,
        query: str,
        led: Sequence[Row],
        vector: _Vector,
        first: "Finder | None" = None,
    ) -> None:
        fields = (*names.FIELDS, "covers")
        further = [Further(*(row[name] for name in fields)) for row in led]
        super().__init__(texts, query, "query", further, first)
        self._vector = vector

    def similarity(self, node: Node) -> float | None:
        """Return the cosine of *node* to the query; None without vectors."""
        return self._vector.similarity(node)

    def ranked(self, depth: int, wanted: Wanted) -> list[Found]:
        """Return the best *depth* memories that are *wanted*, by words and vectors; the best first.

        `retrieval.ranking` computes the score. Each of several duplicates is returned.
        """
        graph = self._graph
        if self._vector.numbers:
            near = self._vector.list_near(wanted)
            first = max(depth, schema.NEAREST)
            others = [cosine for _, cosine in near[first:]] if len(near) >= first else None
            self.expect_near(dict(near[:first]), others)
        about, spoken = wanted.about, graph.context.languages
        self.narrow(
            wanted.within,
            None if about is None else [list(list_terms(one, spoken)) for one in about.names],
        )
        return self.rank(depth, functools.partial(wanted.admits, graph))

    def best(self, depth: int, wanted: Wanted) -> list[Found]:
        """Return the same, duplicates (the same words) as one result: the latest of them.

        That has the best score of them, and they do not use up places of other results.
        """
        wide = depth
        while True:
            ranked = self.ranked(wide, wanted)
            found = _once(ranked)
            if len(found) >= depth or len(ranked) < wide or wide >= schema.MAX_FILTERED:
                return found[:depth]
            wide *= 4


def read_wordings(
    graph: AllMemories,
    query: str,
    vector: Sequence[float] = (),
    model: str | None = None,
    *,
    wanted: Wanted = _ANY,
    depth: int = schema.SEARCH_DEPTH,
    spelt: Sequence[Mapping[str, str]] = (),
    beside: Iterable[Lookup] = (),
) -> list[Finder]:
    """Return the finders of a query and of its other wordings, the context's `also`.

    A caller's model knows words that the query lacks: "allergy" for "what may I not cook for
    Clara?". Each wording is a query of its own, so none can make a memory weaker that another one
    finds. They share what they read, and the bound of mentions, of which the query itself takes its
    part first. *vector* is the query's, by *model*; the context has one of the other wordings
    together, which counts if the query has one too. *spelt* has rows of `spelling.correct`.

    All that they read is pulled here, for the nearest memories *depth* that are *wanted*, and all
    that the caller reads *beside*. Raises InvalidText, InvalidNumber, LibraryMissing, and
    EmbeddingMismatch if another model made the store's vectors.
    """
    query = shorten(text.summary(query, "query"))
    context, scope = graph.context, graph.context.user_id
    led = pull_led_to(graph, query)
    own, related = _list_terms(graph, led, wanted, spelt)
    vectors = [vector, context.also_vector if len(vector) else ()]
    near = (look for one in vectors for look in lookups.near(scope, one, depth, wanted))
    every = query, *context.also
    texts = Texts.pull(
        *(graph, schema.KIND, scope, every),
        beside=own,
        related=related,
        spelt=spelt,
        pulled=[*beside, *near],
    )
    first = Finder(texts, query, led[0], _Vector(graph, vector, model))
    if not context.also:
        return [first]
    joined = _Vector(graph, vectors[1], model)
    pairs = zip(context.also, led[1:], strict=True)
    return [first, *(Finder(texts, shorten(one), rows, joined, first) for one, rows in pairs)]


def find_each(
    finders: Sequence[Finder], depth: int, wanted: Wanted
) -> list[tuple[Finder, list[Found]]]:
    """Return each of *finders* with the best *depth* memories that it finds and that are *wanted*.

    Texts that only what the user said leads to are left out, if that led to others. Several texts
    may be made from the same words, and the one that has a word of the query itself is asked for.
    """
    made = []
    for finder in finders:
        found = finder.best(depth, wanted)
        if any(one.node.raw.get_property("said") is not None for one in found):
            heard = [one for one in found if one.node.get("said") is not None and one.is_heard]
            others = {one.node.get("said") for one in found if one not in heard}
            found = [one for one in found if one not in heard or one.node.get("said") not in others]
        made.append((finder, found))
    return made


def find_best(finders: Sequence[Finder], depth: int, wanted: Wanted) -> list[Found]:
    """Return the best *depth* memories of each of *finders*, the best first."""
    return merge_found([found for _, found in find_each(finders, depth, wanted)])


class Meant(NamedTuple):
    """A query without its slips, its vector, and the rows of its odd words (`spelling.correct`)."""

    text: str
    vector: Sequence[float] = ()
    spelt: Sequence[Mapping[str, str]] = ()


def read_meant(
    graph: AllMemories,
    query: str,
    vector: Sequence[float] = (),
    beside: Iterable[Lookup] = (),
    *,
    begins: bool = False,
) -> Meant:
    """Return *query* as it was meant, and pull *beside*.

    If it *begins* words, those of the texts that begin as one of its words does count a little.

    *vector* is that of its words as they stand. If its names or slips change them, and the caller
    `embeds`, it is made anew, and so is that of the other wordings, the context's `also_vector`.
    """
    context, languages, scope = graph.context, graph.context.languages, graph.context.user_id
    also = "\n".join(context.also)[:MAX_SUMMARY]
    texts = [query, *([also] if context.embeds and also else [])]
    starts = spelling.list_starts(query, languages) if begins and not missing() else {}
    if missing() or not (context.embeds or starts or spelling.doubtful(query, languages)):
        graph.pull(*beside)
        return Meant(query, vector)
    begun = documents.of_starts(starts, scope)
    graph.pull(*beside, *documents.of_terms(texts, scope, languages), *begun)
    index = StoredIndex(graph.another(Words), scope)
    unknown = {one: spelling.unknown(index, one, languages) for one in texts}
    if any(unknown.values()):
        odd = [one for one in texts if unknown[one]]
        graph.pull(*(look for one in odd for look in documents.of_spellings(one, scope, languages)))
        index = StoredIndex(graph.another(Words), scope)
    spelt = {one: spelling.correct(index, one, unknown[one], languages) for one in texts}
    if context.embeds:
        said = {one: leave_out_speakers(index, one, languages) for one in texts}
        said = {one: spelling.respell(bare, spelt[one]) for one, bare in said.items()}
        changed = [one for one in texts if said[one] != one]
        told = dict(zip(changed, graph.embed([said[one] for one in changed]), strict=True))
        if query in told:
            vector = told[query]["vector"]
        if also in told:
            graph.context = graph.context._replace(also_vector=told[also]["vector"])
    longer = spelling.find_longer(index, starts)
    return Meant(spelling.respell(query, spelt[query]), vector, [*spelt[query], *longer])


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

    Raises the errors of `Wanted` and `read_wordings`.
    """
    most = text.limit(limit, DEFAULT_LIMIT, MAX_LIMIT)
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
        given = graph, query, meant.vector, model
        finders = read_wordings(*given, wanted=wanted, depth=depth, spelt=meant.spelt)
        found = find_best(finders, depth, wanted)
    by_node = {one.node: one for one in found}
    groups = [(one.node, *one.also) for one in found]
    first = list(by_node)[:most]
    against = standing.find_contradicting(graph, first, groups)
    later = [node for node in against.values() if node in by_node and node not in first]
    against |= standing.find_contradicting(graph, later, groups)
    ordered = standing.later_first([*first, *later], against)
    rows = []
    for one in (by_node[node] for node in ordered[:most]):
        near = one.by.similarity(one.node) if isinstance(one.by, Finder) else None
        told = _NO_MATCH if one.by is None or one.match is None else one.by.explain(one.match)
        rows.append(
            {
                **graph.brief(one.node),
                "score": round(one.score, schema.DECIMALS),
                "similarity": None if near is None else round(near, schema.DECIMALS),
                "total": len(found),
                "also": len(one.also),
                **standing.mark(graph, one.node, against),
                "memory": graph.yielded(one.node),
                **told,
            }
        )
    return rows


def _once(ranked: Sequence[Found]) -> list[Found]:
    """Return the duplicates of *ranked* as one result each, the latest, at the best place.

    If the query names a period, the latest from that period is returned.
    """
    made = []
    by_node = {one.node: one for one in ranked}

    def order(node: Node) -> tuple[bool, tuple[int, str]]:
        match = by_node[node].match
        return match is not None and match.factors.period > 1.0, standing.age(node)

    for group in standing.group_nodes(by_node):
        if len(group) == 1:
            made.append(by_node[group[0]])
            continue
        latest = max(group, key=order)
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
    most = text.limit(limit, DEFAULT_LIMIT, MAX_LIMIT)
    wanted = Wanted.of(source_filter, types, tags)
    if query is None:
        graph.pull(lookups.latest(graph.context.user_id, [EXPIRED], schema.MAX_COUNTED))
        found = [node for node in graph.nodes() if wanted.admits(graph, node)]
        found.sort(key=lambda node: (-node.last, node.memory_id))
    else:
        depth = max(most, schema.SEARCH_DEPTH)
        found = [one.node for one in find_best(read_wordings(graph, query), depth, wanted)]
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


def comparable(graph: AllMemories, vector: Sequence[float], model: str | None) -> tuple[float, ...]:
    """Return *vector*, or an empty one if the store has no vectors to compare it with yet."""
    if not len(vector) or remembered.read_embedding(graph) is None:
        return ()
    if model is None:
        raise InvalidNumber("model: must say by which embedding the vector is")
    made = tuple(validators.vector(vector, "vector"))
    remembered.check(graph, text.name(model, "model"), len(made))
    return made
