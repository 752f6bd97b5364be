"""Identity follows from what was said and not taken back, whatever came in between.

A judge of a few lines, by the literal rule, is held against the program on random sequences.
"""

from dataclasses import dataclass, field

import pytest
from entity_layer import Entities
from expect import REFUSALS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import limit_examples

from concept_graph_mcp import calls

NAMES = ("Max", "Rex", "Ben", "Lou")


@dataclass
class Judge:
    """Statements in their order, each in force or taken back; nothing else is remembered."""

    # The entity that each mention was first recorded for.
    first: dict[str, str]
    # By the id of the ledger's entry: the two that are one, and the mentions that are another's.
    merges: dict[str, tuple[str, str]] = field(default_factory=dict)
    splits: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    in_force: set[str] = field(default_factory=set)

    def merge(self, entry: str, one: str, other: str) -> None:
        self.merges[entry] = one, other
        self.in_force.add(entry)

    def split(self, entry: str, made: str, moved: list[str]) -> None:
        self.splits[entry] = made, moved
        self.in_force.add(entry)

    def undo(self, entry: str) -> None:
        self.in_force.remove(entry)

    def identity(self, entity: str, without: str | None = None) -> frozenset[str]:
        """Return all entities that the merges in force join to *entity*."""
        ties = [self.merges[one] for one in self.in_force & self.merges.keys() - {without}]
        found = {entity}
        while more := {end for tie in ties if found & {*tie} for end in tie} - found:
            found |= more
        return frozenset(found)

    def identities(self) -> dict[str, frozenset[str]]:
        """Return what each mention means."""
        entity_of = dict(self.first)
        for entry, (made, moved) in self.splits.items():
            if entry in self.in_force:
                entity_of |= dict.fromkeys(moved, made)
        return {mention: self.identity(entity) for mention, entity in entity_of.items()}


class Held:
    """The program and the judge, told the same."""

    def __init__(self, entities: Entities) -> None:
        self.entities = entities
        for session in range(3):
            entities.observe(", ".join(NAMES), *NAMES, session=f"s{session}")
            entities.days(1)
        self.judge = Judge(self.told())
        self.aparts: list[tuple[str, str, str]] = []

    def told(self) -> dict[str, str]:
        """Return the entity of each mention, by the edges of the graph."""
        return {one["from"]: one["to"] for one in self.entities.ties("of")}

    def take(self, what: str, one: int, other: int) -> None:
        known = sorted(row["id"] for row in self.entities.records("entity"))
        first, second = known[one % len(known)], known[other % len(known)]
        judge, active = self.judge, sorted(self.judge.in_force)
        if what == "merge" and second not in judge.identity(first):
            judge.merge(self.entities.merge(first, second), first, second)
        elif what == "split":
            moved = [sorted(self.told())[other % len(self.told())]]
            try:
                row = self.entities.split(first, moved)
            except REFUSALS:
                # It names another entity, or the only one.
                return
            judge.split(row["merge_id"], row["entity_id"], moved)
        elif what == "undo" and active:
            self.entities.unmerge(active[one % len(active)])
            judge.undo(active[one % len(active)])
        elif what == "apart" and (found := [entry for entry in active if entry in judge.merges]):
            entry = found[one % len(found)]
            ends = judge.merges[entry]
            if ends[1] not in judge.identity(ends[0], without=entry):
                self.aparts.append((self.part(*ends), *ends))
                judge.undo(entry)
        elif what == "undo an undo" and self.aparts:
            undo, *ends = self.aparts.pop(one % len(self.aparts))
            [row] = self.entities.run(calls.entities.unmerge(undo, "they are one after all"))
            judge.merge(row["undo"], *ends)

    def part(self, one: str, other: str) -> str:
        said = f"{self.entities._label(one)} is not {self.entities._label(other)}"
        [row] = self.entities.run(
            calls.everyday.identify("default", one, other, same=False, said=said)
        )
        return row["undo"]

    def agree(self) -> None:
        there = {row["id"] for row in self.entities.records("entity")}
        whole = {one: self.entities.get(one)["entity_id"] for one in there}
        for one, canonical in whole.items():
            theirs = {other for other in there if whole[other] == canonical}
            assert theirs == self.judge.identity(one) & there
        told = self.told()
        for mention, identity in self.judge.identities().items():
            assert told[mention] in identity
            assert whole[told[mention]] in identity


STEPS = st.lists(
    st.tuples(
        st.sampled_from(("merge", "merge", "split", "undo", "apart", "undo an undo")),
        st.integers(0, 11),
        st.integers(0, 11),
    ),
    max_size=16,
)


@pytest.mark.slow
@settings(
    max_examples=limit_examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=STEPS)
def test_who_is_who_is_what_was_said_and_not_taken_back(memory, steps):
    memory.empty()
    held = Held(Entities(memory))
    for step in steps:
        held.take(*step)
    held.agree()


@pytest.fixture
def dogs(memory):
    """Return the program and the ids of some dogs by their names."""
    entities = Entities(memory)
    rows = entities.observe(", ".join(NAMES), *NAMES)["entities"]
    return entities, [row["entity_id"] for row in rows]


def test_one_merge_taken_back_leaves_what_the_others_said(dogs):
    entities, (max_, rex, ben, _) = dogs
    first = entities.merge(max_, rex)
    entities.merge(max_, ben)
    pairs = {frozenset((one["from"], one["to"])) for one in entities.ties("same_as")}
    assert pairs == {frozenset((max_, rex)), frozenset((max_, ben))}
    entities.unmerge(first)
    assert entities.get(max_)["labels"] == ["Ben", "Max"]
    assert entities.get(rex)["labels"] == ["Rex"]
    assert entities.record("Rex")["identity_status"] == "distinct"


def test_an_undo_that_is_undone_tells_the_id_that_takes_it_back_again(dogs):
    entities, (max_, rex, *_) = dogs
    entities.merge(max_, rex)
    for _ in range(3):
        said = "Max is not Rex"
        [row] = entities.run(calls.everyday.identify("default", max_, rex, same=False, said=said))
        assert entities.get(max_)["labels"] == ["Max"]
        [again] = entities.run(calls.entities.unmerge(row["undo"], "they are one"))
        assert entities.get(max_)["labels"] == ["Rex", "Max"]
        [last] = entities.run(calls.entities.unmerge(again["undo"], "they are two"))
        assert last["undo"] is None
        assert [len(one["labels"]) for one in last["separate"]] == [1, 1]
        entities.merge(max_, rex)


def test_the_users_different_holds_however_many_merges_made_them_one(dogs):
    entities, (max_, rex, ben, _) = dogs

    def identify(one, other, same, said):
        [row] = entities.run(calls.everyday.identify("default", one, other, same=same, said=said))
        return row["undo"]

    identify(max_, rex, True, "Max is Rex")
    apart = identify(max_, rex, False, "Max is not Rex")
    identify(max_, ben, True, "Max is Ben")
    identify(rex, ben, True, "Rex is Ben")
    entities.unmerge(apart)
    identify(max_, rex, False, "Max is not Rex, I am sure")
    assert entities.get(max_)["entity_id"] != entities.get(rex)["entity_id"]
