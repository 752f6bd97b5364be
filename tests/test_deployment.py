"""What is deployed, as far as it can be checked without a container engine."""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from docker.utils.build import exclude_paths

from concept_graph_mcp import endpoints, settings
from concept_graph_mcp.__main__ import main
from concept_graph_mcp.http.limits import Limits
from conceptgraph_core.transfer.registry import MODEL

ROOT = Path(__file__).resolve().parents[1]
QUERY_MODULES = ROOT / "query_modules"
COMPOSE = ROOT / "compose.yaml"
DOCKERFILES = ("docker/Dockerfile", "docker/mcp.Dockerfile")
TASKS = (
    "default",
    "up",
    "down",
    "demo",
    "test",
    "test/memgraph",
    "lab",
    "build",
    "lint",
    "memgraph/local-clean",
    "memgraph/local-backup",
    "memgraph/local-restore/*",
    "local-reset",
)
MEMGRAPH_DEFAULT = "3.12.0"
FLAG = "--log-level=INFO"
# The services of compose.yaml that run an image of ours.
OURS = ("memgraph", "mcp", "http", "worker")
# What a module may import from the standard library: a reload drops these and everything whose
# name begins like them, so they must be harmless to import a second time.
RELOADABLE = {
    *(
        "binascii",
        "bisect",
        "collections",
        "dataclasses",
        "datetime",
        "difflib",
        "functools",
        "hashlib",
    ),
    *("heapq", "itertools", "math", "operator", "time", "typing", "unicodedata", "zlib"),
}


def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())["services"]
    return found


def taskfile() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "Taskfile.yml").read_text())["tasks"]
    return found


def instructions(dockerfile: str) -> list[tuple[str, str]]:
    """Return (instruction, arguments), continued lines joined, comments left out."""
    lines = [
        line
        for line in (ROOT / dockerfile).read_text().splitlines()
        if line and not line.startswith("#")
    ]
    joined = "\n".join(lines).replace("\\\n", " ").splitlines()
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in joined)]


def arguments(dockerfile: str, instruction: str) -> list[str]:
    return [rest for word, rest in instructions(dockerfile) if word == instruction]


def sources(dockerfile: str) -> list[str]:
    """Return what is copied from the checkout, not from another stage."""
    copied = [shlex.split(rest) for rest in arguments(dockerfile, "COPY")]
    return [name.rstrip("/") for words in copied if "--from" not in words[0] for name in words[:-1]]


