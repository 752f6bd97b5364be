"""The weekly run: who may be one, what is set aside, what belongs together; nothing is lost."""

import math
import random
from collections import defaultdict

import pytest
from entity_layer import entity
from expect import REFUSALS
from nights import daily, kept, node, tie, weekly

from concept_graph_mcp import calls
from conceptgraph_core.entities import schema
from conceptgraph_core.entities.consolidation.propagation import Propagation


def twins(entities, one="Anna Smith", other="Anna Smyth", session="s", **more):
    """Mention two that are alike by name, one after the other; the second is ambiguous."""
    first = entities.one(f"{one} came", {**entity(one), **more}, session=session)
    second = entities.one(f"{other} left", other, session=session)
    return [first["entity_id"], second["entity_id"]]


def test_what_meets_all_conditions_is_merged_by_the_system_and_can_be_taken_back(entities):
    older, younger = twins(entities)
    entities.end()
    before = kept(entities)
    [row] = weekly(entities, "merge", dry_run=True)
    assert kept(entities) == before
    assert weekly(entities, "merge") == [row]
    assert (row["entity_id"], row["other_id"]) == (younger, older)
    assert (row["from"], row["to"]) == ("ambiguous", "merged into Anna Smith")
    assert row["why"] == ("alike by 0.90, of one type, mentioned together, and nothing conflicts")
    [entry] = entities.records("merge")
    assert (entry["created_by"], entry["merge_reason"]) == ("system", row["why"])
    assert entry["merge_confidence"] == pytest.approx(0.9)
    assert entities.get(younger)["labels"] == ["Anna Smith", "Anna Smyth"]
    assert weekly(entities, "merge") == []
    entities.unmerge(entry["id"])
    # What was taken back is not done again.
    assert weekly(entities, "merge") == []


def test_what_never_was_in_one_session_stays_ambiguous(entities):
    entities.one("Anna Smith", "Anna Smith", session="a")
    entities.one("Anna Smyth", "Anna Smyth", session="b")
    for session in "ab":
        entities.end(session)
    assert weekly(entities, "merge") == []
    assert entities.record("Anna Smyth")["identity_status"] == "ambiguous"


def test_what_is_less_alike_than_085_stays_ambiguous(entities):
    twins(entities, "my boss", "my bosses dog")
    entities.end()
    assert entities.record("my bosses dog")["identity_status"] == "ambiguous"
    assert weekly(entities, "merge") == []


def test_whose_facts_conflict_stay_ambiguous(entities):
    ends = twins(entities)
    entities.end()
    for one, day in zip(ends, ("3 May", "4 May"), strict=True):
        entities.run(calls.entities.fact(one, "birthday", day))
    assert weekly(entities, "merge") == []


@pytest.mark.parametrize(
    "given",
    [
        {"node_type": "topic"},
        {"entity_kind": "city"},
        {"valid_from": -9, "valid_until": 0},
    ],
    ids=["type", "kind", "time"],
)
def test_another_type_kind_or_time_leaves_them_ambiguous(entities, given):
    rows = [node("a", node_label="Anna", entity_kind="person", valid_from=5)]
    rows += [node("b", node_label="Anna", identity_status="ambiguous", **given)]
    rows += [tie("a", "b", "same_as", confidence=0.99), tie("a", "b")]
    entities.memory.import_rows(rows)
    assert weekly(entities, "merge") == []


@pytest.mark.slow
def test_5_boss_and_manager_stay_two_however_alike_and_often_together(entities):
    boss = {**entity("my boss"), "kind": "person", "embedding": [1.0, 0.0]}
    manager = {**entity("my manager"), "embedding": [0.97, math.sqrt(1 - 0.97**2)]}
    for number in range(10):
        for said in (boss, manager):
            entities.observe(f"{said['label']} came", said, session=f"s{number}")
        entities.end(f"s{number}")
        entities.days(7)
        daily(entities)
        weekly(entities)
    assert entities.records("merge") == []
    ends = [entities.record(label)["id"] for label in ("my boss", "my manager")]
    told = entities.run(calls.entities.explain(ends[1]))
    assert any("their names are alike by 0." in row["text"] for row in told)


