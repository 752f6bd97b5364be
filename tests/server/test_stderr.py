"""The log of a server whose stderr nobody reads, or nobody any more."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import pytest
from server_processes import StdioServer, server_environment

from concept_graph_mcp import logs


@contextmanager
def read_stderr(monkeypatch: pytest.MonkeyPatch) -> Iterator[IO[bytes]]:
    """The reading end of what is stderr meanwhile."""
    read, write = os.pipe()
    with (
        os.fdopen(read, "rb", buffering=0) as reader,
        os.fdopen(write, "w") as writer,
        monkeypatch.context() as patched,
    ):
        patched.setattr(sys, "stderr", writer)
        yield reader


@pytest.fixture
def log() -> Iterator[logging.Logger]:
    root = logging.getLogger()
    before, root.handlers = root.handlers, []
    logs.log_there()
    yield logging.getLogger("test")
    root.handlers = before


def test_what_is_logged_is_a_line_that_says_how_bad_it_is(log, monkeypatch):
    with read_stderr(monkeypatch) as pipe:
        log.warning("the store %s is gone", "apple")
        logs.say("so long")
        sys.stderr.close()
        assert pipe.read() == b"WARNING: the store apple is gone\nconcept-graph-mcp: so long\n"


def test_a_log_whose_reader_is_gone_is_silent(log, monkeypatch):
    with read_stderr(monkeypatch) as pipe:
        pipe.close()
        log.warning("nobody reads this")
        logs.say("or this")


def test_a_log_whose_reader_has_stopped_reading_is_not_waited_for(log, monkeypatch):
    with read_stderr(monkeypatch) as pipe:
        for _ in range(100):
            log.warning("%s", "x" * 10_000)
        os.set_blocking(pipe.fileno(), False)
        while pipe.read(65_536):
            pass
        log.warning("read again")
        assert pipe.read(65_536) == b"WARNING: read again\n"


@pytest.mark.slow
def test_a_server_goes_on_when_the_reader_of_its_log_is_gone(tmp_path):
    directory = tmp_path / "memory.db"
    directory.mkdir()
    with StdioServer("--embedded", str(directory)) as server:
        assert server.process.stderr is not None
        server.process.stderr.close()
        server.initialize()
        # Logged as the server starts, and answered to whoever calls.
        for _ in range(2):
            assert server.call("concept_upsert", concept="apple")["isError"]
        directory.rmdir()
        assert server.call("concept_upsert", concept="apple")["structuredContent"]["created"]
        assert server.finish() == 0


@pytest.mark.slow
def test_a_server_without_any_stderr_writes_nothing_into_its_files(tmp_path):
    path = tmp_path / "memory.db"
    path.mkdir()
    started = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-m", "concept_graph_mcp",
         "--embedded", str(path)],
        env=server_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        check=False,
    )  # fmt: skip
    assert (started.returncode, started.stdout) == (0, b"")


@pytest.mark.slow
def test_a_server_whose_settings_are_wrong_says_so_to_its_client_though_nobody_reads_its_log():
    with StdioServer(environment={"TZ": "Middle/Earth"}) as server:
        assert server.process.stderr is not None
        server.process.stderr.close()
        server.initialize()
        refused = server.call("concept_upsert", concept="apple")
        assert "Middle/Earth" in refused["content"][0]["text"]
