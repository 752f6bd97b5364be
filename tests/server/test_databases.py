"""Databases of Memgraph Enterprise: the one that is named is asked for, and no other answers.

No test runs Enterprise. Community takes any name of a database and answers from its only one.
"""

import anyio
import neo4j
import pytest
from command_line import run
from neo4j.exceptions import ClientError

from concept_graph_mcp import calls, settings
from concept_graph_mcp.errors import Misdeployed, Refused
from concept_graph_mcp.hosts.memgraph import caller, readiness
from concept_graph_mcp.hosts.memgraph.store import BoltStore, Databases
from concept_graph_mcp.settings import SettingsError

CONTEXT = {"now_ms": 1_750_000_000_000, "tau_ms": 86_400_000, "date": "20250615", "user_id": "ann"}


class Noting:
    """A driver that notes which database each session is for."""

    def __init__(self, driver: neo4j.AsyncDriver) -> None:
        self._driver = driver
        self.asked: list[str | None] = []

    def session(self, database: str | None = None, **options) -> neo4j.AsyncSession:
        self.asked.append(database)
        return self._driver.session(**options)

    async def close(self) -> None:
        await self._driver.close()


async def allowed(*_) -> None:
    pass


def test_community_is_no_server_of_databases(empty_memgraph):
    async def opened() -> None:
        store = BoltStore(empty_memgraph, "", "", database="tenant")
        try:
            await store.open()
        finally:
            await store.close()

    with pytest.raises(Misdeployed) as failure:
        anyio.run(opened)
    assert str(failure.value) == (
        f"{empty_memgraph}/tenant: databases need a licence of Memgraph Enterprise, which this"
        " server lacks; leave out the database"
    )


def test_every_session_is_for_the_database_of_its_call(empty_memgraph, monkeypatch):
    monkeypatch.setattr(readiness, "check_database", allowed)

    async def asked() -> list[str | None]:
        noting = Noting(caller.driver_of(empty_memgraph, "", ""))
        monkeypatch.setattr(f"{Databases.__module__}.driver_of", lambda *_: noting)
        store = Databases(empty_memgraph, "", "")
        try:
            for name in ("one", "two"):
                await store.call(calls.memories.create("ann", "tea"), {**CONTEXT, "database": name})
            two = len(noting.asked)
            _ = [record async for record in store.stream()]
            with anyio.move_on_after(0):
                await store.call(calls.transfer.stats(), {**CONTEXT, "database": "two"})
            return noting.asked[:two], noting.asked[two:]
        finally:
            await store.close()

    writing, reading = anyio.run(asked)
    first_two = writing.index("two")
    assert {*writing[:first_two]} == {"one"}
    assert {*writing[first_two:]} == {"two"}
    assert {*reading} == {"one", "two"}


def test_a_call_without_a_database_goes_to_none():
    async def called() -> None:
        store = Databases("bolt://localhost:1", "", "")
        try:
            await store.call(calls.transfer.stats(), CONTEXT)
        finally:
            await store.close()

    with pytest.raises(Refused, match="names no database"):
        anyio.run(called)


def test_a_database_that_cannot_be_opened_is_not_kept(empty_memgraph):
    async def kept() -> int:
        store = Databases(empty_memgraph, "", "")
        for name in ("a", "b"):
            with pytest.raises(Misdeployed):
                await store.call(calls.transfer.stats(), {**CONTEXT, "database": name})
        await store.close()
        return len(store._stores)

    assert anyio.run(kept) == 0


@pytest.mark.parametrize("rows", [[], [{"Name": None}], [{"Name": "memgraph"}]])
def test_an_answer_from_another_database_is_refused(rows):
    async def answer(*_):
        return rows

    with pytest.raises(Misdeployed, match="answers from another database; nothing was read"):
        anyio.run(readiness.check_database, answer, "bolt://db:7687/tenant", "tenant")


def test_the_servers_own_reason_is_told():
    error = ClientError._hydrate_neo4j(
        code="Memgraph.ClientError.MemgraphError.MemgraphError",
        message="You don't have access to tenant.",
    )

    async def answer(*_):
        raise error

    with pytest.raises(ClientError, match="access"):
        anyio.run(readiness.check_database, answer, "bolt://db:7687/tenant", "tenant")


@pytest.mark.parametrize("name", ["a b", "a;b", "`a`", "../a", "-a", "a" * 65])
def test_a_database_has_a_plain_name(name):
    with pytest.raises(SettingsError, match="MEMGRAPH_DATABASE: must be the name of a database"):
        settings.read({"TZ": "UTC", "MEMGRAPH_DATABASE": name})


def test_every_command_uses_the_database_of_the_environment(empty_memgraph, monkeypatch):
    for name, value in {"URI": empty_memgraph, "DATABASE": "tenant"}.items():
        monkeypatch.setenv(f"MEMGRAPH_{name}", value)
    monkeypatch.setenv("TZ", "UTC")
    result = run("stats")
    assert result.exit_code == 1
    assert "databases need a licence of Memgraph Enterprise" in result.output
