"""Read everything about an entity: its component, facts, edges, mentions, and open questions."""

import heapq
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from .. import bitemporal, schema, trust
from ..identity import components, ledger
from ..identity.merging import entity
from ..node import Graph, Node, Tie
from .sentences import called, stated

Row = dict[str, Any]


class Whole:
    """An entity with all entities merged with it, and its mentions."""

    def __init__(self, graph: Graph, node: Node) -> None:
        self._graph = graph
        self.node = node
        self.members = components.members(graph, node)
        self.said = components.said(graph, node)

    @property
    def name(self) -> str:
        return called(self.node.name)

    @cached_property
    def mentions(self) -> list[Node]:
        """All mentions of it, the latest first."""
        found = components.mentions_of(self._graph, self.members)
        return sorted(found, key=lambda one: one.turn, reverse=True)

    @cached_property
    def users(self) -> list[Node]:
        """The user's mentions of it, the latest first."""
        return [one for one in self.mentions if one.get("origin") == schema.USER]

    @property
    def latest(self) -> Node | None:
        """The user's own last mention, or without one the model's."""
        return next(iter(self.users or self.mentions), None)

    @property
    def described(self) -> str:
        return stated(components.find_kind(self.members) or self.node.node_type)


class Wholes:
    """All entities of one narrative, each read once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._wholes: dict[int, Whole] = {}

    def whole(self, node: Node) -> Whole:
        canonical = components.canonical(self._graph, node)
        if canonical.id not in self._wholes:
            self._wholes[canonical.id] = Whole(self._graph, canonical)
        return self._wholes[canonical.id]


def get(
    graph: Graph,
    entity_id: str,
    valid_at: int | None = None,
    known_at: int | None = None,
    limit: int | None = schema.DEFAULT_ROWS,
) -> Row:
    """Return the component of *entity_id* as one, its facts as of both times (unix ms; None: now).

    Facts, edges and mentions are at most *limit* each: the strongest edges, the latest mentions. An
    entity that only a model mentioned is `inferred`. Raises NotFound.
    """
    members = components.members(graph, entity(graph, entity_id))
    known_at = graph.now_ms if known_at is None else known_at
    valid_at = graph.now_ms if valid_at is None else valid_at
    most = schema.limit(limit, schema.DEFAULT_ROWS)
    joined = ties(graph, members)
    strongest = sorted(joined, key=lambda tie: tie.rank(graph.now_ms))[:most]
    return {
        **described(graph, members, joined, (valid_at, known_at), most),
        "edges": [_edge(graph, tie) for tie in strongest],
        "mentions": mentions(graph, members, most),
        "merges": ledger_rows(graph, members),
    }


def history(graph: Graph, entity_id: str) -> list[Row]:
    """Return all facts of the component of *entity_id*: those of now, the ended, the corrected.

    At most 1,000, each kind the latest known first. A row has both pairs of times (unix ms) and
    `text`, the sentence that stated it. `known_until` is when it was corrected. Raises NotFound.
    """
    now_ms = graph.now_ms
    members = components.members(graph, entity(graph, entity_id))
    facts = [
        one for one in bitemporal.iterate_facts(graph, members) if one.get("known_from") <= now_ms
    ]

    def order(fact: Node) -> tuple[bool, bool, int, str]:
        is_known = bitemporal.is_known(fact, now_ms)
        is_valid = bitemporal.is_valid(fact, now_ms, now_ms)
        return not is_known, not is_valid, -fact.get("known_from"), fact.key

    return [
        {
            **bitemporal.tell_fact(graph, fact, now_ms),
            "known_from": fact.get("known_from"),
            "known_until": None if bitemporal.is_known(fact, now_ms) else fact.get("known_until"),
            "text": bitemporal.find_sentence(graph, fact),
        }
        for fact in heapq.nsmallest(schema.MAX_LISTED, facts, key=order)
    ]


def described(
    graph: Graph,
    members: Sequence[Node],
    joined: Sequence[Tie],
    at: tuple[int, int],
    most: int,
) -> Row:
    """Describe a component without its edges, its mentions and its ledger.

    *joined* are its `ties`, *at* when its facts are valid and known, at most *most*.
    """
    valid_at, known_at = at
    canonical = members[0]
    said = components.said(graph, canonical)
    known = bitemporal.list_known(graph, members, known_at)
    valid = [one for one in known if bitemporal.is_valid(one, valid_at, known_at)]
    latest = heapq.nlargest(most, valid, key=lambda one: (one.get("known_from"), one.key))
    origin, confidence = trust.origin(said.user, said.model)
    return {
        "entity_id": canonical.key,
        "labels": components.labels(members),
        "type": canonical.node_type,
        "kind": components.find_kind(members),
        "identity_status": canonical.status,
        "valid_until": canonical.get("valid_until"),
        "origin": origin,
        "origin_confidence": confidence,
        "inferred": said.user == 0,
        "trust": trust.trust(said),
        "trust_parts": _parts(said),
        "activation": max(one.activation(graph.now_ms) for one in members),
        "is_active": any(one.get("is_active") for one in members),
        "facts": [bitemporal.tell_fact(graph, one, known_at) for one in latest],
        "conflicts": _conflicts(graph, valid, joined, known_at),
    }


def _parts(said: trust.Said) -> Row:
    counts = {
        "user_mentions": said.user,
        "model_mentions": said.model,
        "user_sessions": said.sessions,
        "emotional_intensity": said.intensity,
        "edge_count": said.edges,
        "active_edges": said.active,
    }
    return {**counts, **trust.parts(said)}


def ties(graph: Graph, members: Iterable[Node]) -> list[Tie]:
    """Return the edges that leave the component: the strongest of each type to each other one."""
    inside = {one.id: one for one in members}
    found: dict[tuple[str, bool, int], Tie] = {}
    for one in inside.values():
        for tie in graph.ties(one):
            if tie.other.id in inside:
                continue
            way = tie.leaves and tie.type not in schema.UNDIRECTED
            known = found.setdefault((tie.type, way, tie.other.id), tie)
            if known is not tie and tie.rank(graph.now_ms) < known.rank(graph.now_ms):
                found[tie.type, way, tie.other.id] = tie
    return list(found.values())


def _edge(graph: Graph, tie: Tie) -> Row:
    """Return an edge as tools show it: each axis apart, the far end as its canonical entity."""
    other = components.canonical(graph, tie.other)
    row: Row = {
        "entity_id": other.key,
        "label": tie.other.name,
        "type": tie.type.lower(),
        **tie.axes(graph.now_ms),
        "is_active": tie.is_active,
        "origin": tie.origin,
    }
    if tie.type not in schema.UNDIRECTED:
        row["direction"] = "to" if tie.leaves else "from"
    if tie.type == schema.SAME_AS:
        row["status"] = tie.get("status")
    return row


def mentions(graph: Graph, members: Iterable[Node], most: int) -> list[Row]:
    """Return the latest *most* mentions of a component."""
    told = components.mentions_of(graph, members)
    latest = heapq.nlargest(most, told, key=lambda one: one.turn)
    return [
        {
            "mention_id": one.key,
            "label": one.get("label"),
            "origin": one.get("origin"),
            "context": one.words,
            "span": one.get("source_span"),
            "inferred_from": one.get("inferred_from"),
            "archived": one.get("archived"),
            "session_id": one.get("session_id"),
            "message_id": one.get("message_id"),
            "created_at": one.created_at,
        }
        for one in latest
    ]


def _conflicts(
    graph: Graph, facts: Sequence[Node], ties: Iterable[Tie], known_at: int
) -> list[Row]:
    """Return the contradictions: conflicting facts, and relations observed as contradictions."""
    pairs = bitemporal.conflicts(graph, facts, known_at)
    rows = [bitemporal.conflict(*pair) for pair in pairs]
    contradicting = (tie for tie in ties if tie.type == schema.CONTRADICTS and tie.is_active)
    return rows + [
        {"entity_id": tie.other.key, "label": tie.other.name, "evidence": tie.get("evidence")}
        for tie in contradicting
    ]


def ledger_rows(graph: Graph, members: Iterable[Node]) -> list[Row]:
    """Return the ledger of the component as tools show it, undone entries included, in order."""
    found = {entry.id: entry for one in members for entry in ledger.entries(graph, one)}
    return [ledger.tell(one) for one in sorted(found.values(), key=lambda one: one.age)]