@pytest.mark.parametrize(
    ("one", "other"), [("chapter 11", "chapter 12"), ("2025-06-15", "2025-06-16")]
)
def test_what_has_other_numbers_in_its_name_is_another(entities, one, other):
    twins(entities, one, other)
    entities.end()
    assert entities.record(other)["identity_status"] != "ambiguous"
    assert entities.ties("same_as") == []
    # Not even where somebody thinks so.
    ends = [entities.record(label)["id"] for label in (one, other)]
    assert entities.link(*ends)[0] == "candidate"
    assert weekly(entities, "merge") == []
    told = entities.run(calls.entities.explain(ends[1]))
    assert any("their names have different numbers" in row["text"] for row in told)


def test_a_dry_run_tells_once_of_two_that_are_both_in_doubt(entities):
    twins(entities)
    entities.one("Anna Smithh waved", "Anna Smithh", session="s")
    twins(entities, "Discovery Zone", "Discovery Zones", session="t")
    entities.one("The discovery-zone is near", "discovery-zone", session="t")
    for session in ("s", "t"):
        entities.end(session)
    told = weekly(entities, "merge", dry_run=True)
    pairs = [(row["entity_id"], row["other_id"]) for row in told]
    assert len(pairs) == len(set(pairs))
    assert len(pairs) >= len(weekly(entities, "merge")) > 2


def test_whom_one_message_names_side_by_side_are_two(entities):
    twins(entities)
    entities.observe("Anna Smith and Anna Smyth are here", "Anna Smith", "Anna Smyth")
    entities.end()
    assert weekly(entities, "merge") == []
    told = entities.run(calls.entities.explain(entities.record("Anna Smyth")["id"]))
    assert any("not merged, for one message names both" in row["text"] for row in told)


@pytest.mark.parametrize(
    ("one", "other"), [("create", "creative"), ("Vice Monitor", "Vice Monitor WBS")]
)
def test_what_has_other_words_in_its_name_stays_ambiguous_however_alike(entities, one, other):
    twins(entities, one, other)
    entities.end()
    [tie] = entities.ties("same_as")
    assert tie["confidence"] >= 0.85
    assert weekly(entities, "merge") == []
    told = entities.run(calls.entities.explain(entities.record(other)["id"]))
    assert any("their names have different words" in row["text"] for row in told)


@pytest.mark.slow
def test_1_a_year_of_nights_makes_no_hub_of_what_is_mentioned_everywhere(entities):
    """What is in every session is joined with what was there, fades, and swallows nothing."""
    chance = random.Random(1)
    for _ in range(12):
        for _ in range(2):
            session = f"s{chance.random()}"
            labels = ["work", *chance.sample([f"thing {number}" for number in range(60)], 4)]
            entities.observe("; ".join(labels), *labels, session=session)
            entities.end(session)
        entities.days(30)
        daily(entities)
        weekly(entities)
    assert entities.records("merge") == []
    degrees = {one["node_label"]: one["edge_count"] for one in entities.records("entity")}
    # All that was mentioned with it has faded; none of it is gone.
    assert max(degrees.values()) == 0
    assert len(entities.ties("co_occurrence")) > 60
    scores = {one["centrality_score"] for one in entities.records("entity")}
    assert scores == {0.0}


def test_a_claim_of_certainty_does_not_move_the_analysis(entities):
    ends = twins(entities, "my boss", "my manager")
    entities.end()
    for _ in range(5):
        entities.link(*ends, confidence=1.0)
    assert weekly(entities, "merge") == []
    assert entities.records("merge") == []


def test_three_alikes_are_not_merged_through_one_that_conflicts(entities):
    """No chain: each is held against all that the other was merged with."""
    called = ("Anna Smith", "Anna Smyth", "Anna Smithe")
    first, _, third = (entities.one(f"{name} came", name)["entity_id"] for name in called)
    entities.end()
    for one, day in ((first, "3 May"), (third, "4 May")):
        entities.run(calls.entities.fact(one, "birthday", day))
    weekly(entities, "merge")
    labels = entities.get(first)["labels"]
    assert not {"Anna Smith", "Anna Smithe"} <= {*labels}
    assert entities.get(first)["conflicts"] == []


FORGOTTEN = {
    "edge_count": 1,
    "user_mention_count": 1,
    "emotional_intensity": 0.29,
    "last_activated": -31,
}


