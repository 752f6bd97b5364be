"""Remove speakers' names from a question, because an embedding model overrates them."""

from typing import Any

from .. import text as texts
from ..graph import adapter
from ..words import readings
from ..words.splitting import split
from .graph_index import StoredIndex
from .indexer import Words

# Splitting "Anna's" leaves this piece beside the name.
_ENDINGS = frozenset({"s"})


def unnamed(graph: adapter.Graph[Any], scope: str, asked: str, field: str = "text") -> str:
    """Return *asked* without the first names of the speakers in *scope*.

    Every text of a speaker is near the name, so the rest of the question would hardly count. A
    question of names alone is returned unchanged.
    Raises InvalidText, LibraryMissing.
    """
    asked = texts.summary(asked, field)
    speakers = StoredIndex(graph.another(Words), scope).speakers()
    if not speakers:
        return asked
    read = readings(asked, graph.context.languages).items()
    named = {word for word, reading in read if any(map(speakers.get, reading.stems))}
    left = [piece for piece in asked.split() if not set(split(piece)) - _ENDINGS <= named]
    return " ".join(left) if any(map(split, left)) else asked
