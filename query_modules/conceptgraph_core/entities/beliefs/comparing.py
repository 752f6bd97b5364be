"""Compare a fact with the known ones: what says the same, what came before, what contradicts it."""

from typing import Any, Final

from ... import language
from ...dates import DAY_MS
from .. import bitemporal, names, schema
from ..identity import components
from ..inputs import Claim, Given
from ..node import Graph, Node

Row = dict[str, Any]

# Values of these have forms: vegan, Veganer, Veganerin.
_INFLECTED: Final = frozenset(("diet", "occupation"))
_STEM: Final = 5
_WORKPLACES: Final = frozenset(map(names.key, language.words("statements", "workplaces")))
_YEAR_MS: Final = 365.25 * DAY_MS
# One has one of these at a time.
COUPLES: Final = frozenset(("partner", "spouse", "girlfriend", "boyfriend", "fiance"))
# Spellings of medicines, each with the one that stands for it.
_SPELT: Final = (
    *(("th", "t"), ("ph", "f"), ("y", "i"), ("k", "c"), ("ou", "u"), ("ae", "e"), ("oe", "e")),
    *((letter * 2, letter) for letter in "cflmnprst"),
)


def find_same(graph: Graph, entity: Node, given: Given, about: Node | None) -> Node | None:
    """Return the believed fact of *entity*'s component that says the same.

    A claim without times means the fact that is true now.
    """
    now_ms = graph.now_ms
    times = given.valid_from, given.valid_until
    for one in bitemporal.facts(graph, components.members(graph, entity)):
        is_of_then = (one.get("valid_from"), one.get("valid_until")) == times
        is_of_now = times == (None, None) and bitemporal.is_valid(one, now_ms, now_ms)
        if not bitemporal.is_known(one, now_ms) or not (is_of_then or is_of_now):
            continue
        if says_same(graph, one, given, about):
            return one
    return None


def find_ended(graph: Graph, entity: Node, given: Given) -> Node | None:
    """Return the current fact that the *given* one ends in another form.

    Examples are the vegan of "Veganerin", and the Halden Logistics of "Halden".
    """
    told, slot = names.canonical(given.value or ""), name_slot(given.predicate)
    stem = told[:_STEM] if slot in _INFLECTED and len(told) >= _STEM else None
    current = bitemporal.current(graph, components.members(graph, entity))
    for one in current if told else ():
        value = names.canonical(one.get("value") or "")
        is_part = not slot.startswith(schema.DOSE) and value.startswith(f"{told} ")
        if name_slot(one.get("predicate")) == slot and (
            is_part or (stem is not None and value.startswith(stem))
        ):
            return one
    return None


def says_same(graph: Graph, one: Node, given: Given, about: Node | None) -> bool:
    """Tell whether *one* says the same as the *given* fact, at whatever time."""
    if names.canonical(one.get("predicate")) != names.canonical(given.predicate):
        return False
    of = bitemporal.about(graph, one)
    if of is not None or about is not None:
        return of is not None and about is not None and of.id == about.id
    return names.canonical(one.get("value")) == names.canonical(given.value or "")


def list_earlier(graph: Graph, entity: Node, given: Given, about: Node | None) -> list[Node]:
    """Return the other facts of the *given* predicate that have begun, over or not."""
    facts = bitemporal.facts(graph, components.members(graph, entity))
    return [one for one in facts if is_earlier(graph, one, given, about)]


def is_earlier(graph: Graph, one: Node, given: Given, about: Node | None) -> bool:
    """Tell whether *one* is of the *given* predicate, or one in its place, and says another thing.

    It is known, and has begun, over or not.
    """
    name = name_slot(given.predicate)
    since = one.get("valid_from")
    return (
        bitemporal.is_known(one, graph.now_ms)
        and name_slot(one.get("predicate")) in (COUPLES if name in COUPLES else (name,))
        and (since is None or since <= graph.now_ms)
        and not says_same(graph, one, given, about)
        and (given.single or not _is_vaguer(given.predicate, given.value, one.get("value")))
    )


def _is_vaguer(predicate: str, later: str | None, earlier: str | None) -> bool:
    """Tell whether *later* is no other firm than *earlier*: "the library" has no name."""
    is_employer = names.canonical(predicate) == "employer"
    return is_employer and _is_unnamed(later or "") and not _is_unnamed(earlier or "")


def _is_unnamed(value: str) -> bool:
    """Tell whether *value* is a place of work without a name: "local library", "Hotel"."""
    words = value.split()
    return any(
        names.key(" ".join(words[place:])) in _WORKPLACES
        for place in range(len(words))
        if all(word.islower() for word in words[:place])
    )


def name_slot(predicate: str) -> str:
    """Return the canonical name of a predicate, that of a dose for all spellings of a medicine.

    Names of medicines are spelt by the same few rules: levothyroxine, levotiroxina, Levothyroxin.
    """
    name = names.canonical(predicate)
    if not name.startswith(schema.DOSE):
        return name
    for written, spelt in _SPELT:
        name = name.replace(written, spelt)
    return name.rstrip("aeo")


def list_conflicts(graph: Graph, entity: Node, made: Node) -> list[Row]:
    """Return the current facts of the component that contradict *made*."""
    current = bitemporal.current(graph, components.members(graph, entity))
    return [
        bitemporal.conflict(one, other)
        for one, other in bitemporal.conflicts(graph, current, graph.now_ms)
        if made.id in (one.id, other.id)
    ]


def tells_apart(graph: Graph, entity: Node, claim: Claim, speaker: str) -> bool:
    """Tell whether *claim* contradicts *entity*: a single-valued predicate with another value.

    A claim that follows another value, or is over, contradicts nothing. Neither does another age,
    as years go by, nor a later statement of the user's: then the entity has changed. Nothing tells
    the user apart from the user.
    """
    predicate = names.canonical(claim.predicate)
    if claim.mode != schema.BESIDE or predicate not in schema.SINGLE or components.is_self(entity):
        return False
    now_ms = graph.now_ms
    for one in bitemporal.facts(graph, components.members(graph, entity)):
        is_of_now = bitemporal.is_known(one, now_ms) and bitemporal.is_valid(one, now_ms, now_ms)
        if names.canonical(one.get("predicate")) != predicate or not is_of_now:
            continue
        if speaker == schema.USER and one.get("known_from") < now_ms:
            continue
        value, about = one.get("value"), bitemporal.about(graph, one)
        known = names.key(value if about is None else about.bare)
        said = claim.about if claim.value is None else names.key(claim.value)
        if known != said and not (predicate == "age" and _may_age(one, claim, now_ms)):
            return True
    return False


def _may_age(known: Node, claim: Claim, now_ms: int) -> bool:
    """Tell whether a person of a *known* age may have the claimed age by now."""
    ages = known.get("value"), claim.value or ""
    if not all(age.isdigit() for age in ages):
        return True
    years: float = (now_ms - known.get("known_from")) / _YEAR_MS
    return -1 <= int(ages[1]) - int(ages[0]) - years <= 1
