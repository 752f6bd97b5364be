"""Work out what to write into the files of a client, or to take back, as whole texts.

Report which clients are configured, and when each called last, for `doctor`.
"""

import json
import os
import shlex
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from .. import settings, settings_file, user_files
from ..hooks import hosts, journal, options
from . import jsonc
from .entry import (
    CLIENTS,
    FILES,
    NAME,
    OFF_VARIABLE,
    READING,
    Client,
    Entry,
    OwnMemory,
    find_ours,
    find_program,
    is_our_group,
    is_ours,
)

# Behind the name of a file: the copy of it as it was before.
COPY = ".before-concept-graph"


class ChangeError(Exception):
    """A file cannot be changed; the message is one line and says why."""


class Change(NamedTuple):
    """A file, its text (None: there is no file), and what it shall be (None: no file)."""

    file: Path
    before: str | None
    after: str | None

    def write(self) -> None:
        """Write it whole or not at all; keep a copy of what was there. Raises ChangeError, OSError.

        The copy is that of the first change. Taken back, what is equal to it becomes it again.
        """
        # A program with its settings in another folder links to them.
        file = self.file.resolve()
        if _text(file) != self.before:
            raise ChangeError(f"{self.file}: was changed meanwhile; try again")
        copy = _copy(file)
        if self.after is None:
            file.unlink(missing_ok=True)
            # The first write may have made the folder.
            with suppress(OSError):
                file.parent.rmdir()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            written = file.with_name(f"{file.name}.new-{os.getpid()}")
            with open(written, "w", encoding="utf-8", newline="", opener=_private) as stream:
                stream.write(self.after)
            if self.before is not None:
                shutil.copymode(file, written)
                if not copy.exists():
                    shutil.copy2(file, copy)
            written.replace(file)
        if self.after is None or (copy.exists() and _text(copy) == self.after):
            copy.unlink(missing_ok=True)


def plan_changes(
    client: Client, name: str, entry: Entry | None, file: Path | None = None
) -> list[Change]:
    """Return the changes that give *client* the *entry*, or that take ours back if it is None.

    *file* takes the place of the client's list of servers. Raises ChangeError.
    """
    found = []
    place = file or (client.file() if client.file is not None else None)
    own, is_off = client.own_memory, None if file is not None else _wants_off(client, entry)
    if place is not None:
        edit = _of_toml if place.suffix == ".toml" else partial(_of_text, _find_form(place))
        found.append(_change(place, _switch_too(place, edit, own, is_off), client, entry))
    if client.policy is not None and file is None:
        found.append(_change(client.policy(), _of_policy, client, entry))
    if client.hooks is not None and file is None:
        groups, place = {} if entry is None else entry.hooks(name), client.hooks()
        found.append(_change(place, _switch_too(place, _of_hooks, own, is_off), client, groups))
        found.append(_change(_options_file(), _of_options, client, entry))
    return [one for one in found if one.before != one.after]


def plan_settings(
    embedded: str | None, environment: Mapping[str, str] = os.environ, *, names_usual: bool
) -> list[Change]:
    """Return the change that makes the settings file say what an option and variables say now.

    *embedded* is the option. Settings that neither names stay, and a new file names the store;
    without *names_usual* none is written if all is as usual. Raises SettingsError.
    """
    file, given = settings_file.find_file(), settings.given(environment)
    before, filed = _text(file), settings_file.read_file(file)
    values: dict[str, str | None] = {
        name: given[variable]
        for name, variable in settings_file.VARIABLES.items()
        if variable in given and (name != "time_zone" or given[variable] != settings.machine_zone())
    }
    for name in ("MEMGRAPH_URI", "MEMGRAPH_URL"):
        settings.uri_of(given.get(name, settings.DEFAULT_URI), name)
    is_named = embedded is not None or any(one in given for one in settings.STORE_VARIABLES)
    chosen = settings.read(given, embedded, "everyday")
    store = chosen.uri if chosen.embedded is None else str(chosen.embedded.absolute())
    if chosen.per_user is not None:
        store = f"{chosen.per_user.absolute()}{user_files.MARK}"
    if is_named or (filed is None and (names_usual or values or settings_file.name_unusual())):
        values["store"] = store
    after = settings_file.edit_text(before or "", values, file)
    return [Change(file, before, after)] if values and after != before else []