def context(root: Path = ROOT) -> set[str]:
    """Return the files that a build sees, by Docker's own reading of .dockerignore."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    return {str(Path(name)) for name in exclude_paths(str(root), patterns)}


def flags() -> dict[str, str]:
    lines = (ROOT / "docker/memgraph.conf").read_text().splitlines()
    return dict(line.removeprefix("--").split("=", 1) for line in lines if line.startswith("--"))


def absolute_imports(module: Path) -> set[str]:
    """Return the top-level names that *module* imports, anywhere in it, not relatively."""
    found = set()
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


def entries() -> list[Path]:
    return sorted(QUERY_MODULES.glob("*.py"))


def core() -> list[Path]:
    return sorted((QUERY_MODULES / "conceptgraph_core").rglob("*.py"))


# Compose


def test_published_ports_are_on_the_loopback_address_only() -> None:
    ports = [port for service in services().values() for port in service.get("ports", ())]
    assert len(ports) == 3
    assert [port for port in ports if not str(port).startswith("127.0.0.1:")] == []


def test_only_memgraph_starts_without_a_profile_and_the_others_wait_for_it():
    found = services()
    memgraph = found.pop("memgraph")
    assert "profiles" not in memgraph
    # It takes the memory of the machine for its own, whatever its container's limit.
    assert memgraph["command"] == ["--memory-limit=${MEMGRAPH_MEMORY_MB:-0}"]
    assert {name: one["profiles"] for name, one in found.items()} == {
        name: [name] for name in ("lab", "mcp", "http", "worker")
    }
    waits = [one["depends_on"]["memgraph"]["condition"] for one in found.values()]
    assert set(waits) == {"service_healthy"}
    assert (found["mcp"]["stdin_open"], found["mcp"]["tty"]) == (True, False)
    assert re.fullmatch(r"memgraph/lab:\$\{LAB_VERSION:-\d+\.\d+\.\d+\}", found["lab"]["image"])


def test_healthy_means_that_the_database_answers_with_our_modules() -> None:
    kind, command = services()["memgraph"]["healthcheck"]["test"]
    assert kind == "CMD-SHELL"
    assert "CALL conceptgraph.version()" in command
    assert "mgconsole --fromenv=username,password" in command


def test_healthcheck_uses_the_container_s_user_and_password() -> None:
    memgraph = services()["memgraph"]
    used = set(re.findall(r"\$\$(\w+)", memgraph["healthcheck"]["test"][1]))
    assert used == {"MEMGRAPH_USER", "MEMGRAPH_PASSWORD"}
    assert used <= set(memgraph["environment"])


def test_data_log_and_backups_are_on_volumes_with_names() -> None:
    compose = yaml.safe_load(COMPOSE.read_text())
    mounted = {
        name: dict(volume.split(":") for volume in service.get("volumes", ()))
        for name, service in services().items()
    }
    assert set(mounted["memgraph"].values()) == {"/var/lib/memgraph", "/var/log/memgraph"}
    # Where `backup` writes by default; the image makes it its user's, and a new volume gets that.
    (backups,) = mounted["mcp"].values()
    assert backups == f"{arguments('docker/mcp.Dockerfile', 'WORKDIR')[-1]}/backup"
    assert backups in arguments("docker/mcp.Dockerfile", "RUN")[-1].split()
    # Beside it the tokens of the server over HTTP.
    (tokens,) = mounted["http"].values()
    assert services()["http"]["environment"]["CONCEPT_GRAPH_TOKENS"] == f"{tokens}/tokens.db"
    assert tokens in arguments("docker/mcp.Dockerfile", "RUN")[-1].split()
    assert {name for volumes in mounted.values() for name in volumes} == set(compose["volumes"])


@pytest.mark.parametrize("name", OURS)
def test_our_containers_write_to_their_volumes_only_and_gain_no_right(name):
    service = services()[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert re.fullmatch(r"\$\{\w+_MEMORY:-\w+\}", service["mem_limit"])
    # `mcp` is run for one client.
    assert service.get("restart") == (None if name == "mcp" else "unless-stopped")


@pytest.mark.parametrize("name", ["http", "worker"])
def test_services_are_given_what_the_program_takes(name: str) -> None:
    command, *given = [
        re.sub(r"\$\{\w+:-(.*)\}", r"\1", re.sub(r"\$\{\w+:-(\w+)\}", r"\1", word))
        for word in services()[name]["command"]
    ]
    # With the program's settings: click keeps a command's first help option.
    program = click.Context(main, **main.context_settings)
    found = main.get_command(program, command)
    assert found is not None
    assert found.make_context(command, given, parent=program).params


def test_the_server_over_http_is_healthy_when_its_store_answers() -> None:
    http = services()["http"]
    *_, check = http["healthcheck"]["test"]
    ((host, port),) = re.findall(r"http://([\d.]+):(\d+)/ready", check)
    assert host == "127.0.0.1"
    assert f"--http=0.0.0.0:{port}" in http["command"]
    assert [published.rpartition(":")[2] for published in http["ports"]] == [port]
    # Calls in flight are answered before it is killed.
    assert http["stop_grace_period"] == "1m"
    assert Limits().timeout_s < 60


def test_the_head_of_the_compose_file_names_every_variable() -> None:
    head, _, rest = COMPOSE.read_text().partition("\nname:")
    used = set(re.findall(r"\$\{(\w+)", rest))
    given = {
        name
        for service in services().values()
        for name, value in service.get("environment", {}).items()
        if value is None
    }
    assert {name for name in used | given if name not in head} == set()


def test_mcp_server_finds_memgraph_and_gets_the_time_zone_of_the_caller() -> None:
    environment = services()["mcp"]["environment"]
    # Passed on, with no default: a time zone that is wrong in silence would misdate episodes.
    assert environment["TZ"] is None
    given = {name: value for name, value in environment.items() if value} | {"TZ": "Asia/Tokyo"}
    assert settings.read(given).uri == "bolt://memgraph:7687"


def test_mcp_server_is_told_every_variable_that_it_reads() -> None:
    reading = "".join(Path(one.__file__).read_text() for one in (settings, endpoints))
    read = set(re.findall(r'environment\.get\(\s*"(\w+)"', reading))
    read |= {one.variable for one in settings.SETTINGS if one.field}
    assert read >= {"AROUSAL_TAU_MS", "CONCEPT_GRAPH_LANGUAGES"}
    # Only a server over HTTP has tokens.
    assert read - {"MEMGRAPH_URL", "CONCEPT_GRAPH_TOKENS"} == set(services()["mcp"]["environment"])


def test_built_services_use_dockerfiles_that_exist() -> None:
    built = {s["build"]["dockerfile"] for s in services().values() if "build" in s}
    assert built == set(DOCKERFILES)
    assert [name for name in built if not (ROOT / name).is_file()] == []


# Images


def test_memgraph_version_is_defined_in_one_place() -> None:
    (image,) = arguments("docker/Dockerfile", "FROM")
    assert image == "memgraph/memgraph:${MEMGRAPH_VERSION:-" + MEMGRAPH_DEFAULT + "}"
    assert arguments("docker/Dockerfile", "ARG") == ["MEMGRAPH_VERSION"]
    # Compose hands its variable on and has no default of its own.
    assert services()["memgraph"]["build"]["args"] == {"MEMGRAPH_VERSION": None}
    others = ("compose.yaml", "Taskfile.yml", "tests/containers.py")
    named = "memgraph/memgraph:", f"MEMGRAPH_VERSION:-{MEMGRAPH_DEFAULT}"
    assert [n for n in others if any(name in (ROOT / n).read_text() for name in named)] == []


@pytest.mark.parametrize("dockerfile", DOCKERFILES)
def test_images_do_not_run_as_root(dockerfile: str) -> None:
    final = instructions(dockerfile)
    users = [(at, rest) for at, (word, rest) in enumerate(final) if word == "USER"]
    last_stage = max(at for at, (word, _) in enumerate(final) if word == "FROM")
    at, user = users[-1]
    assert at > last_stage
    assert user not in {"root", "0"}


def test_query_modules_are_in_a_directory_that_the_server_loads_after_its_own() -> None:
    copied = [shlex.split(rest) for rest in arguments("docker/Dockerfile", "COPY")]
    (target,) = [words[-1].rstrip("/") for words in copied if words[0] == "query_modules/"]
    assert flags()["query-modules-directory"].split(",") == [
        "/usr/lib/memgraph/query_modules",
        target,
    ]


def test_server_reads_the_configuration_that_is_copied() -> None:
    copied = [shlex.split(rest) for rest in arguments("docker/Dockerfile", "COPY")]
    (target,) = [words[-1] for words in copied if words[0] == "docker/memgraph.conf"]
    assert f"MEMGRAPH_CONFIG={target}" in arguments("docker/Dockerfile", "ENV")


def test_arguments_of_a_command_add_to_the_configuration() -> None:
    # Flags here would be replaced by those of a `command:`.
    assert arguments("docker/Dockerfile", "CMD") == []
    (start,) = map(json.loads, arguments("docker/Dockerfile", "ENTRYPOINT"))
    copied = [shlex.split(rest) for rest in arguments("docker/Dockerfile", "COPY")]
    assert [words[-1] for words in copied if words[0] == "docker/start.sh"] == start


@pytest.mark.parametrize(
    ("user", "password", "told"),
    [
        (None, None, "user unset, flags --log-level=INFO"),
        ("", "", "user unset, flags --log-level=INFO"),
        ("memory", "secret", "user memory, flags --log-level=INFO"),
        ("memory", "", "MEMGRAPH_USER is set but MEMGRAPH_PASSWORD is not: set both or none"),
        ("memory", None, "MEMGRAPH_USER is set but MEMGRAPH_PASSWORD is not: set both or none"),
    ],
)
def test_memgraph_starts_with_a_user_and_a_password_or_with_neither(
    tmp_path: Path, user: str | None, password: str | None, told: str
) -> None:
    server = tmp_path / "memgraph"
    server.write_text('#!/bin/sh\necho "user ${MEMGRAPH_USER-unset}, flags $@"\n')
    server.chmod(0o755)
    script = (ROOT / "docker/start.sh").read_text()
    assert "/usr/lib/memgraph/memgraph" in script
    given = {"MEMGRAPH_USER": user, "MEMGRAPH_PASSWORD": password}
    done = subprocess.run(
        ["sh", "-c", script.replace("/usr/lib/memgraph/memgraph", str(server)), "start", FLAG],
        env={name: value for name, value in given.items() if value is not None},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout + done.stderr).splitlines() == [told]
    assert (done.returncode == 0) == told.endswith(FLAG)


def test_no_module_file_is_the_server_s_to_write() -> None:
    (made,) = [rest for rest in arguments("docker/Dockerfile", "RUN") if "chmod" in rest]
    given, readable, _ = (shlex.split(step) for step in made.split("&&"))
    server_s, ours = flags()["query-modules-directory"].split(",")
    # What is copied is root's already.
    assert given == ["chown", "-R", "root:root", server_s]
    assert readable == ["chmod", "-R", "u=rwX,go=rX", server_s, f"{ours}*"]
    assert arguments("docker/Dockerfile", "USER") == ["root", "memgraph"]


def test_modules_that_a_user_would_create_have_no_place() -> None:
    (mounted,) = services()["memgraph"]["tmpfs"]
    path, _, options = mounted.partition(":")
    assert path == "/var/lib/memgraph/internal_modules"
    assert options.split(",") == ["mode=0555", "uid=0", "gid=0"]


def test_every_line_of_the_configuration_is_a_flag_with_a_value() -> None:
    # Memgraph takes `--flag false` for true.
    lines = (ROOT / "docker/memgraph.conf").read_text().splitlines()
    stray = [x for x in lines if x and not re.fullmatch(r"#.*|--[a-z-]+=\S+", x)]
    assert stray == []


def test_writes_are_on_the_disk_at_once_and_nothing_is_read_from_files_or_reported() -> None:
    assert flags()["storage-wal-file-flush-every-n-tx"] == "1"
    assert flags()["allow-load-csv"] == flags()["telemetry-enabled"] == "false"


@pytest.mark.parametrize("dockerfile", DOCKERFILES)
def test_everything_copied_is_in_the_build_context(dockerfile: str) -> None:
    copied = sources(dockerfile)
    assert "query_modules" in copied
    assert [name for name in copied if name not in context()] == []


def test_build_context_holds_every_query_module() -> None:
    words = (QUERY_MODULES / "conceptgraph_core/language").glob("??/*.txt")
    modules = {str(path.relative_to(ROOT)) for path in (*entries(), *core(), *words)}
    assert modules - context() == set()


def test_build_context_holds_nothing_else(tmp_path: Path) -> None:
    core = "query_modules/conceptgraph_core"
    wanted = ("server/app.py", f"{core}/verbs/context.py", "docker/memgraph.conf")
    unwanted = (
        ".env",
        ".git/config",
        ".venv/bin/python",
        "memory.db",
        "server/__pycache__/app.cpython-313.pyc",
        "query_modules/conceptgraph_core/__pycache__/context.cpython-313.pyc",
        "tests/conftest.py",
    )
    for name in wanted + unwanted:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    seen = {name for name in context(tmp_path) if (tmp_path / name).is_file()}
    assert seen - {".dockerignore"} == set(wanted)


# Query modules


def test_query_modules_hold_exactly_what_is_deployed() -> None:
    found = {path.name for path in QUERY_MODULES.iterdir()} - {"__pycache__"}
    # Each of these is loaded as a module; anything else would be too.
    modules = {f"{name}.py" for name in MODEL.modules}
    assert found == {*modules, "conceptgraph_core"}


def test_query_modules_hold_python_words_of_languages_and_weights_only() -> None:
    files = [path for path in QUERY_MODULES.rglob("*") if path.is_file()]
    words = set((QUERY_MODULES / "conceptgraph_core/language").rglob("*.txt"))
    weights = QUERY_MODULES / "conceptgraph_core/recall/weights.json"
    others = set(files) - words - {weights}
    assert words
    assert weights in files
    assert [path.name for path in others if path.suffix not in {".py", ".pyc"}] == []


def test_no_query_module_has_a_name_that_a_reload_would_drop() -> None:
    dropped = sys.stdlib_module_names | {"mgp", "numpy", "networkx"}
    names = {path.stem for path in QUERY_MODULES.iterdir()} - {"__pycache__"}
    clashes = [(name, other) for name in names for other in dropped if name.startswith(other)]
    assert clashes == []


@pytest.mark.slow
def test_entries_and_the_core_import_only_what_can_be_imported_again() -> None:
    # A reload imports again what an entry imports: its types would not be those mgp knows.
    allowed = {path: {"mgp", "conceptgraph_core"} for path in entries()}
    allowed |= {path: RELOADABLE | {"mgp"} for path in core()}
    assert allowed
    beyond = {path: absolute_imports(path) - names for path, names in allowed.items()}
    assert {path: names for path, names in beyond.items() if names} == {}


@pytest.mark.slow
def test_only_the_graph_adapter_imports_mgp() -> None:
    importing = [path for path in core() if "mgp" in absolute_imports(path)]
    assert {path.parent.name for path in importing} == {"graph"}


# What Memgraph does at a reload, in a process of its own: by the beginning of their names.
RELOAD = """
import enum, os, re, sys, threading
from concept_graph_mcp.hosts.sqlite import procedure_host

