"""The texts of a graph that belong to a question, and why each does."""

from collections.abc import Iterator, Mapping, Sequence
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
from .question import Question, question
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
    asked = texts.summary(asked, "text")
    most = schema.DEFAULT_LIMIT if limit is None else limit
    most = texts.integer(most, "limit", 1, schema.MAX_LIMIT)
    index = StoredIndex(graph.another(Words), scope)
    if not index.corpus.texts:
        return []
    languages = graph.context.languages
    sought = question(
        asked,
        _asked_at(graph),
        speakers=index.speakers(),
        asker=graph.context.asker,
        languages=languages,
    )
    spoken = words_of(asked, languages)
    return [
        _row(index, spoken, node, found) for node, found in _found(graph, kind, index, sought, most)
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


def _found(
    graph: adapter.Graph[Any], kind: NodeKind, index: StoredIndex, sought: Question, most: int
) -> list[tuple[Node, Associated[int]]]:
    """Return the best with their nodes; what is not to be seen, or not there, makes room."""
    wanted = most
    while True:
        found = associate(sought, index.corpus, index, wanted)
        nodes = _nodes(graph, kind, [index.node_of(one.text) for one in found])
        kept = [(node, one) for node, one in zip(nodes, found, strict=True) if node is not None]
        if len(kept) >= most or len(found) < wanted:
            return kept[:most]
        wanted += 2 * (wanted - len(kept))


def _nodes(
    graph: adapter.Graph[Any], kind: NodeKind, wanted: list[tuple[str, str, int]]
) -> list[Node | None]:
    """Return the nodes that the texts are of; by a scan those whose ids are others by now."""
    raws = {}
    for label, name, node_id in wanted:
        raw = graph.raw_vertex(node_id)
        if label == kind.label and raw is not None and is_of(raw, kind, name):
            raws[name] = raw
    lost = {name for label, name, _ in wanted if name not in raws and label == kind.label}
    for vertex in graph.all_vertices() if lost else ():
        raw = raw_vertex(vertex)
        name = raw.get_property(kind.key[-1])
        if name in lost and is_of(raw, kind, name):
            raws[name] = raw
    return [graph.raw_node(raws[name]) if name in raws else None for _, name, _ in wanted]


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


def _row(index: StoredIndex, spoken: Mapping[str, str], node: Node, found: Associated[int]) -> Row:
    words = sorted(found.words, key=lambda word: (-word.gave, word.term))
    factors = found.factors
    return {
        "node": node,
        "key": found.told.id,
        "said_at": found.told.said_at,
        "score": round(found.score, _DECIMALS),
        "matched": [spoken.get(word.term, word.term) for word in words],
        "words": [_word(index, spoken, word) for word in words],
        "factors": {
            name: round(getattr(factors, name), _DECIMALS)
            for name in ("age", "named", "asker", "period")
        },
    }


def _word(index: StoredIndex, spoken: Mapping[str, str], word: Word[int]) -> Row:
    sources = [
        {"offset": offset, "key": index.tell(text).id, "share": round(share, _DECIMALS)}
        for (offset, share), text in zip(word.sources, word.texts, strict=True)
    ]
    return {
        "word": spoken.get(word.term, word.term),
        "term": word.term,
        "gave": round(word.gave, _DECIMALS),
        "from": sources,
    }


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
