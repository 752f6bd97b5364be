"""Which part of the house may know which: imports run downward, and never in a circle.

Every import counts: one inside a function is there to be fast, one for types alone because it costs
nothing at run time, and each of them needs the other part to be understood.
"""

import ast
import functools
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter

import pytest
from tests.markdown import ROOT

CORE, SHELL = "conceptgraph_core", "concept_graph_mcp"
FOLDERS = {CORE: ROOT / "query_modules", SHELL: ROOT / "server"}
# From the ground up: each line may import what stands in the lines above it, and itself.
ORDER = [
    CORE,
    *(f"{CORE}.{name}" for name in ("verbs", "texts", "verbs.procedures", "verbs.limits")),
    *(f"{CORE}.{name}" for name in ("verbs.errors", "texts.dates", "texts.text", "texts.folding")),
    *(f"{CORE}.{name}" for name in ("verbs.validators", "recall.budgets", "texts.quoting")),
    *(f"{CORE}.{name}" for name in ("verbs.decaying", "graph.layers", "retrieval.ranks")),
    *(f"{CORE}.{name}" for name in ("language", "texts.words", "verbs.context", "graph")),
    *(f"{CORE}.{name}" for name in ("retrieval", "verbs.arguments", "concepts")),
    *(
        f"{CORE}.{name}"
        for name in ("embeddings", "jobs", "entities", "memories", "cascade", "everyday")
    ),
    f"{CORE}.recall",
    *(f"{CORE}.{name}" for name in ("transfer.registry", "graph.cypher", "transfer")),
    *(f"{SHELL}.{name}" for name in ("core", "errors", "printable", "user_files")),
    *(f"{SHELL}.{name}" for name in ("settings", "settings_file")),
    f"{SHELL}.calls",
    f"{SHELL}.file_formats",
    f"{SHELL}.histories",
    *(f"{SHELL}.hosts.{name}" for name in ("backup_files", "store")),
    *(f"{SHELL}.hosts.{name}" for name in ("sqlite", "memgraph", "per_user", "lazy")),
    *(
        f"{SHELL}.{name}"
        for name in (
            "logs",
            "endpoints",
            "embedding",
            "session",
            "sharing",
            "overdue",
            "times",
            "results",
            "answers",
            "worker",
            "view",
            # The part of the drop-ins that the tools have.
            *("dropins.kept", "dropins.files"),
            "tools",
            "memory_opening",
            "memory",
            "hooks",
            "dropins",
            "clients",
            "resources",
        )
    ),
    *(f"{SHELL}.{name}" for name in ("extras", "observing", "health")),
    *(f"{SHELL}.{name}" for name in ("stdin", "serving", "http")),
    *(f"{SHELL}.{name}" for name in ("commands", "__main__", "start")),
]
# What every import of the shell passes through: it only makes the core importable.
FIRST = SHELL


def modules() -> dict[str, str]:
    """Return the text of each module of the core and the shell, by its full name."""
    found = {}
    for package, folder in FOLDERS.items():
        for file in sorted((folder / package).rglob("*.py")):
            parts = file.relative_to(folder).with_suffix("").parts
            name = ".".join(parts).removesuffix(".__init__")
            found[name] = file.read_text(encoding="utf-8")
    return found


TEXTS = modules()
MODULES = {name: ast.parse(text) for name, text in TEXTS.items()}
LINES = {name: text.count("\n") for name, text in TEXTS.items()}
PACKAGES = {name.rpartition(".")[0] for name in MODULES}


@functools.cache
def imports(name: str) -> set[str]:
    """Return the modules of ours that the module *name* imports, anywhere in it."""
    found = set()
    for node in ast.walk(MODULES[name]):
        for target, parent in named(node, name):
            found.add(target if target in MODULES else parent)
    return found & MODULES.keys()


