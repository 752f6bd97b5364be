"""The pages in docs, held against what is really there: every block, table and link of them."""

import ast
import inspect
import json
import math
import re
import shlex
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click
import pytest
import yaml
from docs import generate
from mcp.client.client import Client
from tests import cypher_text, style_script
from tests.markdown import ROOT, Block, anchors, blocks, links, prose, sentences, table
from tests.prose import opens_with_a_clause

from concept_graph_mcp import calls, settings
from concept_graph_mcp.__main__ import main
from concept_graph_mcp.hosts.memgraph import caller
from concept_graph_mcp.hosts.sqlite import database, procedure_host
from concept_graph_mcp.hosts.sqlite.procedure_host import Host, Marshal
from concept_graph_mcp.serving import build
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.tools import toolsets
from conceptgraph_core import __version__
from conceptgraph_core.concepts import schema
from conceptgraph_core.memories import schema as memories
from conceptgraph_core.transfer.registry import EMBEDDINGS, LAYERS, MODEL
from conceptgraph_core.verbs import context, limits

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
REFERENCE = sorted((DOCS / "reference").glob("*.md"))
GUIDE, OPERATE, IN_LAB = DOCS / "guide", DOCS / "operate", DOCS / "lab"
DBA = OPERATE / "database.md"
LAB = IN_LAB / "concepts.md"
SYSTEM_PROMPT = DOCS / "reference/prompts.md"
# The pages that show agents what to call, by the toolset that they are of.
OF_TOOLSETS = {
    "everyday": GUIDE / "everyday.md",
    "concept": GUIDE / "concepts.md",
    "memory": GUIDE / "memories.md",
    "entity": GUIDE / "entities.md",
}
AGENTS = OF_TOOLSETS["concept"]
# As ids of memories are made.
RANDOM_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DEVELOPERS = DOCS / "develop.md"
QUERIES, STYLE = IN_LAB / "queries.md", IN_LAB / "style.gss"

ZONE = ZoneInfo("Europe/Berlin")
NOT_RUN = "not run: "
# What would change the server itself and not the graph in it.
NEVER_RUN = (
    "CREATE USER",
    "SET PASSWORD",
    "GRANT",
    "SET REPLICATION",
    "REGISTER REPLICA",
    "RECOVER SNAPSHOT",
)
WRITES = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE)\b")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def of(page: Path, *languages: str) -> list[Block]:
    return [block for block in blocks(page) if block.language in languages]


def shown_after(page: Path) -> Iterator[tuple[Block, str | None]]:
    """Iterate over the Cypher blocks of *page* with the output that is shown under each, if any."""
    return with_output(blocks(page))


def with_output(found: list[Block]) -> Iterator[tuple[Block, str | None]]:
    for index, block in enumerate(found):
        if block.language == "cypher":
            end = block.line + block.text.count("\n") + 2
            under = [
                b.text for b in found[index + 1 :] if (b.language, b.line) == ("text", end + 1)
            ]
            yield block, under[0] if under else None


def callbacks() -> dict[str, object]:
    return {
        full: callback
        for full, callback in procedure_host.load_modules().items()
        if callback.results
    }


def tools(*names: str) -> dict[str, list[str]]:
    """Return the arguments of each tool of the concept layer, or of the toolsets *names*."""
    session = Session(None, limits.DEFAULT_TAU_MS, ZONE, Clock())  # type: ignore[arg-type]
    listed = toolsets.tools(session, names or ("concept",), not names)
    return {tool.name: list(tool.parameters["properties"]) for tool in listed}


WITH_COMMANDS = [page for page in (ROOT / "README.md", *PAGES) if of(page, "sh")]
# The examples of the reference are those of the docstrings, on no graph in particular.
WITH_CYPHER = [page for page in PAGES if of(page, "cypher") and page not in REFERENCE]
LINKS = [(page, link) for page in (ROOT / "README.md", *PAGES) for link in links(page)]
# By a person, in words of its own.
WRITTEN = [ROOT / "README.md", *(page for page in PAGES if page not in REFERENCE)]


