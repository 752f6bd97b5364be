"""What is a user's stays so, whatever a record says; and a check finds what two users share."""

from contextlib import suppress
from typing import Any

import pytest
from expect import REFUSALS

from concept_graph_mcp import calls
from conceptgraph_core.graph.layers import REQUIRED, NodeKind, Property
from conceptgraph_core.transfer.registry import LAYERS
from conceptgraph_core.verbs.errors import ConceptGraphError

KINDS = [
    kind
    for layer in LAYERS
    for kind in layer.nodes
    if kind.exported and kind.scope is not None and kind.scope not in kind.key
]
REFERRING = [(kind, name) for kind in KINDS for name in kind.refers]
# Of these each required property takes one.
VALUES = ("word", "entity", "user", 0.5, 1)


def record(kind: NodeKind, user: str, **given: Any) -> dict[str, Any]:
    """Return a record of that kind, with what it must have and nothing else."""
    required = [one for one in kind.properties if one.default is REQUIRED]
    values = {one.name: value_for(one) for one in required}
    values |= {name: f"{user}'s {name}" for name in kind.key if name != kind.scope}
    return {"kind": kind.kind, **values, kind.scope: user, **given}


def value_for(declared: Property) -> Any:
    for value in VALUES:
        with suppress(ConceptGraphError):
            return declared.check(value, declared.name)
    raise LookupError(declared.name)


def called(label: str) -> NodeKind:
    return next(kind for kind in KINDS if kind.label == label)


def problems(memory: Any) -> list[tuple[str, str]]:
    return [(row["problem"], row["subject"]) for row in memory.run(calls.transfer.check())]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
@pytest.mark.parametrize("only_new", [False, True])
def test_no_record_of_any_kind_moves_a_node_to_another_user(memory, kind, only_new):
    memory.import_rows([record(kind, "ann"), record(kind, "bob")])
    before = memory.records()
    hers, his = before
    moved = {**hers, kind.scope: "bob"}
    refused = f"row 1: {kind.kind}: {kind.scope} is ann here, not bob"
    with pytest.raises(REFUSALS, match=refused):
        memory.run(calls.transfer.import_rows([his, moved]), only_new=only_new)
    assert memory.records() == before
    memory.import_rows(before)
    assert memory.records() == before


@pytest.mark.parametrize(
    ("kind", "name"), REFERRING, ids=[f"{kind.kind}-{name}" for kind, name in REFERRING]
)
def test_a_check_finds_what_names_another_users_node(memory, kind, name):
    target = called(kind.refers[name])
    [key] = target.key
    memory.import_rows([record(target, "ann"), record(kind, "bob", **{name: f"ann's {key}"})])
    expected = (f"{name} of another user", f'{kind.label} "bob\'s {kind.key[0]}"')
    assert problems(memory) == [expected]
    memory.import_rows([record(target, "bob"), record(kind, "bob", **{name: f"bob's {key}"})])
    assert problems(memory) == []


def test_a_check_finds_an_edge_between_two_users(memory, hands):
    one, other = (
        hands.node("Memory", id=f"{user}-1", user_id=user, content="tea") for user in ("ann", "bob")
    )
    hands.edge(one, other, "SUPPORTS", strength=0.5)
    assert ("relation between two users", '"ann-1" supports "bob-1"') in problems(memory)


COMPOSED, DECOMPOSED = "Zo\u00eb", "Zoe\u0308"


def test_a_user_is_one_however_accents_are_written(memory):
    for number, user in enumerate((COMPOSED, DECOMPOSED)):
        rows = [record(kind, user, **{kind.key[-1]: f"n{number}"}) for kind in KINDS]
        # Of which a user has one each.
        rows = [
            row | dict.fromkeys(row.keys() & {"canonical_name", "content"}, f"n{number}")
            for row in rows
        ]
        memory.import_rows([*rows, {"kind": "session", "user_id": user, "session_id": "s"}])
    records = memory.records()
    assert len(records) == 2 * len(KINDS) + 1
    assert {one["user_id"] for one in records} == {COMPOSED}
    found = memory.procedure("memorygraph.recent", [10, None], ("memory_id",), user_id=DECOMPOSED)
    assert {row["memory_id"] for row in found} == {"n0", "n1"}
    assert problems(memory) == []


def test_what_an_older_version_wrote_otherwise_is_reported_and_brought_back(memory, hands):
    hands.node("Memory", id="old", user_id=DECOMPOSED, content="tea")
    expected = ("user_id with decomposed letters", 'Memory "old"')
    assert expected in problems(memory)
    memory.import_rows(memory.records())
    assert problems(memory) == []
    found = memory.procedure("memorygraph.recent", [10, None], ("memory_id",), user_id=COMPOSED)
    assert [row["memory_id"] for row in found] == ["old"]
