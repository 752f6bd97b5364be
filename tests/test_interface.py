"""Tools and procedures take and return what is written down in tests/interface/."""

import importlib
import inspect
import runpy
from collections.abc import Sequence
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import neo4j
import pytest
from tests.interface import write
from tests.markdown import ROOT

from concept_graph_mcp import calls, memory
from concept_graph_mcp.calls.verb import Verb, verb_of_rule
from concept_graph_mcp.commands import of_verbs as commands
from concept_graph_mcp.hosts.sqlite import procedure_host
from concept_graph_mcp.results import Remembered
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.tools import making as tools
from conceptgraph_core.everyday import procedures
from conceptgraph_core.verbs import arguments

DECLARE = runpy.run_path(str(ROOT / "server/verbs/declare.py"))


def test_tools_have_the_schemas_that_are_written_down():
    assert write.tools() == write.TOOLS.read_text(encoding="utf-8")


def test_procedures_have_the_signatures_that_are_written_down():
    assert write.procedures() == write.PROCEDURES.read_text(encoding="utf-8")


VERBS = [
    one
    for layer in calls._LAYERS
    for one in vars(importlib.import_module(f"concept_graph_mcp.calls.{layer}")).values()
    if isinstance(one, Verb)
]


@pytest.mark.parametrize("verb", VERBS, ids=lambda one: one.procedure.name)
def test_a_verb_passes_as_many_arguments_as_its_procedure_takes(verb):
    takes = procedure_host.load_modules()[verb.procedure.name].arguments
    passed = [*verb._sent, *(("vector", "model") if verb._is_embedded else ())]
    passed += ["context"] if verb.procedure.takes_context else []
    assert len(passed) == len(takes)


def test_everyday_verbs_are_those_that_their_rules_declare():
    assert DECLARE["declare"]() == DECLARE["FILE"].read_text(encoding="utf-8")


def remember(
    graph: Any,
    text: Annotated[str, "A text."],
    vector: Sequence[float] = (),
    model: str | None = None,
    *,
    mood: Annotated[str | None, "How it was told."] = None,
) -> Any:
    """Keep a text."""


def test_an_argument_of_a_rule_is_on_every_surface():
    written: dict[str, Any] = {**vars(arguments), "Annotated": Annotated}
    written |= {"procedures": procedures, "verb_of_rule": verb_of_rule}
    exec(DECLARE["declare_verb"](procedures.REMEMBER, remember), written)
    verb = written["remember"]
    call = verb("ann", "It rains", mood="sadly")
    assert (call.arguments, call.context["mood"]) == (("It rains", [], None), "sadly")
    session = Session(None, 1, ZoneInfo("UTC"), Clock())  # type: ignore[arg-type]
    tool = tools._make_tool(session, tools.Made("remember", verb, "Remember", "Call it."), None)
    assert tool.parameters["properties"]["mood"]["description"] == "How it was told."
    command = commands.make_command(commands.Made("remember", verb, "Keep.", given=("text",)))
    [option] = (one for one in command.params if one.name == "mood")
    assert (option.opts, option.help) == (["--mood"], "How it was told.")
    method = memory._make_method(verb, Remembered, memory.AsyncMemory.recall)
    assert inspect.signature(method).parameters["mood"].default is None
    assert "\n    mood: How it was told.\n" in method.__doc__
    # Memgraph loads `mgp` first, as the embedded host does.
    registering = importlib.import_module("conceptgraph_core.graph.registering")
    assert "mood" in registering._names(remember, by_name=True)


def test_procedures_have_the_same_signatures_on_memgraph(memgraph_uri):
    statement = "CALL mg.procedures() YIELD signature"
    with neo4j.GraphDatabase.driver(memgraph_uri, notifications_min_severity="OFF") as driver:
        there = {row["signature"] for row in driver.execute_query(statement).records}
    written = write.PROCEDURES.read_text(encoding="utf-8").splitlines()
    assert [one for one in written if one not in there] == []
