"""The project's Memgraph image, built and run for the tests where a Docker engine answers."""

import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml
from docker.errors import APIError, DockerException
from neo4j import GraphDatabase
from neo4j.exceptions import DriverError, ServiceUnavailable
from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_fixed
from testcontainers.core.container import DockerContainer
from testcontainers.core.docker_client import DockerClient
from testcontainers.core.image import DockerImage

ROOT = Path(__file__).resolve().parents[1]
BOLT = 7687
LOOPBACK = "127.0.0.1"


def missing_engine() -> str | None:
    """Return why no Docker engine can be used, or None if one answers."""
    with warnings.catch_warnings():
        # Without an engine docker leaves the socket that it tried open.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            client = DockerClient().client
        except DockerException as error:
            reason = str(error)
        else:
            try:
                client.ping()
                return None
            except DockerException as error:
                reason = str(error)
            finally:
                client.close()
        gc.collect()
    return reason


def confinement(service: str) -> dict[str, Any]:
    """Return what compose.yaml forbids the containers of *service*, for docker-py."""
    found = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"][service]
    given = {name: found[name] for name in ("read_only", "cap_drop", "security_opt")}
    return given | {"tmpfs": dict(mount.partition(":")[::2] for mount in found["tmpfs"])}


@contextmanager
def image(dockerfile: str) -> Iterator[DockerImage]:
    """Build an image, and remove it unless a container of other tests still runs it."""
    built = DockerImage(ROOT, dockerfile_path=dockerfile, clean_up=False).build()
    try:
        yield built
    finally:
        with suppress(APIError):
            built.get_docker_client().client.images.remove(str(built), force=True)


@contextmanager
def memgraph() -> Iterator["Memgraph"]:
    """Build docker/Dockerfile and run it as compose.yaml does."""
    with image("docker/Dockerfile") as built:
        given = confinement("memgraph")
        container = DockerContainer(str(built))
        container.tmpfs = given.pop("tmpfs")
        # with_exposed_ports would publish on every interface a database that asks nobody's name.
        container.ports[str(BOLT)] = (LOOPBACK,)
        with container.with_kwargs(**given):
            started = Memgraph(container)
            started.wait()
            yield started


class Memgraph:
    """A running container of the project's Memgraph image."""

    def __init__(self, container: DockerContainer) -> None:
        self._container = container

    @property
    def uri(self) -> str:
        """Where it answers; another port after each start."""
        return f"bolt://{LOOPBACK}:{self._container.get_exposed_port(BOLT)}"

    def wait(self) -> None:
        """Wait until it answers with our modules."""
        wait_for_modules(self.uri)

    def kill(self) -> None:
        self._container.get_wrapped_container().kill()

    def start(self) -> None:
        """Start it again on the data that it has."""
        self._container.get_wrapped_container().start()
        self.wait()

    def run(self, *command: str) -> tuple[int, str]:
        """Run *command* in it; return its exit code and output."""
        code, output = self._container.exec(list(command))
        return code, output.decode()


# Refused or cut off while the server starts; an error of the database itself is not retried.
@retry(
    retry=retry_if_exception_type((ServiceUnavailable, DriverError, OSError)),
    wait=wait_fixed(0.2),
    stop=stop_after_delay(60),
    reraise=True,
)
def wait_for_modules(uri: str) -> None:
    with GraphDatabase.driver(uri) as driver, driver.session() as session:
        session.run("CALL conceptgraph.version() YIELD version RETURN version").consume()
