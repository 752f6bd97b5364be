"""How a server over stdio starts, refuses to, and ends."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from embedded_files import assert_sound
from locked_bolt import locked
from server_processes import DEADLINE_S, END_S, StdioServer, server_environment
from stdio_answers import INITIALIZE, ok, refusal
from tcp_proxy import closed_port
from test_mcp_stdio import TOOLS

from concept_graph_mcp.errors import StoreError
from concept_graph_mcp.hosts.sqlite import cancellation
from concept_graph_mcp.hosts.sqlite.procedure_host import Host
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.hosts.sqlite.tables import FORMAT


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def refused_with(*arguments: str, ends_with: int = 1, **environment: str | None) -> str:
    """Start a server that has a reason to refuse everything; return that line.

    It shakes hands, lists the tools of every toolset, whichever it was to have, and answers every
    call of any of them with the same line.
    """
    with StdioServer(*arguments, environment=environment) as server:
        told = server.initialize()
        tools = [tool["name"] for tool in server.request("tools/list", {})["result"]["tools"]]
        assert tools[: len(TOOLS)] == TOOLS
        assert {"memory_context", "memory_traverse", "entity_observe"} <= {*tools}
        (line,) = {
            refusal(server.call(tool, **arguments))
            for tool in (*tools, "memory_graph_search")
            for arguments in ({}, {"concept": "apple"}, {"keywords": []})
        }
        assert told["instructions"] == line
        code, out, err = server.end()
    assert code == ends_with
    assert out == b""
    assert err.decode() == f"concept-graph-mcp: {line}\n"
    return line


@pytest.mark.slow
@pytest.mark.parametrize("zone", [None, ""])
def test_without_a_time_zone_it_serves_in_that_of_the_machine(path, zone):
    with StdioServer("--embedded", str(path), environment={"TZ": zone}) as server:
        server.initialize()
        assert ok(server.call("concept_upsert", concept="apple"))["created"]
        _, _, err = server.end()
    assert err == b""


@pytest.mark.slow
def test_a_settings_file_that_is_wrong_is_the_answer_to_every_call(tmp_path):
    file = tmp_path / "concept-graph-mcp/config.toml"
    file.parent.mkdir()
    file.write_text('time_zone = "Middle/Earth"', encoding="utf-8")
    line = refused_with(XDG_CONFIG_HOME=str(tmp_path), TZ=None)
    assert line.startswith(f"{file}: TZ: unknown time zone")


@pytest.mark.slow
def test_the_settings_file_names_the_store_of_a_server_without_options(tmp_path, path):
    file = tmp_path / "concept-graph-mcp/config.toml"
    file.parent.mkdir()
    file.write_text(f'store = "{path}"', encoding="utf-8")
    environment = {"XDG_CONFIG_HOME": str(tmp_path), "MEMGRAPH_URI": None}
    with StdioServer(environment=environment) as server:
        server.initialize()
        ok(server.call("concept_upsert", concept="apple"))
    assert path.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("TZ", "Middle/Earth"),
        ("TZ", "../../etc/passwd"),
        ("AROUSAL_TAU_MS", "abc"),
        ("AROUSAL_TAU_MS", "-5"),
        ("MEMGRAPH_URI", "http://x"),
        ("MEMGRAPH_URI", "bolt://localhost:1?policy=x"),
        ("MEMGRAPH_URI", "bolt://guest:open-sesame-42@localhost:1"),
        ("MEMGRAPH_URI", "neo4j://localhost:1?password=open-sesame-42"),
        ("CONCEPT_GRAPH_EMBEDDED", "~nobody-of-that-name/memory.db"),
        ("CONCEPT_GRAPH_EMBEDDED", ":memory:"),
        ("CONCEPT_GRAPH_TOOLSETS", "concept,nosuch"),
        ("CONCEPT_GRAPH_USER", "x" * 1_001),
    ],
)
def test_with_a_bad_setting_every_call_is_answered_with_a_line_that_names_it(variable, value):
    line = refused_with(**{variable: value})
    assert variable in line
    assert "open-sesame-42" not in line


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--toolset", "concept"], "--toolset"),
        (["--embeded"], "--embeded"),
        (["--toolsets"], "--toolsets"),
        (["--enable-set-time=yes"], "--enable-set-time"),
        (["-x", "\x1b[31m"], "-x"),
    ],
)
def test_with_a_bad_argument_every_call_is_answered_with_a_line_that_names_it(arguments, named):
    line = refused_with(*arguments, ends_with=2)
    assert line.startswith("arguments: ")
    assert named in line
    assert "\n" not in line
    assert "\x1b" not in line


def test_a_command_with_a_bad_argument_before_it_waits_for_no_client():
    ours, theirs = os.pipe()
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "concept_graph_mcp", "--embeded", "stats"],
            stdin=ours,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert b"--embeded" in ended.stderr


def test_in_a_terminal_a_bad_argument_is_told_where_its_help_is():
    ours, theirs = os.openpty()
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "concept_graph_mcp", "--embeded"],
            stdin=theirs,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert ended.stderr.endswith(b"; see concept-graph-mcp --help\n")


@pytest.mark.slow
def test_memgraph_url_is_another_name_of_memgraph_uri():
    assert "MEMGRAPH_UR" in refused_with(MEMGRAPH_URI=None, MEMGRAPH_URL="http://x")


@pytest.mark.slow
def test_a_start_in_a_terminal_says_in_one_line_what_it_waits_for(path):
    ours, theirs = os.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "concept_graph_mcp", f"--embedded={path}"],
            env=server_environment({"OPENAI_API_KEY": "open-sesame-42"}),
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        os.write(ours, b"\x04")  # Ctrl-D, an end of the input
        out, err = process.communicate(timeout=DEADLINE_S)
    finally:
        os.close(ours)
        os.close(theirs)
    assert out == b""
    [told] = err.decode().splitlines()
    assert "waits here for an MCP client's messages" in told
    assert "concept-graph-mcp setup" in told


def make_other_kind(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (text TEXT)")


def make_newer(path: Path) -> None:
    Host(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT + 1}")


def make_text(path: Path) -> None:
    path.write_text("These are notes and no database.\n" * 100)


@pytest.mark.slow
@pytest.mark.parametrize("make", [make_other_kind, make_newer, make_text])
def test_a_file_that_is_no_store_of_ours_is_told_at_every_call_and_left_alone(path, make):
    make(path)
    before = path.read_bytes()
    with StdioServer("--embedded", str(path)) as server:
        server.initialize()
        for _ in range(2):
            assert str(path) in refusal(server.call("concept_upsert", concept="apple"))
        assert path.read_bytes() == before
        # The owner moves it away, and the server need not be started again.
        path.rename(path.with_name("moved"))
        assert ok(server.call("concept_upsert", concept="apple"))["created"] is True


@pytest.mark.slow
def test_a_store_that_cannot_be_opened_is_a_tool_error_and_the_server_stays(tmp_path):
    directory = tmp_path / "memory.db"
    directory.mkdir()
    with StdioServer("--embedded", str(directory)) as server:
        server.initialize()
        for _ in range(2):
            assert str(directory) in refusal(server.call("concept_upsert", concept="apple"))
        directory.rmdir()
        assert ok(server.call("concept_upsert", concept="apple"))["created"] is True


@pytest.mark.slow
def test_a_database_that_is_not_there_is_a_tool_error_and_the_server_stays():
    uri = f"bolt://127.0.0.1:{closed_port()}"
    with StdioServer(environment={"MEMGRAPH_URI": uri}) as server:
        server.initialize()
        for _ in range(2):
            assert uri in refusal(server.call("concept_upsert", concept="apple"))
        assert len(server.request("tools/list", {})["result"]["tools"]) == 7
        code, out, _ = server.end()
    assert code == 0
    assert out == b""


@pytest.mark.slow
def test_credentials_that_are_not_accepted_are_told_at_every_call_and_the_server_stays():
    with locked() as uri:
        environment = {
            "MEMGRAPH_URI": uri, "MEMGRAPH_USER": "keeper", "MEMGRAPH_PASSWORD": "open-sesame-42",
        }  # fmt: skip
        with StdioServer(environment=environment) as server:
            server.initialize()
            for _ in range(2):
                line = refusal(server.call("concept_upsert", concept="apple"))
                assert line == f"{uri}: MEMGRAPH_USER and MEMGRAPH_PASSWORD were not accepted"
            code, out, err = server.end()
    assert code == 0
    assert out == b""
    assert b"open-sesame-42" not in err


def is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
def test_the_server_ends_when_stdin_closes_and_leaves_nothing_behind(path):
    with StdioServer("--embedded", str(path)) as server:
        server.initialize()
        ok(server.call("concept_upsert", concept="apple"))
        code, out, err = server.end()
        assert code == 0
        assert out == b""
        assert err == b""
        assert not is_alive(server.process.pid)
    assert_sound(path)


@pytest.mark.slow
def test_the_server_ends_when_stdin_closes_before_anything_was_said(path):
    for arguments in (["--embedded", str(path)], []):
        with StdioServer(*arguments) as server:
            code, out, _ = server.end()
            assert code == 0
            assert out == b""
            assert not is_alive(server.process.pid)


@pytest.mark.slow
def test_a_client_that_closes_right_after_its_calls_leaves_a_sound_store(path):
    with StdioServer("--embedded", str(path)) as server:
        server.initialize()
        for number in range(30):
            arguments = {"summary": "It rained", "concepts": [f"a {number}", f"b {number}"]}
            call = {"name": "episode_add", "arguments": arguments}
            message = {"jsonrpc": "2.0", "id": 100 + number, "method": "tools/call", "params": call}
            server.send(json.dumps(message).encode())
        code, out, _ = server.end()
        assert code == 0
        assert not is_alive(server.process.pid)
    answers = [json.loads(line) for line in out.splitlines()]
    # What was still under way may be answered with an error instead of a result.
    results = [answer["result"] for answer in answers if "result" in answer]
    added = [result for result in results if not result["isError"]]
    # Where it ended before the first write, opening it is what makes the store.
    with closing(Host(path)) as host:
        records = [record for batch in host.export(1_000) for record in batch]
    assert_sound(path)
    episodes = [record for record in records if record["kind"] == "episode"]
    assert len(episodes) >= len(added)
    assert len(records) == 5 * len(episodes)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_and_leaves_a_sound_store(path, number):
    with StdioServer("--embedded", str(path)) as server:
        server.initialize()
        ok(server.call("concept_upsert", concept="apple"))
        server.process.send_signal(number)
        # While its client keeps stdin open.
        server.process.wait(END_S)
        assert not is_alive(server.process.pid)
    assert_sound(path)


@pytest.mark.slow
def test_a_request_that_cannot_be_read_is_answered_on_a_connection_without_a_handshake(path):
    envelope = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    call = {"name": "concept_upsert", "arguments": {"concept": "here"}, "_meta": envelope}
    deep = json.dumps(call).replace('"here"', "[" * 5_000 + "]" * 5_000)
    with StdioServer("--embedded", str(path)) as server:
        assert "result" in server.raw_request("tools/list", json.dumps({"_meta": envelope}))
        answer = server.raw_request("tools/call", deep)
    assert "recursion limit exceeded" in answer["error"]["message"]


# Where the store is


@pytest.mark.slow
def test_without_a_path_the_store_is_in_the_data_directory(tmp_path):
    home = str(tmp_path / "data")
    expected = tmp_path / "data" / "concept-graph-mcp" / "memory.db"
    for arguments, variable in ((["--embedded"], None), ([], "1"), ([], "true")):
        changes = {"XDG_DATA_HOME": home, "CONCEPT_GRAPH_EMBEDDED": variable}
        with StdioServer(*arguments, environment=changes) as server:
            server.initialize()
            ok(server.call("concept_upsert", concept="apple"))
        assert expected.is_file()
    assert [entry.name for entry in (tmp_path / "data").iterdir()] == ["concept-graph-mcp"]


@pytest.mark.slow
def test_the_environment_can_name_the_file_and_the_option_goes_before_it(tmp_path):
    named, option = tmp_path / "below" / "named.db", tmp_path / "option.db"
    changes = {"CONCEPT_GRAPH_EMBEDDED": str(named)}
    with StdioServer(environment=changes) as server:
        server.initialize()
        ok(server.call("concept_upsert", concept="apple"))
    assert named.is_file()
    with StdioServer("--embedded", str(option), environment=changes) as server:
        server.initialize()
        assert ok(server.call("concept_upsert", concept="apple"))["created"] is True
    assert option.is_file()


@pytest.mark.slow
@pytest.mark.parametrize("value", ["0", "false", ""])
def test_the_environment_can_say_that_nothing_is_embedded(value):
    with StdioServer(environment={"CONCEPT_GRAPH_EMBEDDED": value}) as server:
        server.initialize()
        assert "bolt://127.0.0.1:1" in refusal(server.call("concept_upsert", concept="apple"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="has no /dev/full")
@pytest.mark.parametrize("reader", ["a full file", "a reader that has gone"])
def test_a_server_that_cannot_answer_ends_with_a_line(tmp_path: Path, reader: str) -> None:
    command = [sys.executable, "-m", "concept_graph_mcp", "--embedded", str(tmp_path / "memory.db")]
    there, out = os.pipe()
    os.close(there)
    if reader == "a full file":
        os.close(out)
        out = os.open("/dev/full", os.O_WRONLY)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE, env=server_environment()
    ) as server:
        os.close(out)
        _, err = server.communicate(INITIALIZE, timeout=DEADLINE_S)
    assert server.returncode == 1
    why = "No space left on device" if reader == "a full file" else "Broken pipe"
    assert err.decode().splitlines() == [f"concept-graph-mcp: stdout: {why}"]


def test_a_thread_that_finds_no_memory_is_told_in_a_line(
    tmp_path: Path, portal: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    store = EmbeddedStore(tmp_path / "memory.db")
    with monkeypatch.context() as patched:
        patched.setattr(cancellation.threading.Thread, "start", start)
        with pytest.raises(StoreError, match=r"^the process has too little memory; give it more$"):
            portal.call(store.open)
    assert caplog.text == ""
    portal.call(store.close)


@contextmanager
def limited(tmp_path: Path, most: int) -> Iterator[Any]:
    """Run a server with a model that may take *most* bytes of memory."""
    if shutil.which("prlimit") is None:
        pytest.skip("only Linux keeps to such a limit")
    command = ["prlimit", f"--as={most}", sys.executable, "-m", "concept_graph_mcp"]
    command += ["--toolsets", "everyday", "--embedded", str(tmp_path / "memory.db")]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=server_environment() | {"CONCEPT_GRAPH_EMBEDDINGS": "use-multilingual"},
    ) as server:
        try:
            yield server
        finally:
            server.kill()


# With so little some threads do not start.
@pytest.mark.slow
@pytest.mark.parametrize("most", [235 * 2**20, 262_144_000, 450 * 2**20])
def test_a_server_with_too_little_memory_ends_with_a_line(tmp_path: Path, most: int) -> None:
    with limited(tmp_path, most) as server:
        _, err = server.communicate(timeout=DEADLINE_S)
    assert server.returncode == 1
    assert err == b"concept-graph-mcp: the process has too little memory; give it more\n"


# Where OpenBLAS would end the process.
@pytest.mark.slow
@pytest.mark.parametrize("room_mb", [600, 750])
def test_a_server_without_memory_for_its_model_answers_each_call(
    tmp_path: Path, room_mb: int
) -> None:
    asked = [
        ("remember", {"text": "Daniele prefers green tea."}),
        *[("recall", {"message": "What does Daniele drink?"})] * 2,
    ]
    with limited(tmp_path, room_mb * 2**20) as server:
        server.stdin.write(INITIALIZE)
        server.stdin.flush()
        assert b'"result"' in server.stdout.readline()
        for number, (name, arguments) in enumerate(asked, 100):
            call = {"name": name, "arguments": arguments}
            message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            result = json.loads(server.stdout.readline())["result"]
            [said] = result["content"]
            if result["isError"]:
                assert said["text"] == "the process has too little memory; give it more"
        _, err = server.communicate(timeout=DEADLINE_S)
    assert server.returncode == 0
    for line in err.decode().splitlines():
        assert line.startswith("WARNING: ")
        assert line.endswith("the process has too little memory; give it more")
