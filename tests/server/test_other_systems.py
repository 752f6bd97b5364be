"""Import the package as on Windows, which lacks some modules and names of Unix."""

import subprocess
import sys

import pytest

PROGRAM = """
import importlib, os, pkgutil, signal, socket, sys
import concept_graph_mcp

OURS = ("concept_graph_mcp", "conceptgraph_core")


def import_all():
    refused = []
    for one in pkgutil.walk_packages(concept_graph_mcp.__path__, "concept_graph_mcp."):
        try:
            if not one.name.endswith("__main__"):
                importlib.import_module(one.name)
        except ImportError as error:
            # A drop-in whose framework is not installed says which extra has it.
            if "its extra" not in str(error):
                refused.append(f"{one.name}: {error}")
    return refused


# Other packages import theirs, which are loaded now.
assert import_all() == []
for name in [one for one in sys.modules if one.partition(".")[0] in OURS]:
    del sys.modules[name]
for name in ("fcntl", "grp", "pwd", "resource", "syslog", "termios"):
    sys.modules[name] = None
for module, names in (
    (os, ("fork", "getuid", "geteuid", "chown", "killpg")),
    (signal, ("SIGHUP", "SIGKILL", "SIGUSR1", "SIGPIPE")),
    (socket, ("AF_UNIX",)),
):
    for name in names:
        delattr(module, name)
sys.platform = "win32"
concept_graph_mcp = importlib.import_module("concept_graph_mcp")
print(*import_all(), sep="\\n")
"""


@pytest.mark.slow
def test_no_module_needs_what_windows_lacks_to_be_imported():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert (done.stdout.strip(), done.returncode) == ("", 0), done.stderr
