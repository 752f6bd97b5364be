"""`sync` brings two stores of one user to the same: over a file, a folder, and ssh."""

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import fails, ok, run

from concept_graph_mcp.file_formats.merging import merge_records


@pytest.fixture
def stores(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CONCEPT_GRAPH_CONCEPTS", "own")
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", "none")
    return [[f"--embedded={tmp_path / name}.db"] for name in ("a", "b")]


def path(store):
    return store[0].partition("=")[2]


def records(store):
    _, *found = map(json.loads, ok(*store, "export", "-").stdout.splitlines())
    return found


def plain(store):
    """Return the records of *store*, without what it computes at a time of its own."""
    computed = ("decay_score", "last_decay_update", "state")
    return sorted(
        json.dumps({key: one for key, one in record.items() if key not in computed}, sort_keys=True)
        for record in records(store)
    )


def texts(store):
    return {
        one["content"]
        for one in records(store)
        if one["kind"] == "memory" and not one.get("deleted_at")
    }


def find(store, text):
    [found] = [one["id"] for one in records(store) if one.get("content") == text]
    return found


def fill(stores):
    a, b = stores
    ok(*a, "remember", "My sister Clara is allergic to hazelnuts", "--about", "Clara")
    ok(*a, "remember", "The boiler was serviced in May", "--about", "the boiler")
    ok(*b, "remember", "Clara moved to Bergen", "--about", "Clara")
    ok(*b, "remember", "Tom plays the cello", "--about", "Tom")


def changed(result):
    return [line for line in result.stderr.splitlines() if "records changed" in line]


@pytest.mark.slow
def test_two_files_become_the_same_and_the_same_again_changes_nothing(stores):
    a, b = stores
    fill(stores)
    ok(*a, "sync", path(b))
    assert len(texts(a)) == 4
    assert plain(a) == plain(b)
    before = plain(a)
    assert changed(ok(*a, "sync", path(b))) == [
        "0 records changed here.",
        "0 records changed there.",
    ]
    assert changed(ok(*b, "sync", path(a)))[0] == "0 records changed here."
    assert plain(a) == before
    assert "Bergen" in ok(*a, "about", "Clara").stdout
    assert [ok(*store, "check").stdout for store in stores] == ["Nothing is wrong.\n"] * 2


@pytest.mark.slow
def test_what_replaces_a_memory_in_one_does_so_in_both(stores):
    a, b = stores
    fill(stores)
    ok(*a, "sync", path(b))
    own = find(a, "The boiler was serviced in May")
    ok(*b, "remember", "The boiler was serviced in June", "--replaces", own)
    ok(*a, "sync", path(b))
    for store in stores:
        [old] = [one for one in records(store) if one.get("id") == own]
        assert old["valid_until"]
        assert "June" in ok(*store, "recall", "When was the boiler serviced?").stdout


@pytest.mark.parametrize("later", [0, 1])
def test_the_later_of_two_versions_wins_whoever_asks(later):
    said = [{"kind": "memory", "id": "1", "content": one, "accessed_at": 5} for one in "ab"]
    said[later] |= {"accessed_at": 9, "summary": "s"}
    said[1 - later] |= {"access_count": 7}
    first, second = (merge_records(*pair) for pair in (said, said[::-1]))
    assert first == second
    assert first == {**said[later], "access_count": 7}


def test_a_forgotten_version_wins_over_a_later_one():
    gone = {"kind": "memory", "id": "1", "deleted_at": 5, "metadata": {"forgotten": {"at": 5}}}
    seen = {"kind": "memory", "id": "1", "accessed_at": 9, "metadata": {}, "access_count": 1}
    made = merge_records(seen, gone)
    assert made == merge_records(gone, seen)
    assert made["deleted_at"] == 5
    assert made["metadata"] == {"forgotten": {"at": 5}}
    assert made["access_count"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("asker", [0, 1])
def test_what_is_forgotten_in_one_is_forgotten_in_both(stores, asker):
    a, b = stores
    fill(stores)
    ok(*a, "sync", path(b))
    ok(*b, "forget", find(b, "Tom plays the cello"))
    # Recalled later in the other one, it stays forgotten.
    ok(*a, "recall", "Who plays the cello?")
    ok(*stores[asker], "sync", path(stores[1 - asker]))
    for store in stores:
        assert "Tom plays the cello" not in texts(store)
        assert "cello" not in ok(*store, "recall", "Who plays the cello?").stdout
    assert changed(ok(*a, "sync", path(b)))[0] == "0 records changed here."


@pytest.mark.slow
def test_a_folder_brings_what_other_stores_left_in_it(stores, tmp_path):
    a, b = stores
    fill(stores)
    folder = tmp_path / "shared"
    folder.mkdir()
    for store in (a, b, a, b):
        ok(*store, "sync", str(folder))
    assert plain(a) == plain(b)
    assert len(texts(a)) == 4
    assert len(list(folder.iterdir())) == 2
    assert all(stat.S_IMODE(one.stat().st_mode) == 0o600 for one in folder.iterdir())
    assert changed(ok(*a, "sync", str(folder))) == ["0 records changed here."]


def put_ssh(tmp_path, monkeypatch, script):
    """Put a program `ssh` in the path."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    program = folder / "ssh"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    if str(folder) not in os.environ["PATH"]:
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """Let `ssh` run the command here, as a shell on a host does."""
    put_ssh(tmp_path, monkeypatch, '[ "$1" = "--" ] || exit 9\nshift 2\nexec sh -c "$*"')
    return f"{sys.executable} -m concept_graph_mcp"


@pytest.fixture
def sshd(tmp_path, monkeypatch):
    """Run a server of OpenSSH on a free port, with keys of its own, and let `ssh` connect to it."""
    server, client = shutil.which("sshd", path="/usr/sbin:/usr/bin:/sbin"), shutil.which("ssh")
    if server is None or client is None or (os.getuid() == 0 and not Path("/run/sshd").is_dir()):
        pytest.skip("needs the server of OpenSSH")
    for key in ("host", "user"):
        made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / key)]
        subprocess.run(made, check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = f"HostKey {tmp_path}/host\nAuthorizedKeysFile {tmp_path}/user.pub\nPidFile none\n"
    (tmp_path / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\n{own}StrictModes no\nUsePAM no\n"
    )
    given = {"Port": port, "HostName": "127.0.0.1", "IdentityFile": tmp_path / "user"}
    given |= {"UserKnownHostsFile": tmp_path / "known", "StrictHostKeyChecking": "accept-new"}
    given |= {"ConnectionAttempts": 20, "LogLevel": "ERROR", "IdentitiesOnly": "yes"}
    options = " ".join(f"-o {name}={value}" for name, value in given.items())
    put_ssh(tmp_path, monkeypatch, f'exec {client} -F none {options} "$@"')
    command = [server, "-D", "-f", str(tmp_path / "sshd_config")]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        yield f"TZ=UTC CONCEPT_GRAPH_EMBEDDINGS=none {sys.executable} -m concept_graph_mcp"
        process.terminate()


@pytest.fixture(params=["shell", "sshd"])
def host(request):
    return request.getfixturevalue(request.param)


@pytest.mark.slow
def test_a_host_is_reached_by_ssh(stores, host, tmp_path):
    a, _ = stores
    b = [f"--embedded={tmp_path / 'a folder'}/b.db"]
    (tmp_path / "a folder").mkdir()
    fill((a, b))
    given = ("sync", "ssh", "laptop", "--program", f"{host} --embedded='{path(b)}'")
    assert changed(ok(*a, *given))[0] != "0 records changed here."
    assert plain(a) == plain(b)
    assert len(texts(b)) == 4
    assert changed(ok(*a, *given))[0] == "0 records changed here."
    for one, text in ((a, "The boiler was serviced in May"), (b, "Tom plays the cello")):
        ok(*one, "forget", find(one, text))
    ok(*a, *given)
    assert texts(a) == texts(b)
    assert len(texts(a)) == 2


@pytest.mark.slow
def test_a_host_without_a_store_gets_all(stores, shell, tmp_path):
    a, b = stores
    fill((a, [f"--embedded={tmp_path / 'c'}.db"]))
    ok(*a, "sync", "ssh", "laptop", "--program", f"{shell} {b[0]}")
    assert plain(a) == plain(b)


@pytest.mark.slow
def test_a_broken_connection_is_told_and_the_next_time_all_is_the_same(
    stores, shell, tmp_path, monkeypatch
):
    a, b = stores
    fill(stores)
    program = ("--program", f"{shell} {b[0]}")
    back = 'shift 2\ncase "$*" in *"sync -") head -c 900 | sh -c "$*"; exit 255;; esac\n'
    put_ssh(tmp_path, monkeypatch, f'{back}exec sh -c "$*"')
    result = fails(*a, "sync", "ssh", "laptop", *program)
    assert "laptop: the connection failed" in result.stderr
    put_ssh(tmp_path, monkeypatch, 'shift 2\nexec sh -c "$*" | head -c 900; exit 255')
    assert run(*a, "sync", "ssh", "laptop", *program).exit_code == 1
    put_ssh(tmp_path, monkeypatch, 'shift 2\nexec sh -c "$*"')
    ok(*a, "sync", "ssh", "laptop", *program)
    assert plain(a) == plain(b)
    assert [ok(*store, "check").stdout for store in stores] == ["Nothing is wrong.\n"] * 2


def test_a_missing_program_on_the_host_is_named(stores, shell):
    a, _ = stores
    fill(stores)
    result = fails(*a, "sync", "ssh", "laptop", "--program", "no-such-program")
    assert "laptop: no-such-program is not found there; --program names its path" in result.stderr


def test_the_records_of_another_user_are_refused(stores, monkeypatch):
    a, b = stores
    fill(stores)
    sent = ok(*b, "sync", "--send").stdout
    monkeypatch.setenv("CONCEPT_GRAPH_USER", "bob")
    result = fails(*a, "sync", "-", stdin=sent)
    assert "the records are those of default, not of bob" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), 'say a store file, a folder, "ssh HOST", or "-"'),
        (("ssh",), 'say a store file, a folder, "ssh HOST", or "-"'),
        (("ssh", "-oProxyCommand=x"), "No such option"),
        (("nowhere.db",), "nowhere.db: there is no such store or folder"),
    ],
)
def test_what_cannot_be_synced_is_one_line(stores, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    result = run(*stores[0], "sync", *arguments)
    assert result.exit_code != 0
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_store_is_not_synced_with_itself(stores):
    a, _ = stores
    fill(stores)
    assert "is this store itself" in run(*a, "sync", path(a)).stderr
