"""`export --format markdown` writes notes, one way; `ingest` reads the notes of others."""

import json
import re

import pytest
from tests.server.command_line import ok, run

from concept_graph_mcp import Memory
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


def test_a_text_begins_no_section(folder):
    text = (folder / "memories/2025-06.md").read_text()
    assert len(re.findall(r"^## .*\n<!-- memory \S+ -->$", text, re.MULTILINE)) == 2
    assert "\n\\# Not a heading\n\n\\## Nor this\n\\<!-- memory x -->\n\\\\# [[x]]\n" in text


def test_notes_that_export_wrote_are_only_read(there, folder):
    file = folder / "memories/2025-06.md"
    file.write_text(file.read_text().replace("hazelnuts", "all nuts"))
    before = contents(there)
    told = ingest(there, folder)
    assert told[0] == "ingested: 0, there already: 0"
    assert any("left out: notes that export wrote, which are only read: 4" in one for one in told)
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


def test_the_memory_of_an_agent_is_not_the_users_word(tmp_path):
    from concept_graph_mcp.file_formats.lines import Tally
    from concept_graph_mcp.histories import markdown
    from concept_graph_mcp.histories.conversation import Kept

    places = {".claude/projects/p/memory": "assistant", ".codex/memories": "assistant"}
    for place, speaker in {**places, "vault/memory": "user", "memory/projects": "user"}.items():
        file = tmp_path / place / "tools.md"
        file.parent.mkdir(parents=True)
        file.write_text("# Tools\nWe use pnpm, never npm.\n", encoding="utf-8")
        [record] = markdown.messages(file, Kept(Tally()))
        assert record["speaker"] == speaker