def read_our_entry(client: Client) -> Mapping[str, Any] | None:
    """Return our entry in the file of *client*, or None. Raises ChangeError."""
    file = client.file() if client.file is not None else None
    text = None if file is None else _text(file)
    if file is None or text is None:
        return None
    servers = _parse_file(file, text).get(client.key)
    names = find_ours(servers) if isinstance(servers, Mapping) else []
    return servers[names[0]] if names else None


class OwnState(NamedTuple):
    """The choice that `setup` has carried out on a client's own memory."""

    has_files: bool = False
    is_switched: bool = False


def read_own_state(client: Client) -> OwnState:
    """Return whether *client* has files of ours, and its own memory is off. Raises ChangeError."""
    entry = read_our_entry(client) or {}
    called, env = entry.get("args"), entry.get("env")
    named = [str(one).split(",") for one in called] if isinstance(called, list) else []
    return OwnState(
        any(FILES in one for one in named), isinstance(env, Mapping) and OFF_VARIABLE in env
    )


def is_off(own: OwnMemory) -> bool:
    """Return whether *own* is switched off, by whomever. Raises ChangeError."""
    file = own.file()
    value = _parse_file(file, _text(file) or "")
    for name in own.key:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value is own.off


def _wants_off(client: Client, entry: Entry | None) -> bool | None:
    """Return whether the client's own memory is to be off; None: as it is."""
    if entry is not None and OFF_VARIABLE in entry.env:
        return True
    if client.own_memory is None:
        return None
    return False if read_own_state(client).is_switched else None


def _switch_too(place: Path, edit: Any, own: OwnMemory | None, off: bool | None) -> Any:
    """Return *edit* of the file *place*, which also switches *own* off, or on again."""
    if own is None or off is None or own.file() != place:
        return edit

    def edit_both(text: str, client: Client, given: Any) -> str:
        return _switch(edit(text, client, given), own, off)

    return edit_both


def _switch(text: str, own: OwnMemory, off: bool) -> str:
    if own.file().suffix != ".toml":
        return jsonc.put(text, own.key, own.off) if off else jsonc.remove(text, own.key)
    import tomlkit

    document, (table, name) = tomlkit.parse(text), own.key
    if off:
        document.setdefault(table, tomlkit.table())[name] = own.off
    elif table in document:
        document[table].pop(name, None)
        if not document[table]:
            del document[table]
    return tomlkit.dumps(document)


def has_hooks(client: Client) -> bool:
    """Return whether hooks of ours are in the file of *client*. Raises ChangeError."""
    if client.hooks is None or (text := _text(client.hooks())) is None:
        return False
    return any(True for _ in _our_groups(_parse_file(client.hooks(), text)))


def _change(file: Path, edit: Any, client: Client, given: Any) -> Change:
    before = _text(file)
    try:
        after = edit(before or "", client, given)
    except ValueError as error:
        raise ChangeError(f"{file}: {error}; correct it first") from None
    if not given:
        return Change(file, before, _taken_back(file, before, after))
    return Change(file, before, after if before is not None or after else None)


def _taken_back(file: Path, before: str | None, after: str) -> str | None:
    """Return the copy if *after* says the same as it, and None for a file that says nothing."""
    copy = _copy(file.resolve())
    kept = _text(copy)
    with suppress(ChangeError):
        if kept is not None and _drop_empty_values(_parse_file(file, kept)) == _drop_empty_values(
            _parse_file(file, after)
        ):
            return kept
        if kept is None and before is not None and before != after and not _parse_file(file, after):
            return None
    return before if before is None else after


def _drop_empty_values(value: Any) -> Any:
    """Return *value* without null, empty objects and lists, which an edit may leave or take."""
    if isinstance(value, Mapping):
        inside = {key: _drop_empty_values(one) for key, one in value.items()}
        return {key: one for key, one in inside.items() if one not in ({}, [], None)}
    return [*map(_drop_empty_values, value)] if isinstance(value, list) else value


