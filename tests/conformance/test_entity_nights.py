"""The daily run: edges fade and are switched off, alikes are joined, figures renewed."""

import math
import random
from itertools import pairwise

import pytest
from entity_layer import DAY_MS, entity
from expect import REFUSALS
from nights import daily, kept, node, tie, weekly

from concept_graph_mcp import calls
from conceptgraph_core.entities import schema

TAU = {"co_occurrence": 14, "semantic": 90, "temporal": 30, "causal": 60, "contradicts": 30}


@pytest.fixture
def one_of_each(entities):
    """An edge of every type between two entities, each of weight 0.5 as of now."""
    now = entities.memory.now_ms
    given = {"weight": 0.5, "weight_at": now}
    ties = [tie("a", "b", kind, **given) for kind in (*TAU, "same_as")]
    entities.memory.import_rows([node("a"), node("b"), *ties])
    return entities


def weights(entities):
    return {one["type"]: one["weight"] for one in entities.records("tie")}


def test_an_edge_fades_by_the_moving_average_of_its_type(one_of_each):
    one_of_each.days(3)
    daily(one_of_each, "decay")
    expected = {kind: 0.5 * math.exp(-3 / tau) for kind, tau in TAU.items()} | {"same_as": 0.5}
    assert weights(one_of_each) == pytest.approx(expected)


def test_a_weight_read_between_two_nights_is_that_of_now(one_of_each):
    entities = one_of_each
    expected = {kind: 0.5 * math.exp(-3 / tau) for kind, tau in TAU.items()} | {"same_as": 0.5}
    entities.days(3)
    assert weights(entities) == dict.fromkeys(expected, 0.5)
    for _ in range(2):
        edges = entities.get("a")["edges"]
        assert {one["type"]: one["weight"] for one in edges} == pytest.approx(expected)
        # The strongest as of now come first, whatever was stored when.
        assert [one["weight"] for one in edges] == sorted(expected.values(), reverse=True)
        told = entities.run(calls.entities.explain(None, "a", "b", "causal"))
        stored, days = (0.5, 3) if entities.records("tie")[0]["weight"] == 0.5 else (0.4756, 0)
        assert f"Its weight is 0.4756 = {stored:.4f} · e^(−{days:.2f} days / 60)." in str(told)
        daily(entities, "decay")


def test_fading_twice_is_fading_once_and_in_steps_as_at_once(one_of_each):
    for days in (1, 0, 0.25, 1.75, 0):
        one_of_each.days(days)
        daily(one_of_each, "decay")
    assert weights(one_of_each)["causal"] == pytest.approx(0.5 * math.exp(-3 / 60))
    before = kept(one_of_each)
    assert daily(one_of_each, "decay") == []
    assert kept(one_of_each) == before


def test_what_a_hand_joined_to_something_of_its_own_is_left_alone(entities, hands):
    now = entities.memory.now_ms
    entities.memory.import_rows([node("a"), node("b"), tie("a", "b", weight=0.5, weight_at=now)])
    rows = entities.run(calls.entities.connections())
    [ours] = [row["node"] for row in rows if row["entity_id"] == "a"]
    bob = hands.node("Person", name="Bob")
    for kind in ("CO_OCCURRENCE", "SEMANTIC"):
        hands.edge(ours, bob, kind)
        hands.edge(bob, ours, kind)
    entities.days(3)
    daily(entities)
    weekly(entities)
    _, edges = hands.everything()
    assert [set(one) for one in edges if bob in (one["from"], one["to"])] == [
        {"type", "from", "to"}
    ] * 4
    [a] = [one for one in entities.records("entity") if one["id"] == "a"]
    [ab] = entities.records("tie")
    assert (a["edge_count"], a["centrality_score"]) == (1, pytest.approx(ab["weight"]))


