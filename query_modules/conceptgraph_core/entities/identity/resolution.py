"""Who is meant: what is most certain first, and never a merge at first sight (seed 004).

Greedy clustering, by whatever is above a threshold, chains errors until one entity has swallowed
everything. So a name decides alone, likeness only raises a question.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ...ranks import cosine
from .. import kinds, names, schema

# From here on two of one type may be the same.
SIMILAR: Final = 0.6
MERGING: Final = 0.85
# Of how many a new entity may be thought to be the same.
MOST_PROPOSED: Final = 3
# Of a qualifier, what tells nothing.
_IDLE: Final = frozenset(
    ("from", "the", "our", "with", "aus", "dem", "der", "die", "das", "vom", "von", "beim", "mein")
)

Similarity = Callable[["Known", "Sought"], float]


@dataclass(frozen=True, slots=True)
class Known:
    """An entity as the sieve sees it; `canonical_id` is that of its component's canonical one."""

    id: str
    label: str
    # Without the number that tells it from others of that name.
    name: str
    canonical_name: str
    node_type: str
    kind: str | None
    valid_from: int
    valid_until: int | None
    last_activated: int
    canonical_id: str
    is_merged: bool = False
    embedding: tuple[float, ...] | None = None
    qualifier: str | None = None


@dataclass(frozen=True, slots=True)
class Sought:
    """What is mentioned at `now_ms`; `name` is its key, `claimed` who the caller says it is.

    `is_new`: it is none of those of its name, so it is said; but for `apart`, those are by their
    ids of which that is known anyway. `also` are names that the text says it has besides,
    `synonyms` those that mean the same anyway.
    """

    name: str
    node_type: str
    kind: str | None
    now_ms: int
    claimed: str | None = None
    embedding: tuple[float, ...] | None = None
    label: str = ""
    qualifier: str | None = None
    is_new: bool = False
    also: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()
    synonyms: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Decision:
    """Who it is, or None for a new entity; and who it may be, with the similarity of each."""

    same: Known | None
    status: str
    candidates: tuple[tuple[Known, float], ...]


def decide(
    sought: Sought, named: Sequence[Known], others: Sequence[Known], similarity: Similarity
) -> Decision:
    """Return who *sought* is, given those *named* exactly like it and the candidates *others*.

    1. Of its name and type, of a kind that does not contradict, valid now, and nothing says that
       another is meant: the same. Of several of these the one that the caller claims, else one of
       its qualifier, of the nearest kind, else the one activated last. (Which also finds members
       of a component; who reads goes on to its canonical one.)
    2. Of its name otherwise, or alike by at least 0.6: a new one, ambiguous.
    3. A new one, provisional.
    """
    fitting = [one for one in named if fits(one, sought) and is_meant(one, sought)]
    if fitting:
        best = min(fitting, key=lambda one: _preference(one, sought))
        others = sorted(fitting, key=lambda one: _preference(one, sought))
        rest = [(one, 1.0) for one in others if one.canonical_id != best.canonical_id]
        return Decision(best, "", tuple(rest))
    alike = [(one, similarity(one, sought)) for one in {one.id: one for one in others}.values()]
    alike = [(one, near) for one, near in alike if near >= SIMILAR and may_be(one, sought)]
    alike.sort(key=lambda pair: (pair[0].node_type != sought.node_type, -pair[1], pair[0].id))
    status = schema.AMBIGUOUS if alike else schema.PROVISIONAL
    return Decision(None, status, tuple(alike))


def proposed(decision: Decision) -> list[tuple[Known, float]]:
    """Return of whom a new entity is to be thought the same: the most similar, one a component."""
    chosen: dict[str, tuple[Known, float]] = {}
    for one, near in decision.candidates:
        chosen.setdefault(one.canonical_id, (one, near))
    return list(chosen.values())[:MOST_PROPOSED]


def fits(one: Known, sought: Sought) -> bool:
    """Tell whether *one* may be what is sought: of its type and kind, and not over by then.

    Since when it is valid is no more than when it was first told of; that may be told late.
    """
    return (
        one.node_type == sought.node_type
        and kinds.agree(one.kind, sought.kind)
        and not names.are_titled_apart(one.label, sought.label)
        and (one.valid_until is None or sought.now_ms < one.valid_until)
    )


