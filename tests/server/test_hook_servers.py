"""Hooks that a running server answers, through a socket that only its user can reach."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from tests.server.command_line import ok

from concept_graph_mcp import settings, start
from concept_graph_mcp.clients import entry
from concept_graph_mcp.clients.changes import states
from concept_graph_mcp.errors import Unavailable
from concept_graph_mcp.hooks import asking, hosts, journal, listening, options
from concept_graph_mcp.hooks.hosts import PROMPT, START, STOP
from concept_graph_mcp.hosts.lazy import open_store
from concept_graph_mcp.session import Session
from concept_graph_mcp.settings import Settings

CALLED = ["--embedded", "hook", PROMPT, "--client", "claude-code"]
PARSED = ("--embedded", PROMPT, "claude-code")
SAID = "Clara is allergic to hazelnuts"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no such sockets")


@pytest.fixture
def data(tmp_path_factory, monkeypatch) -> Path:
    """The data directory of a user, with a path that is short enough for sockets."""
    for name in ("MEMGRAPH_URI", "MEMGRAPH_URL", "CONCEPT_GRAPH_EMBEDDED", "CONCEPT_GRAPH_USER"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path_factory.mktemp("h")
    # Outside of any repository, so that what a command stores is of all projects.
    monkeypatch.chdir(home)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "d"))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", "none")
    # In this process it is the age of all tests.
    monkeypatch.setattr(asking, "read_age", lambda: 0.0)
    monkeypatch.setattr(asking, "_given", [])
    made = Path(home / "d/concept-graph-mcp")
    made.mkdir(parents=True)
    # A process that a hook starts ends soon.
    (made / "hooks.toml").write_text("prompt_seconds = 60\nidle_seconds = 3\n")
    return made


Serve = Callable[..., Any]


def listens(name: str) -> bool:
    """Return whether the server of *name* accepts connections; its file is there before."""
    with socket.socket(socket.AF_UNIX) as made:
        return made.connect_ex(name) == 0


@pytest.fixture
def serve(data: Path, portal: Any) -> Iterator[Serve]:
    """Run a function in a thread while a server of these settings answers hooks."""

    async def served(asked: Callable[[], Any], changed: dict[str, Any], session: Any) -> Any:
        chosen = options.Options().settings(None)
        async with open_store(chosen, creates=True) as store:
            made = replace(Session.of(store, chosen), **(session or {}))
            async with anyio.create_task_group() as tasks:
                answering = listening.answer_hooks
                given = made, replace(chosen, **changed)
                tasks.start_soon(lambda: answering(*given, is_expected=False))
                with anyio.fail_after(30):
                    while not any(map(listens, asking.list_servers())):
                        await anyio.sleep(0.01)
                result = await anyio.to_thread.run_sync(asked)
                tasks.cancel_scope.cancel()
        return result

    def run(asked: Callable[[], Any], session: Any = None, **changed: Any) -> Any:
        return portal.call(served, asked, changed, session)

    yield run
    assert asking.list_servers() == []


def ask(given: bytes | None = None, parsed: tuple[str, ...] = PARSED, **variables: str) -> Any:
    """Return what a server answers to a prompt; None: no server answers."""
    if given is None:
        sent = {"prompt": "What may I not bake for Clara?", "session_id": "s", "cwd": "/"}
        given = json.dumps(sent).encode()
    message = asking.write_message(parsed, {**os.environ, **variables}, given)
    return asking.ask_servers(asking.list_servers(), message)


def last(event: str = PROMPT) -> str:
    return next((one.result for one in journal.list_last_results() if one.event == event), "")


def test_a_prompt_gets_its_notes_from_the_server(data, serve):
    ok("--embedded", "remember", SAID)
    answer = json.loads(serve(ask))
    assert SAID in answer["hookSpecificOutput"]["additionalContext"]
    assert last() == "1 note"


def test_nothing_to_say_is_an_answer_too(serve):
    assert serve(ask) == b""
    assert last() == "nothing to say"


@pytest.mark.parametrize(
    ("parsed", "variables"),
    [
        (("--embedded=/elsewhere/memory.db", PROMPT, "x"), {}),
        (("", PROMPT, "x"), {"MEMGRAPH_URI": "bolt://127.0.0.1:1"}),
        (PARSED, {"CONCEPT_GRAPH_USER": "somebody else"}),
        (PARSED, {"CONCEPT_GRAPH_CONCEPTS": "shared"}),
    ],
)
def test_a_server_answers_for_its_own_store_and_user_alone(serve, parsed, variables):
    ok("--embedded", "remember", SAID)
    assert serve(lambda: ask(None, parsed, **variables)) is None
    assert last() == ""


def test_settings_that_cannot_be_read_are_left_to_the_hook(data, serve):
    (data / "hooks.toml").write_text("prompt_seconds = soon")
    assert serve(ask) is None


@pytest.mark.parametrize("given", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b'{"prompt": 1}'])
def test_wrong_json_is_one_line_of_the_log_and_ends_no_server(serve, given):
    assert serve(lambda: (ask(given), ask())) == (b"", b"")


@pytest.mark.parametrize(
    "sent",
    [
        *(b"", b"\0\0\0\0", b"\xff" * 9, b"\0\0\0\x01x", b"\0\0\0\x09soon\0a\0b\0"),
        b"\0\0\0\x02" * 400_000,
    ],
)
def test_a_message_of_another_form_is_refused_and_ends_no_server(serve, sent):
    def both() -> tuple[Any, Any]:
        return asking.ask_servers(asking.list_servers(), sent), ask()

    assert serve(both) == (None, b"")


def test_nobody_else_can_reach_the_socket(serve):
    def modes() -> list[int]:
        [name] = asking.list_servers()
        return [one.stat().st_mode & 0o777 for one in (Path(name), Path(name).parent)]

    assert serve(modes) == [0o600, 0o700]


def test_a_folder_that_others_can_change_is_trusted_by_neither_side(data, caplog, portal):
    folder = Path(asking.find_folder())
    folder.mkdir(parents=True)
    (folder / "1").touch()
    folder.chmod(0o755)
    assert asking.list_servers() == []
    chosen = options.Options().settings(None)
    portal.call(lambda: listening.answer_hooks(None, chosen, is_expected=False))  # type: ignore
    assert "others can read or change it" in caplog.text


def test_a_link_to_a_folder_is_not_followed(data, tmp_path):
    folder = Path(asking.find_folder())
    folder.parent.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "elsewhere/1").touch()
    folder.symlink_to(tmp_path / "elsewhere")
    assert asking.list_servers() == []


def test_what_a_killed_server_left_is_passed_over_and_removed(data, serve):
    folder = journal.make_private_folder(Path(asking.find_folder()))
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(folder / "1"))
    assert ask() is None
    # The server of the fixture is the only one there.
    assert serve(ask) == b""
    assert not (folder / "1").exists()


def test_a_store_that_fails_is_logged_and_gives_nothing(serve):
    class Failing:
        async def call(self, *_: Any) -> None:
            raise Unavailable("the disk is gone")

    assert serve(ask, {"store": Failing()}) == b""
    assert last() == "failed: the disk is gone"


def test_an_answer_that_comes_too_late_is_logged_and_seen_by_doctor(data, serve):
    class Slow:
        async def call(self, *_: Any) -> None:
            await anyio.sleep_forever()

    (data / "hooks.toml").write_text("prompt_seconds = 0.01\n")
    assert serve(ask, {"store": Slow()}) == b""
    assert (
        "claude-code UserPromptSubmit no answer in time" in (data / "hooks/hooks.log").read_text()
    )
    [state] = [one for one in states() if one.client == "claude-code"]
    assert state.wrong
    assert "1 of the last 1 UserPromptSubmit got no answer in time" in state.state
    assert "prompt_seconds" in state.state


def test_one_late_answer_of_many_is_no_finding(data):
    journal.note_result("codex", PROMPT, journal.BEGUN)
    journal.log_result("codex", PROMPT, journal.LATE)
    for _ in range(12):
        journal.note_result("codex", PROMPT, journal.BEGUN)
        journal.note_result("codex", PROMPT, "1 note")
    [found] = journal.list_last_results()
    assert (found.calls, found.late, found.is_often_late) == (13, 1, False)


def test_a_server_notes_a_transcript(data, serve, monkeypatch):
    started: list[Any] = []
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **given: started.append(given["env"]))
    given = json.dumps({"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/"}).encode()
    parsed = ("--embedded", STOP, "claude-code")
    assert serve(lambda: ask(given, parsed, CONCEPT_GRAPH_LANGUAGES="de")) == b""
    assert [str(one.noted.transcript) for one in journal.list_pending()] == ["/t.jsonl"]
    assert started[0]["CONCEPT_GRAPH_LANGUAGES"] == "de"


@pytest.mark.parametrize(
    ("called", "parsed"),
    [
        (CALLED, PARSED),
        (["--embedded=/a b", "hook", "Stop"], ("--embedded=/a b", "Stop", "unknown")),
        (["hook", "Stop", "--client", "x"], ("", "Stop", "x")),
        (["--embedded", "/a", "hook", "Stop"], None),
        (["hook", "--help"], None),
        (["hook"], None),
        (["hook", "Stop", "--newer", "x"], None),
        ([], None),
    ],
)
def test_only_calls_that_setup_writes_go_to_a_server(called, parsed):
    assert asking.parse_call(called) == parsed


def test_no_password_is_sent():
    sent = {"MEMGRAPH_PASSWORD": "secret", "MEMGRAPH_USER": "ann", "PATH": "/bin"}
    call = listening.read_message(asking.write_message(PARSED, sent, b"{}"))
    assert call.environment == {"MEMGRAPH_USER": "ann"}
    assert (call.embedded, call.event, call.client, call.given) == ("", PROMPT, PARSED[2], b"{}")


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_the_data_directory_is_that_of_all_others(platform, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    made = {"linux": "platformdirs.unix.Unix", "darwin": "platformdirs.macos.MacOS"}[platform]
    module, _, name = made.rpartition(".")
    folder = getattr(__import__(module, fromlist=[name]), name)("concept-graph-mcp", False)
    monkeypatch.setattr(sys, "platform", platform)
    assert asking.find_data() == folder.user_data_dir


def test_a_hook_that_a_server_answers_imports_nothing_of_weight(data, serve):
    code = (
        "import sys; before = {*sys.modules}; from concept_graph_mcp import start\n"
        f"sys.argv[1:] = {CALLED!r}; start.main()\n"
        "print(*sorted({*sys.modules} - before), file=sys.stderr)"
    )

    def run() -> Any:
        called = [sys.executable, "-c", code]
        return subprocess.run(called, input=b"{}", capture_output=True, check=False)

    done = serve(run)
    imported = done.stderr.decode().split()
    assert done.returncode == 0
    assert {one for one in imported if not one.startswith("concept_graph_mcp")} <= {"_socket"}
    assert last() == "nothing to say"


@pytest.mark.slow
def test_without_a_server_a_hook_starts_one_that_ends_when_no_hook_comes(data):
    ok("--embedded", "remember", SAID)
    line = entry.make_entry("claude-code", {"TZ": "UTC"}).hooks("claude-code")[PROMPT]
    command = line["hooks"][0]["command"]
    names: list[str] = []
    told: list[str] = []
    # A busy machine may take longer to start one than a prompt waits: each session asks once.
    for session in range(20):
        sent = {"prompt": "What about Clara's hazelnuts?", "session_id": str(session)}
        given = json.dumps(sent).encode()
        done = subprocess.run(["sh", "-c", command], input=given, capture_output=True, check=True)
        [name] = asking.list_servers()
        # The host waits for nothing that the process would hold.
        assert (done.stderr, listens(name)) == (b"", True)
        names.append(name)
        assert done.stdout or journal.LATE in (data / "hooks/hooks.log").read_text()
        told += filter(None, [done.stdout.decode()])
        if len(told) == 2:
            break
    assert [SAID in one for one in told] == [True, True]
    assert len({*names}) == 1
    until = time.monotonic() + 60
    while asking.list_servers() and time.monotonic() < until:
        time.sleep(0.1)
    assert asking.list_servers() == []
    assert last() == "1 note"


@pytest.mark.slow
@pytest.mark.parametrize("has_sockets", [True, False])
def test_where_no_server_can_be_started_a_hook_does_it_itself(data, has_sockets):
    ok("--embedded", "remember", SAID)
    if has_sockets:
        # The socket cannot be there, and the hook cannot have one.
        (data / "hooks").mkdir()
        (data / "hooks/servers").write_text("")
    refuse = "" if has_sockets else "del os.getuid\n"
    code = f"import os, sys; from concept_graph_mcp import start\n{refuse}"
    code += f"sys.argv[1:] = {CALLED!r}; start.main()\n"
    given = json.dumps({"prompt": "What about Clara's hazelnuts?", "session_id": "s"}).encode()
    called = [sys.executable, "-c", code]
    done = subprocess.run(called, input=given, capture_output=True, check=True)
    assert SAID in done.stdout.decode()


def test_a_program_that_is_gone_is_no_error_of_a_prompt(data):
    line = entry.make_entry("claude-code", {"TZ": "UTC"}).hooks("claude-code")[PROMPT]
    command = line["hooks"][0]["command"].replace(sys.executable, "/gone/python")
    done = subprocess.run(["sh", "-c", command], input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


def test_a_hook_whose_stdin_is_closed_fails_no_prompt(data, serve):
    called = f"exec {sys.executable} -m {start.__name__} {' '.join(CALLED)} <&-"
    done = serve(lambda: subprocess.run(["sh", "-c", called], capture_output=True, check=False))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert last() == "failed: stdin holds no JSON"


@pytest.mark.slow
def test_without_a_server_a_hook_imports_only_what_answers(data):
    ok("--embedded", "remember", SAID)
    code = (
        "import os, sys; from concept_graph_mcp import start\n"
        "os._exit = lambda _: print(*sys.modules, file=sys.stderr)\n"
        "from concept_graph_mcp.hooks import asking; asking.answer_by_server = lambda _: False\n"
        f"sys.argv[1:] = {CALLED!r}; start.main()\n"
    )
    given = json.dumps({"prompt": "What about Clara's hazelnuts?", "session_id": "s"}).encode()
    done = subprocess.run(
        [sys.executable, "-c", code], input=given, capture_output=True, check=True
    )
    imported = {*done.stderr.decode().split()}
    assert "conceptgraph_core.recall.answering" in imported
    assert not {"click", "mcp", "pydantic", "rich"} & imported


def test_a_server_that_hangs_is_logged(data, monkeypatch):
    monkeypatch.setattr(asking, "MOST_S", 0.0)
    monkeypatch.setattr(sys, "argv", ["concept-graph-mcp", *CALLED])
    monkeypatch.setattr(asking, "read_stdin", lambda: b"{}")
    folder = journal.make_private_folder(Path(asking.find_folder()))
    with socket.socket(socket.AF_UNIX) as hanging:
        hanging.bind(str(folder / "1"))
        hanging.listen()
        start.main()
    assert last() == "no answer in time: a server hangs"


def test_a_busy_machine_waits_longer_but_not_as_long_as_its_host(monkeypatch):
    chosen = options.Options()
    for load, seconds, start_s in ((0.1, 1.0, 5.0), (1.5, 1.5, 7.5), (50.0, 3.9, 8.7)):
        monkeypatch.setattr(options, "_measure_load", lambda load=load: load)
        assert chosen.seconds_for(PROMPT) == pytest.approx(seconds)
        assert chosen.seconds_for(START) == pytest.approx(start_s)
    assert options.Options(prompt_seconds=60).seconds_for(PROMPT) == 60


def test_settings_name_the_same_store_by_file_user_and_concepts(data):
    chosen: Settings = options.Options().settings("")
    assert settings.default_path() == chosen.embedded
    assert listening._name_store(chosen) == listening._name_store(replace(chosen, tau_ms=1))
    assert listening._name_store(chosen) != listening._name_store(replace(chosen, user_id="b"))


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_setup_writes_commands_and_replaces_the_tool_of_an_older_version(client):
    made = entry.make_entry(client, {"TZ": "UTC"})
    for event, group in made.hooks(client).items():
        [handler] = group["hooks"]
        assert handler["type"] == "command"
        assert f" hook {event} --client {client}" in handler["command"]
        assert entry.is_our_group(group)
    older = {"type": "mcp_tool", "server": entry.NAME, "tool": hosts.TOOL}
    assert entry.is_our_group({"hooks": [older]})


def test_a_hook_that_calls_a_tool_of_others_is_not_ours():
    theirs = {"type": "mcp_tool", "server": "theirs", "tool": "hook"}
    assert not entry.is_our_group({"hooks": [theirs]})