def test_what_a_killed_run_did_is_not_done_again(entities):
    now = entities.memory.now_ms
    keys = [f"e{number}" for number in range(7)]
    edges = [tie(one, other, weight=0.4, weight_at=now) for one, other in pairwise(keys)]
    entities.memory.import_rows([*(node(key) for key in keys), *edges])
    entities.days(2)
    daily(entities, "decay", limit=2, batches=2)
    faded = [one["weight"] for one in entities.records("tie")]
    assert len(set(faded)) == 2
    daily(entities, "decay", limit=3)
    again = [one["weight"] for one in entities.records("tie")]
    assert again == pytest.approx([0.4 * math.exp(-2 / 14)] * 6)


def mentioned(entities, days):
    """Mention two together in a session of its own at each of *days*, with a night every day.

    Return what their edge is in the night after the last.
    """
    for day in range(max(days) + 1):
        if day in days:
            entities.observe("Max and rain", "Max", "rain", session=f"day {day}")
            entities.end(f"day {day}")
        entities.days(0.5)
        daily(entities, "decay")
        daily(entities, "deactivate")
        entities.days(0.5)
    [edge] = entities.ties("co_occurrence")
    return edge


@pytest.mark.slow
@pytest.mark.parametrize(
    ("days", "weight"),
    [
        (range(30), 0.88),
        (range(0, 182, 7), 0.96),
        (range(0, 182, 14), 0.96),
        ((0,), 0.29),
        # As much as after one time constant: rare mentions weigh less than frequent ones.
        ((0, 60), 0.61),
    ],
    ids=["daily", "weekly", "fortnightly", "once", "rarely"],
)
def test_what_is_mentioned_again_and_again_grows_whatever_the_nights_do(entities, days, weight):
    edge = mentioned(entities, days)
    assert edge["weight"] == pytest.approx(weight, abs=0.006)
    assert edge["is_active"]


@pytest.mark.slow
def test_after_sixty_idle_days_nothing_is_on_and_a_night_costs_nothing_more(entities):
    mentioned(entities, range(0, 182, 7))
    entities.days(60)
    daily(entities)
    weekly(entities)
    [edge] = entities.ties("co_occurrence")
    assert edge["is_active"] is False
    before = kept(entities)
    for _ in range(3):
        entities.days(1)
        for step in schema.DAILY:
            [row] = entities.run(calls.entities.daily(step))
            assert row["changed"] == 0
    assert kept(entities) == before


def test_a_night_changes_only_what_still_moves(entities):
    now = entities.memory.now_ms
    weights = [0.09, 0.0, 0.05, 0.5, 0.2, 0.099]
    rows = [node(f"e{number}") for number in range(len(weights) + 1)]
    rows += [
        tie(f"e{number}", f"e{number + 1}", weight=weight, weight_at=now, is_active=weight > 0.1)
        for number, weight in enumerate(weights)
    ]
    entities.memory.import_rows(rows)
    entities.days(1)
    [row] = entities.run(calls.entities.daily("decay"))
    assert row["changed"] == 2
    moved = [one for one in entities.records("tie") if one["weight_at"] != now]
    assert sorted(one["weight"] for one in moved) == pytest.approx(
        [0.2 * math.exp(-1 / 14), 0.5 * math.exp(-1 / 14)]
    )


def test_an_edge_that_says_no_time_of_its_weight_is_reinforced_by_the_time_since_it_was(entities):
    """Its weight is as of when it is first seen; the clock of reinforcement is its own."""
    ago = entities.memory.now_ms - 7 * DAY_MS
    entities.observe("Max and rain", "Max", "rain")
    one, other = (entities.record(label)["id"] for label in ("Max", "rain"))
    edge = tie(one, other, weight=0.4, last_activated=ago, created_at=ago)
    entities.memory.import_rows([edge])
    entities.end()
    [edge] = entities.ties("co_occurrence")
    assert edge["weight"] == pytest.approx(0.4 + 1 - math.exp(-7 / 14))
    assert (edge["weight_at"], edge["last_activated"]) == (entities.memory.now_ms,) * 2


