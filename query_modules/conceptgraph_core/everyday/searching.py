"""Search all three layers at once: memories, episodes and entities, in one order."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from .. import text as texts
from .. import validators
from ..concepts import schema as concepts
from ..concepts.node import Graph as Concepts
from ..entities import searching as entities
from ..entities.node import Graph as Entities
from ..folding import plain
from ..memories import near_duplicates
from ..memories.filters import Wanted
from ..memories.rendering import teller
from ..memories.search import Finder, Found
from ..memories.view import Graph, Node
from ..ranks import fused
from ..retrieval import searching as indexed
from . import schema
from .asking import limited

Row = dict[str, Any]

# The most results of each kind, before filtering.
DEPTH: Final = 100


def search(
    graph: Graph,
    query: str,
    since: int | None = None,
    until: int | None = None,
    about: str | None = None,
    kinds: Sequence[str] = (),
    limit: int | None = schema.DEFAULT_LIMIT,
    vector: Sequence[float] = (),
    model: str | None = None,
) -> list[Row]:
    """Return what *query* belongs to of all *kinds* (none: of any), the best first, cut to *limit*.

    Only what was said, or mentioned last, from *since* to before *until* (unix ms), and what is
    about the name *about*. A row has kind, id, text, at (unix ms), who, matched (words of the
    query), and total, how many there are, of each kind counted up to 100. Nothing is accessed.
    Raises InvalidText, InvalidNumber, LibraryMissing, EmbeddingMismatch.
    """
    texts.summary(query, "query")
    most = limited(limit)
    wanted = {validators.one_of(schema.KINDS)(one, "kinds") for one in kinds or schema.KINDS}
    first, beyond = (_time(since, "since"), _time(until, "until"))
    name = None if about is None else plain(texts.name(about, "about"))
    of: dict[str, Callable[[], Iterator[Row]]] = {
        schema.MEMORY: lambda: _memories(graph, query, vector, model),
        schema.EPISODE: lambda: _episodes(graph.another(Concepts), query),
        schema.ENTITY: lambda: _entities(graph.another(Entities), query),
    }
    rows = {
        (kind, row["id"]): {"kind": kind, **row}
        for kind, found in of.items()
        if kind in wanted
        for row in found()
        if (first is None or row["at"] >= first)
        and (beyond is None or row["at"] < beyond)
        and (name is None or any(name in plain(one) for one in (row["text"], *row["about"])))
    }
    ranked = fused([key for key in rows if key[0] == kind] for kind in of)
    made = [rows[key] for key, _ in ranked[:most]]
    return [{name: one[name] for name in _FIELDS} | {"total": len(rows)} for one in made]


_FIELDS: Final = ("kind", "id", "text", "at", "who", "matched")


def _time(value: int | None, field: str) -> int | None:
    return None if value is None else int(validators.time(value, field))


def found(
    graph: Graph, query: str, vector: Sequence[float], model: str | None
) -> tuple[Finder, list[Found]]:
    """Return the memories that *query* belongs to, and what found them."""
    finder = Finder(graph, query, vector, model)
    return finder, finder.best(DEPTH, Wanted())


def told(node: Node) -> Row:
    """Return what is told of a memory in a list: its id, its text, when it was said, by whom."""
    entry = {"speaker": node.value("speaker"), "source": node.value("source")}
    return {
        "id": node.memory_id,
        "text": node.text,
        "at": near_duplicates.told_at(node),
        "who": teller(entry),
    }


def _memories(
    graph: Graph, query: str, vector: Sequence[float], model: str | None
) -> Iterator[Row]:
    finder, best = found(graph, query, vector, model)
    for one in best:
        about = {"about": one.node.value("concepts")}
        yield told(one.node) | about | {"matched": finder.explained(one)["matched"]}


def _episodes(graph: Concepts, query: str) -> Iterator[Row]:
    kind = concepts.LAYER.kind(concepts.EPISODE)
    scope = concepts.words_scope(graph.scope)
    for row in indexed.search(graph, kind, scope, query, DEPTH):
        yield {
            "id": row["key"],
            "text": row["node"].text,
            "at": row["said_at"] or 0,
            "who": None,
            "about": (row["key"],),
            "matched": row["matched"],
        }


def _entities(graph: Entities, query: str) -> Iterator[Row]:
    for row in entities.search(graph, query, (), DEPTH, include_inactive=False):
        kind = row["kind"] or row["type"]
        yield {
            "id": row["entity_id"],
            "text": f"{row['label']} ({kind})",
            "at": row["last_activated"],
            "who": "the model" if row["inferred"] else "the user",
            "about": (),
            "matched": [row["label"]],
        }
