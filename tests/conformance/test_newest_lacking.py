"""Texts that lack a vector get theirs behind everything else, the newest first."""

from dataclasses import replace
from zoneinfo import ZoneInfo

import anyio
import pytest

from concept_graph_mcp import calls, settings
from concept_graph_mcp.embedding.base import LocalEmbedding
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.worker import embedding as embedding_job
from concept_graph_mcp.worker.along import VectorsAlong
from conceptgraph_core.verbs import limits
from memories import node

NOW_MS = 1_750_000_000_000


def encoded(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0] for text in texts]


class Toy(LocalEmbedding):
    """An embedding that counts letters, and is there at once."""

    def __init__(self) -> None:
        super().__init__("toy", 2, self._noted)
        self.asked: list[str] = []

    def _noted(self, texts: list[str]) -> list[list[float]]:
        self.asked += texts
        return encoded(texts)

    async def wait_until_open(self) -> "Toy":
        return self


@pytest.fixture
def session(store):
    zone = ZoneInfo("UTC")
    return Session(store, limits.DEFAULT_TAU_MS, zone, Clock(NOW_MS), embedding=Toy())


@pytest.fixture
def chosen(session):
    there = session.store.location
    is_server = "://" in there
    given = {"TZ": "UTC", **({"MEMGRAPH_URI": there} if is_server else {})}
    chosen = settings.read(given, None if is_server else there)
    return replace(chosen, embeddings="openai:toy")


def told(number: int, user: str = "default"):
    return node(f"m{number:03}", content=f"note {number}", user_id=user, created_at=NOW_MS - number)


def lacking(session, portal):
    return {row["text"] for row in portal.call(session.run, calls.embedding.lacking(1_000))}


def test_the_newest_texts_of_a_user_come_first_and_those_with_a_vector_not_at_all(
    memory, session, portal
):
    memory.import_rows([told(number) for number in (5, 1, 9, 3, 7)] + [told(0, "somebody")])
    portal.call(session.run, calls.embedding.choose("toy", 2, False))
    newest = portal.call(session.run, calls.embedding.newest_lacking("default", 3))
    assert [row["text"] for row in newest] == ["note 1", "note 3", "note 5"]
    given = [{**newest[0], "vector": [1.0, 2.0]}]
    portal.call(session.run, calls.embedding.embed("toy", given))
    newest = portal.call(session.run, calls.embedding.newest_lacking("default", 3))
    assert [row["text"] for row in newest] == ["note 3", "note 5", "note 7"]


def test_what_lacks_a_vector_gets_one_by_and_by_and_an_end_loses_nothing(
    memory, session, chosen, portal, monkeypatch
):
    memory.import_rows([told(number) for number in range(30)])
    monkeypatch.setattr(embedding_job, "_A_WHILE_S", 0.0)
    monkeypatch.setattr(embedding_job, "_STORED", 5)
    along = VectorsAlong(session, chosen)
    run = calls.embedding.embed

    def end_soon(name, rows, **given):
        if len(session.embedding.asked) >= 10:
            along.stop()
        return run(name, rows, **given)

    monkeypatch.setattr(calls.embedding, "embed", end_soon)
    portal.call(along.run_due)
    first = session.embedding.asked
    assert first == [f"note {number}" for number in range(len(first))]
    assert 10 <= len(first) < 20
    assert len(lacking(session, portal)) == 30 - len(first)
    monkeypatch.setattr(calls.embedding, "embed", run)
    assert portal.call(VectorsAlong(session, chosen).run_due) == ["embed"]
    assert lacking(session, portal) == set()
    assert session.embedding.asked == [f"note {number}" for number in range(30)]
    assert portal.call(VectorsAlong(session, chosen).run_due) == []


def test_texts_without_a_time_and_names_of_entities_get_theirs_too(memory, session, chosen, portal):
    memory.import_rows([told(1)])
    portal.call(
        lambda: session.run(calls.everyday.remember("default", "Rosa keeps a banjo", ["Rosa"]))
    )
    assert portal.call(VectorsAlong(session, chosen).run_due) == ["embed"]
    assert lacking(session, portal) == set()


def test_a_question_need_not_wait_for_the_texts_behind_it(memory, session, chosen, portal):
    """Work behind the calls has a thread of its own, of the least priority."""
    import os
    import sys
    import threading

    found = []

    def noted(texts: list[str]) -> list[list[float]]:
        found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        return encoded(texts)

    embedding = LocalEmbedding("toy", 2, noted)

    async def work() -> None:
        await embedding.vectors_behind(["a"])
        await embedding.vectors(["b"])
        await embedding.close()

    anyio.run(work)
    if sys.platform == "linux":
        assert found[0] == 19
        assert found[1] == os.getpriority(os.PRIO_PROCESS, 0)
