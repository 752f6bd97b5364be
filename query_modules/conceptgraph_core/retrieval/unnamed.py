"""What is asked, without whom it names: a model of sentences takes a name for the matter."""

from typing import Any

from .. import text as texts
from ..graph import adapter
from ..words import readings
from ..words.splitting import split
from .graph_index import StoredIndex
from .indexer import Words

# What is left of "Anna's" besides the name.
_ENDINGS = frozenset({"s"})


def unnamed(graph: adapter.Graph[Any], scope: str, asked: str, field: str = "text") -> str:
    """Return *asked* without the first names of whoever spoke in *scope*; all of it if that is all.

    Every text of a speaker is near to the name, so that the rest of the question hardly counts.
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
