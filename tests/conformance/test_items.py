"""Values of programs under paths: each is a memory, found by its words, exact, and its user's."""

import pytest
from expect import REFUSALS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import limit_examples

from concept_graph_mcp import calls


def do(memory, *steps, user="default"):
    return memory.run(calls.memories.items(user, steps), user_id=user)


def put(path, value=None, **given):
    return {"do": "put", "path": path, **({} if value is None else {"value": value}), **given}


def found(memory, under="a", user="default", **given):
    rows = do(memory, {"do": "find", "under": under, **given}, user=user)
    return [row["path"] for row in rows]


def test_a_value_is_kept_as_it_is_and_found_by_its_text(memory):
    value = '{"said": " x\\n"}'
    [made] = do(memory, put("a/b/tea", value, text="Ada drinks green tea", source="tests"))
    [read] = do(memory, {"do": "get", "path": "a/b/tea"})
    assert read == made | {"step": 0}
    assert (read["value"], read["text"]) == (value, "Ada drinks green tea")
    [row] = memory.run(calls.memories.search("default", "Who drinks tea?"))
    assert (row["memory_id"], row["text"]) == (read["id"], "Ada drinks green tea")
    assert do(memory, {"do": "get", "path": "a/b"}) == []
    assert memory.run(calls.transfer.check()) == []


def test_a_value_near_in_meaning_is_found_without_a_word_of_the_query(memory):
    near = {"Ada drinks coffee": [1.0, 0.0], "The bus is late": [0.0, 1.0]}
    do(memory, *(put(f"a/{number}", text=one) for number, one in enumerate(near)))
    memory.run(calls.embedding.choose("m", 2, False))
    rows = memory.run(calls.embedding.newest_lacking("default", 10))
    assert {row["text"] for row in rows} == {*near}
    memory.run(calls.embedding.embed("m", [{**row, "vector": near[row["text"]]} for row in rows]))
    steps = [{"do": "find", "under": "a", "query": "espresso"}]
    first, second = memory.run(calls.memories.items("default", steps, ("m", (1.0, 0.0))))
    assert (first["text"], first["score"] is None) == ("Ada drinks coffee", False)
    assert second["score"] is None


def test_without_a_value_the_text_is_the_value(memory):
    do(memory, put("a/1", text="plain\n"), put("a/2", text=""), put("a/3", text=" \n"))
    assert [do(memory, {"do": "get", "path": f"a/{n}"})[0]["value"] for n in (1, 2, 3)] == [
        "plain\n",
        "",
        " \n",
    ]


def test_a_value_is_replaced_in_its_place(memory):
    [first] = do(memory, put("a/1", "1", text="Ada drinks coffee"))
    memory.now_ms += 5_000
    [second] = do(memory, put("a/1", "2", text="Ada drinks cocoa"))
    assert (second["id"], second["created_at"]) == (first["id"], first["created_at"])
    assert second["changed_at"] == first["changed_at"] + 5_000
    assert memory.run(calls.memories.search("default", "coffee")) == []
    assert len(memory.run(calls.memories.search("default", "cocoa"))) == 1
    assert memory.run(calls.transfer.check()) == []


def test_a_value_is_replaced_only_if_it_is_what_was_read(memory):
    [made] = do(memory, put("a/1", "1", was=0))
    [again] = do(memory, put("a/1", "2", was=made["changed_at"]))
    assert again["changed_at"] > made["changed_at"]
    for was in (0, made["changed_at"]):
        with pytest.raises(REFUSALS, match="path: what is there has changed meanwhile"):
            do(memory, put("a/2", "x"), put("a/1", "3", was=was))
    assert found(memory) == ["a/1"]


def test_what_is_removed_is_gone_for_ever(memory):
    do(memory, put("a/1", "1", text="Ada drinks coffee"))
    [gone] = do(memory, {"do": "remove", "path": "a/1"})
    assert gone["value"] == "1"
    assert do(memory, {"do": "remove", "path": "a/1"}, {"do": "get", "path": "a/1"}) == []
    assert memory.records() == []
    assert memory.run(calls.transfer.check()) == []


def test_the_latest_changed_come_first(memory):
    for path in ("a/2", "a/1", "a/b/3", "ab/4"):
        memory.now_ms += 1_000
        do(memory, put(path, "1"))
    assert found(memory) == ["a/b/3", "a/1", "a/2"]
    assert found(memory, limit=2) == ["a/b/3", "a/1"]
    assert found(memory, under="a/b") == ["a/b/3"]


def test_what_matches_a_query_comes_first_with_a_score(memory):
    do(memory, put("a/1", "1", text="Ada drinks coffee"), put("a/2", "2", text="Rain in Turin"))
    do(memory, put("b/1", "1", text="Bob drinks coffee"))
    rows = do(memory, {"do": "find", "under": "a", "query": "Is there rain?"})
    assert [(row["path"], row["score"] is not None) for row in rows] == [
        ("a/2", True),
        ("a/1", False),
    ]
    # Each of two with the same words.
    do(memory, put("a/3", "3", text="Rain in Turin"))
    rows = do(memory, {"do": "find", "under": "a", "query": "rain", "limit": 2})
    assert {row["path"] for row in rows} == {"a/2", "a/3"}


