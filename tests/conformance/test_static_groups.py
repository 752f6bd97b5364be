"""Words near one another by a static embedding stand for one another, with nothing stored."""

from pathlib import Path
from typing import Any

import pytest
from expect import REFUSALS

from concept_graph_mcp import calls, settings
from concept_graph_mcp.embedding import vocabulary
from concept_graph_mcp.embedding.opening import LazyEmbedding
from concept_graph_mcp.session import Clock, Session
from memories import node

model2vec = pytest.importorskip("model2vec")

# Each word as a vector in the plane; "banjo" is near "instrument", and nothing else is near.
WORDS = {
    "instrument": (1.0, 0.1, 0.0, 0.0),
    "banjo": (0.8, 0.6, 0.0, 0.0),
    "bicycle": (0.0, 0.0, 1.0, 0.0),
    "bike": (0.0, 0.1, 1.0, 0.0),
    "kitchen": (0.0, 0.0, 0.0, 1.0),
}
TEXTS = {
    "banjo": "Rosa keeps a banjo under the bed",
    "bicycle": "The bicycle has a flat tyre",
    "kitchen": "We painted the kitchen yellow",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A static model of these words, in a folder."""
    import numpy as np
    from tokenizers import Tokenizer, models, pre_tokenizers

    made = tmp_path_factory.mktemp("models") / "tiny"
    tokenizer = Tokenizer(
        models.WordLevel({word: n for n, word in enumerate([*WORDS, "[UNK]"])}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    vectors = np.array([*WORDS.values(), (0.0, 0.0, 0.0, 0.0)], dtype=np.float32)
    model2vec.StaticModel(vectors, tokenizer).save_pretrained(str(made))
    return made


@pytest.fixture
def kept(memory: Any) -> Any:
    memory.import_rows([node(key, content=text) for key, text in TEXTS.items()])
    return memory


@pytest.fixture
def near(folder: Path, portal: Any) -> Any:
    """Return the neighbours of the words of a question."""
    lazy = LazyEmbedding(f"model2vec:{folder}")

    def found(text: str) -> Any:
        return portal.call(vocabulary.neighbours, portal.call(lazy.wait_until_open), text)

    return found


def searched(memory: Any, query: str, near: Any, user: str = "default") -> list[dict[str, Any]]:
    call = calls.memories.search(user, query, explained=True)
    context = {**call.context, "neighbours": [list(one) for one in near(query)]}
    return memory.run(call._replace(context=context), user_id=user)


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["memory_id"] for row in rows]


def test_the_neighbours_of_a_word_are_terms_of_the_vocabulary(near):
    [(asked, term, word, cosine)] = near("Which instruments, which instrument?")
    assert (asked, term, word) == ("instrument", "banjo", "banjo")
    assert cosine == pytest.approx(0.856, abs=0.001)
    # A word of the question itself is none.
    assert near("Is a banjo an instrument?") == []
    assert near("What is up?") == []
    # A name is taken for nobody else's.
    assert near("Where is Instrument?") == []


def test_a_word_that_no_text_has_finds_a_text_and_the_row_says_how(kept, near):
    assert ids(searched(kept, "Which instrument?", lambda _: ())) == []
    [row] = searched(kept, "Which instrument?", near)
    assert (row["memory_id"], row["matched"]) == ("banjo", ["instrument → banjo"])
    [word] = row["words"]
    assert (word["word"], word["term"]) == ("instrument", "banjo")
    assert word["why"] == "instrument → banjo 0.86"


def test_the_word_itself_counts_for_more(kept, near):
    kept.import_rows([node("own", content="The instrument stands under the bed")])
    assert ids(searched(kept, "Which instrument?", near)) == ["own", "banjo"]


def test_without_a_look_up_it_is_the_same(kept, near):
    fields = ("memory_id", "score", "matched", "words")
    arguments = ["Which instrument?", None, None, [], [], [], [], None]
    given = {"neighbours": [list(one) for one in near("Which instrument?")]}
    plain = kept.procedure("memorygraph.search", arguments, fields, **given)
    rows = searched(kept, "Which instrument?", near)
    assert plain == [{name: row[name] for name in fields} for row in rows]


def test_a_speaker_is_no_neighbour(kept, near):
    kept.import_rows(
        [node("said", content="Hello to all", thread="t", position=0, speaker="Banjo Smith")]
    )
    assert ids(searched(kept, "Which instrument?", near)) == []


def test_other_users_have_their_own_texts(kept, near):
    assert ids(searched(kept, "Which instrument?", near, "ann")) == []


def test_in_long_texts_a_neighbour_does_not_count(memory, near):
    # 12 · 0.8 of a share of 0.2 are 48 words.
    words = " ".join(f"word{n}" for n in range(50))
    memory.import_rows([node("long", content=f"The banjo {words}")])
    assert ids(searched(memory, "Which instrument?", near)) == []


def test_a_session_with_such_a_model_sends_them(kept, folder, portal):
    configured = settings.read({"TZ": "UTC", "CONCEPT_GRAPH_EMBEDDINGS": f"model2vec:{folder}"})
    session = Session.of(kept.store, configured, Clock(kept.now_ms))
    for query, expected in (("Which instrument?", ["banjo"]), ("Which bike?", ["bicycle"])):
        rows, advice = portal.call(
            session.answered,
            query,
            # Without its vectors, as before the first `embed`.
            lambda query=query, **_: calls.memories.search("default", query),
        )
        assert (ids(rows), advice) == (expected, None)


@pytest.mark.parametrize("row", ["a", ["a", "b", "c"], ["a", "b", "c", 2], [1, "b", "c", 0.5]])
def test_what_are_no_neighbours_is_refused(kept, row):
    with pytest.raises(REFUSALS, match="neighbours must be a list of rows"):
        kept.procedure(
            *("memorygraph.search", ["bed", None, None, [], [], [], [], None], ("memory_id",)),
            neighbours=[row],
        )