def _read_object(value: Any, key: str) -> Mapping[str, Any]:
    """Return the object *key* of the object *value*; {} if it is missing. Raises JsoncError."""
    found = value.get(key) if isinstance(value, Mapping) else value
    # YAML has null for a map without a line.
    found = {} if found is None else found
    if not isinstance(found, Mapping):
        raise jsonc.JsoncError(f"has something else than an object as {key}")
    return found


def _find_form(file: Path) -> ModuleType:
    """Return what reads and edits *file*: JSON with comments, or YAML."""
    if file.suffix != ".yaml":
        return jsonc
    # Imported here, because only one client has YAML.
    from . import yamls

    return yamls


def _of_text(form: ModuleType, text: str, client: Client, entry: Entry | None) -> str:
    servers = _read_object(form.loads(text), client.key)
    _check_name(servers)
    wanted = None if entry is None else {**client.also, **client.form(entry.server())}
    for name in find_ours(servers):
        if name != NAME or wanted is None:
            text = str(form.remove(text, (client.key, name)))
    is_there = wanted is None or servers.get(NAME) == wanted
    return text if is_there else str(form.put(text, (client.key, NAME), wanted))


def _check_name(servers: Mapping[str, Any]) -> None:
    """Raise ValueError if a server that is not this program has our name."""
    if servers.get(NAME) is not None and not is_ours(servers[NAME]):
        raise ValueError(f"has another server called {NAME}")


def _of_hooks(text: str, client: Client, groups: Mapping[str, Mapping[str, Any]]) -> str:
    text = _allow_reading(text, client, is_wanted=bool(groups))
    there = list(_our_groups(jsonc.loads(text)))
    if groups and [(path[1], group) for path, group in there] == list(groups.items()):
        return text
    for path, _group in reversed(there):
        text = jsonc.remove(text, path)
    for event, group in groups.items():
        there_now = _read_object(jsonc.loads(text), "hooks").get(event, [])
        if not isinstance(there_now, list):
            raise jsonc.JsoncError(f"has something else than a list as the hooks of {event}")
        text = jsonc.put(text, ("hooks", event, len(there_now)), group)
    return text


def _allow_reading(text: str, client: Client, *, is_wanted: bool) -> str:
    """Return *text* with the rules that allow the tools that only read, or without them."""
    rules = [client.rule.format(name) for name in READING if client.rule]
    there = _read_object(jsonc.loads(text), "permissions").get("allow", [])
    if not isinstance(there, list):
        raise jsonc.JsoncError("has something else than a list of what is allowed")
    if is_wanted:
        for at, rule in enumerate((one for one in rules if one not in there), len(there)):
            text = jsonc.put(text, ("permissions", "allow", at), rule)
        return text
    for at in reversed([at for at, one in enumerate(there) if one in rules]):
        text = jsonc.remove(text, ("permissions", "allow", at))
    return text


def _of_policy(_text: str, _client: Client, entry: Entry | None) -> str:
    """Return a policy of Gemini CLI that allows the tools that only read, or nothing."""
    import tomlkit

    told = {"toolName": [*READING], "mcpName": NAME, "decision": "allow", "priority": 100}
    return "" if entry is None else tomlkit.dumps({"rule": [told]})


def _of_options(text: str, client: Client, entry: Entry | None) -> str:
    """Return the settings of hooks with the variables of *entry*, or without those of setup."""
    import tomlkit

    document = tomlkit.parse(text)
    there = _read_object(document.unwrap(), "env")
    if entry is None:
        written = [name for name in _written_env(client) if name in there]
        for name in written:
            del document["env"][name]
        if written and not document["env"]:
            del document["env"]
        return tomlkit.dumps(document)
    wanted = {name: one for name, one in entry.hooks_env().items() if there.get(name) != one}
    if not wanted:
        return text
    if "env" not in document:
        document["env"] = tomlkit.table()
    for name, value in wanted.items():
        document["env"][name] = value
    return tomlkit.dumps(document)


def _written_env(client: Client) -> Iterator[str]:
    """Iterate over the variables that setup gave the hooks, if no other client needs them."""
    if any(has_hooks(one) for one in CLIENTS.values() if one != client):
        return
    file = _options_file()
    now, before = (
        _read_object(_parse_file(file, _text(one) or ""), "env")
        for one in (file, _copy(file.resolve()))
    )
    given = (read_our_entry(client) or {}).get("env")
    for name, value in given.items() if isinstance(given, Mapping) else ():
        if now.get(name) == value and name not in before:
            yield name


