"""Copies of a store file that `cp` takes while a server has it open and writes."""

import shutil
from pathlib import Path

import pytest
from command_line import run
from embedded_files import assert_sound
from server_processes import Worker

WRITES = 40


@pytest.fixture
def writing(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    file = tmp_path / "memory.db"
    with Worker(file) as worker:
        assert worker.answer() == {"rows": []}
        yield file, worker


def write(worker, first, count=WRITES):
    texts = [f"written as number {number}" for number in range(first, first + count)]
    for text in texts:
        worker.rows("memories.create", "default", text)
    return texts


def copied(file: Path, *ends: str) -> Path:
    """Copy the files of the store whose names end so, in this order."""
    copy = file.with_name("copy.db")
    for end in ends:
        shutil.copyfile(f"{file}{end}", f"{copy}{end}")
    return copy


@pytest.mark.slow
@pytest.mark.parametrize("ends", [("", "-wal"), ("-wal", ""), ("", "-wal", "-shm")])
def test_a_copy_with_its_log_is_whole(writing, ends):
    file, worker = writing
    texts = write(worker, 0)
    copy = copied(file, *ends)
    write(worker, WRITES)
    exported = run(f"--embedded={copy}", "export", "-")
    assert exported.exit_code == 0, exported.stderr
    assert all(text in exported.stdout for text in texts)
    assert "Nothing is wrong." in run(f"--embedded={copy}", "check").stdout
    assert_sound(copy)


@pytest.mark.slow
def test_a_copy_without_its_log_has_what_was_in_the_file_or_is_refused_in_a_line(writing):
    file, worker = writing
    write(worker, 0)
    copy = copied(file, "")
    result = run(f"--embedded={copy}", "check")
    assert "Traceback" not in result.output
    if result.exit_code:
        assert result.stderr.count("\n") == 1
        assert str(copy) in result.stderr
    # A copy of a moment at which the file had half of a change.
    pages = file.read_bytes()
    write(worker, WRITES, 400)
    later = file.read_bytes()
    assert len(later) > len(pages), "nothing was moved from the log to the file"
    copy.write_bytes(later[: len(later) // 2] + pages[len(later) // 2 :])
    for command in ("stats", "export -", "check", "doctor"):
        told = run(f"--embedded={copy}", *command.split())
        assert "Traceback" not in told.output, command
    assert run(f"--embedded={copy}", "check").exit_code == 1


@pytest.mark.slow
def test_a_backup_of_the_same_moment_is_whole(writing, tmp_path):
    file, worker = writing
    texts = write(worker, 0)
    made = run(f"--embedded={file}", "backup", "--dir", str(tmp_path / "backups"))
    assert made.exit_code == 0, made.stderr
    [backup] = (tmp_path / "backups").glob("*.db")
    exported = run(f"--embedded={backup}", "export", "-")
    assert all(text in exported.stdout for text in texts)
