"""A Memgraph of a test's own, that can be killed and started again on the same data."""

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import neo4j
from neo4j.exceptions import DriverError, Neo4jError
from tenacity import (
    retry,
    retry_if_exception_message,
    retry_if_exception_type,
    stop_after_delay,
    wait_fixed,
)
from tests.server.command_line import ok

# Called with a port, a directory for data and one with query modules; stays in the foreground.
VARIABLE = "MEMGRAPH_TEST_SERVER"
# A loaded machine may take so long for what follows a start, a loss or a write.
_PATIENCE_S = 120.0
# Memgraph refuses to register or to drop a replica while another reads who its replicas are, as
# whoever asks SHOW REPLICAS does. Nothing has changed then.
_REPLICATION_IS_BUSY = r".*(Couldn't register replica \w+\. Error: 6\b|lack of unique access)"


class MemgraphProcess:
    """A server with our modules and with its data in *directory*; *flags* are its own.

    At another *host* of the loopback it is as on another machine. *modules* are loaded beside ours.
    """

    def __init__(
        self,
        directory: Path,
        *flags: str,
        host: str = "127.0.0.1",
        modules: Sequence[Path] = (),
    ) -> None:
        self.host = host
        self._data, self._modules = directory / "data", directory / "modules"
        self._output = directory / "output"
        self._flags = (*flags, f"--bolt-address={host}")
        self._modules.mkdir(parents=True)
        ok("install-modules", str(self._modules))
        for module in modules:
            shutil.copy(module, self._modules)
        self.port = free_port()
        self.start()

    @property
    def uri(self) -> str:
        return f"bolt://{self.host}:{self.port}"

    @property
    def name(self) -> str:
        """Return its name as a replica."""
        return f"replica_{self.port}"

    def start(self) -> None:
        """Start it on the data that it has. Raises AssertionError if it ends."""
        command = [os.environ[VARIABLE], str(self.port), str(self._data), str(self._modules)]
        with self._output.open("ab") as output:
            self._process = subprocess.Popen([*command, *self._flags], stdout=output, stderr=output)
        self._answer()

    @retry(
        retry=retry_if_exception_type((DriverError, Neo4jError, OSError)),
        wait=wait_fixed(0.1),
        stop=stop_after_delay(_PATIENCE_S),
        reraise=True,
    )
    def _answer(self) -> None:
        assert self._process.poll() is None, f"it ended with {self._process.returncode}"
        self.rows("RETURN 1 AS one")

    def rows(self, *statements: str) -> list[dict[str, Any]]:
        """Run statements, each by itself; return the rows of the last."""
        rows: list[dict[str, Any]] = []
        with neo4j.GraphDatabase.driver(self.uri, notifications_min_severity="OFF") as driver:
            for statement in statements:
                rows = _run(driver, statement)
        return rows

    def register(self, replica: "MemgraphProcess", mode: str = "SYNC") -> None:
        """Make *replica* a replica of this server, in *mode*."""
        port = free_port()
        replica.rows(f"SET REPLICATION ROLE TO REPLICA WITH PORT {port}")
        self.rows(f'REGISTER REPLICA {replica.name} {mode} TO "{replica.host}:{port}"')

    def signal(self, number: int) -> None:
        """Send the server a signal: SIGSTOP lets it hang, SIGCONT lets it go on."""
        self._process.send_signal(number)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def empty(self) -> None:
        """Remove the data of a server that does not run."""
        shutil.rmtree(self._data)

    def restart(self) -> None:
        """Start it again if it does not run."""
        if self._process.poll() is not None:
            self.start()

    @retry(
        retry=retry_if_exception_type(AssertionError),
        wait=wait_fixed(0.1),
        stop=stop_after_delay(_PATIENCE_S),
        reraise=True,
    )
    def await_replicas(self) -> None:
        """Wait until each replica of this server has all that was written."""
        for row in self.rows("SHOW REPLICAS"):
            info = row["data_info"]["memgraph"]
            assert (info["status"], info["behind"]) == ("ready", 0), row


@contextmanager
def run_memgraph(directory: Path, *modules: Path) -> Iterator[str]:
    """Run a server for many tests; give its URI. Its data go with it."""
    server = MemgraphProcess(directory, modules=modules)
    try:
        yield server.uri
    finally:
        server.kill()
        server.empty()


@retry(
    retry=retry_if_exception_message(match=_REPLICATION_IS_BUSY),
    wait=wait_fixed(0.1),
    stop=stop_after_delay(_PATIENCE_S),
    reraise=True,
)
def _run(driver: neo4j.Driver, statement: str) -> list[dict[str, Any]]:
    with driver.session() as session:
        return [dict(record) for record in session.run(statement)]


@retry(
    retry=retry_if_exception_type(AssertionError),
    wait=wait_fixed(0.1),
    stop=stop_after_delay(_PATIENCE_S),
    reraise=True,
)
def eventually(check: Callable[[], bool]) -> None:
    """Wait until *check* holds; what goes on behind the answers takes a moment."""
    assert check()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