# Every page


@pytest.mark.slow
@pytest.mark.parametrize("page", generate.PAGES)
def test_the_reference_is_what_the_program_says(page):
    shown = (generate.REFERENCE / page).read_text(encoding="utf-8")
    assert shown == generate.PAGES[page](), "run `task docs`"


def test_the_reference_has_no_page_that_nothing_writes():
    assert {page.name for page in REFERENCE} == set(generate.PAGES)


def test_the_reference_names_everything_that_can_be_called():
    written = "".join(page.read_text(encoding="utf-8") for page in REFERENCE)
    headings = set(re.findall(r"^### (.+)$", written, re.MULTILINE))
    assert headings >= {*procedure_host.load_modules(), *tools(*toolsets.TOOLSETS), "set_time"}


@pytest.mark.slow
def test_what_a_page_links_to_exists():
    assert LINKS
    assert [(name(page), link) for page, link in LINKS if not leads_somewhere(page, link)] == []


def leads_somewhere(page: Path, link: str) -> bool:
    if link.startswith("https://"):
        return True
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return target.exists() and (not anchor or anchor in anchors(target))


def test_no_sentence_opens_with_a_clause_in_place_of_its_subject():
    assert WRITTEN
    found = [(name(page), one) for page in WRITTEN for one in sentences(page)]
    assert [one for one in found if opens_with_a_clause(one[1])] == []


def test_a_sentence_that_opens_with_a_clause_would_be_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# Who is who\n\nFine. What is kept stays. What now?\n\n* Of `these` one.\n\n"
        "| a | b |\n|---|---|\n| Who said it | Whole |\n"
    )
    found = [one for one in sentences(page) if opens_with_a_clause(one)]
    assert found == ["Who is who", "What is kept stays.", "Of Code one.", "Who said it"]


@pytest.mark.parametrize("page", [page for page in PAGES if of(page, "json")], ids=name)
def test_every_json_block_is_json(page):
    for block in of(page, "json"):
        json.loads(block.text)


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.name)
def test_every_command_line_is_one_that_the_program_takes(page, tmp_path, monkeypatch):
    # Some commands look for their input as soon as they are parsed.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "messages.jsonl").touch()
    for block in of(page, "sh"):
        for line in block.text.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                words.pop(0)
            if words[:1] == ["task"]:
                assert words[1] in tasks()
            if words[:1] == ["concept-graph-mcp"]:
                parse(words[1:])


def parse(arguments: list[str]) -> None:
    """Parse a command line without running it. Raises click.UsageError."""
    context = main.make_context("concept-graph-mcp", arguments, resilient_parsing=False)
    rest = [*context._protected_args, *context.args]
    if rest:
        command_name, command, own = main.resolve_command(context, rest)
        assert command is not None
        command.make_context(command_name, own, parent=context)


def tasks() -> set[str]:
    return set(yaml.safe_load((ROOT / "Taskfile.yml").read_text())["tasks"])


def test_every_procedure_that_a_page_calls_exists():
    known = {*procedure_host.load_modules(), "mg.load", "mg.load_all", "mg.procedures"}
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    called = set(re.findall(r"(?:CALL |\b)((?:\w+graph|everyday|mg)\.[a-z_]+)\(", text))
    assert called
    assert called - known == set()


# What is shown of Cypher


@pytest.mark.parametrize("page", WITH_CYPHER, ids=name)
def test_calls_return_what_the_page_shows_without_a_database_too(page, tmp_path):
    """Up to the first block that changes the graph in Cypher, which the embedded host cannot."""
    host = Host(tmp_path / "memory.db")
    try:
        for block, output in shown_after(page):
            call = cypher_text.plain_call(block.text)
            if call is not None:
                procedure, arguments, fields = call
                rows = host.call(procedure, arguments, fields)
                assert output in (None, cypher_text.shown(rows)), f"line {block.line}"
            elif WRITES.search(block.text):
                break
    finally:
        host.close()


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_CYPHER, ids=name)
def test_cypher_returns_what_the_page_shows(page, memgraph):
    for block, output in shown_after(page):
        if not block.text.startswith(NEVER_RUN):
            rows = cypher_text.run(memgraph, block.text)
            assert output in (None, cypher_text.shown(rows)), f"line {block.line}"


