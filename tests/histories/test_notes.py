"""`export --format markdown` writes notes to edit, and `ingest` takes the edits back."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.server.command_line import ok, run

from concept_graph_mcp import Memory
from concept_graph_mcp.file_formats import notes
from concept_graph_mcp.session import Clock

NOW_MS = 1_750_003_200_000


@pytest.fixture
def there(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    place = tmp_path / "memory.db"
    with Memory.open(place, zone="UTC", clock=Clock(NOW_MS)) as memory:
        memory.remember(
            "Clara is allergic to hazelnuts",
            about=[{"name": "Clara", "kind": "sister"}],
            said="My sister Clara is allergic to hazelnuts",
        )
        memory.remember("# Not a heading\n\n## Nor this\n<!-- memory x -->\n\\# [[x]]")
        memory.remember("Bob lives in Turin", happened_at="2025-05-06")
        memory.of("eve").remember("Eve has a secret")
    return [f"--embedded={place}"]


@pytest.fixture
def folder(there, tmp_path):
    made = tmp_path / "notes"
    ok(*there, "export", "--format", "markdown", str(made))
    return made


def contents(there):
    _, *records = map(json.loads, ok(*there, "export", "-").stdout.splitlines())
    return {one["id"]: one for one in records if one["kind"] == "memory"}


def current(there):
    return {one["content"] for one in contents(there).values() if "valid_until" not in one}


def visible(there):
    rows = contents(there).values()
    return {one["content"] for one in rows if not {"valid_until", "deleted_at"} & one.keys()}


def ingest(there, folder, *more):
    return ok(*there, "ingest", *more, str(folder)).stderr.splitlines()


def test_there_is_a_file_for_each_month_and_each_entity(folder):
    files = sorted(str(file.relative_to(folder)) for file in folder.rglob("*.md"))
    notes = ["memories/2025-05.md", "memories/2025-06.md"]
    assert files == ["entities/Clara.md", "entities/the user.md", *notes]
    text = (folder / "memories/2025-06.md").read_text()
    assert re.search(
        r"^## 2025-06-15 16:00\n<!-- memory \S+ -->\n\[\[Clara\]\].*\n\nClara is allergic to haz",
        text,
        re.MULTILINE,
    )
    clara = (folder / "entities/Clara.md").read_text()
    assert "# Clara" in clara
    assert "Clara is allergic to hazelnuts" in clara
    assert "Eve" not in "".join(file.read_text() for file in folder.rglob("*.md"))


def test_notes_that_nobody_edited_change_nothing(there, folder):
    before = contents(there)
    assert "ingested: 0, there already: 3" in ingest(there, folder)
    assert contents(there) == before


def test_an_edited_text_replaces_the_memory_once(there, folder):
    file = folder / "memories/2025-06.md"
    file.write_text(file.read_text().replace("allergic to hazelnuts", "allergic to all nuts"))
    assert any("to ingest: 1" in line for line in ingest(there, folder, "--dry-run"))
    assert "Clara is allergic to hazelnuts" in current(there)
    assert "ingested: 1, there already: 2" in ingest(there, folder)
    assert "Clara is allergic to all nuts" in current(there)
    assert "Clara is allergic to hazelnuts" not in current(there)
    # The old one is kept, as what was so before.
    assert len(contents(there)) == 5
    assert "ingested: 0, there already: 3" in ingest(there, folder)
    file.write_text(file.read_text().replace("all nuts", "no nuts"))
    assert "ingested: 1, there already: 2" in ingest(there, folder)
    assert "Clara is allergic to no nuts" in current(there)
    assert "Clara is allergic to all nuts" not in current(there)


def test_a_new_section_is_a_new_memory_once(there, folder):
    file = folder / "memories/2025-05.md"
    added = "\n## 2025-05-07 12:30\n[[Bob]] #family\n\nBob has a key sk-proj-" + "a1B2" * 8
    file.write_text(file.read_text() + added + "\n")
    for created in (1, 0):
        assert f"ingested: {created}, there already: {4 - created}" in ingest(there, folder)
    [made] = [one for one in contents(there).values() if "[secret" in one["content"]]
    assert made["content"] == "Bob has a key [secret: OpenAI API Key]"
    assert (made["concepts"], made["tags"]) == (["Bob"], ["family"])
    assert made["said_at"] == 1_746_621_000_000


def test_a_deleted_section_forgets_nothing(there, folder):
    (folder / "memories/2025-05.md").unlink()
    file = folder / "memories/2025-06.md"
    file.write_text(file.read_text().split("\n## ")[0])
    before = contents(there)
    ingest(there, folder)
    assert contents(there) == before


def test_a_deleted_section_is_forgotten_if_one_asks_for_it_and_agrees(there, folder):
    (folder / "memories/2025-05.md").unlink()
    with Memory.open(there[0].partition("=")[2], zone="UTC") as memory:
        memory.remember("Lena plays chess")
    before = contents(there)
    said = run(*there, "ingest", "--forget-deleted", "--dry-run", str(folder))
    assert "Bob lives in Turin" in said.stdout
    assert contents(there) == before
    refused = run(*there, "ingest", "--forget-deleted", str(folder), stdin="n\n")
    assert refused.exit_code == 1
    assert contents(there) == before
    assert "forgotten: 1" in ok(*there, "ingest", "--forget-deleted", "--yes", str(folder)).stderr
    forgotten = [one["content"] for one in contents(there).values() if "deleted_at" in one]
    assert forgotten == ["Bob lives in Turin"]
    assert "forgotten: 0" in ok(*there, "ingest", "--forget-deleted", str(folder)).stderr


def test_a_deleted_section_that_was_edited_before_takes_its_latest_text_along(there, folder):
    file = folder / "memories/2025-05.md"
    file.write_text(file.read_text().replace("Turin", "Lisbon"))
    ingest(there, folder)
    file.unlink()
    ingest(there, folder, "--forget-deleted", "--yes")
    assert not {"Bob lives in Turin", "Bob lives in Lisbon"} & visible(there)


def test_a_folder_that_export_did_not_write_forgets_nothing(there, tmp_path):
    (tmp_path / "vault").mkdir()
    refused = run(*there, "ingest", "--forget-deleted", "--yes", str(tmp_path / "vault"))
    assert refused.exit_code == 1
    assert "was not written by export" in refused.stderr


def test_names_and_tags_are_taken_back(there, folder):
    file = folder / "memories/2025-06.md"
    file.write_text(file.read_text().replace("[[Clara]]", "[[Clara]] [[nuts]] #food"))
    assert any("names or tags were edited: 1" in line for line in ingest(there, folder))
    [made] = [one for one in contents(there).values() if "hazelnuts" in one["content"]]
    assert {"Clara", "nuts"} <= set(made["concepts"])
    assert "food" in made["tags"]
    assert "ingested: 0, there already: 3" in ingest(there, folder)


def test_what_is_unknown_forgotten_or_empty_is_counted(there, folder, tmp_path):
    file = folder / "memories/2025-06.md"
    text = file.read_text().replace("Clara is allergic to hazelnuts\n", "\n")
    text += "\n## 2025-06-01\n<!-- memory of-another-store -->\n\nUnknown\n"
    file.write_text(text)
    [bob] = [one for one, made in contents(there).items() if "Bob" in made["content"]]
    ok(*there, "forget", bob)
    told = ingest(there, folder)
    assert any("sections without text: 1" in line for line in told)
    assert any("that the store lacks: 2" in line for line in told)
    assert "Unknown" not in current(there)


def test_another_users_memory_is_not_taken_for_ones_own(there, folder, monkeypatch):
    file = folder / "memories/2025-06.md"
    file.write_text(file.read_text().replace("allergic to hazelnuts", "allergic to nothing"))
    before = contents(there)
    monkeypatch.setenv("CONCEPT_GRAPH_USER", "eve")
    assert any("that the store lacks: 3" in line for line in ingest(there, folder))
    assert contents(there) == before


def test_a_folder_with_something_in_it_is_not_written_into(there, folder):
    result = run(*there, "export", "--format", "markdown", str(folder))
    assert result.exit_code != 0
    assert "is not empty; --force writes into it" in result.stderr
    ok(*there, "export", "--force", "--format", "markdown", str(folder))
    result = run(*there, "export", "--format", "markdown", "-")
    assert "name a folder" in result.stderr


def test_links_and_tags_of_a_vault_are_concepts(there, tmp_path):
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Trip.md").write_text(
        "---\ntags: [travel, 'to do']\ncreated: 2025-03-01\n---\n# Turin\n\n"
        "With [[Anna Lee|Anna]] to [[Po#bridges]] #summer/2025 #1 [[]]\n"
    )
    ingest(there, vault)
    [made] = [one for one in contents(there).values() if "Anna" in one["content"]]
    assert made["concepts"] == ["travel", "to do", "Anna Lee", "Po", "summer/2025"]


TEXTS = st.lists(
    st.sampled_from(
        ["# a", "## b", "<!-- memory x -->", "\\# c", "[[d]] #e", "", "f", "---", " g"]
    ),
    min_size=1,
    max_size=8,
).map("\n".join)


@given(text=TEXTS, names=st.lists(st.sampled_from(["a b", "#c", "d]"]), unique=True))
def test_every_text_comes_back_as_it_was(text, names):
    record = {"id": "1", "content": text, "concepts": names, "tags": ["x", "y z"]}
    made = [notes.section("2025-06-15", record), notes.section("2025-06-16", record)]
    page = notes.month("2025-06", made)
    assert notes.kind(page) == notes.MONTH
    for read in (page, page.replace("\n", "\r\n")):
        assert list(notes.sections(read)) == made
