"""Memories found by what they say: by words, by filters, and by vectors where texts have some."""

import math
from typing import Any

import pytest
from expect import DAY_MS, REFUSALS

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Refused
from conceptgraph_core.memories.procedures import BRIEF
from conceptgraph_core.verbs.errors import EmbeddingMismatch, NotFound
from memories import MADE_MS, edge, link, node

FIELDS = (*BRIEF, "score", "matched", "similarity", "total")


def search(memory: Any, query: str, user: str = "default", **given: Any) -> list[dict[str, Any]]:
    return memory.run(calls.memories.search(user, query, **given), user_id=user)


def ids(memory: Any, query: str, user: str = "default", **given: Any) -> list[str]:
    return [row["memory_id"] for row in search(memory, query, user, **given)]


@pytest.fixture
def kept(memory):
    """Five memories of two users, with sources, types, tags and states."""
    memory.import_rows(
        [
            node("turin", content="Daniele moved to Turin in May", type="fact", tags=["home"]),
            node("tea", content="Green tea helps with headaches", source="research"),
            node("kettle", content="The kettle is broken, no tea today", importance_score=0.4),
            node("novel", content="A novel set in Turin", type="book", tags=["reading", "home"]),
            node("secret", "ann", content="Ann hides tea in Turin"),
        ]
    )
    return memory


def test_memories_are_found_by_the_words_of_a_question(kept):
    [found] = search(kept, "Where did Daniele move?")
    assert (found["memory_id"], found["matched"]) == ("turin", ["daniele", "move"])
    assert found["text"] == "Daniele moved to Turin in May"
    assert (found["similarity"], found["total"]) == (None, 1)
    assert 0 < found["score"] < 10


def test_what_no_memory_says_finds_nothing(kept):
    assert search(kept, "How tall is the giraffe?") == []
    assert search(kept, "Who was that?") == []


def test_a_memory_is_found_as_soon_as_it_is_kept_and_by_its_new_words_once_corrected(memory):
    made = calls.memories.create("default", "The spare key hangs by the door", concepts=["home"])
    key = memory.run(made)[0]["memory_id"]
    assert ids(memory, "Where is the key?") == ids(memory, "home") == [key]
    memory.run(calls.memories.update("default", key, content="The spare key is with Ruth"))
    assert ids(memory, "door") == []
    assert ids(memory, "Ruth") == [key]


def test_a_search_finds_nothing_of_another_user(kept):
    assert ids(kept, "tea", "ann") == ["secret"]
    assert ids(kept, "tea", "bob") == []
    assert "secret" not in ids(kept, "tea in Turin")


def test_what_was_forgotten_is_not_found_and_makes_room(kept):
    kept.run(calls.memories.forget("turin"))
    assert ids(kept, "Turin", limit=1) == ["novel"]
    kept.run(calls.memories.restore("turin"))
    assert set(ids(kept, "Turin")) == {"turin", "novel"}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"source_filter": "research"}, {"tea"}),
        ({"source_filter": "conversation"}, {"turin", "kettle", "novel"}),
        ({"types": ["fact", "book"]}, {"turin", "novel"}),
        ({"tags": ["reading", "nowhere"]}, {"novel"}),
        ({"states": ["dormant", "archived"]}, {"kettle"}),
        ({"types": ["fact"], "tags": ["reading"]}, set()),
        ({"states": ["expired"]}, set()),
    ],
)
def test_filters_say_what_is_found(kept, filters, expected):
    assert set(ids(kept, "tea Turin", **filters)) == expected


def test_filters_hold_before_the_limit(memory):
    memory.import_rows(
        [node(f"m{n:02}", content="tea " * (60 - n), tags=["last"] * (n == 39)) for n in range(40)]
    )
    [found] = search(memory, "tea", limit=1, tags=["last"])
    assert (found["memory_id"], found["total"]) == ("m39", 1)


@pytest.mark.slow
def test_what_was_cut_is_counted_up_to_a_hundred(memory):
    memory.import_rows([node(f"m{n:03}", content=f"tea {n}") for n in range(130)])
    rows = search(memory, "tea", limit=3)
    assert [row["total"] for row in rows] == [100] * 3
    assert len(search(memory, "tea", limit=120)) == 120