@pytest.mark.parametrize("page", WITH_CYPHER, ids=name)
def test_cypher_that_is_not_run_would_change_the_server_itself(page):
    for block, output in shown_after(page):
        withheld = (block.marker or "").startswith(NOT_RUN)
        assert withheld == block.text.startswith(NEVER_RUN)
        assert not (withheld and output)


def test_what_is_wrong_on_a_page_would_be_noticed():
    assert not leads_somewhere(ROOT / "README.md", "docs/nowhere.md")
    assert not leads_somewhere(ROOT / "README.md", "#no-such-heading")
    for wrong in (["forget"], ["backup", "--kepe", "3"], ["rename", "only-one"]):
        with pytest.raises(click.UsageError):
            parse(wrong)
    page = [Block("cypher", "RETURN 1;", 1, "", None), Block("text", "2", 4, "", None)]
    assert list(with_output(page)) == [(page[0], "2")]
    assert cypher_text.shown([{"1": 1}]) == "1\n1"
    call = 'CALL conceptgraph.f(["a: b", 1], {k: true}) YIELD x, y;'
    arguments = [["a: b", 1], {"k": True}]
    assert cypher_text.plain_call(call) == ("conceptgraph.f", arguments, ("x", "y"))
    assert cypher_text.plain_call("CALL conceptgraph.f() YIELD x RETURN x;") is None
    for style in ("@NodeStyle {", "@NodeStyle { colour: #ffffff }", "Nosuch(1)", "Add(1,, 2)"):
        with pytest.raises(style_script.NotStyleScript):
            style_script.Script(style)


# For agents


def conversation(page: Path) -> list[tuple[int, dict]]:
    """Return each tool call of *page* with the clock at which it is made."""
    steps = []
    for block in of(page, "json"):
        if clock := re.search(r"\((\d{13})\)$", block.heading):
            now_ms = int(clock[1])
        steps.append((now_ms, json.loads(block.text)))
    return steps


def renamed(value: Any, names: dict[str, str]) -> Any:
    """Return *value*, of JSON, with other ids."""
    text = json.dumps(value)
    return json.loads(RANDOM_ID.sub(lambda found: names.get(found[0], found[0]), text))


@pytest.mark.slow
@pytest.mark.usefixtures("worker_runs")
@pytest.mark.parametrize("toolset", OF_TOOLSETS)
def test_the_conversation_goes_as_the_page_shows_it_on_each_host(toolset, store, portal):
    page = OF_TOOLSETS[toolset]
    clock = Clock()
    concepts = "own" if toolset == "everyday" else "shared"
    session = Session(store, limits.DEFAULT_TAU_MS, ZONE, clock, concepts=concepts)
    ids: dict[str, str] = {}

    async def replay() -> list[dict]:
        said = []
        async with Client(build(session, toolsets=(toolset,))) as client:
            for now_ms, step in conversation(page):
                clock.set(now_ms)
                arguments = renamed(step["arguments"], {shown: made for made, shown in ids.items()})
                result = await client.call_tool(step["tool"], arguments)
                if result.is_error:
                    outcome = {"error": result.content[0].text}
                else:
                    # Ids are new each time: the next one is that which the page has there.
                    made, shown = (
                        RANDOM_ID.findall(json.dumps(each))
                        for each in (result.structured_content, step.get("result"))
                    )
                    # The same each time, in whatever order a host has the keys of a map.
                    same = {*made} & {*shown}
                    made = [one for one in made if one not in same]
                    shown = [one for one in shown if one not in same]
                    for one, other in zip(made, shown, strict=False):
                        ids.setdefault(one, other)
                    outcome = {"result": renamed(result.structured_content, ids)}
                said.append({"tool": step["tool"], "arguments": step["arguments"]} | outcome)
        return said

    assert portal.call(replay) == [step for _, step in conversation(page)]


