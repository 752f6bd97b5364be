"""Find the texts of a graph that match a question, and explain each match."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple

from ..graph import adapter
from ..graph.layers import NodeKind
from ..graph.primitives import Lookup
from ..graph.raw import raw_vertex
from ..texts.dates import ALWAYS, Span
from ..texts.text import summary
from ..verbs.errors import TooMuch
from . import documents, schema
from .graph_index import StoredIndex
from .groups import SPELT_COSINE
from .index import FEWEST, Cosines, Near, cosines_of_all
from .indexer import Words, is_of
from .question import LEADS, Cue, Further, Sought, asking, light, read_sought
from .ranking import Associated, Association, read_beside, read_by
from .scoring import NEARNESS, Word, rarity

Row = dict[str, Any]
_DECIMALS = 6
# The weight of a word that says little, beside another one as rare.
_LIGHT = 0.3


@dataclass(slots=True)
class Found:
    """A node that matches a question, by its text; without a question, `match` is None.

    `by` found it. `also` has other nodes with the same words, and `others` are the same node as
    other wordings of the question found it, with lower scores.
    """

    node: Any
    score: float
    match: Associated[int] | None = None
    by: "Search | None" = None
    also: tuple[Any, ...] = ()
    others: "tuple[Found, ...]" = ()

    @property
    def is_heard(self) -> bool:
        """Whether only words that were heard when it was told lead to it, none of its own.

        Nearness in meaning does not count.
        """
        words = [word for one in self._list_matches() for word in one.words if word.term]
        return bool(words) and all(word.is_heard for word in words)

    @property
    def renews(self) -> tuple[int, ...]:
        """The texts of older nodes on the same matter, by their ids in the index."""
        return tuple(text for one in self._list_matches() for text in one.renews)

    @property
    def matched(self) -> list[str]:
        """The words of the question that led to it, those of its best wording first."""
        found = (list_matched(one.words) for one in self._list_matches())
        return list(dict.fromkeys(word for words in found for word in words))

    @property
    def terms(self) -> dict[str, float]:
        """The terms of the question that its text has, each with what its best one gave."""
        return {
            term: word.gave
            for one in reversed(self._list_matches())
            for word in one.words
            for (offset, _), term in zip(word.sources, word.terms, strict=True)
            if term and not offset
        }

    def _list_matches(self) -> list[Associated[int]]:
        return [one.match for one in (self, *self.others) if one.match is not None]


def merge_found(lists: Iterable[Sequence[Found]]) -> list[Found]:
    """Return the nodes of all *lists*, each once, with its best score, the best first.

    A list may put a node before a better one, a later text before the one that it renews. It
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
            known = best.setdefault(one.node.id, one)
            if known is not one:
                better, other = (known, one) if known.score >= one.score else (one, known)
                also = tuple(dict.fromkeys((*better.also, *other.also)))
                others = (*better.others, replace(other, others=()), *other.others)
                best[one.node.id] = replace(better, also=also, others=others)
    return sorted(best.values(), key=lambda one: -ranks[one.node.id])


class Reading(NamedTuple):
    """A question as the index reads it: how it compares with all texts.

    `asking` are its words that only ask. All others together have this `weight`, and no text has
    the share `unknown` of them. `of_all` are the cosines of all texts.
    """

    texts: int
    of_all: Cosines | None
    greatest: float | None
    asking: frozenset[str]
    weight: float
    unknown: float
    names_a_time: bool

    @property
    def nearest(self) -> float:
        """The `z` of the nearest text."""
        return self.z(self.greatest)

    def z(self, cosine: float | None) -> float:
        """Return how many deviations above the mean *cosine* is; NaN: it is not known.

        Among very few texts none is far above the mean.
        """
        if cosine is None or self.of_all is None or self.texts < FEWEST:
            return math.nan
        return self.of_all.z(cosine)


