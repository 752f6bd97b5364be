"""Write docs/reference/ from the program itself: `task docs`, after any of it has changed.

tests/test_docs.py compares the pages that are checked in with what is written here.
"""

import ast
import inspect
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock
from zoneinfo import ZoneInfo

import click

from concept_graph_mcp.__main__ import main
from concept_graph_mcp.commands.group import Drawer
from concept_graph_mcp.hosts.memgraph import readiness
from concept_graph_mcp.hosts.sqlite import procedure_host
from concept_graph_mcp.hosts.sqlite.interface import Callback
from concept_graph_mcp.memory import Memory
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.settings import DEFAULT_TOOLSETS, EMBEDDED_VARIABLE, read
from concept_graph_mcp.settings_file import STORE, VARIABLES
from concept_graph_mcp.tools import toolsets
from conceptgraph_core.graph.layers import REQUIRED, Layer
from conceptgraph_core.transfer.registry import LAYERS, MODEL
from conceptgraph_core.verbs.limits import DEFAULT_TAU_MS

DOCS = Path(__file__).resolve().parent
REFERENCE = DOCS / "reference"
SERVER = DOCS.parent / "server/server.json"
_NOTICE = "<!-- Written by docs/generate.py: change the program, then run `task docs`. -->"
_HELP_WIDTH = 80
_PROMPTS = {"Every day": "everyday", "Concepts": "concept", "Memories": "memory"}


def procedures() -> str:
    """Return the page of what Cypher can call."""
    lines = [
        "The last argument of every procedure is an optional map, the [context](../lab/concepts.md"
        "#calling-a-procedure). A type that ends with `?` may be null. A procedure that runs on a "
        "replica only reads.",
    ]
    for module in MODEL.modules:
        lines += [f"## {module}", *_procedures_of(module)]
    return _page("Procedures", lines)


def tools() -> str:
    """Return the page of what a model can call."""
    lines = [
        "A server offers the toolsets that `--toolsets` names, "
        f"{' and '.join(f'`{name}`' for name in DEFAULT_TOOLSETS)} unless told otherwise. A field "
        "that ends with `?` is left out when there is nothing to say. `[]` follows the name of a "
        "list whose items have fields of their own.",
    ]
    for toolset in toolsets.TOOLSETS:
        concepts = read({"TZ": "UTC"}, toolsets=toolset).concepts
        lines += [
            f"## The toolset `{toolset}`",
            "The server's instructions tell the model:",
            _fenced("text", toolsets.instructions((toolset,), concepts)),
            *_tools_of(offered(toolset)),
        ]
    named = {tool.name for name in toolsets.TOOLSETS for tool in offered(name)}
    apart = [tool for tool in offered("concept", True) if tool.name not in named]
    lines += ["## With `--enable-set-time`", *_tools_of(apart)]
    return _page("Tools", lines)


def prompts() -> str:
    """Return the page of what a system prompt may say."""
    lines = [
        "The server's instructions and the descriptions of its tools tell a model the essentials. "
        "A system prompt says more: paste one of these, or parts of it. MCP clients that show the "
        "prompts of a server offer the first three as *Use the memory* (`use_memory`), and the "
        "last two as `memory-observe`. For `entity`, the server's instructions suffice.",
    ]
    for heading, toolset in _PROMPTS.items():
        lines += [f"## {heading}", _fenced("text", toolsets.write_prompt([toolset]).strip())]
    for toolset in ("everyday", "entity"):
        told = toolsets.write_prompt([toolset], toolsets.OBSERVING).strip()
        lines += [f"## At the end of a conversation, with `{toolset}`", _fenced("text", told)]
    return _page("System prompts", lines)


def verbs() -> str:
    """Return the page of which verb is on which surface, under which name."""
    on: dict[str, tuple[list[str], list[str], list[str]]] = {}
    hints: dict[str, str] = {}
    for tool in (one for name in toolsets.TOOLSETS for one in offered(name)):
        if tool.procedure is not None:
            on.setdefault(tool.procedure, ([], [], []))[0].append(_code(tool.name))
            hints.setdefault(tool.procedure, _hints(tool))
    for name, command in _commands((), main):
        if procedure := getattr(command.callback, "procedure", None):
            on.setdefault(procedure, ([], [], []))[1].append(_code(name))
    for procedure, (*_, methods) in on.items():
        module, _, name = procedure.partition(".")
        if module == "everyday" and name in vars(Memory):
            methods.append(_code(name))
    rows = [
        (_code(procedure), *map(", ".join, surfaces), hints.get(procedure, ""))
        for procedure, surfaces in sorted(on.items())
    ]
    lines = [
        "A verb is declared once, by its rule or in `calls/`, and each surface is made of it. The "
        "hints are those "
        "of the tool: it reads, adds or replaces; it may be repeated without a further effect; the "
        "user may be asked first.",
        _table(("procedure", "tool", "command", "`Memory`", "hints"), rows),
    ]
    return _page("Verbs", lines)


