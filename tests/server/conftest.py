"""A command line's surroundings: no settings but a zone, and a store of each kind."""

import pytest
from shell import Shell
from tests.columns import set_columns

from concept_graph_mcp.settings import STORE_VARIABLES


@pytest.fixture
def plain_environment(monkeypatch):
    for name in (*STORE_VARIABLES, "CONCEPT_GRAPH_CONCEPTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TZ", "UTC")
    set_columns(monkeypatch, 160)


@pytest.fixture(params=["embedded", "memgraph"])
def there(request, plain_environment, tmp_path, monkeypatch) -> list[str]:
    """The options that name an empty store of each kind, whose concepts all users share."""
    monkeypatch.setenv("CONCEPT_GRAPH_CONCEPTS", "shared")
    if request.param == "embedded":
        request.getfixturevalue("make_empty")(tmp_path / "memory.db")
        return [f"--embedded={tmp_path / 'memory.db'}"]
    monkeypatch.setenv("MEMGRAPH_URI", request.getfixturevalue("empty_memgraph"))
    return []


@pytest.fixture
def shell(there, tmp_path) -> Shell:
    """The command line on a store of each kind that holds a small graph."""
    made = Shell(there, tmp_path / "backups")
    made.fill()
    return made
