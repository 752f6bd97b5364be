"""Find the texts of a graph that match a question, and explain each match."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple

from .. import text as texts
from ..dates import ALWAYS, Span
from ..errors import TooMuch
from ..graph import adapter
from ..graph.primitives import Lookup
from ..graph.raw import raw_vertex
from ..layers import NodeKind
from . import documents, schema
from .graph_index import StoredIndex
from .groups import SPELT_COSINE
from .index import FEWEST, Cosines, Near, cosines_of_all
from .indexer import Words, is_of
from .question import LEADS, Cue, Further, Question, asking, light, question
from .ranking import Associated, Association, read_beside, read_by
from .scoring import NEARNESS, Word, rarity

Row = dict[str, Any]
_DECIMALS = 6
# The weight of a word that says little, beside another one as rare.
_LIGHT = 0.3


class Hit(NamedTuple):
    """A node that matches a question, by its text."""

    node: Any
    score: float
    match: Associated[int]


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


class Search:
    """A question to the nodes of *kind* in *scope*, with the terms that it leads to *further*.

    It pulls what it and its other *wordings* read, and what the caller wants *pulled* with that:
    the terms *beside* its own and *related* ones too (see `documents.of_mentions`). *spelt* are
    rows of `spelling.correct`. With *first* it is another wording of that question. It shares what
    is read, and the bound of it: the first one reads as much as alone. Raises InvalidText,
    LibraryMissing.
    """

    def __init__(
        self,
        graph: adapter.Graph[Any],
        kind: NodeKind,
        scope: str,
        asked: str,
        field: str = "text",
        further: Sequence[Further] = (),
        first: "Search | None" = None,
        *,
        wordings: Sequence[str] = (),
        beside: Iterable[str] = (),
        related: Iterable[str] = (),
        spelt: Sequence[Mapping[str, str]] = (),
        pulled: Iterable[Lookup] = (),
    ) -> None:
        self._kind = kind
        self._near: Near[int] | None = None
        self._asked = texts.summary(asked, field)
        self._asking = asking(self._asked)
        self._light = light(self._asked)
        if first is None:
            spoken = graph.context.languages
            every = (self._asked, *wordings)
            needed = documents.searched(
                *(every, scope, graph.context.user_id, spoken, beside, related)
            )
            graph.pull(*needed, *pulled)
            self._index = StoredIndex(graph.another(Words), scope, spelt)
            self._nodes = _Nodes(graph, kind, self._index)
        else:
            self._index, self._nodes = first._index, first._nodes
            first._others.append(self)
        self._graph = graph
        self._further = tuple(further)
        self._first = first
        self._others: list[Search] = []
        self._sought: Question | None = None
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
        texts = self._index.texts_of(self._kind.label, similarities.keys())
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

    def expect_as(self, other: "Search") -> None:
        """Let the same texts be near as for *other*, another wording of the question."""
        if self._near is not other._near:
            self._near, self._association = other._near, None

    def narrow(self, within: Span, named: Sequence[Iterable[Sequence[str]]] | None = None) -> None:
        """Consider only texts said *within* a time, and only those with one of the names *named*.

        A name has the terms of each of its words; a text with it mentions one of each.
        """
        among: set[int] | None = None
        if named is not None:
            having = [self._index.having(words, schema.MOST_MENTIONS) for words in named]
            among = None if None in having else set().union(*filter(None, having))
        self._index.narrow(within, among)

    def rank(self, limit: int, admits: Callable[[Any], bool] = lambda _: True) -> list[Hit]:
        """Return the best *limit* nodes that the graph sees and *admits* accepts.

        For another limit it may be called again, with the same *admits*.
        """
        if not self._index.corpus.texts:
            return []
        if self._association is None:
            self._association = self._associate(admits)
        return [
            Hit(self._nodes.of(one.text), round(one.score, _DECIMALS), one)
            for one in self._association.best(limit)
        ]

    def _associate(self, admits: Callable[[Any], bool]) -> Association[int]:
        index, sought = self._index, self._question
        only = None if self._first is None else self._first._read_beside

        nodes = self._nodes  # not self, which would make a cycle with thousands of mentions in it

        def is_wanted(text: int) -> bool:
            node = nodes.of(text)
            return node is not None and admits(node)

        return Association(sought, index.corpus, index, is_wanted, self._near, only)

    @property
    def _question(self) -> Question:
        if self._sought is None:
            index, context = self._index, self._graph.context
            self._sought = question(
                self._asked,
                _asked_at(self._graph),
                speakers=index.speakers(),
                askers=(
                    index.own_names(context.user_id) if context.asker is None else (context.asker,)
                ),
                languages=context.languages,
                further=self._further,
                zone=context.zone,
            )
        return self._sought

    @cached_property
    def _read_beside(self) -> frozenset[str]:
        """The terms that the other wordings of this question read."""
        read = read_by(self._question, self._index)
        return read_beside(read, (one._question for one in self._others), self._index)

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
            bool(self._question.periods),
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
        return [cue for cue in self._question.cues if cue.said not in self._asking]

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
) -> list[tuple[Search, Hit]]:
    """Return the nodes of *kind* in *scope* that match *asked*, the best first, with what found it.

    Only nodes said *within* a time that *admits* accepts are found: *limit* of each wording, as
    other wordings of *asked* (the context's `also`) find too. Raises InvalidText, InvalidNumber,
    LibraryMissing.
    """
    also = graph.context.also
    first = Search(graph, kind, scope, asked, wordings=also)
    others = [Search(graph, kind, scope, one, "also", (), first) for one in also]
    first.narrow(within)
    every = [(one, hit) for one in (first, *others) for hit in one.rank(limit, admits)]
    if others:
        every.sort(key=lambda one: -one[1].score)
    best: dict[int, tuple[Search, Hit]] = {}
    for one in every:
        best.setdefault(one[1].match.text, one)
    return list(best.values())


def count_unindexed(graph: adapter.Graph[Any], kind: NodeKind, scope: str) -> int:
    """Return how many nodes of *kind* in *scope* are missing from the index.

    This is the look-up's count of nodes minus the index's count of texts.
    """
    graph.pull(documents.unindexed(kind, scope))
    size = graph.found.size
    if size is None:
        size = sum(1 for vertex in graph.all_vertices() if _is_among(vertex, kind, scope))
    return max(0, size - StoredIndex(graph.another(Words), scope).corpus.texts)


def _is_among(vertex: Any, kind: NodeKind, scope: str) -> bool:
    if kind.label not in [label.name for label in vertex.labels]:
        return False
    return kind.scope is None or kind.words_of(kind.whose(vertex.properties.get)) == scope


class _Nodes:
    """The nodes of an index's texts, as far as *graph* sees them."""

    def __init__(self, graph: adapter.Graph[Any], kind: NodeKind, index: StoredIndex) -> None:
        self._graph = graph
        self._kind = kind
        self._index = index
        self._known: dict[int, Any] = {}
        self._elsewhere: dict[str, Any] | None = None

    def of(self, text: int) -> Any:
        """Return the node of *text*; None if it is gone or invisible."""
        if text not in self._known:
            place = self._index.node_of(text)
            self._known[text] = None if place is None else self._node(*place)
        return self._known[text]

    def _node(self, label: str, key: str, node_id: int) -> Any:
        if label != self._kind.label:
            return None
        raw = self._graph.raw_vertex(node_id)
        if raw is None or not is_of(raw, self._kind, key, self._index.scope):
            raw = self._by_key().get(key)
        return None if raw is None else self._graph.raw_node(raw)

    def _by_key(self) -> dict[str, Any]:
        """Return nodes of the kind by key, because some stored ids are stale.

        In a large graph a node that was made by hand stays unfound until `index` runs.
        """
        if self._elsewhere is None:
            self._elsewhere = {}
            raws = (raw_vertex(vertex) for vertex in self._graph.all_vertices())
            keyed = ((raw.get_property(self._kind.key[-1]), raw) for raw in raws)
            try:
                for key, raw in keyed:
                    if is_of(raw, self._kind, key, self._index.scope):
                        self._elsewhere[key] = raw
            except TooMuch:
                pass
        return self._elsewhere


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
