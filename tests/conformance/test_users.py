"""The users of a store: who they are, all that one owns, and that deleting it leaves nothing."""

import pytest
from expect import REFUSALS

from concept_graph_mcp import calls

# Each is the beginning of the next; a user's words and own concepts are counted apart behind it.
USERS = ("ann", "ann b", "anna", "Änne")


@pytest.fixture
def lived(memory):
    for user in USERS:
        said = f"{user} keeps hazelnuts in the cellar"
        about = [{"name": "Clara", "kind": "sister"}, {"name": "hazelnuts"}]
        call = calls.everyday.remember(user, said, about=about, said=said)
        memory.run(call, user_id=user, concepts="own")
        episode = calls.concepts.episode_add(said, ["hazelnuts"], user)
        memory.run(episode, user_id=user, concepts="own")
    memory.run(calls.concepts.episode_add("All keep hazelnuts", ["hazelnuts"]))
    return memory


def users(memory):
    found, after = [], None
    while rows := memory.run(calls.transfer.next_user(after)):
        [row] = rows
        after = row["user_id"]
        found.append(after)
    return found


def counted(memory, user):
    return {row["measure"]: row["value"] for row in memory.run(calls.transfer.count_user(user))}


def owned(hands, user):
    nodes, _ = hands.everything()
    owners = (str(node.get("user_id") or node.get("scope") or "") for node in nodes)
    return sum(owner.partition("\x1f")[0] == user for owner in owners)


def test_every_user_is_listed_once_and_nobody_for_what_is_shared(lived):
    assert users(lived) == sorted(USERS)


@pytest.mark.parametrize("user", USERS)
def test_all_that_a_user_owns_is_counted(lived, hands, user):
    counts = counted(lived, user)
    assert counts["memories"] == 1
    assert counts["episodes"] == 1
    assert counts["entities"] >= 2
    assert sum(counts.values()) == owned(hands, user)


@pytest.mark.parametrize("user", USERS)
def test_what_is_deleted_is_gone_and_all_else_stays(lived, hands, user):
    others = [one for one in USERS if one != user]
    before = {one: counted(lived, one) for one in others}
    shared = owned(hands, "")
    all_of_it = counted(lived, user)
    removed = lived.run(calls.transfer.remove_user(user))
    assert {row["measure"]: row["value"] for row in removed} == all_of_it
    assert lived.run(calls.transfer.remove_user(user)) == []
    assert counted(lived, user) == {}
    assert owned(hands, user) == 0
    assert {one: counted(lived, one) for one in others} == before
    assert owned(hands, "") == shared
    assert users(lived) == sorted(others)
    assert lived.run(calls.transfer.check()) == []


@pytest.mark.parametrize("user", USERS)
def test_an_export_of_a_user_is_their_part_of_the_whole_export(lived, user):
    lived.run(calls.embedding.choose("a model", 2, again=False))
    more = calls.memories.create(user, "They are for the squirrels")
    lived.run(more, user_id=user)
    links = [
        one["id"] for one in lived.records() if one.get("user_id") == user and "content" in one
    ]
    lived.run(calls.memories.link(*links, "supports"), user_id=user)
    whole = lived.records()
    keys = {user, *(one["id"] for one in whole if one.get("user_id") == user and "id" in one)}
    own = [one for one in whole if one["kind"] == "embedding" or not keys.isdisjoint(_named(one))]
    assert {one["kind"] for one in own} > {
        "embedding",
        "memory",
        "entity",
        "episode",
        "relation",
        "link",
    }
    assert lived.records(2, calls.transfer.exported_by(user)) == own


def _named(record):
    """Return what may tell whose *record* is: a user, or an id, alone or beside others."""
    key = record.get("from")
    return [record.get("user_id"), *(key if isinstance(key, list) else [key])]


def test_a_deletion_is_made_in_parts(lived):
    call = calls.transfer.remove_user("anna")
    part = call._replace(arguments=("anna", 2))
    before = sum(counted(lived, "anna").values())
    removed = sum(row["value"] for row in lived.run(part))
    assert removed == 2
    assert sum(counted(lived, "anna").values()) == before - 2


@pytest.mark.parametrize("user", ["", "a\x1fb"])
def test_what_is_shared_is_nobodys_to_delete(lived, user):
    before = lived.records()
    with pytest.raises(REFUSALS, match="user_id: "):
        lived.run(calls.transfer.remove_user(user))
    assert lived.records() == before


def test_what_all_share_becomes_one_users_merged_with_their_own(lived, memory):
    def relation(source, target, **own):
        return {"kind": "relation", "from": source, "to": target, "type": "is-a", **own}

    own = {"user_id": "ann"}
    memory.import_rows(
        [
            {"kind": "concept", "name": "Hazelnuts Only", "valence": 0.5, "accessed_at": 1},
            relation("hazelnuts", "nut", weight=0.75),
            relation("hazelnuts", "food", weight=0.5, **own),
        ]
    )
    [row] = memory.run(calls.transfer.adopt_shared("ann"))
    # Two concepts of the import, one more and an episode of the fixture; its relation, and one.
    assert row == {"nodes": 4, "relations": 2}
    records = [one for one in memory.records() if one["kind"] in ("concept", "episode", "relation")]
    assert all("user_id" in one for one in records)
    of_ann = [one for one in records if one["user_id"] == "ann"]
    assert {one["name"] for one in of_ann if one["kind"] == "concept"} >= {
        "hazelnuts", "nut", "food", "Hazelnuts Only",
    }  # fmt: skip
    weights = {one["to"]: one["weight"] for one in of_ann if one.get("from") == "hazelnuts"}
    assert (weights["nut"], weights["food"]) == (0.75, 0.5)
    call = calls.concepts.associate("Who keep hazelnuts?", concept_scope="ann")
    found = memory.run(call, user_id="ann")
    assert "All keep hazelnuts" in str(found)
    assert memory.run(calls.transfer.check()) == []
    assert memory.run(calls.transfer.adopt_shared("ann")) == [{"nodes": 0, "relations": 0}]