def test_what_was_noted_on_a_day_comes_first_if_the_question_names_it(memory):
    days = {"today": 0, "in May": 36, "in April": 60}
    memory.import_rows(
        [
            node(name, content="Bought some tea", created_at=memory.now_ms - ago * DAY_MS)
            for name, ago in days.items()
        ]
    )
    assert ids(memory, "tea")[0] == "today"
    assert ids(memory, "What tea did I buy on 2025-05-10?")[0] == "in May"


def test_a_search_changes_nothing(kept):
    before = kept.records()
    kept.now_ms += DAY_MS
    assert search(kept, "tea in Turin")
    assert kept.records() == before


def test_archived_contents_are_found_and_shown_whole(memory):
    made = calls.memories.create("default", "tea " * 50, importance=0.02)
    [made] = memory.run(made)
    assert made["state"] == "archived"
    [row] = search(memory, "tea")
    assert (row["memory_id"], row["text"]) == (made["memory_id"], "tea " * 50)


def test_a_search_without_look_ups_finds_the_same(kept):
    arguments = ["tea in Turin", 10, None, [], ["home"], [], [], None]
    rows = kept.procedure("memorygraph.search", arguments, FIELDS)
    assert rows == [
        {name: row[name] for name in FIELDS} for row in search(kept, "tea in Turin", tags=["home"])
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"query": " "}, "^query: must not be empty$"),
        ({"query": "te\0a"}, "^query: must not contain a NUL"),
        ({"query": "tea" * 10_000}, "^query: 30000 characters are too long"),
        ({"limit": 0}, "^limit: must be between 1 and 1000, not 0$"),
        ({"source_filter": ""}, "^source_filter: must not be empty$"),
        ({"types": ["a\0"]}, "^types: must not contain a NUL"),
        ({"tags": [""]}, "^tags: must not be empty$"),
        ({"states": ["asleep"]}, "^states: must be one of active, dormant, archived, expired$"),
    ],
)
def test_what_cannot_be_searched_for_is_refused_in_one_line(memory, given, message):
    with pytest.raises(REFUSALS, match=message):
        search(memory, **{"query": "tea"} | given)


def test_copies_of_a_text_are_one_row_and_hide_nothing(memory):
    copies = [
        node(f"nuts{n:02}", content="Allergic to nuts" + "!" * n, created_at=MADE_MS + n)
        for n in range(12)
    ]
    memory.import_rows([*copies, node("wasps", content="Mia is allergic to wasp stings too")])
    rows = search(memory, "What is she allergic to?")
    assert [(row["memory_id"], row["also"]) for row in rows] == [("nuts11", 11), ("wasps", 0)]
    assert rows[0]["total"] == 2
    assert [row["memory_id"] for row in search(memory, "allergic", limit=1)] == ["nuts11"]
    recent = memory.run(calls.memories.recent("default", 3))
    assert [(row["memory_id"], row["also"]) for row in recent] == [("nuts11", 11), ("wasps", 0)]


@pytest.mark.slow
def test_more_copies_than_a_search_ranks_hide_nothing_either(memory):
    memory.import_rows([node(f"ok{n:03}", content="ok tea") for n in range(150)])
    memory.import_rows([node("long", content=f"tea {' '.join(f'word{n}' for n in range(40))}")])
    assert set(ids(memory, "ok tea")) == {"ok149", "long"}


def test_what_a_later_memory_contradicts_says_so_wherever_it_is_listed(memory):
    memory.import_rows(
        [
            node("tuesday", content="The dentist is on Tuesday"),
            node("thursday", content="The dentist is on Thursday", created_at=MADE_MS + 1),
            edge("tuesday", "thursday", "contradicts"),
        ]
    )
    rows = search(memory, "Is the dentist on Tuesday?")
    shown = [(row["memory_id"], row["contradicted_by"]) for row in rows]
    assert shown == [("thursday", None), ("tuesday", "thursday")]
    for call in (
        calls.memories.recent("default"),
        calls.memories.listed("default"),
        calls.memories.show("tuesday"),
        calls.memories.get("tuesday"),
    ):
        against = {row["memory_id"]: row["contradicted_by"] for row in memory.run(call)}
        assert against["tuesday"] == "thursday"
        assert against.get("thursday") is None
    link(memory, "tuesday", "thursday", "contradicts", 0)
    assert memory.run(calls.memories.get("tuesday"))[0]["contradicted_by"] is None


