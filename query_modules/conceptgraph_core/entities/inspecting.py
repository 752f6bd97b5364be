"""Search, list and count entities, merged and archived ones included, and the ledger."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from ..texts import dates
from ..texts import text as texts
from ..texts.text import show_name
from ..verbs import validators
from ..verbs.errors import NotFound
from . import lookups, names, schema, trust
from .identity import components, ledger, merging
from .node import Graph, Node

Row = dict[str, Any]

MOST_PERIODS: Final = 400
# Without a mention for so long an entity was away. A forgotten one is set aside after 90 days (see
# `consolidation.weekly`), so that people notice a return earlier than the memory does.
AWAY_MS: Final = 60 * dates.DAY_MS
MOST_RETURNS: Final = 5
_NO_VECTORS: Final = "none are made by likeness: no entity has an embedding"
# The exact name scores 1. The other scores: equal but for accents and apostrophes, a label that
# begins so, a label with some of the words.
_ALIKE, _BEGINS, _WORDS = 0.95, 0.9, 0.8


def listed(
    graph: Graph, statuses: Sequence[str] = (), limit: int | None = schema.LISTED
) -> list[Row]:
    """List the entities of any of *statuses* (empty: of all), the ones activated last first.

    A merged entity has a row of its own; `merged_into` is the entity_id that it counts as. A row
    has entity_id, label, type, kind, status, trust (of its component), edges, last_activated (unix
    ms), is_active, inferred, merged_into.
    """
    wanted = [validators.one_of(schema.IDENTITY_STATUSES)(one, "statuses") for one in statuses]
    most = texts.integer(schema.LISTED if limit is None else limit, "limit", 1, schema.MAX_LISTED)
    until_ms = graph.context.until_ms
    graph.pull(
        lookups.of_statuses(wanted, most, graph.user_id)
        if until_ms is None
        else lookups.activated_until(until_ms, graph.user_id)
    )
    found = [node for node in graph.of(schema.ENTITY) if not wanted or node.status in wanted]
    found.sort(key=lambda node: (-node.get("last_activated"), node.key))
    rows = []
    for node in found[:most]:
        said, into = components.said(graph, node), components.canonical(graph, node).key
        more = {"is_active": node.get("is_active"), "edges": said.active}
        more["merged_into"] = None if into == node.key else into
        rows.append(_describe(node, said, **more))
    return rows


def merges(
    graph: Graph, merge_id: str | None = None, limit: int | None = schema.LISTED
) -> list[Row]:
    """List the ledger, the latest entry first, or only *merge_id*. Raises NotFound.

    A row has merge_id, action (merge, split, end or apart), source_id and source, target_id and
    target (their labels), confidence, reason, said (the user's words), by, is_active, is_claim (it
    never was in force), created_at, unmerged_at (unix ms) and unmerge_reason. The target of an end
    is another entity of the name that began then; else target_id is the source's, without a label.
    """
    most = texts.integer(schema.LISTED if limit is None else limit, "limit", 1, schema.MAX_LISTED)
    if merge_id is None:
        graph.pull(lookups.latest_merges(most, graph.user_id))
        found = graph.of(schema.MERGE)
    else:
        texts.name(merge_id, "merge_id")
        found = [*graph.with_ids(schema.MERGE, [merge_id]).values()]
    found = [node for node in found if ledger.is_seen(graph, node)]
    if merge_id is not None and not found:
        raise NotFound(f"merge_id: not found: {show_name(merge_id)}")
    found.sort(key=lambda node: (-node.created_at, node.key))
    return [entry(graph, node) for node in found[:most]]


def _describe(node: Node, said: trust.Said, **more: Any) -> Row:
    """Return what the rows of a list and of a search tell of an entity."""
    return {
        "entity_id": node.key,
        "label": node.name,
        "type": node.node_type,
        "kind": node.get("entity_kind"),
        "status": node.status,
        "trust": trust.trust(said),
        "last_activated": node.get("last_activated"),
        "inferred": said.user == 0,
        **more,
    }


def entry(graph: Graph, entry: Node) -> Row:
    """Return a ledger entry as a row, with the labels of its entities at that time."""
    labels = {
        end: next((one.own_name for one in of if one.key == entry.get(f"{end}_node_id")), "")
        for end, edge in (("source", schema.MERGE_OF), ("target", schema.MERGE_INTO))
        for of in ([tie.other for tie in graph.leaving(entry, edge)],)
    }
    return {
        **ledger.tell(entry),
        **labels,
        "confidence": entry.get("merge_confidence"),
        "unmerged_at": entry.get("unmerged_at"),
    }


def stats(graph: Graph) -> list[Row]:
    """Return (measure, value, note) rows: entities by status, inferred ones, edges by type.

    A note explains the number to the owner.
    """
    counts: Counter[str] = Counter()
    edges: Counter[str] = Counter()
    open_questions = taken_back = inactive = 0
    graph.pull(lookups.every(graph.user_id))
    for node in graph.of(schema.ENTITY):
        counts["entities"] += 1
        counts[node.status] += 1
        counts["inactive"] += not node.get("is_active")
        counts["inferred"] += not node.get("user_mention_count")
        counts["with an embedding"] += node.raw.get_property("embedding") is not None
        for tie in graph.leaving(node):
            edges[tie.type] += 1
            inactive += not tie.is_active
            if tie.type == schema.SAME_AS:
                open_questions += tie.get("status") == schema.CANDIDATE
                taken_back += tie.get("status") == schema.REJECTED
    names = ("entities", *schema.IDENTITY_STATUSES, "inactive", "inferred", "with an embedding")
    notes = {"inferred": "only a model mentioned them"} if counts["inferred"] else {}
    rows = [_measure(name, counts[name], notes.get(name)) for name in names]
    without = {} if counts["with an embedding"] else {schema.SEMANTIC: _NO_VECTORS}
    rows += [_measure(kind.lower(), edges[kind], without.get(kind)) for kind in schema.BETWEEN]
    rows.append(_measure("inactive edges", inactive))
    rows.append(_measure("same_as in question", open_questions, "the weekly run looks at them"))
    rows.append(_measure("same_as taken back", taken_back, "not proposed again"))
    return rows


def _measure(measure: str, value: int, note: str | None = None) -> Row:
    return {"measure": measure, "value": value, "note": note}


def presence(graph: Graph, entity_ids: Sequence[str], bounds: Sequence[int]) -> list[Row]:
    """Count the mentions of each entity between each two of *bounds* (unix ms, ascending).

    A row counts all entities merged with it: entity_id, label, kind, and one item per period in
    user and model, the mentions by each. `feelings` has {period, valence, mentions} for each period
    in which the user's mentions have a valence: its mean in −1…1, and their number. `returns` lists
    the latest mentions by the user after a silence of 60 days, {at, since, text}: since when nobody
    had mentioned it, and the words that did. Raises NotFound, InvalidNumber.
    """
    parts = dates.periods(bounds, "bounds", MOST_PERIODS)
    found = merging.entities(graph, entity_ids)
    canonical = {one.id: one for one in (components.canonical(graph, one) for one in found)}
    return [_count_periods(graph, one, parts) for one in canonical.values()]


def _count_periods(graph: Graph, node: Node, bounds: list[int]) -> Row:
    members = components.members(graph, node)
    told = sorted(components.mentions_of(graph, members), key=lambda one: one.turn)
    counts = {origin: [0] * (len(bounds) - 1) for origin in schema.SPEAKERS}
    felt: list[list[float]] = [[] for _ in bounds[1:]]
    for one in told:
        period = dates.period(bounds, one.created_at)
        if period is None:
            continue
        counts[one.get("origin")][period] += 1
        valence = one.get("emotional_valence")
        if valence is not None and one.get("origin") == schema.USER:
            felt[period].append(valence)
    return {
        "entity_id": node.key,
        "label": node.name,
        "kind": components.find_kind(members),
        **counts,
        "feelings": [
            {"period": period, "valence": sum(each) / len(each), "mentions": len(each)}
            for period, each in enumerate(felt)
            if each
        ],
        # The user's mentions that ended a silence.
        "returns": [
            {"at": one.created_at, "since": before.created_at, "text": one.words}
            for before, one in pairwise(told)
            if one.created_at - before.created_at >= AWAY_MS and one.get("origin") == schema.USER
        ][-MOST_RETURNS:],
    }


class _Asked(NamedTuple):
    """The query: a canonical name, its plain form, and its words."""

    name: str
    plain: str
    words: Sequence[str]

    def score(self, label: str) -> float:
        """Return the score of *label*, in [0, 1]."""
        called = names.canonical(label)
        if called == self.name:
            return 1.0
        plain = names.searched(called)
        if plain == self.plain:
            return _ALIKE
        if plain.startswith(self.plain):
            return _BEGINS
        has = names.words(called)
        hits = sum(any(one.startswith(word) for one in has) for word in self.words)
        return _WORDS * hits / len(self.words) if self.words else 0.0


def search(
    graph: Graph,
    query: str,
    types: Sequence[str] = (),
    limit: int | None = schema.DEFAULT_LIMIT,
    include_inactive: bool = False,
) -> list[Row]:
    """Search entities by name, the closest first; at most *limit*.

    A component is one row, found by any of its labels. Entities that the user never mentioned come
    last. An archived one is found by its exact name only, unless all archived ones are requested,
    and comes after the active ones. A row has entity_id, label, type, kind, status, trust,
    last_activated (unix ms) and score, in [0, 1].
    """
    texts.summary(query, "query")
    graph.pull(lookups.searched(query, graph.user_id))
    return list_matching(graph, query, types, limit, include_inactive)


def list_matching(
    graph: Graph,
    query: str,
    types: Sequence[str] = (),
    limit: int | None = schema.DEFAULT_LIMIT,
    include_inactive: bool = False,
) -> list[Row]:
    """Return the same of the entities that *graph* has pulled."""
    wanted = [validators.one_of(schema.NODE_TYPES)(one, "types") for one in types]
    name = names.canonical(query)
    asked = _Asked(name, names.searched(name), names.words(name))
    best: dict[int, tuple[float, Node]] = {}
    for node in graph.of(schema.ENTITY):
        score = max(map(asked.score, (node.bare, node.own_name)))
        if score <= 0:
            continue
        canonical = components.canonical(graph, node)
        if score > best.get(canonical.id, (0.0, canonical))[0]:
            best[canonical.id] = score, canonical
    ranked = []
    for score, node in best.values():
        everyone = components.members(graph, node)
        is_set_aside = not any(one.get("is_active") for one in everyone)
        is_named = score >= _ALIKE or not is_set_aside
        if (not wanted or node.node_type in wanted) and (include_inactive or is_named):
            is_inferred = not any(one.get("user_mention_count") for one in everyone)
            rank = is_inferred, is_set_aside, -score, -node.get("last_activated"), node.key
            ranked.append((rank, score, node))
    ranked.sort(key=lambda row: row[0])
    # Trust needs the edges, which are many: they are read for the rows alone.
    return [
        _describe(node, components.said(graph, node), score=score)
        for _, score, node in ranked[: schema.limit(limit)]
    ]