@pytest.mark.parametrize(
    "saved",
    [
        {"edge_count": 2},
        {"user_mention_count": 2},
        {"emotional_intensity": 0.3},
        {"last_activated": -30},
    ],
    ids=lambda saved: next(iter(saved)),
)
def test_only_what_meets_all_criteria_is_set_aside_and_nothing_is_removed(entities, saved):
    day = 86_400_000
    rows = []
    for key, given in (("forgotten", {}), ("saved", saved)):
        made = {**FORGOTTEN, **given}
        made["last_activated"] = entities.memory.now_ms + made["last_activated"] * day
        rows.append(node(key, **made))
    entities.memory.import_rows(rows)
    before = {one["id"]: one for one in entities.records("entity")}
    [told] = weekly(entities, "prune", dry_run=True)
    [row] = weekly(entities, "prune")
    assert row == told
    assert (row["text"], row["to"]) == ("forgotten", "inactive")
    assert row["why"] == (
        "1 edges, 1 mentions by the user, intensity 0.29, 31 days since its last activation"
    )
    after = {one["id"]: one for one in entities.records("entity")}
    assert after["forgotten"] == {**before["forgotten"], "is_active": False}
    assert after["saved"] == before["saved"]
    assert weekly(entities, "prune") == []


@pytest.mark.slow
def test_a_single_mention_with_feeling_is_kept_for_years(entities):
    entities.one("Dad died", {"label": "Dad", "type": "entity", "valence": -0.9})
    entities.one("a bus came", "bus")
    entities.one("so sad", {"label": "bus ride", "type": "event", "valence": -1}, speaker="model")
    for _ in range(40):
        entities.days(20)
        daily(entities)
        weekly(entities)
    assert entities.record("Dad")["is_active"]
    assert not entities.record("bus")["is_active"]
    # What a model makes of a feeling protects nothing.
    assert not entities.record("bus ride")["is_active"]
    entities.one("the bus again", "bus", session="later")
    assert entities.record("bus")["is_active"]


def test_what_was_merged_is_forgotten_as_one_or_not_at_all(entities):
    one, other = twins(entities)
    entities.merge(other, one)
    entities.days(40)
    assert weekly(entities, "prune") == []
    lonely = entities.one("Rex", "Rex")["entity_id"]
    entities.days(40)
    assert [row["entity_id"] for row in weekly(entities, "prune")] == [lonely]


def test_old_mentions_are_marked_and_stay(entities):
    entities.one("Max", "Max", session="early")
    entities.days(91)
    entities.one("Max", "Max", session="late")
    [row] = weekly(entities, "archive")
    assert row["why"] == "91 days old"
    archived = {one["session_id"]: one["archived"] for one in entities.records("mention")}
    assert archived == {"early": True, "late": False}
    assert weekly(entities, "archive") == []
    shown = entities.get(row["entity_id"])["mentions"]
    assert {one["session_id"]: one["archived"] for one in shown} == archived


def test_a_mention_is_shown_with_the_words_that_it_rests_on(entities):
    said = {**entity("Max"), "span": "walked Max"}
    row = entities.observe("I walked Max today", said)["entities"][0]
    [shown] = entities.get(row["entity_id"])["mentions"]
    assert (shown["span"], shown["archived"]) == ("walked Max", False)


def cliques(entities, *groups, bridge=True):
    now = entities.memory.now_ms
    rows = [node(key) for group in groups for key in group]
    for group in groups:
        for number, one in enumerate(group):
            rows += [tie(one, other, weight=0.5, weight_at=now) for other in group[:number]]
    if bridge:
        ends = [group[-1] for group in groups]
        rows.append(tie(*ends, weight=0.3, weight_at=now))
    entities.memory.import_rows(rows)


def communities(entities):
    return {one["id"]: one.get("community") for one in entities.records("entity")}


def test_what_hangs_together_is_one_community(entities):
    cliques(entities, "abcd", "wxyz")
    entities.memory.import_rows([node("lonely")])
    told = weekly(entities, "communities", dry_run=True)
    weekly(entities, "communities")
    found = communities(entities)
    assert len({found[key] for key in "abcd"}) == len({found[key] for key in "wxyz"}) == 1
    assert found["a"] != found["z"]
    assert found["lonely"] == "lonely"
    assert {row["entity_id"]: row["to"] for row in told} == found
    drafts = {one.get("community_draft") for one in entities.records("entity")}
    assert drafts == {None}


def test_takes_the_smaller_of_labels_that_weigh_alike(entities):
    now = entities.memory.now_ms
    rows = [node(key) for key in "abc"]
    rows += [tie("b", end, weight=0.4, weight_at=now) for end in "ac"]
    entities.memory.import_rows(rows)
    weekly(entities, "communities")
    assert set(communities(entities).values()) == {"b"}