@pytest.mark.parametrize("toolset", OF_TOOLSETS)
def test_every_tool_that_agents_have_is_used_in_the_conversation(toolset):
    used = {step["tool"] for _, step in conversation(OF_TOOLSETS[toolset])}
    assert used == tools(toolset).keys() - {"set_time"}


@pytest.mark.parametrize("page", OF_TOOLSETS.values(), ids=name)
def test_the_clock_of_the_conversation_is_the_time_in_its_headings(page):
    headings = re.findall(r"^### (.*) \((\d{13})\)$", page.read_text(encoding="utf-8"), re.M)
    assert headings
    for said, now_ms in headings:
        moment = datetime.fromtimestamp(int(now_ms) / 1000, ZONE)
        assert f"{moment:%A}, {moment.day} {moment:%B %Y, %H:%M}" == said


@pytest.mark.parametrize(
    ("heading", "toolset", "needed", "others"),
    [
        ("Every day", "everyday", [*tools("everyday"), "notes, not instructions"], ()),
        (
            "Concepts",
            "concept",
            "recall_query concept_search relation_add episode_add",
            ("episode_id",),
        ),
        (
            "Memories",
            "memory",
            "memory_context memory_node_search memory_node_create memory_node_link memory_traverse"
            " memory_preserve",
            memories.RELATION_TYPES,
        ),
    ],
)
def test_a_prompt_names_tools_that_there_are(heading, toolset, needed, others):
    (prompt,) = (block for block in of(SYSTEM_PROMPT, "text") if block.heading == heading)
    assert prompt.text.strip() == toolsets.write_prompt([toolset]).strip()
    named, given = set(re.findall(r"\b[a-z]+_[a-z_]+\b", prompt.text)), tools(toolset)
    assert named <= {*given, *others, *(one for arguments in given.values() for one in arguments)}
    needed = needed.split() if isinstance(needed, str) else needed
    assert [one for one in needed if not re.search(rf"\b{one}\b", prompt.text)] == []


@pytest.mark.parametrize("toolset", OF_TOOLSETS)
def test_when_to_call_what_names_every_tool(toolset):
    rows = table(OF_TOOLSETS[toolset], "when", "call", "because")
    words = r"\b[a-z]+(?:_[a-z]+)+\b|^[a-z]+$"
    called = {word for _, call, _ in rows for word in re.findall(words, call)}
    assert called - {"max_hop"} == tools(toolset).keys() - {"set_time"}


def test_the_guide_has_every_type_of_link_and_the_other_names():
    rows = table(OF_TOOLSETS["memory"], "type", "from the source to the target", "walk along it")
    assert [kind for kind, *_ in rows] == list(memories.RELATION_TYPES)
    text = OF_TOOLSETS["memory"].read_text(encoding="utf-8")
    assert set(memories.ALIASES) <= set(re.findall(r"`(\w+)`", text))
    for alias, name in toolsets.aliases(["memory"]).items():
        assert f"`{alias}` is another name of `{name}`" in text


def test_arousal_fades_with_each_time_constant_as_the_table_says():
    header = ("AROUSAL_TAU_MS", "after 1 day", "1 week", "2 weeks", "30 days")
    rows = table(AGENTS, *header)
    assert int(rows[0][0]) == limits.DEFAULT_TAU_MS
    for tau_ms, *left in rows:
        fading = [math.exp(-days * 86_400_000 / int(tau_ms)) for days in (1, 7, 14, 30)]
        assert [f"{part:.{schema.SCORE_DECIMALS}f}" for part in fading] == left


