"""`entitygraph.neighbourhood`: the entities around some, each with all that it was merged with."""

import pytest
from entity_layer import DAY_MS, Entities
from expect import REFUSALS

from concept_graph_mcp import calls


@pytest.fixture
def entities(memory):
    return Entities(memory)


@pytest.fixture
def spoken(entities):
    """Max and Anna spoken of twice, Anna and her boat once, and the boat in Lindau another day."""
    found = {}
    for session, text, names in (
        ("one", "Max chewed Anna's shoe", ("Max", "Anna")),
        ("two", "Anna and Max ran, the puppy slept", ("Max", "Anna", "puppy")),
        ("three", "Anna has a boat", ("Anna", "boat")),
        ("four", "The boat lies in Lindau", ("boat", "Lindau")),
    ):
        rows = entities.observe(text, *names, session=session)["entities"]
        found |= {row["label"]: row["entity_id"] for row in rows}
        entities.end(session)
    return found


def around(entities, ids, *given, **context):
    call = calls.entities.neighbourhood(ids, *given)
    return entities.run(call, **{"user_id": "default", **context})


def labels(rows):
    return [row["labels"][0] for row in rows]


def test_a_row_says_what_get_does_and_where_it_is_in_the_picture(entities, spoken):
    call = calls.entities.fact(spoken["Max"], "age", "four", speaker="user", text="Max is four.")
    entities.run(call)
    row = around(entities, [spoken["Max"]], 0)[0]
    whole = entities.get(spoken["Max"])
    same = set(whole) - {"edges"}
    assert {name: row[name] for name in same} == {name: whole[name] for name in same}
    assert set(row) - same == {"hop", "degree", "ties"}
    assert (row["hop"], row["degree"], len(row["facts"])) == (0, 2, 1)


def test_the_ties_have_their_ends_and_their_strength(entities, spoken):
    rows = {row["labels"][0]: row for row in around(entities, [spoken["Max"]], 1)}
    [tie] = [one for one in rows["Max"]["ties"] if spoken["Anna"] in one.values()]
    assert tie == {
        "from": min(spoken["Max"], spoken["Anna"]),
        "to": max(spoken["Max"], spoken["Anna"]),
        "type": "co_occurrence",
        "strength": 0.75,
        "directed": False,
    }
    assert tie in rows["Anna"]["ties"]


def test_a_tie_with_a_direction_has_it_from_either_end(entities, spoken):
    text, relations = (
        "Max came before Lindau",
        [{"from": "Max", "to": "Lindau", "type": "temporal"}],
    )
    entities.observe(text, "Max", "Lindau", session="five", relations=relations)
    rows = around(entities, [spoken["Max"], spoken["Lindau"]], 0)
    for row in rows:
        [tie] = [one for one in row["ties"] if one["type"] == "temporal"]
        assert (tie["from"], tie["to"]) == (spoken["Max"], spoken["Lindau"])
        assert tie["directed"]


def test_the_stronger_ties_are_gone_along_first_ring_after_ring(entities, spoken):
    rows = around(entities, [spoken["Max"]], 10)
    assert [(row["labels"][0], row["hop"]) for row in rows[:2]] == [("Max", 0), ("Anna", 1)]
    assert {row["labels"][0]: row["hop"] for row in rows[2:]} == {
        "puppy": 1,
        "boat": 2,
        "Lindau": 3,
    }


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_a_limit_cuts_the_order_and_nothing_else(entities, spoken, limit):
    whole = around(entities, [spoken["Max"]], 10)
    assert around(entities, [spoken["Max"]], 10, limit) == whole[:limit]


def test_what_was_merged_is_one_by_whichever_it_is_asked_for(entities, spoken):
    merge_id = entities.merge(spoken["puppy"], spoken["Max"])
    for asked in (["puppy"], ["Max"], ["puppy", "Max"]):
        rows = around(entities, [spoken[one] for one in asked], 1)
        assert [row["entity_id"] for row in rows] == [spoken["Max"], spoken["Anna"]]
        assert rows[0]["labels"] == ["Max", "puppy"]
    [entry] = rows[0]["merges"]
    assert (entry["merge_id"], entry["source"], entry["target"]) == (merge_id, "puppy", "Max")
    # Anna is tied to both of them, and to what they are once.
    assert rows[0]["degree"] == 1
    ends = {rows[1]["entity_id"], rows[0]["entity_id"]}
    assert [{one["from"], one["to"]} for one in rows[1]["ties"]].count(ends) == 1


