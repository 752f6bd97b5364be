"""The entity that stands for the user: there is one, which nothing ends, splits or merges away."""

import pytest
from expect import REFUSALS

from conceptgraph_core.entities.schema import SELF


@pytest.fixture
def user(entities):
    entities.observe("I work at Siemens and my sister Clara called.")
    entities.observe("I live in Bonn.")
    return entities.record(SELF)["id"]


def test_the_user_cannot_be_ended(entities, user):
    with pytest.raises(REFUSALS, match="entity_id: the user cannot be ended"):
        entities.close(user, said="the user died")
    entities.observe("I work at Zalando.")
    assert [one["id"] for one in entities.records("entity") if SELF in one["node_label"]] == [user]


def test_the_user_cannot_be_merged_into_another(entities, user):
    clara = entities.record("Clara")["id"]
    with pytest.raises(REFUSALS, match="source_id: the user cannot be merged into another"):
        entities.merge(user, clara)
    assert entities.record(SELF)["identity_status"] != "merged"


def test_the_user_cannot_be_split(entities, user):
    mention = entities.get(user)["mentions"][0]
    with pytest.raises(REFUSALS, match="entity_id: the user cannot be split"):
        entities.split(user, [mention["mention_id"]])


@pytest.mark.parametrize("more", [{"new": True}, {"qualifier": "from work"}, {"kind": "company"}])
def test_there_is_one_user_whatever_is_said_of_it(entities, user, more):
    row = entities.one("I am another one", {"label": SELF, "type": "entity", "span": "I", **more})
    assert row["entity_id"] == user
    assert "candidates" not in row