def _hints(tool: Any) -> str:
    told = tool.annotations
    does = "reads" if told.read_only_hint else "replaces" if told.destructive_hint else "adds"
    may_repeat = told.idempotent_hint and not told.read_only_hint
    words = (does, "may be repeated" if may_repeat else "", "asks" if tool.asks else "")
    return ", ".join(filter(None, words))


def commands() -> str:
    """Return the page of the command line."""
    lines = ["The output of `--help`, of the program and of each command."]
    for name, command in _commands(("concept-graph-mcp",), main):
        lines += [f"## {name}", _fenced("text", _help(name, command))]
    return _page("Commands", lines)


def settings() -> str:
    """Return the page of the environment variables."""
    (package,) = json.loads(SERVER.read_text(encoding="utf-8"))["packages"]
    rows = [
        (_code(one["name"]), _default(one), one["description"])
        for one in package["environmentVariables"]
    ]
    lines = [
        "Empty or blank variables count as unset. An option on the command line stands above its "
        "variable, and a variable above the settings file. `concept-graph-mcp settings` shows each "
        "value and where it comes from.",
        "## The settings file",
        "The file is `config.toml` in the platform's folder for settings: on Linux "
        "`~/.config/concept-graph-mcp/config.toml`. `setup` writes it. Every command, server and "
        "hook reads it.",
        _fenced("toml", _SETTINGS_FILE),
        _table(("setting", "variable", "value"), _list_filed()),
        "A file that does not name a store means the usual store file. Passwords belong into "
        "`MEMGRAPH_PASSWORD`, never into the file.",
        "## Variables",
        _table(("variable", "default", "meaning"), rows),
        "The guide says how to choose [the time constant](../guide/concepts.md#the-time-constant), "
        "[an embedding model](../guide/embeddings.md) and [a retention window]"
        "(../operate/worker.md#expiry); the design page lists [the numbers of decay]"
        "(../design.md#score-of-a-memory).",
        "Some commands read further variables: `OPENAI_BASE_URL` and `OPENAI_API_KEY` for a model "
        "behind an endpoint, `OPENAI_MODEL` for [backfill](../guide/history.md), and "
        "`CORE_RESET_COMMAND` for [reset](../operate/backup.md). The head of compose.yaml lists "
        "those of Docker Compose.",
    ]
    return _page("Settings", lines)


_SETTINGS_FILE = """\
store = "/home/ada/memory.db"
user = "ada"
time_zone = "Europe/Berlin"
languages = ["de", "en"]"""


def _list_filed() -> Iterator[tuple[str, str, str]]:
    values = {
        STORE: "The path of a store file from the root on, or the URI of Memgraph",
        "languages": "A list of codes",
    }
    variables = {STORE: f"{EMBEDDED_VARIABLE}` or `MEMGRAPH_URI", **VARIABLES}
    for name, variable in variables.items():
        yield _code(name), _code(variable), values.get(name, "As in the variable")


def graph() -> str:
    """Return the page of what is stored."""
    # Its imports need mgp, which the embedded host provides.
    procedure_host.load_mgp()
    from conceptgraph_core.transfer.audit import problems

    lines = ["Labels, edge types, properties, constraints and indexes, layer by layer."]
    for layer in MODEL.stored:
        lines += [f"## The layer `{layer.name}`", *_layer(layer)]
    searched = [(_on(one.label, one.properties),) for one in readiness.of_searches(MODEL.stored)]
    advice: dict[str, list[str]] = {}
    for layer in LAYERS:
        for problem, told in problems(layer).items():
            if problem not in advice.setdefault(told, []):
                advice[told].append(problem)
    lines += [
        "## Indexes of searches",
        "Without one of these a search returns the same, only more slowly.",
        _table(("index",), searched),
        "## Problems",
        "`check` and `doctor` report these problems, with this advice.",
        _table(
            ("problem", "advice"),
            [(", ".join(map(_code, found)), told) for told, found in advice.items()],
        ),
        "## Removal",
        "These statements remove the constraints and indexes from a database. [Uninstall]"
        "(../operate/uninstall.md) says what comes before.",
        "```text\n" + "\n".join(_drops()) + "\n```",
    ]
    return _page("The stored graph", lines)


