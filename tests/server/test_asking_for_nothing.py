"""The texts that ask for nothing, in several languages."""

import anyio
import pytest

from concept_graph_mcp.embedding import nothing
from concept_graph_mcp.embedding.opening import LazyEmbedding


class _Words:
    """Counts letters: a text is nearest to those written with the same ones."""

    name, dimension = "letters", 64

    async def vectors(self, texts):
        return [[float(text.count(chr(64 + n))) for n in range(64)] for text in texts]


@pytest.mark.parametrize("texts", nothing.TEXTS, ids=lambda texts: texts[0])
def test_a_remark_is_compared_with_those_of_its_language(texts, monkeypatch):
    lazy = LazyEmbedding("minilm")

    async def opened():
        return _Words()

    monkeypatch.setattr(lazy, "opened", opened)

    async def near(text):
        [vector] = await _Words().vectors([text])
        return await lazy.near_nothing(vector)

    greatest, deviation = anyio.run(near, max(texts, key=len))
    assert greatest == pytest.approx(1)
    assert deviation > 0
