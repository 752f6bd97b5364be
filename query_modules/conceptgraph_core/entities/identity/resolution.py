"""Decide which entity a mention means: the surest rule first, and never a merge at first sight.

Greedy clustering by a threshold chains errors until one entity has swallowed everything. So only a
name decides, and similarity only raises a question. (The order is that of a sieve, Raghunathan and
others, 2010; see docs/design.md, Identity.)
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ...retrieval.ranks import cosine
from .. import kinds, names, schema

# From this similarity on, two of one type may be the same.
SIMILAR: Final = 0.6
MERGING: Final = 0.85
# A new entity has at most so many candidates.
MOST_PROPOSED: Final = 3
# So long the one that was named with a qualifier is meant by the bare name too.
_CONVERSATION_MS: Final = 3_600_000
# Words of a qualifier that distinguish nobody.
_IDLE: Final = frozenset(
    ("from", "the", "our", "with", "aus", "dem", "der", "die", "das", "vom", "von", "beim", "mein")
)

Similarity = Callable[["Known", "Sought"], float]


@dataclass(frozen=True, slots=True)
class Known:
    """An entity as it is compared; `canonical_id` is its component's canonical entity."""

    id: str
    label: str
    # The name without the number that distinguishes entities of one name.
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
    """The entity sought, mentioned at `now_ms`; `name` is its key, `claimed` a claimed id.

    `is_new`: the text says that it is none of the known ones of its name. `apart`: ids of entities
    of its name that it is known not to be. `also`: further names that the text gives it.
    `synonyms`: names that mean the same in any case.
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
    """The entity found, or None for a new one; and its candidates, each with a similarity."""

    same: Known | None
    status: str
    candidates: tuple[tuple[Known, float], ...]


def decide(
    sought: Sought, named: Sequence[Known], others: Sequence[Known], similarity: Similarity
) -> Decision:
    """Decide who *sought* is, given those *named* exactly like it and the candidates *others*.

    1. One of its name and type, of an agreeing kind, with nothing that says another is meant: the
       same. Several of these: the claimed one, else one that has not ended, the one with its
       qualifier, with the nearest kind, or activated last. The bare name means one with a qualifier
       ("Lena from the office") only within an hour of it, as long as another has the bare name.
       (Members of a component count; the caller then takes its canonical entity.)
    2. Another of its name, or one with a similarity of 0.6 or more: a new entity, ambiguous.
    3. Otherwise a new entity, provisional.
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
    """Return the candidates of a new entity: the most similar ones, one for each component."""
    chosen: dict[str, tuple[Known, float]] = {}
    for one, near in decision.candidates:
        chosen.setdefault(one.canonical_id, (one, near))
    return list(chosen.values())[:MOST_PROPOSED]


def fits(one: Known, sought: Sought) -> bool:
    """Tell whether the type and kind of *one* agree.

    One who died or has ended is spoken of still ("We miss Rex"), so its times are not compared.
    """
    return (
        one.node_type == sought.node_type
        and kinds.agree(one.kind, sought.kind)
        and not names.are_titled_apart(one.label, sought.label)
    )


def is_meant(one: Known, sought: Sought) -> bool:
    """Tell whether nothing says that another entity of the name is meant.

    A text says so if it calls the entity new, or if the facts tell the two apart. A qualifier that
    *one* lacks says so too, unless it only names the kind of *one* ("my sister").
    """
    if sought.is_new or one.id in sought.apart:
        return False
    if sought.qualifier is None or sought.claimed in (one.id, one.canonical_id):
        return True
    if one.qualifier is not None:
        return is_one_qualifier(one.qualifier, sought.qualifier)
    return kinds.nearness(one.kind, sought.qualifier) > 1


def may_be(one: Known, sought: Sought) -> bool:
    """Tell whether *one* is a candidate for the entity sought, ended or not.

    An entity may be a topic only if the names are equal.
    """
    is_of_type = one.node_type == sought.node_type
    types, called = {one.node_type, sought.node_type}, {sought.name, *sought.also, *sought.synonyms}
    return (
        (is_of_type or (types == {schema.THING, schema.TOPIC} and one.name in called))
        and kinds.agree(one.kind, sought.kind)
        and not names.are_titled_apart(one.label, sought.label)
    )


def is_one_qualifier(one: str, other: str) -> bool:
    """Tell whether two qualifiers share a distinguishing word: "(the) office"."""
    return bool(telling(one) & telling(other))


def telling(qualifier: str) -> set[str]:
    """Return the distinguishing words of a qualifier, as they are searched for."""
    words = names.words(names.canonical(qualifier))
    return {word for word in words if len(word) > 2 and word not in _IDLE} or set(words)


def candidates(
    known: Iterable[Known],
    sought: Sought,
    similarity: Similarity,
    near_at_all: Callable[[Known, Sought], bool] | None = None,
) -> list[Known]:
    """Return the ten of *known* activated last and the five nearest, those of its type first.

    Centrality has no say, or entities with many edges would attract ever more of them.
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
    """Return the cosine of two embeddings of one dimension, or without them the names' ratio.

    0 if their names have different numbers, which distinguish them.
    """
    if names.are_numbered_apart(one.name, sought.name):
        return 0.0
    if one.embedding is not None and sought.embedding is not None:
        near = cosine(one.embedding, sought.embedding)
        if near is not None:
            return near
    return names.ratio(one.name, sought.name, SIMILAR)


def may_merge(evidence: Mapping[str, bool], confidence: float) -> list[str]:
    """Return what a merge by the system lacks; nothing: merge.

    Similarity is necessary and never enough: "my boss" and "my manager" are alike and are two.
    """
    missing = (
        [f"its confidence {confidence:.2f} is below {MERGING}"] if confidence < MERGING else []
    )
    return missing + [what for what, is_so in evidence.items() if not is_so]


def _preference(one: Known, sought: Sought) -> tuple[bool, bool, bool, int, bool, int, str]:
    is_claimed = sought.claimed in (one.id, one.canonical_id)
    is_qualified = sought.qualifier is not None and one.qualifier is not None
    nearness = kinds.nearness(one.kind, sought.kind)
    told = sought.qualifier or sought.kind
    is_another = one.qualifier is not None and not (told and is_one_qualifier(one.qualifier, told))
    is_past = is_another and abs(sought.now_ms - one.last_activated) >= _CONVERSATION_MS
    is_ended = one.valid_until is not None and one.valid_until <= sought.now_ms
    latest = -one.last_activated
    order = not is_qualified, -nearness, is_past, latest, one.canonical_name
    return not is_claimed, is_ended, *order
