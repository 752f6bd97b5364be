"""Every command, table and output that the README shows, held against what is really there."""

import inspect
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections import Counter
from importlib.resources import files
from pathlib import Path

import click
import pytest
import yaml
from tests import markdown
from tests.markdown import ROOT

from concept_graph_mcp import settings
from concept_graph_mcp.__main__ import main
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.stores.embedded import modules
from concept_graph_mcp.tools import toolsets
from conceptgraph_core import limits
from conceptgraph_core.everyday.lines import TITLES

PAGE = ROOT / "README.md"
README = PAGE.read_text(encoding="utf-8")
BLOCKS = markdown.blocks(PAGE)
CALLS = [
    (call.text, output.text)
    for call, output in itertools.pairwise(BLOCKS)
    if (call.language, output.language) == ("cypher", "text")
]


def table(*header: str) -> list[list[str]]:
    return markdown.table(PAGE, *header)


def after(marker: str) -> str:
    """Return the code block after the comment *marker*."""
    (found,) = (block.text for block in BLOCKS if block.marker == marker)
    return found


def names(cell: str) -> list[str]:
    return [name.strip() for name in cell.split(",") if name.strip()]


def tools() -> list:
    clock = Clock()
    zone = settings.read({"TZ": "UTC"}).zone
    return toolsets.tools(
        Session(None, limits.DEFAULT_TAU_MS, zone, clock), tuple(toolsets.TOOLSETS), True
    )


def test_the_tools_and_their_arguments_are_those_of_the_server():
    shown = [
        (name, names(arguments)) for name, arguments, _ in table("tool", "arguments", "returns")
    ]
    assert shown == [(tool.name, list(tool.parameters["properties"])) for tool in tools()]


def test_the_tools_return_what_the_readme_says():
    shown = {name: names(returns) for name, _, returns in table("tool", "arguments", "returns")}
    assert shown == {tool.name: list(tool.output_schema["properties"]) for tool in tools()}


def test_the_procedures_have_the_arguments_and_fields_that_the_readme_says():
    header = ("procedure", "arguments before the context", "yields")
    shown = {name: (names(given), names(fields)) for name, given, fields in table(*header)}
    callbacks = modules.load_modules()
    real = {
        name.removeprefix("conceptgraph."): (
            [argument for argument, _ in callback.arguments if argument != "context"],
            list(callback.results),
        )
        for name, callback in callbacks.items()
        if callback.results
    }
    assert shown == real


def test_the_commands_are_those_of_the_program():
    context = click.Context(main)
    assert [name for name, _ in table("command", "does")] == main.list_commands(context)
    for name in main.list_commands(context):
        assert main.get_command(context, name).help


def test_the_variables_are_those_that_are_read():
    shown = {name for cell, *_ in table("variable", "default", "meaning") for name in names(cell)}
    source = inspect.getsource(settings)
    read = set(re.findall(r'environment\.get\("(\w+)"', source)) | {settings.EMBEDDED_VARIABLE}
    assert shown | {"MEMGRAPH_URL"} == read
    defaults = {name: value for name, value, _ in table("variable", "default", "meaning")}
    assert defaults["MEMGRAPH_URI"] == settings.DEFAULT_URI
    assert defaults["AROUSAL_TAU_MS"] == str(limits.DEFAULT_TAU_MS)


def test_the_client_configurations_start_a_server():
    configurations = [json.loads(block.text) for block in BLOCKS if block.language == "json"]
    assert len(configurations) == 2
    chosen = []
    for configuration in configurations:
        server = configuration["mcpServers"]["memory"]
        assert server["command"].endswith("concept-graph-mcp")
        context = main.make_context("concept-graph-mcp", list(server.get("args", [])))
        chosen.append(settings.read(server["env"], context.params["embedded"]))
    assert chosen[0].embedded == settings.default_path()
    assert (chosen[1].embedded, chosen[1].uri) == (None, settings.DEFAULT_URI)


