"""The hosts that behaviour is tested on, and one plain way to call procedures on each of them."""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import settings
from tests.examples import limit_examples
from tests.running import (
    count_workers,
    drop_some,
    is_left_out,
    may_have_memgraph,
    refuse_shared_server,
    select_quick,
)
from tests.watched_writes import Watch

from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call, Procedure
from concept_graph_mcp.hosts.store import Store
from conceptgraph_core.graph.primitives import Lookup

# A shell's background jobs ignore Ctrl-C, and so would the tests that send it to themselves.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Only tests about vectors load a model.
os.environ["CONCEPT_GRAPH_EMBEDDINGS"] = "none"

# How long an example takes is the machine's affair.
settings.register_profile("untimed", deadline=None, max_examples=limit_examples())
settings.load_profile("untimed")

HOSTS = ("embedded", "memgraph") if may_have_memgraph() else ("embedded",)
# Where the documentation's screenshots are, or None if they are not to be made again.
IMAGES = Path(__file__).parents[1] / "docs/images" if os.environ.get("UPDATE_SCREENSHOTS") else None
# Modules that ask the hosts how they behave.
PROBES = Path(__file__).parent / "conformance/modules"
NOW_MS = 1_750_000_000_000  # 2025-06-15T15:06:40Z
DAY_MS = 86_400_000


class Memory:
    """The procedures over one store, called synchronously at a time that the test sets."""

    def __init__(self, store: Store, portal: BlockingPortal) -> None:
        self.store = store
        self.now_ms = NOW_MS
        self.tau_ms: float = DAY_MS
        self.date = "20250615"
        # Whether an owner has set a retention window.
        self.expires = False
        self._portal = portal

    def run(self, call: Call, **context: Any) -> list[dict[str, Any]]:
        """Run *call* in this memory's context, changed by *context*; return its rows."""
        given = {"now_ms": self.now_ms, "tau_ms": self.tau_ms, "date": self.date}
        given |= {"expires": self.expires} | context
        return self._portal.call(self.store.call, call, given)

    def procedure(
        self, name: str, arguments: list[Any], fields: tuple[str, ...], **context: Any
    ) -> list[dict[str, Any]]:
        """Call any procedure without a look-up, as a person in Lab does."""
        return self.run(Call(Procedure(name, fields, writes=True), tuple(arguments)), **context)

    def concept_upsert(self, concept: str) -> dict[str, Any]:
        return self.run(calls.concepts.concept_upsert(concept))[0]

    def update_affect(self, target: str, valence_delta: float) -> dict[str, Any]:
        return self.run(calls.concepts.update_affect(target, valence_delta))[0]

    def episode_add(self, summary: str, concepts: list[str]) -> dict[str, Any]:
        return self.run(calls.concepts.episode_add(summary, concepts))[0]

    def relation_add(self, source: str, target: str, relation_type: str) -> dict[str, Any]:
        return self.run(calls.concepts.relation_add(source, target, relation_type))[0]

    def concept_search(self, keywords: list[str], limit: int | None = None) -> list[str]:
        return [
            row["concept"]
            for row in self.run(calls.concepts.concept_search(keywords, limit, self.tau_ms))
        ]

    def recall(
        self, seeds: list[str], max_hop: int = 2, limit: int | None = None
    ) -> list[dict[str, Any]]:
        return self.run(calls.concepts.recall(seeds, max_hop, limit))

    def peek(
        self, seeds: list[str], max_hop: int = 2, limit: int | None = None, relation: bool = False
    ) -> list[dict[str, Any]]:
        call = calls.concepts.peek(seeds, max_hop, limit)
        if relation:
            fields = (*call.procedure.fields, "relation")
            procedure = call.procedure._replace(fields=fields)
            call = call._replace(procedure=procedure)
        return self.run(call)

    def import_rows(self, rows: list[dict[str, Any]]) -> dict[str, int]:
        return self.run(calls.transfer.import_rows(rows))[0]

    def stats(self) -> dict[str, int]:
        return {row["measure"]: row["value"] for row in self.run(calls.transfer.stats())}

    def records(self, batch: int = 1_000, only: Sequence[Lookup] = ()) -> list[dict[str, Any]]:
        """Return everything in the graph, or what *only* finds, as export records."""

        async def collect() -> list[dict[str, Any]]:
            read = self.store.stream(batch, only)
            return [record async for records in read for record in records]

        return self._portal.call(collect)

    def empty(self) -> None:
        """Remove everything."""
        self._portal.call(self.store.restore, None)

    def node(self, name: str) -> dict[str, Any]:
        """Return the export record of the concept or episode called *name*."""
        (record,) = [r for r in self.records() if r["kind"] != "relation" and r["name"] == name]
        return record

    def weight(self, source: str, target: str, relation_type: str) -> float:
        (record,) = [
            record
            for record in self.records()
            if record["kind"] == "relation"
            and (record["from"], record["to"], record["type"]) == (source, target, relation_type)
        ]
        return float(record["weight"])


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    return count_workers(config)


