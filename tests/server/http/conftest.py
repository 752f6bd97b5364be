"""A server over HTTP on each store, with a file of tokens."""

from collections.abc import Iterator

import pytest
from http_running import Running, running

from concept_graph_mcp.hosts.lazy import connect
from concept_graph_mcp.hosts.store import Store
from concept_graph_mcp.http.tokens import Tokens
from concept_graph_mcp.settings import read


@pytest.fixture
def tokens(tmp_path) -> Tokens:
    made = Tokens(tmp_path / "tokens.db")
    made.add("nobody", (), None)
    return made


@pytest.fixture
def embedded(tmp_path) -> Store:
    """A store file, opened by the server."""
    return connect(read({"TZ": "UTC"}, str(tmp_path / "memory.db")), creates=True)


@pytest.fixture(params=["embedded", "memgraph"])
def each_store(request, tmp_path) -> Store:
    """An empty store of each kind, opened by the server."""
    if request.param == "embedded":
        return request.getfixturevalue("embedded")
    uri = request.getfixturevalue("empty_memgraph")
    return connect(read({"TZ": "UTC", "MEMGRAPH_URI": uri}))


@pytest.fixture
def served(embedded, tokens) -> Iterator[Running]:
    """A server on a store file."""
    with running(embedded, tokens) as server:
        yield server


@pytest.fixture
def served_each(each_store, tokens) -> Iterator[Running]:
    """A server on each kind of store."""
    with running(each_store, tokens) as server:
        yield server
