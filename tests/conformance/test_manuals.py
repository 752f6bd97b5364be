"""The examples of a module's manual run as they are pasted, in their order, on an empty graph."""

import ast
import re
from pathlib import Path

import pytest
from expect import REFUSALS

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.sqlite import procedure_host
from cypher_text import plain_call

ROOT = Path(__file__).resolve().parents[2]


def read_examples(module):
    """Iterate over name, arguments and fields of each example in the manual of *module*."""
    source = (ROOT / "query_modules" / f"{module}.py").read_text(encoding="utf-8")
    manual = ast.get_docstring(ast.parse(source)) or ""
    known = procedure_host.load_modules()
    manual = manual.replace("`", "")
    for written in re.findall(rf"^CALL {module}\.\w+\(.+?;$", manual, re.MULTILINE | re.DOTALL):
        name = re.match(r"CALL ([\w.]+)", written)[1]
        every = ", ".join(known[name].results)
        _, arguments, _ = plain_call(written.replace("YIELD *", f"YIELD {every}"))
        # The context comes last.
        missing = len(known[name].arguments) - 1 - len(arguments)
        arguments += known[name].defaults[:-1][-missing:] if missing > 0 else []
        yield name, arguments, tuple(known[name].results)


MAX = {"label": "Max", "type": "entity"}
# These make what others name.
MAKING = ("memorygraph.create", "memorygraph.ingest", "everyday.remember")


@pytest.mark.slow
@pytest.mark.parametrize("module", ["conceptgraph", "entitygraph", "everyday", "memorygraph"])
def test_the_examples_of_a_manual_run_in_their_order(memory, module):
    examples = list(read_examples(module))
    yielded, failed = {}, []
    for name, arguments, fields in [*(one for one in examples if one[0] in MAKING), *examples]:
        memory.now_ms += 1_000
        if name == "entitygraph.split":
            memory.run(calls.entities.observe("s1", "m2", "user", "Max at work", [MAX]))
            [*_, mention] = (one for one in memory.records() if one["kind"] == "mention")
            yielded["id of a mention"] = mention["id"]
        try:
            rows = memory.procedure(name, put_in(arguments, yielded), fields)
        except REFUSALS as error:
            failed.append(f"{name}: {error}")
            continue
        for row in rows[:1]:
            yielded |= {f"{field} of {name.partition('.')[2]}": row[field] for field in fields}
    assert failed == []


def put_in(given, yielded):
    """Return the arguments *given* with each "id of remember" as what that has *yielded*."""
    if isinstance(given, list):
        return [put_in(one, yielded) for one in given]
    return yielded.get(given, given) if isinstance(given, str) else given
