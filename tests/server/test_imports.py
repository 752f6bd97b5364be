"""What a command imports: nothing of what only others need, for imports are most of its time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
    print(*{name.partition(".")[0] for name in sys.modules}, file=names)
sys.exit(status)
"""


def imported(tmp_path: Path, *arguments: str) -> set[str]:
    """Run a command and return the top-level names of all that it has imported."""
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


@pytest.mark.parametrize(
    "command",
    ["--help", "demo --help", "backfill --help", "view --help", "--version", "install-modules ."],
)
def test_what_needs_no_store_imports_none(tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not imported(tmp_path, *command.split()) & {*SLOW, "mgp"}


@pytest.mark.parametrize(
    "command",
    ["stats", "recall apple", "search", "check", "doctor", "export -", "backup", "remove a --yes"],
)
def test_a_command_on_a_file_imports_neither_a_driver_nor_mcp(tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = imported(tmp_path, f"--embedded={tmp_path / 'memory.db'}", *command.split())
    assert "mgp" in found
    assert not found & SLOW


def test_the_dry_run_of_a_backfill_imports_no_mcp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = '{"role":"user","text":"hello","created_at":1750000000000,"thread":"t","user_id":"u"}'
    (tmp_path / "messages.jsonl").write_text(said + "\n")
    command = "backfill --user-id u --days-per-chunk 1 --dry-run messages.jsonl"
    assert not imported(tmp_path, *command.split()) & {*SLOW, "mgp"}


def test_a_command_on_memgraph_imports_neither_mcp_nor_the_embedded_host(tmp_path):
    found = imported(tmp_path, "stats")
    assert "neo4j" in found
    assert not found & {"mcp", "mgp", "pydantic", "starlette"}
