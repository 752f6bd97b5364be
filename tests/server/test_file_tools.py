"""The toolset `files`: the commands of the memory tool over MCP, on the files of the drop-in."""

from contextlib import contextmanager
from zoneinfo import ZoneInfo

import pytest
from talking import talking

from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.settings import DEFAULT_TOOLSETS
from conceptgraph_core.verbs import limits

NOTES = "/memories/notes.md"
TEXT = "# Family\nClara is allergic to hazelnuts\n"
TOKEN = "ghp_" + "Ab1Cd2Ef3G" * 3 + "Hi4Jk5"


@contextmanager
def files_of(store, portal, user="ada", **given):
    """Give what the commands of a user's files answer; errors begin with "!"."""
    given |= {"user_id": user, "concepts": "own"}
    with talking(portal, store, "everyday", "files", zone="UTC", **given) as talk:

        def call(command, /, **arguments):
            result = talk.ask("call_tool", "memory", {"command": command, **arguments})
            assert result.structured_content is None
            [content] = result.content
            return f"{'!' * bool(result.is_error)}{content.text}"

        call.talk = talk
        yield call


@pytest.fixture
def call(store, portal):
    with files_of(store, portal) as call:
        yield call


def test_a_file_lives_from_its_creation_to_its_end(call):
    listed = {tool.name: tool for tool in call.talk.ask("list_tools").tools}
    assert listed["memory"].output_schema is None
    said = [
        call("view", path="/memories"),
        call("create", path=NOTES, file_text=TEXT),
        call("create", path=NOTES, file_text=TEXT),
        call("str_replace", path=NOTES, old_str="# Family", new_str="# Kin"),
        call("insert", path=NOTES, insert_line=2, insert_text="Tom plays chess"),
        call("view", path=NOTES, view_range=[2, 3]),
        call("rename", old_path=NOTES, new_path="/memories/kin/all.md"),
        call("view", path="/memories"),
    ]
    found = call.talk("recall", message="What is Clara allergic to?")["text"]
    ended = [call("delete", path="/memories/kin"), call("view", path=NOTES)]
    listing = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden"
    assert said == [
        f"{listing} items and node_modules:\n0B\t/memories",
        f"File created successfully at: {NOTES}",
        f"!Error: File {NOTES} already exists",
        "The memory file has been edited. Here is the snippet showing the change (with line"
        " numbers):\n     1\t# Kin\n     2\tClara is allergic to hazelnuts\n     3\t",
        f"The file {NOTES} has been edited.",
        f"Here's the content of {NOTES} with line numbers:\n"
        "     2\tClara is allergic to hazelnuts\n     3\tTom plays chess",
        f"Successfully renamed {NOTES} to /memories/kin/all.md",
        f"{listing} items and node_modules:\n"
        "53B\t/memories\n53B\t/memories/kin/\n53B\t/memories/kin/all.md",
    ]
    assert "allergic to hazelnuts" in found
    assert ended == [
        "Successfully deleted /memories/kin",
        f"!The path {NOTES} does not exist. Please provide a valid path.",
    ]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/memories/../a", "/memories/%2e%2e/a", "/memories/..\\a", "notes.md"]
)
def test_no_path_leads_out_of_the_memories(call, path):
    call("create", path=NOTES, file_text=TEXT)
    said = [
        call("view", path=path),
        call("create", path=path, file_text=TEXT),
        call("str_replace", path=path, old_str="Clara", new_str="x"),
        call("insert", path=path, insert_line=0, insert_text="x"),
        call("delete", path=path),
        call("rename", old_path=path, new_path="/memories/new"),
        call("rename", old_path=NOTES, new_path=path),
    ]
    assert all(one.startswith("!Error: Path ") for one in said)


def test_bad_arguments_get_one_line(call):
    said = [
        call("create", path=NOTES),
        call("rename"),
        call("view", path="/memories", view_range=[1]),
        call("write", path=NOTES),
        call("create", path=NOTES, file_text="a\0b"),
    ]
    assert said[:3] == [
        "!Error: create needs file_text",
        "!Error: rename needs old_path and new_path",
        "!Error: view_range must be the first and the last line",
    ]
    assert said[3].startswith("!command: Input should be 'view', 'create'")
    assert "NUL" in said[4]
    assert not any("\n" in one for one in said)


def test_users_see_their_own_files_alone(call, store, portal):
    call("create", path=NOTES, file_text=TEXT)
    assert "notes.md" in call("view", path="/memories")
    with files_of(store, portal, "bob") as bobs:
        assert "notes.md" not in bobs("view", path="/memories")
        assert bobs("create", path=NOTES, file_text=TEXT).startswith("File created")


def test_the_files_are_those_of_the_drop_in(call, store, portal):
    pytest.importorskip("anthropic.tools.memory")
    from concept_graph_mcp import AsyncMemory
    from concept_graph_mcp.dropins.anthropic import AsyncMemoryTool
    from concept_graph_mcp.memory_opening import OpenMemory

    call("create", path=NOTES, file_text=TEXT)
    session = Session(store, limits.DEFAULT_TAU_MS, ZoneInfo("UTC"), Clock(), "ada")
    tool = AsyncMemoryTool(AsyncMemory(OpenMemory(session)))
    assert "Clara" in portal.call(tool.call, {"command": "view", "path": NOTES})


def test_secrets_are_left_out_where_the_owner_says_so(store, portal):
    with files_of(store, portal, redacts=True) as call:
        made = call("create", path=NOTES, file_text=f"The token is {TOKEN}")
        assert TOKEN not in call("view", path=NOTES)
    assert made.splitlines()[1].startswith("stored, with these secrets hidden: GitHub Token")


def test_nobody_gets_files_unasked():
    assert "files" not in DEFAULT_TOOLSETS
