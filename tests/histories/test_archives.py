"""`ingest` of archives as ChatGPT and Claude.ai send them, and what is cleared from their texts."""

import json
import zipfile

import pytest
from history_samples import ASSISTANT_SAID, OF, USER_SAID
from tests.server.command_line import memories, ok

from concept_graph_mcp.file_formats.lines import Tally
from concept_graph_mcp.histories import exports
from concept_graph_mcp.histories.conversation import Kept


def pack(path, **files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/"), content)
    return str(path)


def conversation(own, *said):
    """Return a conversation of ChatGPT: its (role, content) pairs, one after the other."""
    mapping, parent = {}, None
    for number, (role, content) in enumerate(said):
        key = f"{own}-{number}"
        told = {"id": key, "author": {"role": role}, "create_time": 1_748_772_000 + number}
        mapping[key] = {"id": key, "parent": parent, "message": {**told, "content": content}}
        parent = key
    return {"conversation_id": own, "current_node": parent, "mapping": mapping}


def text(*parts):
    return {"content_type": "text", "parts": [*parts]}


@pytest.mark.slow
def test_the_archive_of_chatgpt_is_read_as_it_comes(there, tmp_path):
    _, content = OF["chatgpt"]
    file = pack(
        tmp_path / "export.zip",
        **{
            "conversations.json": content,
            "chat.html": "<html>not kept</html>",
            "user.json": '{"id": "user-1", "email": "not kept"}',
            "message_feedback.json": "[]",
            "dalle-generations__a.webp": b"not kept",
        },
    )
    first = ok(*there, "ingest", file).stderr
    assert "ingested: 2, there already: 0" in first
    kept = memories(there)
    assert {one["content"] for one in kept} == {USER_SAID, ASSISTANT_SAID}
    assert "not kept" not in json.dumps(kept)
    assert "ingested: 0, there already: 2" in ok(*there, "ingest", file).stderr


def test_the_parts_of_a_divided_export_are_read_in_their_order(there, tmp_path):
    parts = {
        f"conversations-00{number}.json": json.dumps([conversation(f"c{number}", ("user", said))])
        for number, said in enumerate((text("First."), text("Second."), text("Third.")))
    }
    file = pack(tmp_path / "export.zip", **parts)
    assert "ingested: 3," in ok(*there, "ingest", file).stderr
    assert {one["content"] for one in memories(there)} == {"First.", "Second.", "Third."}
    # Unpacked, they are the same messages.
    folder = tmp_path / "unpacked"
    folder.mkdir()
    for name, content in parts.items():
        (folder / name).write_text(content)
    assert "ingested: 0, there already: 3" in ok(*there, "ingest", str(folder)).stderr


def test_what_was_spoken_is_kept(there, tmp_path):
    spoken = {
        "content_type": "multimodal_text",
        "parts": [
            {"content_type": "audio_transcription", "text": USER_SAID, "direction": "in"},
            {"content_type": "audio_asset_pointer", "asset_pointer": "not kept"},
        ],
    }
    told = conversation("v", ("user", spoken), ("assistant", text(ASSISTANT_SAID)))
    file = pack(tmp_path / "export.zip", **{"conversations.json": json.dumps([told])})
    ok(*there, "ingest", file)
    assert {one["content"] for one in memories(there)} == {USER_SAID, ASSISTANT_SAID}


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("It is warm \ue200cite\ue202turn0search0\ue202turn0news12\ue201.", "It is warm."),
        ("It is warm citeturn0search0turn1view3.", "It is warm."),
        ("See \ue200filecite\ue202turn2file0\ue202L1-L9\ue201 there", "See there"),
        ('By \ue200entity\ue202["people","Ada Lovelace","a"]\ue201, 1843', "By Ada Lovelace, 1843"),
        ("At \ue200url\ue202the museum\ue202turn0search1\ue201", "At the museum"),
        ("So it is【4:0†source】.", "So it is."),
        ("So it is:contentReference[oaicite:3]{index=3}.", "So it is."),
        ("\ue203It is\ue204 warm\ue206", "It is warm"),
        ("My turn, turn 3 and return12", "My turn, turn 3 and return12"),
    ],
)
def test_marks_of_citations_are_cleared_and_names_stay(said, kept):
    told = conversation("c", ("assistant", text(said)))
    [record] = exports.read_chatgpt(told, Kept(Tally()))
    assert record["text"] == kept