# The second demo that there was is part of the one, and its option still accepted.
@pytest.mark.parametrize("options", [[], ["--memory"]], ids=["demo", "demo --memory"])
def test_the_demo_prints_what_the_readme_shows(options):
    environment = {key: value for key, value in os.environ.items() if key != "TZ"}
    # What is set for the owner's server is none of the demo's.
    environment |= {"CONCEPT_GRAPH_TOOLSETS": "entity", "AROUSAL_TAU_MS": "1000"}
    shown = subprocess.run(
        [sys.executable, "-m", "concept_graph_mcp", "demo", *options],
        env=environment | {"COLUMNS": "100", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout
    lines = shown.rstrip().splitlines()
    assert lines == after("demo-output").splitlines()
    assert len(lines) < 60


def test_the_demo_shows_all_layers_and_silence():
    parts = {*TITLES.values(), "nothing belongs to that"}
    assert parts <= {line.strip() for line in after("demo-output").splitlines()}


def test_the_set_up_commands_name_what_exists():
    assert after("demo-command").endswith("concept-graph-mcp demo")
    assert after("test-command").endswith("pytest")


def test_the_demo_is_as_large_as_the_readme_says():
    sample = files("concept_graph_mcp") / "sample" / "apollo13.jsonl"
    kinds: Counter[str] = Counter()
    relations = set()
    for line in sample.read_text(encoding="utf-8").splitlines():
        step = json.loads(line)
        kinds[step["kind"]] += 1
        if step["kind"] == "relation":
            relations.add((step["from"], step["to"], step["type"]))
        elif step["kind"] == "episode":
            relations.update((concept, step["summary"], "evokes") for concept in step["concepts"])
    size = f"{kinds['episode']} episodes, {kinds['concept']} concepts, {len(relations)} relations"
    assert f"({size}," in README


def test_the_compose_commands_name_what_the_compose_file_has():
    found = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    commands = re.findall(r"`docker compose ([^`]+)`", README)
    assert len(commands) == 3
    profiles = {profile for service in found.values() for profile in service.get("profiles", [])}
    for command in commands:
        words = command.split()
        assert set(words) & {"up", "run"}
        if "--profile" in words:
            assert words[words.index("--profile") + 1] in profiles
        if "run" in words:
            assert words[-1] in found


def test_the_tasks_that_the_readme_names_exist():
    tasks = yaml.safe_load((ROOT / "Taskfile.yml").read_text(encoding="utf-8"))["tasks"]
    named = re.findall(r"`((?:memgraph/)?local-[a-z/]+)`", README)
    assert len(named) == 4
    for name in named:
        assert name in tasks or f"{name.rpartition('/')[0]}/*" in tasks


def test_the_calls_yield_what_the_readme_shows(memory):
    assert len(CALLS) == 2
    for call, shown in CALLS:
        name, given, fields = re.fullmatch(
            r"CALL ([\w.]+)\((.*)\) YIELD (.*);", call.strip()
        ).groups()
        *arguments, context = json.loads("[" + re.sub(r"(\w+):", r'"\1":', given) + "]")
        rows = memory.procedure(name, arguments, tuple(names(fields)), **context)
        lines = [names(fields), *([str(value) for value in row.values()] for row in rows)]
        assert [[cell.strip() for cell in line.split("|")] for line in shown.splitlines()] == lines


@pytest.mark.parametrize("link", markdown.links(PAGE))
def test_what_the_readme_links_to_exists(link):
    assert link.startswith("http") or (ROOT / link.partition("#")[0]).exists()


# What an example needs that not everybody has: a Memgraph, a model.
NEEDS_MORE = {"import memory.jsonl", "install-modules", "--into-target"}
EXAMPLES = [
    line
    for block in BLOCKS
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


def test_the_examples_run_one_after_the_other_for_whoever_has_no_database(home):
    assert len(EXAMPLES) >= 12
    for command in EXAMPLES:
        assert " --embedded " in command
        if " view " in command:
            served(command)
        else:
            ended(command, "y\n")