def test_a_doubt_is_as_strong_as_the_two_are_alike_until_it_is_settled(entities):
    first = entities.one("Katharina called", "Katharina")
    other = entities.one("Katarina called", "Katarina", session="later")
    ids = first["entity_id"], other["entity_id"]
    [tie] = [one for one in around(entities, [ids[0]], 0)[0]["ties"] if one["type"] == "same_as"]
    assert tie["strength"] > 0.9
    merge_id = entities.merge(*ids)
    entities.unmerge(merge_id)
    for row in around(entities, ids, 0):
        assert [one for one in row["ties"] if one["type"] == "same_as"] == []
        assert row["merges"][0]["unmerge_reason"] == "they are two"


def test_what_is_told_of_each_is_bounded(entities):
    for number in range(12):
        entities.observe(f"Max ran {number}", "Max", session=f"s{number}")
        entities.days(1)
    text = "Max met them all"
    names = [f"dog {number:03}" for number in range(110)]
    entities.observe(text, "Max", *names)
    relations = [{"from": "Max", "to": name, "type": "temporal"} for name in names]
    entities.observe(text, "Max", *names, session="t", relations=relations)
    [found] = entities.search("Max", limit=1)
    row, *others = around(entities, [found["entity_id"]], 1, 1_000)
    assert (row["degree"], len(row["ties"]), len(others)) == (110, 100, 100)
    assert len(row["mentions"]) == 8
    times = [one["created_at"] for one in row["mentions"]]
    assert times == sorted(times, reverse=True)


def test_nobody_sees_what_is_somebody_elses(entities, spoken):
    hers = entities.one("My Max", "Max", user="bob")["entity_id"]
    call = calls.entities.neighbourhood([hers])
    assert labels(entities.run(call, user_id="bob")) == ["Max"]
    for unknown, user in ((hers, "default"), (spoken["Max"], "bob")):
        with pytest.raises(REFUSALS, match=r'^entity_ids: not found: "'):
            around(entities, [unknown], user_id=user)


def test_looking_back_what_came_later_is_not_there(entities, spoken):
    before = entities.memory.now_ms
    entities.days(1)
    entities.observe("Max met Rex", "Max", "Rex", session="later")
    entities.end("later")
    assert "Rex" in labels(around(entities, [spoken["Max"]], 1))
    rows = around(entities, [spoken["Max"]], 1, until_ms=before, until_date="20250615")
    assert set(labels(rows)) == {"Max", "Anna", "puppy"}


@pytest.mark.parametrize(
    ("ids", "given", "message"),
    [
        (["Max"], (11,), "^max_hop: must be between 0 and 10, not 11$"),
        (["Max"], (1, 0), "^limit: must be between 1 and 1,?000, not 0$"),
        (["Max"], (1, 1_001), "^limit: must be between 1 and 1,?000, not 1001$"),
        (["Max", "nobody"], (), '^entity_ids: not found: "nobody"$'),
        ([" "], (), "^entity_ids: must not be empty"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_line(entities, spoken, ids, given, message):
    with pytest.raises(REFUSALS, match=message):
        around(entities, [spoken.get(one, one) for one in ids], *given)


def test_around_nothing_there_is_nothing(entities, spoken):
    assert around(entities, []) == []


def test_nothing_changes(entities, spoken):
    entities.memory.now_ms += 30 * DAY_MS
    before = entities.memory.records()
    around(entities, [spoken["Max"]], 10)
    assert entities.memory.records() == before


def test_entities_are_found_without_a_look_up(entities, spoken):
    name = "entitygraph.neighbourhood"
    rows = entities.memory.procedure(name, [[spoken["Max"]], 1, None], ("labels", "hop"))
    assert [(row["labels"][0], row["hop"]) for row in rows[:2]] == [("Max", 0), ("Anna", 1)]
