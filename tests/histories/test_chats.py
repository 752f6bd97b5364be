"""`ingest` of chats of several people, and of programs whose files are no plain JSON."""

import json
import sqlite3
import zipfile

import pytest
from history_samples import ASSISTANT_SAID, USER_SAID, WHATSAPP, discord
from tests.server.command_line import ok, run

from concept_graph_mcp.file_formats.lines import Tally
from concept_graph_mcp.histories import formats, gemini, whatsapp
from concept_graph_mcp.histories.archives import Entry
from concept_graph_mcp.histories.conversation import Kept


@pytest.fixture
def there(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return [f"--embedded={tmp_path / 'memory.db'}"]


def memories(there):
    _, *records = map(json.loads, ok(*there, "export", "-").stdout.splitlines())
    return [record for record in records if record["kind"] == "memory"]


def told(there):
    return {(one["speaker"], one["content"]) for one in memories(there)}


BOTH = {("user", USER_SAID), ("Ben", ASSISTANT_SAID)}


def slack():
    def said(ts, **more):
        return {"type": "message", "ts": f"{ts}.000100", **more}

    users = [
        {"id": "U1", "name": "ann", "profile": {"real_name": "Ann", "display_name": "annie"}},
        {"id": "U2", "name": "ben", "real_name": "Ben", "profile": {}},
    ]
    day = [
        said(1748772000, user="U1", text=USER_SAID),
        said(1748772001, user="U2", subtype="channel_join", text="not kept"),
        said(1748772002, bot_id="B1", subtype="bot_message", text="not kept"),
        said(1748772003, user="U2", text=ASSISTANT_SAID),
    ]
    after = [said(1748862000, user="U2", text="<@U1> see <https://a.org|this> &amp; <#C1|cake>")]
    return {
        "users.json": users,
        "channels.json": [{"id": "C1", "name": "cake"}],
        "cake/2025-06-01.json": day,
        "cake/2025-06-02.json": after,
    }


def pack(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content if isinstance(content, str) else json.dumps(content))
    return path


def spread(folder, files):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


@pytest.mark.parametrize("as_folder", [False, True])
def test_the_export_of_slack_names_people_and_is_read_once(there, tmp_path, as_folder):
    place = tmp_path / "export"
    path = spread(place, slack()) if as_folder else pack(place.with_suffix(".zip"), slack())
    ok(*there, "ingest", str(path), "--me", "ann")
    assert told(there) == {*BOTH, ("Ben", "Ann see this (https://a.org) & #cake")}
    again = ok(*there, "ingest", str(path), "--me", "Ann").stderr
    assert "ingested: 0, there already: 3" in again


@pytest.mark.parametrize("name", ["slack", "discord", "whatsapp"])
def test_a_chat_of_several_people_asks_whose_words_are_the_users(there, tmp_path, name):
    path = tmp_path / "chat.json"
    if name == "slack":
        path = pack(tmp_path / "a.zip", slack())
    else:
        path.write_text(discord() if name == "discord" else WHATSAPP)
    result = run(*there, "ingest", str(path))
    assert result.exit_code == 1
    counts = ("Ben (2), Ann (1)",) if name == "slack" else ("Ann (1), Ben (1)",)
    assert result.stderr == (
        f"concept-graph-mcp: {path.name}: whose words are yours? say --me NAME, one of"
        f" {counts[0]}\n"
    )
    result = run(*there, "ingest", str(path), "--me", "Cleo")
    assert "nobody in it has the name of --me; say --me NAME, one of" in result.stderr
    ok(*there, "ingest", str(path), "--me", "ann")
    assert told(there) >= {("Ben", ASSISTANT_SAID)}


def test_a_channel_of_discord_has_the_names_of_its_people(there, tmp_path):
    file = tmp_path / "Bakers - cake.json"
    file.write_text(discord())
    ok(*there, "ingest", str(file), "--me", "Ann")
    assert told(there) == BOTH
    assert {one["thread"] for one in memories(there)} == {"Discord Bakers #cake"}


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_the_data_of_discord_is_the_users_alone(there, tmp_path, kind):
    row = {"ID": 1, "Timestamp": "2025-06-01 10:00:00", "Contents": USER_SAID, "Attachments": ""}
    as_csv = f"ID,Timestamp,Contents,Attachments\n1,2025-06-01 10:00:00,{USER_SAID},\n"
    files = {
        "package/messages/index.json": {"55": "cake in Bakers"},
        "package/messages/c55/channel.json": {"id": "55"},
        f"package/messages/c55/messages.{kind}": [row] if kind == "json" else as_csv,
        "package/account/user.json": {"email": "not kept"},
    }
    ok(*there, "ingest", str(pack(tmp_path / "package.zip", files)))
    [kept] = memories(there)
    assert (kept["speaker"], kept["content"]) == ("user", USER_SAID)
    assert kept["thread"] == "Discord cake in Bakers"
    assert kept["said_at"] == 1_748_772_000_000


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


def cursor(path):
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)")
        file.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
        heads = [{"bubbleId": "b1", "type": 1}, {"bubbleId": "b2", "type": 2}]
        composer = {"composerId": "c1", "createdAt": 1_748_772_000_000}
        rows = {
            "composerData:c1": {**composer, "fullConversationHeadersOnly": heads},
            "bubbleId:c1:b1": {"bubbleId": "b1", "type": 1, "text": USER_SAID},
            "bubbleId:c1:b2": {"type": 2, "text": ASSISTANT_SAID, "toolFormerData": {"name": "x"}},
            "bubbleId:c1:b3": {"type": 2, "text": "not kept: of another branch"},
            "composerData:broken": "not kept",
        }
        for key, value in rows.items():
            file.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, json.dumps(value)))
        bubbles = [{"type": "user", "text": "Older."}, {"type": "ai", "rawText": "Answer."}]
        tabs = {"tabs": [{"tabId": "t1", "lastSendTime": 1_748_772_000_000, "bubbles": bubbles}]}
        key = "workbench.panel.aichat.view.aichat.chatdata"
        file.execute("INSERT INTO ItemTable VALUES (?, ?)", (key, json.dumps(tabs)))
    file.close()


