"""`MemoryStore` is a LangGraph store: our tests of stores on it, and on the official ones."""

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import pytest

pytest.importorskip("langgraph.store.base")

from base_store import ANN, BaseStoreTests
from langgraph.store.base import PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from concept_graph_mcp import AsyncMemory, Memory
from concept_graph_mcp.dropins.langgraph import MemoryStore
from concept_graph_mcp.errors import StoreError
from concept_graph_mcp.session import Clock

CREATED = "test_a_put_changes_when_it_was_updated_but_not_when_it_was_created"
NOW_MS = 1_750_003_200_000


class MovedClock(Clock):
    """A clock that stands still until it is moved, and at each call goes on by a millisecond."""

    def now_ms(self) -> int:
        self.frozen_ms = (self.frozen_ms or NOW_MS) + 1
        return self.frozen_ms


@pytest.fixture
def clock():
    return MovedClock(NOW_MS)


@pytest.fixture
def memory(place, clock):
    with Memory.open(place, "ada", zone="UTC", clock=clock) as opened:
        yield opened


class TestMemoryStore(BaseStoreTests):
    @pytest.fixture
    def store(self, memory, clock):
        self._clock = clock
        return MemoryStore(memory)

    def wait(self, minutes):
        self._clock.frozen_ms += round(minutes * 60_000)


class TestInMemoryStore(BaseStoreTests):
    supports_ttl = False
    differing: ClassVar = {
        "test_a_value_that_is_changed_afterwards_is_kept_as_it_was": "keeps the object itself",
        "test_a_namespace_without_items_is_none": "lists a namespace after its last item",
        "test_a_missing_item_makes_no_namespace": "lists a namespace that was only read",
        "test_an_order_leaves_out_what_has_no_such_field": "raises TypeError or ValueError",
        "test_a_filter_compares_texts_in_their_order": "compares numbers alone",
        "test_the_latest_updated_comes_first": "returns the first put first",
        CREATED: "a put sets created_at again",
    }

    @pytest.fixture
    def store(self):
        return InMemoryStore()

    def wait(self, minutes):
        pass


class TestSqliteStore(BaseStoreTests):
    supports_async = False
    differing: ClassVar = {
        CREATED: "a put sets created_at again",
        "test_a_filter_compares_lists_and_maps": "takes the fields of a map for operators",
        "test_ne_finds_what_lacks_the_field": "$ne leaves out what lacks the field",
        "test_an_expired_item_is_gone_before_it_is_swept": "returns it until sweep_ttl",
        "test_a_negative_ttl_is_refused": "takes it, or raises OverflowError",
    }

    @pytest.fixture
    def store(self, tmp_path):
        sqlite = pytest.importorskip("langgraph.store.sqlite")
        file = tmp_path / "store.db"
        self._connection = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
        store = sqlite.SqliteStore(self._connection, ttl={"refresh_on_read": True})
        store.setup()
        yield store
        self._connection.close()

    def wait(self, minutes):
        # Everything in the file gets older.
        for column in ("created_at", "updated_at", "expires_at"):
            self._connection.execute(
                f"UPDATE store SET {column} = datetime({column}, '-{minutes * 60} seconds')"
            )


@pytest.fixture
def store(memory):
    return MemoryStore(memory)


def test_what_a_program_stores_is_recalled(memory, store):
    store.put(("users", "7"), "m1", {"kind": "Memory", "content": "Ada is allergic to hazelnuts"})
    text = memory.recall("What is Ada allergic to?")["text"]
    assert "allergic to hazelnuts" in text
    store.delete(("users", "7"), "m1")
    assert memory.recall("What is Ada allergic to?")["nothing"]


def test_a_query_finds_the_words_of_the_fields_that_are_indexed(memory):
    store = MemoryStore(memory, index={"fields": ["text", "notes[*].said"]})
    store.put(ANN, "tea", {"text": "Ann drinks green tea", "by": "rain"})
    store.put(ANN, "snow", {"text": "walks", "notes": [{"said": "rain"}, {"said": "snow"}]})
    store.put(ANN, "none", {"text": "green snow"}, index=False)
    store.put(ANN, "other", {"text": "green snow", "by": "Ann"}, index=["by"])

    def found(query):
        return [one.key for one in store.search(ANN, query=query) if one.score is not None]

    assert found("Is there snow?") == ["snow"]
    assert found("rain") == ["snow"]
    assert found("green") == ["tea"]
    assert set(found("Who is Ann?")) == {"tea", "other"}
    # The others follow without a score, as the official stores return them.
    assert len(store.search(ANN, query="rain")) == 4
    assert [one.key for one in store.search(ANN, query="rain", limit=1)] == ["snow"]
    assert found("rain snow") == ["snow"]
    assert [one.key for one in store.search(ANN, query="snow", filter={"by": "Ann"})] == ["other"]


