"""End a session: connect the entities that it mentioned, and count the session once."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from ...texts import text as texts
from ...texts.text import show_name
from ...verbs.errors import NotFound
from .. import bitemporal, edges, mentions, schema, trust
from ..identity import components
from ..node import Graph, Node, Tie
from .relating import Ends, activate, connect, credit, strengthen, take_back

Row = dict[str, Any]


@dataclass(slots=True)
class _Mentioned:
    """An entity of a session: whether the user mentioned it, and the place of its first mention."""

    entity: Node
    by_user: bool
    sequence: int


def end(graph: Graph, session_id: str) -> Row:
    """End and consolidate a session; ended again, only new observations count.

    It pairs the 30 most activated of the mentioned entities, joins events in their order, counts
    the session for its causal relations, and promotes entities. Returns entities, edges_created and
    edges_reinforced (counts), promoted ({entity_id, label, reason}) and activated_causal ({from,
    to}). Raises NotFound.
    """
    values = [(graph.user_id, texts.name(session_id, "session_id"))]
    session = next(iter(graph.find(schema.SESSION, ("user_id", "session_id"), values)), None)
    if session is None:
        raise NotFound(f"session_id: nothing was observed in {show_name(session_id)}")
    mentioned = _mentioned(graph, session)
    told: Row = {
        "entities": len(mentioned),
        **dict.fromkeys(("edges_created", "edges_reinforced"), 0),
        "promoted": [],
        "activated_causal": [],
    }
    _feel(graph, session)
    _pair(graph, session, mentioned, told)
    _in_order(graph, session, mentioned, told)
    _causes(graph, session, mentioned, told)
    for one in mentioned:
        _promote(graph, one.entity, told)
    session.set(ended_at=graph.now_ms, is_open=False)
    return told


def _mentioned(graph: Graph, session: Node) -> list[_Mentioned]:
    """Return the entities that *session* mentioned, in the order of their first mentions."""
    found: dict[int, _Mentioned] = {}
    for mention in mentions.of_session(graph, session):
        by_user, sequence = mention.get("origin") == schema.USER, mention.get("sequence")
        for of in graph.leaving(mention, schema.OF):
            if components.is_self(of.other):
                # The speaker is present in every session, so an edge to the user would say nothing.
                continue
            known = found.setdefault(of.other.id, _Mentioned(of.other, by_user, sequence))
            known.by_user |= by_user
            known.sequence = min(known.sequence, sequence)
    return sorted(found.values(), key=lambda one: one.sequence)


def _feel(graph: Graph, session: Node) -> None:
    """Set the session's valence: the mean of the feelings in the user's mentions."""
    valences = [
        valence
        for mention in mentions.of_session(graph, session)
        if mention.get("origin") == schema.USER
        and (valence := mention.get("emotional_valence")) is not None
    ]
    if valences:
        session.set(valence=sum(valences) / len(valences))


def _pair(graph: Graph, session: Node, mentioned: Iterable[_Mentioned], told: Row) -> None:
    """Create or reinforce co-occurrence between each pair of the chosen, once a session."""
    by_user, by_model = set(session.get("paired_by_user")), set(session.get("paired_by_model"))
    chosen = _chosen(graph, mentioned, by_user | by_model)
    known, stale = _between(graph, chosen), _stale(graph, chosen)
    for one, other in combinations(chosen, 2):
        key = frozenset((one.entity.id, other.entity.id))
        users = one.by_user and other.by_user
        keys = {one.entity.key, other.entity.key}
        if keys <= by_user or (keys <= by_user | by_model and not users):
            continue
        # It counted as a model's in this session, until the user mentioned both.
        upgraded = keys <= by_user | by_model
        if not components.are_one(graph, one.entity, other.entity):
            ends = one.entity, other.entity
            share = 1 / edges.crowding(max(end.get("edge_count") - stale[end.id] for end in ends))
            tie = known.get(key)
            is_stale = tie is not None and tie.is_active and not tie.stays_on(graph.now_ms)
            if is_stale and not upgraded:
                stale.subtract(end.id for end in ends if end.id in stale)
            tie = _reinforce(graph, graph.ordered(*ends), tie, users, told, share, upgraded)
            if users:
                tie.set(origin=schema.COOCCURRENCE)
            if upgraded:
                take_back(tie, share)
    # A fixed order keeps a session that ends again as it was.
    session.set(
        paired_by_user=sorted(one.entity.key for one in chosen if one.by_user),
        paired_by_model=sorted(one.entity.key for one in chosen if not one.by_user),
    )


def _chosen(graph: Graph, mentioned: Iterable[_Mentioned], before: set[str]) -> list[_Mentioned]:
    """Return the entities to pair: first those paired before, the user's, the most activated.

    At most 30, because pairs grow with the square.
    """
    everyone = sorted(
        mentioned,
        key=lambda one: (
            one.entity.key not in before,
            not one.by_user,
            -one.entity.activation(graph.now_ms),
            one.entity.get("canonical_name"),
        ),
    )
    return everyone[: schema.MAX_PAIRED]


def _between(graph: Graph, chosen: list[_Mentioned]) -> dict[frozenset[int], Tie]:
    """Return the co-occurrence edges among *chosen* by their ends.

    Each edge is found from the end that it leaves, which spares a walk over incoming mentions.
    """
    ids = {one.entity.id for one in chosen}
    return {
        frozenset((one.entity.id, tie.other.id)): tie
        for one in chosen
        for tie in graph.leaving(one.entity, schema.CO_OCCURRENCE)
        if tie.other.id in ids
    }


def _stale(graph: Graph, chosen: Sequence[_Mentioned]) -> Counter[int]:
    """Return, by entity id, how many connections no nightly run has switched off yet.

    So the crowding of a node does not depend on whether nightly runs took place. They are counted
    only where they can matter.
    """
    now_ms = graph.now_ms
    return Counter(
        {
            one.entity.id: sum(not edge.stays_on(now_ms) for edge in graph.connections(one.entity))
            for one in chosen
            if one.entity.get("edge_count") + len(chosen) > edges.CROWDED
        }
    )


def _reinforce(
    graph: Graph,
    ends: Ends,
    tie: Tie | None,
    is_users: bool,
    told: Row,
    share: float = 1.0,
    is_counted: bool = False,
    type_: str = schema.CO_OCCURRENCE,
) -> Tie:
    """Create an edge between *ends*, or strengthen it unless it *is_counted*; credit it."""
    if tie is None:
        origin = schema.COOCCURRENCE if is_users else schema.INFERRED
        weight = edges.DEFAULT_WEIGHTS[type_]
        tie = graph.join(*ends, type_, origin=origin, weight=weight)
        connect(ends)
        told["edges_created"] += 1
    elif not is_counted:
        strengthen(graph, tie, ends)
        told["edges_reinforced"] += 1
    credit(graph, tie, ends, schema.USER if is_users else schema.MODEL, share)
    return tie


def _in_order(graph: Graph, session: Node, mentioned: Iterable[_Mentioned], told: Row) -> None:
    """Join each event with the one that was mentioned after it.

    Known times of both events that say otherwise come first.
    """
    counted = session.get("reinforced")
    events = [one for one in mentioned if one.entity.node_type == schema.EVENT]
    for one, other in pairwise(events):
        first, second = (bitemporal.find_since(graph, each.entity) for each in (one, other))
        is_other_way = first is not None and second is not None and first > second
        earlier, later = (other, one) if is_other_way else (one, other)
        ends = earlier.entity, later.entity
        key = edges.key(schema.TEMPORAL, ends[0].key, ends[1].key)
        if key in counted or any(each.startswith(f"{key}\t") for each in session.get("relations")):
            continue
        counted.append(key)
        users = earlier.by_user and later.by_user
        tie = graph.between(*ends, schema.TEMPORAL)
        _reinforce(graph, ends, tie, users, told, type_=schema.TEMPORAL)
    session.set(reinforced=counted)


def _causes(graph: Graph, session: Node, mentioned: Iterable[_Mentioned], told: Row) -> None:
    """Count the session for the causal relations that were observed in it, once.

    The user must have mentioned both ends in it, because a model that repeats its own idea proves
    nothing. A relation becomes active after three sessions that did not all feel the same: one bad
    week must not teach that work makes miserable.
    """
    counted = session.get("reinforced")
    entities = {one.entity.key: one.entity for one in mentioned if one.by_user}
    for written in session.get("relations"):
        key = written.rpartition("\t")[0]
        ends = None if key in counted else edges.of_key(key, schema.CAUSAL, entities)
        if ends is None:
            continue
        source, target = (entities[one] for one in ends)
        tie = graph.between(source, target, schema.CAUSAL)
        if tie is None:
            continue
        counted.append(key)
        if _is_learnt(session, tie):
            activate(tie, (source, target))
            told["activated_causal"].append({"from": source.key, "to": target.key})
    session.set(reinforced=counted)


def _is_learnt(session: Node, tie: Tie) -> bool:
    """Count *session* for a causal edge; tell whether this makes the edge active."""
    valences, valence = tie.get("valences") or [], session.get("valence")
    if valence is not None:
        valences = [*valences, valence][-schema.MAX_SESSIONS_KEPT :]
        tie.set(valences=valences)
    left = max(tie.get("requires_activation") - 1, 0)
    tie.set(requires_activation=left)
    return left == 0 and not tie.is_active and edges.moods_differ(valences)


def _promote(graph: Graph, entity: Node, told: Row) -> None:
    """Make provisional entities distinct, and ambiguous ones whose doubts are all settled."""
    reason = trust.promotion(components.own(graph, entity))
    is_settled = entity.status == schema.AMBIGUOUS and not components.questions(graph, entity)
    if reason is not None and (entity.status == schema.PROVISIONAL or is_settled):
        entity.set(identity_status=schema.DISTINCT, promoted_at=graph.now_ms)
        told["promoted"].append({"entity_id": entity.key, "label": entity.name, "reason": reason})
