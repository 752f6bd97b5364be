"""The project's Memgraph image, built and run for the tests where a Docker engine answers."""

import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docker.errors import DockerException
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


@contextmanager
def memgraph() -> Iterator[str]:
    """Build docker/Dockerfile, run it and give the URI at which it answers with our modules."""
    with DockerImage(ROOT, dockerfile_path="docker/Dockerfile") as image:
        container = DockerContainer(str(image))
        # with_exposed_ports would publish on every interface a database that asks nobody's name.
        container.ports[str(BOLT)] = (LOOPBACK,)
        with container:
            uri = f"bolt://{LOOPBACK}:{container.get_exposed_port(BOLT)}"
            wait_for_modules(uri)
            yield uri


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
