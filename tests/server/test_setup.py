"""`setup`: a client gets the memory, everything else in its files stays, and it can be undone."""

import json
import re
import shlex
import stat
import tomllib
from contextlib import nullcontext
from pathlib import Path

import pytest
import yaml
from tests.histories.history_samples import USER_SAID, claude_code
from tests.markdown import ROOT
from tests.server.command_line import fails, ok, run

from concept_graph_mcp import settings, settings_file
from concept_graph_mcp.clients import changes, entry, jsonc
from concept_graph_mcp.clients.entry import CLIENTS, NAME, READING, Entry
from concept_graph_mcp.commands import hook_process
from concept_graph_mcp.hooks import hosts, journal
from conceptgraph_core import __version__

PLUGINS = ROOT / "server/plugins"
WITH_HOOKS = ("claude-code", "codex")

# Files as they are found, each with something that a careless editor loses.
SHAPES = {
    "empty": "",
    "braces": "{}",
    "one line": '{"mcpServers":{"other":{"command":"x"}},"theme":"dark"}',
    "indented": '{\n    "mcpServers": {\n        "other": {"command": "x", "args": []}\n    }\n}\n',
    "comments": (
        "// Mine.\n{\n\t/* of the desk */\n\t\"mcpServers\": {\n"
        '\t\t"other": {"command": "x"}, // keep, it is "needed" }\n\t},\n\t"url": "http://x//y",\n}\n'
    ),
    "comment last": '{\n  "theme": "dark" // I like it\n  // and nothing else\n}\n',
    "windows": '{\r\n  "mcpServers": {\r\n    "other": {}\r\n  }\r\n}\r\n',
    "comment alone": "{\n  // nothing yet\n}\n",
    "no list": '{\n  "theme": "dark"\n}\n',
    "empty list": '{\n  "mcpServers": {},\n  "inputs": []\n}',
}  # fmt: skip
TOML = '# Mine.\nmodel = "m" # fast\n\n[mcp_servers.other] # theirs\ncommand = "o"\n\n[features]\nhooks = true\n'  # noqa: E501


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> Path:
    """The home of a user who has set nothing; only a process of its own has a deadline."""
    monkeypatch.setattr(hook_process, "Deadline", lambda *_: nullcontext())
    gone = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "MEMGRAPH_URI", "MEMGRAPH_URL")
    own = ("EMBEDDED", "USER", "TOOLSETS", "EMBEDDINGS")
    for name in (*gone, *(f"CONCEPT_GRAPH_{one}" for one in own)):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("TZ", "Europe/Berlin")
    return tmp_path


def servers_of(name: str) -> Path:
    made = CLIENTS[name].file
    assert made is not None
    return made()


