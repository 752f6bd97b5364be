"""What the conformance tests need besides the procedures: hands that know no rules, and a probe."""

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest
from anyio.from_thread import BlockingPortal
from entity_layer import Entities
from everyday_calls import Days
from expect import ProbeFailed
from samples import samples  # noqa: F401

from concept_graph_mcp.hosts.sqlite import procedure_host
from concept_graph_mcp.hosts.sqlite.procedure_host import Marshal
from conceptgraph_core.graph.primitives import Equal

PROBE = "host_probe"
PROBE_DIRECTORY = Path(__file__).parent / "modules"


class StrictMarshal(Marshal):
    """Refuses of a procedure's results what Memgraph refuses."""

    def rows(self, callback: Any, result: Any, fields: Any) -> list[dict[str, Any]]:
        if result is None and callback.results:
            raise ValueError("Procedure implementation returned None")
        records = [result] if isinstance(result, self._mgp.Record) else result
        if not isinstance(records, list | None):
            raise TypeError(f"Value '{result}' is not a list of 'mgp.Record'")
        for record in records or ():
            if not isinstance(record, self._mgp.Record):
                raise TypeError("A value is not an instance of 'mgp.Record'")
            for name, value in record.fields.items():
                declared = callback.results.get(name)
                if declared is None or not declared.accepts(self._unwrap(value)):
                    raise ValueError(
                        f"Unable to insert field '{name}' with value: '{value}';"
                        " did you set the correct field type?"
                    )
        return super().rows(callback, result, fields)


