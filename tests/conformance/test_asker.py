"""The speaker who asks counts more, and nothing said after the question is found."""

from typing import Any

import pytest
from expect import REFUSALS

from concept_graph_mcp import calls
from conceptgraph_core.texts.dates import DAY_MS
from memories import node

# By key: the speaker; all say the same of pears, "e" on the day of the question.
SPEAKERS = {"a": "Ann", "b": "User", "c": "human", "d": None, "e": "Ann"}


@pytest.fixture
def talk(memory: Any) -> Any:
    """Keep one text of each speaker, all but the last said on one day."""
    memory.import_rows(
        [
            node(
                key,
                content=f"We sold {number} crates of pears",
                said_at=(at := memory.now_ms - (0 if key == "e" else 9 * DAY_MS) - 1),
                # Stored when it was said: what is stored before is known before.
                created_at=at,
                **({} if who is None else {"speaker": who}),
            )
            for number, (key, who) in enumerate(SPEAKERS.items(), 3)
        ]
    )
    return memory


def searched(memory: Any, user: str = "default", **asked: Any) -> dict[str, float]:
    """Return the factor of the asker by memory, the best first."""
    call = calls.memories.search(user, "Who sold pears?", explained=True, **asked)
    return {row["memory_id"]: row["factors"]["asker"] for row in memory.run(call, user_id=user)}


def test_the_user_asks_unless_somebody_is_named(talk):
    assert {key for key, factor in searched(talk).items() if factor > 1} == {"b", "c"}
    named = searched(talk, asker="ANN")
    assert {key for key, factor in named.items() if factor > 1} == {"a", "e"}
    assert next(iter(named)) == "e"
    assert set(searched(talk, asker="Nobody").values()) == {1.0}


@pytest.mark.parametrize("said", ["ann", "Ann", "user ann"])
def test_the_id_of_the_user_is_a_name_of_the_user(memory, said):
    memory.import_rows(
        [
            node("1", "ann", content="Sold pears", speaker="Bob"),
            node("2", "ann", content="Sold pears again", speaker=said),
            node("3", "bob", content="Sold pears", speaker="ann"),
        ]
    )
    assert searched(memory, "ann") == {"2": 1.5, "1": 1.0}
    assert searched(memory, "bob") == {"3": 1.0}


def test_nothing_that_was_said_after_the_question_is_found(talk):
    asked_at = talk.now_ms - DAY_MS
    assert set(searched(talk, asked_at=asked_at)) == set("abcd")
    [row] = talk.run(calls.memories.context("default", "Who sold pears?", asked_at=asked_at))
    assert set(row["memory_ids"]) == set("abcd")
    [row] = talk.run(calls.everyday.recall("default", "Who sold pears?", asked_at=asked_at))
    assert {one["id"] for one in row["sources"]} == set("abcd")
    rows = talk.run(calls.everyday.search("default", "Who sold pears?", asked_at=asked_at))
    assert {one["id"] for one in rows} == set("abcd")


def test_a_context_begins_with_the_words_of_the_asker(talk):
    def first(**asked: Any) -> str:
        [row] = talk.run(calls.memories.context("default", "Who sold pears?", **asked))
        [other] = talk.run(calls.everyday.recall("default", "Who sold pears?", **asked))
        assert other["sources"][0]["id"] == row["memory_ids"][0]
        return str(row["memory_ids"][0])

    before = talk.now_ms - DAY_MS
    assert [first(asked_at=before), first(asker="Ann", asked_at=before)] == ["b", "a"]


def test_the_episodes_of_the_user_count_more_too(memory):
    said = {"kind": "episode", "summary": "Sold pears"}
    named = [said | {"name": name, "speaker": name} for name in ("Ann", "human", "katrin")]
    memory.import_rows(named)
    call = calls.concepts.associate("Who sold pears?", user_id="katrin")
    rows = memory.run(call, user_id="katrin")
    factors = {row["episode_id"]: row["factors"]["asker"] for row in rows}
    assert factors == {"Ann": 1.0, "human": 1.5, "katrin": 1.5}


def test_an_asker_has_a_name(memory):
    with pytest.raises(REFUSALS, match="asker"):
        memory.run(calls.memories.context("default", "pears", asker=" "))
