"""The end of a session: what was mentioned in it belongs together, and counts once."""

import math
from dataclasses import astuple

import pytest
from entity_layer import entity
from expect import REFUSALS
from nights import daily, node, tie, weekly

from concept_graph_mcp import calls
from conceptgraph_core.entities.inputs import Given
from conceptgraph_core.entities.schema import DAILY


def event(label):
    return {"label": label, "type": "event"}


def test_what_was_mentioned_in_a_session_is_joined_whichever_message_it_was_in(entities):
    entities.observe("Max", "Max")
    entities.observe("my shoe", "shoe")
    entities.observe("rain", "rain", session="other")
    assert entities.end() == {
        "entities": 2,
        "edges_created": 1,
        "edges_reinforced": 0,
        "promoted": [],
        "activated_causal": [],
    }
    [tie] = entities.ties("co_occurrence")
    assert {tie["from"], tie["to"]} == {entities.record(name)["id"] for name in ("Max", "shoe")}
    assert (tie["weight"], tie["origin"]) == (0.3, "cooccurrence")
    assert (tie["user_reinforcement_count"], tie["model_reinforcement_count"]) == (1.0, 0.0)
    assert [entities.record(name)["edge_count"] for name in ("Max", "shoe", "rain")] == [1, 1, 0]


def test_the_older_of_two_is_where_an_edge_without_direction_begins(entities):
    entities.observe("rain", "rain")
    entities.days(1)
    entities.observe("Max in the rain", "Max", "rain")
    entities.end()
    [tie] = entities.ties("co_occurrence")
    assert tie["from"] == entities.record("rain")["id"]


def test_what_a_session_of_a_hand_lacks_is_nobody_elses(entities, hands):
    for name in ("one", "two"):
        hands.node("Session", session_id=name, user_id="default")
        entities.observe("the flood and the trial", event("flood"), event("trial"), session=name)
    assert entities.end("one")["edges_created"] == 2
    assert entities.end("two")["edges_reinforced"] == 2


def test_what_an_edge_of_a_hand_has_that_is_no_such_thing_it_lacks(entities, hands):
    ends = [
        hands.node("Entity", id=name, user_id="default", node_label=name, canonical_name=name)
        for name in ("ann", "ben")
    ]
    odd = {"weight": "much", "weight_at": "then", "last_activated": [1], "is_active": "yes"}
    hands.edge(*ends, "CO_OCCURRENCE", **odd, sessions=5, user_reinforcement_count=2)
    [edge] = entities.get("ann")["edges"]
    assert (edge["weight"], edge["is_active"], edge["recency"]) == (0.5, True, 0.0)
    assert edge["strength"] == 0.75
    for step in DAILY:
        given = [step, None, 500, False]
        entities.memory.procedure("entitygraph.consolidate_daily", given, ("changed",))
    [edge] = entities.get("ann")["edges"]
    assert edge["weight"] == 0.5


def test_a_session_ends_whatever_stands_in_an_id_or_a_hand_has_noted_in_it(entities, hands):
    for name, id_ in (("rain", "1\tr"), ("flood", "2\tf\t3")):
        named = {"node_label": name, "canonical_name": name}
        hands.node("Entity", id=id_, user_id="default", node_type="event", **named)
    cause = {"from": "rain", "to": "flood", "type": "causal"}
    feelings = zip("abc", (0.5, -0.5, 0.5), strict=True)
    for name, valence in feelings:
        noted = ["CAUSAL", "nothing", "", "CAUSAL\tx\ty\tuser"]
        hands.node("Session", session_id=name, user_id="default", relations=noted)
        observed = {**event("rain"), "valence": valence}
        entities.observe("rain, flood", observed, event("flood"), session=name, relations=[cause])
        ended = entities.end(name)
    assert ended["activated_causal"] == [{"from": "1\tr", "to": "2\tf\t3"}]


