"""The tools that find memories, as a client sees them."""

import dataclasses

import pytest
from talking import Toy, talking

from concept_graph_mcp import calls
from concept_graph_mcp.embedding.base import EmbeddingError
from concept_graph_mcp.errors import Refused
from concept_graph_mcp.session import Clock
from conceptgraph_core.verbs.errors import InvalidNumber

TIME = "2025-06-15T17:06:40+02:00"


@pytest.fixture
def call(store, portal):
    with talking(portal, store, "memory") as call:
        yield call


@pytest.fixture
def toy(store, portal):
    with talking(portal, store, "memory", embedding=Toy()) as call:
        yield call


def test_memories_are_found_with_their_scores_and_the_words_that_found_them(call):
    kept = call("memory_node_create", content="The spare key is with Ruth", tags=["home"])
    [found] = call("memory_node_search", query="Where is the key?")["memories"]
    assert found.pop("score") > 0
    assert found == {
        "memory_id": kept["memory_id"],
        "text": "The spare key is with Ruth",
        "source": "conversation",
        "tags": ["home"],
        "state": "active",
        "created_at": TIME,
        "matched": ["key"],
    }
    assert call("memory_node_search", query="key", types=["fact"]) == {"memories": []}


def test_a_search_says_how_many_there_are_only_if_some_were_cut(call):
    for number in range(3):
        call("memory_node_create", content=f"Key number {number}")
    assert "total" not in call("memory_node_search", query="key", limit=3)
    cut = call("memory_node_search", query="key", limit=2)
    assert (len(cut["memories"]), cut["total"]) == (2, 3)


def test_where_texts_are_embedded_what_is_near_is_found_without_a_word(toy, portal):
    # The server would make the vector beside the calls, and it is set by hand here.
    toy.session.on_kept.clear()
    kept = toy("memory_node_create", content="abba")
    toy.run(calls.embedding.choose("toy", 3, again=False))
    portal.call(toy.session.store.fit_vectors)
    [row] = toy.run(calls.embedding.lacking(10))
    toy.run(calls.embedding.embed("toy", [row | {"vector": [2.0, 2.0, 0.0]}]))
    [found] = (toy("memory_node_search", query="baab"))["memories"]
    assert (found["memory_id"], found["matched"]) == (kept["memory_id"], [])
    assert found["similarity"] == pytest.approx(1, abs=1e-6)


class Unreachable(Toy):
    """An embedding whose endpoint is down."""

    async def vectors(self, texts):
        raise EmbeddingError("openai:toy at http://localhost cannot be reached")


def test_a_model_that_cannot_be_reached_keeps_nobody_from_what_words_find(store, portal):
    with talking(portal, store, "memory", embedding=Unreachable()) as call:
        kept = call("memory_node_create", content="The spare key is with Ruth")
        advice = (
            "found by words alone, for there is no vector:"
            " openai:toy at http://localhost cannot be reached"
        )
        found = call("memory_node_search", query="Where is the key?")
        assert [one["memory_id"] for one in found["memories"]] == [kept["memory_id"]]
        assert found["advice"] == advice
        put = call("memory_context", query="Where is the key?")
        assert (put["memory_ids"], put["advice"]) == ([kept["memory_id"]], advice)


def test_while_the_vectors_are_of_another_model_what_words_find_is_found(toy):
    # As while its owner embeds it anew, with a model that this server does not have yet. First,
    # because the vector of a new memory is made beside the calls.
    toy.run(calls.embedding.choose("other", 2, again=False))
    kept = toy("memory_node_create", content="The spare key is with Ruth")
    found = toy("memory_node_search", query="Where can the key be?")
    assert [one["memory_id"] for one in found["memories"]] == [kept["memory_id"]]
    assert found["advice"].startswith(
        "found by words alone; embedding: the vectors of this store are of other (2 numbers),"
        " not of toy (3)"
    )
    put = toy("memory_context", query="Where can the key be?")
    assert (put["memory_ids"], put["advice"]) == ([kept["memory_id"]], found["advice"])
    assert (toy("memory_node_get", memory_id=kept["memory_id"]))["access_count"] == 2


