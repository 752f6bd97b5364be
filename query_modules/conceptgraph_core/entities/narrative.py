"""What is known of whom a message speaks, as a narrative whose every sentence can be traced.

Prose and no dump of nodes (seed 004, phase 5): dated, with doubts told as doubts, and what only a
model said marked as inferred. Whom it is about goes by name and by time, never by centrality.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from .. import text as texts
from ..memories import wording
from . import believed, components, reading, schema, trust
from .node import Graph, Node, Tie
from .spans import Said
from .telling import INFERRED, Sentence, ended, line, listed, quoted, text

Row = dict[str, Any]

# Of whom the message names, whom they are joined with, and who was spoken of last.
MOST_NAMED: Final = 10
MOST_JOINED: Final = 5
MOST_LATE: Final = 10
_STRONG: Final = 0.7


def context(graph: Graph, message: str, token_budget: int | None) -> Row:
    """Tell what is known of whom *message* speaks, in at most *token_budget* tokens (estimated).

    First of those that it names, in its order, then of those they are joined with most, then of
    those who were spoken of last; of either, what only a model mentioned comes last, and is what
    is left out first. Returns text; paragraphs, of sentences, of parts that are texts
    or times (unix ms); sources, {entity_ids, mention_ids, fact_ids} of each sentence in its order;
    and tokens. What does not fit is left out. Nothing is changed by being told.
    """
    texts.summary(message, "message")
    room = wording.budget(token_budget) * wording.BYTES_A_TOKEN
    told: list[list[Sentence]] = []
    for paragraph in _paragraphs(graph, message):
        kept = []
        for sentence in paragraph:
            if sentence.size > room:
                continue
            room -= sentence.size
            kept.append(sentence)
        if kept:
            told.append(kept)
    parts = [[list(sentence.parts) for sentence in paragraph] for paragraph in told]
    made = text(parts)
    return {
        "text": made,
        "paragraphs": parts,
        "sources": [sentence.source for paragraph in told for sentence in paragraph],
        "tokens": wording.tokens(wording.size(made)),
    }


@dataclass(frozen=True, slots=True)
class _Whole:
    """An entity with all that it was merged with, and its latest mention."""

    node: Node
    members: list[Node]
    said: trust.Said
    last: Node | None


class _Latest:
    """The latest mentions that were looked up, by their entities and sessions."""

    def __init__(self, graph: Graph) -> None:
        self._of: dict[int, dict[str, Node]] = {}
        for mention in graph.of(schema.MENTION):
            for tie in graph.leaving(mention, schema.OF):
                sessions = self._of.setdefault(tie.other.id, {})
                known = sessions.setdefault(mention.get("session_id"), mention)
                sessions[mention.get("session_id")] = max(known, mention, key=_preference)

    def of(self, members: Iterable[Node]) -> list[Node]:
        """Return of each session the latest mention of any of *members*."""
        return [mention for one in members for mention in self._of.get(one.id, {}).values()]

    def together(self, one: Node, other: Node) -> tuple[str, ...]:
        """Return the ids of mentions of two in the last session in which both were mentioned."""
        mine, theirs = self._of.get(one.id, {}), self._of.get(other.id, {})
        shared = mine.keys() & theirs.keys()
        if not shared:
            return ()
        last = max(shared, key=lambda name: (mine[name].created_at, name))
        return mine[last].key, theirs[last].key


def _paragraphs(graph: Graph, message: str) -> Iterator[list[Sentence]]:
    latest = _Latest(graph)
    named = _named(graph, message)
    seen = {node.id for node in named}
    wholes = [_whole(graph, node, latest) for node in named]
    for whole in wholes:
        tellers = (_doubts, _facts, _felt)
        told = [one for teller in tellers for one in teller(graph, whole)]
        yield [*_who(whole), *told, *_joined(graph, whole, latest)]
    others = [tie.other for whole in wholes for tie in _strongest(graph, whole)]
    rest = [*_new(graph, others, seen), *_late(graph, seen)]
    for node in sorted(rest, key=lambda node: _is_models(graph, node)):
        whole = _whole(graph, node, latest)
        yield [*_who(whole), *_facts(graph, whole)]


def _named(graph: Graph, message: str) -> list[Node]:
    """Return the canonical entities that *message* names, in its order; of two longer names first.

    What only a model mentioned comes after all that the user did (anti-pattern 7). What was set
    aside is told of as well, when it is named.
    """
    said = Said(message)
    places: dict[int, tuple[bool, int, int, str, Node]] = {}
    for node in graph.of(schema.ENTITY):
        found = said.find(node.name)
        if found is None:
            continue
        canonical = components.canonical(graph, node)
        inferred = _is_models(graph, canonical)
        place = (inferred, found.start, found.start - found.end, canonical.key, canonical)
        places[canonical.id] = min(places.get(canonical.id, place), place, key=lambda one: one[:4])
    ordered = sorted(places.values(), key=lambda place: place[:4])
    return [place[4] for place in ordered[:MOST_NAMED]]


def _is_models(graph: Graph, canonical: Node) -> bool:
    return components.said(graph, canonical).user == 0


def _new(graph: Graph, nodes: Iterable[Node], seen: set[int]) -> Iterator[Node]:
    """Yield the canonical ones of *nodes*, each once, and none that was *seen*."""
    for node in nodes:
        canonical = components.canonical(graph, node)
        if canonical.id not in seen:
            seen.add(canonical.id)
            yield canonical


def _late(graph: Graph, seen: set[int]) -> list[Node]:
    """Return who was spoken of last; what only a model mentioned comes after all others."""
    active = [node for node in graph.of(schema.ENTITY) if node.get("is_active")]
    active.sort(
        key=lambda node: (
            node.get("user_mention_count") == 0,
            -node.get("last_activated"),
            node.key,
        )
    )
    return list(_new(graph, active[: MOST_LATE + len(seen)], seen))[:MOST_LATE]


def _preference(mention: Node) -> tuple[bool, int, int, str]:
    is_users = mention.get("origin") == schema.USER
    return is_users, mention.created_at, mention.get("sequence"), mention.key


def _whole(graph: Graph, node: Node, latest: _Latest) -> _Whole:
    members = components.members(graph, node)
    said = components.said(graph, node)
    known = latest.of(members)
    if not any(one.get("origin") == schema.USER for one in known) and (said.user or not known):
        # None of the latest is the user's, so all are looked through.
        known += [mention for one in members for mention in reading.mentions_of(graph, one)]
    return _Whole(node, members, said, max(known, key=_preference, default=None))


def _who(whole: _Whole) -> Iterator[Sentence]:
    """Tell who it is, and when it was last spoken of, in the words that were used."""
    node, last = whole.node, whole.last
    kinds = (kind for one in whole.members if (kind := one.get("entity_kind")))
    what = line(next(kinds, node.node_type))
    also = [line(one.name) for one in whole.members[1:] if one.name != node.name]
    called = f", also called {listed(list(dict.fromkeys(also)))}" if also else ""
    start = f"{line(node.name)} ({what}{called})"
    if last is None:
        yield Sentence((f"{start} is known, but nothing that was said of it.",), (node.key,))
        return
    if whole.said.user == 0:
        how = f"is {INFERRED}: only the model mentioned it, last on "
    else:
        by = "the user" if last.get("origin") == schema.USER else "the model"
        how = f"was last mentioned by {by} on "
    said = last.get("mention_context") or last.get("label")
    parts = (f"{start} {how}", last.created_at, f": {ended(said)}")
    yield Sentence(parts, (node.key,), (last.key,))


def _doubts(graph: Graph, whole: _Whole) -> Iterator[Sentence]:
    """Tell whom it may be, where that is open."""
    seen = {one.id for one in whole.members}
    for member in whole.members:
        for tie in graph.ties(member, schema.SAME_AS):
            other = components.canonical(graph, tie.other)
            if tie.get("status") != schema.CANDIDATE or other.id in seen:
                continue
            seen.add(other.id)
            told = f"It is uncertain whether {line(whole.node.name)} and {line(other.name)}"
            yield Sentence((f"{told} are the same.",), (whole.node.key, other.key))


def _facts(graph: Graph, whole: _Whole) -> Iterator[Sentence]:
    """Tell the facts that are believed and valid now, and first those that contradict."""
    now_ms = graph.now_ms
    known = [one for one in believed.facts(graph, whole.members) if believed.is_known(one, now_ms)]
    valid = [one for one in known if believed.is_valid(one, now_ms, now_ms)]
    contested = set()
    for one, other in believed.conflicts(graph, valid, now_ms):
        contested |= {one.id, other.id}
        what = f"the {line(one.get('predicate'))} of {line(whole.node.name)}"
        start = f"It is uncertain what {what} is: "
        parts = (start, *_value(graph, one), " or ", *_value(graph, other), ".")
        yield Sentence(parts, (whole.node.key,), (), (one.key, other.key))
    valid.sort(key=lambda one: (one.get("origin") != schema.USER, -one.get("known_from"), one.key))
    for one in valid:
        if one.id not in contested:
            start = f"{line(whole.node.name)} – {line(one.get('predicate'))}: "
            yield Sentence((start, *_value(graph, one), "."), (whole.node.key,), (), (one.key,))


def _value(graph: Graph, fact: Node) -> list[str | int]:
    about, since = believed.about(graph, fact), fact.get("valid_from")
    value = line(fact.get("value") if about is None else about.name)
    if fact.get("origin") == schema.USER:
        parts: list[str | int] = [f"{value} (the user said so on ", fact.get("known_from")]
    else:
        parts = [f"{value} ({INFERRED} on ", fact.get("known_from")]
    return [*parts, ")"] if since is None else [*parts, ", so since ", since, ")"]


def _felt(graph: Graph, whole: _Whole) -> Iterator[Sentence]:
    """Tell what moved the user much, and when."""
    if whole.said.intensity <= _STRONG:
        return
    users = [
        mention
        for one in whole.members
        for mention in reading.mentions_of(graph, one)
        if mention.get("origin") == schema.USER
    ]
    felt = max(users, key=lambda one: (_intensity(one), one.created_at, one.key), default=None)
    if felt is None or _intensity(felt) <= _STRONG:
        return
    valence = felt.get("emotional_valence")
    how = "" if not valence else " and it felt good" if valence > 0 else " and it felt bad"
    parts = (f"{line(whole.node.name)} moved the user on ", felt.created_at, f"{how}.")
    yield Sentence(parts, (whole.node.key,), (felt.key,))


def _intensity(mention: Node) -> float:
    valence, intensity = mention.get("emotional_valence"), mention.get("emotional_intensity")
    return max(abs(float(valence or 0.0)), float(intensity or 0.0))


def _strongest(graph: Graph, whole: _Whole) -> list[Tie]:
    """Return the active edges with others that weigh most, those of the user first.

    Of each type one to each other component.
    """
    inside = {one.id for one in whole.members}
    ties = [
        tie
        for one in whole.members
        for tie in graph.ties(one, *schema.CONNECTING, schema.CONTRADICTS)
        if tie.is_active and tie.other.id not in inside
    ]
    ties.sort(key=lambda tie: (_is_inferred(tie), -tie.get("weight"), tie.other.key, tie.type))
    best: dict[tuple[str, int], Tie] = {}
    for tie in ties:
        best.setdefault((tie.type, components.canonical(graph, tie.other).id), tie)
    return list(best.values())[:MOST_JOINED]


def _is_inferred(tie: Tie) -> bool:
    return not tie.get("user_reinforcement_count")


def _joined(graph: Graph, whole: _Whole, latest: _Latest) -> Iterator[Sentence]:
    """Tell with what it was spoken of, and what was said of the two."""
    ties = _strongest(graph, whole)
    for inferred in (False, True):
        together = [
            tie
            for tie in ties
            if tie.type == schema.CO_OCCURRENCE and _is_inferred(tie) == inferred
        ]
        if together:
            yield _together(whole, together, latest, inferred)
    for tie in ties:
        if tie.type in _RELATED:
            yield _related(whole, tie, latest)


def _together(whole: _Whole, ties: list[Tie], latest: _Latest, inferred: bool) -> Sentence:
    names = listed([line(tie.other.name) for tie in ties])
    who = f"({INFERRED}) The model spoke of" if inferred else "The user spoke of"
    last = max(tie.get("last_activated") for tie in ties)
    parts = (f"{who} {line(whole.node.name)} together with {names}, last on ", last, ".")
    ids = (whole.node.key, *(tie.other.key for tie in ties))
    return Sentence(parts, ids, _told_from(whole, ties, latest))


def _told_from(whole: _Whole, ties: Iterable[Tie], latest: _Latest) -> tuple[str, ...]:
    """Return the mentions in which the ends of *ties* were last spoken of together."""
    found = [
        mention
        for tie in ties
        for one in whole.members
        for mention in latest.together(one, tie.other)
    ]
    return tuple(dict.fromkeys(found))


_RELATED: Final = {
    schema.CAUSAL: "causes",
    schema.TEMPORAL: "came before",
    schema.CONTRADICTS: "contradicts",
}


def _related(whole: _Whole, tie: Tie, latest: _Latest) -> Sentence:
    ends = (whole.node, tie.other)
    first, second = ends if tie.leaves else reversed(ends)
    said = f"{line(first.name)} {_RELATED[tie.type]} {line(second.name)}"
    evidence = tie.get("evidence")
    why = f", {quoted(evidence)}" if evidence else ""
    mark = f"({INFERRED}) " if _is_inferred(tie) else ""
    return Sentence(
        (f"{mark}{said}{why}, last on ", tie.get("last_activated"), "."),
        (first.key, second.key),
        _told_from(whole, [tie], latest),
    )