def is_meant(one: Known, sought: Sought) -> bool:
    """Tell whether nothing says that another one of the name is meant.

    That is what is said to be new, what has a qualifier that *one* has not, unless it only tells
    what kind *one* is ("my sister"), and what facts tell apart.
    """
    if sought.is_new or one.id in sought.apart:
        return False
    if sought.qualifier is None or sought.claimed in (one.id, one.canonical_id):
        return True
    if one.qualifier is not None:
        return is_one_qualifier(one.qualifier, sought.qualifier)
    return kinds.nearness(one.kind, sought.qualifier) > 1


def may_be(one: Known, sought: Sought) -> bool:
    """Tell whether it may be asked if *one* is what is sought: over or not.

    An entity may be a topic only of that very name.
    """
    is_of_type = one.node_type == sought.node_type
    types, called = {one.node_type, sought.node_type}, {sought.name, *sought.also, *sought.synonyms}
    return (
        (is_of_type or (types == {schema.THING, schema.TOPIC} and one.name in called))
        and kinds.agree(one.kind, sought.kind)
        and not names.are_titled_apart(one.label, sought.label)
    )


def is_one_qualifier(one: str, other: str) -> bool:
    """Tell whether two qualifiers have a word in common that says something: "(the) office"."""
    return bool(telling(one) & telling(other))


def telling(qualifier: str) -> set[str]:
    """Return the words of a qualifier that tell somebody apart, as they are searched for."""
    words = names.words(names.canonical(qualifier))
    return {word for word in words if len(word) > 2 and word not in _IDLE} or set(words)


def candidates(
    known: Iterable[Known],
    sought: Sought,
    similarity: Similarity,
    near_at_all: Callable[[Known, Sought], bool] | None = None,
) -> list[Known]:
    """Return the ten of *known* activated last and the five nearest, those of its type first.

    Never any for being central: what has many edges would attract ever more of them.
    """
    everyone = list(known)
    by_time = sorted(everyone, key=lambda one: (-one.last_activated, one.canonical_name))
    latest = by_time[: schema.LATEST_CANDIDATES]
    is_close = is_near if near_at_all is None else near_at_all
    near = {one.id: similarity(one, sought) for one in everyone if is_close(one, sought)}
    by_nearness = sorted(
        (one for one in everyone if one.id in near),
        key=lambda one: (-near[one.id], one.canonical_name),
    )
    chosen = {one.id: one for one in (*latest, *by_nearness[: schema.NEAREST_CANDIDATES])}
    return sorted(chosen.values(), key=lambda one: one.node_type != sought.node_type)


def is_near(one: Known, sought: Sought) -> bool:
    """Tell whether *one* is near at all: it has an embedding, or its name begins alike."""
    if one.embedding is not None and sought.embedding is not None:
        return True
    first, beyond = names.kin(sought.name)
    return first <= one.canonical_name < beyond


def likeness(one: Known, sought: Sought) -> float:
    """Return the cosine of embeddings where both have one of a dimension, else the names' ratio.

    0 where their names have different numbers, which tell them apart.
    """
    if names.are_numbered_apart(one.name, sought.name):
        return 0.0
    if one.embedding is not None and sought.embedding is not None:
        near = cosine(one.embedding, sought.embedding)
        if near is not None:
            return near
    return names.ratio(one.name, sought.name, SIMILAR)


def may_merge(evidence: Mapping[str, bool], confidence: float) -> list[str]:
    """Return what is missing for a merge by ourselves; nothing: merge.

    Similarity is necessary and never enough: "my boss" and "my manager" are alike and are two.
    """
    missing = (
        [f"its confidence {confidence:.2f} is below {MERGING}"] if confidence < MERGING else []
    )
    return missing + [what for what, is_so in evidence.items() if not is_so]


def _preference(one: Known, sought: Sought) -> tuple[bool, bool, int, int, str]:
    is_claimed = sought.claimed in (one.id, one.canonical_id)
    is_qualified = sought.qualifier is not None and one.qualifier is not None
    nearness = kinds.nearness(one.kind, sought.kind)
    return not is_claimed, not is_qualified, -nearness, -one.last_activated, one.canonical_name
