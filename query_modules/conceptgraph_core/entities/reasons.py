"""Explain why an entity is trusted, active, merged or gone, or an edge: text, and rows to draw.

Each number is shown with its parts, so that a person can check it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..verbs import validators
from ..verbs.errors import InvalidText, NotFound
from . import edges, schema, trust
from .consolidation import daily, weekly
from .identity import components, merging
from .narration import describing
from .narration.sentences import INFERRED, Part, called, ended, quoted, stated, written
from .node import Graph, Node, Tie

Row = dict[str, Any]

# At most so many mentions and edges are reported.
MOST_TOLD: Final = 5
_DONE: Final = {
    schema.MERGE_ACTION: "{0} was merged into {1}",
    schema.SPLIT_ACTION: "Another {1} was split from {0}",
    schema.END_ACTION: "{0} was ended",
    schema.APART_ACTION: "{0} was kept apart from {1}",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """A line, the part of the graph it is about, and ids that tools take."""

    parts: tuple[Part, ...]
    node: Node | None = None
    tie: Tie | None = None
    ids: tuple[tuple[str, str], ...] = ()


def explain(
    graph: Graph,
    entity_id: str | None = None,
    source: str | None = None,
    target: str | None = None,
    type_: str | None = None,
) -> list[Row]:
    """Explain an entity, or the edge of that type between two. Raises NotFound, InvalidText.

    A row has text, parts, ids, and the node and the relation that it is about, to draw.
    """
    return [
        {
            "text": written(one.parts),
            "parts": list(one.parts),
            "ids": dict(one.ids),
            "node": None if one.node is None else graph.yielded(one.node),
            "relation": None if one.tie is None else graph.relations([one.tie.raw])[0],
        }
        for one in _explain(graph, entity_id, (source, target, type_))
    ]


def _explain(
    graph: Graph, entity_id: str | None, ends: tuple[str | None, str | None, str | None]
) -> Iterator[Reason]:
    source_id, target_id, edge_type = ends
    if entity_id is not None and ends == (None, None, None):
        return _entity(graph, merging.entity(graph, entity_id))
    if entity_id is not None or source_id is None or target_id is None or edge_type is None:
        raise InvalidText("entity_id: give an entity_id, or from, to and type")
    kind = validators.one_of(tuple(name.lower() for name in schema.BETWEEN))(
        edge_type, "type"
    ).upper()
    source, target = merging.named(graph, **{"from": source_id, "to": target_id})
    found = _between(graph, source, target, kind)
    if found is None:
        raise NotFound(f"type: no {edge_type} edge joins these; entity_get shows which do")
    return _edge(graph, *found)


def _between(graph: Graph, source: Node, target: Node, kind: str) -> tuple[Node, Tie] | None:
    """Return the edge of two, or else the strongest one of their components, and its end.

    `entity_get` shows the edges of all members as those of the canonical entity.
    """
    own = graph.between(source, target, kind)
    if own is not None:
        return source, own
    found = [
        (one, tie)
        for one in components.members(graph, source)
        for other in components.members(graph, target)
        if (tie := graph.between(one, other, kind)) is not None
    ]
    return min(found, key=lambda pair: pair[1].rank(graph.now_ms), default=None)


def _of(entity: Node, *more: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return (("entity_id", entity.key), *more)


def _entity(graph: Graph, entity: Node) -> Iterator[Reason]:
    node = components.canonical(graph, entity)
    members, said = components.members(graph, node), components.said(graph, node)
    if node.id != entity.id:
        text = f"{called(entity.name)} counts as {called(node.name)}, with which it was merged."
        yield Reason((text,), entity, ids=_of(entity))
    yield _status(node, said)
    yield from _trust(node, said)
    yield _presence(graph, node, members)
    yield from _merges(graph, members)
    yield from _doubts(graph, node)
    for row in daily.contradictions(graph, node):
        text = f"It contradicts itself: {row['from']}, and {row['to']}; {row['why']}."
        yield Reason((text,), node, ids=_of(node))
    yield from _mentions(graph, members)
    yield from _strongest(graph, members)


def _status(node: Node, said: trust.Said) -> Reason:
    kind = stated(node.get("entity_kind") or node.node_type)
    start = f"{called(node.name)} ({kind}) is {node.status}"
    reason = trust.promotion(said)
    if node.status == schema.PROVISIONAL:
        needed = (
            "the end of its session"
            if reason
            else "a mention by the user, and: two sessions of"
            f" these, intensity above {trust.PROMOTING_INTENSITY}, or {trust.PROMOTING_EDGES} edges"
        )
        why = f"; to be distinct it needs {needed}"
    elif node.status == schema.DISTINCT:
        why = f": {reason or 'a merge of it was taken back, or it was known as such'}"
    else:
        why = ": it may be another one"
    return Reason((f"{start}{why}.",), node, ids=_of(node))


def _trust(node: Node, said: trust.Said) -> Iterator[Reason]:
    made = " × ".join(f"{name} {value:g}" for name, value in trust.parts(said).items())
    counts = (
        f"{said.user} mentions by the user in {said.sessions} sessions, {said.model} by a model"
    )
    joined = f"{said.edges} edges that the user ever reinforced. {said.active} edges are active"
    text = f"Its trust is {trust.trust(said):g} = {made}, from {counts}, {joined}."
    yield Reason((text,), node, ids=_of(node))
    if said.user == 0:
        text = f"It is {INFERRED}: the user never mentioned it, so it comes after all else."
        yield Reason((text,), node, ids=_of(node))


def _presence(graph: Graph, node: Node, members: Sequence[Node]) -> Reason:
    activation = max(one.activation(graph.now_ms) for one in members)
    last = max(one.get("last_activated") for one in members)
    ids = _of(node)
    if (until := node.get("valid_until")) is not None:
        return Reason(
            ("It is over since ", until, f"; activation {activation:.2f}."), node, ids=ids
        )
    if any(one.get("is_active") for one in members):
        parts = ("It is active, last activated on ", last, f": activation {activation:.2f}.")
        return Reason(parts, node, ids=ids)
    why = weekly.forgotten(graph, node) or "it was when it was set aside"
    parts = ("It was set aside as forgotten, last activated on ", last, f" ({why});")
    return Reason((*parts, " a mention revives it."), node, ids=ids)


def _merges(graph: Graph, members: Sequence[Node]) -> Iterator[Reason]:
    names = {one.key: called(one.name) for one in members}
    for one in members:
        # The entities that it was separated from are named, too.
        names |= {tie.other.key: called(tie.other.name) for tie in graph.ties(one, schema.SAME_AS)}
    for row in describing.ledger_rows(graph, members):
        pair = [names.get(row[end], row[end]) for end in ("source_id", "target_id")]
        by = "the user" if row["by"] == schema.USER_CORRECTION else "the weekly analysis or a claim"
        done = _DONE[row["action"]].format(*pair)
        start = (
            f"{done} by {by} on " if not row["is_claim"] else f"Only claimed, not done: {done}, on "
        )
        reason = row["said"] or row["reason"] or ""
        end = f", and taken back: {quoted(row['unmerge_reason'] or '')}"
        state = "" if row["is_active"] or row["is_claim"] else end
        parts = (start, row["created_at"], f": {quoted(reason)}{state}.")
        yield Reason(parts, members[0], ids=_of(members[0], ("merge_id", row["merge_id"])))


def _doubts(graph: Graph, node: Node) -> Iterator[Reason]:
    for other, confidence in components.questions(graph, node):
        tie = graph.between(node, other, schema.SAME_AS)
        lacking = weekly.lacking(graph, node, other)
        why = f"not merged, for {'; '.join(lacking)}" if lacking else "all conditions hold"
        text = f"It may be {called(other.name)}, alike by {confidence:.2f}: {why}."
        yield Reason((text,), other, tie, _of(other))


def _mentions(graph: Graph, members: Sequence[Node]) -> Iterator[Reason]:
    found = components.mentions_of(graph, members)
    found.sort(key=lambda one: one.turn, reverse=True)
    for one in found[:MOST_TOLD]:
        by = "the user" if one.get("origin") == schema.USER else f"a model ({INFERRED})"
        said = ended(one.words or one.get("label"))
        parts = ("Mentioned on ", one.created_at, f" by {by}: {said}")
        yield Reason(parts, one, ids=(("mention_id", one.key),))
    if len(found) > MOST_TOLD:
        yield Reason((f"And {len(found) - MOST_TOLD} earlier mentions.",), members[0])


def _strongest(graph: Graph, members: Sequence[Node]) -> Iterator[Reason]:
    ties = [tie for tie in describing.ties(graph, members) if tie.type != schema.SAME_AS]
    for tie in sorted(ties, key=lambda tie: tie.rank(graph.now_ms))[:MOST_TOLD]:
        axes = ", ".join(f"{name} {value:.2f}" for name, value in tie.axes(graph.now_ms).items())
        state = "" if tie.is_active else " (inactive)"
        text = f"{tie.type.lower()} with {called(tie.other.name)}{state}: {axes}."
        yield Reason((text,), tie.other, tie, _of(tie.other))


def _edge(graph: Graph, source: Node, tie: Tie) -> Iterator[Reason]:
    both = (("from", source.key), ("to", tie.other.key))
    pair = f"{called(source.name)} – {called(tie.other.name)}"
    start = f"{pair}: {tie.type.lower()}, {tie.origin}"
    evidence = f", {quoted(tie.get('evidence'))}" if tie.get("evidence") else ""
    made = (f"{start}{evidence}, since ", tie.get("created_at"), ".")
    yield Reason(made, source, tie, both)
    for text in _axes(graph, tie):
        yield Reason((text,), tie.other, tie, both)
    yield Reason((_activity(tie),), tie.other, tie, both)
    if tie.type == schema.SAME_AS:
        ends = components.canonical(graph, source), components.canonical(graph, tie.other)
        lacking = weekly.lacking(graph, *ends) if ends[0].id != ends[1].id else []
        why = f"; what is missing for a merge: {'; '.join(lacking)}" if lacking else ""
        text = f"The question whether they are the same is {tie.get('status')}{why}."
        yield Reason((text,), tie.other, tie, both)


def _axes(graph: Graph, tie: Tie) -> Iterator[str]:
    axes, tau = tie.axes(graph.now_ms), edges.TAU_DAYS[tie.type]
    by_user, by_model = (
        tie.get(f"{who}_reinforcement_count") for who in (schema.USER, schema.MODEL)
    )
    counted = f"{by_user:g} reinforcements by the user, {by_model:g} by a model"
    yield f"Its strength is {axes['strength']:.4f} = 1 − 0.5^(user + 0.1 · model): {counted}."
    yield f"Its trust is {axes['trust']:.4f} = user / (user + model + 1)."
    days = edges.days_between(tie.get("last_activated"), graph.now_ms)
    yield f"Its recency is {axes['recency']:.4f} = e^(−{days:.2f} days / {tau:g})."
    day = edges.days_between(tie.weighed_at(graph.now_ms), graph.now_ms)
    stored = f"{tie.get('weight'):.4f} · e^(−{day:.2f} days / {tau:g})"
    yield f"Its weight is {axes['weight']:.4f} = {stored}."


def _activity(tie: Tie) -> str:
    if tie.is_active:
        return "It is active."
    if tie.type == schema.CAUSAL and tie.get("requires_activation"):
        return f"It is inactive: it needs {tie.get('requires_activation')} more sessions."
    if tie.type == schema.CAUSAL and not edges.moods_differ(tie.get("valences") or []):
        return "It is inactive: the sessions that reinforced it all felt alike."
    if tie.type == schema.SAME_AS:
        return "It is inactive: the merge was taken back."
    return f"It is inactive: it faded below {edges.MIN_WEIGHT:g}; a reinforcement revives it."