class Texts:
    """The texts of nodes of *kind* in an *index*, and these nodes, as far as *graph* sees them."""

    def __init__(self, graph: adapter.Graph[Any], kind: NodeKind, index: StoredIndex) -> None:
        self.graph, self.kind, self.index = graph, kind, index
        self._known: dict[int, Any] = {}
        self._elsewhere: dict[str, Any] | None = None

    @classmethod
    def pull(
        cls,
        graph: adapter.Graph[Any],
        kind: NodeKind,
        scope: str,
        wordings: Sequence[str],
        *,
        beside: Iterable[str] = (),
        related: Iterable[str] = (),
        spelt: Sequence[Mapping[str, str]] = (),
        pulled: Iterable[Lookup] = (),
    ) -> "Texts":
        """Pull what a question in these *wordings* reads of *scope*, and what else is *pulled*.

        These are the terms *beside* its own and *related* ones too (see `documents.of_mentions`).
        *spelt* are rows of `spelling.correct`. Raises LibraryMissing.
        """
        given = scope, graph.context.user_id, graph.context.languages, beside, related
        graph.pull(*documents.searched(wordings, *given), *pulled)
        return cls(graph, kind, StoredIndex(graph.another(Words), scope, spelt))

    def node_of(self, text: int) -> Any:
        """Return the node of *text*; None if it is gone or invisible."""
        if text not in self._known:
            label, key, node_id = self.index.node_of(text) or ("", "", -1)
            raw = self.graph.raw_vertex(node_id) if label == self.kind.label else None
            if raw is None or not is_of(raw, self.kind, key, self.index.scope):
                raw = self._find_by_key().get(key) if label == self.kind.label else None
            self._known[text] = None if raw is None else self.graph.raw_node(raw)
        return self._known[text]

    def _find_by_key(self) -> dict[str, Any]:
        """Return nodes of the kind by key, because some stored ids are stale.

        In a large graph a node that was made by hand stays unfound until `index` runs.
        """
        if self._elsewhere is None:
            self._elsewhere = {}
            raws = (raw_vertex(vertex) for vertex in self.graph.all_vertices())
            try:
                for raw in raws:
                    key = raw.get_property(self.kind.key[-1])
                    if is_of(raw, self.kind, key, self.index.scope):
                        self._elsewhere[key] = raw
            except TooMuch:
                pass
        return self._elsewhere


