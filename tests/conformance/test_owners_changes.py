"""`memorygraph.revise`, `entitygraph.questions` and `answer`: the owner changes what is kept."""

import pytest
from expect import REFUSALS

from concept_graph_mcp import calls

USER = "default"


@pytest.fixture
def tea(memory):
    """A memory that is to be changed, with an importance of 0.7."""
    [row] = memory.run(calls.memories.create(USER, "The tea is green"), user_id=USER)
    memory.now_ms += 60_000
    return row["memory_id"]


def revise(memory, memory_id, seen, changes, takes_back=None, user=USER):
    call = calls.memories.revise(user, memory_id, seen, changes, takes_back)
    [row] = memory.run(call, user_id=user)
    return row


def found(memory, words):
    call = calls.memories.search(USER, words)
    return [row["text"] for row in memory.run(call, user_id=USER)]


def test_a_revision_keeps_what_was_before_and_is_taken_back(memory, tea):
    seen, wanted = {"content": "The tea is green"}, {"content": "The coffee is black"}
    row = revise(memory, tea, seen, wanted)
    assert row["content"] == "The coffee is black"
    assert row["metadata"]["revisions"] == [
        {"at": memory.now_ms, "fields": ["content"], "content": "The tea is green"}
    ]
    # It is found by its new words alone, and is the only one.
    assert (found(memory, "coffee"), found(memory, "tea")) == (["The coffee is black"], [])
    first = memory.now_ms
    memory.now_ms += 60_000
    both = {"importance": 0.9, "summary": "Coffee"}
    row = revise(memory, tea, {"importance": 0.7, "summary": None}, both)
    assert (row["importance"], row["summary"]) == (0.9, "Coffee")
    call = calls.everyday.changes(USER, first, memory.now_ms + 1)
    edits = [one for one in memory.run(call, user_id=USER) if one["change"] == "edited"]
    assert [one["why"] for one in edits] == ["it was: importance 0.7", "it was: The tea is green"]
    assert [one["undo"] for one in edits] == [tea, None]
    with pytest.raises(REFUSALS, match="takes_back: the latest change was another"):
        revise(memory, tea, wanted, seen, first)
    row = revise(memory, tea, both, {"importance": 0.7, "summary": ""}, memory.now_ms)
    assert (row["importance"], row["summary"]) == (0.7, None)
    row = revise(memory, tea, wanted, seen, first)
    assert (row["content"], row["metadata"]) == ("The tea is green", {})
    assert (found(memory, "coffee"), found(memory, "tea")) == ([], ["The tea is green"])


def test_what_changed_meanwhile_is_not_overwritten(memory, tea):
    seen = {"content": "The tea is green"}
    revise(memory, tea, seen, {"content": "The tea is red"})
    before = memory.records()
    for changes in ({"content": "The tea is blue"}, {"content": "The tea is red"}, {}):
        with pytest.raises(REFUSALS, match="has changed since it was shown"):
            revise(memory, tea, seen, changes)
    with pytest.raises(REFUSALS, match="only content, summary, importance"):
        revise(memory, tea, seen, {"source": "me"})
    with pytest.raises(REFUSALS, match="not found"):
        revise(memory, tea, {"content": "The tea is red"}, {"content": "x"}, user="bob")
    assert memory.records() == before


def test_the_latest_ten_versions_are_kept(memory, tea):
    text = "The tea is green"
    for number in range(12):
        memory.now_ms += 1
        row = revise(memory, tea, {"content": text}, {"content": f"The tea is number {number}"})
        text = row["content"]
    kept = [one["content"] for one in row["metadata"]["revisions"]]
    assert kept == [f"The tea is number {number}" for number in range(1, 11)]


@pytest.fixture
def asked(entities):
    """Somebody of two names: a question, and its two ids."""
    rows = entities.observe("Max, my puppy, slept", "Max", "puppy")["entities"]
    ids = {row["label"]: row["entity_id"] for row in rows}
    entities.link(ids["puppy"], ids["Max"])
    return ids


def questions(entities, user=USER):
    return entities.run(calls.entities.questions(), user_id=user)


def answer(entities, ids, same, user=USER):
    call = calls.entities.answer(ids["puppy"], ids["Max"], same, "the owner says so")
    [row] = entities.run(call, user_id=user)
    return row["merge_id"]


@pytest.mark.parametrize("same", [True, False])
def test_a_question_is_answered_once_and_the_answer_taken_back(entities, asked, same):
    [question] = questions(entities)
    assert {question["one"], question["other"]} == {"Max", "puppy"}
    assert 0 < question["similarity"] <= 1
    assert questions(entities, "bob") == []
    with pytest.raises(REFUSALS, match="not found"):
        answer(entities, asked, same, "bob")
    merge_id = answer(entities, asked, same)
    assert questions(entities) == []
    assert (len(entities.get(asked["Max"])["labels"]) == 2) is same
    for again in (same, not same):
        with pytest.raises(REFUSALS, match=r"is the same already|no open question"):
            answer(entities, asked, again)
    entities.unmerge(merge_id)
    assert entities.get(asked["Max"])["labels"] == ["Max"]