def test_only_a_refusal_of_the_vectors_makes_words_alone_be_asked(toy, portal):
    def by(embedded):
        if embedded is not None:
            raise Refused("embedding: a line that merely begins so", InvalidNumber)
        return calls.transfer.version()

    with pytest.raises(Refused, match="merely begins so"):
        portal.call(toy.session.answered, "abc", by)


def test_a_context_has_the_days_of_the_servers_zone(call):
    call.session.clock.set(1_750_024_800_000)  # 22:00 in UTC: midnight in Berlin
    kept = call("memory_node_create", content="The spare key is with Ruth")
    said = f"[2025-06-16 00:00 {kept['memory_id']}] note: “The spare key is with Ruth”"
    assert call("memory_context", query="Where is the key?") == {
        "text": said,
        "memory_ids": [kept["memory_id"]],
        "tokens": -(-len(said.encode()) // 4),
    }
    assert call("memory_node_get", memory_id=kept["memory_id"])["access_count"] == 2
    assert call("memory_context", query="giraffe") == {
        "text": "",
        "memory_ids": [],
        "tokens": 0,
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query": " "}, "query: must not be empty"),
        ({"query": "a", "source_filter": ""}, "source_filter: must not be empty"),
        ({"query": "a", "types": "fact"}, "types"),
        ({"query": "a", "states": ["expired"]}, "states"),
        ({"query": 5}, "query"),
        ({}, "query"),
    ],
)
def test_what_is_wrong_with_a_search_is_said_in_one_line(call, arguments, message):
    answer = call("memory_node_search", **arguments)
    assert answer.startswith(message)
    assert "\n" not in answer


def test_whatever_finds_less_than_its_limit_says_how_many_expired_ones_match(call, portal):
    call("memory_node_create", content="The blood group is A positive")
    kept = call("memory_node_create", content="The bread is in the oven", source="kitchen")
    later = dataclasses.replace(call.session, expires=True, clock=Clock(1_790_000_000_000))
    portal.call(later.run, calls.memories.decay_batch("default"))
    found = call("memory_node_search", query="Which blood group?")
    assert found == {"memories": [], "expired": 1}
    assert call("memory_context", query="Which blood group?")["expired"] == 1
    assert call("memory_node_recent")["expired"] == 2
    assert call("memory_node_recent", source_filter="kitchen")["expired"] == 1
    # A full list, one asked for in another state, and an empty one say nothing of them.
    call.run(calls.memories.restore(kept["memory_id"]))
    for found in (
        call("memory_node_search", query="The bread, the blood", limit=1),
        call("memory_node_search", query="blood", states=["active"]),
        call("memory_node_search", query="bread"),
        call("memory_node_recent", limit=1),
        call("memory_context", query="bread"),
    ):
        assert "expired" not in found


def test_a_list_by_tag_needs_no_query_and_a_text_is_kept_once(call):
    kept = call("memory_node_create", content="The spare key is with Ruth", tags=["home"])
    assert "existing" not in kept
    assert "similar" not in kept
    again = call("memory_node_create", content="The spare key  is with Ruth")
    assert (again["memory_id"], again["existing"]) == (kept["memory_id"], True)
    other = call("memory_node_create", content="The spare key is with Paul")
    assert other["similar"] == [
        {"memory_id": kept["memory_id"], "text": "The spare key is with Ruth"}
    ]
    found = call("memory_node_search", query="", tags=["home"])
    assert [one["memory_id"] for one in found["memories"]] == [kept["memory_id"]]


def test_copies_do_not_keep_others_out_of_the_latest(call):
    call("memory_node_create", content="Mia is allergic to wasp stings")
    told = {"thread": "t", "speaker": "Ann", "metadata": {}}
    messages = [
        {"id": f"m{n}", "text": "Good morning", "said_at": 1_750_000_000_001 + n, **told}
        for n in range(12)
    ]
    call.run(calls.memories.ingest("default", messages))
    recent = call("memory_node_recent", limit=3)
    assert [one["text"] for one in recent["memories"]] == [
        "Good morning",
        "Mia is allergic to wasp stings",
    ]
    assert [one.get("also") for one in recent["memories"]] == [11, None]
    assert "total" not in recent
