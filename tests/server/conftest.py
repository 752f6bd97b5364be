"""A command line's surroundings: no settings but a zone, and a store of each kind."""

import pytest

from concept_graph_mcp.stores.embedded.host import Host


@pytest.fixture
def plain_environment(monkeypatch):
    for name in ("MEMGRAPH_URI", "MEMGRAPH_URL", "CONCEPT_GRAPH_EMBEDDED"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("COLUMNS", "160")


@pytest.fixture(params=["embedded", "memgraph"])
def there(request, plain_environment, tmp_path, monkeypatch) -> list[str]:
    """The options that name an empty store of each kind."""
    if request.param == "embedded":
        Host(tmp_path / "memory.db").close()
        return [f"--embedded={tmp_path / 'memory.db'}"]
    monkeypatch.setenv("MEMGRAPH_URI", request.getfixturevalue("empty_memgraph"))
    return []
