"""The seven anti-patterns of seed 004: each a test that would fail if somebody built it in."""

import math
import random

import pytest
from entity_layer import entity

from conceptgraph_core.entities.schema import MAX_PAIRED


@pytest.mark.slow
def test_1_no_black_hole_however_much_is_mentioned(entities):
    """What shares no session gets no edge, and no session makes more than its thirty."""
    chance = random.Random(4)
    met: dict[str, set[str]] = {}
    for session in range(12):
        labels = ["work", *chance.sample([f"thing {number}" for number in range(400)], 45)]
        for start in range(0, len(labels), 23):
            part = labels[start : start + 23]
            entities.observe("; ".join(part), *part, session=f"s{session}")
        entities.end(f"s{session}")
        for label in labels:
            met.setdefault(label, set()).update(labels)
    names = {record["id"]: record["node_label"] for record in entities.records("entity")}
    degrees = dict.fromkeys(names, 0)
    for tie in entities.ties("co_occurrence"):
        assert names[tie["to"]] in met[names[tie["from"]]]
        for end in (tie["from"], tie["to"]):
            degrees[end] += 1
    assert max(degrees.values()) <= 12 * (MAX_PAIRED - 1)
    assert len(entities.ties("co_occurrence")) <= 12 * MAX_PAIRED * (MAX_PAIRED - 1) // 2
    assert {record["edge_count"] for record in entities.records("entity")} == set(degrees.values())


def test_2_what_is_central_is_no_candidate_for_that(entities):
    for number in range(12):
        entities.observe(f"late {number}", f"late {number}")
    asked = {**entity("maxine"), "kind": "person"}
    entities.observe("maxime", "maxime")
    hub = {
        "kind": "entity",
        "id": "hub",
        "user_id": "default",
        "node_type": "entity",
        "node_label": "mexine",
        "canonical_name": "mexine",
        "valid_from": 0,
        "edge_count": 10_000,
        "centrality_score": 1e9,
        "last_activated": 0,
    }
    entities.memory.import_rows([hub])
    row = entities.one("maxine", asked)
    assert [candidate["label"] for candidate in row["candidates"]] == ["maxime"]


def test_3_a_model_that_is_sure_merges_nothing(entities):
    rows = entities.observe("Anna Smith, Anna Smyth", "Anna Smith", "Anna Smyth")["entities"]
    entities.end()
    ends = [row["entity_id"] for row in rows]
    for _ in range(3):
        assert entities.link(*ends, confidence=1.0, origin="model")[0] == "candidate"
    claim = {**entity("Anna"), "same_as": ends[0], "rationale": "certainly"}
    entities.one("Anna", claim)
    assert entities.records("merge") == []
    assert len(entities.records("entity")) == 3


def test_4_what_was_learnt_while_merged_goes_with_whom_it_was_said_of(entities):
    """Besides the random sequences: nothing that is observed in between is lost or mixed up."""
    rows = entities.observe("Max and Luna", "Max", "Luna")["entities"]
    max_, luna = (row["entity_id"] for row in rows)
    merge_id = entities.merge(luna, max_)
    entities.one("Luna barks", {**entity("Luna"), "valence": 0.9}, session="later")
    entities.unmerge(merge_id)
    assert entities.get(luna)["trust_parts"]["user_mentions"] == 2
    assert entities.get(max_)["trust_parts"]["user_mentions"] == 1
    assert entities.record("Max")["emotional_intensity"] == 0.0


def test_5_boss_and_manager_stay_two_at_a_similarity_of_097(entities):
    boss = {**entity("my boss"), "kind": "person", "embedding": [1.0, 0.0]}
    manager = {
        **entity("my manager"),
        "kind": "person",
        "embedding": [0.97, math.sqrt(1 - 0.97**2)],
    }
    rows = entities.observe("my boss and my manager", boss, manager)["entities"]
    assert rows[0]["entity_id"] != rows[1]["entity_id"]
    [candidate] = rows[1]["candidates"]
    assert candidate["confidence"] == pytest.approx(0.97)
    assert rows[1]["identity_status"] == "ambiguous"
    assert entities.records("merge") == []


def test_6_every_edge_shows_its_axes_and_none_moves_another(entities):
    for session in ("a", "b"):
        entities.observe("Max and rain", "Max", "rain", session=session)
        entities.end(session)
    whole = entities.get(entities.record("Max")["id"])
    [edge] = whole["edges"]
    assert (edge["strength"], edge["trust"], edge["recency"]) == (0.75, 2 / 3, 1.0)
    assert edge["weight"] == 0.3
    entities.days(14)
    [later] = entities.get(entities.record("Max")["id"])["edges"]
    # Time alone: recency falls, and the weight fades, each by its own clock.
    faded = {"recency": pytest.approx(1 / math.e), "weight": pytest.approx(0.3 / math.e)}
    assert later == {**edge, **faded}
    entities.observe("Max and rain", "Max", "rain", session="c", speaker="model")
    entities.end("c")
    [echoed] = entities.get(entities.record("Max")["id"])["edges"]
    assert echoed["strength"] == pytest.approx(1 - 0.5**2.1)
    assert echoed["trust"] == pytest.approx(2 / 4)
    assert echoed["weight"] == pytest.approx(1 - 0.7 / math.e)


@pytest.mark.slow
def test_7_a_models_echo_is_never_promoted_and_comes_last(entities):
    entities.one("I met Phoebe", "Phoebe", session="first")
    for session in range(25):
        for _ in range(4):
            text = "Project Phoenix and Phoebe"
            entities.observe(text, "Project Phoenix", session=f"s{session}", speaker="model")
        assert entities.end(f"s{session}")["promoted"] == []
        entities.days(1)
    assert entities.record("Project Phoenix")["identity_status"] == "provisional"
    found = entities.search("p")
    assert entities.search("project phoenix")[0]["inferred"]
    assert [row["label"] for row in found] == ["Phoebe", "Project Phoenix"]
    whole = entities.get(entities.record("Project Phoenix")["id"])
    assert (whole["inferred"], whole["origin"]) == (True, "model")
    assert not entities.get(entities.record("Phoebe")["id"])["inferred"]
