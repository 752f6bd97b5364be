"""Export: whole or not at all, in place of nothing but a file, and for other programs too."""

import json
import os
import stat
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from command_line import fails, ok, run

from concept_graph_mcp.commands import exporting

EDGES = "apple\tis-a\tfruit\n"
REFERENCE = [
    {
        "type": "entity",
        "name": "Ana Müller",
        "entityType": "person",
        "observations": ["likes figs", "has a sister"],
    },
    {"type": "entity", "name": "Rome", "entityType": "city", "observations": []},
    {"type": "entity", "name": "Italy", "entityType": "", "observations": ["is sunny"]},
    {"type": "entity", "name": "idea", "entityType": "", "observations": []},
    {"type": "relation", "from": "Ana Müller", "to": "Rome", "relationType": "lives_in"},
    {"type": "relation", "from": "Ana Müller", "to": "Rome", "relationType": "is-fond-of"},
    {"type": "relation", "from": "Rome", "to": "Italy", "relationType": "part_of"},
    {"type": "relation", "from": "Italy", "to": "Ana Müller", "relationType": "evokes"},
]


def said(text: str) -> Counter[str]:
    """Return the lines of a JSON Lines text, whatever their order and that of observations."""
    records = map(json.loads, text.splitlines())
    for record in (found := list(records)):
        record.get("observations", []).sort()
    return Counter(json.dumps(record, sort_keys=True, ensure_ascii=False) for record in found)


def names(directory: Path) -> list[str]:
    return sorted(file.name for file in directory.iterdir())


def lines(*records: Any) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


@pytest.fixture
def filled(there) -> list[str]:
    """A store of each kind with a graph in it."""
    ok(*there, "import", "-", stdin=EDGES)
    return there


@pytest.fixture
def home(tmp_path) -> Path:
    """A directory with nothing in it."""
    directory = tmp_path / "home"
    directory.mkdir()
    return directory


# Where to


def test_a_link_is_followed_and_stays_a_link(filled, home):
    (home / "real").mkdir()
    target, link = home / "real" / "graph.jsonl", home / "link.jsonl"
    target.write_text("old")
    link.symlink_to(target)
    ok(*filled, "export", "--force", str(link))
    assert link.is_symlink()
    assert "apple" in target.read_text(encoding="utf-8")
    assert names(home / "real") == ["graph.jsonl"]


def test_a_link_to_nothing_yet_is_followed_with_force_only(filled, home):
    (home / "link.jsonl").symlink_to("graph.jsonl")
    refused = run(*filled, "export", str(home / "link.jsonl"))
    assert "is a link to a file that is not there; --force writes that" in refused.stderr
    assert names(home) == ["link.jsonl"]
    ok(*filled, "export", "--force", str(home / "link.jsonl"))
    assert "apple" in (home / "graph.jsonl").read_text(encoding="utf-8")
    assert (home / "link.jsonl").is_symlink()


def fifo(file: Path) -> None:
    os.mkfifo(file)