def test_a_value_lapses_when_it_is_not_used(memory):
    do(memory, put("a/1", "1", text="Ada drinks coffee", lapses_after=60_000))
    memory.now_ms += 59_000
    assert found(memory) == ["a/1"]
    assert len(do(memory, {"do": "use", "path": "a/1"})) == 1
    assert do(memory, {"do": "remove", "path": "a/1", "lapsed": True}) == []
    memory.now_ms += 60_000
    assert found(memory) == []
    assert do(memory, {"do": "get", "path": "a/1"}, {"do": "use", "path": "a/1"}) == []
    assert memory.run(calls.memories.search("default", "coffee")) == []
    assert do(memory, put("a/1", "2", was=0))[0]["value"] == "2"
    memory.now_ms += 60_000
    assert found(memory) == ["a/1"]


def test_the_owner_forgets_it_and_the_program_keeps_it_again(memory):
    [made] = do(memory, put("a/1", "1", text="Ada drinks coffee"))
    memory.run(calls.memories.forget(made["id"]))
    assert found(memory) == []
    do(memory, put("a/1", "2", text="Ada drinks tea", was=0))
    assert found(memory) == ["a/1"]
    assert len(memory.run(calls.memories.search("default", "tea"))) == 1


def test_a_forgotten_value_is_its_owners_until_another_takes_its_path(memory):
    [made] = do(memory, put("a/1", "1", text="Ada drinks coffee"))
    assert len(do(memory, {"do": "forget", "path": "a/1"})) == 1
    assert do(memory, {"do": "forget", "path": "a/1"}, {"do": "get", "path": "a/1"}) == []
    memory.run(calls.memories.restore(made["id"]))
    assert found(memory) == ["a/1"]
    do(memory, {"do": "forget", "path": "a/1"})
    do(memory, put("a/1", "2", text="Ada drinks tea"))
    assert memory.run(calls.memories.restore(made["id"]))[0]["restored"] is False
    assert memory.run(calls.memories.show(made["id"]))[0]["metadata"] == {}


def test_a_note_of_the_same_words_is_another_memory(memory):
    [made] = do(memory, put("a/1", "1", text="Ada drinks coffee"))
    [note] = memory.run(calls.memories.create("default", "Ada drinks coffee"))
    assert note["memory_id"] != made["id"]


def test_it_is_exported_and_imported(memory):
    do(memory, put("a/1", '{"n": 1}', text="Ada drinks coffee", lapses_after=60_000))
    records = memory.records()
    do(memory, {"do": "remove", "path": "a/1"})
    memory.import_rows(records)
    assert memory.records() == records
    assert [row["value"] for row in do(memory, {"do": "get", "path": "a/1"})] == ['{"n": 1}']


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ({"do": "take"}, "do: must be one of get, find"),
        ({"do": "get", "path": "a//b"}, "path: must not have an empty name"),
        ({"do": "put", "path": "a\0"}, "path: must not contain a NUL"),
        ({"do": "put", "path": "a" * 4_001}, "path: 4001 characters are too long"),
        ({"do": "put", "path": "a", "value": "\ud800"}, "value: must not contain a NUL"),
        ({"do": "put", "path": "a", "value": "1", "lapses_after": -1}, "lapses_after: must be"),
        ({"do": "put", "value": "1"}, "path: "),
        ({"do": "find", "under": "a", "limit": -1}, "limit: must be between"),
    ],
)
def test_a_wrong_step_is_refused_and_nothing_is_kept(memory, step, reason):
    with pytest.raises(REFUSALS, match=reason):
        do(memory, put("a/1", "1"), step)
    assert memory.records() == []


PATHS = st.sampled_from(["a", "a/b", "a/b/c", "ab", "a%/ü", "A/b", "a/\n", "b/\U0001f600"])
USERS = st.sampled_from(["ann", "bob"])
STEPS = st.lists(st.tuples(USERS, st.booleans(), PATHS, st.text("ab1 é\n", max_size=5)), max_size=9)


@settings(
    max_examples=limit_examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=STEPS)
def test_no_value_crosses_a_scope(memory, steps):
    for user in ("ann", "bob"):
        do(
            memory,
            *({"do": "remove", "path": path} for path in found(memory, "x", user)),
            user=user,
        )
    kept = {"ann": {}, "bob": {}}
    for user, puts, path, value in steps:
        if puts:
            do(memory, put(f"x/{path}", value), user=user)
            kept[user][f"x/{path}"] = [value]
        else:
            gone = do(memory, {"do": "remove", "path": f"x/{path}"}, user=user)
            assert [row["value"] for row in gone] == kept[user].pop(f"x/{path}", [])
    for user, values in kept.items():
        rows = do(memory, {"do": "find", "under": "x"}, user=user)
        assert {row["path"]: [row["value"]] for row in rows} == values