def written(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return file


def loaded(file: Path) -> dict:
    text = file.read_bytes().decode()
    if file.suffix == ".yaml":
        return yaml.safe_load(text) or {}
    return tomllib.loads(text) if file.suffix == ".toml" else jsonc.loads(text)


def files(home: Path) -> dict[str, bytes]:
    """All but the store, which no removal takes away."""
    there = (one for one in home.rglob("*") if one.is_file())
    return {str(one): one.read_bytes() for one in there if not one.name.startswith("memory.db")}


@pytest.mark.parametrize("client", [name for name in CLIENTS if name != "generic"])
def test_a_client_without_a_file_gets_one_and_loses_it_again(home, client):
    ok("setup", client, "--yes")
    server = loaded(servers_of(client))[CLIENTS[client].key][NAME]
    called = server["args"] if client != "opencode" else server["command"]
    assert called[-2:] == ["--toolsets", "everyday"]
    env = server[{"opencode": "environment", "goose": "envs"}.get(client, "env")]
    # The settings file, which is not where a program without this environment looks, says the rest.
    config = home / "config/concept-graph-mcp/config.toml"
    assert env == {"CONCEPT_GRAPH_SETTINGS": str(config), "CONCEPT_GRAPH_CLIENT": client}
    assert loaded(config)["store"] == str(home / "data/concept-graph-mcp/memory.db")
    there = files(home)
    assert ok("setup", client, "--yes").stdout == "Nothing to change.\n"
    assert files(home) == there
    removed = ok("setup", client, "--yes", "--remove")
    assert f"stays in {home / 'data/concept-graph-mcp/memory.db'}" in removed.stderr
    assert files(home).keys() == {str(config)}
    assert ok("setup", client, "--remove").stdout == "Nothing to remove.\n"


@pytest.mark.parametrize("shape", SHAPES)
def test_all_else_in_a_file_stays_and_removing_brings_the_file_back(home, shape):
    file = written(servers_of("cursor"), SHAPES[shape])
    file.chmod(0o640)
    ok("setup", "cursor", "--yes")
    there, before = loaded(file), jsonc.loads(SHAPES[shape])
    servers = there.pop("mcpServers")
    assert NAME in servers
    del servers[NAME]
    assert servers == before.pop("mcpServers", {})
    assert there == before
    text = file.read_bytes().decode()
    assert all(comment in text for comment in re.findall(r"//.*|/[*].*?[*]/", SHAPES[shape]))
    assert ("\r\n" in text) == ("\r\n" in SHAPES[shape])
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    copy = Path(f"{file}{changes.COPY}")
    assert copy.read_bytes().decode() == SHAPES[shape]
    ok("setup", "cursor", "--yes", "--remove")
    assert file.read_bytes().decode() == SHAPES[shape]
    assert not copy.exists()


def test_a_change_of_the_user_between_outlives_the_removal(home):
    file = written(servers_of("cursor"), SHAPES["comments"])
    ok("setup", "cursor", "--yes")
    file.write_text(file.read_text().replace('"x"', '"y"'))
    ok("setup", "cursor", "--yes", "--remove")
    assert file.read_text() == SHAPES["comments"].replace('"x"', '"y"')


def test_the_toml_of_codex_keeps_its_comments(home):
    file = written(servers_of("codex"), TOML)
    ok("setup", "codex", "--yes")
    assert [line for line in TOML.splitlines() if line not in file.read_text().splitlines()] == []
    assert set(loaded(file)["mcp_servers"]) == {"other", NAME}
    ok("setup", "codex", "--yes", "--remove")
    assert file.read_text() == TOML


def test_gemini_lets_the_tools_that_only_read_be_called_without_a_question(home):
    ok("setup", "gemini-cli", "--yes")
    [rule] = loaded(home / f".gemini/policies/{NAME}.toml")["rule"]
    assert (rule["mcpName"], rule["decision"]) == (NAME, "allow")
    assert rule["toolName"] == ["recall", "search", "about"]
    ok("setup", "gemini-cli", "--yes", "--remove")
    assert not (home / ".gemini/policies").exists()


GOOSE = {
    "written by goose": (
        "GOOSE_MODEL: m\nextensions:\n  developer:\n    bundled: true\n    type: builtin\n"
        "  fetch:\n    args:\n    - -y\n    - 'x'\n    cmd: npx\n    envs: {}\n    type: stdio\n"
    ),
    "comments": (
        "# Mine.\nGOOSE_MODE: auto   # fast\nextensions:\n    # tools\n    d: {type: x} # keep\n"
    ),
    "indented lists": "extensions:\n  d:\n    args:\n      - -y\n",
    "windows": "GOOSE_MODE: auto\r\nextensions:\r\n  d:\r\n    type: x\r\n",
    "comment alone": "# nothing yet\n",
    "empty map": "extensions: {}\nGOOSE_MODE: auto\n",
    "no map": "GOOSE_MODE: auto\nextensions:\n",
    "no extensions": "GOOSE_MODE: auto\n",
}


@pytest.mark.parametrize("shape", GOOSE)
def test_the_yaml_of_goose_keeps_its_comments(home, shape):
    file = written(servers_of("goose"), GOOSE[shape])
    ok("setup", "goose", "--yes")
    text = file.read_bytes().decode()
    there, before = loaded(file), yaml.safe_load(GOOSE[shape]) or {}
    entry = there["extensions"].pop(NAME)
    assert (entry["type"], entry["enabled"], entry["name"]) == ("stdio", True, NAME)
    assert entry["args"][-2:] == ["--toolsets", "everyday"]
    assert there == {**before, "extensions": before.get("extensions") or {}}
    assert all(comment in text for comment in re.findall("#.*", GOOSE[shape]))
    assert ("\r\n" in text) == ("\r\n" in GOOSE[shape])
    assert ok("setup", "goose", "--yes").stdout == "Nothing to change.\n"
    ok("setup", "goose", "--yes", "--remove")
    assert file.read_bytes().decode() == GOOSE[shape]


@pytest.mark.parametrize(
    "text",
    ["extensions:\n     d:\n        type: x\n", "- a\n", "extensions: [\n", "extensions: 1\n"],
)
def test_yaml_that_cannot_be_kept_as_it_is_written_is_left(home, text):
    file = written(servers_of("goose"), text)
    result = run("setup", "goose", "--yes")
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)
    assert str(file) in result.stderr
    assert file.read_text() == text


