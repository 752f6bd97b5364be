"""`ingest` of chats of several people."""

import json
import zipfile

import pytest
from history_samples import ASSISTANT_SAID, WHATSAPP
from tests.server.command_line import fails, memories, ok, run

from concept_graph_mcp.file_formats.lines import Tally
from concept_graph_mcp.histories import formats, whatsapp
from concept_graph_mcp.histories.archives import Entry
from concept_graph_mcp.histories.conversation import Kept


def told(there):
    return {(one["speaker"], one["content"]) for one in memories(there)}


def pack(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content if isinstance(content, str) else json.dumps(content))
    return path


def test_a_chat_of_several_people_asks_whose_words_are_the_users(there, tmp_path):
    path = tmp_path / "chat.txt"
    path.write_text(WHATSAPP)
    result = fails(*there, "ingest", str(path))
    assert result.stderr == (
        "concept-graph-mcp: chat.txt: whose words are yours? say --me NAME, one of"
        " Ann (1), Ben (1)\n"
    )
    result = run(*there, "ingest", str(path), "--me", "Cleo")
    assert "nobody in it has the name of --me; say --me NAME, one of" in result.stderr
    ok(*there, "ingest", str(path), "--me", "ann")
    assert told(there) >= {("Ben", ASSISTANT_SAID)}


@pytest.mark.parametrize("name", ["WhatsApp Chat with Cake.txt", "WhatsApp Chat - Cake.zip"])
def test_a_chat_of_whatsapp_keeps_lines_together_and_leaves_the_programs_out(there, tmp_path, name):
    path = tmp_path / name
    if name.endswith("zip"):
        pack(path, {"_chat.txt": WHATSAPP, "00000012-PHOTO.jpg": "not kept"})
    else:
        path.write_text(WHATSAPP)
    ok(*there, "ingest", str(path), "--me", "Ann")
    kept = memories(there)
    assert {(one["speaker"], one["content"]) for one in kept} == {
        ("user", "My sister Clara is allergic\nto hazelnuts."),
        ("Ben", ASSISTANT_SAID),
    }
    assert {one["thread"] for one in kept} == {"WhatsApp Cake"}
    assert min(one["said_at"] for one in kept) == 1_748_772_005_000
    assert "ingested: 0," in ok(*there, "ingest", str(path), "--me", "Ann").stderr


def times(tmp_path, text):
    """Return the times of the messages of a chat of WhatsApp, as ISO 8601 in UTC."""
    from datetime import UTC, datetime

    file = tmp_path / "chat.txt"
    file.write_text(text)
    assert formats.recognise_format(Entry(file)) == "whatsapp"
    found = whatsapp.messages(Entry(file), Kept(Tally()))
    return [f"{datetime.fromtimestamp(one['time_ms'] / 1000, UTC):%Y-%m-%d %H:%M}" for one in found]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # Germany, iOS and Android.
        ("[03.12.24, 14:08:18] Ann: a", "2024-12-03 14:08"),
        ("03.12.24, 14:08 - Ann: a", "2024-12-03 14:08"),
        # The United States; since 2023 with a narrow blank.
        ("[12/3/24, 2:08:18\u202fPM] Ann: a", "2024-12-03 14:08"),
        ("12/3/24, 12:08 AM - Ann: a", "2024-12-03 00:08"),
        # Britain, Spain, India.
        ("03/12/2024, 14:08 - Ann: a", "2024-12-03 14:08"),
        ("3/12/24, 2:08 p. m. - Ann: a", "2024-12-03 14:08"),
        ("25/12/24, 2:08 pm - Ann: a", "2024-12-25 14:08"),
        # Canada, Sweden, Finland, Japan, the Netherlands.
        ("[2024-12-03, 14:08:18] Ann: a", "2024-12-03 14:08"),
        ("2024-12-03 14:08 - Ann: a", "2024-12-03 14:08"),
        ("[3.12.2024 klo 14.08.18] Ann: a", "2024-12-03 14:08"),
        ("2024/12/03 14:08 - Ann: a", "2024-12-03 14:08"),
        ("03-12-2024 14:08 - Ann: a", "2024-12-03 14:08"),
    ],
)
def test_dates_of_whatsapp_are_read_as_people_write_them(tmp_path, lines, expected):
    if "2:08 p. m." in lines:
        # Half the world writes PM; only the later message says that the day comes first.
        lines += "\n13/12/24, 2:08 p. m. - Ann: b"
    assert times(tmp_path, f"{lines}\n")[0] == expected


def test_the_order_of_a_date_is_the_one_in_which_time_goes_on(tmp_path):
    text = "".join(f"{month}/{day}/24, 10:00 - Ann: a\n" for month in (3, 4) for day in (5, 9, 12))
    assert times(tmp_path, text)[:2] == ["2024-03-05 10:00", "2024-03-09 10:00"]
    text = "".join(f"{day}/{month}/24, 10:00 - Ann: a\n" for month in (3, 4) for day in (5, 9, 12))
    assert times(tmp_path, text)[:2] == ["2024-03-05 10:00", "2024-03-09 10:00"]


def test_a_text_without_a_chat_is_none(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("On 3.12.24 at 14:08 we met.\n[x] Bread: buy it\n")
    assert formats.recognise_format(Entry(file)) is None
