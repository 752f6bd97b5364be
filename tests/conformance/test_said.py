"""The user's words are searched with the text that was made from them, and count less."""

import pytest
from expect import DAY_MS

from concept_graph_mcp import calls
from concept_graph_mcp.calls.verb import read_also as also
from conceptgraph_core.everyday import lines

everyday = calls.everyday
SAID = "My back is killing me since we carried the piano upstairs, so the doctor gave me something"
TEXT = "The user takes ibuprofen"


def remember(memory, text, said=None, **more):
    [row] = memory.run(everyday.remember("default", text, said=said, **more))
    return row


def recalled(memory, message, *other):
    [row] = memory.run(everyday.recall("default", message, also=also(other)))
    return [line["id"] for line in row["lines"] if line["part"] == lines.SAID]


def found(memory, query):
    return memory.run(everyday.search("default", query, kinds=["memory"]))


def stored(memory):
    return {one["id"]: one for one in memory.records() if one["kind"] == "memory"}


def test_a_memory_is_found_by_what_the_user_said(memory):
    kept = remember(memory, TEXT, SAID)
    assert recalled(memory, "Who carried my piano?") == [kept["id"]]
    [row] = found(memory, "piano")
    assert (row["text"], list(row["matched"])) == (TEXT, ["piano"])
    assert stored(memory)[kept["id"]]["content"] == TEXT


def test_a_word_of_the_text_counts_more_than_a_word_of_what_was_said(memory):
    heard = remember(memory, "The stairs are steep", "The piano went up the stairs")
    text = remember(memory, "The piano was tuned in Essen, and the doctor paid for it")
    assert [row["id"] for row in found(memory, "piano")] == [text["id"], heard["id"]]


def test_one_word_of_what_was_said_is_no_answer_to_a_stranger_of_a_question(memory):
    remember(memory, TEXT, SAID)
    assert recalled(memory, "How many keys does a piano have?") == []
    assert recalled(memory, "What is ibuprofen?")


def test_texts_from_the_same_words_are_neither_alike_nor_later_ones_of_another(memory):
    first = remember(memory, TEXT, SAID)
    second = remember(memory, "The piano stands on the second floor", SAID)
    assert second["existing"] is False
    assert list(second["similar"]) == []
    for one in first, second:
        assert one["id"] in recalled(memory, "What of mine was carried upstairs?")


def test_an_export_has_it_and_an_import_indexes_it(memory):
    kept = remember(memory, TEXT, SAID)
    records = list(memory.records())
    assert stored(memory)[kept["id"]]["said"] == SAID
    memory.run(calls.everyday.forget("default", kept["id"]))
    assert found(memory, "piano") == []
    memory.import_rows(records)
    assert stored(memory)[kept["id"]]["said"] == SAID


def test_what_adds_nothing_is_not_kept(memory):
    kept = remember(memory, TEXT, TEXT)
    assert "said" not in stored(memory)[kept["id"]]


def test_it_goes_with_its_text(memory):
    kept = remember(memory, TEXT, SAID)
    [row] = memory.run(calls.memories.update("default", kept["id"], content="No pills any more"))
    assert row["content"] == "No pills any more"
    assert found(memory, "piano") == []
    assert "said" not in stored(memory)[kept["id"]]


def test_it_is_purged_with_its_text(memory):
    kept = remember(memory, TEXT, SAID)
    memory.run(everyday.forget("default", kept["id"]))
    assert found(memory, "piano") == []
    memory.now_ms += DAY_MS
    memory.run(calls.memories.purge(1, [kept["id"]]))
    assert kept["id"] not in stored(memory)
    again = remember(memory, "The piano is a Bechstein")
    assert [row["id"] for row in found(memory, "piano")] == [again["id"]]


@pytest.mark.parametrize("said", ["", " ", "x" * 20_001, 4])
def test_bad_words_of_the_user_are_refused(memory, said):
    # The database itself names the argument of a wrong type, a rule the one of a wrong value.
    with pytest.raises(Exception, match="said: " if isinstance(said, str) else "'said'"):
        remember(memory, TEXT, said)


def test_a_text_with_the_word_itself_answers_before_others_from_the_same_words(memory):
    said = "My sister Clara is allergic to hazelnuts, and I work at Hanse Logistik now"
    nuts = remember(memory, "Clara is allergic to hazelnuts", said)
    work = remember(memory, "The user works at Hanse Logistik", said)
    assert recalled(memory, "Is my guest allergic?") == [nuts["id"]]
    assert recalled(memory, "Is it Hanse, my employer?") == [work["id"]]
    # The words tell of the sister, so she is known, and the text about her has her name.
    assert recalled(memory, "And my sister?") == [nuts["id"]]
