"""What a night's rehearsal tells is what the night then does; and an import lives its nights."""

import math
import random

import pytest
from entity_layer import DAY_MS, entity
from nights import daily, kept, node, tie, weekly

from concept_graph_mcp import calls, settings
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.worker import fading as jobs
from concept_graph_mcp.worker.lease_runner import LeaseRunner

CONFIGURED = settings.read({"TZ": "UTC"})
LABELS = ("Anna Smith", "Anna Smyth", "Anna Smythe", "Max", "rain", "vet", "chapter 1", "shoes")


def vector(angle):
    return [math.cos(angle), math.sin(angle)]


def lived(entities, seed):
    """Live some months by chance: doubts, likenesses, facts, feelings, and some nights."""
    chance = random.Random(seed)
    angles = {label: chance.random() for label in LABELS}
    for number in range(12):
        session = f"s{number}"
        for label in chance.sample(LABELS, 4):
            said = {**entity(label), "embedding": vector(angles[label])}
            speaker = chance.choice(("user", "user", "model"))
            entities.observe(f"{label} came", said, session=session, speaker=speaker)
        entities.end(session)
        entities.days(chance.choice((1, 3, 8)))
        if chance.random() < 0.3:
            daily(entities)
    for _ in range(2):
        one = chance.choice(entities.records("entity"))["id"]
        entities.run(calls.entities.fact(one, "home", chance.choice(("Rome", "Oslo"))))
    # What nothing counted, as an import may bring it; the ends of it are in different batches.
    now = entities.memory.now_ms
    rows = [node(f"n{number}") for number in range(5)]
    weights = [chance.choice((0.3, 0.2, 0.12)) for _ in range(4)]
    rows += [tie(f"n{n}", f"n{n + 1}", weight=w, weight_at=now) for n, w in enumerate(weights)]
    rows += [tie("n4", "n0", weight=0.11, weight_at=now)]
    entities.memory.import_rows(rows)
    entities.days(chance.choice((3, 12, 40, 100)))


def worker(entities, batch):
    session = Session.of(entities.memory.store, CONFIGURED, Clock(entities.memory.now_ms))
    return LeaseRunner(session, CONFIGURED, batch, holder="one")


@pytest.mark.slow
@pytest.mark.parametrize("batch", [2, 500])
@pytest.mark.parametrize("seed", range(4))
def test_a_rehearsal_tells_what_the_run_then_does(entities, portal, seed, batch):
    lived(entities, seed)
    for job in (jobs.DAILY, jobs.WEEKLY, jobs.DAILY):
        before = {one["id"]: one for one in entities.records("entity")}
        all_before = kept(entities)
        rehearsed = portal.call(worker(entities, batch).rehearse, job)
        assert kept(entities) == all_before
        done = portal.call(worker(entities, batch).run, job)
        assert rehearsed.counts == done.counts
        after = {one["id"]: one for one in entities.records("entity")}
        told = {(row["entity_id"], row["to"]) for row in rehearsed.changes}
        for key, now in after.items():
            was = before[key]
            if now["is_active"] != was["is_active"]:
                assert (key, "inactive") in told
            if now.get("community") != was.get("community"):
                assert (key, now["community"]) in told
            if abs(now["centrality_score"] - was["centrality_score"]) > 1e-9:
                assert (key, f"{now['centrality_score']:.4f}") in told
            if now["identity_status"] != was["identity_status"]:
                merged = after[now["canonical_node_id"]]["node_label"]
                assert (key, f"merged into {merged}") in told
        again = portal.call(worker(entities, batch).run, job)
        assert not {name for name, count in again.counts.items() if count} - {
            *("processed", "contradictions")
        }


def test_nights_are_rehearsed_of_one_user_after_the_other(entities, portal):
    for user in ("ann", "bob"):
        entities.observe("Max and rain", "Max", "rain", user=user)
        entities.end(user=user)
    entities.days(30)
    rehearsed = portal.call(worker(entities, 500).rehearse, jobs.DAILY)
    assert rehearsed.counts == {
        **{"processed": 24, "decay": 2, "semantic": 0, "centrality": 0},
        **{"deactivate": 2, "edge_count": 0, "contradictions": 0},
    }
    off = [row for row in rehearsed.changes if row["to"] == "inactive"]
    assert [row["user_id"] for row in off] == ["ann", "bob"]


def told(chance):
    """Return sessions of two months: (day, labels) by chance, some labels in most of them."""
    labels = [f"thing {number}" for number in range(40)]
    return [
        (day, ["work", *chance.sample(labels, 8)]) for day in sorted(chance.sample(range(60), 20))
    ]


def history(entities, user, sessions, nights):
    begun = entities.memory.now_ms
    for day in range(61):
        entities.memory.now_ms = begun + day * DAY_MS
        if nights or day == 60:
            daily(entities, user=user)
            if day % 7 == 4:
                weekly(entities, user=user)
        for number, (when, said) in enumerate(sessions):
            if when == day:
                entities.observe("; ".join(said), *said, session=f"{number}", user=user)
                entities.end(f"{number}", user=user)
    entities.memory.now_ms = begun


def figures(entities, user):
    mine = {one["id"]: one for one in entities.records("entity") if one["user_id"] == user}
    shown = {
        one["node_label"]: {
            "edges": one["edge_count"],
            "by_user": one["user_edge_count"],
            "centrality": round(one["centrality_score"], 9),
            "status": one["identity_status"],
            "is_active": one["is_active"],
        }
        for one in mine.values()
    }
    ties = {
        frozenset(mine[one[end]]["node_label"] for end in ("from", "to")): (
            one["is_active"],
            round(one["weight"], 9) if one["is_active"] else None,
            round(one["user_reinforcement_count"], 9),
        )
        for one in entities.ties("co_occurrence")
        if one["from"] in mine
    }
    return shown, ties


@pytest.mark.slow
def test_a_history_that_is_imported_is_what_its_nights_would_have_made_of_it(entities):
    """Weights, trust, what is active and crowded: the first night after it settles all of it."""
    sessions = told(random.Random(7))
    history(entities, "lived", sessions, nights=True)
    history(entities, "imported", sessions, nights=False)
    lived_figures, imported = figures(entities, "lived"), figures(entities, "imported")
    assert imported == lived_figures
    assert {one["is_active"] for one in imported[0].values()} == {True, False}
    assert max(one["by_user"] for one in imported[0].values()) > 20


def test_nothing_that_the_user_mentioned_in_two_sessions_goes_in_the_first_night(entities):
    for number, label in enumerate(("Max", "Max", "rain", "echo", "echo")):
        speaker = "model" if label == "echo" else "user"
        entities.observe(label, label, session=f"s{number}", speaker=speaker)
        entities.end(f"s{number}")
    entities.days(400)
    daily(entities)
    weekly(entities)
    active = {one["node_label"]: one["is_active"] for one in entities.records("entity")}
    assert active == {"Max": True, "rain": False, "echo": False}
    assert entities.search("rain")[0]["label"] == "rain"
