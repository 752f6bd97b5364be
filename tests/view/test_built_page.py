"""The page that is served is what its sources give."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.markdown import ROOT

from concept_graph_mcp.view.serving import STATIC

SOURCES = ROOT / "server/page"


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_the_page_that_is_checked_in_is_what_its_sources_give(tmp_path):
    if shutil.which("node") is None or not (SOURCES / "node_modules" / "esbuild").exists():
        pytest.skip("needs Node.js, and `npm ci --ignore-scripts` in server/page/")
    subprocess.run(["node", SOURCES / "build.mjs", tmp_path], check=True, timeout=60)
    made, kept = files(tmp_path), files(STATIC)
    assert made.keys() == kept.keys()
    assert [name for name in made if made[name] != kept[name]] == [], "run: npm run build"


def test_all_that_is_bundled_comes_with_its_licence():
    """No licence's text is missing, and none lays down more than to be named."""
    text = (STATIC / "LICENSES.txt").read_text(encoding="utf-8")
    parts = text.split("\n## ")[1:]
    assert len(parts) > 20
    for part in parts:
        head, _, licence = part.partition("\n")
        assert head.endswith(("(MIT)", "(ISC)", "(BSD-3-Clause)", "(Apache-2.0)")), head
        assert "copyright" in licence.lower(), head