first = procedure_host.load_module("conceptgraph")
kept = {name: sys.modules[name] for name in ("enum", "mgp", "os", "re", "threading")}
for name in sys.argv[1:]:
    for loaded in [key for key in sys.modules if key.startswith(name)]:
        del sys.modules[loaded]
del sys.modules["conceptgraph"]
second = procedure_host.load_module("conceptgraph")

assert {name: sys.modules[name] for name in kept} == kept
assert sorted(first.procedures) == sorted(second.procedures) != []
"""


@pytest.mark.slow
def test_modules_load_again_after_a_reload_has_dropped_what_they_import() -> None:
    imported = {name for path in (*entries(), *core()) for name in absolute_imports(path)}
    # What Memgraph keeps by name, and mgp, which it keeps from 3.10 on.
    dropped = sorted(imported - {"collections", "abc", "sys", "mgp"})
    assert "conceptgraph_core" in dropped
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RELOAD, *dropped],
        env=os.environ | {"PYTHONPATH": str(ROOT / "server"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0


# Tasks and continuous integration


def task_command() -> str:
    found = shutil.which(
        "task", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    if found is None:
        pytest.skip("needs task: pip install go-task-bin")
    return found


def test_task_lists_every_task_and_each_says_what_it_does() -> None:
    command = [task_command(), "--list-all", "--json"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert set(TASKS) <= {task["name"] for task in json.loads(listed)["tasks"]}
    assert all(taskfile()[name]["desc"] for name in TASKS)


@pytest.mark.parametrize("name", TASKS)
def test_tasks_can_be_planned(name: str) -> None:
    command = [task_command(), "--dry", "--force", name.replace("*", "latest")]
    planned = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert planned.returncode == 0, planned.stderr
    assert "task: [" in planned.stderr


def test_ci_script_is_an_executable_that_bash_can_parse() -> None:
    script = ROOT / ".ci/run"
    assert os.access(script, os.X_OK)
    assert "set -euo pipefail" in script.read_text()
    parsed = subprocess.run(["bash", "-n", script], capture_output=True, text=True, check=False)
    assert (parsed.returncode, parsed.stderr) == (0, "")


def test_readme_has_the_test_command_that_ci_runs() -> None:
    marker = "<!-- test-command -->"
    assert marker in (ROOT / ".ci/run").read_text()
    _, _, after = (ROOT / "README.md").read_text().partition(marker)
    block = re.match(r"\s*```\w*\n(.+?)\n```", after, re.DOTALL)
    assert block is not None
    assert "pytest" in block[1]