def device(file: Path) -> None:
    try:
        os.mknod(file, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("needs the right to make a device")


def link_to_a_device(file: Path) -> None:
    device(file.with_name("device"))
    file.symlink_to("device")


@pytest.mark.parametrize("make", [fifo, device, link_to_a_device])
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_what_is_no_regular_file_is_never_replaced(filled, home, make, force):
    file = home / "special"
    make(file)
    before = {name: (home / name).lstat() for name in names(home)}
    refused = fails(*filled, "export", *force, str(file))
    assert refused.stderr == (f'concept-graph-mcp: {file}: is not a regular file; "-" is stdout\n')
    after = {name: (home / name).lstat() for name in names(home)}
    assert after.keys() == before.keys()
    assert all(stat.S_IFMT(after[n].st_mode) == stat.S_IFMT(before[n].st_mode) for n in before)


def test_no_file_beside_it_is_touched(filled, home):
    (home / "graph.jsonl.partial").write_text("mine")
    ok(*filled, "export", str(home / "graph.jsonl"))
    assert (home / "graph.jsonl.partial").read_text() == "mine"
    assert names(home) == ["graph.jsonl", "graph.jsonl.partial"]


def test_an_export_that_fails_leaves_what_was_there_and_nothing_else(filled, home, monkeypatch):
    def fail(_record: Any) -> str:
        raise OSError(28, "No space left on device")

    (home / "graph.jsonl").write_text("old")
    monkeypatch.setattr(exporting.native, "line", fail)
    refused = fails(*filled, "export", "--force", str(home / "graph.jsonl"))
    assert refused.stderr.endswith(f"{home / 'graph.jsonl'}: No space left on device\n")
    assert names(home) == ["graph.jsonl"]
    assert (home / "graph.jsonl").read_text() == "old"


def test_a_file_that_appears_meanwhile_is_not_replaced(filled, home, monkeypatch):
    file = home / "graph.jsonl"
    line = exporting.native.line

    def appear(record: Any) -> str:
        file.write_text("mine")
        return line(record)

    monkeypatch.setattr(exporting.native, "line", appear)
    assert "exists already" in run(*filled, "export", str(file)).stderr
    assert names(home) == ["graph.jsonl"]
    assert file.read_text() == "mine"


@pytest.mark.parametrize("name", ["", ".", "missing/graph.jsonl", "n" * 300])
def test_a_place_where_no_file_can_be_is_one_line(filled, home, monkeypatch, name):
    monkeypatch.chdir(home)
    refused = run(*filled, "export", name)
    assert refused.exit_code != 0
    assert "Traceback" not in refused.stderr
    assert names(home) == []


# For whom


@pytest.fixture
def open_handed():
    """A umask that keeps nothing from anybody."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_handed")
def test_an_export_is_for_its_owner_only(filled, home):
    ok(*filled, "export", str(home / "graph.jsonl"))
    assert stat.S_IMODE((home / "graph.jsonl").stat().st_mode) == 0o600


@pytest.mark.usefixtures("open_handed")
def test_an_export_is_for_its_owner_only_while_it_is_written(filled, home, monkeypatch):
    modes = []
    line = exporting.native.line

    def look(record: Any) -> str:
        modes.extend(stat.S_IMODE(file.stat().st_mode) for file in home.iterdir())
        return line(record)

    monkeypatch.setattr(exporting.native, "line", look)
    ok(*filled, "export", str(home / "graph.jsonl"))
    assert set(modes) == {0o600}


def test_a_file_that_is_replaced_hands_its_mode_on(filled, home):
    file = home / "graph.jsonl"
    file.touch()
    file.chmod(0o640)
    ok(*filled, "export", "--force", str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.slow
def test_maps_are_in_the_order_of_their_keys_whichever_the_store_gives_them_in(there, home):
    metadata = {"z": [{"b": 1, "a": {"y": [1.5], "x": "ä"}}], "é": True, "B": 2, "a": {}}
    memory = {"kind": "memory", "id": "m", "user_id": "default", "content": "tea"}
    given = json.dumps({**memory, "metadata": metadata, "tags": ["z", "a"]})
    ok(*there, "import", "-", stdin=given + "\n")
    exported = ok(*there, "export", "-").stdout
    ordered = '{"B": 2, "a": {}, "z": [{"a": {"x": "ä", "y": [1.5]}, "b": 1}], "é": true}'
    assert f'"metadata": {ordered}' in exported
    assert '"tags": ["z", "a"]' in exported
    ok(*there, "clean", "--yes", "--dir", str(home))
    ok(*there, "import", "-", stdin=exported)
    assert ok(*there, "export", "-").stdout == exported


@pytest.mark.slow
def test_stdout_gets_utf_8_whatever_the_locale(tmp_path):
    command = [sys.executable, "-m", "concept_graph_mcp", f"--embedded={tmp_path / 'memory.db'}"]
    environment = os.environ | {"TZ": "UTC", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}

    def run_there(*arguments: str, given: bytes = b"") -> bytes:
        return subprocess.run(
            [*command, *arguments], input=given, env=environment, capture_output=True, check=True
        ).stdout

    run_there("import", "-", given="果物\tis-a\tfood\n".encode())
    assert "果物" in run_there("export", "-").decode("utf-8")


# For the reference memory server
