"""Say how a client starts this program: as a server of tools, and as a hook.

List the clients, with the files that they read, and the shapes of these.

From their documentation: https://code.claude.com/docs/en/mcp and /hooks,
https://modelcontextprotocol.io/docs/develop/connect-local-servers (Claude Desktop),
https://developers.openai.com/codex/mcp and /hooks, https://cursor.com/docs/context/mcp,
https://code.visualstudio.com/docs/copilot/customization/mcp-servers,
https://docs.windsurf.com/windsurf/cascade/mcp, https://geminicli.com/docs/tools/mcp-server,
https://opencode.ai/docs/mcp-servers, https://block.github.io/goose/docs/guides/config-files,
https://zed.dev/docs/ai/mcp,
https://docs.cline.bot/mcp/configuring-mcp-servers.
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import platformdirs

from .. import settings, settings_file
from ..hooks import hosts

# The name of the server in a client's file, and those that earlier versions and their pages had.
NAME: Final = "concept-memory"
FORMER: Final = ("concept-graph", "memory")
PROGRAM: Final = "concept-graph-mcp"
MODULE: Final = "concept_graph_mcp"
# A hook starts fast without Python's packages.
_QUICK: Final = (sys.executable, "-S", str(Path(__file__).parents[1] / "start.py"))
CLIENT_VARIABLE: Final = "CONCEPT_GRAPH_CLIENT"
TOOLSET: Final = "everyday"
# That of a model's own notes, for a client whose own memory is switched off.
FILES: Final = "files"
# In the entry of a client whose own memory `setup` has switched off, and switches on again.
OFF_VARIABLE: Final = "CONCEPT_GRAPH_SWITCHED_OFF"
_PASSED: Final = ("MEMGRAPH_READ_URI", "MEMGRAPH_USER")


class Entry(NamedTuple):
    """A server: its command with arguments, and its environment."""

    command: tuple[str, ...]
    env: Mapping[str, str]
    # How a hook starts, if not by the command.
    quick: tuple[str, ...] = ()
    toolsets: tuple[str, ...] = (TOOLSET,)

    def server(self) -> dict[str, Any]:
        """Return the entry in a client's list of servers."""
        program, *arguments = self.command
        notes = ["--notes"] if self.env.get(CLIENT_VARIABLE) in WITH_HOOKS else []
        called = [*arguments, *notes, "--toolsets", ",".join(self.toolsets)]
        return {"command": program, "args": called, "env": dict(self.env)}

    def hooks_env(self) -> dict[str, str]:
        """Return the variables that hooks need as well; a host gives them those of the user."""
        of_server = (CLIENT_VARIABLE, OFF_VARIABLE)
        return {name: value for name, value in self.env.items() if name not in of_server}

    def hooks(self, client: str) -> dict[str, dict[str, Any]]:
        """Return the group of each event in the hooks of *client*."""
        return {event: self._group(event, client) for event in hosts.EVENTS}

    def _group(self, event: str, client: str) -> dict[str, Any]:
        # The first prompt of a session comes before a server is connected, so no tool is called.
        called = [*(self.quick or self.command), "hook", event, "--client", client]
        line = subprocess.list2cmdline(called) if os.name == "nt" else shlex.join(called)
        # A program that is gone is for doctor to tell, not for each prompt.
        line += " || exit 0"
        handler = {"type": "command", "command": line, "timeout": hosts.EVENTS[event]}
        return {"hooks": [handler]}


def make_entry(
    client: str,
    environment: Mapping[str, str] = os.environ,
    *,
    has_files: bool = False,
    switches_off: bool = False,
) -> Entry:
    """Return the entry of *client*, which names no store: the settings file does.

    With *has_files* its model gets files of its own, and with *switches_off* the client's own
    memory is off.

    It has the variables that no settings file has, and that of the file if it is not the usual one.
    No password is written. Raises SettingsError for a URI that holds one.
    """
    given = settings.given(environment)
    filed = {*settings.STORE_VARIABLES, *settings_file.VARIABLES.values()}
    apart = {
        *filed,
        settings_file.VARIABLE,
        "CONCEPT_GRAPH_TOOLSETS",
        CLIENT_VARIABLE,
        OFF_VARIABLE,
    }
    passed = {
        name: value
        for name, value in given.items()
        if name in _PASSED or (name.startswith("CONCEPT_GRAPH_") and name not in apart)
    }
    for uri in passed.get("MEMGRAPH_READ_URI", "").split(","):
        settings.uri_of(uri.strip() or settings.DEFAULT_URI, "MEMGRAPH_READ_URI")
    env = {**passed, **settings_file.name_unusual(), CLIENT_VARIABLE: client}
    env |= {OFF_VARIABLE: "1"} if switches_off else {}
    return Entry(_command(), env, _QUICK, (TOOLSET, FILES) if has_files else (TOOLSET,))


