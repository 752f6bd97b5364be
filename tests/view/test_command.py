"""`concept-graph-mcp view` as a person starts and ends it."""

import http.client
import json
import shutil
import socket
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from tests.view.browsing import Viewer

from concept_graph_mcp import calls
from concept_graph_mcp.__main__ import main


def ask(address: str, path: str) -> object:
    """Return the JSON that the viewer at *address* answers with."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    try:
        connection.request("GET", parts.path + path)
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def run(*arguments: str):
    return CliRunner().invoke(main, list(arguments), env={"TZ": "UTC"})


@pytest.fixture
def there(memory, store) -> tuple[list[str], dict[str, str]]:
    """The options and variables that name a store of each kind, with something in it."""
    memory.relation_add("apple", "fruit", "is-a")
    if store.location.startswith("bolt"):
        return [], {"MEMGRAPH_URI": store.location}
    return [f"--embedded={store.location}"], {}


@pytest.mark.slow
def test_it_serves_either_store_until_it_is_interrupted(there, memory):
    options, variables = there
    seen = [{"label": "Zeus", "type": "entity"}]
    [row] = memory.run(calls.entities.observe("s", "1", "user", "Zeus barks", seen))
    before = memory.records()
    shared = {**variables, "CONCEPT_GRAPH_CONCEPTS": "shared"}
    with Viewer(*options, "view", "zeus", **shared) as viewer:
        about = ask(viewer.address(), "api/about")
        assert about["first"] == row["entities"][0]["entity_id"]
        assert viewer.interrupt() == 0
    assert memory.records() == before


@pytest.mark.slow
def test_it_may_be_interrupted_as_soon_as_it_says_where_it_is(lived_file):
    with Viewer(f"--embedded={lived_file}", "view") as viewer:
        viewer.address()
        assert viewer.interrupt() == 0


@pytest.mark.slow
def test_every_start_has_an_address_of_its_own_on_this_machine_only(lived_file):
    options = f"--embedded={lived_file}", "view"
    with Viewer(*options) as one, Viewer(*options) as other:
        parts = [urlsplit(viewer.address()) for viewer in (one, other)]
    assert {part.hostname for part in parts} == {"127.0.0.1"}
    tokens = {part.path.strip("/") for part in parts}
    assert len(tokens) == 2
    assert all(len(token) >= 32 for token in tokens)


def test_the_browser_is_opened_at_the_address(lived_file, monkeypatch):
    import signal
    import webbrowser

    opened = []

    def look(address: str) -> bool:
        opened.append(ask(address, "api/about"))
        signal.raise_signal(signal.SIGINT)
        return True

    monkeypatch.setattr(webbrowser, "open", look)
    result = run(f"--embedded={lived_file}", "view", "--at", "1970-04-17T23:00")
    assert result.exit_code == 0, result.output
    assert [about["today"] for about in opened] == ["1970-04-17"]


def test_a_name_that_nothing_has_is_a_failure(lived_file):
    result = run(f"--embedded={lived_file}", "view", "nothing at all")
    assert result.exit_code == 1
    assert result.stderr == (
        "concept-graph-mcp: nobody is called 'nothing at all';"
        " concept-graph-mcp search finds what there is\n"
    )


@pytest.mark.parametrize(
    ("time", "said"),
    [
        ("yesterday", "--at: not a time in ISO 8601: 'yesterday'"),
        ("1969-12-31T00:00Z", "--at: must be a time from 1970 to 9999, not 1969-12-31T00:00Z"),
    ],
)
def test_a_time_that_is_none_is_a_failure(lived_file, time, said):
    result = run(f"--embedded={lived_file}", "view", "--at", time)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"concept-graph-mcp: {said}")


def test_a_port_that_is_taken_is_a_failure(lived_file):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run(f"--embedded={lived_file}", "view", "--port", str(port), "--no-open")
    assert result.exit_code == 1
    # The file's concepts, which were shared, may have become its user's just before.
    said = f"concept-graph-mcp: cannot listen on port {port}: Address already in use"
    assert result.stderr.splitlines()[-1] == said


@pytest.mark.slow
def test_before_the_first_write_it_shows_the_demo(lived_file, tmp_path):
    folder = tmp_path / "concept-graph-mcp"
    folder.mkdir()
    shutil.copy(lived_file, folder / "demo.db")
    with Viewer("view", XDG_DATA_HOME=str(tmp_path), MEMGRAPH_URI="") as viewer:
        assert "demo.db" in ask(viewer.address(), "api/about")["location"]
        assert viewer.interrupt() == 0
    assert not (folder / "memory.db").exists()
