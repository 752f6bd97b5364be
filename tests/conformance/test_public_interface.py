"""The core works the same where `mgp` hides what lies beneath its vertices and edges."""

import contextlib

import pytest
from expect import DAY_MS, REFUSALS

from concept_graph_mcp import calls
from memories import connected, link, links, node, traverse


@pytest.fixture
def public_only(memory, hands):
    """A context manager: within it the core on that host has nothing but the public interface."""

    @contextlib.contextmanager
    def public_only():
        assert hands.switch("use_public_api", True) == "_PublicVertex"
        try:
            yield
        finally:
            assert hands.switch("use_public_api", False) == "raw_vertex"

    return public_only


def kept(memory):
    """Return all records in an order of their own: a database has none."""
    return sorted(memory.records(), key=repr)


def live(memory):
    """Use every procedure, and return everything that they said and stored."""
    said = [
        memory.relation_add("apple", "fruit", "is-a"),
        memory.relation_add("apple", "fruit", "is-a"),
        memory.relation_add("pear", "fruit", "is-a"),
        memory.update_affect("apple", 0.75),
        memory.update_affect("日本", -0.5),
        memory.episode_add("Bought apples", ["apple", "market"]),
        memory.episode_add("Bought more", ["apple"]),
        memory.update_affect("20250615/apple", -0.5),
        memory.relation_add("20250615/apple", "20250615/apple-2", "evokes"),
        memory.concept_upsert("pear"),
    ]
    memory.now_ms += DAY_MS
    said += [memory.peek(["apple"], 3), memory.recall(["fruit", "nothing"], 2), kept(memory)]
    said += [memory.concept_search(["APP"]), memory.concept_search([], 2), memory.stats()]
    said += [
        memory.run(calls.transfer.check()),
        memory.run(calls.concepts.rename("pear", "Birne", False)),
    ]
    said += [memory.run(calls.concepts.remove_relation("apple", "fruit", "is-a", False))]
    said += [
        memory.run(calls.concepts.remove("market", False)),
        memory.import_rows(memory.records()),
    ]
    for refused in (
        lambda: memory.concept_upsert("20250615/apple"),
        lambda: memory.relation_add("new", "20250615/apple", "is-a"),
    ):
        with pytest.raises(REFUSALS) as refusal:
            refused()
        said.append(str(refusal.value))
    (row,) = memory.peek(["日本", "Birne"], 1, relation=True)
    said += [row["relation"].type, row["relation"].properties, kept(memory)]
    for record in memory.records():
        if record["kind"] != "relation":
            memory.run(calls.concepts.remove(record["name"], False))
    memory.now_ms -= DAY_MS
    return [*said, memory.records()]


def test_everything_is_said_and_stored_alike(memory, public_only):
    expected = live(memory)
    with public_only():
        assert live(memory) == expected
    assert live(memory) == expected


def test_memories_are_linked_and_walked_alike(memory, public_only):
    memory.import_rows([node("a"), node("b", parent_id="a"), node("c")])

    def tell():
        return [
            connected(memory, "a"),
            traverse(memory, "a", include_parent_links=True),
            traverse(memory, "a", strategy="dfs", direction="incoming"),
            memory.run(calls.memories.stats("default")),
            links(memory),
        ]

    with public_only():
        assert link(memory, "a", "b", "supports", 0.6)["created"]
        assert link(memory, "c", "a", "causes")["created"]
        memory.now_ms += 7 * DAY_MS
        assert link(memory, "a", "b", "supports")["strength"] == 0.5
        told = tell()
    assert tell() == told
    assert link(memory, "a", "b", "supports")["strength"] == 0.6


def lived(memory):
    """Let three memories live through everything; return all that is said and kept of it."""
    start = memory.now_ms
    memory.import_rows([node(name, content=f"{name} again and again " * 40) for name in "abc"])
    said = [
        memory.run(calls.memories.update("default", "a", summary="A", tags=["x"])),
        memory.run(calls.memories.preserve("b", "pinned")),
        memory.run(calls.memories.forget("c", "wrong")),
    ]
    memory.now_ms += 250 * DAY_MS
    said += [
        memory.run(calls.memories.decay_batch("default")),
        memory.run(calls.memories.recent("default")),
        memory.run(calls.memories.get("a")),
        memory.run(calls.memories.touch(["a", "b"])),
        memory.run(calls.memories.decay_status("a")),
        memory.run(calls.memories.restore("c")),
        memory.run(calls.memories.listed("default")),
        memory.run(calls.memories.next_scope()),
        memory.run(calls.transfer.check()),
        sorted(memory.records(), key=lambda record: record["id"]),
        memory.run(calls.memories.worker_lease("one", 5)),
        memory.run(calls.memories.worker_lease("one", 0)),
    ]
    for memory_id in "abc":
        memory.run(calls.memories.forget(memory_id))
    memory.now_ms += 2
    said.append(memory.run(calls.memories.purge(1, ["a", "b", "c"])))
    memory.now_ms = start
    return [*said, memory.records()]


def test_memories_live_alike(memory, public_only):
    expected = lived(memory)
    with public_only():
        assert lived(memory) == expected


def test_the_function_works_alike(memory, hands, public_only):
    memory.relation_add("apple", "fruit", "is-a")
    with public_only():
        assert hands.arousal("apple", memory.now_ms) == 0.25
        assert hands.arousal("nothing") is None


def test_what_hands_made_is_tolerated_alike(memory, hands, public_only):
    ends = hands.node("Concept", name="a"), hands.node("Fruit", "Concept", name="b", valence=1)
    hands.edge(*ends, "IS_A")
    hands.edge(*ends, "IS_A", weight=1)
    hands.edge(ends[0], ends[0], "EVOKES", weight=0.5)
    hands.edge(hands.node("Person", name="p"), ends[0], "EVOKES", weight=1.0)
    expected = memory.peek(["a"], 3), memory.run(calls.transfer.check()), memory.stats()
    with public_only():
        assert (
            memory.peek(["a"], 3),
            memory.run(calls.transfer.check()),
            memory.stats(),
        ) == expected
        assert memory.relation_add("a", "b", "is-a")["weight"] == 1.0
        memory.run(calls.concepts.remove_relation("a", "b", "is-a", False))
        assert memory.stats()["is-a"] == 0