def find_ours(servers: Mapping[str, Any]) -> list[str]:
    """Return the names, ours and those of earlier versions, of servers that are this program."""
    return [name for name in (NAME, *FORMER) if is_ours(servers.get(name))]


def is_ours(server: object) -> bool:
    """Return whether *server*, an entry in a client's list, starts this program."""
    if not isinstance(server, Mapping):
        return False
    arguments = server.get("args")
    called = [*_list_command(server), *(arguments if isinstance(arguments, list) else ())]
    return any(_is_program(one) for one in called)


def _list_command(server: Mapping[str, Any]) -> list[Any]:
    """Return the command of *server*.

    opencode has it with its arguments in one list, and goose calls it `cmd`.
    """
    command = server.get("command", server.get("cmd"))
    return command if isinstance(command, list) else [command]


def find_program(server: Mapping[str, Any]) -> str:
    """Return the program that *server*, an entry of ours, starts."""
    return str(next(iter(_list_command(server)), ""))


def is_our_group(group: object) -> bool:
    """Return whether all handlers of *group*, an item of a client's hooks, start this program."""
    handlers = group.get("hooks") if isinstance(group, Mapping) else None
    if not isinstance(handlers, list) or not handlers:
        return False
    return all(isinstance(one, Mapping) and _is_our_handler(one) for one in handlers)


def _is_our_handler(handler: Mapping[str, Any]) -> bool:
    if handler.get("type") == "mcp_tool":
        return handler.get("server") in (NAME, *FORMER) and handler.get("tool") == hosts.TOOL
    line = handler.get("command")
    return isinstance(line, str) and " hook " in line and (PROGRAM in line or MODULE in line)


def _is_program(called: object) -> bool:
    return isinstance(called, str) and (called == MODULE or Path(called).stem == PROGRAM)


def _command() -> tuple[str, ...]:
    """Return the command that this process was started by."""
    started = Path(sys.argv[0])
    if started.stem == PROGRAM and started.exists():
        return (str(started.absolute()),)
    return (sys.executable, "-m", MODULE)


class OwnMemory(NamedTuple):
    """The memory that a client keeps itself: its folder, and what switches it off.

    That is the value `off` of `key` in the settings `file`. The one called `listing` only lists the
    others.
    """

    folder: Callable[[], Path]
    pattern: str
    file: Callable[[], Path]
    key: tuple[str, ...]
    off: bool
    listing: str = ""

    def list_files(self) -> list[Path]:
        """Return what it holds."""
        return sorted(one for one in self.folder().glob(self.pattern) if one.name != self.listing)


class Client(NamedTuple):
    """A client: its title, and the file of its servers, which are below `key`.

    `hooks` is the file of its hooks, if it has any. `further` says what to do besides.
    """

    title: str
    file: Callable[[], Path] | None
    key: str = "mcpServers"
    hooks: Callable[[], Path] | None = None
    # Whether its servers are started in the folder in which it works.
    is_in_project: bool = False
    # A tool that needs no permission, in its list of these beside the hooks.
    rule: str = ""
    # A file of ours that says the same, for a client that keeps such rules apart.
    policy: Callable[[], Path] | None = None
    own_memory: OwnMemory | None = None
    # Added to the entry of the server.
    also: Mapping[str, str] = {}
    further: str = ""
    # The name of its program on the PATH, if it is one.
    program: str = ""
    # Returns the entry of a server in the client's own form.
    form: Callable[[dict[str, Any]], dict[str, Any]] = dict

    def is_on_machine(self) -> bool:
        """Return whether the client, or its folder of settings, is on this machine."""
        if self.program and shutil.which(self.program):
            return True
        place = self.hooks or self.file
        return place is not None and place().parent.is_dir() and place().parent != Path.home()


