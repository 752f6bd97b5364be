"""List the clients, with the files that they read, and the shapes of these.

From their documentation: https://code.claude.com/docs/en/mcp and /hooks,
https://modelcontextprotocol.io/docs/develop/connect-local-servers (Claude Desktop),
https://developers.openai.com/codex/mcp and /hooks, https://cursor.com/docs/context/mcp,
https://code.visualstudio.com/docs/copilot/customization/mcp-servers,
https://docs.windsurf.com/windsurf/cascade/mcp.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import platformdirs


class Client(NamedTuple):
    """A client: its title, and the file of its servers, which are below `key`.

    `hooks` is the file of its hooks, if it has any. `further` says what to do besides.
    """

    title: str
    file: Callable[[], Path] | None
    key: str = "mcpServers"
    hooks: Callable[[], Path] | None = None
    # Added to the entry of the server.
    also: Mapping[str, str] = {}
    further: str = ""


def _claude(name: str, in_home: str) -> Path:
    """Return a file of Claude Code, whose folder may be set."""
    folder = os.environ.get("CLAUDE_CONFIG_DIR")
    return Path(folder) / name if folder else Path.home() / in_home


def _codex(name: str) -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / name


def _application(*parts: str) -> Path:
    """Return a file in the folder of an application's settings."""
    return Path(platformdirs.user_config_dir(appauthor=False, roaming=True)).joinpath(*parts)


GENERIC: Final = "generic"
CLIENTS: Final[Mapping[str, Client]] = {
    "claude-code": Client(
        "Claude Code",
        lambda: _claude(".claude.json", ".claude.json"),
        hooks=lambda: _claude("settings.json", ".claude/settings.json"),
        further="Start a new session of Claude Code.",
    ),
    "claude-desktop": Client(
        "Claude Desktop",
        lambda: _application("Claude", "claude_desktop_config.json"),
        further="Restart Claude Desktop.",
    ),
    "codex": Client(
        "Codex",
        lambda: _codex("config.toml"),
        key="mcp_servers",
        hooks=lambda: _codex("hooks.json"),
        further="Start Codex and trust the hooks with /hooks.",
    ),
    "cursor": Client("Cursor", lambda: Path.home() / ".cursor/mcp.json"),
    "vscode": Client(
        "Visual Studio Code",
        lambda: _application("Code", "User", "mcp.json"),
        key="servers",
        also={"type": "stdio"},
    ),
    "windsurf": Client("Windsurf", lambda: Path.home() / ".codeium/windsurf/mcp_config.json"),
    GENERIC: Client("any client", None),
}
