"""`MemoryStorage` is a storage of CrewAI's memory. The package is large, so CI skips this."""

import asyncio
from datetime import datetime, timedelta

import pytest

pytest.importorskip("crewai.memory.storage.backend")

from crewai.memory.storage.backend import EmbeddingDimensionMismatchError, StorageBackend
from crewai.memory.types import MemoryRecord

from concept_graph_mcp.dropins.crewai import MemoryStorage

AT = datetime(2025, 6, 15)


def record(number, scope="/", **given):
    at = AT + timedelta(days=number)
    said = given.pop("content", f"text {number}")
    return MemoryRecord(
        id=str(number), content=said, scope=scope, created_at=at, last_accessed=at, **given
    )


@pytest.fixture
def storage(memory):
    storage = MemoryStorage(memory)
    storage.save(
        [
            record(1, "/a", content="Clara is allergic to hazelnuts", embedding=[1.0, 0.0]),
            record(2, "/a/b", categories=["x"], metadata={"n": 1}, embedding=[0.0, 1.0]),
            record(3, "/ab", categories=["x", "y"], embedding=[0.5, 0.5], source="s", private=True),
            record(4),
        ]
    )
    return storage


def ids(found):
    return [one.id for one in found]


def test_it_is_a_storage_of_crewai(storage):
    assert isinstance(storage, StorageBackend)


def test_a_record_is_as_it_was_saved(storage, memory):
    assert storage.get_record("3") == record(
        3, "/ab", categories=["x", "y"], embedding=[0.5, 0.5], source="s", private=True
    )
    assert storage.get_record("9") is None
    assert "hazelnuts" in memory.recall("What is Clara allergic to?")["text"]


def test_the_nearest_come_first(storage):
    found = storage.search([1.0, 0.0])
    assert [(one.id, round(score, 3)) for one, score in found] == [
        ("1", 1.0),
        ("3", 0.667),
        ("2", 0.333),
    ]
    assert [one.id for one, _ in storage.search([1.0, 0.0], "/a")] == ["1", "2"]
    assert [one.id for one, _ in storage.search([1.0, 0.0], categories=["x"])] == ["3", "2"]
    assert [one.id for one, _ in storage.search([1.0, 0.0], metadata_filter={"n": 1})] == ["2"]
    assert [one.id for one, _ in storage.search([1.0, 0.0], limit=1)] == ["1"]
    assert [one.id for one, _ in storage.search([1.0, 0.0], min_score=0.5)] == ["1", "3"]
    with pytest.raises(EmbeddingDimensionMismatchError):
        storage.search([1.0])


def test_scopes_and_categories_are_counted(storage):
    assert ids(storage.list_records()) == ["4", "3", "2", "1"]
    assert ids(storage.list_records(limit=2, offset=1)) == ["3", "2"]
    assert storage.list_scopes() == ["/a", "/ab"]
    assert storage.list_scopes("/a/") == ["/a/b"]
    assert storage.list_categories() == {"x": 2, "y": 1}
    assert storage.count("/a") == 2
    info = storage.get_scope_info("/a")
    assert (info.path, info.record_count, info.categories) == ("/a", 2, ["x"])
    assert (info.oldest_record, info.newest_record) == (AT + timedelta(1), AT + timedelta(2))
    assert info.child_scopes == ["/a/b"]
    assert storage.get_scope_info("/none").record_count == 0


def test_records_change_and_go(storage):
    storage.update(storage.get_record("2").model_copy(update={"content": "changed"}))
    assert storage.get_record("2").content == "changed"
    storage.touch_records(["1"])
    assert storage.get_record("1").last_accessed > AT + timedelta(days=1)
    assert storage.delete(record_ids=["1", "9"]) == 1
    assert storage.delete(older_than=AT + timedelta(days=2)) == 0
    assert storage.delete(categories=["y"]) == 1
    assert ids(storage.list_records()) == ["4", "2"]
    storage.reset("/a")
    assert ids(storage.list_records()) == ["4"]
    storage.reset()
    assert storage.count() == 0


def test_with_coroutines(storage):
    async def live():
        await storage.asave([record(5, embedding=[1.0, 0.1])])
        found = await storage.asearch([1.0, 0.1], limit=1)
        return found[0][0].id, await storage.adelete(record_ids=["5"])

    assert asyncio.run(live()) == ("5", 1)


def test_the_memory_of_crewai_keeps_its_records_there(storage, tmp_path, monkeypatch):
    monkeypatch.setenv("CREWAI_STORAGE_DIR", str(tmp_path / "crewai"))
    monkeypatch.setenv("CREWAI_DISABLE_TELEMETRY", "true")
    from crewai import Memory

    memory = Memory(storage=storage, embedder=lambda texts: [[1.0, 0.2] for _ in texts])
    told = {"scope": "/crew", "categories": ["food"], "importance": 0.9, "metadata": {"by": "ada"}}
    memory.remember("Clara drinks no coffee", **told)
    memory.drain_writes()
    found = memory.recall("coffee", scope="/crew", depth="shallow")
    assert [one.record.content for one in found] == ["Clara drinks no coffee"]
    assert memory.forget(scope="/crew") == 1
