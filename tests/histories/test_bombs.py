"""Files that are small on the disk and large in memory, at `ingest`, `import` and `restore`."""

import gzip
import io
import json
import tracemalloc
import zipfile

import pytest
from tests.server.command_line import fails, run

from concept_graph_mcp.histories import archives, formats, markdown
from concept_graph_mcp.histories.archives import Entry
from concept_graph_mcp.hosts import backup_files

MB = 1 << 20
PACKED = MB * 64


def zipped() -> bytes:
    """Return an archive of an archive, with a path that leads out, a link, and a lying size."""
    inner, outer = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", "[" + " " * PACKED)
    with zipfile.ZipFile(outer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.zip", inner.getvalue())
        archive.writestr("../../evil.md", "# Evil\nIs out.")
        link = zipfile.ZipInfo("link.md")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    # The size that is declared last, in the directory of the archive.
    return outer.getvalue().replace((11).to_bytes(4, "little"), (2**32 - 2).to_bytes(4, "little"))


def peak(action):
    """Return what *action* returns, and the most bytes that Python took meanwhile."""
    tracemalloc.start()
    try:
        return action(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["export.zip", "conversations.json", "session.jsonl"])
def test_an_archive_without_a_history_is_named_as_one_and_nothing_is_unpacked(
    there, tmp_path, name
):
    file = tmp_path / "given" / name
    file.parent.mkdir()
    file.write_bytes(zipped())
    result, most = peak(lambda: run(*there, "import", str(file)))
    assert result.exit_code == 1
    assert result.stderr == (
        f"concept-graph-mcp: {file}: is an archive without a history of a known format;"
        " nothing was imported\n"
    )
    assert most < 16 * MB
    assert [*file.parent.iterdir()] == [file]


def ingested(there, file, content):
    """Return the exit code and the last line of `ingest`; it writes nothing beside *file*."""
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)
    result, most = peak(lambda: run(*there, "ingest", str(file)))
    assert most < 48 * MB
    assert [*file.parent.iterdir()] == [file]
    return result.exit_code, result.stderr.splitlines()[-1]


def packed(*files, method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return stream.getvalue()


@pytest.mark.slow
def test_an_archive_with_nothing_that_is_known_is_one_line(there, tmp_path):
    file = tmp_path / "given" / "export.zip"
    code, line = ingested(there, file, packed(("a.zip", zipped()), ("../../evil.json", "[{}]")))
    assert code == 1
    assert line == (
        f"concept-graph-mcp: {file}: is an archive without a history of a known format;"
        " nothing was imported"
    )


@pytest.mark.slow
@pytest.mark.parametrize("begins", ["[", '[{"mapping": {}, "id": "c", "title": "'])
def test_a_file_that_is_unpacked_to_far_more_is_one_line(there, tmp_path, begins):
    content = packed(("conversations.json", begins + " " * PACKED))
    code, line = ingested(there, tmp_path / "given" / "export.zip", content)
    assert code == 1
    assert "conversations.json: is over 200 times larger than in the archive" in line
    assert line.endswith("it is not unpacked; nothing was imported")


@pytest.mark.slow
def test_sizes_that_lie_are_not_believed(there, tmp_path):
    content = packed(("conversations.json", "[" + " " * PACKED))
    true = (len(content) - 22 - 46 - 30 - 2 * len("conversations.json")).to_bytes(4, "little")
    assert true in content
    lying = content.replace(true, (2**31).to_bytes(4, "little"))
    code, line = ingested(there, tmp_path / "given" / "export.zip", lying)
    assert code == 1
    # Some releases of Python say it themselves.
    assert "archive" in line or "Overlapped entries" in line


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (packed(("a.json", "[]"))[:-10], "is a damaged archive"),
        (b"PK\x03\x04" + b"\0" * 100, "is a damaged archive"),
        (packed(("conversations.json", '[{"mapping": {}}]'), method=zipfile.ZIP_LZMA), "a method"),
    ],
)
def test_an_archive_that_cannot_be_read_is_one_line(there, tmp_path, content, said):
    code, line = ingested(there, tmp_path / "given" / "export.zip", content)
    assert code == 1
    assert said in line


