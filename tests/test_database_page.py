"""The statements for the DBA in docs/operate, run on a Memgraph as the pages say."""

import threading

import anyio
import neo4j
import pytest
from tests import cypher_text
from tests.markdown import ROOT, blocks

from concept_graph_mcp.hosts.memgraph.store import BoltStore
from conceptgraph_core.concepts import schema
from conceptgraph_core.transfer.registry import MODEL

DOCS = ROOT / "docs"
DBA, UPGRADE = DOCS / "operate/database.md", DOCS / "operate/upgrade.md"


def test_names_that_collide_are_found_and_renamed(memgraph):
    by_marker = {block.marker: block.text for block in blocks(DBA)}
    constraints = cypher_text.run(memgraph, "SHOW CONSTRAINT INFO")
    constraints = [row for row in constraints if row["label"] in schema.LABELS]
    keyed = [
        (row["label"], ", ".join(f"n.{one}" for one in row["properties"])) for row in constraints
    ]
    for label, keys in keyed:
        memgraph.run(f"DROP CONSTRAINT ON (n:{label}) ASSERT {keys} IS UNIQUE").consume()
    try:
        memgraph.run(
            "UNWIND ['a', 'b', 'b', 'b', 'c', 'c'] AS name"
            " CREATE (:Concept {name: name, search_name: name})"
        ).consume()
        found = cypher_text.run(memgraph, by_marker["finds collisions"])
        assert found == [{"name": "b", "nodes": 3}, {"name": "c", "nodes": 2}]
        renamed = cypher_text.run(memgraph, by_marker["renames collisions"])
        assert [row["renamed"] for row in renamed] == ["b (2)", "b (3)", "c (2)"]
        assert cypher_text.run(memgraph, by_marker["finds collisions"]) == []
        kept = "MATCH (c:Concept) WHERE c.search_name IS NOT NULL RETURN c.name AS name"
        assert {row["name"] for row in cypher_text.run(memgraph, kept)} == {"a", "b", "c"}
    finally:
        memgraph.run("MATCH (n) DETACH DELETE n").consume()
        for label, keys in keyed:
            memgraph.run(f"CREATE CONSTRAINT ON (n:{label}) ASSERT {keys} IS UNIQUE").consume()


def test_what_the_reference_drops_is_all_that_a_connection_creates(memgraph, empty_memgraph):
    page = (DOCS / "reference/graph.md").read_text(encoding="utf-8")
    dropped = [line for line in page.splitlines() if line.startswith("DROP ")]
    try:
        for statement in dropped:
            memgraph.run(statement.removesuffix(";")).consume()
        left = [
            *cypher_text.run(memgraph, "SHOW CONSTRAINT INFO"),
            *cypher_text.run(memgraph, "SHOW INDEX INFO"),
        ]
        labels = {label for layer in MODEL.stored for label in layer.labels}
        assert dropped
        assert [row for row in left if row["label"] in labels] == []
    finally:
        # Another connection makes them again.
        made_again(empty_memgraph)
    assert cypher_text.run(memgraph, "SHOW CONSTRAINT INFO")


def made_again(uri):
    async def connect():
        store = BoltStore(uri, "", "")
        await store.open()
        await store.close()

    anyio.run(connect)


@pytest.mark.slow
def test_a_module_in_use_is_not_reloaded_as_the_page_says(memgraph, empty_memgraph):
    said = "Unable to unload modules, they are currently being used."
    assert f"`{said}`" in UPGRADE.read_text(encoding="utf-8")
    memgraph.run("UNWIND range(1, 5000) AS i CREATE (:Concept {name: toString(i)})").consume()

    def work() -> None:
        with neo4j.GraphDatabase.driver(empty_memgraph) as driver, driver.session() as session:
            counting = "CALL conceptgraph.stats() YIELD value RETURN count(value)"
            session.run(f"UNWIND range(1, 60) AS i {counting}").consume()

    worker = threading.Thread(target=work)
    worker.start()
    refusals = set()
    while worker.is_alive():
        try:
            memgraph.run("CALL mg.load_all()").consume()
        except neo4j.exceptions.ClientError as error:
            refusals.add(error.message)
    worker.join()
    memgraph.run("CALL mg.load_all()").consume()
    assert refusals == {said}