def _drops() -> Iterator[str]:
    """Iterate over the statements that remove all that a first connection creates."""
    every = [index for layer in MODEL.stored for index in layer.indexes]
    for index in every:
        if index.unique:
            keys = ", ".join(f"n.{name}" for name in index.properties)
            yield f"DROP CONSTRAINT ON (n:{index.label}) ASSERT {keys} IS UNIQUE;"
    for index in [*every, *readiness.of_searches(MODEL.stored)]:
        yield f"DROP INDEX ON :{index.label}({', '.join(index.properties)});"


def packages() -> str:
    """Return the page of which package holds what."""
    roots = (
        (DOCS.parent / "query_modules", "conceptgraph_core"),
        (SERVER.parent, "concept_graph_mcp"),
    )
    rows = [
        (_code(f"{file.parent.relative_to(DOCS.parent).as_posix()}/"), _first_paragraph(file))
        for folder, package in roots
        for file in sorted((folder / package).rglob("__init__.py"))
    ]
    return _page("Packages", [_table(("directory", "holds"), rows)])


def _first_paragraph(file: Path) -> str:
    told = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return told.partition("\n\n")[0].replace(":mod:", "")


PAGES: Mapping[str, Callable[[], str]] = {
    "procedures.md": procedures,
    "tools.md": tools,
    "prompts.md": prompts,
    "verbs.md": verbs,
    "commands.md": commands,
    "settings.md": settings,
    "graph.md": graph,
    "packages.md": packages,
}


# Procedures


def _procedures_of(module: str) -> Iterator[str]:
    for name, callback in procedure_host.load_modules((module,)).items():
        about, example = _documented(callback)
        yield f"### {name}"
        yield about
        yield _table(("argument", "type", "default"), _arguments(callback))
        if callback.results:
            place = "the main instance" if callback.writes else "any replica"
            fields = (f"`{field}` ({type.name})" for field, type in callback.results.items())
            yield f"Yields {', '.join(fields)}. Runs on {place}."
        if example:
            yield _fenced("cypher", example)


def _documented(callback: Callback) -> tuple[str, str]:
    """Return what the docstring of a procedure says, and its example."""
    about, _, example = (inspect.getdoc(callback.run) or "").partition("Example:")
    return about.strip(), inspect.cleandoc(example)


def _arguments(callback: Callback) -> Iterator[tuple[str, ...]]:
    required = len(callback.arguments) - len(callback.defaults)
    given = ["required"] * required + [_code(json.dumps(one)) for one in callback.defaults]
    for (name, type), default in zip(callback.arguments, given, strict=True):
        if name != "context":
            yield _code(name), type.name, default


# Tools


def offered(toolset: str, with_set_time: bool = False) -> list[Any]:
    session = Session(None, DEFAULT_TAU_MS, ZoneInfo("UTC"), Clock())  # type: ignore[arg-type]
    return toolsets.tools(session, (toolset,), with_set_time)


def _tools_of(offered: Iterable[Any]) -> Iterator[str]:
    for tool in offered:
        yield f"### {tool.name}"
        yield tool.description
        yield _table(("argument", "type", "default", "meaning"), _fields(tool.parameters, "given"))
        if tool.output_schema is None:
            yield "The result is a text."
        else:
            yield _table(("result", "type", "meaning"), _fields(tool.output_schema, "returned"))


def _fields(
    schema: Mapping[str, Any], kind: str, prefix: str = "", defs: Mapping[str, Any] | None = None
) -> Iterator[tuple[str, ...]]:
    """Iterate over the fields of *schema*, and over those of each that has fields of its own."""
    defs = schema.get("$defs", {}) if defs is None else defs
    for name, field in schema.get("properties", {}).items():
        needed = name in schema.get("required", ())
        meaning = field.get("description", "")
        if kind == "given":
            default = "required" if needed else _code(json.dumps(field.get("default")))
            yield _code(prefix + name), _type(field, defs), default, meaning
        else:
            yield _code(prefix + name + ("" if needed else "?")), _type(field, defs), meaning
        for inner, suffix in _inner(field, defs):
            yield from _fields(inner, kind, f"{prefix}{name}{suffix}.", defs)


