"""An answer two texts away is found by way of the text between, and the row says so."""

from typing import Any

import pytest

from concept_graph_mcp import calls
from memories import node

ASKED = "Until when can I catch Rosa at her new job?"


def search(memory: Any, query: str = ASKED, **given: Any) -> list[dict[str, Any]]:
    call = calls.memories.search("default", query, explained=True, **given)
    return memory.run(call)


@pytest.fixture
def kept(memory):
    texts = {
        "rosa": "Rosa has started at Lindqvist's, the bakery by the canal",
        "shut": "Lindqvist's shuts at noon on Saturdays",
    }
    texts |= {f"other {number}": f"{number} kettles boil" for number in range(30)}
    memory.import_rows([node(key, content=text) for key, text in texts.items()])
    memory.import_rows([node("secret", "ann", content="Lindqvist's is broke")])
    return memory


def test_it_is_found_after_what_leads_there(kept):
    rows = search(kept)
    assert [row["memory_id"] for row in rows] == ["rosa", "shut"]
    assert rows[1]["matched"] == ["rosa → lindqvist"]
    [word] = rows[1]["words"]
    assert word["why"] == "by way of rosa"
    assert word["from"] == [{"offset": 0, "key": "shut", "share": 1.0}]
    assert 0 < rows[1]["score"] < rows[0]["score"]


def test_without_a_look_up_it_is_the_same(kept):
    fields = ("memory_id", "score", "matched", "words")
    arguments = [ASKED, None, None, [], [], [], [], None]
    plain = kept.procedure("memorygraph.search", arguments, fields)
    assert plain == [{name: row[name] for name in fields} for row in search(kept)]


def test_what_was_forgotten_leads_nowhere(kept):
    kept.run(calls.memories.forget("rosa", "wrong"))
    assert search(kept) == []


def test_what_is_found_anew_leads_on_at_once(kept):
    assert len(search(kept)) == 2
    kept.import_rows([node("lamp", content="Lindqvist's lamp was stolen")])
    assert {row["memory_id"] for row in search(kept)} == {"rosa", "shut", "lamp"}


def test_the_name_of_a_speaker_leads_nowhere(memory):
    rows = [
        node("said", content="Rosa met Lindqvist at the canal", speaker="Lindqvist Berg"),
        node("other", content="Lindqvist likes tea"),
        *(node(f"other {number}", content=f"{number} kettles boil") for number in range(30)),
    ]
    memory.import_rows(rows)
    assert [row["memory_id"] for row in search(memory, "canal")] == ["said"]
