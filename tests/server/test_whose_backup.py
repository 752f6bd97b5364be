"""A backup belongs to the store that it is of, wherever that is and whatever the clock says."""

import gzip
import json
import os
import re
import shutil
import sqlite3
import time
import uuid
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from neo4j.exceptions import ClientError
from shell import HELD, Shell

from concept_graph_mcp.hosts.memgraph import readiness
from concept_graph_mcp.hosts.memgraph.store import BoltStore
from concept_graph_mcp.hosts.sqlite.procedure_host import Host

NAME = re.compile(r"\d{8}-\d{6}Z-[0-9a-f]{12}(-\d+)?(\.db|\.jsonl\.gz)")


class Elsewhere(Shell):
    """Another store, with its backups in the same folder."""

    def run(self, *arguments, stdin=None):
        with pytest.MonkeyPatch.context() as patched:
            if not self.store:
                # There is one database; here it says that it is another one.
                async def identity(*_: object) -> str:
                    return "00000000-0000-4000-8000-000000000002"

                patched.setattr(readiness, "identity", identity)
            return super().run(*arguments, stdin=stdin)

    def ok(self, *arguments, stdin=None):
        result = self.run(*arguments, stdin=stdin)
        assert result.exit_code == 0, result.output
        return result.stdout


@pytest.fixture
def other(shell, tmp_path) -> Shell:
    made = Elsewhere([f"--embedded={tmp_path / 'other.db'}"] if shell.store else [], shell.folder)
    made.ok("import", "-", stdin="pear\tis-a\tfruit\n")
    return made


def embedded(path: Path, folder: Path) -> Shell:
    return Shell([f"--embedded={path}"], folder)


def test_a_backup_is_named_after_its_time_and_its_store(shell, other):
    shell.keep("backup")
    other.keep("backup")
    names = [file.name for file in shell.files()]
    assert all(NAME.fullmatch(name) for name in names)
    assert len({name.split("-")[2].split(".")[0] for name in names}) == 2


def test_the_latest_is_the_stores_own(shell, other):
    before = shell.graph()
    shell.keep("backup")
    other.keep("backup")
    shell.ok("concept", "remove", "apple", "--yes")
    shell.keep("restore", "latest", "--yes")
    assert set(before) <= set(shell.graph())


def test_another_stores_backup_is_not_the_latest_and_is_named(shell, other):
    other.keep("backup")
    (file,) = shell.files()
    before = shell.graph()
    refused = shell.run("restore", "latest", "--yes", "--dir", str(shell.folder))
    assert refused.exit_code == 1
    assert refused.stderr == (
        f"concept-graph-mcp: {shell.folder}: has no backup of this store;"
        f" {file.name} is of another store, and restored by name only\n"
    )
    assert shell.graph() == before


def test_another_stores_backup_is_restored_by_name_after_being_told_of(shell, other):
    held = shell.keep("backup").partition(": ")[2]
    (file,) = shell.files()
    asked = other.run("restore", file.name, "--dir", str(shell.folder), stdin="n\n")
    assert asked.exit_code == 1
    told, question = asked.stdout.splitlines()[:2]
    assert told.startswith(f"{file}: is a backup of another store, ")
    assert question.startswith("Replace ")
    said = other.keep("restore", file.name, "--yes")
    assert said.splitlines()[0] == told
    assert said.endswith(f"restored {held}")
    # And it is still what it was: its own backups are its latest.
    other.keep("backup")
    assert not other.keep("restore", "latest", "--yes").startswith(f"{file}: is a backup of")


def test_a_backup_under_another_stores_name_is_not_taken_for_the_latest(shell, other):
    shell.keep("backup")
    (own,) = shell.files()
    other.keep("backup")
    (strange,) = set(shell.files()) - {own}
    strange.replace(own)
    before = shell.graph()
    refused = shell.run("restore", "latest", "--yes", "--dir", str(shell.folder))
    assert refused.exit_code == 1
    assert "is a backup of another store" in refused.stderr
    assert shell.graph() == before


