"""Find what a name or words mean, and tell everything that is stored about a name."""

from typing import Any

from conceptgraph_core.errors import NotFound
from conceptgraph_core.everyday import schema

from .. import calls, everyday
from ..errors import Refused
from ..session import Session
from . import entities, memories

Row = dict[str, Any]

# Suggestions of each layer for a word; and suggestions while nothing is typed.
_OFFERED = 5
_OFFERED_LATEST = 4


async def tell_about(session: Session, name: str, entity_id: str | None = None) -> Row | None:
    """Return the result of `about`, the latest messages first; None if nothing is stored."""
    try:
        row, _ = await everyday.about(session, name, schema.MAX_LIMIT, entity_id, embeds=False)
    except Refused as error:
        if issubclass(error.kind, NotFound):
            return None
        raise
    return {**row, "said": sorted(row["said"], key=lambda one: -one["at"])}


async def offers(session: Session, words: str, limit: int) -> list[Row]:
    """Return suggestions for *words*: entities and messages; without words, the latest.

    A row has kind, name and text, and may have speaker and aside, a further remark.
    """
    most = min(limit, _OFFERED if words else _OFFERED_LATEST)
    if not words:
        return [*await entities.latest(session, most), *await memories.latest(session, most)]
    who = await entities.find_called(session, words, most)
    call = session.call(calls.everyday.search, query=words, kinds=["memory"], limit=most)
    said = [
        {"kind": row["kind"], "name": row["id"], "text": row["text"], "aside": row["who"]}
        for row in await session.run(call)
    ]
    return [*who, *said]
