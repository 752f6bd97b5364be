"""Prepare a question for an embedding: without speakers' names, which a model overrates."""

from collections.abc import Mapping, Sequence
from typing import Any

from .. import text as texts
from ..graph import adapter
from ..words import readings
from ..words.splitting import split
from .graph_index import StoredIndex
from .indexer import Words

# Splitting "Anna's" leaves this piece beside the name.
_ENDINGS = frozenset({"s"})


def unnamed(
    graph: adapter.Graph[Any], scope: str, asked: str, field: str = "text"
) -> tuple[str, float]:
    """Return *asked* without the first names of the speakers in *scope*, and its mean length.

    Every text of a speaker is near the name, so the rest of the question would hardly count. A
    question of names alone is returned unchanged. The mean number of words of the scope's texts
    decides whether `groups.static_share` has any use for near words.

    Raises InvalidText, LibraryMissing.
    """
    asked = texts.summary(asked, field)
    index = StoredIndex(graph.another(Words), scope)
    return _without(index.speakers(), asked, graph.context.languages), index.corpus.mean_length


def _without(speakers: Mapping[str, Sequence[str]], asked: str, languages: Sequence[str]) -> str:
    if not speakers:
        return asked
    read = readings(asked, languages).items()
    named = {word for word, reading in read if any(map(speakers.get, reading.stems))}
    left = [piece for piece in asked.split() if not set(split(piece)) - _ENDINGS <= named]
    return " ".join(left) if any(map(split, left)) else asked
