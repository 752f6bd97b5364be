"""The toolset `files`: the commands of the memory tool over MCP, on the files of the drop-in."""

from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from mcp.client.client import Client

from concept_graph_mcp.serving import build
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.settings import DEFAULT_TOOLSETS
from conceptgraph_core import limits

NOTES = "/memories/notes.md"
TEXT = "# Family\nClara is allergic to hazelnuts\n"
TOKEN = "ghp_" + "Ab1Cd2Ef3G" * 3 + "Hi4Jk5"


@pytest.fixture
def talk(store: Any, portal: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run a conversation, a function of `call(command, **arguments)`; errors begin with "!"."""

    async def left_open() -> None:
        """Leave the store open for the next conversation."""

    monkeypatch.setattr(store, "close", left_open)

    async def talking(conversation: Any, user: str, given: dict[str, Any]) -> Any:
        made = store, limits.DEFAULT_TAU_MS, ZoneInfo("UTC"), Clock(), user
        session = Session(*made, concepts="own", **given)
        async with Client(build(session, toolsets=("everyday", "files"))) as client:

            async def call(command: str, /, **arguments: Any) -> str:
                result = await client.call_tool("memory", {"command": command, **arguments})
                assert result.structured_content is None
                [content] = result.content
                return f"{'!' * bool(result.is_error)}{content.text}"

            return await conversation(call, client)

    def run(conversation: Any, user: str = "ada", **given: Any) -> Any:
        return portal.call(talking, conversation, user, given)

    return run


def test_a_file_lives_from_its_creation_to_its_end(talk):
    async def live(call, client):
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert listed["memory"].output_schema is None
        said = [
            await call("view", path="/memories"),
            await call("create", path=NOTES, file_text=TEXT),
            await call("create", path=NOTES, file_text=TEXT),
            await call("str_replace", path=NOTES, old_str="# Family", new_str="# Kin"),
            await call("insert", path=NOTES, insert_line=2, insert_text="Tom plays chess"),
            await call("view", path=NOTES, view_range=[2, 3]),
            await call("rename", old_path=NOTES, new_path="/memories/kin/all.md"),
            await call("view", path="/memories"),
        ]
        found = await client.call_tool("recall", {"message": "What is Clara allergic to?"})
        ended = [await call("delete", path="/memories/kin"), await call("view", path=NOTES)]
        return said, found.structured_content["text"], ended

    said, found, ended = talk(live)
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
def test_no_path_leads_out_of_the_memories(talk, path):
    async def escape(call, _):
        await call("create", path=NOTES, file_text=TEXT)
        return [
            await call("view", path=path),
            await call("create", path=path, file_text=TEXT),
            await call("str_replace", path=path, old_str="Clara", new_str="x"),
            await call("insert", path=path, insert_line=0, insert_text="x"),
            await call("delete", path=path),
            await call("rename", old_path=path, new_path="/memories/new"),
            await call("rename", old_path=NOTES, new_path=path),
        ]

    assert all(one.startswith("!Error: Path ") for one in talk(escape))


def test_bad_arguments_get_one_line(talk):
    async def ask(call, _):
        return [
            await call("create", path=NOTES),
            await call("rename"),
            await call("view", path="/memories", view_range=[1]),
            await call("write", path=NOTES),
            await call("create", path=NOTES, file_text="a\0b"),
        ]

    said = talk(ask)
    assert said[:3] == [
        "!Error: create needs file_text",
        "!Error: rename needs old_path and new_path",
        "!Error: view_range must be the first and the last line",
    ]
    assert said[3].startswith("!command: Input should be 'view', 'create'")
    assert "NUL" in said[4]
    assert not any("\n" in one for one in said)


def test_users_see_their_own_files_alone(talk):
    async def keep(call, _):
        return await call("create", path=NOTES, file_text=TEXT)

    async def look(call, _):
        return await call("view", path="/memories")

    talk(keep)
    assert "notes.md" in talk(look)
    assert "notes.md" not in talk(look, "bob")
    assert talk(keep, "bob").startswith("File created")


def test_the_files_are_those_of_the_drop_in(talk, store, portal):
    pytest.importorskip("anthropic.tools.memory")
    from concept_graph_mcp import AsyncMemory
    from concept_graph_mcp.dropins.anthropic import AsyncMemoryTool
    from concept_graph_mcp.memory_opening import OpenMemory

    async def keep(call, _):
        return await call("create", path=NOTES, file_text=TEXT)

    talk(keep)
    session = Session(store, limits.DEFAULT_TAU_MS, ZoneInfo("UTC"), Clock(), "ada")
    tool = AsyncMemoryTool(AsyncMemory(OpenMemory(session)))
    assert "Clara" in portal.call(tool.call, {"command": "view", "path": NOTES})


def test_secrets_are_left_out_where_the_owner_says_so(talk):
    async def keep(call, _):
        made = await call("create", path=NOTES, file_text=f"The token is {TOKEN}")
        return made, await call("view", path=NOTES)

    made, shown = talk(keep, redacts=True)
    assert made.splitlines()[1].startswith("stored, with these secrets hidden: GitHub Token")
    assert TOKEN not in shown


def test_nobody_gets_files_unasked():
    assert "files" not in DEFAULT_TOOLSETS
