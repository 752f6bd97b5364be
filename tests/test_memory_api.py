"""`Memory` from Python: the seven verbs, plain and as coroutines, on both stores."""

import doctest
import inspect
import socket
import subprocess
import sys
import threading
from datetime import date, datetime
from typing import get_type_hints

import anyio
import pytest
from tests.markdown import ROOT, blocks

from concept_graph_mcp import AsyncMemory, Memory
from concept_graph_mcp.calls import everyday as verbs
from concept_graph_mcp.errors import Refused, StoreError
from concept_graph_mcp.session import Clock

NOW_MS = 1_750_003_200_000
PAGES = (ROOT / "README.md", ROOT / "docs/guide/python.md")
SAID = "My sister Clara is allergic to hazelnuts!"


@pytest.fixture
def memory(place):
    with Memory.open(place, zone="UTC", clock=Clock(NOW_MS)) as opened:
        yield opened


def test_what_is_remembered_is_recalled(memory):
    about = [{"name": "Clara", "kind": "sister"}]
    made = memory.remember("Clara is allergic to hazelnuts", about=about, keep="years", said=SAID)
    recalled = memory.recall("What may I not cook for my sister?")
    assert "“Clara is allergic to hazelnuts”" in recalled["text"]
    assert made["id"] in {one["id"] for one in recalled["sources"]}
    assert memory.recall("Thank you, good night!") == {"text": "", "nothing": True}


def test_a_profile_tells_who_the_user_is_and_what_is_coming_up(memory):
    assert memory.profile() == {"text": "", "sources": [], "tokens": 0}
    memory.remember("The user is Lena, a nurse", keep="always")
    memory.remember("Dentist", happened_at="2025-06-18T09:30")
    memory.remember("Holiday", happened_at="2025-06-20")
    made = memory.profile()
    assert made["text"].split("\n") == [
        "The user:",
        "[1] 2025-06-15, note: “The user is Lena, a nurse”",
        "Coming up:",
        "[2] 2025-06-18 09:30, note: “Dentist”",
        "[3] 2025-06-20, note: “Holiday”",
    ]
    assert [one["n"] for one in made["sources"]] == [1, 2, 3]
    assert made["tokens"] <= 300
    assert memory.about("me")["text"] == made["text"]


def test_every_verb_does_what_the_tool_does(memory):
    first = memory.remember("Clara lives in Turin", about=["Clara"], said="Clara lives in Turin")
    second = memory.remember(
        "Clara lives in Genoa",
        about=["Clara"],
        said="Clara lives in Genoa now",
        replaces=first["id"],
    )
    assert "Genoa" in memory.recall("Where does Clara live?")["text"]
    assert {one["id"] for one in memory.search("Clara")["found"]} >= {first["id"], second["id"]}
    assert memory.about("Clara")["name"] == "Clara"
    assert memory.relate("hazelnut", "nut", "is-a") == {
        "from": "hazelnut",
        "to": "nut",
        "type": "is-a",
    }
    memory.remember("Carla sings", about=["Carla"])
    said = "Clara and Carla are the same"
    assert memory.identify("Clara", "Carla", same=True, said=said)["verdict"] == "same"
    assert memory.forget(second["id"])["id"] == second["id"]
    assert second["id"] not in {one["id"] for one in memory.search("Clara Genoa")["found"]}
    clara = memory.about("Clara")["id"]
    assert memory.forget(clara)["id"] == clara
    assert memory.search("Clara", kinds=["entity"])["found"] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_the_documentation_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    names: dict[str, object] = {}
    examples = [block for block in blocks(page) if block.language == "python"]
    for block in examples:
        test = doctest.DocTestParser().get_doctest(block.text, names, page.name, None, block.line)
        assert test.examples
        ran = doctest.DocTestRunner().run(test, clear_globs=False)
        assert ran.failed == 0
        names = test.globs
    assert examples


def test_two_users_of_a_store_are_apart(memory, place):
    memory.remember("Clara lives in Turin", about=["Clara"])
    with Memory.open(place, "bob", zone="UTC") as other:
        assert other.search("Clara Turin")["found"] == []
        assert other.recall("Where does Clara live?")["text"] == ""


def test_a_closed_memory_is_there_again(place):
    for number in range(2):
        with Memory.open(place, zone="UTC") as memory:
            made = memory.remember("Clara lives in Turin")
            assert made.get("existing", False) == bool(number)


def test_a_memory_is_open_from_its_first_call_on(place):
    memory = Memory.open(place, zone="UTC")
    memory.remember("Clara lives in Turin", about=["Clara"])
    assert "Turin" in memory.of("default").recall("Where does Clara live?")["text"]
    memory.close()
    memory.close()
    with pytest.raises(Refused, match="the memory is closed"):
        memory.recall("Where does Clara live?")


@pytest.mark.slow
def test_a_program_ends_that_does_not_close_its_memory(tmp_path):
    told = (
        "from concept_graph_mcp import Memory\n"
        "memory = Memory.open('memory.db', zone='UTC')\n"
        "print(memory.remember('Clara lives in Turin')['id'])\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", told],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ended.returncode, ended.stderr, len(ended.stdout.split())) == (0, "", 1)


def test_the_same_as_coroutines(place):
    async def live() -> str:
        async with AsyncMemory.open(place, zone="UTC") as memory:
            await memory.remember("Clara lives in Turin", about=["Clara"])
            async with anyio.create_task_group() as tasks:
                for number in range(5):
                    tasks.start_soon(memory.remember, f"Clara has {number} cats")
            return (await memory.recall("Where does Clara live?"))["text"]

    assert "Clara lives in Turin" in anyio.run(live)