@pytest.mark.parametrize("client", WITH_HOOKS)
def test_hooks_stand_beside_those_of_others_and_go_alone(home, client):
    place = CLIENTS[client].hooks
    assert place is not None
    theirs = '{\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"type": "command", "command": "say done"}]}\n    ]\n  }\n}\n'  # noqa: E501
    file = written(place(), theirs)
    ok("setup", client, "--yes")
    hooks = loaded(file)["hooks"]
    assert set(hooks) == set(hosts.EVENTS)
    assert [len(groups) for groups in hooks.values()] == [2, 1, 1, 1, 1]
    called = shlex.split(hooks["Stop"][1]["hooks"][0]["command"])
    assert called[-7:-3] == ["hook", "Stop", "--client", client]
    assert called[-3:] == ["||", "exit", "0"]
    # The command that is written there runs.
    assert run(*called[called.index("hook") : -3], stdin="{").exit_code == 0
    ok("setup", client, "--yes", "--remove")
    assert file.read_text() == theirs


def test_a_dry_run_and_a_no_write_nothing(home):
    written(servers_of("cursor"), SHAPES["indented"])
    before = files(home)
    shown = ok("setup", "cursor", "--dry-run").stdout
    assert f"  changed: {servers_of('cursor')} (+" in shown
    assert len(shown.splitlines()) <= 10
    assert f'+        "{NAME}": {{' in ok("setup", "cursor", "--dry-run", "--diff").stdout
    assert run("setup", "cursor", stdin="n\n").exit_code == 1
    assert files(home) == before


@pytest.mark.parametrize(
    "text",
    ["{", "[1]", '{"mcpServers": {"x": 1}', '{"mcpServers": []}', '{"mcpServers": 3}', "\xff"],
)
def test_a_file_of_another_kind_is_refused_and_left(home, text):
    file = servers_of("cursor")
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode("latin-1"))
    result = fails("setup", "cursor", "--yes")
    assert len(result.stderr.splitlines()) == 1
    assert str(file) in result.stderr
    assert file.read_bytes() == text.encode("latin-1")


def test_another_server_of_our_name_is_left(home):
    text = json.dumps({"mcpServers": {NAME: {"command": "theirs"}}})
    file = written(servers_of("cursor"), text)
    for options in ([], ["--remove"]):
        assert "another server" in run("setup", "cursor", "--yes", *options).stderr
    assert file.read_text() == text