class Search:
    """A question to *texts*, with the terms that it leads to *further*.

    With *first* it is another wording of that question. It shares what is read, and the bound of
    it: the first one reads as much as alone. Raises InvalidText.
    """

    def __init__(
        self,
        texts: Texts,
        asked: str,
        field: str = "text",
        further: Sequence[Further] = (),
        first: "Search | None" = None,
    ) -> None:
        self._texts, self._index, self._graph = texts, texts.index, texts.graph
        self._near: Near[int] | None = None
        self._asked = summary(asked, field)
        self._asking = asking(self._asked)
        self._light = light(self._asked)
        self._further = tuple(further)
        self._first = first
        self._others: list[Search] = []
        if first is not None:
            first._others.append(self)
        self._association: Association[int] | None = None
        # By text, because a recall asks for each several times.
        self._covering: dict[int, tuple[tuple[Cue, float, bool], ...]] = {}

    def expect_near(
        self, similarities: Mapping[str, float], others: Sequence[float] | None = None
    ) -> None:
        """Make the *similarities* of nodes, cosines by key, count beside the words of their texts.

        A node whose text is not in the index is ignored. *others* are cosines of some of the nodes
        that are not as near; with None, no other node has a vector.
        """
        texts = self._index.texts_of(self._texts.kind.label, similarities.keys())
        size = self._index.corpus.texts
        near = Near(
            {texts[key]: near for key, near in similarities.items() if key in texts},
            cosines_of_all(
                list(similarities.values()),
                others or (),
                len(similarities) if others is None else size,
            ),
        )
        if near != self._near:
            self._near, self._association = near, None

    def narrow(self, within: Span, named: Sequence[Iterable[Sequence[str]]] | None = None) -> None:
        """Consider only texts said *within* a time, and only those with one of the names *named*.

        A name has the terms of each of its words; a text with it mentions one of each.
        """
        among: set[int] | None = None
        if named is not None:
            having = [self._index.having(words, schema.MOST_MENTIONS) for words in named]
            among = None if None in having else set().union(*filter(None, having))
        self._index.narrow(within, among)

    def rank(self, limit: int, admits: Callable[[Any], bool] = lambda _: True) -> list[Found]:
        """Return the best *limit* nodes that the graph sees and *admits* accepts.

        For another limit it may be called again, with the same *admits*.
        """
        if not self._index.corpus.texts:
            return []
        node_of = self._texts.node_of
        if self._association is None:
            only = None if self._first is None else self._first._read_beside

            # Without self, which would make a cycle with thousands of mentions in it.
            def is_wanted(text: int) -> bool:
                node = node_of(text)
                return node is not None and admits(node)

            index = self._index
            self._association = Association(
                self._sought, index.corpus, index, is_wanted, self._near, only
            )
        return [
            Found(node_of(one.text), round(one.score, _DECIMALS), one, self)
            for one in self._association.best(limit)
        ]

    @cached_property
    def _sought(self) -> Sought:
        index, context = self._index, self._graph.context
        return read_sought(
            self._asked,
            _asked_at(self._graph),
            speakers=index.speakers(),
            askers=index.own_names(context.user_id) if context.asker is None else (context.asker,),
            languages=context.languages,
            further=self._further,
            zone=context.zone,
        )

    @cached_property
    def _read_beside(self) -> frozenset[str]:
        """The terms that the other wordings of this question read."""
        read = read_by(self._sought, self._index)
        return read_beside(read, (one._sought for one in self._others), self._index)

    def explain(self, match: Associated[int]) -> Row:
        """Return `matched`, `words` and `factors` of *match*.

        * `matched` has the words of the question that led to the node, the greatest share first.
        * Each of `words` has word, term, gave and from. `from` has maps of offset, key and share;
          the offset 0 is the text itself, −1 the text before it in its thread. A word that the
          question only leads to has a `why` too, such as "by way of" another text, or "car →
          automobile 0.71": a neighbour of the word, with their cosine.
        * score = sum(gave) · age · named · asker · period
        """
        factors = {name: round(getattr(match.factors, name), _DECIMALS) for name in schema.FACTORS}
        words = [self._word(word) for word in _in_order(match.words)]
        return {"matched": list_matched(match.words), "words": words, "factors": factors}

    def covered(self, match: Associated[int] | None) -> float:
        """Return the share of the question's words that a text has, in [0, 1], weighted by rarity.

        * A word that no text has weighs as much as a word of a single text.
        * A word that only asks (`asking`), or says little beside others (`light`), is ignored.
        * A word that leads to a term of the text counts by what that term covers.
        * A neighbour of the word is not enough, unless it is of its family.
        """
        has = _covers(self.covering(match), 1.0)
        got = sum(rarity * has.get(said, 0.0) for said, rarity in self._rarities.items())
        return got / sum(self._rarities.values()) if self._rarities else 0.0

    @property
    def reading(self) -> Reading:
        """How the question compares with all texts, once `rank` was called."""
        near = self._near if self._near is not None and self._near.texts else None
        unknown = sum(self._count(cue) == 0 for cue in self._cues) / max(1, len(self._cues))
        return Reading(
            max(1, self._index.corpus.texts),
            None if near is None else near.of_all,
            None if near is None else max(near.texts.values()),
            self._asking,
            sum(self._weights.values()),
            unknown,
            bool(self._sought.periods),
        )

    def covering(self, match: Associated[int] | None) -> Sequence[tuple[Cue, float, bool]]:
        """Return the cues that lead to a text, as `Spread.covered` does; looked up once."""
        if match is None:
            return ()
        if match.text not in self._covering:
            self._covering[match.text] = tuple(match.covered)
        return self._covering[match.text]

    def evidence(self, match: Associated[int] | None) -> dict[str, float]:
        """Return the words of the question that a text has, as `covered` does, with their weights.

        A weight is the root of how rare the word is, so that a common word does not stand for a
        rare one. A word that says little (`light`), or was only heard when the text was told, has
        less.
        """
        has = _covers(self.covering(match), schema.HEARD_COVERS)
        return {one: has[one] * by for one, by in self._weights.items() if one in has}

    @cached_property
    def content(self) -> frozenset[str]:
        """The words of the question that neither only ask nor say little.

        A question has some: "What is the plan?" asks for the plan, but "Go on" for nothing.
        """
        words = frozenset(cue.said for cue in self._cues)
        return words - self._light or (words if "?" in self._asked else frozenset())

    @cached_property
    def _cues(self) -> list[Cue]:
        return [cue for cue in self._sought.cues if cue.said not in self._asking]

    @cached_property
    def _weights(self) -> dict[str, float]:
        """The weight of each word of the question in `evidence`."""
        texts = self._index.corpus.texts
        by_rarity = {cue.said: math.sqrt(texts / max(1, self._count(cue))) for cue in self._cues}
        return {
            said: weight * _LIGHT if said in self._light else weight
            for said, weight in by_rarity.items()
        }

    @cached_property
    def _rarities(self) -> dict[str, float]:
        """The rarity of each word of the question in `covered`."""
        saying = [cue for cue in self._cues if cue.said not in self._light]
        texts = self._index.corpus.texts
        return {cue.said: rarity(texts, max(1, self._count(cue))) for cue in saying or self._cues}

    def _count(self, cue: Cue) -> int:
        own = sum(map(self._index.count, cue.terms))
        return own or sum(map(self._index.count, cue.covering))

    def _word(self, word: Word[int]) -> Row:
        sources = [
            {"offset": offset, "key": self._index.tell(text).id, "share": round(share, _DECIMALS)}
            for (offset, share), text in zip(word.sources, word.texts, strict=True)
        ]
        return {
            "word": word.cue.said,
            "term": word.term,
            "gave": round(word.gave, _DECIMALS),
            "from": sources,
            **({} if (why := _explain_word(word)) is None else {"why": why}),
        }


