"""The tokens of texts are those that the package `tokenizers` finds, for the same vocabulary."""

from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import limit_examples

from concept_graph_mcp.embedding.wordpiece import WordPiece

VOCABULARY = files("concept_graph_mcp.embedding") / "bert_uncased.txt"
MOST = 24
# What both know: the tables of `tokenizers` are those of an earlier Unicode.
KNOWN = ((0, 0x5FF), (0x2000, 0x206F), (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0x1F300, 0x1F64F))
TEXTS = st.text(st.one_of(st.characters(min_codepoint=a, max_codepoint=b) for a, b in KNOWN))
SAID = "unaffable Zürich İzmir don't 3.14 [SEP] ΌΣΟΣ naïve _x_"
WORDS = st.lists(st.sampled_from(SAID.split()))


@pytest.fixture(scope="module")
def both():
    implementations = pytest.importorskip("tokenizers.implementations")
    theirs = implementations.BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)
    theirs.enable_truncation(MOST)
    ours = WordPiece(VOCABULARY.read_text(encoding="utf-8").splitlines(), MOST)
    return ours.encode, lambda text: theirs.encode(text).ids


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What could I cook for Theo on Saturday?",
        "unbelievably " * 40,
        "x" * 100 + " " + "x" * 101,
        "東京タワー에서 만나요! Où est-ce? ≠ \u00ad\u200b\ufffd\x85 [MASK][CLS]",
    ],
)
def test_a_text_has_the_tokens_of_the_package(both, text):
    ours, theirs = both
    assert ours(text) == theirs(text)
    assert len(ours(text)) <= MOST


@settings(max_examples=limit_examples(300), deadline=None)
@given(text=TEXTS, words=WORDS)
def test_every_text_has_the_tokens_of_the_package(both, text, words):
    ours, theirs = both
    for one in (text, " ".join([*words, text])):
        assert ours(one) == theirs(one)