@pytest.mark.parametrize("former", ["concept-graph", "memory"])
@pytest.mark.parametrize("client", ["cursor", "codex", "goose"])
def test_an_entry_of_an_earlier_name_is_replaced_if_it_is_ours(home, client, former):
    key, file = CLIENTS[client].key, servers_of(client)
    ok("setup", client, "--yes")
    file.write_text(file.read_text().replace(NAME, former))
    assert set(loaded(file)[key]) == {former}
    ok("setup", client, "--yes")
    assert set(loaded(file)[key]) == {NAME}
    file.write_text(file.read_text().replace(NAME, former))
    ok("setup", client, "--yes", "--remove")
    assert not file.exists() or not loaded(file).get(key)


def test_an_entry_of_an_earlier_name_that_is_anothers_stays(home):
    theirs = {"memory": {"command": "npx", "args": ["-y", "server-memory"]}}
    file = written(servers_of("cursor"), json.dumps({"mcpServers": theirs}))
    ok("setup", "cursor", "--yes")
    assert set(loaded(file)["mcpServers"]) == {"memory", NAME}
    ok("setup", "cursor", "--yes", "--remove")
    assert loaded(file)["mcpServers"] == theirs


def test_a_file_that_is_changed_meanwhile_is_not_overwritten(home):
    file = written(servers_of("cursor"), "{}")
    [change] = changes.plan_changes(CLIENTS["cursor"], "cursor", Entry(("x",), {}))
    file.write_text('{"a": 1}')
    with pytest.raises(changes.ChangeError, match="changed meanwhile"):
        change.write()
    assert file.read_text() == '{"a": 1}'


def test_a_link_to_a_file_stays_a_link(home):
    kept = written(home / "dotfiles/mcp.json", "{}")
    servers_of("cursor").parent.mkdir()
    servers_of("cursor").symlink_to(kept)
    ok("setup", "cursor", "--yes")
    assert servers_of("cursor").is_symlink()
    assert NAME in kept.read_text()


def test_a_store_in_memgraph_is_in_the_settings_file_and_no_password(home, monkeypatch):
    monkeypatch.setenv("MEMGRAPH_URI", "bolt://db:7687")
    monkeypatch.setenv("MEMGRAPH_USER", "ada")
    monkeypatch.setenv("MEMGRAPH_PASSWORD", "hush")
    # TZ is another zone than the machine's, whichever this process has asked for first.
    monkeypatch.setattr(settings, "machine_zone", lambda: "UTC")
    ok("setup", "claude-code", "--yes")
    server = loaded(servers_of("claude-code"))["mcpServers"][NAME]
    config = home / "config/concept-graph-mcp/config.toml"
    assert loaded(config) == {"store": "bolt://db:7687", "time_zone": "Europe/Berlin"}
    named = {"MEMGRAPH_USER": "ada", "CONCEPT_GRAPH_SETTINGS": str(config)}
    assert server["env"] == {**named, "CONCEPT_GRAPH_CLIENT": "claude-code"}
    given = tomllib.loads((home / "data/concept-graph-mcp/hooks.toml").read_text())
    assert given["env"] == named
    assert not any(b"hush" in text for text in files(home).values())


@pytest.mark.parametrize("name", ["MEMGRAPH_URI", "MEMGRAPH_URL", "MEMGRAPH_READ_URI"])
def test_a_password_in_a_uri_is_refused_and_written_nowhere(home, monkeypatch, name):
    monkeypatch.setenv("MEMGRAPH_URI", "bolt://db.example:7687")
    monkeypatch.setenv(name, "bolt://ann:hunter2@db.example:7687")
    result = fails("setup", "claude-code", "--yes")
    assert "must not hold credentials; use MEMGRAPH_USER and MEMGRAPH_PASSWORD" in result.stderr
    assert "hunter2" not in result.output
    assert not any("hunter2" in one.read_text() for one in home.rglob("*") if one.is_file())


def env_of_hooks(home, **more):
    return {"CONCEPT_GRAPH_SETTINGS": str(home / "config/concept-graph-mcp/config.toml"), **more}


