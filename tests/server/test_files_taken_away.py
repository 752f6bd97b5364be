"""A store whose files are deleted, moved or replaced while it is open says so and loses nothing."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import race
from embedded_files import assert_sound, opened, run
from server_processes import StdioServer, Worker, workers

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Unavailable
from concept_graph_mcp.hosts.sqlite import cancellation
from concept_graph_mcp.hosts.sqlite.procedure_host import Host


def names(host: Host) -> list[str]:
    records = [record for batch in host.export(1_000) for record in batch]
    return [record["name"] for record in race.in_order(records)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store in a directory of its own."""
    path = tmp_path / "kept" / "memory.db"
    with opened(path) as host:
        run(host, calls.concepts.concept_upsert("apple"))
    return path


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another store, to be put in the place of the first."""
    path = tmp_path / "other" / "memory.db"
    with opened(path) as host:
        run(host, calls.concepts.concept_upsert("pear"))
    return path


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def delete(path: Path, other: Path) -> None:
    path.unlink()


def delete_all(path: Path, other: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        beside(path, suffix).unlink()


def delete_log(path: Path, other: Path) -> None:
    beside(path, "-wal").unlink()


def delete_shared(path: Path, other: Path) -> None:
    beside(path, "-shm").unlink()


def delete_directory(path: Path, other: Path) -> None:
    shutil.rmtree(path.parent)


def move(path: Path, other: Path) -> None:
    path.rename(path.with_name("moved.db"))


def move_directory(path: Path, other: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


def replace(path: Path, other: Path) -> None:
    shutil.copyfile(other, other.with_name("copy"))
    other.with_name("copy").replace(path)


def replace_all(path: Path, other: Path) -> None:
    delete_all(path, other)
    shutil.copyfile(other, path)


TAKEN = [delete, delete_all, delete_log, delete_shared, delete_directory, move, move_directory]
REPLACED = [replace, replace_all]


@pytest.mark.parametrize("take", [*TAKEN, *REPLACED])
def test_every_call_fails_clearly_once_the_files_are_others(path, other, take):
    with opened(path) as host:
        run(host, calls.concepts.concept_upsert("plum"))
        take(path, other)
        left, there = set(path.parent.glob("*")), path.read_bytes() if path.exists() else None
        for work in (
            lambda: run(host, calls.concepts.concept_upsert("lost")),
            lambda: run(host, calls.concepts.peek(["apple"], 1)),
            lambda: names(host),
            lambda: host.restore(None),
            lambda: host.backup(path.with_name("backup.db")),
        ):
            with pytest.raises(Unavailable) as failure:
                work()
            line = str(failure.value)
            assert line.startswith(f"store {path}: ")
            assert "while it was open" in line
            assert "restart" in line
            assert ("replaced" in line) is (take in REPLACED)
            assert "\n" not in line
        # Nothing was made in the place of what is gone, and nothing written to what is there.
        assert set(path.parent.glob("*")) == left
        assert (path.read_bytes() if path.exists() else None) == there
    with opened(other) as unharmed:
        assert names(unharmed) == ["pear"]


@pytest.mark.parametrize("take", REPLACED)
def test_what_replaced_the_file_is_whole_when_it_is_opened_next(path, other, take):
    with opened(path) as host:
        run(host, calls.concepts.concept_upsert("plum"))
        take(path, other)
        with pytest.raises(Unavailable, match="replaced"):
            run(host, calls.concepts.concept_upsert("lost"))
    with opened(path) as host:
        assert names(host) == ["pear"]
        run(host, calls.concepts.concept_upsert("quince"))
    assert_sound(path)


def test_a_file_that_was_moved_away_has_all_that_was_acknowledged(path):
    with opened(path) as host:
        run(host, calls.concepts.concept_upsert("plum"))
        moved = path.parent.with_name("moved.db")
        path.rename(moved)
        with pytest.raises(Unavailable, match="moved away"):
            run(host, calls.concepts.concept_upsert("lost"))
    with opened(moved) as host:
        assert names(host) == ["apple", "plum"]
    assert_sound(moved)


def test_a_file_that_is_put_back_is_used_again(path):
    with opened(path) as host:
        run(host, calls.concepts.concept_upsert("plum"))
        moved = path.with_name("moved.db")
        path.rename(moved)
        with pytest.raises(Unavailable, match="moved away"):
            run(host, calls.concepts.concept_upsert("lost"))
        moved.rename(path)
        run(host, calls.concepts.concept_upsert("quince"))
        assert names(host) == ["apple", "plum", "quince"]
    assert_sound(path)


def test_a_file_taken_away_as_it_is_written_is_not_acknowledged(path, other, monkeypatch):
    with opened(path) as host:
        run(host, calls.concepts.concept_upsert("plum"))
        with monkeypatch.context() as patched:
            # The last thing before the commit.
            patched.setattr(cancellation, "check", lambda: delete(path, other))
            with pytest.raises(Unavailable, match="what was just written is lost"):
                run(host, calls.concepts.concept_upsert("lost"))


def test_a_process_that_ends_leaves_the_log_of_the_store_that_replaced_its_own(path, other):
    with opened(path) as host:
        run(host, calls.concepts.concept_upsert("plum"))
        replace_all(path, other)
        with workers(path, 1) as (worker,):
            worker.rows("concept_upsert", "quince")
            host.close()
            worker.rows("concept_upsert", "medlar")
            worker.kill()
    with opened(path) as host:
        assert names(host) == ["medlar", "pear", "quince"]
    assert_sound(path)


@pytest.mark.slow
def test_a_process_whose_log_was_deleted_ends_and_undoes_nothing_that_another_wrote(path):
    with Worker(path) as first:
        assert first.answer() == {"rows": []}
        first.rows("concept_upsert", "plum")
        delete_log(path, path)
        delete_shared(path, path)
        with workers(path, 1) as (second,):
            second.rows("concept_upsert", "quince")
        assert first.finish() == 0
    with opened(path) as host:
        assert names(host) == ["apple", "quince"]
    assert_sound(path)


@pytest.mark.slow
def test_a_server_whose_file_is_gone_says_so_and_goes_on_when_it_is_back(path):
    def upserted(server: StdioServer, concept: str) -> dict[str, Any]:
        return server.call("concept_upsert", concept=concept)

    with StdioServer("--embedded", str(path)) as server:
        server.initialize()
        assert not upserted(server, "plum")["isError"]
        moved = path.with_name("moved.db")
        path.rename(moved)
        refused = upserted(server, "lost")
        assert refused["isError"]
        assert "deleted or moved away while it was open" in refused["content"][0]["text"]
        moved.rename(path)
        assert not upserted(server, "quince")["isError"]
        assert server.end()[0] == 0
    with opened(path) as host:
        assert names(host) == ["apple", "plum", "quince"]
