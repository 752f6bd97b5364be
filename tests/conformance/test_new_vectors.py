"""New memories have their vectors soon after the call that kept them, and not within it."""

from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

import anyio
import pytest
from mcp.client.client import Client

from concept_graph_mcp import calls, serving
from concept_graph_mcp.embedding.base import EmbeddingError
from concept_graph_mcp.hosts.per_user import UserFiles
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.worker.embedding import NewVectors
from conceptgraph_core.memories import schema
from conceptgraph_core.verbs import limits
from memories import node

NOW_MS = 1_750_000_000_000
# For what never comes; nothing waits as long as this where all is well.
DEADLINE_S = 30.0


class Toy:
    """An embedding that counts letters; `fails` makes it one that cannot be reached."""

    name, dimension = "toy", 2
    fails = False

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def wait_until_open(self) -> "Toy":
        return self

    async def vectors(self, texts: Any) -> list[tuple[float, ...]]:
        if self.fails:
            raise EmbeddingError("toy: cannot be reached")
        self.asked += texts
        return [(float(len(text)), 1.0) for text in texts]

    async def close(self) -> None:
        pass


@pytest.fixture
def session(store):
    zone = ZoneInfo("UTC")
    return Session(store, limits.DEFAULT_TAU_MS, zone, Clock(NOW_MS), embedding=Toy())


@pytest.fixture
def new(session):
    made = NewVectors(session)
    session.on_kept.append(made.note_kept)
    return made


async def lacking(session):
    return {row["text"] for row in await session.run(calls.embedding.lacking(100))}


def keep(session, portal, text):
    portal.call(session.run, calls.memories.create("default", text))


def test_what_is_kept_gets_its_vector_and_what_came_before_is_left_to_the_job(
    session, new, memory, portal
):
    before = node(schema.make_id(NOW_MS - 1), content="before")
    memory.import_rows([before, node("0", content="by hand")])
    keep(session, portal, "tea")
    session.clock.frozen_ms += 5
    portal.call(session.run, calls.everyday.remember("default", "coffee"))
    assert "tea" in portal.call(lacking, session)
    portal.call(new.embed)
    assert portal.call(lacking, session) == {"before", "by hand"}
    assert session.embedding.asked == ["tea", "coffee"]


def test_each_user_may_have_a_store_of_their_own(tmp_path, portal):
    files = UserFiles(tmp_path)
    zone = ZoneInfo("UTC")
    served = Session(files, limits.DEFAULT_TAU_MS, zone, Clock(NOW_MS), embedding=Toy())
    new = NewVectors(served)
    served.on_kept.append(new.note_kept)
    users = [replace(served, user_id=user) for user in ("ann", "bob")]
    for one in users:
        portal.call(one.run, calls.memories.create(one.user_id, f"tea of {one.user_id}"))
    portal.call(new.embed)
    assert [portal.call(lacking, one) for one in users] == [set(), set()]
    assert served.embedding.asked == ["tea of ann", "tea of bob"]
    portal.call(files.close)


def test_nothing_is_looked_for_where_nothing_was_kept(session, new, portal):
    keep(session, portal, "tea")
    portal.call(new.embed)
    portal.call(session.run, calls.memories.search("default", "tea"))
    session.embedding.fails = True
    portal.call(new.embed)
    assert portal.call(lacking, session) == set()


def test_a_model_that_cannot_be_reached_is_logged_once_and_harms_no_call(
    session, new, portal, caplog
):
    session.embedding.fails = True
    for text in ("tea", "coffee"):
        keep(session, portal, text)
        portal.call(new.embed)
    assert [one.getMessage() for one in caplog.records] == [
        "new memories have no vectors yet: toy: cannot be reached"
    ]
    assert portal.call(lacking, session) == {"tea", "coffee"}


@pytest.mark.slow
def test_a_server_embeds_what_its_client_keeps(session, portal):
    async def serve() -> None:
        server = serving.build(session, toolsets=("memory",))
        async with Client(server) as client:
            for content in ("tea", "coffee"):
                await client.call_tool("memory_node_create", {"content": content})
                with anyio.fail_after(DEADLINE_S):
                    while await lacking(session):
                        await anyio.sleep(0.01)

    portal.call(serve)


@pytest.mark.parametrize("now_ms", [0, 1, NOW_MS, limits.MAX_TIME_MS])
def test_ids_that_are_made_come_after_those_of_the_time_before(now_ms):
    assert schema.make_bound(now_ms) < schema.make_id(now_ms) < schema.make_bound(now_ms + 1)
