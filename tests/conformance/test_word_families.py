"""A question finds what says the same with another word of the family, on both hosts."""

from typing import Any

import pytest

from concept_graph_mcp import calls
from conceptgraph_core.retrieval.schema import FEW_TEXTS
from conceptgraph_core.texts.dates import DAY_MS
from memories import node

FACTS = {
    "allergy": "The user is allergic to penicillin",
    "wedding": "Their marriage was in Porto",
    "boiler": "The boiler was mended",
}


@pytest.fixture
def kept(memory: Any) -> Any:
    memory.import_rows([node(key, content=text) for key, text in FACTS.items()])
    return memory


def recalled(memory: Any, message: str) -> str:
    call = calls.everyday.recall("default", message)
    [row] = memory.run(call._replace(context={**call.context, "chances": [0, 0]}))
    return str([line["parts"] for line in row["lines"]])


def test_a_fact_is_recalled_by_another_word_of_its_family(kept):
    assert "penicillin" in recalled(kept, "What allergies do I have?")
    assert "Porto" in recalled(kept, "Where did they marry?")


def test_a_row_says_by_which_word_it_was_found(kept):
    [row] = kept.run(calls.memories.search("default", "any allergies?", explained=True))
    assert row["matched"] == ["allergies → allergic"]
    assert row["words"][0]["why"] == "allergies → allergic, a word family"


def test_a_time_in_which_no_text_has_a_family_has_no_result(kept):
    since = kept.now_ms + DAY_MS
    call = calls.everyday.search("default", "any allergies?", since=since, until=since + DAY_MS)
    assert kept.run(call) == []


def test_a_family_counts_instead_of_the_word_and_less(kept):
    kept.import_rows([node("own", content="The user has an allergy to penicillin")])
    rows = kept.run(calls.memories.search("default", "any allergies?"))
    assert [row["memory_id"] for row in rows] == ["own", "allergy"]
    # A text with both words is one match of one cue.
    kept.import_rows([node("both", content="An allergy of an allergic user to penicillin")])
    [both] = [
        row
        for row in kept.run(calls.memories.search("default", "any allergies?"))
        if row["memory_id"] == "both"
    ]
    assert both["matched"] == ["allergies"]


def test_a_word_that_many_texts_have_is_looked_for_alone(kept):
    def find() -> set[str]:
        rows = kept.run(calls.memories.search("default", "any allergies?"))
        return {row["memory_id"] for row in rows}

    def add(numbers: range) -> None:
        kept.import_rows([node(f"{one}", content=f"Allergy, day {one}") for one in numbers])

    add(range(FEW_TEXTS - 1))
    assert "allergy" in find()
    add(range(FEW_TEXTS - 1, FEW_TEXTS))
    assert "allergy" not in find()


def test_the_name_of_a_speaker_is_no_family(kept):
    said = {"thread": "t", "position": 0, "speaker": "Porter Allergic"}
    kept.import_rows([node("said", content="Good to hear", **said)])
    rows = kept.run(calls.memories.search("default", "Where is the port?"))
    assert "said" not in [row["memory_id"] for row in rows]


def test_without_a_look_up_it_is_the_same(kept):
    fields = ("memory_id", "score", "matched", "words")
    arguments = ["any allergies?", None, None, [], [], [], [], None]
    plain = kept.procedure("memorygraph.search", arguments, fields)
    call = calls.memories.search("default", "any allergies?", explained=True)
    assert plain == [{name: row[name] for name in fields} for row in kept.run(call)]
