"""The texts of a graph that belong to a question, and why each does."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from .. import text as texts
from ..graph import adapter
from ..graph.adapter import Node
from ..layers import NodeKind
from ..words import terms
from ..words.splitting import split
from . import schema
from .formula import Associated, associate
from .index import Corpus, Mention, Told
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
        self._raws: dict[int, Any] = {}
        self._known: dict[int, tuple[int, str | None, int, int | None]] = {}
        self._places: dict[tuple[str | None, int], int] = {}
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
                if degrees is not None:
                    self._counts[name] = degrees.get(node.id, 0)
            elif node.label == schema.CORPUS:
                total += get("texts")
                length += get("length")
        self.corpus = Corpus(total, length / total if length > 0 else 1.0)

    def speakers(self) -> dict[str, Sequence[str]]:
        """Return for each term that is a first name the whole names of who has it."""
        known = ((name, term.raw.get_property("speakers")) for name, term in self._terms.items())
        return {name: tuple(speakers) for name, speakers in known if speakers}

    def count(self, cue: str) -> int:
        """Return how many texts mention *cue*: as the look-up counted them, or by going there."""
        if cue not in self._terms:
            return 0
        if cue not in self._counts:
            self._counts[cue] = sum(1 for _ in self._edges(cue))
        return self._counts[cue]

    def mentions(self, cue: str) -> Iterator[Mention[int]]:
        """Iterate over the texts that mention *cue*."""
        known, raws = self._known, self._raws
        for edge in self._edges(cue):
            raw = edge.from_vertex()
            text = raw.get_id()
            about = known.get(text)
            if about is None:
                get = raw.get_property
                about = get("length"), get("thread"), get("position") or 0, get("said_at")
                known[text], raws[text] = about, raw
                if about[1] is not None:
                    self._places[about[1], about[2]] = text
            yield (text, edge.get_property("count"), *about)

    def beside(self, text: int, offset: int) -> int | None:
        """Return the text *offset* positions further, going along the thread."""
        raw = self._raws[text]
        wanted = raw.get_property("position") + offset
        known = self._places.get((raw.get_property("thread"), wanted))
        if known is not None:
            return known
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
        get = self._raws[text].get_property
        return Told(get("key"), get("speaker"), get("said_at"))

    def node_of(self, text: int) -> tuple[str, str, int]:
        """Return the label, the key and the id of the node that *text* is of."""
        get = self._raws[text].get_property
        return get("label"), get("key"), get("node")

    def _edges(self, cue: str) -> Iterator[Any]:
        step = self._graph.step
        edges = self._terms[cue].raw.iter_in_edges()
        edge = edges.get()
        while edge is not None:
            step()
            if edge.get_type_name() in schema.MENTIONING:
                yield edge
            edge = edges.next()


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
    spoken = _spoken(asked, languages)
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
    key = kind.key[-1]
    vertices = {}
    for label, name, node_id in wanted:
        vertex = graph.vertex(node_id)
        if label == kind.label and vertex is not None and is_of(vertex, kind, name):
            vertices[name] = vertex
    lost = {name for label, name, _ in wanted if name not in vertices and label == kind.label}
    for vertex in graph.all_vertices() if lost else ():
        name = vertex.properties.get(key)
        if name in lost and is_of(vertex, kind, name):
            vertices[name] = vertex
    return [graph.node(vertices[name]) if name in vertices else None for _, name, _ in wanted]


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


def _spoken(asked: str, languages: Sequence[str]) -> dict[str, str]:
    """Return for each term of a question the word that it is there."""
    words: dict[str, str] = {}
    for word in split(asked):
        for term in terms(word, languages):
            words.setdefault(term, word)
    return words


def _row(index: StoredIndex, spoken: dict[str, str], node: Node, found: Associated[int]) -> Row:
    words = sorted(found.words, key=lambda word: (-word.gave, word.term))
    factors = found.factors
    return {
        "node": node,
        "key": found.told.id,
        "said_at": found.told.said_at,
        "score": round(found.score, _DECIMALS),
        "matched": [spoken.get(word.term, word.term) for word in words],
        "words": [_word(index, spoken, found.text, word) for word in words],
        "factors": {
            name: round(getattr(factors, name), _DECIMALS)
            for name in ("age", "named", "asker", "period")
        },
    }


def _word(index: StoredIndex, spoken: dict[str, str], text: int, word: Word) -> Row:
    sources = []
    for offset, share in word.sources:
        source = text if offset == 0 else index.beside(text, offset)
        key = None if source is None else index.tell(source).id
        sources.append({"offset": offset, "key": key, "share": round(share, _DECIMALS)})
    return {
        "word": spoken.get(word.term, word.term),
        "term": word.term,
        "gave": round(word.gave, _DECIMALS),
        "from": sources,
    }


def _degrees(graph: Words) -> dict[int, int] | None:
    context = graph.context
    if context.degrees is None or context.found is None:
        return None
    return {
        int(vertex.id): degree
        for vertex, degree in zip(context.found, context.degrees, strict=True)
    }


def _following(raw: Any, forward: bool) -> Any:
    edges = raw.iter_out_edges() if forward else raw.iter_in_edges()
    edge = edges.get()
    while edge is not None:
        if edge.get_type_name() == schema.NEXT:
            return edge.to_vertex() if forward else edge.from_vertex()
        edge = edges.next()
    return None
