"""The demo's half year on each host: what the agent gets with a message, and what it does not."""

from zoneinfo import ZoneInfo

import pytest
from tests.conftest import Memory

from concept_graph_mcp.commands import demo
from concept_graph_mcp.commands.common import Failure
from concept_graph_mcp.embedding import Later, multilingual
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock, Session
from conceptgraph_core.verbs import limits

# The message of each day -> words that its notes must have, and words that they must not.
EXPECTED = {
    "What could I cook for Theo on Saturday?": (["Theo (partner)", "risotto"], ["former"]),
    "I found a photo of Theo in a drawer.": (
        ["Theo (partner until 2026-05-08)", "“Theo and I broke up tonight.”"],
        ["Theo (partner)"],
    ),
    "I am baking for Leo this weekend.": (
        ["Leo (nephew)", "allergy: cashews", "“Leo is allergic to cashews, not walnuts”"],
        ["allergy: walnuts", "“Leo is allergic to walnuts”"],
    ),
    "I need a wedding present for Imogen.": (
        ["Imogen (friend)"],
        ["Ines"],
    ),
    "I miss singing.": (["Marguerite wrote: we sing Brahms"], ["Theo", "Leo"]),
    "Good morning! How are you?": ([], []),
}

# Only an embedding ranks these high enough for the few tokens of the demo.
BY_MEANING = {
    "I need a wedding present for Imogen.": "“Imogen told me she is engaged to Alasdair.",
    "I miss singing.": "“I sang it.",
}


@pytest.fixture(params=[None, "use-multilingual"], ids=["words", "meaning"])
def session(request, store):
    if request.param is not None and not multilingual.is_installed():
        pytest.skip("the model is not installed")
    embedding = Later(request.param) if request.param else None
    return Session(
        store, limits.DEFAULT_TAU_MS, ZoneInfo("UTC"), Clock(), "rosa", embedding=embedding
    )


@pytest.mark.slow
def test_the_notes_of_the_half_year_are_what_she_said(session, portal):
    async def collect() -> dict[str, str]:
        steps = demo.read_steps()
        return {step["shown"]: notes async for step, notes in demo.live(session, steps)}

    notes = portal.call(collect)
    assert list(notes) == list(EXPECTED)
    missing = [
        (one, m) for m, (there, _) in EXPECTED.items() for one in there if one not in notes[m]
    ]
    wrong = [(one, m) for m, (_, absent) in EXPECTED.items() for one in absent if one in notes[m]]
    assert (missing, wrong) == ([], [])
    if session.embedding is not None:
        assert [m for m, text in BY_MEANING.items() if text not in notes[m]] == []
    assert notes["Good morning! How are you?"] == ""


def test_her_half_year_is_in_the_order_of_time():
    times = [step["at"] for step in demo.read_steps()]
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {"DISPLAY": ":0", "CI": "true"}, False),
        ("linux", {"SSH_CONNECTION": "a 1 b 22"}, False),
        ("darwin", {}, True),
        ("darwin", {"SSH_CONNECTION": "a 1 b 22"}, False),
        ("win32", {}, True),
        ("win32", {"CI": "true"}, False),
    ],
)
def test_a_browser_opens_only_where_there_is_a_screen(platform, environment, expected):
    assert demo.has_screen(environment, platform) is expected


def test_a_demo_that_is_open_is_not_replaced_and_leaves_no_log(portal, tmp_path, monkeypatch):
    kept = tmp_path / "demo.db"
    monkeypatch.setattr(demo, "demo_path", lambda: kept)
    store = EmbeddedStore(kept)
    portal.call(store.open)
    Memory(store, portal).concept_upsert("apple")
    with pytest.raises(Failure, match=r"the last demo is still open; end its view with Ctrl-C"):
        demo._keep_last(lambda path: path.write_bytes(b""))
    assert kept.stat().st_size
    portal.call(store.close)
    # As after a power failure.
    kept.with_name("demo.db-wal").write_bytes(b"")
    demo._keep_last(lambda path: path.write_bytes(b""))
    assert {one.name for one in tmp_path.iterdir()} == {"demo.db", "demo.db-spare"}
    assert not kept.stat().st_size
