"""The watch that holds all other tests to their own directory."""

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.watched_writes import Watch


@pytest.fixture(scope="module")
def fenced(tmp_path_factory) -> tuple[Path, Path, Watch]:
    """A directory that may be written to, one that may not, and the watch over both."""
    # A hook cannot be taken off again: one for all of these tests.
    inside, outside = tmp_path_factory.mktemp("inside"), tmp_path_factory.mktemp("outside")
    watch = Watch(inside)
    sys.addaudithook(watch.hear)
    return inside, outside, watch


def rename(directory: Path) -> None:
    (directory / "a").touch()
    (directory / "a").rename(directory / "b")


def database(directory: Path) -> None:
    with closing(sqlite3.connect(directory / "store.db")) as connection:
        connection.execute("PRAGMA user_version = 1")


def attempt(directory: Path) -> None:
    with pytest.raises(FileNotFoundError):
        (directory / "missing" / "file").write_text("x")


WRITES: dict[str, Callable[[Path], object]] = {
    "a file": lambda directory: (directory / "file").write_text("x"),
    "a file that is appended to": lambda directory: (directory / "log").open("a").close(),
    "a descriptor": lambda directory: os.close(os.open(directory / "fd", os.O_CREAT | os.O_RDWR)),
    "a temporary file": lambda directory: os.close(tempfile.mkstemp(dir=directory)[0]),
    "a directory": lambda directory: (directory / "folder").mkdir(),
    "a link": lambda directory: (directory / "link").symlink_to("nothing"),
    "a new name": rename,
    "a database": database,
    "an attempt that fails": attempt,
    "a tree's removal": lambda directory: shutil.rmtree(directory / "nothing", ignore_errors=True),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_a_write_is_noticed_outside_and_only_there(fenced, write):
    inside, outside, watch = fenced
    watch.strays()
    write(inside)
    assert watch.strays() == []
    write(outside)
    noticed = watch.strays()
    assert noticed
    assert all(str(outside) in stray for stray in noticed)


def test_a_link_that_leads_outside_is_outside(fenced):
    inside, outside, watch = fenced
    (inside / "way out").symlink_to(outside)
    (inside / "way out" / "file").write_text("x")
    assert any("way out" in stray for stray in watch.strays())


def test_reading_is_not_noticed(fenced):
    _, outside, watch = fenced
    file = outside / "to be read"
    file.write_text("x")
    watch.strays()
    file.read_text()
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)):
        pass
    assert watch.strays() == []
