"""Build the bundle for Claude Desktop, dist/concept-graph-mcp-VERSION.mcpb: `task build/mcpb`.

A bundle is a zip of a manifest and a server: https://github.com/anthropics/mcpb/blob/main/MANIFEST.md.
Its server is of type uv: Claude Desktop brings uv, which installs the dependencies on the user's
machine. So one bundle, with the sources alone, fits every platform.
"""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from concept_graph_mcp.clients.entry import CLIENT_VARIABLE, TOOLSET
from concept_graph_mcp.hosts.lazy import connect
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.settings import read
from concept_graph_mcp.tools import toolsets
from conceptgraph_core import __version__

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
URL = "https://github.com/concept-graph/concept-graph-mcp"
# The sources of the wheel that uv builds from the bundle.
_SOURCES = ("query_modules", "server/concept_graph_mcp")
_FILES = ("pyproject.toml", "README.md", "LICENSE")
# Always the same, so that the same sources make the same bundle.
_TIME = (1980, 1, 1, 0, 0, 0)


def manifest() -> dict[str, Any]:
    """Return the manifest; its version and its tools are those of the program."""
    return {
        "manifest_version": "0.4",
        "name": "concept-graph-mcp",
        "display_name": "Memory",
        "version": __version__,
        "description": "A memory that outlives the conversation, in one file on your machine",
        "author": {"name": "the concept-graph-mcp authors", "url": URL},
        "repository": {"type": "git", "url": URL},
        "homepage": URL,
        "documentation": f"{URL}/tree/main/docs",
        "support": f"{URL}/issues",
        "icon": "icon.png",
        "license": "MIT",
        "keywords": ["memory", "agents", "graph"],
        "server": {
            "type": "uv",
            "entry_point": "server/concept_graph_mcp/__main__.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", "concept-graph-mcp", *options()],
                "env": {
                    CLIENT_VARIABLE: "claude-desktop",
                    "CONCEPT_GRAPH_USER": "${user_config.user}",
                },
            },
        },
        "tools": [{"name": tool.name, "description": tool.description} for tool in _tools()],
        "tools_generated": False,
        "prompts_generated": True,
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": ">=3.11"},
        },
        "user_config": {
            "user": {
                "type": "string",
                "title": "Whose memory",
                "description": "The user whose memories are read and written; may stay empty",
                "default": "",
                "required": False,
            }
        },
    }


def options() -> list[str]:
    """Return the options of the server: the store is that of all agents on the machine."""
    return ["--toolsets", TOOLSET]


def build(folder: Path) -> Path:
    """Write the bundle into *folder* and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    bundle = folder / f"concept-graph-mcp-{__version__}.mcpb"
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _contents():
            archive.writestr(zipfile.ZipInfo(name, _TIME), content, zipfile.ZIP_DEFLATED)
    return bundle


def _described() -> Iterator[tuple[str, bytes]]:
    yield "manifest.json", (json.dumps(manifest(), indent=2) + "\n").encode()
    yield "icon.png", (HERE / "icon.png").read_bytes()


def _contents() -> Iterator[tuple[str, bytes]]:
    yield from _described()
    for name in _FILES:
        yield name, (ROOT / name).read_bytes()
    # Licences that pyproject.toml names are in the package.
    for folder in _SOURCES:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                yield file.relative_to(ROOT).as_posix(), file.read_bytes()


def _tools() -> list[Any]:
    chosen = read({"TZ": "UTC"}, "unused.db", toolsets=TOOLSET)
    session = Session(connect(chosen), chosen.tau_ms, ZoneInfo("UTC"), Clock())
    return toolsets.tools(session, (TOOLSET,), False)


def main() -> None:
    """Build the bundle, and write beside it what its validator reads."""
    checked = ROOT / "dist/mcpb"
    checked.mkdir(parents=True, exist_ok=True)
    for name, content in _described():
        (checked / name).write_bytes(content)
    print(build(ROOT / "dist"))  # noqa: T201


if __name__ == "__main__":
    main()
