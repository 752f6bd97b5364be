"""The bundle for Claude Desktop holds what its manifest names, and starts as the program does."""

import json
import zipfile

import pytest
from server.mcpb import build
from tests.server.command_line import ok

from conceptgraph_core import __version__


@pytest.mark.slow
def test_the_bundle_holds_what_its_manifest_names(tmp_path):
    first = build.build(tmp_path / "a")
    with zipfile.ZipFile(first) as bundle:
        names = set(bundle.namelist())
        manifest = json.loads(bundle.read("manifest.json"))
    assert {manifest["icon"], manifest["server"]["entry_point"], "pyproject.toml"} <= names
    assert "query_modules/everyday.py" in names
    assert not any("__pycache__" in name or name.startswith("tests/") for name in names)
    assert manifest["version"] == __version__
    assert [tool["name"] for tool in manifest["tools"]][:2] == ["recall", "remember"]
    assert build.build(tmp_path / "b").read_bytes() == first.read_bytes()


def test_the_program_takes_the_options_of_the_manifest():
    assert build.options() == ["--toolsets", "everyday"]
    ok(*build.options(), "--help")