@pytest.fixture(scope="session", autouse=True)
def strict() -> Iterator[None]:
    """Let the embedded host be as strict as Memgraph."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(procedure_host, "Marshal", StrictMarshal)
        yield


class Hands(Protocol):
    """A person with the database's own tools, whom no rule of ours stops."""

    def node(self, *labels: str, **properties: Any) -> int:
        """Create a node and return its id."""

    def edge(self, source: int, target: int, edge_type: str, **properties: Any) -> None:
        """Create an edge between nodes given by their ids."""

    def nodes(self, label: str, rows: list[dict[str, Any]]) -> None:
        """Create a node with those properties of each of *rows*."""

    def set(self, node: int, name: str, value: Any) -> None:
        """Set the property *name* of the node with that id; None removes it."""

    def delete(self, name: str) -> None:
        """Delete all nodes of that name with their edges."""

    def everything(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return all nodes, with id and labels, and all edges, with type, from and to."""

    def id(self, name: str) -> int:
        """Return the id of the only node of that name."""

    def properties(self, name: str) -> dict[str, Any]:
        """Return all properties of the only node of that name."""

    def arousal(self, name: str, *arguments: Any) -> Any:
        """Return the value of the function arousal for a node (null if there is none)."""

    def switch(self, procedure: str, *arguments: Any) -> Any:
        """Change the modules of the host by a procedure of the probe; return what it `got`."""


class EmbeddedHands:
    """Works through the probe, in a host of its own on the same file."""

    def __init__(self, path: Path) -> None:
        from concept_graph_mcp.hosts.sqlite import procedure_host
        from concept_graph_mcp.hosts.sqlite.procedure_host import Host

        self._host = Host(path, {**procedure_host.load_modules(), **_probe_callbacks()})

    def close(self) -> None:
        self._host.close()

    def node(self, *labels: str, **properties: Any) -> int:
        return self.probe("make_node", list(labels), properties)[0]["id"]

    def edge(self, source: int, target: int, edge_type: str, **properties: Any) -> None:
        self.probe("make_edge", source, target, edge_type, properties)

    def nodes(self, label: str, rows: list[dict[str, Any]]) -> None:
        self.probe("make_nodes", label, rows)

    def set(self, node: int, name: str, value: Any) -> None:
        self.probe("set_property", node, name, value)

    def delete(self, name: str) -> None:
        self.probe("delete_node", name)

    def everything(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        [row] = self.probe("everything")
        return list(row["nodes"]), list(row["edges"])

    def id(self, name: str) -> int:
        (row,) = self.probe("find", name)
        return row["id"]

    def properties(self, name: str) -> dict[str, Any]:
        (row,) = self.probe("find", name)
        return row["node"].properties

    def arousal(self, name: str, *arguments: Any) -> Any:
        (row,) = self.probe("find", name) or [{"node": None}]
        if row["node"] is None:
            return self._host.evaluate("conceptgraph.arousal", [None, *arguments])
        if not {"Concept", "Episode"} & set(row["node"].labels):
            pytest.skip("embedded, only concepts and episodes can be handed to a function")
        return self._host.evaluate(
            "conceptgraph.arousal", arguments, Equal(("Concept", "Episode"), ("name",), ((name,),))
        )

    def probe(self, procedure: str, *arguments: Any) -> list[dict[str, Any]]:
        return self._host.call(f"{PROBE}.{procedure}", arguments)

    def switch(self, procedure: str, *arguments: Any) -> Any:
        return self.probe(procedure, *arguments)[0]["got"]


class MemgraphHands:
    """Works in Cypher."""

    def __init__(self, uri: str) -> None:
        import neo4j

        self._driver = neo4j.GraphDatabase.driver(uri, notifications_min_severity="OFF")

    def close(self) -> None:
        self._driver.close()

    def node(self, *labels: str, **properties: Any) -> int:
        label = "".join(f":{label}" for label in labels)
        return self.value(
            f"CREATE (n{label}) SET n = $properties RETURN id(n)", properties=properties
        )

    def edge(self, source: int, target: int, edge_type: str, **properties: Any) -> None:
        self.value(
            "MATCH (a), (b) WHERE id(a) = $source AND id(b) = $target"
            f" CREATE (a)-[e:{edge_type}]->(b) SET e = $properties RETURN id(e)",
            source=source,
            target=target,
            properties=properties,
        )

    def nodes(self, label: str, rows: list[dict[str, Any]]) -> None:
        made = f"UNWIND $rows AS row CREATE (n:{label}) SET n = row RETURN count(n)"
        self.value(made, rows=rows)

    def set(self, node: int, name: str, value: Any) -> None:
        self.value(
            f"MATCH (n) WHERE id(n) = $node SET n.{name} = $value RETURN id(n)",
            node=node,
            value=value,
        )

    def delete(self, name: str) -> None:
        self.value("MATCH (n) WHERE n.name = $name DETACH DELETE n RETURN count(n)", name=name)

    def everything(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        nodes = self.value("MATCH (n) RETURN collect([id(n), labels(n), properties(n)])")
        edges = self.value(
            "MATCH (a)-[e]->(b) RETURN collect([type(e), id(a), id(b), properties(e)])"
        )
        return (
            [{"id": id_, "labels": labels} | given for id_, labels, given in nodes],
            [{"type": kind, "from": a, "to": b} | given for kind, a, b, given in edges],
        )

    def id(self, name: str) -> int:
        return self.value("MATCH (n) WHERE n.name = $name RETURN id(n)", name=name)

    def properties(self, name: str) -> dict[str, Any]:
        return self.value("MATCH (n) WHERE n.name = $name RETURN properties(n)", name=name)

    def arousal(self, name: str, *arguments: Any) -> Any:
        given = ", ".join(["n", *(f"$a{index}" for index in range(len(arguments)))])
        return self.value(
            f"OPTIONAL MATCH (n) WHERE n.name = $name RETURN conceptgraph.arousal({given})",
            name=name,
            **{f"a{index}": value for index, value in enumerate(arguments)},
        )

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """Give a transaction of the driver, which is rolled back at the end."""
        with self._driver.session() as session:
            transaction = session.begin_transaction()
            try:
                yield transaction
            finally:
                transaction.close()

    def switch(self, procedure: str, *arguments: Any) -> Any:
        names = self.value("CALL mg.procedures() YIELD name RETURN collect(name)")
        if f"{PROBE}.{procedure}" not in names:
            pytest.skip(f"needs {PROBE}.py in a query-modules directory of the Memgraph")
        given, parameters = _parameters(arguments)
        return self.value(f"CALL {PROBE}.{procedure}({given}) YIELD got RETURN got", **parameters)

    def value(self, statement: str, **parameters: Any) -> Any:
        """Run any Cypher that gives one value."""
        with self._driver.session() as session:
            return session.run(statement, parameters).single(strict=True).value()


class Probe(Protocol):
    """The procedures and functions of the probe module on one host."""

    host: str

    def call(self, procedure: str, *arguments: Any) -> list[dict[str, Any]]:
        """Return the rows of a procedure. Raises ProbeFailed with what the host says."""

    def function(self, name: str, *arguments: Any) -> Any:
        """Return the value of a function. Raises ProbeFailed with what the host says."""

    def reopen(self) -> None:
        """Forget everything but what is stored."""


class EmbeddedProbe:
    host = "embedded"

    def __init__(self, path: Path) -> None:
        from concept_graph_mcp.hosts.sqlite.procedure_host import Host

        self._make = functools.partial(Host, path, _probe_callbacks())
        self._host = self._make()

    def close(self) -> None:
        self._host.close()

    def reopen(self) -> None:
        """Forget everything but what is stored."""
        self._host.close()
        self._host = self._make()

    def call(self, procedure: str, *arguments: Any) -> list[dict[str, Any]]:
        try:
            return self._host.call(f"{PROBE}.{procedure}", arguments)
        except Exception as error:
            raise ProbeFailed(f"{type(error).__name__}: {error}") from error

    def function(self, name: str, *arguments: Any) -> Any:
        try:
            return self._host.evaluate(f"{PROBE}.{name}", arguments)
        except Exception as error:
            raise ProbeFailed(f"{type(error).__name__}: {error}") from error


class MemgraphProbe:
    host = "memgraph"

    def __init__(self, uri: str) -> None:
        import neo4j

        self._failure = neo4j.exceptions.Neo4jError
        self._driver = neo4j.GraphDatabase.driver(uri, notifications_min_severity="OFF")
        rows = self.rows("CALL mg.procedures() YIELD name RETURN name")
        self.is_loaded = f"{PROBE}.nothing" in {row["name"] for row in rows}

    def close(self) -> None:
        self._driver.close()

    def reopen(self) -> None:
        """Nothing is kept between calls but what is stored."""

    def call(self, procedure: str, *arguments: Any) -> list[dict[str, Any]]:
        known = _probe_callbacks().get(f"{PROBE}.{procedure}")
        fields = ", ".join(known.results) if known else "got"
        given, parameters = _parameters(arguments)
        return self.rows(
            f"CALL {PROBE}.{procedure}({given}) YIELD {fields} RETURN {fields}", parameters
        )

    def function(self, name: str, *arguments: Any) -> Any:
        given, parameters = _parameters(arguments)
        return self.rows(f"RETURN {PROBE}.{name}({given}) AS value", parameters)[0]["value"]

    def rows(
        self, statement: str, parameters: dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        with self._driver.session() as session:
            try:
                return [dict(record) for record in session.run(statement, parameters)]
            except self._failure as error:
                raise ProbeFailed(error.message) from error


@functools.cache
def _probe_callbacks() -> dict[str, Any]:
    """Load the probe into the embedded host, once a process."""
    import sys

    from concept_graph_mcp.hosts.sqlite import procedure_host

    sys.path.append(str(PROBE_DIRECTORY))
    module = procedure_host.load_module(PROBE)
    return {
        callback.name: callback
        for callback in (*module.procedures.values(), *module.functions.values())
    }


def _parameters(arguments: Sequence[Any]) -> tuple[str, dict[str, Any]]:
    parameters = {f"a{index}": value for index, value in enumerate(arguments)}
    return ", ".join(f"${key}" for key in parameters), parameters


@pytest.fixture
def hands(store: Any) -> Iterator[Any]:
    """Hands in the graph of *store*."""
    if "://" in store.location:
        hands: Any = MemgraphHands(store.location)
    else:
        hands = EmbeddedHands(Path(store.location))
    yield hands
    hands.close()


@pytest.fixture
def bound_mentions(hands: Any) -> Iterator[Any]:
    """Let questions read only so many mentions, and so few of a further term."""
    before: list[list[int]] = []
    yield lambda most, few: before.append(hands.switch("bound_mentions", most, few))
    if before:
        hands.switch("bound_mentions", *before[0])


@pytest.fixture
def host(request: pytest.FixtureRequest, store: Any) -> str:
    """The name of the host that *store* is on."""
    return "memgraph" if "://" in store.location else "embedded"


@pytest.fixture(params=("embedded", "memgraph"))
def probe(request: pytest.FixtureRequest, tmp_path: Path, portal: BlockingPortal) -> Iterator[Any]:
    """The probe module on each host, over an empty graph."""
    if request.param == "embedded":
        request.getfixturevalue("make_empty")(tmp_path / "probe.db")
        probe: Any = EmbeddedProbe(tmp_path / "probe.db")
    else:
        probe = MemgraphProbe(request.getfixturevalue("empty_memgraph"))
        if not probe.is_loaded:
            probe.close()
            pytest.skip(f"needs {PROBE}.py in a query-modules directory of the Memgraph")
    yield probe
    probe.close()


@pytest.fixture
def days(memory: Any) -> Days:
    return Days(memory)


@pytest.fixture
def entities(memory: Any) -> Entities:
    return Entities(memory)
