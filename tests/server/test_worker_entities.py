"""The worker's jobs on entities, on both stores: silent sessions are ended, and the nights."""

import json
import math
import re
import time

import pytest
import scripted_model
from command_line import ok

DAY_MS = 86_400_000


def now_ms():
    return time.time_ns() // 1_000_000


def entity(key, user="mia", **given):
    row = {"kind": "entity", "id": key, "user_id": user, "node_type": "entity"}
    named = {"node_label": key, "canonical_name": key}
    return row | named | {"created_at": 0, "last_activated": now_ms()} | given


def tie(source, target, **given):
    row = {"kind": "tie", "from": source, "to": target, "type": "co_occurrence"}
    return row | {"weight": 0.4, "weight_at": now_ms() - 14 * DAY_MS} | given


class Owner:
    """An owner at the command line, on one store."""

    def __init__(self, store):
        self.store = store

    def brings(self, *rows):
        ok(*self.store, "import", "-", stdin="".join(json.dumps(row) + "\n" for row in rows))

    def once(self, *arguments):
        return ok(*self.store, "worker", "--once", *arguments).stdout

    def json(self, *arguments):
        [told] = json.loads(self.once(*arguments, "--json"))
        return told

    def records(self, kind):
        lines = ok(*self.store, "export", "-").stdout.splitlines()
        return [row for row in map(json.loads, lines) if row.get("kind") == kind]


@pytest.fixture
def owner(there, monkeypatch):
    monkeypatch.delenv("CONCEPT_GRAPH_DECAY_USERS", raising=False)
    return Owner(there)


@pytest.mark.slow
def test_the_daily_run_is_rehearsed_with_reasons_and_then_taken_for_everybody(owner):
    for user in ("mia", "bob"):
        owner.brings(*(entity(f"{user} {key}", user) for key in "abc"))
        owner.brings(tie(f"{user} a", f"{user} b"), tie(f"{user} b", f"{user} c", weight=0.2))
    before = owner.records("tie")
    told = owner.json("daily", "--dry-run")
    assert owner.records("tie") == before
    decays = [row for row in told["changes"] if "tau" in row["why"]]
    assert {row["user_id"] for row in decays} == {"mia", "bob"}
    assert any(re.search(r"14\.0\d days, tau 14", row["why"]) for row in decays)
    assert "mia a – mia b" in owner.once("daily", "--dry-run")
    counts = owner.json("daily", "--batch", "2")["counts"]
    assert (counts["decay"], counts["deactivate"]) == (4, 2)
    was = {(row["from"], row["to"]): row for row in before}
    for row in owner.records("tie"):
        old = was[row["from"], row["to"]]
        days = (row["weight_at"] - old["weight_at"]) / DAY_MS
        assert days >= 14
        assert row["weight"] == pytest.approx(old["weight"] * math.exp(-days / 14))
        assert row["is_active"] == (old["weight"] > 0.3)
    assert sorted(row["edge_count"] for row in owner.records("entity")) == [0, 0, 1, 1, 1, 1]


def test_right_after_a_daily_run_a_rehearsal_finds_nothing_to_change(owner):
    owner.brings(*(entity(key) for key in "abc"), tie("a", "b"), tie("b", "c"))
    owner.once("daily")
    told = owner.json("daily", "--dry-run")
    assert (told["changes"], told["counts"]["decay"]) == ([], 0)


def test_the_weekly_run_sets_aside_what_is_forgotten_and_names_communities(owner):
    owner.brings(entity("old", last_activated=now_ms() - 40 * DAY_MS), entity("new"))
    told = owner.json("weekly", "--dry-run")
    assert [row["text"] for row in told["changes"] if row["to"] == "inactive"] == ["old"]
    owner.once("weekly")
    active = {row["id"]: (row["is_active"], row["community"]) for row in owner.records("entity")}
    assert active == {"old": (False, "old"), "new": (True, "new")}


def test_only_the_users_who_are_named_are_looked_at(owner, monkeypatch):
    owner.brings(entity("a", last_activated=0), entity("b", "bob", last_activated=0))
    monkeypatch.setenv("CONCEPT_GRAPH_DECAY_USERS", "bob")
    owner.once("weekly")
    active = {row["id"]: row["is_active"] for row in owner.records("entity")}
    assert active == {"a": True, "b": False}


def test_conversations_that_fell_silent_are_ended(owner):
    session = {"kind": "session", "user_id": "mia", "started_at": 0}
    owner.brings(
        entity("a"),
        *(
            session | {"session_id": name, "last_mention_at": at}
            for name, at in (("silent", now_ms() - 2 * 3_600_000), ("lively", now_ms()))
        ),
    )
    [row] = owner.json("immediate", "--dry-run")["changes"]
    assert (row["text"], row["why"]) == ("silent", "nothing was said in it for an hour")
    assert owner.json("immediate")["counts"] == {"processed": 1}
    ended = {row["session_id"]: row.get("ended_at") for row in owner.records("session")}
    [silent] = [row for row in owner.records("session") if row["session_id"] == "silent"]
    # However late the worker comes, they ended when they had been silent for an hour.
    assert ended == {"silent": silent["last_mention_at"] + 3_600_000, "lively": None}
    assert owner.once("immediate") == "immediate: nothing to do\n"


def test_labels_get_vectors_from_the_worker_and_the_night_joins_what_is_alike(owner, monkeypatch):
    fresh = {"weight_at": now_ms(), "user_reinforcement_count": 1.0}
    owner.brings(entity("rose"), entity("roses"), tie("rose", "roses", **fresh))
    with scripted_model.serving() as model:
        monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", "openai:toy")
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_API_KEY", scripted_model.KEY)
        assert owner.once("embed") == "embed: processed 2, embedded 2\n"
    assert {len(row["embedding"]) for row in owner.records("entity")} == {3}
    owner.once("daily")
    assert [row["type"] for row in owner.records("tie")] == ["co_occurrence", "semantic"]