@pytest.mark.parametrize("odd", [{}, {"weight_at": "then"}])
def test_an_edge_of_a_hand_that_says_no_time_weighs_from_when_it_is_first_seen(
    entities, hands, odd
):
    ends = [
        hands.node("Entity", id=name, user_id="default", node_label=name, canonical_name=name)
        for name in ("ann", "ben")
    ]
    for edge_type in ("CO_OCCURRENCE", "CAUSAL"):
        hands.edge(*ends, edge_type, weight=0.4, is_active=True, sessions=["before"], **odd)
    why = {"from": "ann", "to": "ben", "type": "causal"}
    entities.observe("ann and ben", "ann", "ben", relations=[why])
    assert entities.end()["edges_reinforced"] == 1
    assert {edge["type"]: edge["weight"] for edge in entities.get("ann")["edges"]} == {
        "co_occurrence": 0.4,
        "causal": 0.4,
    }
    entities.days(7)
    entities.observe("ann and ben", "ann", "ben", session="later", relations=[why])
    entities.end("later")
    weights = {edge["type"]: edge["weight"] for edge in entities.get("ann")["edges"]}
    assert weights["co_occurrence"] == pytest.approx(1 - 0.6 * math.exp(-7 / 14), abs=1e-4)
    assert weights["causal"] == pytest.approx(1 - 0.6 * math.exp(-7 / 60), abs=1e-4)


def test_what_is_told_of_an_edge_of_a_hand_is_as_of_now(entities, hands):
    ends = [
        hands.node("Entity", id=name, user_id="default", node_label=name, canonical_name=name)
        for name in ("ann", "ben")
    ]
    hands.edge(*ends, "CO_OCCURRENCE", weight=0.4)
    rows = entities.run(calls.entities.explain(None, "ann", "ben", "co_occurrence"))
    parts = [part for row in rows for part in row["parts"]]
    assert "Its weight is 0.4000 = 0.4000 · e^(−0.00 days / 14)." in parts
    [record] = entities.ties("co_occurrence")
    assert "weight_at" not in record


def test_an_edge_that_was_reinforced_less_than_never_is_refused(entities):
    entities.observe("Max and Anna", "Max", "Anna")
    entities.end()
    [tie] = entities.ties("co_occurrence")
    for count in (-1, -1e300):
        with pytest.raises(REFUSALS, match="user_reinforcement_count: must be between 0 and 1e"):
            entities.memory.import_rows([tie | {"user_reinforcement_count": count}])


def test_a_session_that_ends_again_counts_only_what_is_new(entities):
    entities.observe("Max and my shoe", "Max", "shoe")
    entities.end()
    before = entities.ties("co_occurrence")
    assert entities.end()["edges_reinforced"] == 0
    assert entities.ties("co_occurrence") == before
    entities.observe("rain", "rain")
    ended = entities.end()
    assert (ended["edges_created"], ended["edges_reinforced"]) == (2, 0)
    assert before[0] in entities.ties("co_occurrence")


def test_another_session_reinforces_by_the_moving_average(entities):
    entities.observe("Max and my shoe", "Max", "shoe", session="a")
    entities.end("a")
    entities.days(7)
    entities.observe("Max and my shoe", "Max", "shoe", session="b")
    assert entities.end("b")["edges_reinforced"] == 1
    [tie] = entities.ties("co_occurrence")
    # From 0.3 towards 1 by seven days of fourteen.
    assert tie["weight"] == pytest.approx(1 - 0.7 * math.exp(-0.5))
    assert (tie["user_reinforcement_count"], tie["distinct_session_count"]) == (2.0, 2)


def test_what_only_the_model_mentioned_is_joined_as_inferred(entities):
    entities.observe("Max", "Max")
    entities.observe("Perhaps boredom", "boredom", speaker="model")
    entities.end()
    [tie] = entities.ties("co_occurrence")
    assert tie["origin"] == "inferred"
    assert (tie["user_reinforcement_count"], tie["model_reinforcement_count"]) == (0.0, 1.0)
    entities.observe("boredom it is", "boredom")
    ended = entities.end()
    assert (ended["edges_created"], ended["edges_reinforced"]) == (0, 0)
    [tie] = entities.ties("co_occurrence")
    assert tie["origin"] == "cooccurrence"
    assert (tie["user_reinforcement_count"], tie["model_reinforcement_count"]) == (1.0, 0.0)


