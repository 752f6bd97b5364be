"""Tools and procedures take and return what is written down in tests/interface/."""

import importlib

import neo4j
import pytest
from tests.interface import write

from concept_graph_mcp import calls
from concept_graph_mcp.calls.verb import AnyVerb
from concept_graph_mcp.hosts.sqlite import modules


def test_tools_have_the_schemas_that_are_written_down():
    assert write.tools() == write.TOOLS.read_text(encoding="utf-8")


def test_procedures_have_the_signatures_that_are_written_down():
    assert write.procedures() == write.PROCEDURES.read_text(encoding="utf-8")


VERBS = [
    one
    for layer in calls._LAYERS
    for one in vars(importlib.import_module(f"concept_graph_mcp.calls.{layer}")).values()
    if isinstance(one, AnyVerb)
]


@pytest.mark.parametrize("verb", VERBS, ids=lambda one: one.procedure.name)
def test_a_verb_passes_as_many_arguments_as_its_procedure_takes(verb):
    takes = modules.load_modules()[verb.procedure.name].arguments
    passed = [*verb._sent, *(("vector", "model") if verb._is_embedded else ()), "context"]
    assert len(passed) == len(takes)


def test_procedures_have_the_same_signatures_on_memgraph(memgraph_uri):
    statement = "CALL mg.procedures() YIELD signature"
    with neo4j.GraphDatabase.driver(memgraph_uri, notifications_min_severity="OFF") as driver:
        there = {row["signature"] for row in driver.execute_query(statement).records}
    written = write.PROCEDURES.read_text(encoding="utf-8").splitlines()
    assert [one for one in written if one not in there] == []