def _claude(name: str, in_home: str) -> Path:
    """Return a file of Claude Code, whose folder may be set."""
    folder = os.environ.get("CLAUDE_CONFIG_DIR")
    return Path(folder) / name if folder else Path.home() / in_home


def _codex(name: str) -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / name


def _find_config(name: str) -> Path:
    """Return a file of a program that keeps its settings in ~/.config on every Unix."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / name


def _find_goose() -> Path:
    if os.name == "nt":
        folder = platformdirs.user_config_dir("goose", "Block", roaming=True)
        return Path(folder, "config/config.yaml")
    return _find_config("goose/config.yaml")


def _application(*parts: str) -> Path:
    """Return a file in the folder of an application's settings."""
    return Path(platformdirs.user_config_dir(appauthor=False, roaming=True)).joinpath(*parts)


# The tools that only read: to ask before each would stop every answer.
READING: Final = ("recall", "search", "about")
_READS: Final = f"It does not ask before it reads the memory ({', '.join(READING)})."
GENERIC: Final = "generic"
CLIENTS: Final[Mapping[str, Client]] = {
    "claude-code": Client(
        "Claude Code",
        lambda: _claude(".claude.json", ".claude.json"),
        hooks=lambda: _claude("settings.json", ".claude/settings.json"),
        is_in_project=True,
        rule=f"mcp__{NAME}__{{}}",
        own_memory=OwnMemory(
            lambda: _claude("projects", ".claude/projects"),
            "*/memory/*.md",
            lambda: _claude("settings.json", ".claude/settings.json"),
            ("autoMemoryEnabled",),
            off=False,
            listing="MEMORY.md",
        ),
        further=f"Start a new session of Claude Code. {_READS} What it notes in its own memory"
        " comes along at each session's end; setup claude-code --own-memory off switches that"
        " memory off.",
        program="claude",
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
        is_in_project=True,
        form=lambda server: {
            **server,
            "tools": {name: {"approval_mode": "approve"} for name in READING},
        },
        own_memory=OwnMemory(
            lambda: _codex("memories"),
            "**/*.md",
            lambda: _codex("config.toml"),
            ("memories", "disable_on_external_context"),
            off=True,
        ),
        further=f"Start Codex and trust the hooks with /hooks. {_READS}",
        program="codex",
    ),
    "cursor": Client("Cursor", lambda: Path.home() / ".cursor/mcp.json"),
    "vscode": Client(
        "Visual Studio Code",
        lambda: _application("Code", "User", "mcp.json"),
        key="servers",
        also={"type": "stdio"},
    ),
    "windsurf": Client("Windsurf", lambda: Path.home() / ".codeium/windsurf/mcp_config.json"),
    "gemini-cli": Client(
        "Gemini CLI",
        lambda: Path.home() / ".gemini/settings.json",
        is_in_project=True,
        policy=lambda: Path.home() / f".gemini/policies/{NAME}.toml",
        further=f"Gemini CLI starts it only in folders that you trust. {_READS}",
        program="gemini",
    ),
    "opencode": Client(
        "opencode",
        lambda: _find_config("opencode/opencode.json"),
        key="mcp",
        form=lambda server: {
            "type": "local",
            "command": [server["command"], *server["args"]],
            "environment": server["env"],
        },
        is_in_project=True,
        program="opencode",
    ),
    "goose": Client(
        "goose",
        _find_goose,
        key="extensions",
        form=lambda server: {
            "enabled": True,
            "type": "stdio",
            "name": NAME,
            "description": "A long-term memory",
            "cmd": server["command"],
            "args": server["args"],
            "envs": server["env"],
            "timeout": 300,
        },
        is_in_project=True,
        program="goose",
    ),
    "zed": Client("Zed", lambda: _find_config("zed/settings.json"), key="context_servers"),
    "cline": Client(
        "Cline",
        lambda: _application(
            *("Code", "User", "globalStorage", "saoudrizwan.claude-dev", "settings"),
            "cline_mcp_settings.json",
        ),
    ),
    GENERIC: Client("any client", None),
}
WITH_HOOKS: Final = tuple(name for name, one in CLIENTS.items() if one.hooks is not None)
