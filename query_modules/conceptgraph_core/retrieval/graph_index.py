"""Read the index of words that is stored in the graph."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress, islice
from typing import Any, Final

from ..graph.raw import keep
from ..texts import text as texts
from ..texts.dates import ALWAYS, Span
from ..texts.words import readings
from ..texts.words.splitting import split
from . import schema
from .groups import Neighbour, make_meant, of_term
from .index import NO_MENTIONS, Corpus, Mentions, Told
from .indexer import Words
from .question import own_names

# Texts told from the same words are not the same for that.
_OF_TEXT: Final = {name: name for name in schema.MENTIONING if name != schema.HEARD}
# In the order of `Told`.
_OF_TOLD: Final = ("key", "speaker", "said_at", "told_at")


class StoredIndex:
    """The index of words in the graph; the id of its node identifies a text."""

    def __init__(self, graph: Words, scope: str, spelt: Sequence[Mapping[str, str]] = ()) -> None:
        self._graph = graph
        self.scope = scope
        # The vertices of terms, below `mgp`: a text has many, and of most only the name is read.
        self._terms: dict[str, Any] = {}
        self._counts: dict[str, int] = {}
        self._read: dict[str, Mentions[int]] = {}
        # The terms whose edges the look-up chose, but left to this call to read.
        self._readable: set[str] = set()
        self._raws: dict[int, Any] = {}
        self._told: dict[int, Told] = {}
        # See `narrow`.
        self._within = ALWAYS
        self._among: Collection[int] | None = None
        # The text at a place in a thread; None where the look-up found none.
        self._at: dict[tuple[Any, int], int | None] = {}
        self._following: dict[tuple[int, bool], Any] = {}
        # The neighbours of a term of the question by a static embedding.
        self._static: dict[str, list[tuple[str, str, float]]] = {}
        self._spelt: dict[str, list[Neighbour]] = {}
        for asked, other, word, cosine in graph.context.neighbours:
            self._static.setdefault(asked, []).append((other, word, cosine))
        for one in spelt:
            meant = make_meant(one["term"], one["word"], "meant" not in one)
            self._spelt.setdefault(one["asked"], []).append(meant)
        # The names of speakers that the look-up read.
        self._speakers: set[str] = set()
        total = length = 0
        degrees = graph.found.degrees
        for node in graph.nodes():
            get = node.raw.get_property
            if get("scope") != scope:
                continue
            if node.label == schema.TERM:
                name = get("name")
                self._terms[name] = node.raw
                if node.id in degrees:
                    self._counts[name] = degrees[node.id]
            elif node.label == schema.SPEAKER:
                self._speakers.add(get("name"))
            elif node.label == schema.CORPUS:
                total += get("texts")
                length += get("length")
        # Damaged parts may count no texts, although there are some with these terms.
        total = max(total, 1 if self._terms else 0)
        self.corpus = Corpus(total, length / total if total and length > 0 else 1.0)
        self._take_incoming()

    def _take_incoming(self) -> None:
        """Take the mentions that the look-up read."""
        names = {term.get_id(): name for name, term in self._terms.items()}
        for term, columns in self._graph.found.incoming.items():
            if term in names and not columns:
                self._readable.add(names[term])
            elif term in names:
                self._read[names[term]] = _sound(columns)

    def speakers(self) -> dict[str, Sequence[str]]:
        """Return the full names of the speakers for each term that is a first name."""
        known = ((name, term.get_property("speakers")) for name, term in self._terms.items())
        return {name: tuple(speakers) for name, speakers in known if speakers}

    def own_names(self, user_id: str) -> set[str]:
        """Return the names under which the user speaks in texts of the index."""
        return self._speakers.intersection(own_names(user_id))

    def count(self, cue: str) -> int:
        """Return how many texts mention *cue*: the look-up's count, or a count of the edges."""
        if cue not in self._terms:
            return 0
        if cue in self._read:
            return len(self._read[cue].texts)
        if cue not in self._counts:
            self._counts[cue] = sum(1 for _ in self._edges(cue))
        return self._counts[cue]

    def counts(self, cues: Collection[str], most: int) -> dict[str, int]:
        """Return how many texts mention each of *cues*, counted no further than *most* + 1."""
        terms = self._terms
        unknown = {
            cue: terms[cue].get_id()
            for cue in cues
            if cue in terms and cue not in self._read and cue not in self._counts
        }
        degrees = self._graph.degrees_to(unknown.values(), most + 1) if unknown else None
        if degrees is None:
            found = {cue: sum(1 for _ in islice(self._edges(cue), most + 1)) for cue in unknown}
        else:
            found = {cue: degrees[vertex] for cue, vertex in unknown.items()}
        return {cue: found[cue] if cue in found else self.count(cue) for cue in cues}

    def beginning(self, start: str) -> list[str]:
        """Return the terms that begin with *start*, as far as the look-up found them."""
        return sorted(name for name in self._terms if name.startswith(start))

    def near(self, cue: str) -> list[Neighbour]:
        """Return the neighbours of *cue*, as far as the look-up found them."""
        term = self._terms.get(cue)
        node = None if term is None else self._graph.raw_node(term)
        stored = None if node is None else node.raw.get_property(schema.NEAR)
        every = of_term(stored, self._static.get(cue, ()), self.corpus.mean_length)
        every += self._spelt.get(cue, ())
        known = ((one, self._terms.get(one.term)) for one in every)
        return [one for one, term in known if term and not term.get_property("speakers")]

    def is_read(self, cue: str) -> bool:
        """Return whether the look-up read the mentions of *cue*, or this call may read them."""
        if cue in self._read or cue in self._readable:
            return True
        return self._graph.found.by_id is None and cue in self._terms

    def mentions(self, cue: str) -> Mentions[int]:
        """Return the texts that mention *cue*: from the look-up, or from the edges."""
        mentions = self._mentions(cue)
        if self._among is None and self._within == ALWAYS:
            return mentions
        among, holds = self._among, self._within.holds
        wanted = [
            (among is None or text in among) and holds(at)
            for text, at in zip(mentions.texts, mentions.said_at, strict=True)
        ]
        return Mentions._make(tuple(compress(column, wanted)) for column in mentions)

    def narrow(self, within: Span, among: Collection[int] | None = None) -> None:
        """Let `mentions` return only texts said *within* a time, and only those *among* these."""
        self._within, self._among = within, among

    def having(self, groups: Iterable[Sequence[str]], most: int) -> set[int] | None:
        """Return the texts that mention a term of each of *groups*; None if that excludes none.

        Terms of more than *most* texts exclude none.
        """
        having: set[int] | None = None
        for terms in groups:
            if sum(map(self.count, terms)) <= most:
                known = [self._mentions(term).texts for term in terms if term in self._terms]
                texts = set().union(*known)
                having = texts if having is None else having & texts
        return having

    def expect_mentions(self, cues: Collection[str]) -> None:
        """Read the mentions of *cues* in one batch, where the host can."""
        unread = {cue: self._terms[cue].get_id() for cue in cues if cue not in self._read}
        columns = self._graph.columns_to(unread.values()) if unread else None
        if columns is not None:
            self._read |= {cue: _sound(columns[vertex]) for cue, vertex in unread.items()}

    def _mentions(self, cue: str) -> Mentions[int]:
        self.expect_mentions((cue,))
        if cue not in self._read:
            rows = [self._mention(edge) for edge in self._edges(cue)]
            self._read[cue] = _sound(list(zip(*rows, strict=True)))
        return self._read[cue]

    def texts_of(self, label: str, keys: Collection[str]) -> dict[str, int]:
        """Return the texts of the nodes of *label* by key, as far as the look-up read them.

        Texts without a word ("Thanks!") are left out: they answer nothing.
        """
        texts = {
            node.raw.get_property("key"): node.raw
            for node in self._graph.nodes()
            if node.label == schema.TEXT
            and node.raw.get_property("scope") == self.scope
            and node.raw.get_property("label") == label
        }
        self._raws |= {raw.get_id(): raw for raw in texts.values()}
        return {
            key: raw.get_id()
            for key, raw in texts.items()
            if key in keys and raw.get_property("length")
        }

    def about(self, texts: Sequence[int]) -> Mentions[int]:
        """Return a mention of each of *texts*, with a count of 1."""
        told = [map(self._raw(text).get_property, schema.OF_MENTIONED) for text in texts]
        rows = [(text, 1, *about) for text, about in zip(texts, told, strict=True)]
        return Mentions(*zip(*rows, strict=True))

    def terms(self, texts: Sequence[int]) -> list[list[str]]:
        """Return the terms that each of *texts* mentions, without first names of speakers."""
        nodes = [self._graph.raw_node(self._raw(text)) for text in texts]
        known = [node for node in nodes if node is not None]
        ends = self._graph.read_ends(known, _OF_TEXT, ("name", "speakers"))
        names: dict[Any, list[str]] = {None: []}
        for node, some in zip(known, ends, strict=True):
            mentioned = [one for one in some if isinstance(one[1], str) and not one[2]]
            names[node] = [name for _, name, _ in mentioned]
            for term, name, _ in mentioned:
                self._terms.setdefault(name, term)
        return [names[node] for node in nodes]

    def _mention(self, edge: Any) -> tuple[Any, ...]:
        raw = edge.from_vertex()
        text = raw.get_id()
        self._raws[text] = raw
        about = (raw.get_property(name) for name in schema.OF_MENTIONED)
        return (text, edge.get_property(schema.COUNT), *about)

    def beside(self, text: int, offset: int) -> int | None:
        """Return the text *offset* positions further: from the look-up, or along the thread."""
        place = self._place(text, offset)
        if place in self._at:
            return self._at[place]
        raw, wanted = self._raw(text), place[1]
        step = 1 if offset > 0 else -1
        while (raw.get_property("position") - wanted) * step < 0:
            raw = self._next(raw, forward=offset > 0)
            if raw is None or self._graph.raw_node(raw) is None:
                return None
        if raw.get_property("position") != wanted:
            return None
        found: int = raw.get_id()
        self._raws[found] = raw
        return found

    def _place(self, text: int, offset: int) -> tuple[Any, int]:
        thread, position = map(self._raw(text).get_property, schema.PLACE)
        return thread, position + offset

    def _next(self, raw: Any, forward: bool) -> Any:
        # The edges of a text include all its mentions: iterate over them only once.
        key = raw.get_id(), forward
        if key not in self._following:
            self._following[key] = _following(raw, forward)
        return self._following[key]

    def expect(self, texts: Sequence[tuple[int, int]]) -> None:
        """Read *texts* in one batch, where they are not in memory."""
        self._graph.expect([text for text, _ in texts])
        self._look_up({self._place(text, offset): None for text, offset in texts if offset})

    def expect_nodes(self, texts: Sequence[int]) -> None:
        """Read the nodes of *texts* in one batch, where they are not in memory."""
        nodes = [self._raw(text).get_property("node") for text in texts]
        self._graph.expect([node for node in nodes if isinstance(node, int)])

    def _look_up(self, places: dict[tuple[Any, int], None]) -> None:
        """Record the texts at *places*, if this host can look them up."""
        wanted = [(self.scope, *place) for place in places]
        by = ("scope", *schema.PLACE)
        found = self._graph.looked_up(schema.TEXT, by, wanted) if wanted else None
        if found is None:
            return
        self._at |= places
        for raw in found:
            text = raw.get_id()
            self._raws[text] = raw
            self._at[self._place(text, 0)] = text

    def tell(self, text: int) -> Told:
        """Return the text's key, speaker and times."""
        told = self._told.get(text)
        if told is None:
            raw = self._raw(text)
            is_odd = self._graph.raw_node(raw) is None
            told = Told("", None, None) if is_odd else keep(raw, "told", _tell)
            self._told[text] = told
        return told

    def node_of(self, text: int) -> tuple[str, str, int] | None:
        """Return the label, the key and the id of the node that has *text*; None if it is odd."""
        raw = self._raw(text)
        found: tuple[str, str, int] = keep(raw, "node", _find_node)
        return None if self._graph.raw_node(raw) is None else found

    def _raw(self, text: int) -> Any:
        if text not in self._raws:
            self._raws[text] = self._graph.raw_vertex(text)
        return self._raws[text]

    def _edges(self, cue: str) -> Iterator[Any]:
        step = self._graph.step
        edges = self._terms[cue].iter_in_edges()
        edge = edges.get()
        while edge is not None:
            step()
            if edge.get_type_name() in schema.MENTIONING:
                yield edge
            edge = edges.next()


