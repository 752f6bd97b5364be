"""Report which entities the user mentioned together with one, and the words about the pair."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from .. import schema
from ..identity import components
from ..node import Graph, Node, Tie
from .sentences import INFERRED, Sentence, line, parts_listed, quoted
from .wholes import Whole, Wholes

MOST_JOINED: Final = 5


def joined(graph: Graph, told: Wholes, whole: Whole) -> Iterator[Sentence]:
    """Report the entities that the user mentioned with it, and the words about each pair."""
    together: list[tuple[Whole, _Pair]] = []
    for tie in _strongest(graph, whole):
        other = told.whole(tie.other)
        pair = _together(whole, other)
        if tie.type == schema.CO_OCCURRENCE:
            if pair is not None and pair.is_users:
                together.append((other, pair))
        elif tie.type in _RELATED and pair is not None:
            yield _related(whole, other, tie, pair)
    if together:
        each = [(f"{other.name} (", pair.at, ")") for other, pair in together]
        parts = (f"The user spoke of {whole.name} in one conversation with ", *parts_listed(each))
        ids = (whole.node.key, *(other.node.key for other, _ in together))
        cited = dict.fromkeys(key for _, pair in together for key in pair.mention_ids)
        yield Sentence((*parts, "."), ids, tuple(cited))


def _strongest(graph: Graph, whole: Whole) -> list[Tie]:
    """Return the active edges to others with the largest weights, the user's first.

    One of each type to each other component. Edges from a model's words alone are left out.
    """
    inside = {one.id for one in whole.members}
    ties = [
        tie
        for one in whole.members
        for tie in graph.ties(one, *schema.CONNECTING, schema.CONTRADICTS)
        if tie.is_active
        and tie.other.id not in inside
        and not (tie.type == schema.CO_OCCURRENCE and not tie.by_user)
    ]
    # All of these are active, so their rank is by weight.
    ties.sort(key=lambda tie: (not tie.by_user, tie.rank(graph.now_ms)))
    best: dict[tuple[str, int], Tie] = {}
    for tie in ties:
        best.setdefault((tie.type, components.canonical(graph, tie.other).id), tie)
    return list(best.values())[:MOST_JOINED]


@dataclass(frozen=True, slots=True)
class _Pair:
    """The mentions of two entities in the last session that mentioned both, and its time."""

    mention_ids: tuple[str, str]
    at: int
    is_users: bool


def _together(one: Whole, other: Whole) -> _Pair | None:
    """Return the last place that mentions both: the user's, or else anybody's."""
    for is_users, mine, theirs in (
        (True, one.users, other.users),
        (False, one.mentions, other.mentions),
    ):
        sessions: dict[str, Node] = {}
        for mention in theirs:
            sessions.setdefault(mention.get("session_id"), mention)
        for mention in mine:
            with_it = sessions.get(mention.get("session_id"))
            if with_it is not None:
                at = max(mention.created_at, with_it.created_at)
                return _Pair((mention.key, with_it.key), at, is_users)
    return None


_RELATED: Final = {
    schema.CAUSAL: "causes",
    schema.TEMPORAL: "came before",
    schema.CONTRADICTS: "contradicts",
}


def _related(whole: Whole, other: Whole, tie: Tie, pair: _Pair) -> Sentence:
    """Report the words about a pair. A relation without words, and any cause, is inferred."""
    first, second = (whole, other) if tie.leaves else (other, whole)
    evidence = line(tie.get("evidence") or "")
    words = _saying(evidence, (*whole.mentions, *other.mentions)) if evidence else None
    is_inferred = not tie.by_user or words is None or tie.type == schema.CAUSAL
    mark = f"({INFERRED}) " if is_inferred else ""
    said = f"{first.name} {_RELATED[tie.type]} {second.name}"
    why = "" if words is None else f", {quoted(evidence)}"
    start = f"{mark}{said}{why}; both were last mentioned in one conversation on "
    cited = dict.fromkeys((*pair.mention_ids, *(() if words is None else (words.key,))))
    return Sentence((start, pair.at, "."), (first.node.key, second.node.key), tuple(cited))


def _saying(evidence: str, mentions: Sequence[Node]) -> Node | None:
    """Return a mention whose words contain *evidence*."""
    there = (one for one in mentions if evidence in line(one.words or ""))
    return next(there, None)
