"""Run the commands that README and the guide show, against the real program."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from zoneinfo import ZoneInfo

import click
import pytest
import yaml
from mcp.client.client import Client
from tests import markdown
from tests.markdown import ROOT

from concept_graph_mcp import settings
from concept_graph_mcp.__main__ import main
from concept_graph_mcp.embedding import multilingual
from concept_graph_mcp.serving import build
from concept_graph_mcp.session import Clock, Session
from conceptgraph_core.verbs import limits

PAGE = ROOT / "README.md"
README = PAGE.read_text(encoding="utf-8")
GUIDE = ROOT / "docs/guide"
DEMO, BACKUP = GUIDE / "demo.md", ROOT / "docs/operate/backup.md"
PAGES = [PAGE, *sorted((ROOT / "docs").rglob("*.md"))]
ZONE = ZoneInfo("Europe/Berlin")
# The last line of a call that returned nothing to read.
NOTHING = "nothing"


def after(page: Path, marker: str) -> str:
    """Return the code block of *page* after the comment *marker*."""
    (found,) = (block.text for block in markdown.blocks(page) if block.marker == marker)
    return found


def test_the_readme_is_short():
    assert len(README.splitlines()) < 250


def test_the_figures_are_those_of_the_benchmarks():
    printed = (ROOT / "benchmarks/README.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| (\w+): .* \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", README, re.M)
    assert len(shown) == 4
    for benchmark, *figures in shown:
        part = printed[
            re.search(rf"^\| {benchmark}(, unseen)? \| recall@1 ", printed, re.M).end() :
        ]
        row = next(line for line in part.splitlines() if "| recall@10 |" in line).split("|")
        assert [row[place].split()[0] for place in (3, 5, 6)] == figures


def test_every_command_says_what_it_does():
    context = click.Context(main)
    for name in main.list_commands(context):
        assert main.get_command(context, name).help


@pytest.mark.parametrize("page", [PAGE, GUIDE / "getting-started.md"], ids=lambda page: page.name)
def test_the_client_configurations_start_a_server(page):
    blocks = [json.loads(block.text) for block in markdown.blocks(page) if block.language == "json"]
    chosen = []
    for configuration in blocks:
        server = configuration["mcpServers"]["concept-memory"]
        assert server["command"].endswith("concept-graph-mcp")
        options = main.make_context("concept-graph-mcp", list(server.get("args", []))).params
        chosen.append(
            settings.read(server.get("env", {}), options["embedded"], options["toolsets"])
        )
    assert chosen[0].embedded == settings.default_path()
    assert {one.toolsets for one in chosen} == {("everyday",)}
    assert [(one.embedded, one.uri) for one in chosen[1:]] == [(None, settings.DEFAULT_URI)] * (
        len(chosen) - 1
    )
    assert len(chosen) == (1 if page == PAGE else 2)


def test_the_example_goes_as_the_readme_shows_it_on_each_host(store, portal):
    (block,) = (b for b in markdown.blocks(PAGE) if (b.marker or "").startswith("example: "))
    clock = Clock()
    clock.set(int(block.marker.partition(": ")[2]))
    session = Session(store, limits.DEFAULT_TAU_MS, ZONE, clock)

    async def replay() -> list[str]:
        lines = []
        async with Client(build(session, toolsets=("everyday",))) as client:
            for line in block.text.splitlines():
                if line.startswith("> "):
                    tool, _, arguments = line.removeprefix("> ").partition(" ")
                    result = await client.call_tool(tool, json.loads(arguments))
                    assert not result.is_error
                    said = result.structured_content
                    lines += [line, *said.get("text", "").splitlines()]
                    lines += [NOTHING] * said.get("nothing", False)
        return lines

    shown = portal.call(replay)
    assert shown == block.text.splitlines()
    assert {line.split()[1] for line in shown if line.startswith("> ")} == {"remember", "recall"}


@pytest.mark.slow
@pytest.mark.skipif(
    not multilingual.is_installed(), reason="the page shows the default installation"
)
def test_the_demo_prints_what_its_page_shows(tmp_path):
    default = ("TZ", settings.EMBEDDINGS_VARIABLE)
    environment = {key: value for key, value in os.environ.items() if key not in default}
    # What is set for the owner's server is none of the demo's.
    environment |= {"CONCEPT_GRAPH_TOOLSETS": "entity", "AROUSAL_TAU_MS": "1000"}
    environment |= {"XDG_DATA_HOME": str(tmp_path)}
    shown = subprocess.run(
        [sys.executable, "-m", "concept_graph_mcp", "demo"],
        env=environment | {"COLUMNS": "100", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout
    lines, _, told = shown.partition("\n\nSee all of it as a page: ")
    assert lines.rstrip().splitlines() == after(DEMO, "demo-output").splitlines()
    assert len(lines.splitlines()) < 64
    assert told.split() == ["concept-graph-mcp", "view"]
    assert [one.name for one in (tmp_path / "concept-graph-mcp").iterdir()] == ["demo.db"]


def test_the_set_up_commands_name_what_exists():
    assert after(PAGE, "demo-command").endswith("concept-graph-mcp demo")
    assert after(DEMO, "demo-command") == after(PAGE, "demo-command")
    assert after(PAGE, "test-command").endswith("pytest")


def test_the_compose_commands_name_what_the_compose_file_has():
    found = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    written = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    commands = re.findall(r"^docker compose (.+)$", written, re.MULTILINE)
    assert len(commands) > 10
    profiles = {profile for service in found.values() for profile in service.get("profiles", [])}
    for command in commands:
        words = shlex.split(command)
        while words[0] == "--profile":
            assert words[1] in profiles
            words = words[2:]
        action, *rest = words
        assert action in {"up", "down", "run", "exec", "logs"}
        service, *given = [word for word in rest if not word.startswith("-")] or [None]
        if action in {"run", "exec"}:
            assert service in found
        if service in {"mcp", "http"} and given:
            assert main.get_command(click.Context(main), given[0])


def test_the_tasks_of_backups_exist():
    tasks = yaml.safe_load((ROOT / "Taskfile.yml").read_text(encoding="utf-8"))["tasks"]
    written = BACKUP.read_text(encoding="utf-8")
    named = re.findall(r"`((?:memgraph/)?local-[a-z/]+)`", written)
    assert len(named) == 4
    for name in named:
        assert name in tasks or f"{name.rpartition('/')[0]}/*" in tasks


# What an example needs that not everybody has: a Memgraph, a model.
NEEDS_MORE = {"mcp import memory.jsonl", " backfill ", "--model"}
# What names entities, files and stores that this person does not have.
NEEDS_MORE |= {" entities ", "memories restore", "graph.db", " sync "}
# In the order in which a person reads them.
EXAMPLE_PAGES = [
    GUIDE / "command-line.md",
    GUIDE / "history.md",
    BACKUP,
]
EXAMPLES = [
    line
    for page in EXAMPLE_PAGES
    for block in markdown.blocks(page)
    if block.language == "sh"
    for line in block.text.splitlines()
    if line.startswith("concept-graph-mcp ") and not any(map(line.count, NEEDS_MORE))
]


@pytest.fixture
def home(tmp_path, monkeypatch) -> None:
    """The place of a person whose memory is in its usual file and has what the examples name."""
    for name in ("MEMGRAPH_URI", "MEMGRAPH_URL", settings.EMBEDDED_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    work, home, data = (tmp_path / name for name in ("work", "home", "data"))
    for folder in (work, home):
        folder.mkdir()
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    monkeypatch.setenv("BROWSER", "true")
    monkeypatch.chdir(work)
    edges = "apple\tis-a\tfruit\napple\tis-a\tcolur\n"
    ended("concept-graph-mcp --embedded import -", edges)
    entity = {"type": "entity", "name": "Bob", "entityType": "person", "observations": ["is tall"]}
    (home / "memory.jsonl").write_text(json.dumps(entity) + "\n")
    said = {
        "role": "user",
        "text": "hello",
        "created_at": 1750000000000,
        "thread": "t",
        "user_id": "mia",
    }
    (work / "messages.jsonl").write_text(json.dumps(said) + "\n")


def ended(command: str, answers: str) -> None:
    """Run *command* in a shell until it ends, which it must do well."""
    done = subprocess.run(
        ["sh", "-c", command], input=answers, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def served(command: str) -> None:
    """Run *command* in a shell until it says where it serves, and interrupt it."""
    with subprocess.Popen(["sh", "-c", f"exec {command}"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        address = process.stdout.readline().decode().strip()
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert b"<html" in answer.read()
        process.send_signal(signal.SIGINT)
    assert process.returncode == 0


@pytest.mark.slow
def test_the_examples_run_one_after_the_other_for_whoever_has_no_database(home):
    assert len(EXAMPLES) >= 12
    for command in EXAMPLES:
        if " view" in command:
            served(command)
        else:
            ended(command, "y\n")