def pytest_configure(config: pytest.Config) -> None:
    refuse_shared_server(config)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return is_left_out(collection_path, config) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    select_quick(items)
    drop_some(config, items)


@pytest.fixture(scope="session")
def watch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watch]:
    """Notices what is written outside the directory of all tests."""
    watch = Watch(tmp_path_factory.getbasetemp(), *([IMAGES] if IMAGES else []))
    sys.addaudithook(watch.hear)
    with pytest.MonkeyPatch.context() as patch:
        # What a test starts is not watched, but has no reason to write elsewhere.
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        # No test reads the settings of the person who runs it.
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("tmp")))
        patch.setattr(tempfile, "tempdir", None)
        yield watch


@pytest.fixture(autouse=True)
def writes_only_below_tmp_path(watch: Watch) -> Iterator[None]:
    """Fail a test that writes, or tries to, where another test or a person could meet it."""
    watch.strays()
    yield
    strays = watch.strays()
    assert not strays, f"written outside tmp_path: {', '.join(strays)}"


@pytest.fixture(scope="session")
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture(scope="session")
def memgraph_uri(watch: Watch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real Memgraph with our modules: a given one, one started here, or the image in Docker."""
    uri = os.environ.get("MEMGRAPH_TEST_URI")
    if uri:
        yield uri
        return
    if os.environ.get("MEMGRAPH_TEST_SERVER"):
        from tests.server.memgraph_process import run_memgraph

        with run_memgraph(tmp_path_factory.mktemp("memgraph"), *PROBES.glob("*.py")) as uri:
            yield uri
        return
    from tests import containers

    if reason := containers.missing_engine():
        pytest.skip(
            "needs a Memgraph: set MEMGRAPH_TEST_SERVER or MEMGRAPH_TEST_URI,"
            f" or start a Docker engine ({reason})"
        )
    with containers.memgraph() as memgraph:
        # The image's build is packed up in a temporary file.
        watch.strays()
        yield memgraph.uri


@pytest.fixture
def empty_memgraph(memgraph_uri: str, portal: BlockingPortal) -> str:
    """The URI of the Memgraph, with nothing in it."""
    import neo4j

    with neo4j.GraphDatabase.driver(memgraph_uri) as driver, driver.session() as session:
        session.run("MATCH (n) DETACH DELETE n").consume()
    return memgraph_uri


@pytest.fixture
def memgraph(empty_memgraph: str) -> Iterator[Any]:
    """A session of the driver on an empty Memgraph."""
    import neo4j

    with (
        neo4j.GraphDatabase.driver(empty_memgraph, notifications_min_severity="OFF") as driver,
        driver.session() as session,
    ):
        yield session


@pytest.fixture(params=HOSTS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The name of an empty store on each host, as `Memory.open` takes it."""
    if request.param == "embedded":
        return str(tmp_path / "memory.db")
    uri: str = request.getfixturevalue("empty_memgraph")
    return uri


@pytest.fixture(scope="session")
def make_empty(watch: Watch, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], None]:
    """Makes an empty store file: a copy of one, which takes a third of the time."""
    from concept_graph_mcp.hosts.sqlite.procedure_host import Host

    empty = tmp_path_factory.mktemp("empty") / "memory.db"
    Host(empty).close()

    def make(file: Path) -> None:
        for made in empty.parent.iterdir():
            shutil.copy(made, file.with_name(made.name.replace(empty.name, file.name)))

    return make


@pytest.fixture(params=HOSTS)
def store(
    request: pytest.FixtureRequest, tmp_path: Path, portal: BlockingPortal
) -> Iterator[Store]:
    """An empty graph on each host."""
    if request.param == "embedded":
        from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore

        request.getfixturevalue("make_empty")(tmp_path / "memory.db")
        store: Store = EmbeddedStore(tmp_path / "memory.db")
    else:
        uri = request.getfixturevalue("empty_memgraph")
        from concept_graph_mcp.hosts.memgraph.store import BoltStore

        store = portal.call(lambda: _bolt(BoltStore, uri))
    portal.call(store.open)
    yield store
    portal.call(store.close)


@pytest.fixture
def worker_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no tool say that no worker runs, as where one runs beside Memgraph."""
    from concept_graph_mcp import overdue

    async def nothing(_: overdue.Daily) -> None:
        return None

    monkeypatch.setattr(overdue.Daily, "advice", nothing)


async def _bolt(kind: Any, uri: str) -> Store:
    # Made inside the event loop that it is used in.
    made: Store = kind(uri, "", "")
    return made


@pytest.fixture
def memory(store: Store, portal: BlockingPortal) -> Memory:
    return Memory(store, portal)
