"""Count, read and remove all that belongs to one user."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any

from .. import calls
from ..session import Session


async def count(session: Session, user: str) -> dict[str, int]:
    rows = await session.run(calls.users.count(user))
    return {row["measure"]: row["value"] for row in rows}


async def remove(session: Session, user: str) -> dict[str, int]:
    removed: dict[str, int] = {}
    while rows := await session.run(calls.users.remove(user)):
        for row in rows:
            removed[row["measure"]] = removed.get(row["measure"], 0) + row["value"]
    return removed


def records_of(session: Session, user: str) -> AsyncGenerator[list[dict[str, Any]]]:
    """Iterate over the records of *user* in batches: nodes, then the relations that join them."""
    return session.store.stream(only=calls.users.exported(user))


def told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{measure}: {value:,}" for measure, value in counts.items())