def test_what_has_faded_is_switched_off_and_counted_no_more(entities):
    entities.observe("Max and rain", "Max", "rain")
    entities.end()
    entities.days(15)
    daily(entities, "decay")
    assert daily(entities, "deactivate") == []
    entities.days(2)
    daily(entities, "decay")
    [row] = daily(entities, "deactivate")
    assert (row["from"], row["to"], row["type"]) == ("active", "inactive", "co_occurrence")
    assert row["why"].startswith("its weight 0.08")
    assert row["why"].endswith("is below 0.1")
    [edge] = entities.ties("co_occurrence")
    assert edge["is_active"] is False
    assert {one["edge_count"] for one in entities.records("entity")} == {0}
    assert daily(entities, "deactivate") == daily(entities, "edge_count") == []
    entities.observe("Max and rain", "Max", "rain", session="later")
    entities.end("later")
    assert entities.ties("co_occurrence")[0]["is_active"]
    assert {one["edge_count"] for one in entities.records("entity")} == {1}


def test_a_doubt_about_who_is_who_never_fades(entities):
    now = entities.memory.now_ms
    doubt = tie("a", "b", "same_as", weight=0.01, weight_at=now, confidence=0.01)
    entities.memory.import_rows([node("a"), node("b"), doubt])
    entities.days(1_000)
    daily(entities)
    [edge] = entities.ties("same_as")
    assert (edge["weight"], edge["is_active"]) == (0.01, True)


def test_the_number_of_edges_is_counted_again(entities):
    now = entities.memory.now_ms
    rows = [node("a", edge_count=7), node("b"), node("c", edge_count=1)]
    rows += [tie("a", "b", weight_at=now), tie("a", "c", is_active=False, weight_at=now)]
    rows += [tie("a", "b", "contradicts", weight_at=now), tie("c", "a", "causal", weight_at=now)]
    entities.memory.import_rows(rows)
    changes = daily(entities, "edge_count")
    assert {(row["text"], row["from"], row["to"]) for row in changes} == {
        ("a", "7", "2"),
        ("b", "0", "1"),
    }
    assert [entities.record(key)["edge_count"] for key in "abc"] == [2, 1, 1]


def test_centrality_is_what_the_active_connections_weigh(entities):
    now = entities.memory.now_ms
    rows = [node(key) for key in "abcd"]
    rows += [tie("a", "b", weight=0.5, weight_at=now), tie("c", "a", weight=0.25, weight_at=now)]
    rows += [tie("a", "d", weight=0.09, weight_at=now)]
    rows += [tie("a", "d", "causal", weight=0.9, weight_at=now, is_active=False)]
    entities.memory.import_rows(rows)
    daily(entities, "centrality")
    scores = {one["id"]: one["centrality_score"] for one in entities.records("entity")}
    assert scores == {"a": 0.75, "b": 0.5, "c": 0.25, "d": 0.0}


def vector(angle):
    return [math.cos(angle), math.sin(angle)]


def pair(entities, near, speaker="user", types=("entity", "entity"), session="s"):
    """Observe two that are alike by *near*, each in a message of its own."""
    for label, type_, angle in zip(("one", "two"), types, (0.0, math.acos(near)), strict=True):
        said = {"label": label, "type": type_, "embedding": vector(angle)}
        entities.observe(f"{label} is here", said, session=session, speaker=speaker)


def test_alikes_of_a_type_that_the_user_mentioned_together_are_joined(entities):
    pair(entities, 0.9)
    entities.end()
    [row] = daily(entities, "semantic")
    assert row["why"] == "alike by 0.90, and mentioned together"
    [edge] = entities.ties("semantic")
    assert edge["weight"] == pytest.approx(0.45)
    assert (edge["origin"], edge["evidence"]) == ("inferred", row["why"])
    assert {one["edge_count"] for one in entities.records("entity")} == {2}
    assert daily(entities, "semantic") == []


@pytest.mark.parametrize(
    "lacking",
    [
        {"near": 0.84},
        {"near": 0.9, "types": ("entity", "topic")},
        {"near": 0.9, "speaker": "model"},
    ],
    ids=["likeness", "type", "a user's mention"],
)
def test_without_one_of_the_conditions_nothing_is_joined(entities, lacking):
    pair(entities, **lacking)
    entities.end()
    assert daily(entities, "semantic") == []
    assert entities.ties("semantic") == []


