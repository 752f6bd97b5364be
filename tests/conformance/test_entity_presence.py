"""`entitygraph.presence`: who was spoken of when, how it felt, and who came back."""

import pytest
from entity_layer import DAY_MS
from expect import REFUSALS

from concept_graph_mcp import calls

NOW_MS = 1_750_000_000_000


def said(entities, days, text, *names, speaker="user", valence=None):
    entities.memory.now_ms = NOW_MS - days * DAY_MS
    given = [{"label": one, "type": "entity"} for one in names]
    for one in given if valence is not None else ():
        one["valence"] = valence
    return {
        row["label"]: row["entity_id"]
        for row in entities.observe(text, *given, speaker=speaker, session=f"s{days}")["entities"]
    }


def presence(entities, ids, *days):
    bounds = [NOW_MS - one * DAY_MS for one in days]
    return entities.run(calls.entities.presence(ids, bounds), user_id="default")


def test_mentions_are_counted_by_speaker_and_period_with_their_feeling(entities):
    ids = said(entities, 100, "Max is wild", "Max", valence=0.5)
    said(entities, 98, "Max is a menace", "Max", valence=-0.25)
    said(entities, 97, "Max may like the park", "Max", speaker="model")
    said(entities, 10, "Max is back from the sea", "Max")
    said(entities, 9, "Max ran", "Max")
    [row] = presence(entities, [ids["Max"]], 101, 90, 50, 0)
    assert (row["label"], row["user"], row["model"]) == ("Max", [2, 0, 2], [1, 0, 0])
    assert row["feelings"] == [{"period": 0, "valence": 0.125, "mentions": 2}]
    silence = {"at": NOW_MS - 10 * DAY_MS, "since": NOW_MS - 97 * DAY_MS}
    assert row["returns"] == [{**silence, "text": "Max is back from the sea"}]
    # What lies outside is not counted; a bound belongs to the period that it begins.
    [row] = presence(entities, [ids["Max"]], 98, 97, 10)
    assert (row["user"], row["model"]) == ([1, 0], [0, 1])


def test_merged_entities_are_one_row_in_the_order_asked_for(entities):
    ids = said(entities, 5, "The puppy slept", "puppy") | said(entities, 4, "Max and Anna", "Max")
    ids |= said(entities, 3, "Anna ran", "Anna")
    entities.merge(ids["puppy"], ids["Max"])
    rows = presence(entities, [ids["Anna"], ids["puppy"], ids["Max"]], 10, 0)
    assert [(row["label"], row["user"]) for row in rows] == [("Anna", [1]), ("Max", [2])]


def test_another_users_entities_and_unordered_bounds_are_refused(entities):
    ids = said(entities, 5, "The puppy slept", "puppy")
    for bounds in ((0, 5), (5,), (5, 5), (), range(500, 0, -1)):
        with pytest.raises(REFUSALS, match="bounds: must be 2 to 401 ascending times"):
            presence(entities, [ids["puppy"]], *bounds)
    with pytest.raises(REFUSALS, match="entity_ids: not found"):
        entities.run(calls.entities.presence([ids["puppy"]], [0, 1]), user_id="bob")