def test_the_settings_of_hooks_stay(home):
    text = '# Mine.\ndays = 3\n\n[env]\nCONCEPT_GRAPH_USER = "ada" # me\n'
    file = written(home / "data/concept-graph-mcp/hooks.toml", text)
    ok("setup", "claude-code", "--yes")
    assert file.read_text().startswith(text)
    assert loaded(file)["env"] == env_of_hooks(home, CONCEPT_GRAPH_USER="ada")


def test_variables_that_the_settings_file_has_go_there_alone(home, monkeypatch):
    monkeypatch.setenv("CONCEPT_GRAPH_LANGUAGES", "de")
    monkeypatch.setenv("CONCEPT_GRAPH_REDACT", "on")
    ok("setup", "codex", "--yes")
    assert loaded(home / "config/concept-graph-mcp/config.toml")["languages"] == ["de"]
    server = loaded(servers_of("codex"))["mcp_servers"][NAME]
    assert server["env"] == env_of_hooks(
        home, CONCEPT_GRAPH_REDACT="on", CONCEPT_GRAPH_CLIENT="codex"
    )


def test_the_last_client_that_is_removed_takes_the_variables_of_its_hooks_along(home):
    file = home / "data/concept-graph-mcp/hooks.toml"
    for client in ("claude-code", "codex"):
        ok("setup", client, "--yes")
    ok("setup", "claude-code", "--yes", "--remove")
    assert loaded(file) == {"env": env_of_hooks(home)}
    ok("setup", "codex", "--yes", "--remove")
    assert files(home).keys() == {*env_of_hooks(home).values()}


def test_variables_of_the_user_stay_when_the_client_is_removed(home):
    text = '[env]\nCONCEPT_GRAPH_USER = "ada" # me\n'
    file = written(home / "data/concept-graph-mcp/hooks.toml", text)
    ok("setup", "codex", "--yes")
    file.write_text("days = 3\n" + file.read_text())
    ok("setup", "codex", "--yes", "--remove")
    assert file.read_text() == "days = 3\n" + text


def test_the_generic_client_is_shown_or_written_where_it_is_told(home):
    shown = json.loads(ok("setup", "generic").stdout)
    assert shown["mcpServers"][NAME]["env"]["CONCEPT_GRAPH_CLIENT"] == "generic"
    ok("setup", "generic", "--yes", "--file", str(home / "servers.json"))
    assert json.loads((home / "servers.json").read_text()) == shown


@pytest.mark.slow
def test_doctor_says_who_is_configured_and_called_last_with_what_result(home):
    ok("--embedded", "setup", "cursor", "--yes")
    journal.note_result("cursor", "tool", "answered")
    found = json.loads(run("--embedded", "doctor", "--json").stdout)["findings"]
    [state] = [one["state"] for one in found if one["what"] == "cursor"]
    assert state.startswith("configured; tool ")
    assert state.endswith(": answered")
    file = servers_of("cursor")
    program = loaded(file)["mcpServers"][NAME]["command"]
    file.write_text(file.read_text().replace(program, str(home / "gone")))
    found = json.loads(run("--embedded", "doctor", "--json").stdout)["findings"]
    [wrong] = [one for one in found if one["what"] == "cursor"]
    assert wrong["wrong"]
    assert "run setup again" in wrong["state"]


@pytest.mark.slow
@pytest.mark.parametrize("client", WITH_HOOKS)
def test_doctor_says_that_the_program_of_a_hook_is_gone(home, client):
    # The program on the PATH is there, but its environment is another one: pipx in place of uv.
    ok("--embedded", "setup", client, "--yes")
    file, start = CLIENTS[client].hooks(), str(Path(entry.__file__).parents[1] / "start.py")
    file.write_text(file.read_text().replace(start, f"{home}/gone/concept_graph_mcp/start.py"))
    found = json.loads(run("--embedded", "doctor", "--json").stdout)["findings"]
    [wrong] = [one for one in found if one["what"] == client]
    told = f"configured, but {home}/gone/concept_graph_mcp/start.py does not exist; run setup again"
    assert (wrong["wrong"], wrong["state"].partition("; has")[0]) == (True, told)