def test_what_never_was_in_one_session_is_not_joined_however_alike(entities):
    for label in ("my boss", "my manager"):
        entities.observe(label, {**entity(label), "embedding": vector(0)}, session=label)
        entities.end(label)
    assert daily(entities, "semantic") == []


def test_no_entity_gets_more_than_five_semantic_edges(entities):
    labels = [f"thing {number}" for number in range(9)]
    for number, label in enumerate(labels):
        said = {"label": label, "type": "topic", "embedding": vector(number / 100)}
        entities.observe(label, said)
    entities.end()
    would = daily(entities, "semantic", dry_run=True)
    daily(entities, "semantic", limit=2)
    degrees = dict.fromkeys((one["id"] for one in entities.records("entity")), 0)
    for edge in entities.ties("semantic"):
        degrees[edge["from"]] += 1
        degrees[edge["to"]] += 1
    assert max(degrees.values()) == 5
    assert len(entities.ties("co_occurrence")) == 36
    assert len(would) == len(entities.ties("semantic"))


def test_without_embeddings_none_are_made_and_the_figures_say_so(entities):
    entities.observe("Max and Maxi", "Max", "Maxi")
    entities.end()
    assert daily(entities, "semantic") == []
    notes = {row["measure"]: row["note"] for row in entities.run(calls.entities.stats())}
    assert notes["semantic"] == "none are made by likeness: no entity has an embedding"


def test_contradictions_are_told_and_left(entities):
    max_ = entities.one("Max", "Max")["entity_id"]
    for value in ("3 May", "4 May"):
        entities.run(calls.entities.fact(max_, "birthday", value))
    said = [{"from": "early", "to": "late", "type": "contradicts", "span": "not late"}]
    entities.observe("early, not late", "early", "late", relations=said)
    before = kept(entities)
    told = daily(entities, "contradictions")
    assert {(row["text"], row["from"], row["to"]) for row in told} == {
        ("Max", "birthday: 3 May (model)", "birthday: 4 May (model)"),
        ("early", "early", "late"),
    }
    assert {row["why"] for row in told} == {schema.BOTH_BELIEVED, "“not late”"}
    assert daily(entities, "contradictions") == told
    assert kept(entities) == before


def lived(entities):
    """Live a little, so that every step has something to do."""
    now = entities.memory.now_ms
    rows = [node(f"e{number:02}", embedding=vector(number / 50)) for number in range(12)]
    for number in range(12):
        other = f"e{(number + 1) % 12:02}"
        rows.append(
            tie(f"e{number:02}", other, weight=0.2, weight_at=now, user_reinforcement_count=1.0)
        )
    entities.memory.import_rows(rows)
    max_ = entities.one("Max", "Max")["entity_id"]
    for value in ("3 May", "4 May"):
        entities.run(calls.entities.fact(max_, "birthday", value))
    entities.days(12)


@pytest.mark.parametrize("step", schema.DAILY)
def test_a_dry_run_changes_nothing_and_tells_what_and_why(entities, step):
    lived(entities)
    if step == "deactivate":
        daily(entities, "decay")
    before = kept(entities)
    told = daily(entities, step, dry_run=True, limit=5)
    assert kept(entities) == before
    assert told
    assert all(row["why"] and row["entity_id"] and row["text"] for row in told)


def test_alikes_are_joined_as_of_when_they_were_mentioned_together_last(entities):
    pair(entities, 0.9)
    entities.end()
    then = entities.memory.now_ms
    entities.days(45)
    [row] = daily(entities, "semantic")
    [edge] = entities.ties("semantic")
    assert edge["weight"] == pytest.approx(0.45 * math.exp(-45 / 90))
    assert (edge["weight_at"], edge["last_activated"]) == (entities.memory.now_ms, then)
    assert row["to"] == f"{edge['weight']:.4f}"


def test_alikes_of_an_old_history_are_not_joined_anew(entities):
    pair(entities, 0.9)
    entities.end()
    entities.days(200)
    assert daily(entities, "semantic") == []


