"""Draw the answers of `recall` and `about` for hosts that show the pictures of tools."""

from collections.abc import Awaitable, Mapping
from typing import Any

from conceptgraph_core.everyday import schema

from ..errors import StoreError
from ..session import Session
from . import entities, memories, names, picture

Row = dict[str, Any]

# Nodes around the concepts of a recall, and in the picture of `about`.
_AROUND = 30


async def of_recall(session: Session, answer: Mapping[str, Any]) -> Row | None:
    """Return the `_meta` of a recalled text: its sources, and what its concepts evoke."""
    return await _meta(session, _sources(session, answer.get("sources", ())))


async def of_about(session: Session, answer: Mapping[str, Any]) -> Row | None:
    """Return the `_meta` of all about a name: its surroundings in each layer."""
    entity_id = answer.get("id")
    kind, name = (names.CONCEPT, answer["name"]) if entity_id is None else (names.ENTITY, entity_id)
    return await _meta(session, names.draw_picture(session, kind, [name], 1, _AROUND))


async def _sources(session: Session, sources: Any) -> list[Row]:
    ids: dict[str, list[str]] = {}
    for source in sources:
        ids.setdefault(source["kind"], []).append(source["id"])
    nodes: list[Row] = []
    for kind, layer in ((schema.ENTITY, entities), (schema.MEMORY, memories)):
        if wanted := list(dict.fromkeys(ids.get(kind, ()))):
            nodes += await layer.neighbourhood(session, wanted, 0, len(wanted))
    if wanted := list(dict.fromkeys(ids.get(schema.CONCEPT, []) + ids.get(schema.EPISODE, []))):
        nodes += await names.draw_picture(session, names.CONCEPT, wanted, 1, _AROUND)
    return list({node["id"]: node for node in nodes}.values())


async def _meta(session: Session, drawing: Awaitable[list[Row]]) -> Row | None:
    """Return None if the picture cannot be had: the answer is there, and is what matters."""
    try:
        nodes = await drawing
    except StoreError:
        return None
    return picture.meta(session, nodes, []) if nodes else None
