"""CONCEPT_GRAPH_REDACT: what agents store has no secrets, and the answer says what is left out."""

import pytest
from command_line import ok
from talking import talking

from concept_graph_mcp import Memory

TOKEN = "ghp_" + "Ab1Cd2Ef3G" * 3 + "Hi4Jk5"
TEXT = f"The token for the bakery's site is {TOKEN}"
LEFT = "The token for the bakery's site is [secret: GitHub Token]"
TOLD = "stored, with these secrets hidden: GitHub Token: {}"


def redacting(store, portal, redacts=True):
    toolsets = ("everyday", "memory", "concept", "entity")
    return talking(portal, store, *toolsets, concepts="own", redacts=redacts)


@pytest.fixture
def call(store, portal):
    with redacting(store, portal) as call:
        yield call


def remembered(call):
    made = call.done("remember", text=TEXT, said=f"Keep this: {TOKEN}", about=["bakery"])
    return made, call.done("memory_node_get", memory_id=made["id"])


def test_remember_leaves_secrets_out_and_says_so(call):
    made, kept = remembered(call)
    assert made["advice"] == TOLD.format(2)
    assert kept["content"] == LEFT


def test_by_default_a_text_is_stored_as_it_is(store, portal):
    with redacting(store, portal, redacts=False) as call:
        made, kept = remembered(call)
    assert "advice" not in made
    assert kept["content"] == TEXT


@pytest.mark.slow
def test_every_tool_that_stores_a_text_leaves_secrets_out(call):
    answers = [
        call.done("memory_node_create", content=TEXT, metadata={"how": [f"by {TOKEN}"]}),
        call.done("episode_add", summary=TEXT, concepts=["bakery"]),
        call.done(
            "entity_observe",
            session_id="s",
            message_id="m",
            speaker="user",
            text=f"Rosa has {TOKEN}",
            observations=[{"label": "Rosa", "type": "entity", "span": f"Rosa has {TOKEN}"}],
        ),
    ]
    rosa = answers[2]["entities"][0]["entity_id"]
    answers.append(
        call.done("entity_fact", entity_id=rosa, predicate="token", value=TOKEN, text=TEXT)
    )
    first = answers[0]["memory_id"]
    answers.append(call.done("memory_node_update", memory_id=first, summary=TEXT))
    whole = call.done("memory_node_get", memory_id=first)
    found = call.done("episode_search", query="bakery")
    stored = [whole, found, call.done("entity_get", entity_id=rosa)]
    assert [one["advice"] for one in answers] == [TOLD.format(n) for n in (2, 1, 2, 2, 1)]
    assert TOKEN not in str(stored)
    assert stored[0]["summary"] == stored[0]["content"] == LEFT


def test_the_command_takes_the_setting(there, monkeypatch):
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", "none")
    monkeypatch.setenv("CONCEPT_GRAPH_REDACT", "on")
    assert TOLD.format(1) in ok(*there, "remember", TEXT).stderr
    assert TOKEN not in ok(*there, "export", "-").stdout
    monkeypatch.setenv("CONCEPT_GRAPH_REDACT", "off")
    ok(*there, "remember", TEXT)
    assert TOKEN in ok(*there, "export", "-").stdout


def test_a_program_takes_the_setting_or_its_own(tmp_path, monkeypatch):
    def kept(name, **options):
        with Memory.open(tmp_path / name, embeddings="none", **options) as memory:
            made = memory.remember(TEXT)
            [found] = memory.search("bakery")["found"]
        return made.get("advice"), found["text"]

    monkeypatch.delenv("CONCEPT_GRAPH_REDACT", raising=False)
    assert kept("plain.db") == (None, TEXT)
    assert kept("own.db", redact=True) == (TOLD.format(1), LEFT)
    monkeypatch.setenv("CONCEPT_GRAPH_REDACT", "on")
    assert kept("set.db") == (TOLD.format(1), LEFT)
    assert kept("not.db", redact=False) == (None, TEXT)