def test_the_limits_are_those_of_the_schema():
    written = [
        int(most.split()[0].replace(",", "")) for _, most in table(AGENTS, "what", "at most")
    ]
    assert written == [
        limits.MAX_NAME,
        limits.MAX_SUMMARY,
        schema.MAX_HOP,
        schema.MAX_EDGES_READ,
        schema.DEFAULT_PROPOSITIONS,
        schema.MAX_EDGES_READ,
        schema.EXPLAINED_SEEDS,
        schema.SIMILAR_NAMES,
        limits.MAX_KEYWORDS,
        schema.DEFAULT_SEARCH_LIMIT,
        schema.MAX_SEARCH_LIMIT,
    ]


def test_the_messages_that_a_model_cannot_help_are_those_of_the_server():
    rows = table(AGENTS, "message", "what it means", "calling again")
    sources = (ROOT / "server/concept_graph_mcp").rglob("*.py")
    # Joined as Python joins the texts of one message that go over several lines.
    said = re.sub(r'"\s+f?"', "", "\n".join(path.read_text(encoding="utf-8") for path in sources))
    assert len(rows) == 7
    for message, *_ in rows:
        for part in message.split("…"):
            assert part.strip(":; ") in said
    assert f"for {caller._RETRY_S:g} seconds" in " ".join(row[1] for row in rows)


# For the DBA


def test_every_procedure_that_is_declared_is_registered():
    registered = {full: callback.writes for full, callback in callbacks().items()}
    assert {procedure.name: procedure.writes for procedure in calls.ALL} == registered


@pytest.mark.parametrize("module", MODEL.modules)
def test_a_manual_has_the_procedures_of_its_module_and_each_once(module):
    source = (ROOT / "query_modules" / f"{module}.py").read_text(encoding="utf-8")
    manual = ast.get_docstring(ast.parse(source)) or ""
    found = re.findall(r"^CALL (\w+\.\w+)\(", manual, re.MULTILINE)
    registered = {name for name in callbacks() if name.startswith(f"{module}.")}
    # `version` alone takes no context, and is written out with a docstring of its own.
    assert sorted(found) == sorted(registered - {"conceptgraph.version"})


def test_the_example_of_a_procedure_calls_it_as_it_is():
    marshal, known = Marshal(procedure_host.load_mgp()), callbacks()
    assert known
    for full, callback in known.items():
        _, _, example = inspect.getdoc(callback.run).partition("Example:")
        every = ", ".join(callback.results)
        written = inspect.cleandoc(example).replace("`", "").replace("YIELD *", f"YIELD {every}")
        procedure, arguments, fields = cypher_text.plain_call(written)
        assert procedure == full
        assert set(fields) <= set(callback.results), full
        marshal.given(callback, arguments)


def test_the_sizes_are_those_of_the_benchmarks():
    measured = (ROOT / "benchmarks/README.md").read_text(encoding="utf-8")
    rows = table(DBA, "where", "bytes a concept with its relations")
    wording = ("Memgraph, in memory", "embedded, everything loaded", "embedded, on disk")
    for (_, size), what in zip(rows, wording, strict=True):
        assert re.search(rf"{what} / [^|]+[| ]+{size} / \S+ bytes/concept ", measured)
    assert "77,607" in measured and "84,947" in measured  # noqa: PT018


def test_the_settings_that_matter_are_set_in_the_image():
    configured = (ROOT / "docker/memgraph.conf").read_text(encoding="utf-8")
    ((setting, must, _), *_) = table(OPERATE / "install.md", "setting", "must be", "otherwise")
    assert f"{setting}={must.split()[0]}\n" in configured


