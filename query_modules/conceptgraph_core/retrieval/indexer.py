"""Keep the index of words, and of speakers by first name, consistent with the texts."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from ..graph import adapter
from ..graph.adapter import Node
from ..graph.layers import IndexedText, NodeKind
from ..graph.raw import keep, labels
from ..texts.words import missing
from ..verbs.context import Context
from ..verbs.errors import LibraryMissing
from . import schema
from .documents import Told, part, read_told, words_in
from .question import speaker_terms
from .schema import NEIGHBOURS

_PROPERTIES = ("thread", "position", "speaker", "said_at")
_OF_TOLD = ("speaker", "said_at", "told_at")


def is_of(raw: Any, kind: NodeKind, key: str, scope: str) -> bool:
    """Return whether the raw vertex is the node of *kind* with that *key* in *scope*."""
    if kind.label not in labels(raw) or raw.get_property(kind.key[-1]) != key:
        return False
    # A key without the scope is unique by itself.
    return kind.scope not in kind.key or kind.words_of(kind.whose(raw.get_property)) == scope


def _find_odd(raw: Any) -> list[str]:
    label = Words.label(raw)
    return [] if label is None else schema.find_odd(label, raw.get_property)


class Words(adapter.Graph[Node]):
    """One call's view of the index, without the nodes that no index writes: those are `odd`."""

    layer = schema.LAYER

    def __init__(self, ctx: Any, context: Mapping[str, Any] | Context) -> None:
        super().__init__(ctx, context)
        self.odd: list[Node] = []

    def _new_node(self, raw: Any, node_id: int) -> Node | None:
        node = super()._new_node(raw, node_id)
        if node is None or not keep(raw, "odd", _find_odd):
            return node
        self.odd.append(node)
        self._nodes[node_id] = None
        return None


class Speakers:
    """The speakers of a call's texts; the property `speakers` of a first name's terms has them.

    A speaker has an edge to each of his or her texts. When the last edge is gone, the name is
    removed from its terms. The caller must call `finish` at the end.
    """

    def __init__(
        self,
        graph: Words,
        languages: Sequence[str],
        term: Callable[[str, str], Node],
        unused: Callable[[Node], None],
    ) -> None:
        self._graph = graph
        self._languages = languages
        self._term = term
        self._unused = unused
        self._known: dict[tuple[str, str], Node] = {}
        self._perhaps_silent: dict[int, Node] = {}

    def load(self, node: Node) -> None:
        """Record a speaker that the look-up read."""
        self._known[_read_value(node, "scope"), _read_value(node, "name")] = node

    def write(self, one: Told, text: Node, is_new: bool, afresh: bool) -> bool:
        """Link *text* to its speaker; return whether that changed anything.

        With *afresh*, the terms of the first name are computed again.
        """
        said = None if is_new else self._said(text)
        if said is not None and _read_value(said[1], "name") == one.speaker:
            return afresh and self._write_names(said[1])
        if said is not None:
            edge, before = said
            self._graph.delete_edge(edge)
            self._perhaps_silent[before.id] = before
        if one.speaker is not None:
            speaker = self._speaker(one.scope, one.speaker, afresh)
            self._graph.add_edge(speaker, text, schema.SAID)
        return said is not None or one.speaker is not None

    def forget(self, text: Node) -> None:
        """Note that the caller will remove *text*."""
        said = self._said(text)
        if said is not None:
            self._perhaps_silent[said[1].id] = said[1]

    def finish(self) -> None:
        """Remove the speakers that have no text left."""
        for speaker in self._perhaps_silent.values():
            self._graph.step()
            if speaker.raw.iter_out_edges().get() is None:
                for _, term in self._names(speaker):
                    self._unname(term, _read_value(speaker, "name"))
                self._known.pop((_read_value(speaker, "scope"), _read_value(speaker, "name")), None)
                self._graph.delete_node(speaker)
        self._perhaps_silent = {}

    def _said(self, text: Node) -> tuple[Any, Node] | None:
        for edge, _, other, outgoing in self._graph.edges(text):
            if not outgoing and other.label == schema.SPEAKER:
                return edge, other
        return None

    def _speaker(self, scope: str, name: str, afresh: bool) -> Node:
        speaker = self._known.get((scope, name))
        if speaker is None:
            speaker = self._graph.create_node(schema.SPEAKER, scope=scope, name=name)
            self._known[scope, name] = speaker
            self._write_names(speaker)
        elif afresh:
            self._write_names(speaker)
        return speaker

    def _write_names(self, speaker: Node) -> bool:
        """Set *speaker* on exactly the terms of its first name; return whether any changed."""
        scope, name = _read_value(speaker, "scope"), _read_value(speaker, "name")
        wanted = speaker_terms(name, self._languages)
        known = {_read_value(term, "name"): (edge, term) for edge, term in self._names(speaker)}
        for edge, term in (known[other] for other in known if other not in wanted):
            self._graph.delete_edge(edge)
            self._unname(term, name)
        for term in (self._term(scope, other) for other in wanted if other not in known):
            self._graph.add_edge(term, speaker, schema.NAMES)
            speakers = {*(_read_value(term, "speakers") or ()), name}
            term.raw.set_property("speakers", sorted(speakers))
        return set(wanted) != set(known)

    def _names(self, speaker: Node) -> list[tuple[Any, Node]]:
        edges = self._graph.edges(speaker)
        return [
            (edge, other)
            for edge, _, other, outgoing in edges
            if not outgoing and other.label == schema.TERM
        ]

    def _unname(self, term: Node, name: str) -> None:
        left = [one for one in _read_value(term, "speakers") or () if one != name]
        term.raw.set_property("speakers", left or None)
        self._unused(term)