def test_edges_that_are_switched_off_join_no_community(entities):
    rows = [node("a"), node("b"), tie("a", "b", weight=0.9, is_active=False)]
    entities.memory.import_rows(rows)
    weekly(entities, "communities")
    assert communities(entities) == {"a": "a", "b": "b"}


def plain_communities(edges, keys):
    """Return the communities by a second implementation of label propagation."""
    labels = {key: key for key in keys}
    for _ in range(10):
        moved = False
        for key in sorted(keys):
            votes = defaultdict(list)
            for one, other, weight in edges:
                if key in (one, other):
                    votes[labels[other if key == one else one]].append(weight)
            if not votes:
                continue
            best = max(round(math.fsum(given), 9) for given in votes.values())
            chosen = min(k for k, given in votes.items() if round(math.fsum(given), 9) == best)
            moved |= chosen != labels[key]
            labels[key] = chosen
        if not moved:
            break
    return labels


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_communities_are_those_of_a_plain_model_whatever_the_batches(entities, seed):
    chance = random.Random(seed)
    keys = [f"e{number:02}" for number in range(24)]
    edges = [
        (one, other, chance.choice((0.2, 0.4, 0.8)))
        for number, one in enumerate(keys)
        for other in keys[:number]
        if chance.random() < 0.12
    ]
    now = entities.memory.now_ms
    ties = [tie(one, other, weight=weight, weight_at=now) for one, other, weight in edges]
    entities.memory.import_rows([*(node(key) for key in keys), *ties])
    expected = plain_communities(edges, keys)
    told = weekly(entities, "communities", dry_run=True)
    assert {row["entity_id"]: row["to"] for row in told} == expected
    weekly(entities, "communities")
    assert communities(entities) == expected
    for limit in (None, 24, 5):
        found = Propagation()
        after = None
        while rows := entities.run(calls.entities.connections(after, limit)):
            found.add(rows)
            after = rows[-1]["entity_id"]
        while found.take_pass():
            pass
        assert list(found.changes()) == []


def test_pressure_on_what_is_crowded_is_that_of_the_seed_and_lasts(entities):
    now = entities.memory.now_ms
    rows = [node("hub", edge_count=25), *(node(f"e{number:02}") for number in range(25))]
    rows += [tie("hub", f"e{number:02}", weight=0.4, weight_at=now) for number in range(25)]
    entities.memory.import_rows(rows)
    daily(entities, "edge_count")
    daily(entities, "centrality")
    assert entities.record("hub")["centrality_score"] == pytest.approx(10.0)
    [row] = weekly(entities, "pressure")
    factor = 1 - math.log(25) / 10
    assert row["why"] == f"25 edges: times {factor:.3f}"
    for _ in range(2):
        assert entities.record("hub")["centrality_score"] == pytest.approx(10 * factor)
        assert entities.record("e00")["centrality_score"] == pytest.approx(0.4)
        daily(entities, "centrality")
        assert weekly(entities, "pressure") == []


@pytest.mark.parametrize("step", schema.WEEKLY)
def test_a_dry_run_changes_nothing_and_tells_what_and_why(entities, step):
    crowd(entities)
    before = kept(entities)
    told = weekly(entities, step, dry_run=True, limit=4)
    assert kept(entities) == before
    assert told
    assert all(row["why"] and row["entity_id"] and row["text"] for row in told)


def crowd(entities):
    """Live a little, so that every step has something to do."""
    twins(entities)
    entities.end()
    entities.one("a bus", "bus", session="alone")
    entities.days(100)
    now = entities.memory.now_ms
    rows = [node(f"e{number:02}", edge_count=21, last_activated=now) for number in range(3)]
    entities.memory.import_rows(rows)


def test_a_week_taken_twice_or_gone_on_with_is_a_week(entities):
    crowd(entities)
    for step in schema.WEEKLY:
        weekly(entities, step, limit=2, batches=1)
        weekly(entities, step, limit=3)
    once = kept(entities)
    assert weekly(entities) == []
    assert kept(entities) == once


def test_a_step_that_is_taken_in_one_call_is_not_gone_on_with(entities):
    call = calls.entities.weekly("communities", "nonsense")
    with pytest.raises(REFUSALS, match="after: must be null, for this step is taken in one call"):
        entities.run(call)