@pytest.mark.slow
def test_at_most_thirty_are_joined_and_the_users_come_first(entities):
    echoes = [f"echo {number}" for number in range(20)]
    said = [f"word {number}" for number in range(25)]
    entities.observe("; ".join(echoes), *echoes, speaker="model")
    entities.observe("; ".join(said), *said)
    assert entities.end()["edges_created"] == 30 * 29 // 2
    joined = {end for tie in entities.ties("co_occurrence") for end in (tie["from"], tie["to"])}
    assert len(joined) == 30
    assert {entities.record(label)["id"] for label in said} <= joined


def test_what_is_mentioned_in_two_sessions_is_promoted_by_the_user_alone(entities):
    for session in ("a", "b"):
        entities.observe("Max", "Max", "echo", session=session)
        ended = entities.end(session)
    assert [row["label"] for row in ended["promoted"]] == ["Max"]
    assert ended["promoted"][0]["reason"] == "the user mentioned it in 2 sessions"
    assert entities.record("Max")["identity_status"] == "distinct"
    assert entities.record("echo")["identity_status"] == "provisional"


def test_many_mentions_in_one_session_promote_nothing(entities):
    for _ in range(9):
        entities.observe("Max", "Max")
    assert entities.end()["promoted"] == []


def test_what_is_felt_strongly_is_promoted_at_once(entities):
    entities.observe("dad died", {"label": "dad died", "type": "event", "valence": -1.0})
    entities.observe("I guess", {**entity("guess"), "intensity": 1.0}, speaker="model")
    assert [row["label"] for row in entities.end()["promoted"]] == ["dad died"]


def test_events_are_joined_in_the_order_of_their_mentions(entities):
    for session in ("a", "b"):
        entities.observe("we moved, then the party", event("moved"), session=session)
        entities.observe("the party", event("party"), entity("Max"), session=session)
        entities.end(session)
    [tie] = entities.ties("temporal")
    assert tie["from"] == entities.record("moved")["id"]
    assert tie["to"] == entities.record("party")["id"]
    assert tie["user_reinforcement_count"] == 2.0


@pytest.mark.parametrize("told", [("moved", "party"), ("party",), ()])
def test_events_are_joined_in_the_order_that_their_valid_times_say(entities, told):
    since = {"moved": 2_000, "party": 1_000}
    rows = entities.observe("we moved, then the party", event("moved"), event("party"))["entities"]
    for row in rows:
        if row["label"] in told:
            given = Given("day", "then", valid_from=since[row["label"]])
            entities.run(calls.entities.fact(row["entity_id"], *astuple(given)))
    entities.end()
    [tie] = entities.ties("temporal")
    first = "party" if len(told) == 2 else "moved"
    assert tie["from"] == entities.record(first)["id"]


def cause(entities, session, valence, speaker="user"):
    entities.observe(
        "work makes me sad",
        {**entity("work"), "valence": valence},
        {"label": "sad", "type": "emotion"},
        session=session,
        speaker=speaker,
        relations=[{"from": "work", "to": "sad", "type": "causal", "span": "work makes me sad"}],
    )
    return entities.end(session)["activated_causal"]


def test_a_cause_needs_three_sessions_that_felt_different(entities):
    assert cause(entities, "a", -0.8) == []
    assert cause(entities, "b", 0.2) == []
    assert entities.ties("causal")[0]["is_active"] is False
    work, sad = entities.record("work"), entities.record("sad")
    assert cause(entities, "c", -0.8) == [{"from": work["id"], "to": sad["id"]}]
    [tie] = entities.ties("causal")
    assert (tie["is_active"], tie["requires_activation"]) == (True, 0)


def test_one_bad_week_teaches_no_cause(entities):
    for session in "abcde":
        assert cause(entities, session, -0.8) == []
    assert entities.ties("causal")[0]["requires_activation"] == 0
    # The mood of another day shows that it was not the week.
    assert len(cause(entities, "f", 0.8)) == 1