def test_setup_names_the_program_on_the_path(home, monkeypatch):
    # As pipx and uv do: a link to the program in an environment of its own.
    program = written(home / "tools/bin/concept-graph-mcp", "")
    link = home / ".local/bin/concept-graph-mcp"
    link.parent.mkdir(parents=True)
    link.symlink_to(program)
    monkeypatch.setattr("sys.argv", [str(link)])
    ok("setup", "cursor", "--yes")
    assert loaded(servers_of("cursor"))["mcpServers"][NAME]["command"] == str(link)


@pytest.mark.parametrize("client", WITH_HOOKS)
def test_the_plugin_has_the_hooks_that_setup_writes(client):
    entry = Entry(("concept-graph-mcp",), {})
    hooks = json.loads((PLUGINS / client / "hooks/hooks.json").read_text())["hooks"]
    assert hooks == {event: [group] for event, group in entry.hooks(client).items()}
    [server] = json.loads((PLUGINS / client / ".mcp.json").read_text())["mcpServers"].values()
    assert server["env"] == {"CONCEPT_GRAPH_CLIENT": client}
    [manifest] = (PLUGINS / client).glob(".*-plugin/plugin.json")
    assert json.loads(manifest.read_text())["version"] == __version__


def test_without_a_client_all_on_the_machine_are_set_up_at_once(home):
    for folder in (".claude", ".codex", ".gemini", "config/opencode", "config/goose", "config/zed"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    shown = ok("setup", "--dry-run")
    assert not any("concept-graph" in one.decode() for one in files(home).values())
    assert "Claude Code, Codex, Gemini CLI, opencode, goose, Zed: get" in shown.stdout
    result = ok("setup", stdin="y\n")
    assert "concept-graph-mcp view" in result.stderr
    assert result.stdout.count("Write this?") == 1
    for client in ("claude-code", "codex", "gemini-cli", "goose", "zed"):
        assert NAME in loaded(servers_of(client))[CLIENTS[client].key]
    opencode = loaded(servers_of("opencode"))["mcp"][NAME]
    assert opencode["type"] == "local"
    assert opencode["command"][-2:] == ["--toolsets", "everyday"]
    written = settings_file.read_file()
    assert written is not None
    assert str(home / "data/concept-graph-mcp/memory.db") in written.values()
    assert ok("setup", "--yes").stdout == "Nothing to change.\n"


def test_clients_and_hooks_name_no_store_and_no_time_zone(home, monkeypatch):
    mine = home / "mine.db"
    text = f'store = "{mine}"\nuser = "ada"\ntime_zone = "Asia/Tokyo"\n'
    config = written(home / "config/concept-graph-mcp/config.toml", text)
    monkeypatch.delenv("TZ")
    (home / ".claude").mkdir()
    ok("setup", "--yes")
    assert config.read_text() == text
    for file in (servers_of("claude-code"), home / ".claude/settings.json"):
        told = file.read_text()
        assert str(mine) not in told
        assert "Tokyo" not in told
    other = home / "other.db"
    ok(f"--embedded={other}", "setup", "claude-code", "--yes")
    assert loaded(config) == {**tomllib.loads(text), "store": str(other)}


def test_histories_are_listed_before_setup_asks_for_them(home):
    written(home / ".claude/projects/cake/s1.jsonl", claude_code())
    told = ok("setup", stdin="y\nn\n")
    assert "claude-code: 1 session" in told.stderr


OWN_FILES = {
    "claude-code": ".claude/projects/cake/memory/tools.md",
    "codex": ".codex/memories/tools.md",
}


def is_off(client: str) -> bool:
    own = CLIENTS[client].own_memory
    assert own is not None
    return changes.is_off(own)


def toolsets_of(client: str) -> str:
    server = loaded(servers_of(client))[CLIENTS[client].key][NAME]
    return server["args"][server["args"].index("--toolsets") + 1]


@pytest.mark.slow
@pytest.mark.parametrize("client", WITH_HOOKS)
def test_a_clients_own_memory_is_switched_off_if_that_is_chosen_and_on_again(home, client):
    theirs = {"claude-code": '{\n  "theme": "dark"\n}\n', "codex": TOML}[client]
    files_of_client = [servers_of(client), CLIENTS[client].own_memory.file()]
    for file in files_of_client:
        written(file, theirs)
    written(home / OWN_FILES[client], "# Tools\n\nThe bakery's site is built with pnpm.\n")
    ok("setup", client, "--yes")
    assert (is_off(client), toolsets_of(client)) == (False, "everyday")
    told = ok("setup", client, "--yes", "--own-memory", "files").stderr
    assert "1 new, 0 there already" in told
    assert (is_off(client), toolsets_of(client)) == (True, "everyday,files")
    assert "pnpm" in ok("search", "bakery").stdout
    # A choice stays, until another is made.
    assert ok("setup", client, "--yes").stdout == "Nothing to change.\n"
    ok("setup", client, "--yes", "--own-memory", "off")
    assert (is_off(client), toolsets_of(client)) == (True, "everyday")
    ok("setup", client, "--yes", "--own-memory", "keep")
    assert not is_off(client)
    ok("setup", client, "--yes", "--own-memory", "off")
    ok("setup", client, "--yes", "--remove")
    assert [file.read_text() for file in files_of_client] == [theirs] * 2


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("claude-code", '{"autoMemoryEnabled": false}'),
        ("codex", "[memories]\ndisable_on_external_context = true\n"),
    ],
)
def test_an_own_memory_that_the_user_switched_off_stays_off(home, client, text):
    written(CLIENTS[client].own_memory.file(), text)
    ok("setup", client, "--yes", "--own-memory", "off")
    ok("setup", client, "--yes", "--remove")
    assert is_off(client)


