"""Read facts as of two times, and compare them: what says the same, came before, or contradicts.

*valid* is when a fact was true in the world, *known* when the memory believed it. Two pairs of
times let a correction keep the history: "What did we believe in May?" has an answer after it.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, Final

from .. import language
from ..texts.dates import DAY_MS, overlap
from . import names, schema
from .identity import components
from .inputs import Claim, Given
from .node import Graph, Node

Row = dict[str, Any]
# A time, and the end; None: open.
Span = tuple[int, int | None]

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


def iterate_facts(graph: Graph, entities: Iterable[Node]) -> Iterator[Node]:
    """Iterate over all facts of *entities*, believed or not."""
    for entity in entities:
        for tie in graph.leaving(entity, schema.HAS_FACT):
            yield tie.other


def list_known(graph: Graph, entities: Iterable[Node], known_at: int) -> list[Node]:
    """Return the facts of *entities* that were believed at *known_at*."""
    return [one for one in iterate_facts(graph, entities) if is_known(one, known_at)]


def is_known(fact: Node, known_at: int) -> bool:
    """Tell whether *fact* was believed at *known_at*."""
    until = fact.get("known_until")
    return bool(fact.get("known_from") <= known_at) and (until is None or known_at < until)


def ending(fact: Node, known_at: int) -> int | None:
    """Return the end of *fact*, as believed at *known_at*; None: open."""
    ended_at = fact.get("ended_at")
    is_ended = ended_at is None or ended_at <= known_at
    until: int | None = fact.get("valid_until" if is_ended else "believed_until")
    return until


def is_valid(fact: Node, valid_at: int, known_at: int) -> bool:
    """Tell whether *fact*, as believed at *known_at*, was true at *valid_at*."""
    since, until = fact.get("valid_from"), ending(fact, known_at)
    return (since is None or since <= valid_at) and (until is None or valid_at < until)


def list_current(graph: Graph, entities: Iterable[Node]) -> list[Node]:
    """Return the facts of *entities* that are believed and have not ended."""
    now_ms = graph.now_ms
    known = list_known(graph, entities, now_ms)
    return [one for one in known if (until := ending(one, now_ms)) is None or now_ms < until]


def find_since(graph: Graph, entity: Node) -> int | None:
    """Return the earliest beginning of the believed facts of *entity*; None: no fact has one."""
    times = (one.get("valid_from") for one in list_known(graph, [entity], graph.now_ms))
    return min((time for time in times if time is not None), default=None)


def is_single(fact: Node) -> bool:
    """Tell whether the predicate of *fact* has only one value at a time."""
    return bool(fact.get("single")) or names.canonical(fact.get("predicate")) in schema.SINGLE


def find_object(graph: Graph, fact: Node) -> Node | None:
    """Return the entity that is the value of *fact*, if it is one."""
    return next((tie.other for tie in graph.leaving(fact, schema.OBJECT)), None)


def find_sentence(graph: Graph, fact: Node) -> str | None:
    """Return the sentence that told *fact* first; if that is out of sight, of the next mention."""
    said: str | None = fact.get("context")
    ids: list[str] = fact.get("mention_ids") or []
    entities = [tie.other for tie in graph.arriving(fact, schema.HAS_FACT)]
    seen = {tie.other.key: tie.other for one in entities for tie in graph.arriving(one, schema.OF)}
    told = [seen[key] for key in ids if key in seen]
    return said if not told or ids[0] in seen else told[0].words


def tell_fact(graph: Graph, fact: Node, known_at: int) -> Row:
    """Return *fact* as tools show it: fact_id, predicate, value or object_id, its times, origin."""
    entity = find_object(graph, fact)
    shown: Row = {"fact_id": fact.key, "predicate": fact.get("predicate")}
    if entity is not None:
        shown["object_id"] = entity.key
    shown["value"] = fact.get("value") if entity is None else entity.name
    times = {"valid_from": fact.get("valid_from"), "valid_until": ending(fact, known_at)}
    return {**shown, **times, "origin": fact.get("origin")}


def conflicts(graph: Graph, facts: Sequence[Node], known_at: int) -> list[tuple[Node, Node]]:
    """Return each pair of *facts* that cannot both be true, the one known earlier first.

    Two facts conflict if they have one single-valued predicate, overlapping times and different
    values. The caller passes only believed facts.
    """
    ordered = sorted(facts, key=lambda one: (one.get("known_from"), one.key))
    # By predicate, because an entity with a thousand facts has too many pairs.
    of_each: dict[str, list[int]] = {}
    for place, fact in enumerate(ordered):
        of_each.setdefault(names.canonical(fact.get("predicate")), []).append(place)
    found = []
    for places in of_each.values():
        if len(places) < 2 or not any(is_single(ordered[place]) for place in places):
            continue
        read = [(place, *_read_span(graph, ordered[place], known_at)) for place in places]
        for (one, first, times, value), (other, second, others, another) in combinations(read, 2):
            graph.step()
            if (first or second) and value != another and overlap(times, others):
                found.append((one, other))
    return [(ordered[one], ordered[other]) for one, other in sorted(found)]


def _read_span(graph: Graph, fact: Node, known_at: int) -> tuple[bool, Span, str]:
    """Return whether *fact* has one value at a time, its times, and what it is compared by."""
    since, about = fact.get("valid_from"), find_object(graph, fact)
    times = schema.BEGINNING if since is None else since, ending(fact, known_at)
    value = names.canonical(fact.get("value")) if about is None else about.key
    return is_single(fact), times, value


def conflict(one: Node, other: Node) -> Row:
    """Return two conflicting facts as tools show them: predicate, fact_ids, values."""
    return {
        "predicate": one.get("predicate"),
        "fact_ids": [one.key, other.key],
        "values": [one.get("value"), other.get("value")],
    }


def find_same(graph: Graph, entity: Node, given: Given, about: Node | None) -> Node | None:
    """Return the believed fact of *entity*'s component that says the same.

    A claim without times means the fact that is true now.
    """
    now_ms = graph.now_ms
    times = given.valid_from, given.valid_until
    for one in iterate_facts(graph, components.members(graph, entity)):
        is_of_then = (one.get("valid_from"), one.get("valid_until")) == times
        is_of_now = times == (None, None) and is_valid(one, now_ms, now_ms)
        if not is_known(one, now_ms) or not (is_of_then or is_of_now):
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
    current = list_current(graph, components.members(graph, entity))
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
    of = find_object(graph, one)
    if of is not None or about is not None:
        return of is not None and about is not None and of.id == about.id
    return names.canonical(one.get("value")) == names.canonical(given.value or "")


def list_earlier(graph: Graph, entity: Node, given: Given, about: Node | None) -> list[Node]:
    """Return the other facts of the *given* predicate that have begun, over or not."""
    facts = iterate_facts(graph, components.members(graph, entity))
    return [one for one in facts if is_earlier(graph, one, given, about)]


def is_earlier(graph: Graph, one: Node, given: Given, about: Node | None) -> bool:
    """Tell whether *one* is of the *given* predicate, or one in its place, and says another thing.

    It is known, and has begun, over or not.
    """
    name = name_slot(given.predicate)
    since = one.get("valid_from")
    return (
        is_known(one, graph.now_ms)
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
    current = list_current(graph, components.members(graph, entity))
    return [
        conflict(one, other)
        for one, other in conflicts(graph, current, graph.now_ms)
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
    for one in iterate_facts(graph, components.members(graph, entity)):
        is_of_now = is_known(one, now_ms) and is_valid(one, now_ms, now_ms)
        if names.canonical(one.get("predicate")) != predicate or not is_of_now:
            continue
        if speaker == schema.USER and one.get("known_from") < now_ms:
            continue
        value, about = one.get("value"), find_object(graph, one)
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