def test_an_embedded_file_is_where_the_page_says(monkeypatch):
    page = OPERATE / "embedded.md"
    rows = dict(table(page, "system", "path"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert Path(rows["Linux"]).expanduser() == settings.default_path()
    assert {Path(path.replace("\\", "/")).name for path in rows.values()} == {"memory.db"}
    assert f"up to {database.BUSY_TIMEOUT_S:g} seconds" in page.read_text(encoding="utf-8")


# For people in Lab


def test_every_procedure_is_called_on_the_pages_for_lab():
    pages = "".join(block.text for page in IN_LAB.glob("*.md") for block in of(page, "cypher"))
    called = re.findall(r"CALL (\w+\.\w+)\(", pages)
    assert set(called) == set(callbacks())


def test_the_context_has_the_keys_that_the_page_names():
    keys = [key for key, *_ in table(LAB, "key", "meaning", "default")]
    assert len(keys) == len(set(keys))
    assert set(keys) == context.KEYS
    defaults = {key: default for key, _, default in table(LAB, "key", "meaning", "default")}
    assert defaults["tau_ms"].split(",")[0] == str(limits.DEFAULT_TAU_MS)


def test_every_saved_query_has_a_title_of_its_own_and_finds_something(memgraph):
    titles = [block.heading for block in of(QUERIES, "cypher")]
    assert len(titles) == len(set(titles)) > 10
    found = {}
    for block in of(QUERIES, "cypher"):
        found[block.heading] = len(cypher_text.run(memgraph, block.text))
    assert [title for title, rows in found.items() if not rows] == ["Problems"]


def test_the_graph_style_is_graph_style_script():
    script = style_script.Script(STYLE.read_text(encoding="utf-8"))
    assert {directive.name for directive in script.directives} == set(style_script.PROPERTIES)
    shapes = {text for made in script.directives for text in made.properties.get("shape", ())}
    assert shapes <= style_script.SHAPES
    # Layers are told apart by shape, not by colour alone.
    assert len(shapes) == 6


def test_the_graph_style_speaks_of_our_model():
    texts = {*style_script.Script(STYLE.read_text(encoding="utf-8")).texts}
    kinds = [kind for layer in LAYERS if layer is not EMBEDDINGS for kind in layer.nodes]
    labels = {kind.label for kind in kinds}
    assert labels <= texts
    types = {name for layer in LAYERS for one in layer.edges for name in (one.type, one.name)}
    properties = {one.name for kind in kinds for one in kind.properties}
    properties |= {one.name for layer in LAYERS for edge in layer.edges for one in edge.properties}
    written = {"same-as?", "{}: {}", "merged", ""}
    assert texts <= labels | types | properties | written | style_script.SHAPES
    assert f"Define(TAU_MS, {limits.DEFAULT_TAU_MS})" in STYLE.read_text(encoding="utf-8")


# For developers


def test_the_house_is_as_the_page_says():
    rows = table(DEVELOPERS, "directory", "holds")
    rows += table(DOCS / "reference/packages.md", "directory", "holds")
    assert len(rows) > 40
    assert [path for path, held in rows if not held] == []
    assert [path for path, _ in rows if not (ROOT / path).exists()] == []
    packages = {
        file.parent.relative_to(ROOT).as_posix() + "/"
        for folder in ("query_modules/conceptgraph_core", "server/concept_graph_mcp")
        for file in (ROOT / folder).rglob("__init__.py")
    }
    assert packages <= {path for path, _ in rows}


def test_the_tests_that_the_page_names_exist():
    written = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    rows = table(DEVELOPERS, "test", "until")
    assert len(rows) == 5
    assert [test for test, _ in rows if f"def {test}(" not in written] == []


def test_the_files_that_a_page_names_exist():
    folders = "tests|server|query_modules|benchmarks|docker|docs"
    named = {
        path for page in PAGES for path in re.findall(rf"`((?:{folders})/[\w./]+)`", prose(page))
    }
    to_be_made = {"tests/conformance/test_forgotten.py"}
    assert named
    assert [path for path in named - to_be_made if not (ROOT / path).exists()] == []


def test_the_changelog_has_a_section_for_this_version():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## \[([\d.]+)\] - (\d{4}-\d\d-\d\d)$", changelog, re.M)
    assert sections[0][0] == __version__