def test_a_copy_hides_no_contradiction(memory):
    memory.import_rows(
        [
            node("a", content="Clara is allergic to hazelnuts."),
            node("c", content="clara is allergic to hazelnuts", created_at=MADE_MS + 1),
            node("b", content="Clara is allergic to peanuts", created_at=MADE_MS + 2),
            edge("b", "a", "contradicts"),
        ]
    )

    def shown():
        for call in (
            calls.memories.search("default", "What is Clara allergic to?"),
            calls.memories.recent("default"),
        ):
            rows = memory.run(call)
            yield {row["memory_id"]: (row["also"], row["contradicted_by"]) for row in rows}
        yield [row["memory_id"] for row in search(memory, "What is Clara allergic to?")]

    assert [*shown()] == [{"b": (0, None), "c": (1, "b")}] * 2 + [["b", "c"]]
    # Said again after that, it stands again, and what contradicted it does not.
    [again] = memory.run(calls.memories.create("default", "clara is allergic to hazelnuts"))
    new = again["memory_id"]
    assert again["existing"] is False
    assert [*shown()] == [{"b": (0, new), new: (2, None)}] * 2 + [[new, "b"]]


# With vectors


def turned(degrees: float) -> list[float]:
    angle = math.radians(degrees)
    return [math.cos(angle), math.sin(angle), 0.0]


@pytest.fixture
def embedded(memory, store, portal):
    """Memories whose vectors lie apart by so many degrees as their ids say."""
    assert memory.run(calls.embedding.choose("toy", 3, again=False)) == [
        {"chosen": True, "cleared": 0}
    ]
    portal.call(store.fit_vectors)
    places = {"00": "tea", "20": "coffee", "40": "tea and cake", "90": "a bicycle"}
    memory.import_rows([node(one, content=content) for one, content in places.items()])
    memory.import_rows([node("10", "ann", content="tea of Ann's"), node("bare", content="tea bag")])
    rows = memory.run(calls.embedding.lacking(100))
    made = [
        row | {"vector": turned(float(row["key"][0]))} for row in rows if row["key"] != ["bare"]
    ]
    assert memory.run(calls.embedding.embed("toy", made)) == [{"embedded": 5}]
    return memory


def at(degrees: float) -> tuple[str, list[float]]:
    return "toy", turned(degrees)


def test_what_is_near_is_found_without_any_word(embedded):
    rows = search(embedded, "bike", embedded=at(90))
    assert [row["memory_id"] for row in rows] == ["90", "40", "20", "00"]
    assert rows[0]["similarity"] == pytest.approx(1, abs=1e-6)
    assert rows[1]["similarity"] == pytest.approx(math.cos(math.radians(50)), abs=1e-6)
    assert {tuple(row["matched"]) for row in rows} == {()}


def test_scores_of_words_and_of_vectors_add_up(embedded):
    rows = search(embedded, "cake with tea", embedded=at(30))
    # By words 40, then 00 or bare; by vectors 40 or 20, then 00, then 90.
    assert rows[0]["memory_id"] == "40"
    assert rows[0]["matched"] == ["cake", "tea"]
    found = {row["memory_id"]: row["similarity"] for row in rows}
    assert set(found) == {"00", "20", "40", "90", "bare"}
    assert found["bare"] is None


def test_a_context_takes_the_best_by_word_and_then_the_nearest(embedded):
    many = [node(f"{degrees}", content=f"plant {degrees}") for degrees in range(50, 65)]
    embedded.import_rows(many)
    rows = embedded.run(calls.embedding.lacking(100))
    made = [
        row | {"vector": turned(float(row["key"][0]))} for row in rows if row["key"] != ["bare"]
    ]
    embedded.run(calls.embedding.embed("toy", made))
    [row] = embedded.run(calls.memories.context("default", "bicycle", embedded=at(50)))
    # The bicycle by its word, the others because they are the nearest.
    assert row["memory_ids"][:10] == ["90", *map(str, range(50, 59))]
    assert "bare" not in row["memory_ids"]