def named(node: ast.AST, importer: str) -> Iterator[tuple[str, str]]:
    """Iterate over the full names that an import gives, each with what it is taken from."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = importer.split(".")
        # A dot is the package that a module is in, and a package is in itself.
        above = above[: len(above) - node.level + (importer in PACKAGES)]
        start = [".".join(above)] if node.level else []
        parent = ".".join([*start, *([node.module] if node.module else [])])
        yield from ((f"{parent}.{alias.name}", parent) for alias in node.names)


def part(name: str) -> str:
    """Return the part of the house that the module *name* is in, as ORDER calls it."""
    fitting = [each for each in ORDER if name == each or name.startswith(f"{each}.")]
    return max(fitting, key=len, default="")


def test_every_module_is_in_a_part_of_the_house_and_every_part_has_one():
    nowhere = [name for name in MODULES if not part(name)]
    # The root of the core holds the version; what lies in it has a line of its own.
    nowhere += [name for name in MODULES if part(name) == CORE and name != CORE]
    packages = {name for name in MODULES if any(each.startswith(f"{name}.") for each in ORDER)}
    assert set(nowhere) <= packages
    assert {part(name) for name in MODULES} >= set(ORDER)


@pytest.mark.slow
def test_no_import_runs_upward():
    height = {name: ORDER.index(part(name)) for name in MODULES if part(name)}
    upward = [
        (name, each)
        for name in height
        for each in imports(name) - {FIRST}
        if height[each] > height[name]
    ]
    assert upward == []


def test_imports_form_no_circle():
    order = TopologicalSorter({name: imports(name) - {name} for name in MODULES}).static_order()
    assert set(order) == set(MODULES)


def test_no_two_rooms_of_entities_know_each_other():
    above = f"{CORE}.entities"
    rooms = {name for name in PACKAGES if name.startswith(f"{above}.")}
    known = {
        (room, other)
        for room in rooms
        for name in MODULES
        if name.startswith(f"{room}.")
        for each in imports(name)
        for other in rooms - {room}
        if each == other or each.startswith(f"{other}.")
    }
    assert (f"{above}.narration", f"{above}.identity") in known
    assert [pair for pair in known if pair[::-1] in known] == []


@pytest.mark.slow
def test_the_core_imports_nothing_of_the_shell_and_the_shell_no_entry_file():
    assert "concept_graph_mcp.settings" in imports("concept_graph_mcp.serving")
    of_core = [name for name in MODULES if name.startswith(CORE)]
    assert [name for name in of_core if any(each.startswith(SHELL) for each in imports(name))] == []
    entries = {file.stem for file in FOLDERS[CORE].glob("*.py")}
    assert entries
    given = {
        target.partition(".")[0]
        for name in MODULES
        for node in ast.walk(MODULES[name])
        for target, _ in named(node, name)
    }
    assert not given & entries


# A function is a verb and a noun. These words alone name none.
VERBS_IN_ED = {"embed", "exceed", "feed", "heed", "need", "proceed", "seed", "shed", "speed"}
PARTICIPLES = """
begun bought bound brought built chosen done drawn driven felt forgotten found given gone heard held
hidden kept known laid led left lent lost made meant met paid sent shown sold sown spelt spoken
taken told thought understood unread woven written"""
PREPOSITIONS = """
about above after against ago ahead along among apart around at before behind below beside between
beyond by down for from in inside into near of off on onto out outside over since through to
together toward under until up upon with within without"""
PRONOUNS = """
all another any both each either everyone everything few her his it its me mine most my none nothing
one ones other others our ours own self several some that their theirs them these they this those us
we what when where which who whole whom whose why your yours"""
SAY_NOTHING = frozenset(f"{PARTICIPLES} {PREPOSITIONS} {PRONOUNS}".split())
# These numbers only fall.
MOST_BARE_NAMES = 308
MOST_SMALL_FILES = 7
SMALL = 40


def is_bare(name: str) -> bool:
    """Return whether *name* is a participle, a preposition or a pronoun, and nothing else."""
    word = name.strip("_")
    is_participle = word.endswith("ed") and "_" not in word and word not in VERBS_IN_ED
    return is_participle or word in SAY_NOTHING


@pytest.mark.slow
def test_the_functions_named_by_a_word_that_says_nothing_get_fewer():
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    bare = [
        (name, node.name)
        for name, tree in MODULES.items()
        for node in ast.walk(tree)
        if isinstance(node, functions) and is_bare(node.name)
    ]
    assert len(bare) <= MOST_BARE_NAMES, "name a function with a verb and a noun"


def test_the_small_files_that_one_other_imports_get_fewer():
    importers: dict[str, int] = {}
    for name in MODULES:
        for each in imports(name) - {name}:
            importers[each] = importers.get(each, 0) + 1
    small = [
        name
        for name, lines in LINES.items()
        if lines < SMALL and importers.get(name) == 1 and name not in PACKAGES
    ]
    assert len(small) <= MOST_SMALL_FILES, f"put them into the one that imports them: {small}"


@pytest.mark.slow
def test_modules_and_files_that_docstrings_name_exist():
    files = [*TEXTS, *(each.stem for each in (ROOT / "tests").rglob("*.py"))]
    lacking = [
        (name, quoted)
        for name, tree in MODULES.items()
        for quoted in quoted_modules(tree)
        if not any(f".{each}".endswith(f".{quoted}") for each in files)
        # Or something that the module has.
        and quoted.rpartition(".")[0] not in MODULES
    ]
    assert lacking == []


def quoted_modules(tree: ast.Module) -> Iterator[str]:
    """Iterate over the modules in backticks, also by their files, of the docstrings in *tree*."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, documented):
            for quoted in re.findall(r"`([\w./-]+)`", ast.get_docstring(node) or ""):
                if quoted.endswith(".py"):
                    yield quoted.removesuffix(".py").replace("/", ".")
                elif quoted.startswith((f"{CORE}.", f"{SHELL}.")):
                    yield quoted