def test_an_archive_of_too_many_files_is_one_line(there, tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MOST_FILES", 3)
    content = packed(*((f"{number}.json", "[]") for number in range(4)))
    code, line = ingested(there, tmp_path / "given" / "export.zip", content)
    assert code == 1
    assert "is an archive of 4 files; at most 3" in line
    monkeypatch.setattr(archives, "_LONGEST_DIRECTORY", 100)
    code, line = ingested(there, tmp_path / "given" / "export.zip", content)
    assert code == 1
    assert "with a directory of" in line


def test_a_compressed_export_is_named_as_one(there, tmp_path):
    file = tmp_path / "export.jsonl.gz"
    file.write_bytes(gzip.compress(b"[" * 1_000))
    for command in ("ingest", "import"):
        result = run(*there, command, str(file))
        assert result.stderr.endswith("is a gzip archive; unpack it and name the file in it\n")


def test_a_note_that_is_too_long_is_a_line(there, tmp_path):
    file = tmp_path / "note.md"
    with file.open("wb") as stream:
        stream.truncate(64 << 30)
    result = fails(*there, "ingest", str(file))
    assert result.stderr == (
        "concept-graph-mcp: is longer than 16,777,216 bytes; divide it; nothing was imported\n"
    )
    folder = tmp_path / "vault"
    folder.mkdir()
    file.rename(folder / "note.md")
    (folder / "other.md").write_text("# Tea\nTea is hot.")
    result = run(*there, "ingest", str(folder))
    assert "ingested: 1," in result.stderr
    assert f"is longer than {markdown.MOST_BYTES:,} bytes" in result.stderr


@pytest.mark.parametrize(
    "begins",
    [
        b'[{"mapping": {"a": "',
        b'[{"mapping": {',
        b'[{"chat_messages": [',
        b'{"results": [{"memory": "',
    ],
)
def test_an_item_that_is_too_long_is_a_line_and_takes_little(there, tmp_path, monkeypatch, begins):
    monkeypatch.setattr(archives, "LONGEST", 4 * MB)
    file = tmp_path / "conversations.json"
    more = {b'"': b"a" * MB, b"{": b'"a":"' + b"b" * MB + b'",', b"[": b'"' + b"c" * MB + b'",'}
    with file.open("wb") as stream:
        stream.write(begins)
        for _ in range(64):
            stream.write(more[begins[-1:]])
    result, most = peak(lambda: run(*there, "ingest", str(file), "--from", "chatgpt"))
    assert result.exit_code == 1
    assert result.stderr.endswith(
        "has an item of more than 4,194,304 bytes; nothing was imported\n"
    )
    assert most < 48 * MB


def test_a_first_line_that_is_too_long_is_not_read_to_its_end(tmp_path, monkeypatch):
    file = tmp_path / "session.jsonl"
    with file.open("wb") as stream:
        stream.write(b"{")
        stream.truncate(1 << 40)
    monkeypatch.setattr(archives, "LONGEST", MB)
    assert formats.recognise_format(Entry(file)) is None


def test_a_backup_with_an_endless_first_line_takes_little(tmp_path):
    file = tmp_path / "backup.jsonl.gz"
    with gzip.open(file, "wb") as stream:
        for _ in range(64):
            stream.write(b" " * MB)
        stream.write(json.dumps({"kind": "concept-graph"}).encode())

    def read():
        with pytest.raises(backup_files.BadBackup):
            next(backup_files.rows(file))

    assert peak(read)[1] < 16 * MB


@pytest.mark.parametrize(
    ("body", "sections"),
    [
        ("# A\n\n\n  Tea.\n", [("", ""), ("A", "\n  Tea.\n")]),
        (
            "# A ##\n## C# #\nTea.\n# #\n",
            [("", ""), ("A", "\n"), ("A / C#", "\nTea.\n"), ("#", "")],
        ),
        ("Tea.\n# a # b  \n", [("", "Tea.\n"), ("a # b", "")]),
    ],
)
def test_headings_lose_their_closing_marks(body, sections):
    assert [*markdown._sections(body)] == sections


def test_a_heading_of_blanks_takes_no_time():
    # The cube of so many would take a year.
    body = f"# a{' ' * 1_000_000}b"
    assert [*markdown._sections(body)][1][0] == body[2:]
