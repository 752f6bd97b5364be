"""What is written holds somebody's memory: it is for its owner to read and nobody else."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from concept_graph_mcp.__main__ import main


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


@pytest.fixture(autouse=True)
def open_handed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A umask that keeps nothing from anybody."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("CONCEPT_GRAPH_EMBEDDED", raising=False)
    before = os.umask(0)
    yield
    os.umask(before)


def test_a_store_is_created_for_its_owner_only_with_all_that_is_beside_it(tmp_path, portal):
    from concept_graph_mcp import calls
    from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore

    store = EmbeddedStore(tmp_path / "memory.db")
    portal.call(store.open)
    try:
        call = calls.concepts.concept_upsert("apple")
        portal.call(store.call, call, {})
        modes = {file.name: mode(file) for file in tmp_path.iterdir()}
    finally:
        portal.call(store.close)
    assert modes == dict.fromkeys(
        ("memory.db", "memory.db-wal", "memory.db-shm", "memory.db-spare"), 0o600
    )


def test_a_store_behind_a_link_is_created_for_its_owner_only(tmp_path):
    (tmp_path / "link.db").symlink_to("memory.db")
    store = f"--embedded={tmp_path / 'link.db'}"
    assert CliRunner().invoke(main, [store, "import", "-"], input="a\tis-a\tb\n").exit_code == 0
    assert mode(tmp_path / "memory.db") == 0o600


def test_a_store_that_is_there_keeps_its_mode(tmp_path):
    file = tmp_path / "memory.db"
    file.touch(mode=0o640)
    assert CliRunner().invoke(main, [f"--embedded={file}", "import", "-"], input="").exit_code == 0
    assert mode(file) == 0o640
