"""The texts of a graph that belong to a question, and why each does."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from .. import text as texts
from ..graph import adapter
from ..graph.adapter import Node
from ..graph.raw import raw_vertex
from ..layers import NodeKind
from ..words import words_of
from . import schema
from .formula import Associated, associate
from .index import Corpus, Mentions, Told
from .question import question
from .spreading import Word
from .writing import Words, is_of

Row = dict[str, Any]
_DECIMALS = 6


class StoredIndex:
    """The index of words as it lies in the graph; a text is known by the id of its node."""

    def __init__(self, graph: Words, scope: str) -> None:
        self._graph = graph
        self._terms: dict[str, Node] = {}
        self._counts: dict[str, int] = {}
        self._read: dict[str, Mentions[int]] = {}
        self._raws: dict[int, Any] = {}
        self._told: dict[int, Told] = {}
        self._following: dict[tuple[int, bool], Any] = {}
        total = length = 0
        degrees = _degrees(graph)
        for node in graph.nodes():
            get = node.raw.get_property
            if get("scope") != scope:
                continue
            if node.label == schema.TERM:
                name = get("name")
                self._terms[name] = node
                if node.id in degrees:
                    self._counts[name] = degrees[node.id]
            elif node.label == schema.CORPUS:
                total += get("texts")
                length += get("length")
        self.corpus = Corpus(total, length / total if length > 0 else 1.0)
        self._take_incoming()

    def _take_incoming(self) -> None:
        """Take over the mentions that were looked up."""
        names = {term.id: name for name, term in self._terms.items()}
        for term, *columns in self._graph.context.incoming or ():
            if term in names:
                texts, counts, lengths, threads, positions, said_at = columns
                self._read[names[term]] = Mentions(
                    texts, counts, lengths, _or_none(threads), positions, _or_none(said_at)
                )

    def speakers(self) -> dict[str, Sequence[str]]:
        """Return for each term that is a first name the whole names of who has it."""
        known = ((name, term.raw.get_property("speakers")) for name, term in self._terms.items())
        return {name: tuple(speakers) for name, speakers in known if speakers}

    def count(self, cue: str) -> int:
        """Return how many texts mention *cue*: as the look-up counted them, or by going there."""
        if cue not in self._terms:
            return 0
        if cue in self._read:
            return len(self._read[cue].texts)
        if cue not in self._counts:
            self._counts[cue] = sum(1 for _ in self._edges(cue))
        return self._counts[cue]

    def mentions(self, cue: str) -> Mentions[int]:
        """Return the texts that mention *cue*: as they were looked up, or by going there."""
        if cue not in self._read:
            rows = [self._mention(edge) for edge in self._edges(cue)]
            self._read[cue] = Mentions(*zip(*rows, strict=True))
        return self._read[cue]

    def _mention(self, edge: Any) -> tuple[Any, ...]:
        raw = edge.from_vertex()
        text = raw.get_id()
        self._raws[text] = raw
        about = (raw.get_property(name) for name in schema.OF_MENTIONED)
        return (text, edge.get_property(schema.COUNT), *about)

    def beside(self, text: int, offset: int) -> int | None:
        """Return the text *offset* positions further, going along the thread."""
        raw = self._raw(text)
        wanted = raw.get_property("position") + offset
        step = 1 if offset > 0 else -1
        while (raw.get_property("position") - wanted) * step < 0:
            raw = self._next(raw, forward=offset > 0)
            if raw is None:
                return None
        if raw.get_property("position") != wanted:
            return None
        found: int = raw.get_id()
        self._raws[found] = raw
        return found

    def _next(self, raw: Any, forward: bool) -> Any:
        # Among the edges of a text are all its mentions: they are gone through once.
        key = raw.get_id(), forward
        if key not in self._following:
            self._following[key] = _following(raw, forward)
        return self._following[key]

    def tell(self, text: int) -> Told:
        """Return what the text is, who said it and when."""
        told = self._told.get(text)
        if told is None:
            get = self._raw(text).get_property
            told = self._told[text] = Told(get("key"), get("speaker"), get("said_at"))
        return told

    def node_of(self, text: int) -> tuple[str, str, int]:
        """Return the label, the key and the id of the node that *text* is of."""
        get = self._raw(text).get_property
        return get("label"), get("key"), get("node")

    def _raw(self, text: int) -> Any:
        if text not in self._raws:
            self._raws[text] = self._graph.raw_vertex(text)
        return self._raws[text]

    def _edges(self, cue: str) -> Iterator[Any]:
        step = self._graph.step
        edges = self._terms[cue].raw.iter_in_edges()
        edge = edges.get()
        while edge is not None:
            step()
            if edge.get_type_name() in schema.MENTIONING:
                yield edge
            edge = edges.next()


def _or_none(column: Sequence[Any]) -> Sequence[Any]:
    """Return *column* with None where a store says false for what is missing."""
    if False not in column:
        return column
    return [None if value is False else value for value in column]


@dataclass(frozen=True, slots=True)
class Hit:
    """A node that a question belongs to; *matched* are the words of the question, best first."""

    node: Any
    score: float
    matched: list[str]
    found: Associated[int]


class Search:
    """A question to the nodes of *kind* in *scope*. Raises InvalidText, LibraryMissing."""

    def __init__(
        self, graph: adapter.Graph[Any], kind: NodeKind, scope: str, asked: str, field: str = "text"
    ) -> None:
        self._asked = texts.summary(asked, field)
        self._index = StoredIndex(graph.another(Words), scope)
        self._nodes = _Nodes(graph, kind, self._index)
        self._graph = graph
        self._spoken: dict[str, str] = {}

    def best(self, limit: int, admits: Callable[[Any], bool] = lambda _: True) -> list[Hit]:
        """Return the best *limit* of the nodes that the graph sees and *admits* says true of."""
        index, context = self._index, self._graph.context
        if not index.corpus.texts:
            return []
        self._spoken = words_of(self._asked, context.languages)
        sought = question(
            self._asked,
            _asked_at(self._graph),
            speakers=index.speakers(),
            asker=context.asker,
            languages=context.languages,
        )

        def is_wanted(text: int) -> bool:
            node = self._nodes.of(text)
            return node is not None and admits(node)

        found = associate(sought, index.corpus, index, limit, is_wanted)
        return [self._hit(one) for one in found]

    def explained(self, hit: Hit) -> Row:
        """Return the `words` and the `factors` of *hit*, as `search` has them."""
        factors = hit.found.factors
        return {
            "words": [self._word(word) for word in _in_order(hit.found.words)],
            "factors": {
                name: round(getattr(factors, name), _DECIMALS)
                for name in ("age", "named", "asker", "period")
            },
        }

    def _hit(self, found: Associated[int]) -> Hit:
        matched = [self._said(word) for word in _in_order(found.words)]
        return Hit(self._nodes.of(found.text), round(found.score, _DECIMALS), matched, found)

    def _word(self, word: Word[int]) -> Row:
        sources = [
            {"offset": offset, "key": self._index.tell(text).id, "share": round(share, _DECIMALS)}
            for (offset, share), text in zip(word.sources, word.texts, strict=True)
        ]
        return {
            "word": self._said(word),
            "term": word.term,
            "gave": round(word.gave, _DECIMALS),
            "from": sources,
        }

    def _said(self, word: Word[int]) -> str:
        return self._spoken.get(word.term, word.term)


def search(
    graph: adapter.Graph[Any], kind: NodeKind, scope: str, asked: str, limit: int | None
) -> list[Row]:
    """Return the nodes of *kind* in *scope* that *asked* belongs to, the best first.

    A row has node, key, said_at (unix ms or None), score, matched (the words of the question that
    it was found by, those that gave most first), words and factors. Of `words` each has word, term,
    gave, and from: maps of offset (0 is the text itself, −1 the one before it in its thread), key
    and share. The score is the sum of what they gave times the four factors age, named, asker and
    period. Raises InvalidText, InvalidNumber, LibraryMissing.
    """
    searched = Search(graph, kind, scope, asked)
    return [
        {
            "node": hit.node,
            "key": hit.found.told.id,
            "said_at": hit.found.told.said_at,
            "score": hit.score,
            "matched": hit.matched,
            **searched.explained(hit),
        }
        for hit in searched.best(schema.checked_limit(limit))
    ]


def unindexed(graph: adapter.Graph[Any], kind: NodeKind, scope: str) -> int:
    """Return how many nodes of *kind* in *scope* no question finds, for the index lacks them.

    The difference of two counts, of which the look-up brings the one and the index keeps the other.
    """
    size = graph.context.size
    if size is None:
        size = sum(1 for vertex in graph.all_vertices() if _is_among(vertex, kind, scope))
    return max(0, size - StoredIndex(graph.another(Words), scope).corpus.texts)


def _is_among(vertex: Any, kind: NodeKind, scope: str) -> bool:
    if kind.label not in [label.name for label in vertex.labels]:
        return False
    return kind.scope is None or vertex.properties.get(kind.scope) == scope


class _Nodes:
    """The nodes that the texts of an index are of, as far as *graph* sees them."""

    def __init__(self, graph: adapter.Graph[Any], kind: NodeKind, index: StoredIndex) -> None:
        self._graph = graph
        self._kind = kind
        self._index = index
        self._known: dict[int, Any] = {}
        self._elsewhere: dict[str, Any] | None = None

    def of(self, text: int) -> Any:
        """Return the node that *text* is of; None if it is not there, or not to be seen."""
        if text not in self._known:
            self._known[text] = self._node(*self._index.node_of(text))
        return self._known[text]

    def _node(self, label: str, key: str, node_id: int) -> Any:
        if label != self._kind.label:
            return None
        raw = self._graph.raw_vertex(node_id)
        if raw is None or not is_of(raw, self._kind, key):
            raw = self._by_key().get(key)
        return None if raw is None else self._graph.raw_node(raw)

    def _by_key(self) -> dict[str, Any]:
        """Return all nodes of the kind by their keys: some ids are others by now."""
        if self._elsewhere is None:
            raws = (raw_vertex(vertex) for vertex in self._graph.all_vertices())
            keyed = ((raw.get_property(self._kind.key[-1]), raw) for raw in raws)
            self._elsewhere = {key: raw for key, raw in keyed if is_of(raw, self._kind, key)}
        return self._elsewhere


def _asked_at(graph: adapter.Graph[Any]) -> int:
    """Return when it is asked: after all that is said by now, and after the local day began.

    What is known by its day alone began where the day begins in UTC, which may be yet to come.
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


def _in_order(words: Iterable[Word[int]]) -> list[Word[int]]:
    return sorted(words, key=lambda word: (-word.gave, word.term))


def _degrees(graph: Words) -> dict[int, int]:
    """Return what the look-up counted, by the ids of the nodes; nothing if there was none."""
    context = graph.context
    pairs = zip(context.found or (), context.degrees or (), strict=False)
    return {int(vertex.id): degree for vertex, degree in pairs}


def _following(raw: Any, forward: bool) -> Any:
    edges = raw.iter_out_edges() if forward else raw.iter_in_edges()
    edge = edges.get()
    while edge is not None:
        if edge.get_type_name() == schema.NEXT:
            return edge.to_vertex() if forward else edge.from_vertex()
        edge = edges.next()
    return None
