"""The texts that ask for nothing, in several languages."""

import anyio
import pytest

from concept_graph_mcp.embedding import automatic, nothing
from concept_graph_mcp.embedding.opening import LazyEmbedding, load_model
from conceptgraph_core.ranks import cosine


class _Words:
    """Counts letters: a text is nearest to those written with the same ones."""

    name, dimension = "letters", 64

    async def vectors(self, texts):
        return [[float(text.count(chr(64 + n))) for n in range(64)] for text in texts]


@pytest.mark.parametrize("texts", nothing.TEXTS, ids=lambda texts: texts[0])
def test_a_remark_is_compared_with_those_of_its_language(texts, monkeypatch):
    lazy = LazyEmbedding("minilm")

    async def wait_until_open():
        return _Words()

    monkeypatch.setattr(lazy, "wait_until_open", wait_until_open)

    async def near(text):
        [vector] = await _Words().vectors([text])
        return await lazy.near_nothing(vector)

    greatest, deviation = anyio.run(near, max(texts, key=len))
    assert greatest == pytest.approx(1)
    assert deviation > 0


@pytest.mark.parametrize("model", automatic.MODELS)
def test_the_vectors_that_are_kept_are_those_of_the_model(model):
    if not automatic.MODELS[model].is_installed():
        pytest.skip(f"{model} is not installed")
    loaded, kept = load_model(model, ""), nothing.read(model)
    assert kept is not None, "run python -m concept_graph_mcp.embedding.nothing"
    texts = [text for some in nothing.TEXTS for text in some]
    assert len(kept) == len(texts)
    # Processors round the weights differently.
    for text, vector in list(zip(texts, kept, strict=True))[::8]:
        [made] = anyio.run(loaded.vectors, [text])
        assert cosine(made, vector) == pytest.approx(1.0, abs=0.02)


def test_vectors_of_other_texts_are_not_used(monkeypatch):
    monkeypatch.setattr(nothing, "TEXTS", (("Hello!", "Bye"),))
    assert nothing.read("minilm") is None
