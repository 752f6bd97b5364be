"""Callers that count accesses of the same nodes at once: none repeats what it has read."""

import threading
import time

import anyio
import neo4j
import pytest

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Contended, Full
from concept_graph_mcp.hosts.memgraph import caller
from concept_graph_mcp.hosts.memgraph.store import BoltStore

CALLERS, TURNS = 16, 4
CONTEXT = {"now_ms": 1_750_000_000_000, "tau_ms": 86_400_000, "date": "20250615"}


@pytest.fixture
def store(portal, monkeypatch):
    """A store without a database, which returns what `store.conflicts` lets through."""

    class Made(BoltStore):
        asked: list[str]
        conflicts: set[str]
        full: set[str]

        async def _make(self, call, context, patience_s=8.0):
            self.asked.append(call.procedure.name)
            if call.procedure.name in self.full and "FREE MEMORY" not in self.asked:
                raise Full("Memgraph is at its memory limit and wrote nothing")
            if call.procedure.name in self.conflicts:
                raise Contended("too many writes to the same place; nothing was written")
            fields = dict.fromkeys(call.procedure.fields)
            if "accessed" in fields:
                fields["accessed"] = {"memories": ["m"]}
            return [fields]

        async def rows(self, statement, parameters, writes):
            self.asked.append(statement)
            return []

    async def made():
        store = Made("bolt://127.0.0.1:1", "", "")
        store._is_open = True
        store.asked, store.conflicts, store.full = [], set(), set()
        return store

    store = portal.call(made)
    yield store
    portal.call(store.close)


def test_after_a_conflict_the_twin_answers_and_the_accesses_are_counted_apart(
    store, portal, monkeypatch
):
    def get():
        store.asked.clear()
        rows = portal.call(store.call, calls.memories.get("m"), CONTEXT)
        assert "accessed" not in rows[0]
        return rows

    get()
    assert store.asked == ["memorygraph.get"]
    store.conflicts = {"memorygraph.get"}
    get()
    assert store.asked == ["memorygraph.get", "memorygraph.peek", "everyday.access"]
    # For a while no caller repeats what may conflict.
    store.conflicts = set()
    get()
    assert store.asked == ["memorygraph.peek", "everyday.access"]
    store.conflicts = {"everyday.access"}
    assert get().advice.startswith("no access was counted: too many writes to the same place")
    monkeypatch.setattr(caller, "_CONTENDED_S", 0.0)
    store._contended_until_s = 0.0
    store.conflicts = set()
    get()
    assert store.asked == ["memorygraph.get"]


@pytest.mark.parametrize(
    ("call", "is_made"),
    [
        (calls.memories.forget("default", "m"), True),
        (calls.everyday.forget("default", "m"), True),
        (calls.memories.purge(1, ["m"]), True),
        (calls.memories.create("u", "text"), False),
    ],
)
def test_what_makes_room_works_in_a_full_database(store, portal, call, is_made):
    name = call.procedure.name
    store.full = {name}
    if is_made:
        portal.call(store.call, call, CONTEXT)
        assert store.asked == [name, "FREE MEMORY", name]
        return
    with pytest.raises(Full):
        portal.call(store.call, call, CONTEXT)
    assert store.asked == [name]


def test_other_writes_are_retried_as_a_whole(store, portal):
    store.conflicts = {"memorygraph.preserve"}
    with pytest.raises(Contended):
        portal.call(store.call, calls.memories.preserve("m"), CONTEXT)
    assert store.asked == ["memorygraph.preserve"]


@pytest.fixture
def connected(empty_memgraph, portal):
    async def opened():
        made = BoltStore(empty_memgraph, "", "")
        await made.open()
        return made

    store = portal.call(opened)
    yield store
    portal.call(store.close)