def test_a_cause_counts_the_sessions_in_which_the_user_mentions_both_ends(entities):
    for session, valence in zip("abcd", (-0.8, 0.8, -0.8, 0.8), strict=True):
        cause(entities, session, valence, speaker="model")
    [tie] = entities.ties("causal")
    assert (tie["is_active"], tie["requires_activation"]) == (False, 3)
    # The model's idea, but the user spoke of both.
    for session, valence in zip("efg", (-0.8, 0.8, -0.8), strict=True):
        said = {**entity("work"), "valence": valence}
        entities.observe("work, sad", said, {"label": "sad", "type": "emotion"}, session=session)
        activated = cause(entities, session, valence, speaker="model")
    assert len(activated) == 1
    [edge] = [one for one in entities.get(activated[0]["from"])["edges"] if one["type"] == "causal"]
    assert (edge["is_active"], edge["origin"]) == (True, "inferred")


def test_one_session_however_often_it_ends_is_one(entities):
    for _ in range(5):
        cause(entities, "a", -0.8)
    assert entities.ties("causal")[0]["requires_activation"] == 2


def test_a_session_feels_as_the_users_mentions_do_on_average(entities):
    entities.observe("Max", {**entity("Max"), "valence": 1.0})
    entities.observe("rain", {**entity("rain"), "valence": -0.5})
    entities.observe("sun", {**entity("sun"), "valence": 1.0}, speaker="model")
    entities.end()
    [session] = entities.records("session")
    assert session["valence"] == 0.25
    assert session["ended_at"] == entities.memory.now_ms


def test_a_session_of_another_user_or_of_nobody_is_not_found(entities):
    entities.observe("Max", "Max")
    for call in (lambda: entities.end("nosuch"), lambda: entities.end(user="bob")):
        with pytest.raises(REFUSALS, match="session_id: nothing was observed in"):
            call()


def figures(entities, label):
    """Return what trust counts of an entity, and what its record does."""
    record = entities.record(label)
    parts = entities.get(record["id"])["trust_parts"]
    return parts["edge_count"], parts["active_edges"], record["edge_count"]


def asleep(entities, days):
    entities.days(days)
    daily(entities)
    weekly(entities)


def test_trust_counts_what_the_user_ever_joined_and_does_not_fall_in_silence(entities):
    for session in ("a", "b"):
        entities.observe("Max and rain", "Max", "rain", session=session)
        entities.observe("boredom", "boredom", session=session, speaker="model")
        entities.end(session)
    max_ = entities.record("Max")["id"]
    assert figures(entities, "Max") == (1, 2, 2)
    trusted = entities.get(max_)["trust"]
    assert trusted == pytest.approx(2 * 0.1)
    asleep(entities, 365)
    assert figures(entities, "Max") == (1, 0, 0)
    assert entities.get(max_)["trust"] == trusted
    assert entities.search("Max")[0]["trust"] == trusted
    told = " ".join(row["text"] for row in entities.run(calls.entities.explain(max_)))
    assert "1 edges that the user ever reinforced. 0 edges are active." in told
    assert figures(entities, "boredom") == (0, 0, 0)


def test_what_the_user_says_of_a_models_idea_joins_it_by_the_user(entities):
    entities.observe("Max", "Max")
    entities.observe("boredom", "boredom", speaker="model")
    entities.end()
    assert figures(entities, "Max") == (0, 1, 1)
    entities.observe("boredom it is", "boredom")
    entities.end()
    assert figures(entities, "Max") == figures(entities, "boredom") == (1, 1, 1)


def test_where_no_entity_says_how_many_edges_the_user_made_they_are_counted(entities):
    """As in a store of version 0.1.0."""
    said = {"user_reinforcement_count": 2.0, "is_active": False}
    now = entities.memory.now_ms
    rows = [node(key, user_mention_count=2, last_activated=now) for key in ("Max", "rain", "vet")]
    rows += [tie("Max", "rain", **said), tie("vet", "Max", **said), tie("vet", "rain")]
    entities.memory.import_rows(rows)
    assert entities.get("Max")["trust_parts"]["edge_count"] == 2
    entities.observe("Max and the park", "Max", "park")
    entities.observe("vet", "vet", speaker="model")
    entities.end()
    assert entities.record("Max")["user_edge_count"] == 3
    assert "user_edge_count" not in entities.record("rain")
    daily(entities)
    assert {row["node_label"]: row["user_edge_count"] for row in entities.records("entity")} == {
        **{"Max": 3, "rain": 1, "vet": 1, "park": 1}
    }


