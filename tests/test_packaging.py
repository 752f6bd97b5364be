"""What the package and the images say of themselves, and from where they can be had."""

import importlib.metadata
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from concept_graph_mcp import settings
from conceptgraph_core import __version__
from conceptgraph_core.recall import weights
from conceptgraph_core.texts.words import libraries
from conceptgraph_core.verbs import limits
from conceptgraph_core.verbs.context import CHANCE_VARIABLES

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ENTRY = json.loads((ROOT / "server/server.json").read_text(encoding="utf-8"))
HOME = "https://github.com/" + ENTRY["name"].removeprefix("io.github.")
DOCKERFILES = ("docker/Dockerfile", "docker/mcp.Dockerfile")
OCI = "org.opencontainers.image."


def labels(dockerfile: str) -> dict[str, str]:
    """Return the labels of the last stage."""
    text = (ROOT / dockerfile).read_text(encoding="utf-8").replace("\\\n", " ")
    last = text[text.rindex("\nFROM ") :]
    words = [shlex.split(rest) for rest in re.findall(r"^LABEL (.*)$", last, re.M)]
    return dict(word.split("=", 1) for found in words for word in found)


def constraints() -> dict[str, Requirement]:
    lines = (ROOT / "docker/constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(each.name): each for each in pinned}


def image_environment() -> dict[str, str]:
    """Return what the markers of requirements are true for in the image."""
    text = (ROOT / "docker/mcp.Dockerfile").read_text(encoding="utf-8")
    (version,) = re.findall(r"^ARG PYTHON_VERSION=(\S+)$", text, re.M)
    return {
        "python_version": version,
        "python_full_version": f"{version}.0",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "os_name": "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "extra": "",
    }


def required(requirement: Requirement, seen: set[str]) -> Iterator[Requirement]:
    """Iterate over *requirement* and all that it requires in the image."""
    yield requirement
    name = canonicalize_name(requirement.name)
    if name in seen:
        return
    seen.add(name)
    try:
        found = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        # Needed in the image and not here: its own needs cannot be told.
        return
    pinned = constraints().get(name)
    if pinned is not None and not pinned.specifier.contains(found.version, prereleases=True):
        # A release newer than the image's is installed here, and may need other versions.
        return
    needs = found.requires or []
    environment = image_environment()
    extras = ["", *requirement.extras]
    for need in map(Requirement, needs):
        wanted = [environment | {"extra": extra} for extra in extras]
        if need.marker is None or any(need.marker.evaluate(each) for each in wanted):
            yield from required(need, seen)


def test_the_project_says_who_made_it_and_where_it_is():
    assert PROJECT["authors"]
    assert {"Homepage", "Documentation", "Changelog", "Source", "Issues"} <= PROJECT["urls"].keys()
    assert [url for url in PROJECT["urls"].values() if not url.startswith(HOME)] == []
    systems = [each for each in PROJECT["classifiers"] if each.startswith("Operating System :: ")]
    assert "Operating System :: POSIX :: Linux" in systems


def test_the_classifiers_are_what_the_workflows_run():
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    jobs = workflow["jobs"]
    classifiers = " ".join(PROJECT["classifiers"])
    pythons = re.findall(r"Python :: (3\.\d+)", classifiers)
    assert pythons == jobs["quick"]["strategy"]["matrix"]["python"]
    assert f">={pythons[0]}" == PROJECT["requires-python"]
    systems = {"ubuntu": "Linux", "macos": "MacOS", "windows": "Windows"}
    run = ["ubuntu-latest", *jobs["elsewhere"]["strategy"]["matrix"]["os"]]
    assert [one for one in run if systems[one.partition("-")[0]] not in classifiers] == []
    assert len(re.findall("Operating System", classifiers)) == len(run)


def test_the_files_that_the_project_s_urls_name_exist():
    named = [url.partition("/main/")[2] for url in PROJECT["urls"].values() if "/main/" in url]
    assert len(named) == 2
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_authors_are_those_of_the_licence():
    (author,) = (each["name"] for each in PROJECT["authors"])
    assert author in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert {labels(dockerfile)[f"{OCI}authors"] for dockerfile in DOCKERFILES} == {author}


def test_the_package_says_that_it_is_typed():
    assert (files("concept_graph_mcp") / "py.typed").is_file()
    assert "Typing :: Typed" in PROJECT["classifiers"]


@pytest.mark.parametrize("dockerfile", DOCKERFILES)
def test_an_image_says_what_it_is(dockerfile):
    found = labels(dockerfile)
    named = {key.removeprefix(OCI) for key in found if key.startswith(OCI)}
    assert {"title", "description", "licenses", "authors", "documentation"} <= named
    assert found[f"{OCI}version"] == __version__
    assert found[f"{OCI}source"] == found[f"{OCI}url"] == PROJECT["urls"]["Homepage"]
    assert "MIT" in found[f"{OCI}licenses"]


def test_the_server_s_image_has_the_name_of_the_registry_entry():
    name = labels("docker/mcp.Dockerfile")["io.modelcontextprotocol.server.name"]
    assert name == ENTRY["name"]


def test_the_image_has_a_version_of_everything_that_is_installed_in_it():
    pinned = constraints()
    assert [str(each) for each in pinned.values() if not str(each.specifier).startswith("==")] == []
    needed = list(required(Requirement(f"{PROJECT['name']}[http,memgraph]"), set()))[1:]
    needed += [Requirement("hatchling>=1.27")]
    assert len(needed) > 20
    assert {need.name for need in needed if canonicalize_name(need.name) not in pinned} == set()
    unfit = [
        str(need)
        for need in needed
        if not all(
            need.specifier.contains(version.version, prereleases=True)
            for version in pinned[canonicalize_name(need.name)].specifier
        )
    ]
    assert unfit == []


def test_the_image_is_built_and_installed_with_these_versions():
    text = (ROOT / "docker/mcp.Dockerfile").read_text(encoding="utf-8")
    build, final = text.split("\nFROM ")[1:]
    assert "PIP_CONSTRAINT=/src/docker/constraints.txt" in build
    assert "[http,memgraph${EXTRAS:+,${EXTRAS}}]" in final
    assert "pip install --no-cache-dir --constraint /wheels/constraints.txt" in final


def test_the_image_of_memgraph_has_the_libraries_that_words_need_beside_the_modules():
    text = (ROOT / "docker/Dockerfile").read_text(encoding="utf-8")
    (options,) = re.findall(r"^RUN pip3 install (.+?)(?:&&|\Z)", text.replace("\\\n", ""), re.M)
    _, beside = options.split("--target")
    target, *copied = beside.split()
    assert target == "/usr/lib/memgraph/concept_graph"
    assert sorted(copied) == sorted(libraries.COPIED.values())
    assert set(copied) <= constraints().keys()


def test_the_registry_entry_has_the_name_in_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^<!-- mcp-name: (\S+) -->$", readme, re.M) == [ENTRY["name"]]


def test_the_registry_entry_is_of_this_package_and_version():
    (package,) = ENTRY["packages"]
    assert package["registryType"] == "pypi"
    assert package["identifier"] == PROJECT["name"]
    assert PROJECT["name"] in PROJECT["scripts"]
    assert PROJECT["readme"] == "README.md"
    assert ENTRY["version"] == package["version"] == __version__
    assert package["transport"] == {"type": "stdio"}


def test_the_registry_entry_names_the_variables_that_are_read():
    variables = {each["name"]: each for each in ENTRY["packages"][0]["environmentVariables"]}
    assert variables.keys() == {one.variable for one in settings.SETTINGS}
    assert not [name for name, each in variables.items() if each.get("isRequired")]
    assert [name for name, each in variables.items() if each.get("isSecret")] == [
        "MEMGRAPH_PASSWORD"
    ]
    # A client that filled it in would choose Memgraph for everybody.
    assert "default" not in variables["MEMGRAPH_URI"]
    assert variables["AROUSAL_TAU_MS"]["default"] == str(limits.DEFAULT_TAU_MS)
    usual = [variables[one]["default"] for one in CHANCE_VARIABLES]
    assert usual == [str(one) for one in weights.load()[1][:2]]


def test_the_registry_takes_a_description_of_this_length():
    assert 0 < len(ENTRY["description"]) <= 100


# As long as it is on no index.

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "benchmarks/README.md"]
SOURCES = sorted((ROOT / "server").rglob("*.py"))
# An installer that is given the name alone, and so asks an index for it.
FROM_AN_INDEX = re.compile(
    r"(?:pip3?|pipx|uv pip|uv tool) install (?:-\S+ )*['\"]?concept-graph-mcp"
    r"|uvx (?:-\S+ )*['\"]?concept-graph-mcp|pipx run (?:-\S+ )*concept-graph-mcp"
)


def test_nothing_says_that_the_package_comes_from_an_index():
    texts = {page: page.read_text(encoding="utf-8") for page in (*PAGES, *SOURCES)}
    assert texts
    assert [page for page, text in texts.items() if FROM_AN_INDEX.search(text)] == []


def test_the_registry_entry_is_no_file_that_a_client_or_an_index_would_find():
    assert not (ROOT / "server.json").exists()


def test_the_wheel_that_the_guide_installs_is_the_one_that_is_built():
    page = (ROOT / "docs/guide/getting-started.md").read_text(encoding="utf-8")
    named = re.findall(r"pip install dist/(\S+\.whl)", page)
    assert named == [f"{PROJECT['name'].replace('-', '_')}-{__version__}-py3-none-any.whl"]


def test_what_backfill_says_to_install_is_what_its_extra_has():
    (openai,) = PROJECT["optional-dependencies"]["backfill"]
    source = (ROOT / "server/concept_graph_mcp/extras/chat_model.py").read_text(encoding="utf-8")
    assert f"pip install '{openai}'" in source