@pytest.fixture
def zone(monkeypatch):
    """Moves the machine to another time zone."""

    def move(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()


def test_after_a_change_of_time_zone_the_latest_is_still_the_latest(shell, zone):
    zone("Pacific/Kiritimati")
    shell.keep("backup")
    (earlier,) = shell.files()
    zone("Pacific/Pago_Pago")
    shell.ok("import", "-", stdin="pear\tis-a\tfruit\n")
    later = shell.graph()
    shell.keep("backup")
    assert shell.files()[0] == earlier
    shell.ok("concept", "remove", "pear", "--yes")
    shell.keep("restore", "latest", "--yes")
    assert shell.graph() == later


# Backups that do not name their store


@pytest.fixture
def old(shell) -> Path:
    """A backup of a name of its own, which does not say of which store it is."""
    shell.keep("backup")
    (made,) = shell.files()
    file = made.with_name(f"20250615-170640{shell.suffix}")
    if shell.suffix == ".db":
        made.replace(file)
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("DROP TABLE meta")
    else:
        head, *lines = gzip.decompress(made.read_bytes()).decode().splitlines(keepends=True)
        kept = {key: value for key, value in json.loads(head).items() if key != "store"}
        file.write_bytes(gzip.compress("".join([json.dumps(kept) + "\n", *lines]).encode()))
        made.unlink()
    return file


def test_a_backup_that_names_no_store_is_restored_by_name_after_being_told_of(shell, old):
    before = shell.graph()
    shell.ok("concept", "remove", "apple", "--yes")
    said = shell.keep("restore", old.name, "--yes")
    assert said.startswith(f"{old}: does not say which store it is a backup of\n")
    assert shell.graph() == before


def test_a_backup_that_names_no_store_is_not_the_latest(shell, old):
    refused = shell.run("restore", "latest", "--yes", "--dir", str(shell.folder))
    assert refused.exit_code == 1
    assert f"skipped what is no backup by its name: {old.name}" in refused.stderr
    assert "has no backup of this store" in refused.stderr


# Files that are moved, copied and put back


@pytest.fixture
def file(plain_environment, tmp_path) -> Path:
    made = tmp_path / "memory.db"
    embedded(made, tmp_path / "backups").fill()
    return made


def test_a_store_that_was_moved_keeps_its_backups(file, tmp_path):
    embedded(file, tmp_path / "backups").keep("backup")
    moved = tmp_path / "elsewhere" / "renamed.db"
    moved.parent.mkdir()
    shutil.move(file, moved)
    store = embedded(moved, tmp_path / "backups")
    store.ok("concept", "remove", "apple", "--yes")
    assert store.keep("restore", "latest", "--yes").endswith(f"restored {HELD}\n")
    # Also where another store takes its old place.
    embedded(file, tmp_path / "backups").fill()
    assert store.keep("restore", "latest", "--yes").endswith(f"restored {HELD}\n")
    refused = embedded(file, tmp_path / "backups").run(
        "restore", "latest", "--yes", "--dir", str(tmp_path / "backups")
    )
    assert "has no backup of this store" in refused.stderr


def test_a_copy_beside_the_original_is_a_store_of_its_own(file, tmp_path):
    original = embedded(file, tmp_path / "backups")
    original.keep("backup")
    (kept,) = original.files()
    copy = embedded(Path(shutil.copyfile(file, tmp_path / "copy.db")), tmp_path / "backups")
    refused = copy.run("restore", "latest", "--yes", "--dir", str(tmp_path / "backups"))
    assert f"{kept.name} is of another store" in refused.stderr
    copy.keep("backup")
    copy.ok("import", "-", stdin="pear\tis-a\tfruit\n")
    # The same store before and after it first wrote, and whether or not the original is there.
    copy.keep("backup")
    file.unlink()
    copy.keep("backup")
    stores = Counter(made.stem.split("-")[2] for made in copy.files())
    assert sorted(stores.values()) == [1, 3]


def test_a_copy_whose_original_is_gone_is_that_store(file, tmp_path):
    embedded(file, tmp_path / "backups").keep("backup")
    copy = Path(shutil.copyfile(file, tmp_path / "copy.db"))
    file.unlink()
    said = embedded(copy, tmp_path / "backups").keep("restore", "latest", "--yes")
    assert said.endswith(f"restored {HELD}\n")


def test_a_backup_that_is_put_back_by_hand_is_the_store_that_it_is_of(file, tmp_path):
    store = embedded(file, tmp_path / "backups")
    store.keep("backup")
    (kept,) = store.files()
    file.unlink()
    shutil.copyfile(kept, file)
    assert store.keep("restore", "latest", "--yes").endswith(f"restored {HELD}\n")


def test_a_store_whose_path_is_not_text_has_backups_too(tmp_path):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("needs a file system whose names are bytes")
    store = embedded(folder / "memory.db", tmp_path / "backups")
    store.fill()
    store.keep("backup")
    (folder / "memory.db").rename(folder / "moved.db")
    moved = embedded(folder / "moved.db", tmp_path / "backups")
    assert moved.keep("restore", "latest", "--yes").endswith(f"restored {HELD}\n")


def test_a_link_to_a_store_is_that_store(file, tmp_path):
    embedded(file, tmp_path / "backups").keep("backup")
    (tmp_path / "link.db").symlink_to(file)
    linked = embedded(tmp_path / "link.db", tmp_path / "backups")
    assert linked.keep("restore", "latest", "--yes").endswith(f"restored {HELD}\n")


def test_a_store_is_not_restored_from_itself(file, tmp_path):
    (tmp_path / "link.db").symlink_to(file)
    store = embedded(tmp_path / "link.db", tmp_path / "backups")
    refused = store.run("restore", str(file), "--yes", "--dir", str(tmp_path / "backups"))
    assert refused.exit_code == 1
    assert refused.stderr == f"concept-graph-mcp: {file}: is this store itself\n"
    assert store.apart() == []


def test_a_restored_store_stays_the_store_that_it_was(file, tmp_path):
    other = embedded(tmp_path / "other.db", tmp_path / "backups")
    other.fill()
    with closing(Host(file)) as host:
        before = host.store_id
    embedded(file, tmp_path / "backups").keep("restore", str(tmp_path / "other.db"), "--yes")
    with closing(Host(file)) as host:
        assert host.store_id == before


def test_the_files_of_others_that_a_store_names_are_not_opened(file, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("not a store")
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'home'", [str(notes)])
        connection.commit()
    embedded(file, tmp_path / "backups").keep("backup")
    assert notes.read_text() == "not a store"
    assert not list(tmp_path.glob("notes.txt-*"))


@pytest.mark.parametrize("said", ["no id", "../../../etc/passwd", ""])
def test_an_id_that_is_none_is_replaced(file, tmp_path, said):
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'id'", [said])
        connection.commit()
    store = embedded(file, tmp_path / "backups")
    store.keep("backup")
    store.ok("import", "-", stdin="pear\tis-a\tfruit\n")
    store.keep("backup")
    *_, made = store.files()
    assert NAME.fullmatch(made.name)
    assert store.keep("restore", "latest", "--yes").splitlines()[-1].startswith(f"{file}: restored")


# A Memgraph says which database it is

OF_ALL, OF_ONE = "SHOW STORAGE INFO", "SHOW STORAGE INFO ON CURRENT DATABASE"
ID = "3f2a9c1b-04de-4a6e-9f3b-6d5f1c2b7a88"
BY_ADDRESS = "4b048405-f6f7-58f5-9169-f48286f7b975"
SAYS = [
    {"storage info": "name", "value": "memgraph"},
    {"storage info": "database_uuid", "value": ID},
]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        # Since 3.12 one database is asked for; before that there was nothing to ask for.
        ({OF_ONE: SAYS, OF_ALL: SAYS[:1]}, ID),
        ({OF_ALL: SAYS}, ID),
        # Before 3.5, and where only others may ask.
        ({OF_ALL: SAYS[:1]}, BY_ADDRESS),
        ({}, BY_ADDRESS),
    ],
)
def test_a_database_is_known_by_its_own_id_or_else_by_its_address(portal, answers, expected):
    async def run(statement: str, *_: object) -> list[dict[str, object]]:
        if statement not in answers:
            raise ClientError("not understood, or not allowed")
        return answers[statement]

    assert portal.call(readiness.identity, run, "bolt://localhost:7687") == expected


def test_a_database_has_an_id_of_its_own_whatever_its_address(empty_memgraph, portal):
    async def asked(uri: str) -> str:
        store = BoltStore(uri, "", "")
        try:
            return await store.identity()
        finally:
            await store.close()

    other = empty_memgraph.replace("127.0.0.1", "localhost")
    assert portal.call(asked, empty_memgraph) == portal.call(asked, other)
    assert portal.call(asked, other) != str(uuid.uuid5(uuid.NAMESPACE_URL, other))