def test_a_run_gone_on_with_in_other_batches_is_the_same(entities):
    lived(entities)
    for step in schema.DAILY:
        daily(entities, step, limit=3, batches=2)
        daily(entities, step, limit=5)
    once = kept(entities)
    assert daily(entities) == daily(entities, "contradictions")
    assert kept(entities) == once


def test_the_nights_of_another_user_are_not_ours(entities):
    lived(entities)
    entities.observe("Max and rain", "Max", "rain", user="bob")
    [row] = entities.run(calls.entities.next_scope())
    assert row == {"user_id": "bob"}
    before = [one for one in kept(entities) if one.get("user_id") != "bob"]
    for step in schema.DAILY:
        daily(entities, step, user="bob")
    assert [one for one in kept(entities) if one.get("user_id") != "bob"] == before
    assert entities.run(calls.entities.next_scope("bob")) == [{"user_id": "default"}]
    assert entities.run(calls.entities.next_scope("default")) == []


def test_what_is_no_step_is_refused(entities):
    with pytest.raises(REFUSALS, match="step: must be one of decay, semantic"):
        daily(entities, "merge")
    with pytest.raises(REFUSALS, match="limit: "):
        daily(entities, "decay", limit=0)


def test_sessions_that_fell_silent_are_named_until_they_are_ended(entities):
    hour = 3_600_000

    def silent():
        call = calls.entities.silent_sessions()
        return [row["session_id"] for row in entities.run(call)]

    entities.one("Max", "Max", session="early")
    entities.memory.now_ms += hour - 1
    entities.one("Max", "Max", session="late")
    assert silent() == []
    entities.memory.now_ms += 1
    assert silent() == ["early"]
    entities.memory.now_ms += hour
    assert silent() == ["early", "late"]
    entities.end("early")
    assert silent() == ["late"]
    entities.one("Rex", "Rex", session="early")
    entities.memory.now_ms += hour
    assert silent() == ["late", "early"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_random_weeks_of_edges_are_those_of_a_plain_model(entities, seed):
    """Sessions and nights in any order: weights, counts and what is active."""
    chance = random.Random(seed)
    labels = ["Max", "rain", "shoe", "vet", "park"]
    known: dict[frozenset, dict] = {}
    for step in range(25):
        entities.days(chance.choice((0.5, 1, 1, 6)))
        now = entities.memory.now_ms
        if chance.random() < 0.5:
            said = chance.sample(labels, 2)
            entities.observe(" and ".join(said), *said, session=f"s{step}")
            entities.end(f"s{step}")
            edge = known.get(frozenset(said))
            if edge is None:
                made = {"weight": 0.3, "at": now, "since": now, "active": True}
                known[frozenset(said)] = made
            else:
                left = math.exp(-(now - edge["at"]) / DAY_MS / 14)
                idle = min((now - edge["since"]) / DAY_MS / 14, 1)
                weight = min(edge["weight"] * left + 1 - math.exp(-idle), 1)
                edge |= {"weight": weight, "at": now, "since": now, "active": True}
        else:
            daily(entities, limit=chance.choice((None, 2)))
            for edge in known.values():
                if edge["weight"] >= 0.1:
                    edge["weight"] *= math.exp(-(now - edge["at"]) / DAY_MS / 14)
                    edge["at"] = now
                edge["active"] = edge["active"] and edge["weight"] >= 0.1
    names = {one["id"]: one["node_label"] for one in entities.records("entity")}
    stored = {
        frozenset((names[one["from"]], names[one["to"]])): one
        for one in entities.ties("co_occurrence")
    }
    assert stored.keys() == known.keys()
    for ends, edge in known.items():
        assert stored[ends]["weight"] == pytest.approx(edge["weight"], abs=1e-12)
        assert stored[ends]["is_active"] == edge["active"]
    degrees = {
        label: sum(label in ends and edge["active"] for ends, edge in known.items())
        for label in names.values()
    }
    assert {one["node_label"]: one["edge_count"] for one in entities.records("entity")} == degrees