def test_a_message_to_a_tool_is_left_out_and_one_to_remember_is_kept():
    told = conversation("c", *(("assistant", text(said)) for said in ("to all", "find", "memory")))
    nodes = list(told["mapping"].values())
    nodes[1]["message"]["recipient"] = "web"
    nodes[2]["message"]["recipient"] = "bio"
    assert [one["text"] for one in exports.read_chatgpt(told, Kept(Tally()))] == [
        "to all",
        "memory",
    ]


def claude_archive(tmp_path):
    remembered = "**Work context**\n\nAnn is a beekeeper.\n\n**Personal**\n\nHer sister is Clara."
    project = {
        "uuid": "p1",
        "name": "Garden",
        "description": "Plan the beds.",
        "prompt_template": "Answer briefly.",
        "created_at": "2025-05-01T08:00:00Z",
        "docs": [{"filename": "a.txt", "content": "not kept"}],
    }
    return pack(
        tmp_path / "data.zip",
        **{
            "conversations.json": OF["claude-ai"][1],
            "memories.json": json.dumps(
                [
                    {
                        "conversations_memory": remembered,
                        "project_memories": {"p1": "The beds face south."},
                        "account_uuid": "a",
                    }
                ]
            ),
            "projects.json": json.dumps([project]),
            "users.json": '[{"uuid": "a", "full_name": "Ann Lee", "email_address": "not kept"}]',
        },
    )


def test_the_archive_of_claude_ai_is_read_with_its_memories_and_projects(there, tmp_path):
    file = claude_archive(tmp_path)
    ok(*there, "ingest", file)
    kept = {one["content"]: one for one in memories(there)}
    assert kept.keys() == {
        *(USER_SAID, ASSISTANT_SAID, "Work context: Ann is a beekeeper."),
        *("Personal: Her sister is Clara.", "The beds face south."),
        *("Project Garden: Plan the beds.\n\nAnswer briefly.", "My name is Ann Lee."),
    }
    assert "name: Ann Lee" in ok(*there, "recall", "What is my name?").stdout
    assert kept["Personal: Her sister is Clara."]["speaker"] == "assistant"
    assert kept["Project Garden: Plan the beds.\n\nAnswer briefly."]["concepts"] == ["Garden"]
    assert "ingested: 0, there already: 7" in ok(*there, "ingest", file).stderr


def test_an_archive_in_a_folder_that_is_damaged_does_not_stop_the_others(there, tmp_path):
    folder = tmp_path / "all"
    folder.mkdir()
    (folder / "a.zip").write_bytes(b"PK\x03\x04 is no archive")
    pack(folder / "b.zip", **{"conversations.json": OF["chatgpt"][1]})
    told = ok(*there, "ingest", str(folder)).stderr
    assert "ingested: 2," in told
    assert "archives with an error: 1 (" in told


def test_the_directory_of_an_archive_is_not_read_for_each_file_in_it(there, tmp_path, monkeypatch):
    def count_directories(files):
        monkeypatch.setattr(zipfile, "ZipFile", opened := Opened())
        talks = {
            f"{n}.json": json.dumps([conversation(f"c{n}", ("user", text(f"Clara has {n} cats.")))])
            for n in range(files)
        }
        file = pack(tmp_path / f"{files}.zip", **talks)
        opened.count = 0
        assert f"to ingest: {files}" in ok(*there, "ingest", file, "--dry-run").stderr
        return opened.count

    class Opened:
        count, of = 0, zipfile.ZipFile

        def __call__(self, *args):
            self.count += 1
            return self.of(*args)

    assert count_directories(30) == count_directories(3)