@pytest.mark.parametrize("client", WITH_HOOKS)
def test_setup_asks_of_an_own_memory_that_holds_something(home, client):
    assert "of its own" not in ok("setup", client, stdin="y\n").stdout
    written(home / OWN_FILES[client], "# Tools\n\nThe bakery's site is built with pnpm.\n")
    told = ok("setup", client, stdin="\n").stdout
    assert f"{CLIENTS[client].title} keeps a memory of its own: 1 files in {home}" in told
    assert told.endswith("Nothing to change.\n")
    assert ok("setup", client, stdin="off\ny\n").exit_code == 0
    assert is_off(client)


COMMANDS = ("stats", "check", "recall hello", "about Lena", "memories list", "concept search")


@pytest.mark.parametrize("client", ["", "codex", "cursor"])
@pytest.mark.parametrize("command", [*COMMANDS, "backup"])
def test_after_setup_no_command_misses_a_store(home, monkeypatch, client, command):
    monkeypatch.chdir(home)
    (home / ".claude").mkdir()
    ok("setup", *client.split(), "--dry-run")
    assert not (home / "data").exists()
    ok("setup", *client.split(), "--yes")
    ok(*command.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_before_setup_the_usual_file_is_an_empty_memory_that_reading_does_not_create(home, command):
    ok(*command.split())
    assert not (home / "data/concept-graph-mcp/memory.db").exists()


@pytest.mark.slow
def test_recall_and_search_say_in_one_line_that_nothing_is_stored(home):
    for verb in ("recall", "search"):
        told = ok(verb, "what dog do I own?").stdout
        assert told.startswith("Nothing is stored yet.")
        assert told.count("\n") == 1
    ok("remember", "We adopted a greyhound named Biscuit")
    assert "Nothing is stored yet" not in ok("recall", "volcanoes").stdout


def test_about_suggests_a_similar_name_and_none_where_none_is(home):
    ok("remember", "Biscuit is a greyhound", "--about", "Biscuit (dog)")
    told = ok("about", "Bisquit").stdout
    assert told == 'Nothing is known of "Bisquit". Did you mean "Biscuit"?\n'
    assert ok("about", "Bismarck").stdout == 'Nothing is known of "Bismarck".\n'


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"entity","name":"Biscuit","entityType":"dog","observations":[]}',
        '{"type":"relation","from":"a","to":"b","relationType":"knows"}',
    ],
)
def test_the_earlier_name_of_import_reads_the_file_of_server_memory_too(home, line):
    assert "nodes created" in ok("ingest", str(written(home / "memory.json", line + "\n"))).stderr


