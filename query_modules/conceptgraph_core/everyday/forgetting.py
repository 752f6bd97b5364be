"""Forget whatever a reading tool returned the id of, and bring it back."""

from collections.abc import Iterator
from typing import Annotated, Any

from ..entities import forgetting, schema
from ..entities.identity import components
from ..entities.node import All, Node
from ..entities.node import Graph as Entities
from ..entities.observation import mentions
from ..errors import NotFound
from ..folding import plain
from ..memories import admin, crud
from ..memories.schema import FORGOTTEN
from ..memories.view import AllMemories, Graph
from . import lookups
from .schema import ENTITY, MEMORY
from .searching import search

Row = dict[str, Any]


def forget(
    graph: Graph,
    id_: Annotated[str, "An id, or the words of what to forget."],
    reason: Annotated[str | None, "Why, for the owner."] = None,
) -> Row:
    """Hide a memory, a fact, a mention or an entity, by its id, with what rests on it alone.

    With an entity go the memories that are about it and name nobody else. The owner can restore
    everything in full. See `memorygraph.forget` and `entitygraph.forget`. A text or a name of just
    one stands for its id. If no id and not one thing alone is meant, nothing is hidden: id is null,
    and candidates are the memories and entities that *id* finds ({kind, id, text}). Returns id,
    forgotten_at (unix ms) and candidates. Raises NotFound, InvalidText.
    """
    graph.pull(*lookups.of_any_id(id_))
    found = graph.present([id_])
    if found:
        row = crud.hide(graph, found[0], reason)
        return {"id": row["memory_id"], "forgotten_at": row["deleted_at"], "candidates": []}
    known = graph.another(Entities)
    try:
        node = forgetting.find(known, id_)
    except NotFound:
        meant = search(graph, id_, kinds=(MEMORY, ENTITY))
        if not meant:
            raise
        exact = [row["id"] for row in meant if plain(id_) in _list_names(row)]
        if len(exact) == 1:
            return forget(graph, exact[0], reason)
        fields = "kind", "id", "text"
        candidates = [{field: row[field] for field in fields} for row in meant]
        return {"id": None, "forgotten_at": None, "candidates": candidates}
    about = list(_memories_about(known, node)) if node.label == schema.ENTITY else []
    row = forgetting.forget(known, id_, reason)
    why = {"with": id_} if reason is None else {"reason": reason, "with": id_}
    crud.hide_all(graph, graph.present(about), why)
    return {**row, "candidates": []}


def restore(graph: Graph, id_: str) -> Row:
    """Bring back what `forget` hid with that id, as its owner; counts an access to a memory.

    Returns id, restored (False if it was in sight), and the state of a memory. Raises NotFound, and
    NotAllowed if it went with something else, which must be restored first.
    """
    graph.pull(*lookups.of_any_id(id_))
    every = graph.another(AllMemories)
    if found := every.present([id_]):
        row = admin.show_again(every, found[0])
        return {"id": id_, "restored": row["restored"], "state": row["state"]}
    for memory in list(every.nodes()):
        forgotten = memory.get("metadata").get(FORGOTTEN)
        if memory.is_deleted and isinstance(forgotten, dict) and forgotten.get("with") == id_:
            admin.show_again(every, memory)
    return {**forgetting.restore(graph.another(Entities), id_), "state": None}


def _list_names(row: Row) -> set[str]:
    """Return what a result of a search is called: its text, or the names of an entity."""
    told = row["matched"] if row["kind"] == ENTITY else [row["text"]]
    return {plain(one.partition(" (")[0] if row["kind"] == ENTITY else one) for one in told}


def _memories_about(graph: Entities, entity: Node) -> Iterator[str]:
    """Yield the ids of the memories in whose sessions nobody but *entity* was named.

    "peanuts", without a kind and a capital, is a thing that a memory says something of, no name.
    """
    every = graph.another(All)
    members = components.members(every, entity)
    everyone = {one.id for one in members}
    told = [tie.other for one in members for tie in every.arriving(one, schema.OF)]
    sessions = {tie.other for mention in told for tie in every.leaving(mention, schema.IN)}
    for session in sessions:
        memory_id = session.get("memory_id")
        if memory_id is None:
            continue
        about = (mentions.entity_of(every, one) for one in mentions.of_session(every, session))
        if {one.id for one in about if one is not None and _is_named(one)} <= everyone:
            yield memory_id


def _is_named(entity: Node) -> bool:
    return entity.get("entity_kind") is not None or entity.bare != entity.bare.lower()
