"""The command `serve`: what it needs, what it says, how it ends."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
from command_line import ok, run
from http_running import Running

from concept_graph_mcp.http import app
from concept_graph_mcp.http.tokens import Tokens

DEADLINE_S = 60.0


@pytest.fixture
def store(plain_environment, tmp_path):
    return f"--embedded={tmp_path / 'memory.db'}"


@contextmanager
def process(*arguments: str) -> Iterator[tuple[subprocess.Popen, str]]:
    """Run the server; yield its process and the address that it tells."""
    command = [sys.executable, "-m", "concept_graph_mcp", *arguments, "--log", "json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    ) as started:
        watchdog = threading.Timer(DEADLINE_S, started.kill)
        watchdog.start()
        try:
            told = next(line for line in started.stderr if '"serving"' in line)
            yield started, json.loads(told)["url"]
        finally:
            started.kill()
            watchdog.cancel()


@pytest.mark.slow
def test_without_tokens_it_serves_this_machine_as_one_user(store, monkeypatch):
    monkeypatch.setenv("CONCEPT_GRAPH_USER", "ann")
    with process(store, "--toolsets=everyday", "serve", "--http=0") as (_, url):
        assert url.startswith("http://127.0.0.1:")
        call = {"name": "remember", "arguments": {"text": "Ann likes hazelnuts."}}
        answer = httpx2.post(
            url,
            json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
            headers={"accept": "application/json, text/event-stream"},
            timeout=DEADLINE_S,
        )
        assert not answer.json()["result"].get("isError")
        assert httpx2.post(url, headers={"host": "evil.example.com"}).status_code == 421
    assert "Ann likes hazelnuts." in ok(store, "memories", "list").stdout


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_on_a_signal_calls_in_flight_end_first(store, tmp_path, number):
    """Each of many calls is either answered or was never taken, and what is answered is kept."""
    token = ok(store, "tokens", "add", "ann").stdout.strip()
    known = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
    answered, begun = [], threading.Semaphore(0)
    limits = ("--calls-per-second=100000", "--calls-at-once=2")

    def keep(url, name):
        with httpx2.Client(headers=known, timeout=DEADLINE_S) as client:
            for count in range(10_000):
                text = f"{name} counts to {count}."
                call = {"name": "remember", "arguments": {"text": text}}
                message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
                try:
                    answer = client.post(url, json=message)
                except (httpx2.NetworkError, httpx2.RemoteProtocolError):
                    # The connection was idle when it was closed; nothing was taken from it.
                    return
                answered.append((text, answer.json()["result"]))
                begun.release()

    with process(store, "--toolsets=everyday", "serve", "--http=0", *limits) as (started, url):
        threads = [threading.Thread(target=keep, args=(url, name)) for name in "abcd"]
        for one in threads:
            one.start()
        for _ in range(20):
            assert begun.acquire(timeout=DEADLINE_S)
        started.send_signal(number)
        for one in threads:
            one.join()
        assert started.wait(DEADLINE_S) == 0
        assert started.stdout.read() == ""
        logged = [json.loads(line) for line in started.stderr]
    assert logged[-1]["event"] == "ended"
    assert not any(result.get("isError") for _, result in answered)
    kept = ok(store, "export", "-").stdout
    assert all(text in kept for text, _ in answered)
    counted = sum(line["outcome"] == "ok" for line in logged if line["event"] == "call")
    assert counted == len(answered)
    assert not any(text in json.dumps(logged) for text, _ in answered)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--http=0.0.0.0:0"], "without tokens the server is for this machine only"),
        (["--http=0", "--public-url=https://m.example.com"], "without tokens"),
        (["--http=0", "--issuer=http://id.example.com"], "--issuer: http://id.example.com: must"),
        (["--http=0.0.0.0:0", "--issuer=https://id.example.com"], "0.0.0.0: name the --public-url"),
        (["--http=nowhere"], "'nowhere' is not like 127.0.0.1:8080"),
        (["--http=127.0.0.1:99999"], "is not like 127.0.0.1:8080"),
        (["--http=256.1.1.1:1", "--issuer=https://id.example.com"], "cannot listen on 256.1.1.1"),
        ([], "Missing option '--http'"),
        (["--http=0", "--calls-per-second=0"], "--calls-per-second"),
        (["--http=0", "--store-per-user=users"], "--store-per-user and --embedded name different"),
        (["--http=0", "--audience=api"], "only tokens of an --issuer have them"),
        (["--http=0", "--user-claim=email"], "only tokens of an --issuer have them"),
        (["--http=0", "--allow-host=*"], "--allow-host: '*' is not like memory.example.com"),
        (["--http=0", "--allow-host=https://a.example"], "--allow-host: 'https://a.example' is"),
        *(
            (["--http=0", f"--allow-origin={origin}"], f"--allow-origin: '{origin}' is not like")
            for origin in ("*", "a.example", "https://a.example/", "https://*.example")
        ),
        (["--http=0", "--trust-proxy=proxy"], "--trust-proxy: 'proxy' is not like 10.0.0.5"),
        (
            [*("--http=0", "--issuer=https://id.example"), "--public-url=https://m.example/?a=1"],
            "--public-url: https://m.example/?a=1: must be an address without ? and #",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_settings_that_cannot_be_served_are_refused_in_one_line(store, arguments, reason):
    failed = run(store, "serve", *arguments)
    assert failed.exit_code in (1, 2)
    assert reason in failed.stderr
    assert len(failed.stderr.strip().splitlines()) == 1


@pytest.mark.usefixtures("plain_environment")
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--shared-concepts"], "users of different stores can share no concepts"),
        (["--most-open=0"], "--most-open"),
        (["--store-per-user=file/users"], "file/users: cannot be used: Not a directory"),
        (["--store-per-user=file"], "file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_directory_that_cannot_be_served_is_refused_in_one_line(
    tmp_path, monkeypatch, arguments, reason
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    failed = run("serve", "--http=0", "--store-per-user=users", *arguments)
    assert failed.exit_code in (1, 2)
    assert reason in failed.stderr
    assert len(failed.stderr.strip().splitlines()) == 1


def test_a_server_of_many_users_has_no_clock_to_set(store):
    failed = run(store, "--enable-set-time", "serve", "--http=0")
    assert "--enable-set-time is for serving over stdio only" in failed.stderr


@pytest.mark.slow
def test_a_port_that_is_taken_is_told(store):
    with process(store, "serve", "--http=0") as (_, url):
        port = url.split(":")[2].split("/")[0]
        failed = run(store, "serve", f"--http={port}")
    assert f"cannot listen on 127.0.0.1 port {port}: Address already in use" in failed.stderr


@pytest.mark.slow
def test_a_proxy_passes_requests_to_the_public_address(store, tmp_path):
    ok(store, "tokens", "add", "ann")
    public = "https://memory.example.com"
    with process(store, "serve", "--http=0", f"--public-url={public}") as (started, url):
        assert url == f"{public}/mcp"
        started.send_signal(signal.SIGTERM)
        assert started.wait(DEADLINE_S) == 0


@pytest.mark.parametrize(
    ("url", "local"), [("http://localhost:8080", True), ("https://memory.example.com", False)]
)
def test_a_public_address_on_this_machine_may_be_called_by_its_number(
    store, monkeypatch, url, local
):
    """As a container is, whose port is published on the loopback interface."""
    seen = []
    monkeypatch.setattr(app, "serve", lambda *given, **_: seen.append(given[1].hosts))
    ok(store, "tokens", "add", "ann")
    ok(store, "serve", "--http=0.0.0.0:0", f"--public-url={url}")
    assert ["127.0.0.1:*" in hosts for hosts in seen] == [local]


@pytest.mark.parametrize(
    ("arguments", "at_once"), [((), 2), (("--calls-in-all=5",), 5)], ids=["default", "given"]
)
def test_a_store_file_runs_few_calls_at_a_time(store, monkeypatch, arguments, at_once):
    """Each call that is let in stands before the calls of other users."""
    seen = []
    monkeypatch.setattr(app, "serve", lambda *given, **_: seen.append(given[1].limits))
    ok(store, "serve", "--http=0", *arguments)
    assert [limits.at_once for limits in seen] == [at_once]


@pytest.mark.slow
def test_several_servers_on_one_file_serve_the_same_users(store, tmp_path):
    tokens = Tokens(tmp_path / "memory.db.tokens")
    tokens.add("bob", (), None)
    arguments = (store, "--toolsets=everyday", "serve", "--http=0")
    with process(*arguments) as (_, first), process(*arguments) as (_, second):
        one = Running(first, tokens)
        other = Running(second, tokens)
        other._users = one._users
        one.called("remember", "ann", text="Ann likes hazelnuts.")
        found = other.called("search", "ann", query="hazelnuts")
        assert found["structuredContent"]["total"] == 1