class Writer:
    """Writes the words of texts; it looks up their index entries once.

    The caller must call `finish` at the end. The writer does nothing:
    * without the libraries, which `check` reports;
    * in a rehearsal.
    """

    def __init__(self, graph: adapter.Graph[Any]) -> None:
        self._graph = graph.another(Words)
        self._languages = graph.context.languages
        # By scope, then by name.
        self._terms: dict[str, dict[str, Node]] = {}
        self._texts: dict[tuple[str, str, str], Node] = {}
        self._places: dict[tuple[str, str, int], Node] = {}
        self._parts: dict[tuple[str, int], Node] = {}
        self._more: dict[tuple[str, int], tuple[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()
        self._perhaps_unused: dict[int, Node] = {}
        # The parts of scopes whose groups name a removed term, or have to be computed again.
        self._stale: set[tuple[str, int]] = set()
        self._speakers = Speakers(self._graph, self._languages, self._term, self._note_unused)
        self._read_of: dict[str, tuple[str, ...]] = {}
        self._is_loaded = False
        self._can = not missing()

    def require_libraries(self) -> None:
        """Raise LibraryMissing if the libraries that split words are missing."""
        if not self._can:
            raise LibraryMissing(
                f"words: {', '.join(missing())} must be beside the query modules;"
                " concept-graph-mcp install-modules copies them"
            )

    def put(self, kind: NodeKind, node: Node, again: bool = True, afresh: bool = False) -> bool:
        """Index the text of *node*; return whether that changed the index.

        Without *again*, an existing entry of the node is taken as correct. With *afresh*, the
        terms of its speaker's first name are computed again too.
        """
        one = self.told(kind, node)
        if one is None or not self._can:
            return False
        self._load()
        text = self._texts.get(one.id)
        if text is not None and not again and text.raw.get_property("node") == node.id:
            return False
        if text is None:
            self._write_new(one, node)
            return True
        changed = self._write_mentions(one, text)
        if afresh:
            self._forget_groups(one, text)
        changed |= self._write_place(one, text)
        changed |= self._speakers.write(one, text, False, afresh)
        return (
            self._set(text, node=node.id, **{name: getattr(one, name) for name in _OF_TOLD})
            or changed
        )

    def _write_new(self, one: Told, node: Node) -> None:
        counts = one.counts(self._languages)
        size = words_in(counts)
        scope, label, key = one.id
        given = {"length": size, "node": node.id, **{name: getattr(one, name) for name in _OF_TOLD}}
        given = {name: value for name, value in given.items() if value is not None}
        text = self._graph.create_node(schema.TEXT, scope=scope, label=label, key=key, **given)
        self._texts[one.id] = text
        self._count(one, 1, size)
        self._mention(one, text, counts, one.subjects(self._languages))
        self._write_place(one, text)
        self._speakers.write(one, text, True, False)

    def know(self, text: int) -> None:
        """Use the index entry *text*, a node's id, which no look-up of an index found."""
        self._load()
        raw = self._graph.raw_vertex(text)
        entry = None if raw is None else self._graph.raw_node(raw)
        if entry is not None:
            get = entry.raw.get_property
            self._texts[get("scope"), get("label"), get("key")] = entry

    def begin(self, scope: str, thread: str) -> None:
        """Make two concurrent calls that both begin *thread* conflict.

        A new thread has no node to conflict on. Both calls write to one part of the corpus
        instead, which the thread's name selects.
        """
        self._begun.add((scope, part(thread)))

    def remove(self, kind: NodeKind, node: Node) -> None:
        """Remove the index entry of *node*."""
        one = self.told(kind, node)
        if one is not None:
            self._load()
            text = self._texts.pop(one.id, None)
            if text is not None:
                self._remove(one, text)

    def has(self, kind: NodeKind, node: Node) -> bool:
        """Return whether the index has an entry of *node*."""
        one = self.told(kind, node)
        self._load()
        return one is not None and one.id in self._texts

    def remove_strays(self, kinds: Iterable[NodeKind], most: float = math.inf) -> int:
        """Remove at most *most* index entries whose texts are gone; return how many."""
        strays = self.strays(kinds)
        strays = strays[: int(min(most, len(strays)))]
        for id_ in strays:
            scope, label, key = id_
            text = self._texts.pop(id_)
            self._remove(Told(scope, label, key, "", None, None, None, None), text)
        return len(strays)

    def strays(self, kinds: Iterable[NodeKind]) -> list[tuple[str, str, str]]:
        """Return the index entries whose node is gone or is another one."""
        self._load()
        known = {kind.label: kind for kind in kinds}
        return [
            (scope, label, key)
            for (scope, label, key), text in self._texts.items()
            if not self._is_there(known.get(label), key, scope, text)
        ]

    def _is_there(self, kind: NodeKind | None, key: str, scope: str, text: Node) -> bool:
        raw = self._graph.raw_vertex(text.raw.get_property("node"))
        return kind is not None and raw is not None and is_of(raw, kind, key, scope)

    def finish(self) -> None:
        """Write the new counts of texts, and remove the terms that no text mentions any more."""
        self._speakers.finish()
        for key in sorted(self._begun) if self._can else ():
            self._load()
            self._more.setdefault(key, (0, 0))
        grouped = set()
        # Other terms may still name those that no text mentions any more.
        for term in self._perhaps_unused.values():
            self._graph.step()
            scope, near = map(term.raw.get_property, ("scope", schema.NEAR))
            if not term.raw.get_property("speakers") and self._graph.delete_if_alone(term) and near:
                grouped.add(scope)
        self._stale |= {key for key in self._parts if key[0] in grouped}
        for key, (texts, length) in self._more.items():
            if not (texts or length or key in self._begun):
                continue
            node = self._parts.get(key)
            if node is None:
                given = dict(zip(("scope", "part"), key, strict=True))
                self._parts[key] = self._graph.create_node(
                    schema.CORPUS, **given, texts=texts, length=length
                )
                continue
            # Written even if unchanged, so that two calls that begin one thread conflict.
            node.raw.set_property("texts", node.raw.get_property("texts") + texts)
            self._set(node, length=node.raw.get_property("length") + length)
        for key in self._stale & self._parts.keys():
            self._set(self._parts[key], grouped=None)
        self._more, self._perhaps_unused = {}, {}
        self._begun.clear()
        self._stale.clear()

    def told(self, kind: NodeKind, node: Node) -> Told | None:
        """Return the text that the index keeps of *node*; None if its kind has none."""
        if kind.indexed is None:
            return None
        names = self._read_of.get(kind.label)
        if names is None:
            names = self._read_of[kind.label] = tuple(_read_of(kind, kind.indexed))
        get = node.raw.get_property
        stored = {name: get(name) for name in names}
        texts = {name: kind.declared(name).read(stored[name]) for name in kind.indexed.texts()}
        return read_told(kind, stored | texts)

    def _load(self) -> None:
        if self._is_loaded:
            return
        self._is_loaded = True
        for node in self._graph.nodes():
            get = node.raw.get_property
            if node.label == schema.TERM:
                self._terms.setdefault(get("scope"), {})[get("name")] = node
            elif node.label == schema.SPEAKER:
                self._speakers.load(node)
            elif node.label == schema.CORPUS:
                self._parts[get("scope"), get("part")] = node
            else:
                self._texts[get("scope"), get("label"), get("key")] = node
                if get("thread") is not None:
                    self._places[get("scope"), get("thread"), get("position")] = node
        # A new node may get the key of an odd one, whose counts are lost until `index`.
        for odd in self._graph.odd if self._graph.may_write else ():
            self._graph.delete_node(odd)

    # Mentions

    def _write_mentions(self, one: Told, text: Node) -> bool:
        counts = one.counts(self._languages)
        about = one.subjects(self._languages)
        known: set[str] = set()
        changed = False
        terms = self._terms.setdefault(one.scope, {})
        for edge, term in self._mentions(text):
            name = term.raw.get_property("name")
            # The look-up may have missed a term whose kind of mention changes.
            terms.setdefault(name, term)
            count = counts.get(name)
            kind = None if count is None else _mention(name, count, about)
            if name in known or edge.get_type_name() != kind:
                self._graph.delete_edge(edge)
                self._note_unused(term)
                changed = True
                continue
            known.add(name)
            if edge.get_property("count") != count:
                edge.set_property("count", count)
                changed = True
        missing = {name: count for name, count in counts.items() if name not in known}
        self._mention(one, text, missing, about)
        changed |= bool(missing)
        size = words_in(counts)
        self._count(one, 0, size - (text.raw.get_property("length") or 0))
        return self._set(text, length=size) or changed

    def _forget_groups(self, one: Told, text: Node) -> None:
        for _, term in self._mentions(text):
            self._set(term, **{schema.NEAR: None})
        self._stale.add((one.scope, one.part))

    def _mention(
        self, one: Told, text: Node, counts: Mapping[str, float], about: Collection[str]
    ) -> None:
        """Add a mention of each of *counts* to *text*."""
        kinds: dict[str, dict[str, float]] = {}
        for name, count in counts.items():
            kinds.setdefault(_mention(name, count, about), {})[name] = count
        known, scope = self._terms.setdefault(one.scope, {}), one.scope
        for edge_type, mentioned in kinds.items():
            terms = [known.get(name) or self._term(scope, name) for name in mentioned]
            self._graph.add_edges(text, edge_type, schema.COUNT, terms, mentioned.values())

    def _mentions(self, text: Node) -> list[tuple[Any, Node]]:
        return [
            (edge, other)
            for edge, _, other, outgoing in self._graph.edges(text)
            if outgoing and other.label == schema.TERM
        ]

    def _term(self, scope: str, name: str) -> Node:
        of_scope = self._terms.setdefault(scope, {})
        term = of_scope.get(name)
        if term is None:
            term = of_scope[name] = self._graph.create_node(schema.TERM, scope=scope, name=name)
        return term

    def _note_unused(self, term: Node) -> None:
        self._perhaps_unused[term.id] = term

    # Threads

    def _write_place(self, one: Told, text: Node) -> bool:
        get = text.raw.get_property
        old = (one.scope, get("thread"), get("position")) if get("thread") is not None else None
        new = one.place
        if new is not None and self._places.get(new, text).id != text.id:
            new = None  # Two texts at one place: the first one keeps it.
        if new == old:
            return False
        if old is not None:
            self._unlink(text)
            self._places.pop(old, None)
        _, thread, position = new or (None, None, None)
        self._set(text, thread=thread, position=position)
        if new is not None:
            self._places[new] = text
            self._link(new, text)
        return True

    def _link(self, place: tuple[str, str, int], text: Node) -> None:
        before, after = self._nearest(place, -1), self._nearest(place, 1)
        if before is not None and after is not None:
            for edge in self._graph.edges_between(before, after, schema.NEXT):
                self._graph.delete_edge(edge)
        if before is not None:
            self._graph.add_edge(before, text, schema.NEXT)
        if after is not None:
            self._graph.add_edge(text, after, schema.NEXT)

    def _nearest(self, place: tuple[str, str, int], step: int) -> Node | None:
        scope, thread, position = place
        for distance in range(1, NEIGHBOURS + 1):
            found = self._places.get((scope, thread, position + step * distance))
            if found is not None:
                return found
        return None

    def _unlink(self, text: Node) -> None:
        """Take *text* out of its thread, and join its neighbours if they are near enough."""
        before: Node | None = None
        after: Node | None = None
        for edge, _, other, outgoing in list(self._graph.edges(text)):
            if other.label == schema.TEXT:
                before, after = (before, other) if outgoing else (other, after)
                self._graph.delete_edge(edge)
        if before is not None and after is not None:
            ends = (one.raw.get_property("position") for one in (after, before))
            if next(ends) - next(ends) <= NEIGHBOURS:
                self._graph.add_edge(before, after, schema.NEXT)

    # The rest

    def _remove(self, one: Told, text: Node) -> None:
        get = text.raw.get_property
        for _, term in self._mentions(text):
            self._note_unused(term)
        self._speakers.forget(text)
        if get("thread") is not None:
            self._unlink(text)
            self._places.pop((one.scope, get("thread"), get("position")), None)
        self._count(one, -1, -(get("length") or 0))
        self._graph.delete_node(text)

    def _count(self, one: Told, texts: int, length: int) -> None:
        key = one.scope, one.part
        known_texts, known_length = self._more.get(key, (0, 0))
        self._more[key] = known_texts + texts, known_length + length

    def _set(self, node: Node, /, **properties: Any) -> bool:
        changed = False
        for name, value in properties.items():
            if node.raw.get_property(name) != value:
                node.raw.set_property(name, value)
                changed = True
        return changed


def _read_of(kind: NodeKind, indexed: IndexedText) -> set[str]:
    """Return the properties of a node that the index reads."""
    names = {*indexed.told(), *kind.key, *_PROPERTIES}
    return names | {name for name in (kind.scope, indexed.otherwise_at) if name is not None}


def _mention(name: str, count: float, about: Collection[str]) -> str:
    if name in about:
        return schema.ABOUT
    return schema.HEARD if count == schema.HEARD_COUNT else schema.MENTIONS


def _read_value(node: Node, name: str) -> Any:
    return node.raw.get_property(name)