def test_several_threads_use_one_memory(memory):
    def remember(number):
        memory.remember(f"Clara has {number} cats")

    threads = [threading.Thread(target=remember, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.search("Clara cats")["total"] == 5


def test_a_date_of_python_is_a_time_too(memory):
    memory.remember("The roof leaks", happened_at=date(2025, 1, 31))
    first, last = datetime(2025, 1, 31), datetime(2025, 1, 31, 12)
    assert memory.search("roof", since=first, until=last)["total"] == 1
    assert memory.search("roof", since=last)["total"] == 0
    assert memory.search("roof", until=date(2025, 1, 31))["total"] == 1


def test_the_memory_of_another_user_is_on_the_same_store(memory):
    other = memory.of("bob")
    other.remember("Bob has a cat")
    assert other.search("cat")["total"] == 1
    assert memory.search("cat")["total"] == 0
    with pytest.raises(Refused, match="user: must not be empty"):
        memory.of("")


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda memory: memory.remember(""), "text: must not be empty"),
        (lambda memory: memory.remember("a", about="Clara"), "about: must be a list"),
        (lambda memory: memory.remember("a", about={"name": "Clara"}), "about: must be a list"),
        (lambda memory: memory.forget("nothing"), 'id: not found: "nothing"; about and search'),
        (lambda memory: memory.remember("a", keep="weeks"), "keep: must be one of days, normal"),
        (lambda memory: memory.recall("a", token_budget=1), "token_budget: "),
        (lambda memory: memory.search("a", since="soon"), "since: must be a date"),
        (lambda memory: memory.search("a", since=5), "since: must be a date"),
    ],
)
def test_what_is_wrong_is_one_line(memory, call, line):
    with pytest.raises(StoreError, match=line):
        call(memory)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"user": ""}, "user: must not be empty"),
        ({"zone": "Nowhere"}, "unknown time zone 'Nowhere'"),
        ({"embeddings": "none:of:these"}, "must be one of use-multilingual"),
        ({"concepts": "some"}, "CONCEPT_GRAPH_CONCEPTS"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_opened(tmp_path, given, line):
    path = tmp_path / "memory.db"
    with pytest.raises(Refused, match=line):
        Memory.open(path, **given)
    assert not path.exists()


def test_a_server_that_is_not_there_is_told(free_port):
    with (
        pytest.raises(StoreError, match="Memgraph cannot be reached"),
        Memory.open(f"bolt://127.0.0.1:{free_port}"),
    ):
        pass


@pytest.fixture
def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def test_a_misspelt_message_names_whom_it_means(tmp_path):
    with Memory.open(tmp_path / "memory.db", zone="UTC", embeddings="none") as memory:
        memory.remember("Sander teaches chemistry", about=[{"name": "Sander", "kind": "husband"}])
        for asked in ("What does my hubsand teach?", "What about Sandr?"):
            assert "Sander (husband" in memory.recall(asked)["text"]


VERBS = ("recall", "remember", "search", "about", "forget", "relate", "identify", "profile")


@pytest.mark.parametrize("name", VERBS)
def test_a_method_has_the_arguments_of_its_verb_as_plain_types(name):
    signature = inspect.signature(getattr(Memory, name))
    assert signature == inspect.signature(getattr(AsyncMemory, name))
    hints = get_type_hints(getattr(Memory, name))
    assert hints == get_type_hints(getattr(AsyncMemory, name))
    assert "Annotated" not in str(signature)
    taken = {
        one.name: inspect.Parameter.empty if one.default is ... else one.default
        for one in getattr(verbs, name).arguments
    }
    if name == "identify":
        # Python gives the tool's default too, so what follows is passed by name.
        taken["b"] = None
    given = [one for one in signature.parameters.values() if one.name != "self"]
    assert {one.name: one.default for one in given} == taken


@pytest.mark.parametrize("name", [*VERBS, "items"])
def test_a_method_says_what_it_takes_returns_and_raises(name):
    told = inspect.getdoc(getattr(Memory, name))
    assert told is not None
    parts = ("\nArgs:\n", "\nReturns:\n", "\nRaises:\n", f"memory.{name}(")
    assert [one for one in parts if one not in told] == []
    taken = [one for one in inspect.signature(getattr(Memory, name)).parameters if one != "self"]
    assert [one for one in taken if f"\n    {one}: " not in told] == []


def test_importing_the_memory_imports_neither_mcp_nor_what_opens_a_store():
    slow = ("mcp", "pydantic", "anyio", "asyncio", "neo4j", "numpy", "sqlite3")
    told = "import concept_graph_mcp, sys; concept_graph_mcp.Memory; "
    told += f"print({set(slow)} & {{*sys.modules}})"
    ended = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "set()"


@pytest.mark.slow
def test_a_program_without_mcp_has_a_memory(tmp_path):
    told = (
        "import sys\n"
        "sys.modules['mcp'] = None\n"
        "from concept_graph_mcp import Memory\n"
        "memory = Memory.open('memory.db', zone='UTC', embeddings='none')\n"
        "memory.remember('Clara lives in Turin', about=['Clara'])\n"
        "print(memory.recall('Where does Clara live?')['text'])\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", told],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "Clara lives in Turin" in ended.stdout


def test_a_server_without_mcp_2_says_so_in_one_line(tmp_path):
    told = (
        "import sys\n"
        "sys.modules['mcp'] = None\n"
        "from concept_graph_mcp.__main__ import run\n"
        "run(['--embedded', 'memory.db', '--toolsets', 'everyday', '--local-time'])\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", told],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    [line] = ended.stderr.splitlines()
    assert "the server needs the package mcp 2, and the installed one is" in line
