"""Access tokens: made once, kept as hashes, revoked at once, ended by time."""

import json
import os
import stat

import anyio
import pytest
from command_line import fails, ok, run

from concept_graph_mcp.http import tokens as module
from concept_graph_mcp.http.tokens import PREFIX, Tokens


@pytest.fixture
def store(plain_environment, monkeypatch, tmp_path):
    monkeypatch.delenv("CONCEPT_GRAPH_TOKENS", raising=False)
    return f"--embedded={tmp_path / 'memory.db'}"


def listed(store):
    return json.loads(ok(store, "tokens", "list", "--json").stdout)


def verified(file, token):
    return anyio.run(Tokens(file).verify_token, token)


def test_a_token_is_printed_once_alone_and_kept_as_a_hash(store, tmp_path):
    made = ok(store, "tokens", "add", "ann")
    token = made.stdout.rstrip("\n")
    assert token.startswith(PREFIX)
    assert " " not in token
    file = tmp_path / "memory.db.tokens"
    assert token.encode() not in file.read_bytes()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    [row] = listed(store)
    assert (row["user"], row["scopes"]) == ("ann", ["memory:read", "memory:write"])
    assert (row["expires"], row["last_used"], row["expired"]) == (None, None, False)
    assert token not in ok(store, "tokens", "list").stdout
    assert not (tmp_path / "memory.db").exists()


def test_a_token_names_its_user_and_what_it_may_do(store, tmp_path):
    file = tmp_path / "memory.db.tokens"
    token = ok(store, "tokens", "add", "ann", "--read-only").stdout.strip()
    found = verified(file, token)
    assert (found.subject, found.scopes) == ("ann", ["memory:read"])
    assert listed(store)[0]["last_used"] is not None


def test_a_revoked_token_is_unknown_at_once(store, tmp_path):
    file = tmp_path / "memory.db.tokens"
    token, other = (ok(store, "tokens", "add", "ann").stdout.strip() for _ in range(2))
    first = verified(file, token).client_id
    assert ok(store, "tokens", "revoke", first).stdout.strip() == first
    assert verified(file, token) is None
    assert verified(file, other) is not None
    assert run(store, "tokens", "revoke", first).exit_code == 1


@pytest.mark.slow
def test_each_look_up_finds_the_file_as_it_is(tmp_path):
    """Revoked within the tick of a clock, replaced by a copy, taken away and back."""
    tokens, other = (Tokens(tmp_path / name) for name in ("tokens.db", "other.db"))
    here, there = tokens.add("ann", (), None), other.add("bob", (), None)

    def known():
        return [anyio.run(tokens.verify_token, one) is not None for one in (here, there)]

    assert known() == [True, False]
    for _ in range(50):
        another = tokens.add("ann", (), None)
        found = anyio.run(tokens.verify_token, another)
        tokens.revoke([found.client_id])
        assert anyio.run(tokens.verify_token, another) is None
    assert known() == [True, False]
    mounted = tokens.file.stat()
    away = tokens.file.rename(tmp_path / "away.db")
    assert known() == [False, False]
    os.utime(other.file, ns=(mounted.st_atime_ns, mounted.st_mtime_ns))
    other.file.replace(tokens.file)
    assert known() == [False, True]
    away.replace(tokens.file)
    assert known() == [True, False]


@pytest.mark.slow
def test_a_server_that_runs_refuses_a_token_as_soon_as_it_is_revoked(served):
    assert served.post().status_code == 200
    served.tokens.revoke_user("ann")
    assert served.post().status_code == 401
    assert served.post(user="bob").status_code == 200


def test_a_token_ends_with_its_days(store, tmp_path, monkeypatch):
    file = tmp_path / "memory.db.tokens"
    token = ok(store, "tokens", "add", "ann", "--days", "2").stdout.strip()
    now = module._NOW()
    monkeypatch.setattr(module, "_NOW", lambda: now + 2 * 86_400 - 10)
    assert verified(file, token) is not None
    monkeypatch.setattr(module, "_NOW", lambda: now + 2 * 86_400 + 10)
    assert verified(file, token) is None
    assert listed(store)[0]["expired"]
    assert "expired" in ok(store, "tokens", "list").stdout


def test_a_file_that_cannot_be_written_still_admits_its_users(store, tmp_path):
    file = tmp_path / "memory.db.tokens"
    token = ok(store, "tokens", "add", "ann").stdout.strip()
    locked = module.sqlite3.connect(file)
    locked.execute("BEGIN IMMEDIATE")
    assert verified(file, token) is not None
    locked.close()


@pytest.mark.parametrize("token", ["", PREFIX, PREFIX + "x" * 43, "x" * 100_000, "\x00", "ann"])
def test_other_texts_are_no_tokens(store, tmp_path, token):
    ok(store, "tokens", "add", "ann")
    assert verified(tmp_path / "memory.db.tokens", token) is None


def test_a_file_that_is_none_of_ours_admits_nobody(tmp_path):
    file = tmp_path / "tokens.db"
    assert verified(file, PREFIX + "x" * 43) is None
    file.write_bytes(b"this is no database" * 100)
    assert verified(file, PREFIX + "x" * 43) is None


def test_a_damaged_file_is_told_in_one_line_and_once_in_the_log(store, tmp_path, caplog):
    tokens, file = Tokens(tmp_path / "memory.db.tokens"), tmp_path / "memory.db.tokens"
    whole = tokens.add("ann", ["memory:read"], None)
    kept = file.read_bytes()
    file.write_bytes(b"this is no database" * 100)
    for arguments in (["list"], ["add", "bob"], ["revoke", "x"]):
        failed = fails(store, "tokens", *arguments)
        assert len(failed.stderr.strip().splitlines()) == 1
        assert f"{file}: cannot be used as the file of the tokens" in failed.stderr
    for _ in range(3):
        assert anyio.run(tokens.verify_token, whole) is None
    assert [one.message for one in caplog.records] == ["tokens cannot be read"]
    file.write_bytes(kept)
    assert anyio.run(tokens.verify_token, whole).subject == "ann"


@pytest.mark.parametrize("user", ["", " ", "a\x1fb", "x" * 2_000])
def test_a_user_that_no_memory_can_have_gets_no_token(store, user):
    failed = fails(store, "tokens", "add", user)
    assert failed.stdout == ""


def test_a_variable_names_the_file(store, tmp_path, monkeypatch):
    monkeypatch.setenv("CONCEPT_GRAPH_TOKENS", str(tmp_path / "other.db"))
    ok(store, "tokens", "add", "ann")
    assert (tmp_path / "other.db").exists()
    assert [row["user"] for row in listed(store)] == ["ann"]
