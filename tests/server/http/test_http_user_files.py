"""A server over HTTP that keeps each user in a file of their own."""

import httpx2
import pytest
from command_line import ok
from http_running import running
from test_http_command import process

from concept_graph_mcp import user_files
from concept_graph_mcp.hosts.per_user import UserFiles
from concept_graph_mcp.http.tokens import Tokens


@pytest.fixture
def files(tmp_path):
    return UserFiles(tmp_path / "users", most_open=2)


@pytest.mark.slow
def test_each_user_has_a_file_and_a_damaged_one_stops_nobody_else(files, tokens):
    ids = ("ann", "Ann", "../ann", "ann" + "x" * 197)
    damaged = user_files.file_of(files.directory, "default")
    files.directory.mkdir()
    damaged.write_bytes(b"no store " * 1_000)
    with running(files, tokens) as server:
        for user in ids:
            server.ask("remember", user, text=f"The cellar of {user} is cold")
        for user in ids:
            [found] = server.ask("search", user, query="cellar")["found"]
            assert found["text"] == f"The cellar of {user} is cold"
        assert server.called("recall", "default", message="cellar?")["isError"]
        assert httpx2.get(f"{server.base}/ready").status_code == 200
        assert "concept_graph_http_open_files 2.0" in server.metrics()
    assert len(user_files.files(files.directory)) == len(ids) + 1


@pytest.mark.slow
def test_a_directory_that_is_gone_is_no_ready_store(files, tokens):
    with running(files, tokens) as server:
        assert httpx2.get(f"{server.base}/ready").status_code == 200
        files.directory.rmdir()
        files.directory.touch()
        answer = httpx2.get(f"{server.base}/ready")
        # A look is believed for a second.
        while answer.status_code == 200:
            answer = httpx2.get(f"{server.base}/ready")
        assert (answer.status_code, answer.json()["reason"]) == (
            503,
            f"{files.directory}: cannot be used: File exists",
        )


@pytest.mark.slow
def test_the_command_serves_a_directory(plain_environment, tmp_path):
    directory = tmp_path / "users"
    token = ok(f"--embedded={directory}/", "tokens", "add", "ann").stdout.strip()
    with process("--toolsets=everyday", "serve", "--http=0", f"--store-per-user={directory}") as (
        _,
        url,
    ):
        call = {"name": "remember", "arguments": {"text": "Ann likes hazelnuts."}}
        answer = httpx2.post(
            url,
            json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
            headers={
                "accept": "application/json, text/event-stream",
                "authorization": f"Bearer {token}",
            },
            timeout=60,
        )
        assert not answer.json()["result"].get("isError")
    assert Tokens(directory / "tokens").exist()
    assert user_files.file_of(directory, "ann").exists()
