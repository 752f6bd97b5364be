"""Stores that several threads of one process open at once, which loads the query modules."""

import subprocess
import sys
from pathlib import Path

import pytest

OPENING = """
import sys, threading
from pathlib import Path
from concept_graph_mcp.hosts.sqlite.procedure_host import Host

together, failures = threading.Barrier(12), []

def open_one(number):
    together.wait()
    try:
        host = Host(Path(sys.argv[1]) / f"{number}.db")
        for module in ("conceptgraph", "memorygraph", "entitygraph"):
            host.call(f"{module}.stats", [{}])
        host.close()
    except Exception as error:
        failures.append(f"{type(error).__name__}: {error}")

threads = [threading.Thread(target=open_one, args=(number,)) for number in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(*failures, sep="\\n")
"""


@pytest.mark.slow
def test_stores_that_are_opened_at_once_in_a_new_process_all_have_every_procedure(tmp_path: Path):
    # Only in a new process is nothing loaded yet.
    command = [sys.executable, "-c", OPENING, str(tmp_path)]
    opened = subprocess.run(command, check=False, capture_output=True, text=True, timeout=100)
    assert (opened.stdout.strip(), opened.returncode) == ("", 0), opened.stderr
    assert len(list(tmp_path.glob("*.db"))) == 12
