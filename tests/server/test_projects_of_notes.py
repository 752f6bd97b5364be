"""Two repositories in one store: the questions of one do not get the notes of the other."""

import json
from contextlib import ExitStack

import pytest
from command_line import ok
from server_processes import StdioServer

TOLD = {"api": "The deployment runs through make ship", "site": "The deployment runs through rsync"}
ASKED = "How does the deployment run?"


@pytest.fixture
def repositories(plain_environment, tmp_path, monkeypatch):
    """Return the folders of two repositories, in neither of which the test begins."""
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", "none")
    for name in TOLD:
        (tmp_path / name / ".git").mkdir(parents=True)
    return {name: tmp_path / name for name in TOLD}


@pytest.fixture(params=["stdio", "command line"])
def ask(request, repositories, tmp_path, monkeypatch):
    """Return a function that asks for a verb in a folder."""
    store = f"--embedded={tmp_path / 'memory.db'}"

    def by_command(folder, verb, given):
        monkeypatch.chdir(folder)
        text, *named = given.values()
        options = [f"--{name}={one}" for name, one in zip([*given][1:], named, strict=True)]
        return ok(store, verb, str(text), *options).stdout

    servers = {}

    def by_server(folder, verb, given):
        if folder not in servers:
            monkeypatch.chdir(folder)
            environment = {"CONCEPT_GRAPH_CLIENT": "codex"}
            started = StdioServer(store, "--toolsets=everyday", environment=environment)
            servers[folder] = open_.enter_context(started)
            started.initialize()
        return json.dumps(servers[folder].call(verb, **given))

    with ExitStack() as open_:
        yield by_server if request.param == "stdio" else by_command


@pytest.mark.slow
def test_a_repository_gets_its_own_notes_and_those_on_the_user(ask, repositories, tmp_path):
    for name, folder in repositories.items():
        ask(folder, "remember", {"text": TOLD[name], "said": f"{TOLD[name]}!"})
    mine = {"text": "My sister Clara is allergic to hazelnuts", "said": "My sister Clara is!"}
    ask(repositories["api"], "remember", mine)
    ask(repositories["api"], "remember", {"text": "Tests end in a minute", "keep": "always"})
    for name, folder in repositories.items():
        [other] = TOLD.keys() - {name}
        for verb, field in (("recall", "message"), ("search", "query")):
            found = ask(folder, verb, {field: ASKED})
            assert TOLD[name] in found, (name, verb)
            assert TOLD[other] not in found, (name, verb)
            assert TOLD[other] in ask(folder, verb, {field: ASKED, "project": "all"})
        assert "hazelnuts" in ask(folder, "search", {"query": "Clara's hazelnuts"})
        assert "Tests end" in ask(folder, "search", {"query": "When do tests end?"})
    nowhere = ask(tmp_path, "search", {"query": ASKED})
    # The command has no project there. An agent's folder is one, of which nothing was told.
    assert all(one in nowhere for one in TOLD.values()) is (ask.__name__ == "by_command")


@pytest.mark.slow
def test_what_is_told_in_two_repositories_is_of_both(ask, repositories):
    for folder in repositories.values():
        ask(folder, "remember", {"text": TOLD["api"], "said": TOLD["api"]})
    for folder in repositories.values():
        assert TOLD["api"] in ask(folder, "search", {"query": ASKED})
