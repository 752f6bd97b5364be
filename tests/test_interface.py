"""Tools and procedures take and return what is written down in tests/interface/."""

import neo4j
from tests.interface import write


def test_tools_have_the_schemas_that_are_written_down():
    assert write.tools() == write.TOOLS.read_text(encoding="utf-8")


def test_procedures_have_the_signatures_that_are_written_down():
    assert write.procedures() == write.PROCEDURES.read_text(encoding="utf-8")


def test_procedures_have_the_same_signatures_on_memgraph(memgraph_uri):
    statement = "CALL mg.procedures() YIELD signature"
    with neo4j.GraphDatabase.driver(memgraph_uri, notifications_min_severity="OFF") as driver:
        there = {row["signature"] for row in driver.execute_query(statement).records}
    written = write.PROCEDURES.read_text(encoding="utf-8").splitlines()
    assert [one for one in written if one not in there] == []
