"""No command, no file that one writes and no view of the page has anything of another user."""

import json
from zoneinfo import ZoneInfo

import pytest
from anyio.from_thread import start_blocking_portal
from command_line import run
from tests.view.asgi import PORT, TOKEN, Asked

from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.view.serving import build

MARKS = {"ann": "annish", "bob": "bobbish"}
# Each scope's commands make these; the names are the same.
SHARED = "everyish"
WORDS = "hazelnuts cellar"
READING = (
    ("recall", "Does Clara have hazelnuts in the cellar?"),
    ("about", "Clara"),
    ("concept", "recall", "hazelnuts"),
    ("concept", "recall", "hazelnut", "--json"),
    ("concept", "search", "--json"),
    ("concept", "search", "nou"),
    ("concept", "find", WORDS),
    ("memories", "list"),
    ("memories", "search", WORDS, "--json"),
    ("entities", "list"),
    ("entities", "show", "Clara"),
    ("stats",),
)


@pytest.fixture
def store(tmp_path, monkeypatch):
    path = tmp_path / "memory.db"
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDED", str(path))
    for user, mark in MARKS.items():
        be(monkeypatch, user, "own")
        told = f"Clara has {mark} hazelnuts in the {mark} cellar"
        about = ("--about", "Clara (sister)", "--about", "hazelnuts")
        made("remember", told, *about, "--said", told)
        bring(tmp_path, mark)
    be(monkeypatch, "ann", "shared")
    bring(tmp_path, SHARED)
    return path


def be(monkeypatch, user, concepts):
    monkeypatch.setenv("CONCEPT_GRAPH_USER", user)
    monkeypatch.setenv("CONCEPT_GRAPH_CONCEPTS", concepts)


def made(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


def bring(folder, mark):
    """Import relations and an observation, of files that know nothing of users."""
    edges, observed = folder / f"{mark}.tsv", folder / f"{mark}.jsonl"
    edges.write_text(f"hazelnuts\tevokes\t{mark} nougat\nhazelnuts\tis-a\tnut\n", encoding="utf-8")
    entity = {"type": "entity", "name": "hazelnuts", "entityType": "nut"}
    line = entity | {"observations": [f"The {mark} hazelnuts are in a cellar"]}
    observed.write_text(json.dumps(line) + "\n", encoding="utf-8")
    made("import", str(edges))
    made("import", str(observed))


@pytest.mark.slow
@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("user", "concepts", "mine"),
    [("ann", "own", {"annish"}), ("bob", "own", {"bobbish"}), ("eve", "shared", {SHARED})],
)
def test_no_command_prints_what_is_anothers(monkeypatch, user, concepts, mine):
    be(monkeypatch, user, concepts)
    met = set()
    for arguments in READING:
        said = run(*arguments).output
        found = {mark for mark in (*MARKS.values(), SHARED) if mark in said}
        assert found <= mine, f"{arguments}: {said}"
        met |= {" ".join(arguments[: 1 + (arguments[0] == "concept")])} if found else set()
    assert met >= {"recall", "concept recall", "concept search", "concept find"}
    assert "is called" in run("concept", "rename", "nowhere", "somewhere", "--yes").output
    # One user's correction changes nothing for the others.
    assert run("concept", "remove", "hazelnuts", "--yes").exit_code == 0
    assert "hazelnuts" not in run("concept", "recall", "nut", "--json").stdout.replace(
        '"hazelnuts"', ""
    )
    for other, whose, mark in (("ann", "own", "annish"), ("eve", "shared", SHARED)):
        if other != user:
            be(monkeypatch, other, whose)
            assert f"{mark} nougat" in run("concept", "recall", "hazelnuts").output


def test_an_export_says_whose_each_record_is_and_brings_it_back(store, monkeypatch, tmp_path):
    file = tmp_path / "all.jsonl"
    made("export", str(file))
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()[1:]]
    for record in (one for one in records if one["kind"] in ("concept", "episode", "relation")):
        text = json.dumps(record)
        for user, mark in MARKS.items():
            assert mark not in text or record["user_id"] == user
        assert SHARED not in text or "user_id" not in record
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDED", str(tmp_path / "again.db"))
    made("import", str(file))
    made("export", str(tmp_path / "again.jsonl"))
    again = (tmp_path / "again.jsonl").read_text(encoding="utf-8")
    assert sorted(again.splitlines()) == sorted(file.read_text(encoding="utf-8").splitlines())
    # Once more, for another user: what is whose is said by the file.
    be(monkeypatch, "bob", "own")
    assert "nodes created: 0" in run("import", str(file)).output


def test_no_view_of_the_page_shows_what_is_anothers(store):
    with start_blocking_portal() as portal:
        opened = EmbeddedStore(store)
        session = Session(opened, 86_400_000, ZoneInfo("UTC"), Clock(), user_id="ann")
        page = Asked(build(session, None, TOKEN, PORT), portal)
        answers = {
            "about": page.get("api/about"),
            **{name: page.get(f"api/{name}") for name in ("memories", "people", "learned")},
            "found": page.get("api/search", q=WORDS),
        }
        portal.call(opened.close)
    mine = MARKS["ann"]
    others = {*MARKS.values(), SHARED} - {mine}
    for name, answer in answers.items():
        assert answer.status == 200
        said = json.dumps(answer.content)
        assert not {mark for mark in others if mark in said}, f"{name}: {said}"
        assert mine in said or name == "about", f"{name}: {said}"


@pytest.mark.parametrize(
    ("toolsets", "said", "scope"),
    [
        *(("", "", "ann"), ("everyday", "", "ann"), ("concept,everyday", "", "ann")),
        *(("everyday", "shared", ""), ("concept", "own", "ann")),
    ],
)
def test_a_file_has_own_concepts_unless_told_otherwise(toolsets, said, scope):
    from concept_graph_mcp import settings

    environment = {"TZ": "UTC", "CONCEPT_GRAPH_USER": "ann", "CONCEPT_GRAPH_CONCEPTS": said}
    chosen = settings.read(environment, embedded="x.db", toolsets=toolsets)
    assert Session.of(None, chosen).concept_scope == scope
    with pytest.raises(settings.SettingsError, match="CONCEPT_GRAPH_CONCEPTS: must be one of"):
        settings.read(environment | {"CONCEPT_GRAPH_CONCEPTS": "mine"})