def _inner(
    field: Mapping[str, Any], defs: Mapping[str, Any]
) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Iterate over the schemas with fields that *field* may hold, "[]" with those of a list."""
    for choice in field.get("anyOf", (field,)):
        is_list = choice.get("type") == "array"
        items = choice.get("items", {}) if is_list else choice
        for one in items.get("anyOf", (items,)) if is_list else (items,):
            found = _resolved(one, defs)
            if "properties" in found:
                yield found, "[]" if is_list else ""


def _type(field: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    field = _resolved(field, defs)
    if "anyOf" in field:
        return " or ".join(_type(one, defs) for one in field["anyOf"])
    if "enum" in field:
        return ", ".join(_code(json.dumps(one)) for one in field["enum"])
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}), defs)}{_bounds(field, 'Items')}"
    name = str(field.get("type", "any"))
    return name + _bounds(field, "Length" if name == "string" else "imum")


def _bounds(field: Mapping[str, Any], what: str) -> str:
    least, most = (field.get(f"{end}{what}") for end in ("min", "max"))
    if least is None and most is None:
        return ""
    if most is None:
        return f" (at least {least})"
    return f" (at most {most})" if least is None else f" ({least} to {most})"


def _resolved(field: Mapping[str, Any], defs: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = str(field.get("$ref", ""))
    return defs[reference.rpartition("/")[2]] if reference else field


# Commands and settings


def _commands(path: tuple[str, ...], command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield " ".join(path), command
    # The commands of a drawer are the program's too.
    if isinstance(command, click.Group) and not isinstance(command, Drawer):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _commands((*path, name), found)


def _help(name: str, command: click.Command) -> str:
    # The program's settings, which a command has from it; click keeps the first that it made.
    context = click.Context(
        command, info_name=name, max_content_width=_HELP_WIDTH, **main.context_settings
    )
    context.terminal_width = _HELP_WIDTH
    return command.get_help(context)


def _default(variable: Mapping[str, Any]) -> str:
    if variable.get("isRequired"):
        return "required"
    return _code(variable["default"]) if "default" in variable else "none"


# The graph


def _layer(layer: Layer) -> Iterator[str]:
    for kind in layer.nodes:
        yield f"### :{kind.label}"
        yield _table(("property", "default"), _properties(kind.properties, kind.derived))
    if layer.edges:
        yield f"### Edges of `{layer.name}`"
        yield _table(
            ("edge", "name", "from", "to", "properties"),
            [
                (
                    _code(f"[:{kind.type}]"),
                    kind.name,
                    ", ".join(kind.sources),
                    ", ".join(kind.targets),
                    ", ".join(_code(one.name) for one in kind.properties),
                )
                for kind in layer.edges
            ],
        )
    if layer.indexes:
        yield f"### Constraints and indexes of `{layer.name}`"
        yield _table(
            ("on", "constraint"),
            [
                (_on(one.label, one.properties), "unique" if one.unique else "none")
                for one in layer.indexes
            ],
        )


def _properties(declared: Sequence[Any], derived: Iterable[str]) -> Iterator[tuple[str, str]]:
    for one in declared:
        if one.optional:
            default = "may be missing"
        elif one.default is REQUIRED:
            default = "required"
        elif isinstance(one.default, (str, int, float, tuple, list, dict)):
            default = _code(json.dumps(one.default))
        else:
            default = "null" if one.default is None else "the time of the call"
        yield _code(one.name), default
    for name in derived:
        yield _code(name), "derived from the others"


def _on(label: str, properties: Iterable[str]) -> str:
    return _code(f"{label}({', '.join(properties)})")


# Markdown


def _page(title: str, parts: Iterable[str]) -> str:
    return "\n\n".join([_NOTICE, f"# {title}", *filter(None, parts)]) + "\n"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    if not cells:
        return ""
    lines = [list(header), ["---"] * len(header), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"


def _code(text: str) -> str:
    return f"`{text}`"


def write() -> None:
    REFERENCE.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    # Nothing of the person who runs it stands in a page.
    with mock.patch.dict(os.environ, {"COLUMNS": str(_HELP_WIDTH)}):
        write()
