"""List what `ingest` has brought, import by import, and take one back."""

import hashlib
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

from conceptgraph_core.memories.schema import IMPORTS, KIND

from .. import calls
from ..histories import marks
from ..session import Session
from .interrupts import Interrupts
from .owned import records_of

# Memories in one transaction: each may take the facts of several entities with it.
_BATCH = 200
_LONGEST_NAME = 40


class Import(NamedTuple):
    """The memories of one import, and the times of the first and the last (unix ms)."""

    import_id: str
    memories: int
    first_at: int
    last_at: int


def name_import(path: Path) -> str:
    """Return the id of what is read from *path*: the same each time, so that it may go on."""
    plain = re.sub(r"[^\w.]+", "-", path.resolve().name).strip("-.")[:_LONGEST_NAME]
    if str(path) == "-":
        return "stdin"
    digest = hashlib.sha256(str(path.resolve()).encode(errors="surrogateescape")).hexdigest()
    return f"{plain or 'import'}-{digest[:6]}"


async def list_imports(session: Session) -> list[Import]:
    """Return the imports of which something is stored, by their ids."""
    found: dict[str, Import] = {}
    async for record in _list_imported(session):
        at = record["said_at"] if record.get("said_at") is not None else record["created_at"]
        for one in record["metadata"][IMPORTS]:
            before = found.get(one, Import(one, 0, at, at))
            times = min(before.first_at, at), max(before.last_at, at)
            found[one] = Import(one, before.memories + 1, *times)
    return [found[one] for one in sorted(found)]


async def retract_import(
    session: Session, import_id: str, interrupts: Interrupts
) -> dict[str, int]:
    """Remove the memories that *import_id* alone brought; return removed and kept.

    A batch is one transaction. After an interruption the same call removes the rest.
    """
    ids = [
        str(record["id"])
        async for record in _list_imported(session)
        if import_id in record["metadata"][IMPORTS]
    ]
    counts = {"removed": 0, "kept": 0}
    for start in range(0, len(ids), _BATCH):
        call = calls.ingesting.retract(session.user_id, import_id, ids[start : start + _BATCH])
        with interrupts.piece():
            [row] = await session.run(call)
        for name in counts:
            counts[name] += row[name]
    if ids:
        marks.forget_all()
    return counts


async def _list_imported(session: Session) -> AsyncIterator[dict[str, Any]]:
    """Iterate over the records of the user's memories that an import brought."""
    async for batch in records_of(session, session.user_id):
        for record in batch:
            metadata = record.get("metadata")
            if record["kind"] == KIND.kind and isinstance(metadata, dict) and IMPORTS in metadata:
                yield record