def test_nothing_crosses_a_user_or_a_root(place, clock):
    with (
        Memory.open(place, "ada", clock=clock) as ada,
        Memory.open(place, "bob", clock=clock) as bob,
    ):
        stores = [MemoryStore(ada), MemoryStore(bob), MemoryStore(ada, root="langgraph/other")]
        for number, store in enumerate(stores):
            store.put(ANN, "k", {"text": f"secret {number}"})
        for number, store in enumerate(stores):
            assert store.get(ANN, "k").value == {"text": f"secret {number}"}
            [found] = store.search((), query="secret")
            assert found.value == {"text": f"secret {number}"}
            assert store.list_namespaces() == [ANN]
        stores[0].delete(ANN, "k")
        assert [len(store.search(())) for store in stores] == [0, 1, 1]


def test_a_batch_is_stored_as_a_whole_or_not_at_all(store):
    with pytest.raises(StoreError, match="lone surrogate"):
        store.batch([PutOp(ANN, "good", {"a": 1}), PutOp(ANN, "bad\ud800", {"a": 1})])
    with pytest.raises(StoreError, match=r"path: .* characters are too long; at most 4000"):
        store.batch([PutOp(ANN, "good", {"a": 1}), PutOp(ANN, "k" * 5_000, {"a": 1})])
    with pytest.raises(TypeError, match="not JSON serializable"):
        store.batch([PutOp(ANN, "good", {"a": 1}), PutOp(ANN, "bad", {"a": object()})])
    assert store.search(()) == []


def test_a_lone_surrogate_in_a_value_is_kept(store):
    store.put(ANN, "k", {"cut": "emoji \ud83d"})
    assert store.get(ANN, "k").value == {"cut": "emoji \ud83d"}


def test_a_model_is_the_memorys(memory):
    with pytest.raises(ValueError, match="index: takes fields alone"):
        MemoryStore(memory, index={"dims": 3, "embed": lambda texts: [[0.0] * 3 for _ in texts]})


@pytest.mark.slow
def test_swept_items_leave_no_memory(store, memory, clock):
    store.batch([PutOp(ANN, str(n), {"n": n}, ttl=1) for n in range(600)])
    store.put(ANN, "stays", {"n": 0})
    clock.frozen_ms += 120_000
    assert store.sweep_ttl() == 600
    assert store.sweep_ttl() == 0
    assert [one.key for one in store.search(())] == ["stays"]


def test_a_default_ttl_counts_and_reading_may_leave_it(memory, clock):
    store = MemoryStore(memory, ttl={"default_ttl": 10, "refresh_on_read": False})
    store.put(ANN, "k", {"a": 1})
    clock.frozen_ms += 6 * 60_000
    assert store.get(ANN, "k") is not None
    clock.frozen_ms += 6 * 60_000
    assert store.get(ANN, "k") is None


def test_with_coroutines_of_an_async_memory(place):
    async def use():
        async with AsyncMemory.open(place, "ada") as memory:
            store = MemoryStore(memory)
            await store.abatch([PutOp(ANN, str(n), {"n": n}) for n in range(3)])
            [found] = await store.abatch([SearchOp(ANN, filter={"n": {"$gte": 1}})])
            with pytest.raises(TypeError, match="a plain call needs a Memory"):
                store.get(ANN, "1")
            return {one.key for one in found}

    assert asyncio.run(use()) == {"1", "2"}


def test_two_memories_may_put_at_once(place):
    def puts(name):
        with Memory.open(place, "ada") as memory:
            store = MemoryStore(memory)
            for number in range(10):
                store.put(ANN, "same", {"by": name, "number": number})
                store.put(ANN, f"{name} {number}", {"number": number})

    with ThreadPoolExecutor() as pool:
        list(pool.map(puts, "ab"))
    with Memory.open(place, "ada") as memory:
        store = MemoryStore(memory)
        assert len(store.search(ANN, limit=100)) == 21
        assert store.get(ANN, "same").value["number"] == 9
