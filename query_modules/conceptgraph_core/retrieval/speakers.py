"""Index the speakers of texts by first name, as long as they have texts."""

from collections.abc import Callable, Sequence
from typing import Any

from ..graph import adapter
from ..graph.adapter import Node
from . import schema
from .documents import Told
from .question import speaker_terms


class Speakers:
    """The speakers of a call's texts; the property `speakers` of a first name's terms has them.

    A speaker has an edge to each of his or her texts. When the last edge is gone, the name is
    removed from its terms. The caller must call `finish` at the end.
    """

    def __init__(
        self,
        graph: adapter.Graph[Node],
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


def _read_value(node: Node, name: str) -> Any:
    return node.raw.get_property(name)