def test_five_connections_by_the_user_promote_though_none_is_active(entities):
    labels = ["Max", "rain", "shoe", "vet", "park", "ball"]
    entities.observe("; ".join(labels), *labels)
    ended = entities.end()
    assert {row["reason"] for row in ended["promoted"]} == {
        "it has 5 connections, and the user mentioned it"
    }


def test_a_mention_revives_what_was_set_aside_and_its_edges(entities):
    entities.observe("Max and rain", "Max", "rain")
    entities.end()
    asleep(entities, 60)
    assert [row["is_active"] for row in entities.records("entity")] == [False, False]
    assert [row["is_active"] for row in entities.ties("co_occurrence")] == [False]
    assert entities.one("Max", "Max", session="b")["created"] is False
    assert entities.record("Max")["is_active"]
    entities.observe("rain", "rain", session="b")
    assert entities.end("b")["edges_reinforced"] == 1
    assert figures(entities, "Max") == (1, 1, 1)


def test_a_relation_that_is_said_again_is_switched_on_and_counted(entities):
    said = [{"from": "rain", "to": "mood", "type": "temporal", "span": "rain before mood"}]
    entities.observe("rain before mood", "rain", "mood", relations=said)
    asleep(entities, 120)
    [edge] = entities.ties("temporal")
    assert (edge["is_active"], entities.record("rain")["edge_count"]) == (False, 0)
    entities.observe("rain before mood", "rain", "mood", session="b", relations=said)
    [edge] = entities.ties("temporal")
    assert (edge["is_active"], entities.record("rain")["edge_count"]) == (True, 1)
    assert daily(entities, "edge_count") == []


def test_what_is_set_aside_is_found_by_its_name_and_comes_last(entities):
    entities.one("José", "José")
    entities.one("Josephine", "Josephine")
    asleep(entities, 60)
    entities.one("Jose Luis", "Jose Luis", session="b")
    assert [row["label"] for row in entities.search("josé")] == ["Jose Luis", "José"]
    assert [row["label"] for row in entities.search("jose")] == ["Jose Luis", "José"]
    found = entities.search("jose", include_inactive=True)
    assert [row["label"] for row in found] == ["Jose Luis", "José", "Josephine"]
    # What only a model mentioned comes after all that the user ever mentioned.
    entities.one("jose", {"label": "jose", "type": "topic"}, session="b", speaker="model")
    assert [row["label"] for row in entities.search("jose")] == ["Jose Luis", "José", "jose"]


def test_what_was_merged_is_active_if_any_of_it_is(entities):
    max_ = entities.one("Max", "Max")["entity_id"]
    puppy = entities.one("puppy", "puppy")["entity_id"]
    entities.merge(puppy, max_)
    asleep(entities, 60)
    entities.one("puppy", "puppy", session="b")
    entities.one("Maximilian", "Maximilian", session="b")
    assert [row["label"] for row in entities.search("max")] == ["Max", "Maximilian"]


def test_what_was_in_doubt_is_promoted_once_every_doubt_is_settled(entities):
    one, other = (entities.one(name, name)["entity_id"] for name in ("Max", "the boy"))
    assert entities.link(one, other)[0] == "candidate"
    entities.end()
    entities.one("Max", "Max", session="t")
    assert entities.end("t")["promoted"] == []
    merge_id = entities.merge(other, one)
    entities.unmerge(merge_id)
    entities.one("Max", "Max", session="u")
    [promoted] = entities.end("u")["promoted"]
    assert (promoted["label"], entities.record("Max")["identity_status"]) == ("Max", "distinct")


def test_a_session_that_ends_again_is_what_it_was_whatever_was_activated_since(entities):
    names = ("Anna", "Bert", "Cleo", "Dora")
    entities.observe(" ".join(names), *names)
    entities.end()
    entities.only = "default"
    [before] = entities.records("session")
    entities.days(1)
    entities.observe("Dora", "Dora", session="t")
    entities.end()
    [after] = [one for one in entities.records("session") if one["session_id"] == "s"]
    assert after | {"ended_at": before["ended_at"]} == before
