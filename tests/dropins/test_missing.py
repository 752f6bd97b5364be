"""A drop-in whose package is not installed says which extra to install."""

import subprocess
import sys
import tomllib

import pytest
from tests.markdown import ROOT

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
PACKAGES = {
    "anthropic": "anthropic",
    "langgraph": "langgraph",
}


@pytest.mark.parametrize("name", PACKAGES)
def test_a_missing_extra_is_named_in_one_line(name):
    assert name in EXTRAS
    told = f"import sys; sys.modules[{PACKAGES[name]!r}] = None\n"
    told += f"import concept_graph_mcp.dropins.{name}"
    ended = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, check=False
    )
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert f"install concept-graph-mcp with its extra {name}" in last
    assert "During handling" not in ended.stderr
