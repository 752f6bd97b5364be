"""What a call writes into a store file by the thousand: each edge as it is, whatever is shared."""

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.sqlite import transaction
from concept_graph_mcp.hosts.sqlite.cache import Cache
from concept_graph_mcp.hosts.sqlite.database import Database
from concept_graph_mcp.hosts.sqlite.indexes import CATALOGUE
from concept_graph_mcp.hosts.sqlite.interface import Graph, Vertex
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.hosts.sqlite.transaction import Transaction


class Store:
    """A store file, written call by call by one process and read by another."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = Database(path)
        self.cache = Cache(self._database)

    def close(self) -> None:
        self._database.close()

    def begin(self) -> tuple[Transaction, Graph]:
        position = self._database.begin(exclusive=False)
        self.cache.catch_up(position)
        made = Transaction(self._database, self.cache, CATALOGUE)
        return made, Graph(made, mutable=True)

    def commit(self, made: Transaction) -> None:
        made.flush()
        self._database.commit()
        made.finish()

    def undo(self, made: Transaction) -> None:
        self._database.rollback()
        made.undo()

    def told(self, vertex: int) -> list[dict[str, Any]]:
        """Return the properties of the edges that leave a vertex, as this process has them."""
        made, _ = self.begin()
        element = made.vertex(vertex)
        assert element is not None
        told = [edge.properties for edge in made.edges.of(element, True)]
        self.undo(made)
        return told

    def stored(self, vertex: int) -> list[dict[str, Any]]:
        """Return the same as another process reads it, which checks it."""
        with closing(Store(self.path)) as other:
            return other.told(vertex)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "memory.db")) as store:
        yield store


def pair(graph: Graph) -> tuple[Vertex, Vertex]:
    made = graph.create_vertex(), graph.create_vertex()
    for vertex in made:
        vertex.add_label("Thing")
    return made


def alike(graph: Graph, source: Vertex, target: Vertex, count: int) -> list[Any]:
    edges = [graph.create_edge(source, target, "KNOWS") for _ in range(count)]
    for edge in edges:
        edge.set_property("count", 1)
    return edges


def test_edges_that_say_the_same_are_changed_each_for_itself(store: Store) -> None:
    made, graph = store.begin()
    source, target = pair(graph)
    one, two, three, four, five = alike(graph, source, target, 5)
    one.set_property("count", 2)
    two.set_property("more", "text")
    three.set_property("count", None)
    four.set_property("count", True)
    store.commit(made)
    expected = [{"count": 2}, {"count": 1, "more": "text"}, {}, {"count": True}, {"count": 1}]
    for told in (store.told(source.get_id()), store.stored(source.get_id())):
        assert [repr(one) for one in told] == [repr(one) for one in expected]

    made, graph = store.begin()
    edges = graph.get_vertex_by_id(source.get_id()).iter_out_edges()
    edges.get().set_property("count", 7)
    assert five.get_property("count") == 1
    store.undo(made)
    assert store.told(source.get_id())[0] == {"count": 2}


@pytest.mark.parametrize("most", [0, 100])
def test_a_call_that_makes_many_edges_leaves_them_to_be_read_again(
    store: Store, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "_FEW_EDGES", most)
    made, graph = store.begin()
    source, target = pair(graph)
    alike(graph, source, target, 3)
    store.commit(made)
    assert bool(store.cache.edges) == (most > 0)
    # Further ones, while those before are known, not known, and one of them is deleted.
    for number in range(3):
        made, graph = store.begin()
        source, target = (graph.get_vertex_by_id(one.get_id()) for one in (source, target))
        known = source.iter_out_edges() if number else None
        [new, gone] = alike(graph, source, target, 2)
        new.set_property("count", 10 + number)
        graph.delete_edge(gone)
        if known is not None:
            graph.delete_edge(known.get())
        store.commit(made)
    expected = [{"count": count} for count in (1, 10, 11, 12)]
    assert store.told(source.get_id()) == store.stored(source.get_id()) == expected


def test_a_call_that_is_taken_back_leaves_no_edge_in_memory(store: Store) -> None:
    made, graph = store.begin()
    source, target = pair(graph)
    alike(graph, source, target, 2)
    store.commit(made)
    before = dict(store.cache.edges)
    made, graph = store.begin()
    alike(graph, *(graph.get_vertex_by_id(one.get_id()) for one in (source, target)), 2)
    store.undo(made)
    assert store.cache.edges == before
    assert store.told(source.get_id()) == [{"count": 1}, {"count": 1}]


def seen(vertices: list[Vertex], graph: Graph) -> list[list[tuple[int, Any]]]:
    """Return of each vertex what leaves it and what enters it: the other end, and the number."""
    found = []
    for vertex in (graph.get_vertex_by_id(one.get_id()) for one in vertices):
        for edges, end in (
            (vertex.iter_out_edges(), "to_vertex"),
            (vertex.iter_in_edges(), "from_vertex"),
        ):
            told, edge = [], edges.get()
            while edge is not None:
                told.append((getattr(edge, end)().get_id(), edge.get_property("count")))
                edge = edges.next()
            found.append(sorted(told, key=repr))
    return found


def expected(vertices: list[Vertex], edges: list[tuple[int, int, Any]]) -> list[Any]:
    """Return what `seen` is to be of *edges*: (from, to, number)."""
    found = []
    for one in (vertex.get_id() for vertex in vertices):
        leaving = [(target, count) for source, target, count in edges if source == one]
        entering = [(source, count) for source, target, count in edges if target == one]
        found += [sorted(leaving, key=repr), sorted(entering, key=repr)]
    return found


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("most", [0, 3, 1_000])
def test_edges_made_many_at_a_time_are_there_whenever_somebody_looks(
    store: Store, most: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "_FEW_EDGES", most)
    said = random.Random(seed)
    vertices: list[Vertex] = []
    edges: list[tuple[int, int, Any]] = []
    for _ in range(5):
        made, graph = store.begin()
        now = list(edges)
        new = [one for _ in range(2) for one in pair(graph)]
        known = vertices + new
        ends = [graph.get_vertex_by_id(one.get_id()) for one in known]
        for _ in range(said.randrange(2, 12)):
            source, targets = said.choice(ends), said.choices(ends, k=said.randrange(1, 4))
            what = said.randrange(4)
            if what == 0:
                assert seen(known, graph) == expected(known, now)
            elif what == 1 and (edge := source.iter_out_edges().get()) is not None:
                ended = (source.get_id(), edge.to_vertex().get_id(), edge.get_property("count"))
                now.remove(ended)
                graph.delete_edge(edge)
            elif what == 2:
                graph.create_edge(source, targets[0], "KNOWS").set_property("count", 9)
                now.append((source.get_id(), targets[0].get_id(), 9))
            else:
                given = [said.choice([1, 2, 70, True, 2.5]) for _ in targets]
                graph.create_edges(source, "KNOWS", "count", targets, given)
                ids = (target.get_id() for target in targets)
                now += [(source.get_id(), *one) for one in zip(ids, given, strict=True)]
        if said.random() < 0.3:
            store.undo(made)
            continue
        store.commit(made)
        vertices, edges = known, now
    for reader in (store, Store(store.path)):
        made, graph = reader.begin()
        assert seen(vertices, graph) == expected(vertices, edges)
        reader.undo(made)
    reader.close()


def test_more_rows_than_one_statement_inserts_are_all_there_once(store: Store) -> None:
    for count in (1, 31, 32, 33, 64, 100):
        made, graph = store.begin()
        created = [graph.create_labelled("Thing", {"number": number}) for number in range(count)]
        store.commit(made)
        with closing(Store(store.path)) as other:
            made, graph = other.begin()
            read = [graph.get_vertex_by_id(one.get_id()) for one in created]
            assert [one.get_property("number") for one in read] == list(range(count))
            other.undo(made)


def test_all_writes_but_counted_accesses_wait_for_the_disk(tmp_path, portal):
    store = EmbeddedStore(tmp_path / "memory.db")

    def waited(call: calls.Call) -> bool:
        portal.call(store.call, call, {"now_ms": 1_750_000_000_000, "user_id": "ann"})
        [(level,)] = store._open_host()._database.execute("PRAGMA synchronous").fetchall()
        return bool(level == 2)

    assert waited(calls.everyday.remember("ann", "Tom lives in Lisbon"))
    assert not waited(calls.everyday.recall("ann", "Where does Tom live?"))
    assert waited(calls.everyday.remember("ann", "Tom has a dog"))
    portal.call(store.close)


def test_what_is_kept_of_a_vertex_is_made_anew_after_each_change(store: Store) -> None:
    def kept(graph: Graph, vertex: int) -> str:
        made: str = graph.get_vertex_by_id(vertex).keep(
            "name", lambda one: one.get_property("name")
        )
        return made

    made, graph = store.begin()
    vertex = graph.create_labelled("Thing", {"name": "a"}).get_id()
    assert kept(graph, vertex) == "a"
    graph.get_vertex_by_id(vertex).set_property("name", "b")
    assert kept(graph, vertex) == "b"
    store.commit(made)

    made, graph = store.begin()
    assert kept(graph, vertex) == "b"
    for name in ("c", "d"):
        graph.get_vertex_by_id(vertex).set_property("name", name)
        assert kept(graph, vertex) == name
    store.undo(made)

    made, graph = store.begin()
    assert kept(graph, vertex) == "b"
    store.undo(made)
    with closing(Store(store.path)) as other:
        made, graph = other.begin()
        graph.get_vertex_by_id(vertex).set_property("name", "e")
        other.commit(made)
    made, graph = store.begin()
    assert kept(graph, vertex) == "e"
    store.undo(made)
