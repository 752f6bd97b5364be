"""Keep the claims of messages as a log, and fold it again when an older word arrives.

A mention keeps what its message claims of its entity. Told in the order of their times, claims make
and end facts one by one. One that arrives late has those after it told again, in that order, as far
as it makes a difference to them; facts keep their ids. Facts that were stated, corrected or ended
by hand, and those of stores that kept no claims, take part with their own times.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from ...verbs import limits
from .. import bitemporal, names, resting, schema
from ..identity import components
from ..inputs import Given
from ..node import All, Graph, Node

# Not imported: a reload would drop it.
json: Final[Any] = __import__("json")
# A fact keeps these of the words that state it.
SAID: Final = ("origin", "source_span", "inferred_from", "context")
# These follow from the claims, and are empty before they are folded.
_FOLDED: Final = (
    *("known_until", "valid_from", "valid_until", "ended_at", "believed_until"),
    *("corrected_by", "ended_by", "text_until"),
)
_UNKNOWN: Final = {**dict.fromkeys(_FOLDED), "known_from": limits.MAX_TIME_MS}
_STATE: Final = ("known_from", *_FOLDED, "mention_ids", "value", "single", *SAID)
# A fact is open if it has none of these.
_OPEN: Final = ("ended_at", "valid_until", "known_until")
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

    @property
    def given(self) -> Given:
        return Given(self.predicate, self.value, None if self.about is None else self.about.key)

    @property
    def is_next(self) -> bool:
        """Whether it takes the place of what was said earlier: the user's latest word does.

        It does so for what one has once at a time. A model's statement stands beside the earlier.
        """
        is_single = names.canonical(self.predicate) in (*schema.SINGLE, *bitemporal.COUPLES)
        is_users = self.said["origin"] == schema.USER
        return self.mode == schema.AFTER or (is_single and self.mode == schema.BESIDE and is_users)


Take = Callable[[Graph, list[Node]], None]
Apply = Callable[[Graph, Node, Logged, Node, list[Node]], Any]


class _Step(NamedTuple):
    """A word on the folded predicates, told at a time (unix ms)."""

    at: int
    key: str
    number: int
    take: Take
    claim: Logged | None = None


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
        for mention in components.mentions_of(every, members)
        if any(_claims(mention, slots))
    )
    return any(at > now_ms for at in chain(times, claims))


def refold(graph: Graph, entity: Node, predicate: str, apply: Apply) -> None:
    """Tell the claims on *predicate* of *entity* again by *apply*, in the order of their times.

    All that was told before the late word stands, and so does all that follows the last word to
    which it makes a difference.
    """
    every, view = graph.another(All), graph.another(Graph)
    members, slots = components.members(every, entity), _slots(predicate)
    told = {one.key: one for one in components.mentions_of(every, members)}
    facts = {one.key: one for one in _facts(every, members, slots)}
    steps, claimed = _list_steps(every, told, facts, slots, apply)
    past = _Past(facts, told)
    since = past.find_start(graph.now_ms)
    steps = sorted((one for one in steps if one.at >= since), key=lambda one: one[:3])
    # A later fact that says the same keeps its id.
    same = [
        key
        for step in steps
        if step.at == graph.now_ms and (claim := step.claim) is not None
        for key, one in facts.items()
        if bitemporal.says_same(every, one, claim.given, claim.about)
    ]
    past.rewind(since, [key for key in same if past.known_from[key] >= since])
    spare: list[Node] = []
    while steps:
        at = steps[0].at
        spare += [facts[key] for key in past.reach(at) if key in claimed]
        view.context = view.context._replace(now_ms=at)
        while steps and steps[0].at == at:
            steps.pop(0).take(view, spare)
        if past.may_stop and at >= graph.now_ms:
            there = _facts(every, members, slots)
            changed = [one for one in there if past.has_changed(one, at)]
            if not any(past.is_read(view, step, changed) for step in steps):
                keys = {one.key for one in changed}
                spare = [one for one in spare if one.key in keys]
                past.restore(keys)
                break
    for one in spare:
        past.was.pop(one.key, None)
        every.delete_node(one)
    for one in members:
        resting.settle(graph, one)
    for key, was in past.was.items():
        ends = (facts[key].get("text_until"), facts[key].get("valid_until"))
        if was["text_until"] is not None and ends == (was["text_until"], was["valid_until"]):
            facts[key].set(ended_at=was["ended_at"])


def _list_steps(
    every: Graph,
    told: Mapping[str, Node],
    facts: Mapping[str, Node],
    slots: frozenset[str],
    apply: Apply,
) -> tuple[list[_Step], set[str]]:
    """Return all words on the *facts*, and the ids of those facts that claims make."""
    logged = {key: list(_read(every, one, slots)) for key, one in told.items()}
    logged = {key: claims for key, claims in logged.items() if claims}
    steps = [
        _Step(told[key].created_at, key, number, _telling(told[key], claim, apply), claim)
        for key, claims in logged.items()
        for number, claim in enumerate(claims)
    ]
    corrections = {one.get("corrected_by") for one in facts.values()}
    told_by = {
        key: [told[by] for by in one.get("mention_ids") or () if by in told]
        for key, one in facts.items()
    }
    claimed = {
        key
        for key, by in told_by.items()
        if by and (key not in corrections or any(one.key in logged for one in by))
    }
    for key, one in facts.items():
        was = _read_state(one)
        if was["known_until"] is not None:
            steps.append(_Step(was["known_until"], key, 0, _setting(one, was, *_CORRECTION)))
        is_by_claim = was["ended_by"] in logged or was["ended_by"] in claimed
        if was["ended_at"] is not None and was["text_until"] is None and not is_by_claim:
            steps.append(_Step(was["ended_at"], key, 1, _setting(one, was, *_END)))
        if key not in claimed:
            until = was["valid_until"] if was["ended_at"] is None else was["believed_until"]
            given = {**was, "valid_until": until}
            again = _setting(one, given, "known_from", "valid_from", "valid_until")
            steps.append(_Step(was["known_from"], key, -1, again))
        elif not any(by.key in logged for by in told_by[key]):
            claim = _read_from(every, one)
            steps += [
                _Step(by.created_at, by.key, 0, _telling(by, claim, apply), claim)
                for by in told_by[key]
            ]
    return steps, claimed


State = dict[str, Any]


class _Past:
    """The states of facts before they are told again, and what each was at an earlier time."""

    def __init__(self, facts: Mapping[str, Node], told: Mapping[str, Node]) -> None:
        self._facts = facts
        self._times = {key: one.created_at for key, one in told.items()}
        self.known_from = {key: one.get("known_from") for key, one in facts.items()}
        self._ahead = sorted(self.known_from, key=lambda key: (-self.known_from[key], key))
        # A fact that ended with its text cannot be read as of an earlier time.
        self.may_stop = all(one.get("text_until") is None for one in facts.values())
        self.was: dict[str, State] = {}

    def find_start(self, late: int) -> int:
        """Return the time from which all is told again because of a *late* word."""
        if not self.may_stop:
            return schema.BEGINNING
        for key in self._ahead:
            ids = self._facts[key].get("mention_ids") or ()
            # One that was told again has more of the later words than when it began.
            if self.known_from[key] < late and any(self._times.get(by, 0) >= late for by in ids):
                late = self.known_from[key]
        return late

    def rewind(self, since: int, same: Iterable[str]) -> None:
        """Set each fact to what it was before *since*; later ones wait, but for the *same* ones."""
        for key in self._ahead:
            if self.known_from[key] < since:
                one = self._facts[key]
                times = [one.get(name) for name in ("known_until", "ended_at")]
                if any(at is None or at >= since for at in times):
                    self.was[key] = _read_state(one)
                    _set_state(one, self._read(key, since) or {})
        self._ahead = [key for key in self._ahead if self.known_from[key] >= since]
        self._early = [key for key in self._ahead if key in set(same) or not self.may_stop]

    def reach(self, at: int) -> list[str]:
        """Return the facts first known *at* that time, which are not known until told again."""
        reached, self._early = self._early, []
        while self._ahead and self.known_from[self._ahead[-1]] <= at:
            reached.append(self._ahead.pop())
        reached = [key for key in dict.fromkeys(reached) if key not in self.was]
        for key in reached:
            self.was[key] = _read_state(self._facts[key])
            _set_state(self._facts[key], _UNKNOWN)
        return reached

    def _read(self, key: str, until: int) -> State | None:
        """Return what a fact was before *until*; None: it was not known."""
        was = self.was.get(key)
        if was is None or was["known_from"] >= until:
            return None
        state = dict(was)
        if was["known_until"] is not None and was["known_until"] >= until:
            state |= dict.fromkeys(_CORRECTION)
        if was["ended_at"] is not None and was["ended_at"] >= until:
            state |= {**dict.fromkeys(_END), "valid_until": was["believed_until"]}
        ids = was["mention_ids"]
        return {**state, "mention_ids": ids and [i for i in ids if self._times.get(i, 0) < until]}

    def has_changed(self, fact: Node, at: int) -> bool:
        """Tell whether *fact*, told again up to *at*, differs from what it was then."""
        if fact.key in self._facts and fact.key not in self.was:
            return False
        is_out = fact.get("known_from") == limits.MAX_TIME_MS
        return self._read(fact.key, at + 1) != (None if is_out else _read_state(fact))

    def is_read(self, view: Graph, step: _Step, changed: Sequence[Node]) -> bool:
        """Tell whether the result of a later *step* may depend on the facts that have *changed*."""
        claim, keys = step.claim, {one.key for one in changed}
        if not changed or claim is None:
            return step.key in keys
        if claim.needs_known or claim.since is not None:
            return True
        given, is_over = claim.given, claim.mode == schema.OVER
        if any(bitemporal.says_same(view, one, given, claim.about) for one in changed):
            return True
        if not (is_over or claim.is_next):
            return False
        states = [self._read(one.key, view.now_ms + 1) for one in changed]
        states += [{name: one.get(name) for name in _OPEN} for one in changed]
        if any(one and all(one[name] is None for name in _OPEN) for one in states):
            return True
        # Only whether anything was so before matters then.
        return not is_over and not any(
            bitemporal.is_earlier(view, one, given, claim.about)
            for key, one in self._facts.items()
            if key not in keys
            and (until := bitemporal.ending(one, view.now_ms)) is not None
            and until <= view.now_ms
        )

    def restore(self, changed: Collection[str]) -> None:
        """Set the facts that were told again, and have not *changed*, to what they were."""
        for key, was in self.was.items():
            if key not in changed:
                _set_state(self._facts[key], was)


def _read_state(fact: Node) -> State:
    return {name: fact.get(name) for name in _STATE}


def _set_state(fact: Node, state: State) -> None:
    fact.set(**{name: value for name, value in state.items() if fact.get(name) != value})


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
    about = bitemporal.find_object(every, fact)
    is_over = fact.get("valid_until") is not None and fact.get("ended_at") is None
    mode = schema.OVER if is_over else schema.AFTER if fact.get("single") else schema.BESIDE
    value = fact.get("value") if about is None else None
    said = {name: fact.get(name) for name in SAID}
    return Logged(fact.get("predicate"), value, about, mode, False, said)


def take_spare(
    graph: Graph, given: Given, about: Node | None, mention: Node, spare: list[Node]
) -> Node | None:
    """Take of the *spare* facts one that says the same: that which *mention* told, or the first."""
    same = [one for one in spare if bitemporal.says_same(graph, one, given, about)]
    same.sort(key=lambda one: mention.key not in (one.get("mention_ids") or ()))
    if same:
        spare.remove(same[0])
    return same[0] if same else None


def _slots(predicate: str) -> frozenset[str]:
    """Return the predicates whose facts depend on claims of *predicate*."""
    slot = bitemporal.name_slot(predicate)
    groups = (bitemporal.COUPLES, _WITH_EMPLOYER, frozenset((slot,)))
    return next(one for one in groups if slot in one)


def _facts(every: Graph, members: Iterable[Node], slots: frozenset[str]) -> list[Node]:
    facts = bitemporal.iterate_facts(every, members)
    return [one for one in facts if bitemporal.name_slot(one.get("predicate")) in slots]


def _claims(mention: Node, slots: frozenset[str]) -> Iterator[dict[str, Any]]:
    for written in mention.get("claims") or ():
        claim: dict[str, Any] = json.loads(written)
        if bitemporal.name_slot(claim["predicate"]) in slots:
            yield claim