def test_a_store_given_to_one_client_becomes_that_of_all_commands(home):
    ok(f"--embedded={home / 'mine.db'}", "setup", "cursor", "--yes")
    assert str(home / "mine.db") in (settings_file.read_file() or {}).values()
    ok("remember", "We adopted a greyhound named Biscuit")
    assert not (home / "data/concept-graph-mcp/memory.db").exists()


def test_one_client_with_the_usual_store_needs_no_settings_file(home, monkeypatch):
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "TZ"):
        monkeypatch.delenv(name)
    ok("setup", "cursor", "--yes")
    assert settings_file.read_file() is None
    server = loaded(servers_of("cursor"))["mcpServers"][NAME]
    assert server["env"] == {"CONCEPT_GRAPH_CLIENT": "cursor"}


def test_without_any_agent_setup_says_so(home, monkeypatch):
    monkeypatch.setenv("PATH", "")
    result = fails("setup", "--yes")
    assert "no agent was found on this machine" in result.stderr


def test_an_agent_that_was_never_started_is_found_by_its_program(home, monkeypatch):
    program = written(home / "bin/codex", "#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    assert "Codex: get the tools" in ok("setup", "--dry-run").stdout


def test_a_program_that_is_on_no_path_is_named_as_it_was_called(home, monkeypatch):
    (home / ".cursor").mkdir()
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.argv", [".venv/bin/concept-graph-mcp"])
    assert ".venv/bin/concept-graph-mcp view shows the memory" in ok("setup", "--yes").stderr
    assert ".venv/bin/concept-graph-mcp remember" in ok("recall", "Who is Clara?").stdout
    program = written(home / "bin/concept-graph-mcp", "#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    assert ": concept-graph-mcp remember" in ok("recall", "Who is Clara?").stdout


def test_the_histories_of_agents_are_read_if_the_owner_agrees(home):
    folder = home / ".claude/projects/cake"
    folder.mkdir(parents=True)
    (folder / "s1.jsonl").write_text(claude_code())
    result = ok("setup", stdin="y\ny\n")
    assert "Read what your agents have said so far?" in result.stdout
    assert USER_SAID in ok("--embedded", "memories", "search", "hazelnuts").stdout


def test_claude_code_reads_without_asking_until_setup_is_taken_back(home):
    file = CLIENTS["claude-code"].hooks()
    file.parent.mkdir(parents=True, exist_ok=True)
    mine = {"permissions": {"allow": ["Bash(ls)"]}}
    file.write_text(json.dumps(mine))
    for _ in range(2):
        ok("setup", "claude-code", "--yes")
        allowed = json.loads(file.read_text())["permissions"]["allow"]
        assert allowed == ["Bash(ls)", *(f"mcp__{NAME}__{one}" for one in READING)]
    ok("setup", "claude-code", "--yes", "--remove")
    assert json.loads(file.read_text()) == mine


def test_codex_reads_without_asking(home):
    ok("setup", "codex", "--yes")
    server = loaded(servers_of("codex"))["mcp_servers"][NAME]
    assert server["tools"] == {one: {"approval_mode": "approve"} for one in READING}
