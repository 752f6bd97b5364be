"""How near texts are in meaning: what that adds to what words find, along threads, and alone."""

import math
from statistics import mean, pstdev
from typing import Any

import pytest

from concept_graph_mcp import calls
from memories import MADE_MS, node, texts_embedded

PLACES = {"hay": 0, "grass": 40, "wine": 80, "cork": 90}


def turned(degrees: float) -> list[float]:
    angle = math.radians(degrees)
    return [math.cos(angle), math.sin(angle), 0.0]


@pytest.fixture
def near(memory, store, portal):
    """Memories of one thread, by position, each turned by as many degrees as PLACES says."""
    memory.run(calls.embedding.choose("toy", 3, again=False))
    portal.call(store.fit_vectors)
    said = [(name, "field", position) for position, name in enumerate(["hay", "x1", "grass"])]
    said += [(name, "cellar", position) for position, name in enumerate(["wine", "x2", "cork"])]
    memory.import_rows(
        [
            node(name, content=f"Barn {name}", thread=thread, position=position, speaker="Ann Lee")
            | {"said_at": MADE_MS}
            for name, thread, position in said
        ]
    )
    rows = memory.run(calls.embedding.lacking(100))
    made = [row | {"vector": turned(PLACES[row["key"][0]])} for row in rows if _placed(row)]
    memory.run(calls.embedding.embed("toy", made))
    return memory


def _placed(row: dict[str, Any]) -> bool:
    return row["key"][0] in PLACES


def search(memory: Any, query: str, degrees: float, **context: Any) -> list[dict[str, Any]]:
    embedded = ("toy", turned(degrees))
    call = calls.memories.search("default", query, embedded=embedded, explained=True)
    return memory.run(call._replace(context={**call.context, **context}))


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["memory_id"] for row in rows]


def test_what_is_near_adds_to_what_words_find(near):
    # By the word alone the two threads are equal.
    first = ids(search(near, "barn", 0))
    assert first.index("hay") < first.index("cork")
    first = ids(search(near, "barn", 90))
    assert first.index("cork") < first.index("hay")


def test_a_row_explains_what_its_meaning_gave_and_from_where(near):
    rows = {row["memory_id"]: row for row in search(near, "barn", 0)}
    told = {
        name: {one["word"]: one for one in row["words"]}.get("its meaning")
        for name, row in rows.items()
    }
    assert told["hay"]["gave"] > told["grass"]["gave"] > told["x1"]["gave"] > 0
    assert told["hay"]["from"][0] == {"offset": 0, "key": "hay", "share": pytest.approx(1, abs=0.1)}
    assert [one["key"] for one in told["x1"]["from"]] == ["hay", "grass"]
    assert told["cork"]["from"][0]["key"] == "wine"
    assert all(row["matched"] == ["barn"] for row in rows.values())
    for row in rows.values():
        gave = sum(one["gave"] for one in row["words"])
        assert row["score"] == pytest.approx(gave * math.prod(row["factors"].values()), abs=1e-4)


def test_a_deviation_of_the_cosine_is_worth_as_many_of_the_sums_by_words(near):
    rows = {row["memory_id"]: row for row in search(near, "hay wine cork", 0)}
    gave = [{one["word"]: one["gave"] for one in row["words"]} for row in rows.values()]
    by_words = [sum(one.values()) - one.get("its meaning", 0) for one in gave]
    [hay] = (one["its meaning"] for one, name in zip(gave, rows, strict=True) if name == "hay")
    own = [math.cos(math.radians(one)) for one in PLACES.values()]
    spread = (1 + (0.6**2 * own[1]) ** 3) ** (1 / 3)
    z = ((spread - mean(own)) / pstdev(own) - 0.5) / 0.87
    assert len(rows) == 6
    assert hay == pytest.approx(1.2 * pstdev(by_words) * z, rel=0.01)


def test_without_a_word_the_nearest_are_found_first(near):
    found = ids(search(near, "straw", 0))
    assert found[:2] == ["hay", "grass"]
    assert set(found) >= set(PLACES)


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("What did Ann say about hay?", "What did say about hay?"),
        ("Where is Ann’s wine?", "Where is wine?"),
        ("When did ANN, of all people, come?", "When did of all people, come?"),
        ("Ann", "Ann"),
        ("Where is Bea's wine?", "Where is Bea's wine?"),
    ],
)
def test_names_of_speakers_are_left_out_of_what_is_embedded(near, query, left):
    for verb in (calls.memories.search, calls.everyday.recall, calls.everyday.search):
        asked = texts_embedded(near, verb("default", query))
        assert asked == ([left] if left != query else [])
        assert texts_embedded(near, verb("nobody", query), "nobody") == []


def test_who_alone_is_asked_for_comes_with_each_text_that_names_them(memory, store, portal):
    memory.run(calls.embedding.choose("toy", 3, again=False))
    portal.call(store.fit_vectors)
    texts = "My nephew Theo reads physics", "Theo left Durham and bakes bread in Leeds"
    for text in texts:
        memory.run(calls.everyday.remember("default", text, ["Theo"], said=text))
    made = [
        row | {"vector": turned(0 if row["text"] == texts[0] else 90)}
        for row in memory.run(calls.embedding.lacking(100))
    ]
    memory.run(calls.embedding.embed("toy", made))
    call = calls.everyday.recall("default", "How is my nephew?", embedded=("toy", turned(0)))
    [row] = memory.run(call)
    shown = [one["parts"][1] for one in row["lines"] if one["part"] == "said"]
    assert [any(text in one for one in shown) for text in texts] == [True, True]


def test_what_has_no_word_is_not_found_by_its_meaning(memory, store, portal):
    memory.run(calls.embedding.choose("toy", 3, again=False))
    portal.call(store.fit_vectors)
    memory.import_rows([node("thanks", content="Thanks!"), node("hay", content="Barn hay")])
    rows = memory.run(calls.embedding.lacking(100))
    degrees = {"thanks": 0, "hay": 30}
    made = [row | {"vector": turned(degrees[row["key"][0]])} for row in rows]
    memory.run(calls.embedding.embed("toy", made))
    assert ids(search(memory, "Thank you!", 0)) == ["hay"]