def find_nodes(
    graph: adapter.Graph[Any],
    kind: NodeKind,
    scope: str,
    asked: str,
    limit: int,
    within: Span = ALWAYS,
    admits: Callable[[Any], bool] = lambda _: True,
) -> list[Found]:
    """Return the nodes of *kind* in *scope* that match *asked*, the best first.

    Only nodes said *within* a time that *admits* accepts are found: *limit* of each wording, as
    other wordings of *asked* (the context's `also`) find too. Raises InvalidText, InvalidNumber,
    LibraryMissing.
    """
    asked, also = summary(asked, "text"), graph.context.also
    texts = Texts.pull(graph, kind, scope, (asked, *also))
    first = Search(texts, asked)
    others = [Search(texts, one, "also", (), first) for one in also]
    first.narrow(within)
    return merge_found([one.rank(limit, admits) for one in (first, *others)])


def count_unindexed(graph: adapter.Graph[Any], kind: NodeKind, scope: str) -> int:
    """Return how many nodes of *kind* in *scope* are missing from the index.

    This is the look-up's count of nodes minus the index's count of texts.
    """
    graph.pull(documents.unindexed(kind, scope))
    size = graph.found.size
    if size is None:
        size = sum(
            1
            for vertex in graph.all_vertices()
            if kind.label in [label.name for label in vertex.labels]
            and (kind.scope is None or kind.words_of(kind.whose(vertex.properties.get)) == scope)
        )
    return max(0, size - StoredIndex(graph.another(Words), scope).corpus.texts)


def _asked_at(graph: adapter.Graph[Any]) -> int:
    """Return the time of the question: later than every stored text and the start of the local day.

    A text with only a date has the time of midnight UTC, which may still lie in the future.
    """
    context = graph.context
    if context.asked_at is not None:
        return context.asked_at
    date = context.date
    try:
        day = datetime(int(date[:4]), int(date[4:6]), int(date[6:]), tzinfo=UTC)
    except ValueError:
        return context.now_ms + 1
    return max(context.now_ms, int(day.timestamp() * 1000)) + 1


def _covers(covering: Iterable[tuple[Cue, float, bool]], heard: float) -> dict[str, float]:
    """Return the words of the question that a text has, each with the share that it covers.

    The share of a word that was only heard is *heard*.
    """
    has: dict[str, float] = {}
    for cue, covers, is_heard in covering:
        said = cue.said.partition(LEADS)[0]
        has[said] = max(covers * (heard if is_heard else 1.0), has.get(said, 0.0))
    return has


def _in_order(words: Iterable[Word[int]]) -> list[Word[int]]:
    return sorted(words, key=lambda word: (-word.gave, word.term))


def list_matched(words: Iterable[Word[int]]) -> list[str]:
    """Return the words of a question that led to a text, the greatest share first."""
    return [_said(word) for word in _in_order(words) if word.cue is not NEARNESS]


def _said(word: Word[int]) -> str:
    near = word.neighbour
    return word.cue.said if near is None else f"{word.cue.said}{LEADS}{near.word}"


def _explain_word(word: Word[int]) -> str | None:
    near = word.neighbour
    if near is None:
        return word.cue.why
    if near.covers:
        kinds = {1.0: "a word family", SPELT_COSINE: "nearly spelt so"}
        return f"{_said(word)}, {kinds.get(near.cosine, 'in a compound')}"
    return f"{_said(word)} {near.cosine:.2f}"