@pytest.mark.slow
def test_an_access_waits_for_another_writer_of_the_memory(connected, portal):
    def run(call):
        return portal.call(connected.call, call, CONTEXT)

    [made] = run(calls.memories.create("default", "Lena likes tea."))
    with neo4j.GraphDatabase.driver(connected.location) as driver, driver.session() as session:
        other = session.begin_transaction()
        other.run("MATCH (m:Memory {id: $id}) SET m.source = 'hand'", id=made["memory_id"])

        def commit():
            time.sleep(0.5)
            other.commit()

        committing = threading.Thread(target=commit)
        committing.start()
        [row] = run(calls.memories.get(made["memory_id"]))
        committing.join()
    assert row["content"] == "Lena likes tea."
    [row] = run(calls.memories.show(made["memory_id"]))
    assert (row["access_count"], row["source"]) == (1, "hand")


async def _conflict(uri):
    """Let callers write the same memory in several rounds at once; return what each was told."""
    stores = [BoltStore(uri, "", "") for _ in range(CALLERS)]
    for store in stores:
        await store.open()
    [shared] = await stores[0].call(calls.memories.create("default", "Lena likes tea."), CONTEXT)
    shared = shared["memory_id"]
    told = {"touch": [], "create": [], "update": []}

    async def write(store, name):
        for turn in range(TURNS):
            text = f"Caller {name} drinks tea in turn {turn}"
            made = calls.memories.create("default", text, parent_id=shared)
            for kind, call in (
                # Asked for a look-up that nobody named, it fails amid a transaction.
                ("create", made._replace(wanted=made.wanted[1:])),
                ("touch", calls.memories.touch([shared])._replace(wanted=())),
                ("update", calls.memories.update("default", shared, content=text)),
            ):
                try:
                    [row] = await store.call(call, CONTEXT)
                except Contended:
                    continue
                told[kind].append(row)

    with anyio.fail_after(240):
        async with anyio.create_task_group() as group:
            for name, store in enumerate(stores):
                group.start_soon(write, store, name)
        [row] = await stores[0].call(calls.memories.show(shared), CONTEXT)
        problems = await stores[0].call(calls.transfer.check(), CONTEXT)
        kept = [
            await stores[0].call(calls.memories.show(one["memory_id"]), CONTEXT)
            for one in told["create"]
        ]
    for store in stores:
        await store.close()
    return row, told, kept, problems


@pytest.mark.slow
def test_callers_who_write_the_same_in_rounds_neither_hang_nor_lose_what_was_acknowledged(
    empty_memgraph, portal
):
    row, told, kept, problems = portal.call(_conflict, empty_memgraph)
    assert all(told.values())
    assert row["access_count"] == len(told["touch"])
    assert row["content"] in {one["content"] for one in told["update"]}
    assert {one["parent_id"] for [one] in kept} == {row["memory_id"]}
    assert problems == []


@pytest.mark.parametrize("label", ["Memory", "Term", "Concept"])
def test_what_another_caller_deletes_amid_a_recall_is_left_out(connected, portal, label):
    texts = [f"The tea of Lena number {number} is green" for number in range(3)]
    for text in texts:
        portal.call(connected.call, calls.everyday.remember("default", text, ["tea"]), CONTEXT)
    portal.call(connected.call, calls.concepts.concept_upsert("tea"), CONTEXT)
    recall = calls.everyday.recall("default", "What tea does Lena drink?", concept_scope="")
    run, statements = connected._session, []

    def session(**options):
        made = run(**options)
        ask = made.run

        async def asked(query, *given, **more):
            statements.append(str(query.text))
            if statements[-1].count("CALL everyday."):
                async with run() as other:
                    await (await other.run(f"MATCH (n:{label}) DETACH DELETE n")).consume()
            return await ask(query, *given, **more)

        made.run = asked
        return made

    connected._session = session
    [row] = portal.call(connected.call, recall, CONTEXT)
    assert len(statements) > 1
    said = [one for one in row["lines"] if one.get("part") == "said"]
    assert not said if label != "Concept" else said