def _sound(columns: Sequence[Sequence[Any]]) -> Mentions[int]:
    """Return the mentions that an index writes; the others wait until `index` writes them."""
    if not columns:
        return NO_MENTIONS
    _, *values = columns
    if schema.are_mentions(*values):
        return Mentions(*columns)
    rows = [row for row in zip(*columns, strict=True) if schema.is_mention(*row[1:])]
    return Mentions(*zip(*rows, strict=True)) if rows else NO_MENTIONS


def _tell(raw: Any) -> Told:
    return Told(*map(raw.get_property, _OF_TOLD))


def _find_node(raw: Any) -> tuple[Any, ...]:
    return tuple(map(raw.get_property, ("label", "key", "node")))


def _following(raw: Any, forward: bool) -> Any:
    edges = raw.iter_out_edges() if forward else raw.iter_in_edges()
    edge = edges.get()
    while edge is not None:
        if edge.get_type_name() == schema.NEXT:
            return edge.to_vertex() if forward else edge.from_vertex()
        edge = edges.next()
    return None


# Splitting "Anna's" leaves this piece beside the name.
_ENDINGS = frozenset({"s"})


def leave_out_speakers(index: StoredIndex, asked: str, languages: Sequence[str]) -> str:
    """Return *asked* without the first names of the speakers in *index*.

    Every text of a speaker is near the name, so the rest of the question would hardly count. A
    question of names alone is returned unchanged. Raises InvalidText, LibraryMissing.
    """
    asked, speakers = texts.summary(asked, "text"), index.speakers()
    if not speakers:
        return asked
    read = readings(asked, languages).items()
    named = {word for word, stems in read if any(map(speakers.get, stems))}
    left = [piece for piece in asked.split() if not set(split(piece)) - _ENDINGS <= named]
    return " ".join(left) if any(map(split, left)) else asked
