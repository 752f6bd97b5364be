"""Keep the claims of messages as a log, and fold it again when an older word arrives.

A mention keeps what its message claims of its entity. Told in the order of their times, claims make
and end facts one by one. One that arrives late has them all told again, in that order, for the
predicates that it touches; facts keep their ids. Facts that were stated, corrected or ended by
hand, and those of stores that kept no claims, take part with their own times.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, Final, NamedTuple

from ... import limits
from .. import bitemporal, resting, schema
from ..identity import components
from ..inputs import Given
from ..node import All, Graph, Node
from . import comparing

# Not imported: a reload would drop it.
json: Final[Any] = __import__("json")
# A fact keeps these of the words that state it.
SAID: Final = ("origin", "source_span", "inferred_from", "context")
# These follow from the claims, and are empty before they are folded.
_FOLDED: Final = (
    *("known_until", "valid_from", "valid_until", "ended_at", "believed_until"),
    *("corrected_by", "ended_by", "text_until"),
)
_CORRECTION: Final = ("known_until", "corrected_by")
_END: Final = ("ended_at", "valid_until", "believed_until", "ended_by")
_WITH_EMPLOYER: Final = frozenset(("employer", "occupation"))


class Logged(NamedTuple):
    """A claim with the entity that is its value, if any, and its words: see `SAID`.

    `since` (unix ms) is the time of which it tells, if that is not the time at which it is told.
    """

    predicate: str
    value: str | None
    about: Node | None
    mode: str
    needs_known: bool
    said: dict[str, str | None]
    since: int | None = None


Take = Callable[[Graph, list[Node]], None]
Apply = Callable[[Graph, Node, Logged, Node, list[Node]], Any]


class _Step(NamedTuple):
    """A word on the folded predicates, told at a time (unix ms)."""

    at: int
    key: str
    number: int
    take: Take


def keep(mention: Node, claim: Logged) -> None:
    """Let *mention* keep *claim*."""
    kept = claim._asdict() | {"about": claim.about and claim.about.key}
    for said in (claim.said, {"origin": claim.said["origin"]}):
        kept["said"] = {name: words for name, words in said.items() if words}
        written = json.dumps({name: one for name, one in kept.items() if one}, ensure_ascii=False)
        if len(written) <= limits.MAX_SUMMARY:
            break
    mention.set(claims=[*(mention.get("claims") or ()), written])


def is_late(graph: Graph, entity: Node, predicate: str) -> bool:
    """Tell whether later words on *predicate* are known of *entity*."""
    every, now_ms = graph.another(All), graph.now_ms
    members = components.members(every, entity)
    if all(one.get("last_activated") <= now_ms for one in members):
        return False
    slots = _slots(predicate)
    facts = _facts(every, members, slots)
    times = [max(one.get("known_from"), one.get("ended_at") or 0) for one in facts]
    claims = (
        mention.created_at
        for mention in resting.mentions_of(every, members)
        if any(_claims(mention, slots))
    )
    return any(at > now_ms for at in chain(times, claims))


def refold(graph: Graph, entity: Node, predicate: str, apply: Apply) -> None:
    """Tell all claims on *predicate* of *entity* again, in the order of their times, by *apply*."""
    every, view = graph.another(All), graph.another(Graph)
    members, slots = components.members(every, entity), _slots(predicate)
    told = {one.key: one for one in resting.mentions_of(every, members)}
    logged = {key for key, one in told.items() if any(_claims(one, slots))}
    steps = [
        _Step(told[key].created_at, key, number, _telling(told[key], claim, apply))
        for key in logged
        for number, claim in enumerate(_read(every, told[key], slots))
    ]
    facts = {one.key: one for one in _facts(every, members, slots)}
    corrections = {one.get("corrected_by") for one in facts.values()}
    told_by = {
        key: [told[by] for by in one.get("mention_ids") or () if by in told]
        for key, one in facts.items()
    }
    is_claimed = {
        key: bool(by) and (key not in corrections or any(one.key in logged for one in by))
        for key, by in told_by.items()
    }
    before: dict[str, dict[str, Any]] = {}
    for key, one in facts.items():
        was = before[key] = {name: one.get(name) for name in ("known_from", *_FOLDED)}
        if was["known_until"] is not None:
            steps.append(_Step(was["known_until"], key, 0, _setting(one, was, *_CORRECTION)))
        is_by_claim = was["ended_by"] in logged or is_claimed.get(was["ended_by"])
        if was["ended_at"] is not None and was["text_until"] is None and not is_by_claim:
            steps.append(_Step(was["ended_at"], key, 1, _setting(one, was, *_END)))
        if not is_claimed[key]:
            until = was["valid_until"] if was["ended_at"] is None else was["believed_until"]
            given = {**was, "valid_until": until}
            again = _setting(one, given, "known_from", "valid_from", "valid_until")
            steps.append(_Step(was["known_from"], key, -1, again))
        elif not any(by.key in logged for by in told_by[key]):
            claim = _read_from(every, one)
            steps += [
                _Step(by.created_at, by.key, 0, _telling(by, claim, apply)) for by in told_by[key]
            ]
        one.set(**{**dict.fromkeys(_FOLDED), "known_from": limits.MAX_TIME_MS})
    spare = [one for key, one in sorted(facts.items()) if is_claimed[key]]
    for step in sorted(steps, key=lambda one: one[:3]):
        view.context = view.context._replace(now_ms=step.at)
        step.take(view, spare)
    for one in spare:
        del before[one.key]
        every.delete_node(one)
    for one in members:
        resting.settle(graph, one)
    for key, was in before.items():
        ends = (facts[key].get("text_until"), facts[key].get("valid_until"))
        if was["text_until"] is not None and ends == (was["text_until"], was["valid_until"]):
            facts[key].set(ended_at=was["ended_at"])


def _setting(fact: Node, was: dict[str, Any], *names: str) -> Take:
    return lambda *_: fact.set(**{name: was[name] for name in names})


def _telling(mention: Node, claim: Logged, apply: Apply) -> Take:
    def take(view: Graph, spare: list[Node]) -> None:
        for tie in view.leaving(mention, schema.OF):
            apply(view, tie.other, claim, mention, spare)

    return take


def _read(every: Graph, mention: Node, slots: frozenset[str]) -> Iterator[Logged]:
    """Iterate over the claims of *mention* on *slots*; ones whose value is gone are left out."""
    for claim in _claims(mention, slots):
        about = None
        if (key := claim.get("about")) is not None:
            about = _find_named(every, mention, key)
            if about is None:
                continue
        said = {name: claim.get("said", {}).get(name) for name in SAID}
        value, needs_known = claim.get("value"), claim.get("needs_known", False)
        told = claim["predicate"], value, about, claim["mode"], needs_known, said
        yield Logged(*told, claim.get("since"))


def _find_named(every: Graph, mention: Node, key: str) -> Node | None:
    """Return the entity of that id, which the session of *mention* names."""
    # A look-up has not what this call has made.
    sessions = [tie.other for tie in every.leaving(mention, schema.IN)]
    around = (tie.other for one in sessions for tie in every.arriving(one, schema.IN))
    named = (tie.other for one in around for tie in every.leaving(one, schema.OF))
    found = next((one for one in named if one.key == key), None)
    return found or every.with_ids(schema.ENTITY, [key]).get(key)


def _read_from(every: Graph, fact: Node) -> Logged:
    """Return the claim that stated *fact*, in a store that kept none."""
    about = bitemporal.about(every, fact)
    is_over = fact.get("valid_until") is not None and fact.get("ended_at") is None
    mode = schema.OVER if is_over else schema.AFTER if fact.get("single") else schema.BESIDE
    value = fact.get("value") if about is None else None
    said = {name: fact.get(name) for name in SAID}
    return Logged(fact.get("predicate"), value, about, mode, False, said)


def take_spare(
    graph: Graph, given: Given, about: Node | None, mention: Node, spare: list[Node]
) -> Node | None:
    """Take of the *spare* facts one that says the same: that which *mention* told, or the first."""
    same = [one for one in spare if comparing.says_same(graph, one, given, about)]
    same.sort(key=lambda one: mention.key not in (one.get("mention_ids") or ()))
    if same:
        spare.remove(same[0])
    return same[0] if same else None


def _slots(predicate: str) -> frozenset[str]:
    """Return the predicates whose facts depend on claims of *predicate*."""
    slot = comparing.name_slot(predicate)
    groups = (comparing.COUPLES, _WITH_EMPLOYER, frozenset((slot,)))
    return next(one for one in groups if slot in one)


def _facts(every: Graph, members: Iterable[Node], slots: frozenset[str]) -> list[Node]:
    facts = bitemporal.facts(every, members)
    return [one for one in facts if comparing.name_slot(one.get("predicate")) in slots]


def _claims(mention: Node, slots: frozenset[str]) -> Iterator[dict[str, Any]]:
    for written in mention.get("claims") or ():
        claim: dict[str, Any] = json.loads(written)
        if comparing.name_slot(claim["predicate"]) in slots:
            yield claim