def test_chats_of_cursor_are_read_from_its_file(there, tmp_path):
    path = tmp_path / "state.vscdb"
    cursor(path)
    assert formats.recognise_format(Entry(path)) == "cursor"
    ok(*there, "ingest", str(path))
    assert told(there) == {
        *(("user", USER_SAID), ("assistant", ASSISTANT_SAID)),
        *(("user", "Older."), ("assistant", "Answer.")),
    }
    assert {one["said_at"] for one in memories(there)} == {1_748_772_000_000}
    assert "ingested: 0, there already: 4" in ok(*there, "ingest", str(path)).stderr


def test_lines_of_gemini_cli_and_its_log_of_prompts_are_read(there, tmp_path):
    time = "2025-06-01T10:00:00.000Z"
    first = {"sessionId": "s1", "projectHash": "abc", "startTime": time, "kind": "main"}
    said = [
        first,
        {"id": "1", "timestamp": time, "type": "user", "content": USER_SAID},
        {"$set": {"lastUpdated": time}},
        {"id": "2", "timestamp": time, "type": "gemini", "content": ASSISTANT_SAID},
    ]
    log = [{"sessionId": "s0", "messageId": 0, "type": "user", "message": "Hi!", "timestamp": time}]
    files = {
        "a/chats/session-1.jsonl": "".join(json.dumps(one) + "\n" for one in said),
        "a/logs.json": log,
        "b/logs.json": log,
    }
    ok(*there, "ingest", str(spread(tmp_path / "tmp", files)))
    expected = {("user", USER_SAID), ("assistant", ASSISTANT_SAID), ("user", "Hi!")}
    assert told(there) == expected
    assert len(memories(there)) == 3


def test_answers_of_gemini_are_text():
    html = "<h3>Cake</h3><p>No <b>nuts</b> &amp; eggs.</p><ul><li>flour</li><li>milk</li></ul>"
    assert gemini.show_text(html) == "Cake\nNo nuts & eggs.\n- flour\n- milk"


def test_takeout_as_html_says_what_to_choose(there, tmp_path):
    file = tmp_path / "MyActivity.html"
    file.write_text("<html>Gemini Apps</html>")
    result = run(*there, "ingest", str(file))
    assert result.exit_code == 1
    assert "MyActivity.html: is HTML; choose JSON for My Activity in Takeout" in result.stderr


def test_a_dump_of_graphiti_gives_facts_that_hold_and_episodes(there, tmp_path):
    time = "2025-06-01T10:00:00Z"
    nodes = [
        {"uuid": "n1", "name": "Clara", "group_id": "g", "summary": "", "created_at": time},
        {"uuid": "n2", "name": "Oslo", "group_id": "g", "summary": "A city.", "created_at": time},
    ]
    ends = {"source_node_uuid": "n1", "target_node_uuid": "n2", "name": "LIVES_IN"}
    edges = [
        {"uuid": "e1", **ends, "fact": "Clara lives in Oslo.", "valid_at": time},
        {"uuid": "e2", **ends, "fact": "not kept", "valid_at": time, "invalid_at": time},
    ]
    episodes = [{"uuid": "p1", "content": "Ann: Clara moved.", "valid_at": time}]
    file = tmp_path / "dump.json"
    file.write_text(json.dumps({"nodes": nodes, "edges": edges, "episodes": episodes}, indent=1))
    assert formats.recognise_format(Entry(file)) == "graphiti"
    result = ok(*there, "ingest", str(file)).stderr
    assert "left out: facts that have ended: 1" in result
    kept = {one["content"]: one["concepts"] for one in memories(there)}
    assert kept == {
        "Clara lives in Oslo.": ["Clara", "Oslo"],
        "Oslo: A city.": ["Oslo"],
        "Ann: Clara moved.": [],
    }
    assert "ingested: 0, there already: 3" in ok(*there, "ingest", str(file)).stderr
