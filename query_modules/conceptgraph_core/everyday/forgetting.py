"""Forget whatever a reading tool returned the id of, or what some words mean."""

from typing import Annotated, Any

from ..cascade import forgetting
from ..errors import NotFound
from ..folding import plain
from ..memories.view import Graph
from . import kept
from .schema import ENTITY, MEMORY
from .searching import search

Row = dict[str, Any]


def forget(
    graph: Graph,
    id_: Annotated[str, "An id, or the words of what to forget."],
    reason: Annotated[str | None, "Why, for the owner."] = None,
) -> Row:
    """Hide a memory, a fact, a mention or an entity, by its id, with what rests on it alone.

    With an entity go the texts that are about it and nobody else; others are those about others
    too ({id, text, about}). The owner can restore everything in full. A text or a name of just
    one stands for its id. If no id and not one thing alone is meant, nothing is hidden: id is null,
    and candidates are the memories and entities that *id* finds ({kind, id, text}). A kept question
    goes by its id, for ever. Returns id,
    forgotten_at (unix ms), others and candidates. Raises NotFound, InvalidText.
    """
    try:
        return {**forgetting.forget(graph, id_, reason), "candidates": []}
    except NotFound:
        if kept.forget(graph.another(kept.Questions), id_):
            at = graph.context.now_ms
            return {"id": id_, "forgotten_at": at, "others": [], "candidates": []}
        meant = search(graph, id_, kinds=(MEMORY, ENTITY))
        if not meant:
            raise
    exact = [row["id"] for row in meant if plain(id_) in _list_names(row)]
    if len(exact) == 1:
        return forget(graph, exact[0], reason)
    fields = "kind", "id", "text"
    candidates = [{field: row[field] for field in fields} for row in meant]
    return {"id": None, "forgotten_at": None, "others": [], "candidates": candidates}


def restore(graph: Graph, id_: str) -> Row:
    """Bring back what `forget` hid with that id, as its owner; counts an access to a memory."""
    return forgetting.restore(graph, id_)


def _list_names(row: Row) -> set[str]:
    """Return what a result of a search is called: its text, or the names of an entity."""
    told = row["matched"] if row["kind"] == ENTITY else [row["text"]]
    return {plain(one.partition(" (")[0] if row["kind"] == ENTITY else one) for one in told}