def _options_file() -> Path:
    return settings.data_directory() / options.FILE


def _our_groups(loaded: Any) -> Iterator[tuple[tuple[str, str, int], Any]]:
    """Iterate over the groups of hooks that are ours, with their paths."""
    hooks = loaded.get("hooks") if isinstance(loaded, Mapping) else None
    for event, groups in (hooks if isinstance(hooks, Mapping) else {}).items():
        for at, group in enumerate(groups if isinstance(groups, list) else ()):
            if is_our_group(group):
                yield ("hooks", event, at), group


def _of_toml(text: str, client: Client, entry: Entry | None) -> str:
    import tomlkit

    document = tomlkit.parse(text)
    servers = _read_object(document.unwrap(), client.key)
    _check_name(servers)
    wanted = None if entry is None else client.form(entry.server())
    ours = find_ours(servers)
    if ours == [NAME] and servers[NAME] == wanted:
        return text
    for name in ours:
        del document[client.key][name]
    if ours and not document[client.key]:
        del document[client.key]
    if wanted is not None:
        if client.key not in document:
            document[client.key] = tomlkit.table(is_super_table=True)
        document[client.key][NAME] = wanted
    return tomlkit.dumps(document)


def _parse_file(file: Path, text: str) -> Any:
    try:
        if file.suffix == ".toml":
            import tomllib

            return tomllib.loads(text)
        return _find_form(file).loads(text)
    except ValueError as error:
        raise ChangeError(f"{file}: {error}") from None


def _text(file: Path) -> str | None:
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            return stream.read()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise ChangeError(f"{file}: is no UTF-8") from None


def _copy(file: Path) -> Path:
    return file.with_name(file.name + COPY)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def show_entry(entry: Entry, client: Client) -> str:
    """Return the entry as JSON, for a client whose file is not known."""
    return json.dumps({client.key: {NAME: entry.server()}}, indent=2)


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
        results = called.pop(name, [])
        calls = [_said(one) for one in results]
        late = [_describe_late(one) for one in results if one.is_often_late]
        if said or calls:
            told = [said or "not configured", *(calls or ["has not called yet"]), *late]
            yield State(name, "; ".join(told), wrong or bool(late))
    for name, others in called.items():
        yield State(name, "; ".join(map(_said, others)))


def _describe_late(one: journal.Last) -> str:
    """Return that a hook often gave nothing in time, and what to do about it."""
    waits = "prompt_seconds" if one.event == hosts.PROMPT else "start_seconds or note_seconds"
    return (
        f"{one.late} of the last {one.calls} {one.event} got no answer in time: start a new"
        f" session, whose server answers them, or raise {waits} in {_options_file()}"
    )


def _describe_entry(client: Client) -> tuple[str, bool]:
    server, has_plugin = read_our_entry(client), _has_plugin(client)
    parts = []
    if server is not None:
        gone = next((one for one in _list_programs(server, client) if not Path(one).exists()), None)
        if gone is not None:
            return f"configured, but {gone} does not exist; run setup again", True
        parts.append("configured")
        if client.hooks is not None:
            parts.append("with hooks" if has_hooks(client) else "without hooks")
    if has_plugin and server is not None:
        return "configured, and the plugin is installed too; setup --remove takes one away", True
    return " ".join(parts) or ("the plugin is installed" if has_plugin else ""), False


def _list_programs(server: Mapping[str, Any], client: Client) -> Iterator[str]:
    """Iterate over the programs that *server*, our entry, and our hooks start."""
    yield find_program(server)
    text = None if client.hooks is None else _text(client.hooks())
    if client.hooks is None or text is None:
        return
    for _, group in _our_groups(_parse_file(client.hooks(), text)):
        for line in (str(one.get("command", "")) for one in group["hooks"]):
            called = shlex.split(line.partition(" hook ")[0], posix=os.name != "nt")
            yield from (one for one in called if Path(one).is_absolute())


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
