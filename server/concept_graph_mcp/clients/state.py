"""Report which clients are configured, and when each called last, for `doctor`."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ..hooks import journal
from . import changes, jsonc
from .changes import ChangeError
from .known import CLIENTS, Client

PLUGIN = "memory@concept-graph"


class State(NamedTuple):
    """The state of a client as one line; `wrong` if it cannot work so."""

    client: str
    state: str
    wrong: bool = False


def states() -> Iterator[State]:
    """Iterate over the clients that are configured or have called."""
    called: dict[str, list[journal.Last]] = {}
    for one in journal.list_last_results():
        called.setdefault(one.client, []).append(one)
    for name, client in CLIENTS.items():
        try:
            said, wrong = _describe_entry(client)
        except (ChangeError, OSError) as error:
            # The file of a client that may not be ours at all.
            said, wrong = str(error), False
        calls = [_said(one) for one in called.pop(name, [])]
        if said or calls:
            state = "; ".join([said or "not configured", *(calls or ["has not called yet"])])
            yield State(name, state, wrong)
    for name, others in called.items():
        yield State(name, "; ".join(map(_said, others)))


def _describe_entry(client: Client) -> tuple[str, bool]:
    server, has_plugin = changes.read_our_entry(client), _has_plugin(client)
    parts = []
    if server is not None:
        program = str(server.get("command"))
        if not Path(program).exists():
            return f"configured, but {program} does not exist; run setup again", True
        parts.append("configured")
        if client.hooks is not None:
            parts.append("with hooks" if changes.has_hooks(client) else "without hooks")
    if has_plugin and server is not None:
        return "configured, and the plugin is installed too; setup --remove takes one away", True
    return " ".join(parts) or ("the plugin is installed" if has_plugin else ""), False


def _has_plugin(client: Client) -> bool:
    """Return whether our plugin is enabled in the settings of *client*."""
    found: Any = None
    with suppress(OSError, ValueError):
        if client.key == "mcp_servers" and client.file is not None:
            import tomllib

            settings = tomllib.loads(client.file().read_text(encoding="utf-8"))
            found = settings.get("plugins", {}).get(PLUGIN, {}).get("enabled", True)
            return PLUGIN in settings.get("plugins", {}) and found is True
        if client.hooks is not None:
            loaded = jsonc.loads(client.hooks().read_text(encoding="utf-8"))
            enabled = loaded.get("enabledPlugins") if isinstance(loaded, Mapping) else None
            found = enabled.get(PLUGIN) if isinstance(enabled, Mapping) else None
    return found is True


def _said(one: journal.Last) -> str:
    moment = datetime.fromtimestamp(one.at / 1_000, UTC).astimezone()
    return f"{one.event} {moment:%Y-%m-%d %H:%M}: {one.result}"
