"""What a command or a server imports: nothing that only others need, for it is most of a start."""

import gc
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zoneinfo import ZoneInfo

import anyio
import pytest
from mcp.client.client import Client

from concept_graph_mcp import serving
from concept_graph_mcp.hosts import memgraph as driver
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock, Session

# A second for the first, half a second for the second, and so on.
SLOW = {"mcp", "neo4j", "pydantic", "openai", "uvicorn", "starlette", "selenium", "tenacity"}
PROGRAM = """
import sys
from concept_graph_mcp.__main__ import run
try:
    run(sys.argv[2:])
except SystemExit as end:
    status = end.code
with open(sys.argv[1], "w") as names:
    print(*sys.modules, file=names)
sys.exit(status)
"""


def imported(tmp_path: Path, *arguments: str) -> set[str]:
    """Run a command and return the top-level names of all that it has imported."""
    return {name.partition(".")[0] for name in modules(tmp_path, *arguments)}


def modules(tmp_path: Path, *arguments: str) -> set[str]:
    """Run a command, or a server whose client leaves at once; return all that it has imported."""
    names = tmp_path / "names"
    kept = ("MEMGRAPH_", "CONCEPT_GRAPH_", "TZ")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(kept)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(names), *arguments],
        # No database is met by accident: nothing listens on port 1.
        env=environment | {"TZ": "UTC", "MEMGRAPH_URI": "bolt://127.0.0.1:1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return set(names.read_text().split())


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    ["--help", "demo --help", "backfill --help", "view --help", "--version", "install-modules ."],
)
def test_what_needs_no_store_imports_none(tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not imported(tmp_path, *command.split()) & {*SLOW, "mgp"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        "stats",
        "recall apple",
        "search a",
        "check",
        "doctor",
        "export -",
        "backup",
        "concept remove a --yes",
    ],
)
def test_a_command_on_a_file_imports_neither_a_driver_nor_mcp(tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = imported(tmp_path, f"--embedded={tmp_path / 'memory.db'}", *command.split())
    assert "mgp" in found
    assert not found & SLOW


@pytest.mark.slow
def test_an_ingest_imports_nothing_for_a_terminal(tmp_path):
    (tmp_path / "messages.jsonl").write_text(
        '{"text": "Two kettles", "thread": "t", "time_ms": 1750000000000, "speaker": "Ann"}\n'
    )
    there = f"--embedded={tmp_path / 'memory.db'}"
    found = modules(tmp_path, there, "ingest", str(tmp_path / "messages.jsonl"))
    assert "snowballstemmer" in found
    assert not {"rich", "concept_graph_mcp.file_formats.server_memory"} & found


@pytest.mark.slow
def test_a_command_on_memgraph_imports_neither_mcp_nor_the_embedded_host(tmp_path):
    found = imported(tmp_path, "stats")
    assert "neo4j" in found
    assert not found & {"mcp", "mgp", "pydantic", "starlette", "numpy"}


def test_what_the_driver_is_not_to_find_is_found_by_other_threads():
    hiding = driver._Hiding()
    with pytest.raises(ModuleNotFoundError):
        hiding.find_spec("numpy", None)
    assert hiding.find_spec("json", None) is None
    with ThreadPoolExecutor() as pool:
        assert pool.submit(hiding.find_spec, "numpy", None).result() is None
    assert not any(isinstance(finder, driver._Hiding) for finder in sys.meta_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("toolset", "own", "others"),
    [
        ("concept", {"concepts"}, {"memories", "entities"}),
        ("memory", {"memories"}, {"entities"}),
        ("entity", {"entities"}, {"memories"}),
    ],
)
def test_a_server_imports_the_tools_that_it_offers_and_no_others(tmp_path, toolset, own, others):
    found = modules(tmp_path, f"--embedded={tmp_path / 'memory.db'}", f"--toolsets={toolset}")
    tools = "concept_graph_mcp.tools."
    assert {tools + name for name in own} <= found
    assert not {tools + name for name in others} & found
    assert not {f"concept_graph_mcp.{name}" for name in ("file_formats", "embedding.base")} & found


def test_a_server_that_has_started_looks_for_what_can_be_let_go(monkeypatch, tmp_path):
    monkeypatch.setattr(serving, "_STARTED_AFTER_S", 0)

    async def serve() -> bool:
        store = EmbeddedStore(tmp_path / "memory.db")
        session = Session(store, 86_400_000, ZoneInfo("UTC"), Clock())
        async with Client(serving.build(session, watch_store=True)) as client:
            await client.call_tool("concept_upsert", {"concept": "apple"})
            return gc.isenabled()

    gc.disable()
    try:
        assert anyio.run(serve)
    finally:
        gc.enable()


def test_the_calls_import_nothing_of_memgraph():
    # The embedded host must come before `mgp`, whose own stub would take its place.
    program = (
        "import sys\nfrom concept_graph_mcp import calls\ncalls.ALL\nsys.exit('mgp' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