def test_filters_hold_for_vectors_too(embedded):
    assert ids(embedded, "bike", embedded=at(0), limit=1, types=["none"]) == []
    assert ids(embedded, "bike", "ann", embedded=at(0)) == ["10"]
    embedded.run(calls.memories.forget("00"))
    assert ids(embedded, "bike", embedded=at(0), limit=1) == ["20"]


def test_words_alone_find_where_nothing_was_embedded_yet(kept):
    [row] = search(kept, "Daniele", embedded=at(0))
    assert (row["memory_id"], row["similarity"]) == ("turin", None)


def test_a_vector_by_another_embedding_is_refused(embedded):
    with pytest.raises(REFUSALS, match=r"^embedding: the vectors of this store are of toy"):
        search(embedded, "tea", embedded=("other", turned(0)))
    with pytest.raises(REFUSALS, match=r"^embedding: the vectors of this store are of toy"):
        search(embedded, "tea", embedded=("toy", [1.0, 0.0]))


def test_a_refusal_says_of_what_kind_it_is(embedded):
    for call, kind in (
        (
            calls.memories.search("default", "tea", embedded=("other", turned(0))),
            EmbeddingMismatch,
        ),
        (calls.memories.forget("nowhere"), NotFound),
    ):
        with pytest.raises(Refused) as refused:
            embedded.run(call)
        assert refused.value.kind is kind


def test_no_vector_comes_in_while_another_embedding_is_chosen(memory, hands, host):
    if host == "embedded":
        pytest.skip("a store file has one writer at a time")
    memory.import_rows([node("tea", content="Green tea")])
    memory.run(calls.embedding.choose("toy", 2, True))
    rows = [{"kind": "memory", "key": ["tea"], "text": "Green tea", "vector": [1.0, 0.0]}]
    setting = "CALL conceptgraph.embedding_set('toy', $rows) YIELD embedded RETURN embedded"
    choosing = "CALL conceptgraph.embedding_choose('new', 2, true) YIELD chosen RETURN chosen"
    with hands.transaction() as one, hands.transaction() as other:
        assert one.run(setting, rows=rows).single().value() == 1
        with pytest.raises(Exception, match="SerializationError"):
            other.run(choosing).consume()


def test_the_age_of_a_memory_is_that_of_what_it_says(memory):
    memory.import_rows(
        [
            node("old", content="old tea", created_at=MADE_MS - 2, said_at=MADE_MS - 400 * DAY_MS),
            node("new", content="new tea", created_at=MADE_MS - 1),
        ]
    )
    rows = search(memory, "tea", explained=True)
    assert [row["memory_id"] for row in rows] == ["new", "old"]
    assert rows[1]["factors"]["age"] < rows[0]["factors"]["age"] <= 1
    assert [word["word"] for word in rows[0]["words"]] == ["tea"]


def test_memories_that_no_words_find_are_counted_in_their_scope_until_they_are_indexed(
    memory, hands
):
    made = {"created_at": 1, "accessed_at": 1}
    hands.node("Memory", id="by hand", user_id="default", content="Likes quinces", **made)
    hands.node("Memory", id="theirs", user_id="somebody", content="Likes tea", **made)

    def lacking() -> int:
        [row] = memory.run(calls.memories.unindexed("default"))
        assert memory.procedure("memorygraph.unindexed", [], ("memories",)) == [row]
        return int(row["memories"])

    assert lacking() == 1
    memory.run(calls.transfer.index_rest())
    assert lacking() == 0


def test_what_is_near_in_meaning_is_told_of_as_similar(embedded):
    for angle, expected in ((10, {"00", "20", "40"}), (150, set())):
        call = calls.memories.create("default", f"Angle {angle}", embedded=at(angle))
        [row] = embedded.run(call)
        assert {one["memory_id"] for one in row["similar"]} == expected
