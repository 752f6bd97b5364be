"""Count, read and remove all that belongs to one user."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from conceptgraph_core.embeddings import schema as embeddings
from conceptgraph_core.registry import LAYERS
from conceptgraph_core.transfer.places import Place, places

from .. import calls
from ..session import Session
from .export_import import records

_EMBEDDING = embeddings.LAYER.kind(embeddings.EMBEDDING).kind


async def count(session: Session, user: str) -> dict[str, int]:
    rows = await session.run(calls.users.count(user))
    return {row["measure"]: row["value"] for row in rows}


async def remove(session: Session, user: str) -> dict[str, int]:
    removed: dict[str, int] = {}
    while rows := await session.run(calls.users.remove(user)):
        for row in rows:
            removed[row["measure"]] = removed.get(row["measure"], 0) + row["value"]
    return removed


async def records_of(session: Session, user: str) -> AsyncIterator[dict[str, Any]]:
    """Iterate over the records of *user*: nodes, then the relations that join them.

    The store's embedding is among them, for without its model no vector can be compared.
    """
    owned: set[Place] = set()
    async for batch in records(session):
        for record in batch:
            if "from" in record:
                if not owned.isdisjoint(places(LAYERS, record)):
                    yield record
            elif record.get("user_id") == user:
                owned.update(places(LAYERS, record))
                yield record
            elif record["kind"] == _EMBEDDING:
                yield record


def told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{measure}: {value:,}" for measure, value in counts.items())
