"""Both images, run as compose.yaml runs them: confined, killed, and on what they cannot write."""

import threading
from collections.abc import Iterator
from typing import Any

import neo4j
import pytest
from docker import DockerClient
from docker.errors import ContainerError
from neo4j.exceptions import DriverError, Neo4jError
from tests import containers
from tests.watched_writes import Watch

WRITERS = 4
ACKNOWLEDGED = 200
STORE = "--embedded=/data/memory.db"


@pytest.fixture(scope="module", autouse=True)
def engine() -> None:
    if reason := containers.missing_engine():
        pytest.skip(f"needs a Docker engine ({reason})")


@pytest.fixture(scope="module")
def memgraph(engine: None, watch: Watch) -> Iterator[containers.Memgraph]:
    with containers.memgraph() as started:
        # The image's build is packed up in a temporary file.
        watch.strays()
        yield started


@pytest.fixture(scope="module")
def server(engine: None, watch: Watch) -> Iterator[Any]:
    """Runs commands in the MCP server's image; returns stdout, or raises ContainerError."""
    with containers.image("docker/mcp.Dockerfile") as built:
        watch.strays()
        client: DockerClient = built.get_docker_client().client

        def run(*command: str, **how: Any) -> str:
            given = containers.confinement("mcp") | {"environment": {"TZ": "UTC"}} | how
            output: bytes = client.containers.run(str(built), list(command), remove=True, **given)
            return output.decode()

        yield run


@pytest.fixture
def volume(engine: None) -> Iterator[str]:
    client = containers.DockerClient().client
    made = client.volumes.create()
    yield made.name
    made.remove()
    client.close()


@pytest.mark.parametrize(
    "place", ["/x", "/etc/memgraph/x", "/usr/lib/memgraph/concept_graph/x", "/tmp/x"]
)
def test_memgraph_is_not_root_and_writes_to_its_volumes_only(
    memgraph: containers.Memgraph, place: str
) -> None:
    assert memgraph.run("id", "-u")[1].strip() != "0"
    assert memgraph.run("touch", place)[0] != 0
    assert memgraph.run("touch", "/var/lib/memgraph/x", "/var/log/memgraph/x") == (0, "")


def test_a_killed_memgraph_has_all_that_it_acknowledged(memgraph: containers.Memgraph) -> None:
    acknowledged: list[str] = []
    enough = threading.Event()

    def write(writer: int) -> None:
        with neo4j.GraphDatabase.driver(memgraph.uri) as driver, driver.session() as session:
            for number in range(1_000_000):
                name = f"{writer} {number}"
                query = "CALL conceptgraph.concept_upsert($name, {now_ms: 1}) YIELD * RETURN *"
                try:
                    session.run(query, name=name).consume()
                except (DriverError, Neo4jError):
                    return
                acknowledged.append(name)
                if len(acknowledged) >= ACKNOWLEDGED:
                    enough.set()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for each in writers:
        each.start()
    assert enough.wait(60)
    memgraph.kill()
    for each in writers:
        each.join()
    memgraph.start()
    with neo4j.GraphDatabase.driver(memgraph.uri) as driver:
        found = driver.execute_query("MATCH (n:Concept) RETURN collect(n.name) AS names").records
    assert set(acknowledged) - set(found[0]["names"]) == set()


def test_a_store_on_a_volume_outlives_its_container(server: Any, volume: str) -> None:
    mounted = {"volumes": [f"{volume}:/data"]}
    server(STORE, "remember", "Tom likes tea", **mounted)
    assert "Tom likes tea" in server(STORE, "recall", "What does Tom like?", **mounted)


@pytest.mark.parametrize("mode", ["ro", "rw"])
def test_a_volume_that_cannot_be_written_is_one_clear_line(
    server: Any, volume: str, mode: str
) -> None:
    # Another user owns it, if it is not read-only.
    with pytest.raises(ContainerError) as failed:
        server(STORE, "remember", "Tom likes tea", volumes=[f"{volume}:/data:{mode}"], user="12345")
    (line,) = failed.value.stderr.decode().splitlines()
    assert line.startswith("concept-graph-mcp: ")
    assert "/data" in line
